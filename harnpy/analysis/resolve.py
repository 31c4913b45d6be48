"""Turns the syntax tree of one module into its resolved tree, or says everything that is wrong with it."""

from __future__ import annotations

import gc

from harnpy.analysis import resolved as R
from harnpy.analysis.check import enum_of
from harnpy.analysis.resolve_declarations import add_main_facts, declare_module, hoist_block
from harnpy.analysis.resolve_expressions import EXPRESSIONS
from harnpy.analysis.resolve_statements import STATEMENTS
from harnpy.analysis.resolve_types import optional_type
from harnpy.analysis.scopes import FunctionScope, Variable
from harnpy.diagnostics import Diagnostic
from harnpy.errors import RejectedProgram
from harnpy.recursion import hold_frames, release_frames
from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from harnpy.source import Source, Span

RECURSION_LIMIT = 50_000
IMMUTABLE_HINT = "only `let` variables can change; declare it with `let`, or use a new name"


def resolve(tree: N.Module, source: Source, explain: frozenset[str] = frozenset()) -> R.Module:
    """Resolve ``tree``.

    ``explain`` names variables that turned out to be undefined: the module then tells in
    ``Resolver.visible`` which names were in sight (see ``visible_names``).

    Raises:
        RejectedProgram: with all findings.
    """
    return _run(Resolver(source, explain), tree)


def visible_names(tree: N.Module, source: Source, names: frozenset[str]) -> dict[Span, set[str]]:
    """Give, for each place where one of ``names`` is read, the local names in sight there."""
    resolver = Resolver(source, names)
    _run(resolver, tree)
    return resolver.visible


class Known:
    """What earlier inputs of a console declared: names (True: mutable), types, enums and their variants."""

    def __init__(self) -> None:
        self.names: dict[str, bool] = {}
        self.types: set[str] = set()
        self.enums: dict[str, tuple[str, ...]] = {}
        self.variants: dict[str, list[tuple[str, bool]]] = {}


def resolve_input(tree: N.Module, source: Source, known: Known) -> R.Module:
    """Resolve one input of a console and add what it declares to ``known``."""
    resolver = Resolver(source, frozenset())
    resolver.known = known
    resolver.enums.update(known.enums)
    module = _run(resolver, tree)
    known.names.update(dict.fromkeys(resolver.imported, False))
    known.names.update(resolver.globals)
    known.types.update(resolver.types)
    known.enums = resolver.enums
    return module


def _run(resolver: Resolver, tree: N.Module) -> R.Module:
    # Tens of thousands of nodes are made and none dies: the collector would only walk them.
    collecting = gc.isenabled()
    gc.disable()
    # The parser bounds the depth of nesting; each level takes a few Python frames and no C stack.
    hold_frames(RECURSION_LIMIT)
    try:
        return resolver.module(tree)
    finally:
        release_frames()
        if collecting:
            gc.enable()


