"""Builds the Python function of a node from lines of source; functions of one shape are compiled only once.

A node class with an emitter can be written into the function of its parent instead of having a function of
its own, which saves the call. The source holds no values: slots, constants and functions of other
nodes are bound to names, so that nodes that differ only in them share one compiled factory.
"""

from __future__ import annotations

from harnpy.runtime.ownership import PROLOGUE
from harnpy.runtime.shapes import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from harnpy.analysis.resolved import Expr, Stmt
    from harnpy.runtime.compile import Compiler

    Eval = Callable[[list[Any]], Any]

# How many nodes may be written into the function of another one, leaves not counted. More gives faster
# code and more distinct shapes to compile.
ROOM = 6

# A process that runs ever new programs forgets the factories when there are so many; functions made by them live on.
MOST_FACTORIES = 5000

# Names that every generated function sees; node modules add theirs with ``share``.
_shared: dict[str, Any] = {"__builtins__": __builtins__}

_factories: dict[tuple[str, int], Callable[..., Eval]] = {}


def share(**names: Any) -> None:
    """Make run-time support known to all generated functions under the given names."""
    _shared.update(names)


class _Indented:
    """The lines written inside ``with`` stand one level deeper."""

    __slots__ = ("_builder",)

    def __init__(self, builder: Builder) -> None:
        self._builder = builder

    def __enter__(self) -> None:
        self._builder.indent += "    "

    def __exit__(self, *_: object) -> None:
        self._builder.indent = self._builder.indent[:-4]


class Builder:
    """One Python function of the frame ``f`` that is being written.

    ``room`` is how many nodes may still be written into it; ``flow`` belongs to the statement nodes
    (how ``return``, ``break`` and ``continue`` are spelled here). ``loose`` are the temporary names that
    may hold a value.
    """

    __slots__ = ("_names", "_serial", "_values", "compiler", "flow", "indent", "lines", "loose", "room")

    def __init__(self, compiler: Compiler, room: int = ROOM) -> None:
        self.compiler = compiler
        self.room = room
        self.flow: Any = None
        self.lines: list[str] = []
        self.indent = "        "
        self._values: list[Any] = []
        self._names: dict[int, str] = {}
        self._serial = 0
        self.loose: list[str] = []

    # --- names --------------------------------------------------------------------------------

    def bind(self, value: Any) -> str:
        """Give the name under which the function sees ``value``."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"v{len(self._values)}"
            self._values.append(value)
        return name

    def temp(self) -> str:
        """Give a fresh name for a value that is needed only within the current statement."""
        name = self.name("t")
        self.loose.append(name)
        return name

    def name(self, prefix: str) -> str:
        """Give a fresh name for a value that outlives the current statement."""
        self._serial += 1
        return f"{prefix}{self._serial}"

    def release(self) -> None:
        """Let go of the values in temporary names: a count of owners must not see them."""
        if self.loose:
            self.line(" = ".join(self.loose) + " = None")
            self.loose = []

    # --- lines --------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """Write one line."""
        self.lines.append(self.indent + text)

    def block(self, header: str) -> _Indented:
        """Write ``header``; the lines inside the ``with`` stand below it."""
        self.lines.append(self.indent + header)
        return _Indented(self)

    # --- nodes --------------------------------------------------------------------------------

    def value(self, node: Expr) -> str:
        """Write what is needed to evaluate ``node`` here; give an expression to use once, at once."""
        compiler = self.compiler
        kind = type(node)
        emit = compiler.leaves.get(kind)
        if emit is None:
            emit = compiler.emitters.get(kind)
            if emit is None or self.room <= 0:
                return self.bind(compiler.expr(node)) + "(f)"
            self.room -= 1
        text: str = emit(self, node)
        return text

    def condition(self, node: Expr) -> str:
        """Like ``value``; only the truth of the expression matters."""
        emit = self.compiler.conditions.get(type(node))
        if emit is None or self.room <= 0:
            return self.value(node)
        self.room -= 1
        text: str = emit(self, node)
        return text

    def hold(self, node: Expr) -> str:
        """Evaluate ``node`` here; give a name that may be used any number of times."""
        return self.held(self.value(node))

    def held(self, text: str) -> str:
        """Give a name for the value of the expression ``text``."""
        if text.isidentifier():
            return text
        name = self.temp()
        self.line(f"{name} = {text}")
        return name

    def values(self, nodes: Sequence[Expr]) -> list[str]:
        """Evaluate several nodes in order; give expressions to use once each, in order, at once."""
        texts: list[str] = []
        for node in nodes:
            before = len(self.lines)
            text = self.value(node)
            if len(self.lines) > before:
                self._hold_earlier(texts, before)
            texts.append(text)
        return texts

    def holds(self, nodes: Sequence[Expr]) -> list[str]:
        """Evaluate several nodes in order; give names that may be used any number of times."""
        return [self.held(text) for text in self.values(nodes)]

    def _hold_earlier(self, texts: list[str], position: int) -> None:
        """Evaluate the expressions ``texts`` before the lines that begin at ``position``."""
        tail = self.lines[position:]
        del self.lines[position:]
        texts[:] = [self.held(text) for text in texts]
        self.lines += tail

    def attempt(self, node: Expr, write: Callable[[Expr], str] | None = None) -> tuple[str, list[str]]:
        """Write ``node`` aside: give its expression and the lines that must stand before it (``insert``)."""
        before = len(self.lines)
        indent = self.indent
        self.indent = "    " + indent
        text = (write or self.value)(node)
        self.indent = indent
        lines = self.lines[before:]
        del self.lines[before:]
        return text, lines

    def insert(self, lines: list[str]) -> None:
        """Write lines that ``attempt`` gave; they stand one level deeper than the attempt."""
        self.lines += lines

    def statement(self, node: Stmt) -> None:
        """Write the statement ``node`` here, or a call of its function with the test of its signal."""
        self.release()
        self.compiler.emit_statement(self, node)

    # --- the result ---------------------------------------------------------------------------

    def build(self) -> Eval:
        """Give the function that has been written."""
        text = "\n".join(self.lines)
        # Values may be bound and then not used, so equal texts may have different counts.
        shape = (text, len(self._values))
        factory = _factories.get(shape)
        if factory is None:
            if len(_factories) >= MOST_FACTORIES:
                _factories.clear()
            factory = _factories[shape] = _compile(*shape)
        return factory(*self._values)


def _compile(text: str, count: int) -> Callable[..., Eval]:
    names = ", ".join([f"v{number}" for number in range(count)])
    # The source is made of fixed pieces and numbered names only; nothing of the program's text is in it.
    start = PROLOGUE if "getrefcount(" in text else ""
    code = compiled(f"def make({names}):\n    def node(f):\n{start}{text}\n    return node")
    scope: dict[str, Any] = {}
    exec(code, _shared, scope)  # noqa: S102
    made: Callable[..., Eval] = scope["make"]
    return made
