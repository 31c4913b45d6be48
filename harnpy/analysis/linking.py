"""Connects the modules of a program: what each import brings, and whether every name means something."""

from __future__ import annotations

from harnpy.analysis.type_names import ANNOTATION, unknown_types
from harnpy.diagnostics import Diagnostic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from harnpy.analysis import resolved as R
    from harnpy.analysis.modules import Graph, LoadedModule
    from harnpy.source import Span

    class Builtins(Protocol):
        """What linking must know about the builtins; ``builtins.registry`` has it."""

        def is_function(self, name: str) -> bool:
            """Tell whether ``name`` is a global builtin."""

        def function_names(self) -> list[str]:
            """Give the names of the global builtins."""


PREDEFINED = frozenset(("harness", "argv", "pi", "e", "Result", "event_log", "stream"))


def link(graph: Graph, builtins: Builtins) -> list[Diagnostic]:
    """Fill in the scopes and exports of all modules; give what is wrong, nothing if all is well."""
    findings: list[Diagnostic] = []
    if _check_cycles(graph, findings):
        return findings
    for module in graph.modules:
        _export(module, findings)
    for module in graph.modules:
        _import_all(module, findings)
    for module in graph.modules:
        if not module.std:  # the library's own names are checked by harnpy's tests, not at every start
            _check_free(module, builtins, findings)
            module.notices = (*module.module.warnings, *unknown_types(module))
    return findings


def warnings_of(graph: Graph) -> list[Diagnostic]:
    """Give the warnings of the user's own modules."""
    return [
        Diagnostic(
            warning.message,
            code=warning.code,
            source=module.source,
            span=warning.span,
            hint=warning.hint,
            severity="warning",
        )
        for module in graph.modules
        if not module.std
        for warning in module.notices
    ]


def _finding(module: LoadedModule, span: Span, code: str, message: str, hint: str | None = None) -> Diagnostic:
    return Diagnostic(message, code=code, source=module.source, span=span, hint=hint)


# --- cycles ---


def _check_cycles(graph: Graph, findings: list[Diagnostic]) -> bool:
    """Refuse every ``pub import`` that is part of a cycle; tell whether there was one."""
    position = {module.path: index for index, module in enumerate(graph.modules)}
    back = any(position[target.path] >= position[module.path] for module in graph.modules for target in module.imports)
    if not back:
        return False
    for module in graph.modules:
        for node, target in zip(module.module.imports, module.imports, strict=True):
            if node.public and _reaches(target, module):
                message = f"Import error: `pub import` of '{node.path}' is part of an import cycle"
                hint = "import it without `pub`, or move what both modules need into a third one"
                findings.append(_finding(module, node.span, "HARN-IMP-003", message, hint))
    return bool(findings)


def _reaches(start: LoadedModule, goal: LoadedModule) -> bool:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module is goal:
            return True
        if module.path not in seen:
            seen.add(module.path)
            waiting += module.imports
    return False


# --- exports ---


def _export(module: LoadedModule, findings: list[Diagnostic]) -> dict[str, LoadedModule]:
    """Find out what ``module`` offers to importers; modules that it re-exports come first."""
    if module.exports is not None:
        return module.exports
    tree = module.module
    exports = module.exports = dict.fromkeys(tree.exports, module)
    module.type_exports = {name: module for name, _, public in tree.types if public}
    for node, target in zip(tree.imports, module.imports, strict=True):
        if not node.public:
            continue
        _export(target, findings)
        if node.alias is not None:
            exports[node.alias] = module
            continue
        names = _imported_names(node, target)
        for name in names:
            origin = target.exports.get(name)  # type: ignore[union-attr]
            if origin is not None and exports.setdefault(name, origin) is not origin:
                message = f"Re-export collision: '{name}' is exported by two `pub import`s or declared here"
                findings.append(_finding(module, node.span, "HARN-MOD-006", message, "re-export selected names only"))
            type_origin = target.type_exports.get(name)
            if type_origin is not None:
                module.type_exports.setdefault(name, type_origin)
    return exports


def _imported_names(node: R.Import, target: LoadedModule) -> list[str]:
    if node.names is not None:
        return [name for name, _ in node.names]
    return [*(target.exports or ()), *[name for name in target.type_exports if name not in (target.exports or ())]]


# --- imports ---


def _import_all(module: LoadedModule, findings: list[Diagnostic]) -> None:
    """Enter the imported names into the scope of ``module``."""
    local = frozenset(module.module.globals)
    module.pipelines = {pipeline.name: module for pipeline in module.module.pipelines}
    for node, target in zip(module.module.imports, module.imports, strict=True):
        if node.alias is not None:
            if node.alias in local or node.alias in module.scope or node.alias in module.namespaces:
                findings.append(_collision(module, node, node.alias))
            module.namespaces[node.alias] = target
            continue
        if node.names is None:
            for name in _imported_names(node, target):
                _enter(module, node, target, name, local, findings)
        else:
            for name, span in node.names:
                _select(module, node, target, name, span, local, findings)
        _import_pipelines(module, node, target)