class Resolver:
    """The state of resolving one module.

    The modules ``resolve_*`` hold the functions for the kinds of nodes; they get the resolver as
    their first argument. ``fn`` is the function being resolved.
    """

    def __init__(self, source: Source, explain: frozenset[str]) -> None:
        self.source = source
        self.explain = explain
        self.known = Known()
        self.visible: dict[Span, set[str]] = {}
        self.fn = FunctionScope(None, "module", 0)
        self.errors: list[Diagnostic] = []
        self.warnings: list[R.Notice] = []
        # Names of the module level: all of them, and those declared so far (True: mutable).
        self.globals: dict[str, bool] = {}
        self.declared: dict[str, bool] = {}
        self.imported: set[str] = set()
        # Enums of the module level with their variants, and module variables of a known enum.
        self.enums: dict[str, tuple[str, ...]] = {}
        self.global_enums: dict[str, str] = {}
        self.types: dict[str, R.Type | None] = {}
        self.public_types: set[str] = set()
        self.exports: dict[str, None] = {}
        self.type_params: list[tuple[str, ...]] = []
        self.deprecated: dict[str, str] = {}
        self.pipelines: list[R.Pipeline] = []
        # Names that are read but not defined here: (name, use) to the places.
        self.free: dict[tuple[str, str], list[Span]] = {}

    # --- findings ---

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Note that the program must be rejected."""
        self.errors.append(Diagnostic(message, code=code, source=self.source, span=span, hint=hint))

    def warn(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Note something that does not stop the program."""
        self.warnings.append(R.Notice(span, code, message, hint))

    # --- names ---

    def read(self, name: str, span: Span, use: str = "read") -> R.Expr:
        """Resolve a name that is read; ``use`` says how: ``read``, ``call`` or ``type``."""
        variable = self.fn.find(name)
        if variable is not None:
            return self.read_local(variable, span)
        if name in self.known.names:
            return R.Global(span, name)
        if name not in self.globals:
            own = None if name in self.imported else self.fn.find_pending(name)
            if own is not None:
                node = R.OwnName(span, own.slot, name)
                own.nodes.append(node)
                return node
            self.note_free(name, span, use)
        elif name not in self.declared and self.fn.parent is None:
            # `const keys = keys(d)`: before its declaration ran, the name still means the builtin.
            self.note_free(name, span, use)
            return R.Outer(span, name)
        return R.Global(span, name)

    def read_local(self, variable: Variable, span: Span) -> R.Local:
        """Make the node that reads ``variable``."""
        root = variable.root
        if not root.declared:
            root.early = True
        node = R.Local(span, variable.slot, variable.name)
        variable.nodes.append(node)
        return node

    def note_free(self, name: str, span: Span, use: str) -> None:
        """Note that ``name`` must come from an import, the predefined values or the builtins."""
        self.free.setdefault((name, use), []).append(span)
        if name in self.explain:
            self.visible[span] = self.fn.visible_names() | set(self.globals)

    def store_target(self, name: str, span: Span) -> R.Target:
        """Resolve a name that is assigned, as a whole or inside."""
        variable = self.fn.find(name)
        if variable is not None:
            if not variable.mutable:
                self._immutable(name, span)
            variable.root.assigned = True
            if variable.root is not variable:
                self._note_race(name, span)
            target = R.ToLocal(span, variable.slot, False, name)
            variable.nodes.append(target)
            return target
        self._note_race(name, span)
        in_order = self.fn.parent is None
        mutable = (self.declared if in_order else self.globals).get(name, self.globals.get(name))
        if mutable is None:
            mutable = self.known.names.get(name)
        if mutable is None and name not in self.imported:
            self.note_free(name, span, "assign")
        elif not mutable:
            self._immutable(name, span)
        return R.ToGlobal(span, name)

    def _immutable(self, name: str, span: Span) -> None:
        self.error("HARN-OWN-001", f"Cannot assign to immutable binding: {name}", span, IMMUTABLE_HINT)

    def _note_race(self, name: str, span: Span) -> None:
        if self.fn.kind == "branch":
            self.warn(
                "HARN-LNT-064",
                f"`{name}` is captured from an enclosing scope and reassigned inside a `parallel`/`spawn` body; "
                "every concurrent branch shares one cell, so the writes race and can be lost",
                span,
                "count with `atomic`, or give a value back from each branch",
            )

    def declare(self, name: str, span: Span, mutable: bool) -> R.Target:
        """Declare ``name`` at the current place and give the target that sets it."""
        if name == "_":
            return R.ToNothing(span)
        if self.fn.parent is None and len(self.fn.scopes) == 1:
            self._check_redeclared(name, span, self.declared.get(name, True), mutable)
            self.declared[name] = mutable
            return R.ToGlobal(span, name)
        self._check_local(name, span, mutable)
        return self._local_target(self.fn.declare(name, mutable), span)

    def declare_pending(self, variable: Variable, span: Span) -> R.Target:
        """Declare a variable that closures in its own value have captured."""
        self._check_local(variable.name, span, variable.mutable)
        self.fn.adopt(variable)
        return self._local_target(variable, span)

    def declare_hoisted(self, name: str, span: Span) -> R.Target:
        """Give the target of a function or type that was hoisted to the start of its block."""
        if self.fn.parent is None and len(self.fn.scopes) == 1:
            return R.ToGlobal(span, name)
        self._check_local(name, span, False)
        scope = self.fn.scopes[-1]
        variable = scope.names[name] = scope.hoisted[name]
        return self._local_target(variable, span)

    def declared_now(self, name: str) -> None:
        """Mark the hoisted ``name`` of the innermost scope as set from here on."""
        variable = self.fn.scopes[-1].hoisted.get(name)
        if variable is not None:
            variable.declared = True

    def _local_target(self, variable: Variable, span: Span) -> R.ToLocal:
        target = R.ToLocal(span, variable.slot, False, variable.name)
        variable.nodes.append(target)
        return target

    def _check_local(self, name: str, span: Span, mutable: bool) -> None:
        old = self.fn.scopes[-1].names.get(name)
        if old is not None and old.declared:
            self._check_redeclared(name, span, old.mutable, mutable)

    def _check_redeclared(self, name: str, span: Span, old_mutable: bool, mutable: bool) -> None:
        if not (old_mutable or mutable):
            self.error(
                "HARN-NAM-010",
                f"Cannot redeclare immutable variable '{name}' in the same scope",
                span,
                "use another name, or declare it with `let`",
            )

    # --- code ---

    def expr(self, node: N.Expr) -> R.Expr:
        """Resolve an expression."""
        return EXPRESSIONS[type(node)](self, node)

    def stmts(self, body: Iterable[N.Stmt], gives_value: bool) -> list[R.Stmt]:
        """Resolve statements in the current scope; ``gives_value``: the last is the function's result."""
        out: list[R.Stmt] = []
        body = tuple(body)
        for index, node in enumerate(body):
            made = STATEMENTS[type(node)](self, node, gives_value and index == len(body) - 1)
            if isinstance(made, list):
                out += made
            else:
                out.append(made)
        return out

    def block(self, node: N.Block, gives_value: bool = False) -> R.Block:
        """Resolve a block in a scope of its own."""
        fn = self.fn
        fn.push()
        hoist_block(self, node.body)
        defers = any(type(stmt) is N.Defer or is_owned(stmt) for stmt in node.body)
        tail_ok = fn.tail_ok
        if defers:
            fn.tail_ok = False
        block = R.Block(node.span, tuple(self.stmts(node.body, gives_value)), (), defers)
        fn.tail_ok = tail_ok
        cells = [variable for variable in fn.pop().hoisted.values() if variable.boxed]
        if cells:
            fn.cell_blocks.append((block, cells))
        return block

    def pending_block(self, node: N.Block) -> R.Block:
        """Resolve a block after whose end the function still has something to do (no tail calls)."""
        tail_ok = self.fn.tail_ok
        self.fn.tail_ok = False
        block = self.block(node)
        self.fn.tail_ok = tail_ok
        return block

    def function(
        self,
        name: str,
        kind: str,
        params: tuple[N.Param, ...],
        body: N.Block,
        span: Span,
        *,
        stream: bool = False,
    ) -> R.Function:
        """Resolve a function-like body in a frame of its own."""
        outer = self.fn
        fn = self.fn = FunctionScope(outer, kind, len(params))
        if stream:
            fn.produces = "stream"
        fn.push()
        resolved_params = tuple([self._param(param, slot) for slot, param in enumerate(params)])
        block = self.block(body, gives_value=kind != "fn")
        fn.pop()
        size = fn.finish()
        self.fn = outer
        function = R.Function(span, name, kind, resolved_params, (), size, block, fn.produces)
        outer.add_inner(function, fn.outer_captures)
        return function

    def _param(self, param: N.Param, slot: int) -> R.Param:
        default = None if param.default is None else self.expr(param.default)
        if param.name in self.fn.scopes[-1].names:
            hint = "give each parameter its own name"
            self.error("HARN-NAM-010", f"Duplicate parameter '{param.name}'", param.span, hint)
        if param.name != "_":
            self.fn.parameter(param.name, slot).enum = enum_of(self, param.type) if self.enums else None
        return R.Param(param.span, param.name, optional_type(self, param.type), default, param.rest)

    # --- the module ---

    def module(self, tree: N.Module) -> R.Module:
        """Resolve the whole module."""
        fn = self.fn
        fn.push().variants = self.known.variants
        imports, declarations, statements = declare_module(self, tree)
        main_body = self.stmts(statements, False)
        early = declarations()
        fn.pop()
        block = R.Block(tree.span, tuple(main_body), (), any(type(stmt) is R.Defer for stmt in main_body))
        main = R.Function(tree.span, "<module>", "module", (), (), 0, block, "")
        main.nslots = fn.finish()
        if self.errors:
            self.errors.sort(key=_position)
            raise RejectedProgram(self.errors)
        main_params, main_span = add_main_facts(tree)
        return R.Module(
            tree.span,
            tuple(imports),
            tuple(early),
            main,
            tuple(self.globals),
            tuple(self.exports),
            tuple([(name, type_, name in self.public_types) for name, type_ in self.types.items()]),
            tuple([(name, use, tuple(spans)) for (name, use), spans in self.free.items()]),
            tuple(self.pipelines),
            main_params,
            main_span,
            tuple(self.warnings),
        )


def is_owned(stmt: N.Stmt) -> bool:
    """Tell whether ``stmt`` is a binding of type ``owned<T>``, which is dropped at the end of its block."""
    return type(stmt) is N.Binding and type(stmt.type) is N.NamedType and stmt.type.name == "owned"


def _position(diagnostic: Diagnostic) -> int:
    return diagnostic.span[0] if diagnostic.span else 0
