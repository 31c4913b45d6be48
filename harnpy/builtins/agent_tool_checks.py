"""What a tool call must pass before its handler runs: policy, then arguments (agent 2.3, 2.8)."""

from __future__ import annotations

from harnpy.builtins.agent_calls import entries, entry_name
from harnpy.builtins.agent_policy import LEVELS, NO_TOOLS, effective
from harnpy.builtins.agent_tool_results import argument_fault, denied, rejected
from harnpy.builtins.tools import input_schema
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

READ_KINDS = ("read", "search", "think", "fetch")
PROCESS_KINDS = ("execute", "test", "check", "build", "lint", "verify")
_LEVEL_KEYS = ("side_effect_level", "sideEffectLevel", "side_effect", "sideEffect")
_KIND_KEYS = ("kind", "tool_kind", "toolKind")


def find_entry(tools: Any, name: str) -> Dict | None:
    """Give the entry with exactly this name."""
    for entry in entries(tools):
        if entry_name(entry) == name:
            return entry  # type: ignore[no-any-return]
    return None


def known_of(entry: Any, policy: Any, name: str) -> Dict:
    """Give what is known about a tool: from the policy, then from its entry, later words win."""
    merged: Dict = {}
    for source in (_of_policy(policy, name), *_of_entry(entry)):
        if type(source) is dict:
            merged.update(source)
    return merged


def _of_policy(policy: Any, name: str) -> Any:
    if type(policy) is not dict:
        return None
    given = policy.get("tool_annotations")
    given = policy.get("toolAnnotations") if given is None else given
    return given.get(name) if type(given) is dict else None


def _of_entry(entry: Any) -> list[Any]:
    if type(entry) is not dict:
        return []
    function = entry.get("function")
    inner = function if type(function) is dict else {}
    return [entry.get("policy"), entry.get("annotations"), inner.get("policy"), inner.get("annotations")]


def _word(known: Dict, keys: tuple[str, ...]) -> str | None:
    for key in keys:
        if type(known.get(key)) is str:
            return str(known[key]).lower()
    return None


def kind_of(known: Dict) -> str:
    """Give the kind of a tool for events."""
    return _word(known, _KIND_KEYS) or "other"


def phase_of(known: Dict) -> str:
    """Give the effect phase of a call (agent 2.11); without annotations it is a mutation."""
    kind, level = _word(known, _KIND_KEYS), _word(known, _LEVEL_KEYS)
    if known.get("terminal") is True:
        return "terminal"
    if kind in PROCESS_KINDS or level == "process_exec":
        return "process_verification"
    return "observation" if _is_read_only(known, kind, level) else "mutation"


def _is_read_only(known: Dict, kind: str | None, level: str | None) -> bool:
    hint = known.get("readOnlyHint", known.get("read_only_hint"))
    if known.get("destructiveHint") is True or (kind is not None and kind not in READ_KINDS):
        return False
    if (level is not None and level not in ("none", "read_only")) or (hint is not None and hint is not True):
        return False
    return kind is not None or level is not None or hint is True


def prepare(ctx: Context, call: Any = None, tools: Any = None, policy: Any = None) -> Dict:
    """Look at one call: ``{entry, arguments, annotations, kind, phase, refusal}``, the last a result or nil.

    Arguments are not checked yet: approval comes between (``check_arguments``).
    """
    name, policy = call["name"], effective(ctx, policy)
    entry = find_entry(tools, name)
    if type(tools) is list and entry is not None:
        # Only a registry dict has handlers; a plain list declares tools that others run.
        entry = {key: value for key, value in entry.items() if key != "handler"}
    known = known_of(entry, policy, name)
    arguments = _renamed(call["arguments"], known)
    ready: Dict = {
        "entry": entry,
        "arguments": arguments,
        "annotations": known,
        "kind": kind_of(known),
        "phase": phase_of(known),
        "refusal": None,
    }
    if type(policy) is dict:
        ready["refusal"] = _ceiling(call, tools, policy, known)
    return ready


def _renamed(arguments: Dict, known: Dict) -> Dict:
    schema = known.get("arg_schema")
    aliases = schema.get("arg_aliases") if type(schema) is dict else None
    if type(aliases) is not dict or not any(alias in arguments for alias in aliases):
        return arguments
    renamed = dict(arguments)
    for alias, name in aliases.items():
        if alias in renamed and type(name) is str and name not in renamed:
            renamed[name] = renamed.pop(alias)
    return renamed


def _ceiling(call: Dict, tools: Any, policy: Dict, known: Dict) -> Dict | None:
    name, allowed = call["name"], policy.get("tools")
    if type(allowed) is list and allowed and name not in allowed:
        return _unknown(call, offered(tools, policy))
    level = _word(known, _LEVEL_KEYS)
    ceiling = policy.get("side_effect_level")
    if type(ceiling) is str and level in LEVELS and ceiling in LEVELS and LEVELS.index(level) > LEVELS.index(ceiling):
        reason = f"tool '{name}' requires side-effect level '{level}' but the active ceiling is '{ceiling}'"
        return denied(call, "side_effect_ceiling", reason, False, offered(tools, policy))
    granted, needed = policy.get("capabilities"), known.get("capabilities")
    if type(granted) is dict and granted and type(needed) is dict:
        lacking = _lacking(granted, needed)
        if lacking is not None:
            reason = f"tool '{name}' requires {lacking}"
            return denied(call, "capability_ceiling", reason, False, offered(tools, policy), capability=lacking)
    return None


def _lacking(granted: Dict, needed: Dict) -> str | None:
    for capability in sorted(needed):
        operations = needed[capability]
        for operation in operations if type(operations) is list else [operations]:
            if operation not in (granted.get(capability) or []):
                return f"{capability}.{operation}"
    return None