def _import_pipelines(module: LoadedModule, node: R.Import, target: LoadedModule) -> None:
    wanted = None if node.names is None else {name for name, _ in node.names}
    for pipeline in target.module.pipelines:
        if pipeline.public and (wanted is None or pipeline.name in wanted):
            module.pipelines.setdefault(pipeline.name, target)


def _select(
    module: LoadedModule,
    node: R.Import,
    target: LoadedModule,
    name: str,
    span: Span,
    local: frozenset[str],
    findings: list[Diagnostic],
) -> None:
    exports = target.exports or {}
    if name in exports or name in target.type_exports:
        _enter(module, node, target, name, local, findings)
        return
    pipelines = {pipeline.name: pipeline.public for pipeline in target.module.pipelines}
    if pipelines.get(name):
        return
    message = f"Import error: '{name}' is not exported by {node.path}"
    hint = None
    if name in target.module.globals or name in target.types or name in pipelines:
        message += " — it is defined there but not `pub`; mark it `pub` to export it"
    else:
        from harnpy.analysis.suggestions import closest

        near = closest(name, [*exports, *target.type_exports])
        hint = None if near is None else f"did you mean `{near}`?"
    findings.append(_finding(module, span, "HARN-IMP-002", message, hint))


def _enter(
    module: LoadedModule,
    node: R.Import,
    target: LoadedModule,
    name: str,
    local: frozenset[str],
    findings: list[Diagnostic],
) -> None:
    origin = (target.exports or {}).get(name)
    if origin is not None:
        taken = module.scope.setdefault(name, origin) is not origin or name in module.namespaces
        if taken or (name in local and origin is not module):
            findings.append(_collision(module, node, name))
    type_origin = target.type_exports.get(name)
    if type_origin is not None:
        known = module.type_scope.setdefault(name, type_origin)
        if known is not type_origin or (name in module.types and type_origin is not module):
            findings.append(_collision(module, node, name))


def _collision(module: LoadedModule, node: R.Import, name: str) -> Diagnostic:
    message = (
        f"Import collision: '{name}' is already defined when importing {node.path}. "
        f'Use selective imports to disambiguate: import {{ {name} }} from "..."'
    )
    return _finding(module, node.span, "HARN-MOD-005", message)


# --- names ---


def _check_free(module: LoadedModule, builtins: Builtins, findings: list[Diagnostic]) -> None:
    """Check the names that the module uses without defining them."""
    scope, namespaces = module.scope, module.namespaces
    unknown: list[tuple[str, str, tuple[Span, ...]]] = []
    for name, use, spans in module.module.free:
        known = name in scope or name in namespaces or name in PREDEFINED or builtins.is_function(name)
        if use == "assign" and known:
            message = f"Cannot assign to immutable binding: {name}"
            hint = "only `let` variables of this module can change"
            findings += [_finding(module, span, "HARN-OWN-001", message, hint) for span in spans]
        elif not known and use != ANNOTATION and not (use == "type" and name in module.type_scope):
            unknown.append((name, use, spans))
    if unknown:
        findings += _undefined(module, builtins, unknown)


def _undefined(
    module: LoadedModule, builtins: Builtins, unknown: list[tuple[str, str, tuple[Span, ...]]]
) -> Iterable[Diagnostic]:
    from harnpy.analysis.suggestions import hint_text
    from harnpy.syntax.foreign import name_hint

    visible = _visible_names(module, frozenset([name for name, _, _ in unknown]))
    known = {*module.scope, *module.namespaces, *module.module.globals, *PREDEFINED, *builtins.function_names()}
    findings, text = [], module.source.text
    for name, use, spans in unknown:
        is_type = name in module.types or name in module.type_scope
        for span in spans:
            before, following = text[max(0, span[0] - 1) : span[0]], text[span[1] : span[1] + 1]
            hint = name_hint(name, called=use == "call", before=before, following=following)
            hint = "a type is no value" if is_type and use != "call" else hint
            near = "" if hint else hint_text(name, known | visible.get(span, set()))
            if use == "call":
                message = f"Undefined builtin: {name}{near}: call target `{name}` is not defined or imported"
            else:
                message = f"Undefined variable: {name}{near}"
                hint = hint or ("a new variable is declared with `let`, or with `const`" if use == "assign" else None)
            findings.append(_finding(module, span, "HARN-NAM-002" if use == "call" else "HARN-NAM-001", message, hint))
    findings.sort(key=lambda finding: finding.span or (0, 0))
    return findings


def _visible_names(module: LoadedModule, names: frozenset[str]) -> dict[Any, set[str]]:
    """Give the local names in sight where ``names`` are used (the tree keeps none: look again)."""
    from harnpy.analysis.resolve import visible_names
    from harnpy.syntax.parser import parse

    return visible_names(parse(module.source), module.source, names)
