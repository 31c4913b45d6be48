"""Runs the inputs of a console one after the other; later inputs see what earlier ones declared."""

from __future__ import annotations

from attrs import evolve

from harnpy.analysis.modules import load_graph
from harnpy.analysis.resolve import Known, resolve_input
from harnpy.runtime.instances import SharedNames
from harnpy.runtime.program import Loader
from harnpy.runtime.values import UNSET
from harnpy.syntax import nodes
from harnpy.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context
    from harnpy.source import Source


class Console:
    """The names of one interactive session.

    Inputs are modules of their own that share their variables. Declaring a name again is always
    allowed and changes it for earlier functions too.
    """

    def __init__(self, ctx: Context) -> None:
        self._loader = ctx.loader = Loader(ctx)
        self._known = Known()
        self._names = SharedNames()

    def run(self, source: Source) -> Any:
        """Run one input and give the value of its last statement, if that is an expression.

        ``source.path`` must be new for every input.

        Raises:
            RejectedProgram: the input is refused; nothing of it ran.
            HarnError: an uncaught error; what ran before it stays.
        """
        tree = parse(source)
        if tree.body and type(tree.body[-1]) is nodes.ExprStmt:
            last = tree.body[-1]
            tree = evolve(tree, body=(*tree.body[:-1], nodes.Return(last.span, last.value)))
        graph = load_graph(source, entry=resolve_input(tree, source, self._known))
        for name in self._loader.link_input(graph):
            self._known.names.setdefault(name, False)
        self._known.types.update(graph.entry.type_scope)
        return self._loader.run_input(graph, self._names)

    def checkpoint(self) -> Callable[[], None]:
        """Give what takes back the names that inputs declare or set from now on."""
        known, names = self._known, self._names
        kept = (dict(known.names), set(known.types), dict(known.enums))
        variants = {name: list(each) for name, each in known.variants.items()}
        values = [(name, cell, cell[0]) for name, cell in names.cells.items()]
        homes, own = dict(names.homes), set(names.own)

        def restore() -> None:
            known.names, known.types, known.enums = kept
            known.variants = variants
            names.cells = {name: cell for name, cell, _ in values}
            for _, cell, value in values:
                cell[0] = value
            names.homes, names.own = homes, own

        return restore

    def define(self, name: str, value: Any) -> None:
        """Make ``value`` known to later inputs as the constant ``name``."""
        self._known.names[name] = False
        self._names.cells[name] = [value]

    def value(self, name: str) -> Any:
        """Give what a name of the inputs holds now, ``None`` when it holds nothing yet."""
        cell = self._names.cells.get(name)
        return None if cell is None or cell[0] is UNSET else cell[0]

    def forget(self, path: str) -> None:
        """Let an input with this path run again."""
        self._loader.forget(path)

    def names(self) -> list[str]:
        """Give the names that inputs can use, sorted; for completion."""
        return sorted(self._names.cells)
