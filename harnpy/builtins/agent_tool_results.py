"""The result of a tool call: exactly one for every call, whatever happened (agent 2.7, 2.9)."""

from __future__ import annotations

from harnpy.builtins.json_reading import parse
from harnpy.builtins.json_writing import compact_json, pretty_json
from harnpy.builtins.results import error_category
from harnpy.errors import HarnError
from harnpy.runtime.display import display
from harnpy.runtime.values import Builtin, Closure, Handle, Value, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

# What a model gets to see of one result; more is cut.
MAX_CHARACTERS = 100_000
NO_OUTPUT = "(no output)"
_FAILED_WORDS = ("error", "failed", "failure")


def cut(text: str) -> str:
    """Give a text that is not longer than a result may be."""
    if len(text) <= MAX_CHARACTERS:
        return text
    return f"{text[:MAX_CHARACTERS]}\n[... {len(text) - MAX_CHARACTERS} characters cut]"


def _result(call: Dict, ok: bool, status: str, rendered: str, *, error_block: bool = False, **fields: Any) -> Dict:
    name = call["name"]
    if error_block:
        observation = f"[error from {name}]\n{rendered}\n[end of {name} error]\n"
    else:
        observation = f"[result of {name}]\n{rendered}\n[end of {name} result]\n"
    return {
        "ok": ok,
        "status": status,
        "tool_name": name,
        "tool_call_id": call["id"],
        "arguments": call["arguments"],
        "result": None,
        "rendered_result": rendered,
        "observation": observation,
        "error": None,
        "error_category": None,
        "denial": None,
        "executor": None,
        "execution_duration_ms": 0,
        "mutation_status": "not_applied",
        "approval": None,
        **fields,
    }


def returned(call: Any = None, value: Any = None, duration_ms: Any = 0, phase: Any = "mutation") -> Dict:
    """Make the result of a handler that returned ``value``; the value itself may say that it failed."""
    ran = {"executor": "harn", "execution_duration_ms": duration_ms, "mutation_status": _mutation(phase)}
    try:
        rendered = cut(_rendered(value))
    except HarnError as error:
        return {**failed(call, error.value, duration_ms), "error_category": "tool_error"}
    if _cannot_be_sent(value):
        text = f"tool '{call['name']}' returned a {type_of(value)}, which cannot be sent to the model"
        return {**failed(call, text, duration_ms), "error_category": "tool_error"}
    category = _declared_failure(value)
    if category is None:
        return _result(call, True, "ok", rendered, result=value, **ran)
    text = _failure_text(value)
    ran["mutation_status"] = "unknown" if category == "tool_error" else "not_applied"
    return _result(call, False, "error", rendered, result=value, error=text, error_category=category, **ran)


def _mutation(phase: str) -> str:
    return "not_applied" if phase == "observation" else "applied"


def _cannot_be_sent(value: Any) -> bool:
    return type(value) in (Closure, Builtin, Handle) or (isinstance(value, Value) and compact_json(value) == "null")


def _rendered(value: Any) -> str:
    if type(value) is str:
        return value
    return NO_OUTPUT if value is None else compact_json(value)


def _declared_failure(value: Any) -> str | None:
    """Give the category of a failure that a value declares, ``None`` for any other value."""
    if type(value) is str:
        if not value.lstrip().startswith("{"):
            return None
        try:
            value = parse(value)
        except HarnError:
            return None
    if type(value) is not dict:
        return None
    status = value.get("status")
    if value.get("error") == "permission_denied" or value.get("blocked") is True or status == "blocked":
        return "tool_rejected"
    if value.get("ok") is False or value.get("success") is False or value.get("isError") is True:
        return "tool_error"
    if type(status) is str and status in _FAILED_WORDS:
        return "tool_error"
    error = value.get("error")
    fine = value.get("ok") is True or value.get("success") is True or status == "ok"
    return "tool_error" if type(error) is str and error and not fine else None


def _failure_text(value: Any) -> str:
    if type(value) is dict:
        for key in ("error", "message", "reason"):
            if type(value.get(key)) is str and value[key]:
                return str(value[key])
    return cut(_rendered(value))


