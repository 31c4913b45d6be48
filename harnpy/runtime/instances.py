"""The modules of a running program: their variables, how they see each other, how they start."""

from __future__ import annotations

from math import e, pi

from harnpy.analysis import resolved
from harnpy.errors import HarnError
from harnpy.runtime.functions import let_handle_drop
from harnpy.runtime.values import RESULT, UNSET, Closure, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.analysis.modules import Graph, LoadedModule
    from harnpy.runtime.compile import Compiler
    from harnpy.runtime.context import Context


class ModuleInstance:
    """One module of a run.

    ``cells`` holds everything that is read by name: its own variables, imports (the very cells of the
    modules that declare them) and the predefined values; ``outer_cells`` the last two without the
    own variables that hide them. ``functions`` holds what its ``fn`` declarations made, except in a console, where
    a later input may declare them anew. ``result`` is what a ``return`` among its statements gave.
    """

    __slots__ = (
        "cells",
        "compiler",
        "frame",
        "functions",
        "homes",
        "loaded",
        "origins",
        "outer_cells",
        "path",
        "resolved",
        "result",
        "source",
        "std",
    )

    compiler: Compiler

    def __init__(self, loaded: LoadedModule, predefined: dict[str, list[Any]]) -> None:
        self.loaded = loaded
        self.path = loaded.path
        self.source = loaded.source
        self.resolved = loaded.module
        self.std = loaded.std
        self.outer_cells = dict(predefined)
        self.cells: dict[str, list[Any]] = {name: [UNSET] for name in loaded.module.globals}
        self.frame: list[Any] = [None] * loaded.module.main.nslots
        # The modules whose types this one imports, by the name of the type.
        self.homes: dict[str, ModuleInstance] = {}
        # The modules that declare the imported names.
        self.origins: dict[str, ModuleInstance] = {}
        self.functions: dict[str, Closure] | None = {}
        self.result: Any = None

    def lookup(self, name: str) -> list[Any] | None:
        """Give the cell of a name of this module: its own, imported or predefined."""
        return self.cells.get(name)

    def lookup_type(self, name: str) -> tuple[resolved.Type | None, ModuleInstance] | None:
        """Give an alias (or interface: ``None``) with the module in whose scope its type is read."""
        types = self.loaded.types
        if name in types:
            return types[name], self
        home = self.homes.get(name)
        return None if home is None else (home.loaded.types[name], home)

    def declared(self, name: str) -> Closure | None:
        """Give the function that ``name`` means here for good: declared by ``fn`` in this module or an imported one."""
        functions = self.functions
        if functions is None:
            return None
        origin = self.origins.get(name)
        if origin is not None and name not in self.loaded.module.globals:
            functions = origin.functions
        return None if functions is None else functions.get(name)

    def undefined(self, name: str) -> HarnError:
        """Make the error for reading ``name`` when nothing is there, or not yet."""
        origin = self.loaded.scope.get(name)
        if origin is None or origin.path == self.path:
            return HarnError(f"Undefined variable: {name}")
        return HarnError(
            f"Undefined variable: {name} ({self.path} imports it from {origin.path}, which has not set it yet: "
            "their imports form a cycle)"
        )

    def share(self, names: SharedNames) -> None:
        """Join the names of the inputs of a console.

        A variable of an earlier input keeps its cell, so that functions see it declared anew.
        """
        loaded, cells = self.loaded, names.cells
        self.functions = None
        for name in (*loaded.scope, *loaded.namespaces):
            cells[name] = self.cells[name]
            names.own.discard(name)
        for name in loaded.module.globals:
            if name not in names.own:
                cells[name] = self.cells[name]
                names.own.add(name)
        for name in loaded.types:
            names.homes[name] = self
        names.homes.update(self.homes)
        self.cells = {**self.cells, **cells}
        self.homes = names.homes

    def make_closure(self, function: resolved.Function) -> Closure:
        """Make the closure of a function of the module level."""
        made = self.compiler.expr(resolved.MakeClosure(function.span, function))(self.frame)
        assert type(made) is Closure
        return made


class SharedNames:
    """The names that the inputs of a console have in common; ``own`` are those that inputs declared."""

    __slots__ = ("cells", "homes", "own")

    def __init__(self) -> None:
        self.cells: dict[str, list[Any]] = {}
        self.homes: dict[str, ModuleInstance] = {}
        self.own: set[str] = set()


def make_instances(ctx: Context, graph: Graph, instances: dict[str, ModuleInstance]) -> list[ModuleInstance]:
    """Make the modules of a program that are not yet in ``instances``: connected, not yet started."""
    predefined = {"harness": [ctx.harness], "argv": [list(ctx.argv)], "pi": [pi], "e": [e], "Result": [RESULT]}
    predefined.update([(name, [value]) for name, value in ctx.predefined.items()])
    made = [ModuleInstance(loaded, predefined) for loaded in graph.modules if loaded.path not in instances]
    instances.update([(instance.path, instance) for instance in made])
    for instance in made:
        for name in instance.loaded.namespaces:
            instance.cells.setdefault(name, [UNSET])
    for instance in made:
        _connect(instance, instances)
    return made


def _connect(instance: ModuleInstance, instances: dict[str, ModuleInstance]) -> None:
    loaded = instance.loaded
    outer = instance.outer_cells
    for name, origin in loaded.scope.items():
        home = instance.origins[name] = instances[origin.path]
        outer[name] = home.cells[name]
    for name, origin in loaded.type_scope.items():
        instance.homes[name] = instances[origin.path]
    for name, target in loaded.namespaces.items():
        exports = {export: instances[origin.path].cells[export] for export, origin in (target.exports or {}).items()}
        instance.cells[name][0] = Namespace(target.path, exports)
    for name, cell in outer.items():
        instance.cells.setdefault(name, cell)


def start(ctx: Context, instance: ModuleInstance) -> None:
    """Make the declarations of a module available, then run its statements."""
    from harnpy.runtime.compile import Compiler

    module = instance.resolved
    compiler = instance.compiler = Compiler(ctx, instance)
    frame = instance.frame
    for declaration in module.declarations:
        compiler.stmt(declaration)(frame)
    if instance.functions is not None:
        targets = [node.target for node in module.declarations if type(node) is resolved.DeclareFn]
        names = [target.name for target in targets if type(target) is resolved.ToGlobal]
        instance.functions.update([(name, instance.cells[name][0]) for name in names])
    if instance.std:
        _let_handles_drop(instance)
    if module.main.body.body:
        instance.result = compiler.body(module.main)(frame)
    if instance.std:
        _let_handles_drop(instance)


def _let_handles_drop(instance: ModuleInstance) -> None:
    """Let exported functions of std modules that take no handle drop a leading one (builtins 0.3)."""
    for name in instance.resolved.exports:
        if name.startswith("__"):
            continue  # shared between std modules only: nobody passes them a handle, and calls stay direct
        value = instance.cells[name][0]
        if type(value) is Closure and value.code.module is instance and not takes_handle(value.code.function):
            let_handle_drop(instance.compiler, value.code)


def takes_handle(function: resolved.Function) -> bool:
    """Tell whether the first parameter of ``function`` is a handle of the harness."""
    if not function.params:
        return False
    first = function.params[0]
    if first.name in ("harness", "_harness"):
        return True
    return type(first.type) is resolved.TName and first.type.name.startswith("Harness")
