"""What ``harnpy check`` says of programs that run all the same: slips that nobody means."""

from __future__ import annotations

from harnpy.analysis import resolved as R
from harnpy.builtins.method_table import METHODS
from harnpy.cli.lint_arguments import most
from harnpy.cli.lint_values import KINDS, Known, Scope, of_type, of_value
from harnpy.diagnostics import Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnpy.analysis.modules import Graph, LoadedModule

    Visit = tuple[R.Node, bool, Scope]

# Methods with a callback may be called for what the callback does.
_FOR_EFFECT = frozenset("all any each every filter find flat_map iter map map_keys map_values rekey rekeyed".split())
_ONLY_ORDER = frozenset(("sort_by", "sorted_by"))
# Their blocks give the value of the whole.
_GIVING: tuple[type, ...] = (R.If, R.Match, R.MatchArm, R.Try, R.BlockExpr, R.Deadline, R.Retry, R.Mutex)


def lints(graph: Graph) -> list[Diagnostic]:
    """Give the lints of the user's own modules."""
    found: list[Diagnostic] = []
    for module in graph.modules:
        if not module.std:
            linter = _Linter(module)
            linter.run()
            found += sorted(linter.found, key=lambda finding: finding.span or (0, 0))
    return found


class _Linter:
    """Walks one module in the order of its text; a visit is a node, whether its value is used, and its scope."""

    def __init__(self, module: LoadedModule) -> None:
        self.module = module
        self.found: list[Diagnostic] = []

    def run(self) -> None:
        """Walk the whole module."""
        tree = self.module.module
        scope = Scope({})
        for declared in tree.declarations:
            if isinstance(declared, R.DeclareFn):
                scope.set(declared.target, Known("closure", function=declared.function))
        start = [*tree.declarations, *tree.main.body.body, *[each.function for each in tree.pipelines]]
        # A stack of our own: programs may nest deeper than Python calls.
        waiting: list[Visit] = [(node, False, scope) for node in reversed(start)]
        while waiting:
            waiting += reversed(list(self._visit(*waiting.pop())))

    def _visit(self, node: R.Node, used: bool, scope: Scope) -> Iterator[Visit]:
        """Look at one node and give what is to be visited next."""
        if isinstance(node, _Bind):
            scope.set(node.target, of_type(node.type, self.module.types) or of_value(node.value, scope))
        elif isinstance(node, R.Function):
            yield node.body, node.kind not in ("fn", "module"), scope.inner(node, self.module.types)
        elif isinstance(node, R.Block):
            last = len(node.body) - 1
            yield from [(stmt, used and at == last, scope) for at, stmt in enumerate(node.body)]
        elif isinstance(node, R.ExprStmt):
            if not used and isinstance(node.value, R.MethodCall):
                self._check_discarded(node.value, scope)
            yield node.value, used, scope
        else:
            self._check(node, scope)
            gives = used if isinstance(node, _GIVING) else not isinstance(node, R.For | R.While | R.Guard)
            for child in _children(node):
                yield child, gives if isinstance(child, R.Block | R.If | R.MatchArm) else True, scope
            if isinstance(node, R.Declare):
                yield _Bind(node.span, node.target, node.type, node.value), True, scope
            elif isinstance(node, R.Store):
                yield _Bind(node.span, node.target, None, node.value), True, scope

    def _check(self, node: R.Node, scope: Scope) -> None:
        if isinstance(node, R.DeclareFn):
            scope.set(node.target, Known("closure", function=node.function))
        elif isinstance(node, R.Call):
            self._check_arguments(node, of_value(node.callee, scope))
        elif isinstance(node, R.MethodCall):
            self._check_arguments(node, None)
            self._check_hidden(node, scope)

    def _note(self, node: R.Node, code: str, severity: str, message: str, hint: str) -> None:
        finding = Diagnostic(
            message, code=code, source=self.module.source, span=node.span, hint=hint, severity=severity
        )
        self.found.append(finding)

    def _check_arguments(self, call: R.Call | R.MethodCall, callee: Known | None) -> None:
        """Language 7.2, builtins 0.2: arguments beyond the parameters are ignored."""
        if not call.args or any(isinstance(arg, R.Spread) for arg in call.args):
            return
        known = most(call, self.module, callee)
        if known is None or len(call.args) <= known[1]:
            return
        name, limit = known
        takes = {0: "no arguments", 1: "1 argument"}.get(limit, f"{limit} arguments")
        message = f"`{name}` takes {takes}, got {len(call.args)}: those behind are dropped"
        prints = name.rpartition(".")[2] in ("println", "print", "eprintln", "eprint", "log")
        hint = 'put them into one text: `"${a} ${b}"`' if prints else f"see `harnpy doc {name}`"
        self._note(call, "HARN-LNT-101", "warning", message, hint if prints or "." in name else "leave them out")

    def _check_hidden(self, call: R.MethodCall, scope: Scope) -> None:
        """Language 7.4: methods of dicts win over keys."""
        receiver = of_value(call.receiver, scope)
        own = None if receiver is None or receiver.kind != "dict" else receiver.entries.get(call.name)
        if own is not None and own.function is not None and call.name in METHODS["dict"]:
            message = f"`{call.name}` is a method of every dict, which wins over the key `{call.name}`"
            hint = f'name the key otherwise, or call what it holds: `value["{call.name}"](...)`'
            self._note(call, "HARN-LNT-102", "warning", message, hint)

    def _check_discarded(self, call: R.MethodCall, scope: Scope) -> None:
        """No method of a list, dict, set or string changes it (builtins 0.2)."""
        receiver = of_value(call.receiver, scope)
        if receiver is None or receiver.kind not in KINDS or call.name not in METHODS[receiver.kind]:
            return
        if call.name in receiver.entries:  # its own key is meant, see `_check_hidden`
            return
        with_callback = any(isinstance(arg, R.MakeClosure) for arg in call.args) and call.name not in _ONLY_ORDER
        if with_callback or call.name in _FOR_EFFECT:
            return
        shown = call.receiver.name if isinstance(call.receiver, R.Local | R.LocalCell | R.Global) else None
        message = f"The result of `{call.name}` is not used, and it changes no {receiver.kind}"
        hint = f"write `{shown} = {shown}.{call.name}(...)`, with `let {shown}`" if shown else "use what it gives"
        self._note(call, "HARN-LNT-066", "error", message, hint)


class _Bind(R.Node):
    """What a declaration or an assignment does behind its value: it stands only on the stack of the walk."""

    target: R.Target
    type: R.Type | None
    value: R.Expr


def _children(node: R.Node) -> Iterator[R.Node]:
    """Give the nodes directly below ``node``, in order; types and targets hold nothing to look at."""
    parts = [getattr(node, name) for name in node.FIELDS[1:]]
    while parts:
        part = parts.pop(0)
        if isinstance(part, tuple):
            parts = [*part, *parts]
        elif isinstance(part, R.Node) and not isinstance(part, R.Type | R.Target):
            yield part