def error_text(error: Any) -> str:
    """Give a thrown value as a short text."""
    if type(error) is str:
        return error
    if type(error) is dict:
        message = error.get("message")
        return message if type(message) is str and message else compact_json(error)
    return display(error)


def failed(call: Any = None, error: Any = None, duration_ms: Any = 0) -> Dict:
    """Make the result of a handler that threw."""
    text = cut(error_text(error))
    return _result(
        call, False, "error", text, error_block=True, error=text, error_category=error_category(error),
        executor="harn", execution_duration_ms=duration_ms, mutation_status="unknown",
    )  # fmt: skip


def rejected(call: Dict, reason: str) -> Dict:
    """Make the result of a call that nothing here can run."""
    return _result(call, False, "error", reason, error_block=True, error=reason, error_category="tool_rejected")


def denied(
    call: Any = None,
    gate: Any = "unknown",
    reason: Any = "",
    retryable: Any = False,
    offered: Any = None,
    *,
    error: str = "permission_denied",
    next_step: str | None = None,
    capability: str | None = None,
) -> Dict:
    """Make the result of a call that is not permitted."""
    name = call["name"]
    denial: Dict = {"gate": gate, "retryable": retryable, "reason": reason}
    if capability is not None:
        denial["capability"] = capability
    step = next_step or (
        f"The `{name}` tool is not permitted right now. Do not retry the same call. Make progress with the tools you "
        "are allowed to use, or if this capability is essential, briefly tell the user what you need permission for "
        "and why."
    )
    step += available([other for other in offered or [] if other != name])
    body: Dict = {"error": error, "tool": name, "reason": reason, "next_step": step}
    if error == "unknown_tool":
        body["denial"] = denial
    rendered = pretty_json(body)
    fields: Dict = {"result": body, "error": reason, "error_category": "permission_denied", "denial": denial}
    return _result(call, False, "error", rendered, **fields)


def available(names: list[str]) -> str:
    """Give the clause that lists what can be called instead; nothing for no tool."""
    return f" Available tools: {', '.join(names)}." if names else ""


def argument_fault(call: Dict, reason: str, missing: list[str]) -> Dict:
    """Make the result of a call whose arguments do not fit; the model can mend that."""
    name = call["name"]
    how = (
        f"with the missing required parameter(s): {', '.join(missing)}."
        if missing
        else "with corrected arguments per the reason above."
    )
    step = f"This is a fixable argument error, not a permission denial. Re-call `{name}` {how}"
    body = {"error": "invalid_arguments", "tool": name, "reason": reason, "next_step": step}
    fields: Dict = {"result": body, "error": reason, "error_category": "schema_validation"}
    return _result(call, False, "error", pretty_json(body), **fields)


def deferred(call: Any = None, phase: Any = "") -> Dict:
    """Make the result of a call that has to wait for a later turn, because calls of another phase ran in this one."""
    name = call["name"]
    text = (
        f"`{name}` was not executed: this turn ran only the {phase} calls of the reply. "
        "Call it again in a later turn if it is still needed."
    )
    return {**_result(call, False, "deferred", text, error=text), "error_category": "tool_batch_deferred"}


def from_middleware(call: Any = None, given: Any = None) -> Dict:
    """Complete the result that a tool caller gave."""
    rendered = given.get("rendered_result")
    rendered = cut(rendered if type(rendered) is str else _rendered(given.get("result")))
    good = given.get("ok")
    if good is None:
        good = given.get("success") is True or given.get("status") == "ok"
    base = _result(call, bool(good), "ok" if good else "error", rendered, error_block=not good)
    merged = {**base, **{key: value for key, value in given.items() if value is not None}}
    observation = given.get("observation")
    # The call keeps its own name and id, or its result would answer another one.
    own = {"tool_name": call["name"], "tool_call_id": call["id"], "ok": bool(good), "arguments": call["arguments"]}
    return {**merged, **own, "observation": observation if type(observation) is str else base["observation"]}