def offered(tools: Any = None, policy: Any = None) -> list[str]:
    """Give the tools that can be called: those of the ceiling that the run really has, else all that it has."""
    registered = [entry_name(entry) for entry in entries(tools)]
    allowed = policy.get("tools") if type(policy) is dict else None
    if type(allowed) is list and allowed:
        return [name for name in allowed if name in registered and name != NO_TOOLS]
    return [name for name in registered if type(name) is str]


def _unknown(call: Dict, names: list[str]) -> Dict:
    """Refuse a name outside the ceiling."""
    name = call["name"]
    reason = f"tool '{name}' is not in the active allowed-tool list"
    next_step = (
        f"`{name}` is not one of the available tools, so re-sending this call will fail the same way. This is a "
        "tool-name mistake to correct yourself, not something to ask the user about: pick the available tool that "
        "does what you intended and call it directly as `name({ ... })`."
    )
    return denied(call, "tool_ceiling", reason, False, names, error="unknown_tool", next_step=next_step)


def check_arguments(call: Any = None, entry: Any = None, arguments: Any = None) -> Dict | None:
    """Give a result that refuses the call when its arguments do not fit, or when nothing can run it."""
    name = call["name"]
    if call.get("parse_error") is not None:
        return argument_fault(call, call["parse_error"], [])
    if type(entry) is not dict or entry.get("handler") is None:
        return rejected(
            call,
            f"Tool '{name}' is not available in the current environment. "
            "Use only the tools listed in the tool-calling contract.",
        )
    schema = input_schema(_parameters(entry))
    missing = [each for each in schema.get("required") or [] if arguments.get(each) is None]
    properties = schema.get("properties")
    properties = properties if type(properties) is dict else {}
    # What middleware takes out of the arguments before the tool runs is checked there (agent 2.12).
    taken_out = entry.get("_stripped_parameters")
    missing = [
        each
        for each in missing
        if not _has_default(properties.get(each)) and not (type(taken_out) is list and each in taken_out)
    ]
    if missing:
        reason = (
            f"Tool '{name}' is missing required parameter(s): {', '.join(missing)}. "
            "Provide all required parameters and try again."
        )
        return argument_fault(call, reason, missing)
    reason_of_type = _wrong_type(name, arguments, properties)
    if reason_of_type is None and schema.get("additionalProperties") is False:
        reason_of_type = _extra(name, arguments, properties)
    return None if reason_of_type is None else argument_fault(call, reason_of_type, [])


def _parameters(entry: Dict) -> Any:
    function = entry.get("function")
    if entry.get("parameters") is None and type(function) is dict:
        return function.get("parameters")
    return entry.get("parameters")


def _has_default(spec: Any) -> bool:
    return type(spec) is dict and "default" in spec


def _wrong_type(name: str, arguments: Dict, properties: Dict) -> str | None:
    for key in sorted(arguments):
        spec, value = properties.get(key), arguments[key]
        wanted = spec.get("type") if type(spec) is dict else None
        kinds = wanted if type(wanted) is list else [wanted]
        if wanted is not None and value is not None and not any(_fits(value, kind) for kind in kinds):
            return f"Tool '{name}' parameter '{key}' must be {'|'.join(map(str, kinds))}, got {type_of(value)}."
    return None


def _fits(value: Any, kind: Any) -> bool:
    """Tell whether a value has a type of JSON Schema; a type that is not known fits everything."""
    python = type(value)
    if kind == "integer":
        return python is int or (python is float and value.is_integer())
    if kind == "number":
        return python in (int, float)
    expected = {"string": str, "boolean": bool, "array": list, "object": dict, "null": type(None)}.get(kind)
    return expected is None or python is expected


def _extra(name: str, arguments: Dict, properties: Dict) -> str | None:
    extra = [key for key in sorted(arguments) if key not in properties]
    return f"Tool '{name}' does not take parameter(s): {', '.join(extra)}." if extra else None


def same_denials(earlier: Any = None, results: Any = None) -> Any:
    """Give what identifies a turn of nothing but final denials, or nil; ``earlier`` is the one before."""
    found = []
    for result in results:
        denial = result.get("denial")
        if type(denial) is not dict or denial.get("retryable") is not False:
            return None
        found.append([result["tool_name"], result["arguments"], denial.get("gate"), denial.get("reason")])
    return {"denials": found, "repeated": bool(found) and type(earlier) is dict and earlier.get("denials") == found}


def unrunnable(tools: Any = None) -> Any:
    """Give the name of a tool of the registry that nothing can run, or nil (agent 1.3)."""
    for entry in entries(tools):
        if type(entry) is dict and entry.get("handler") is None:
            executor = entry.get("executor")
            if type(executor) is not str or executor == "harn":
                return entry_name(entry)
    return None


def matches(patterns: Any = None, name: Any = "") -> Any:
    """Give the first of some glob patterns that fits ``name``, or nil."""
    from fnmatch import fnmatchcase

    for pattern in patterns if type(patterns) is list else []:
        if type(pattern) is str and fnmatchcase(name, pattern.replace("[", "[[]")):
            return pattern
    return None


def path_arguments(arguments: Any = None, known: Any = None) -> list[str]:
    """Give the paths that a call declares to touch (``annotations.arg_schema.path_params``)."""
    schema = known.get("arg_schema") if type(known) is dict else None
    names = schema.get("path_params") if type(schema) is dict else None
    listed = names if type(names) is list else []
    return [arguments[name] for name in listed if type(arguments.get(name)) is str]
