"""Mock entries: their closed set of fields, what is wrong with one, and fixture documents (llm 10.2, 10.5, 10.6)."""

from __future__ import annotations

from harnpy.edit_distance import edit_distance
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.errors import (
    CATEGORIES,
    CATEGORY_OF_REASON,
    REASONS,
    TRANSIENT,
    category_of_status,
    kind_of_reason,
    reason_of_category,
)
from harnpy.llm.glob import fits
from harnpy.llm.json_values import read_json
from harnpy.llm.kinds import kind_of
from harnpy.llm.options import is_number
from harnpy.llm.usage import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

FIELDS = frozenset(
    """
    text match consume_match tool_calls raw_tool_calls stream_chunks thinking thinking_summary stop_reason blocks
    logprobs model provider usage input_tokens output_tokens cache_read_tokens cache_write_tokens
    cache_creation_input_tokens simulated_cost_usd error delay_ms
    """.split()
)
# The ids of recorded calls: this and their number.
RECORDED = "record-"
V1_FIELDS = frozenset(("id", "scope", "consume", "request", "received"))
# What no hand-written entry says, and a replay gives back all the same.
MORE_OF_ERRORS = ("origin", "source", "phase", "deadline", "partial", "provider_quota")
MORE_OF_REPLIES = ("response_id", "thinking_blocks", "thinking_summary")
SCOPES = (
    "default", "shared", "agent.main", "agent.input_guardrail", "agent.approval_review", "agent.missing_tool_call",
    "agent.scope_classifier", "compaction", "completion.judge", "step.judge",
)  # fmt: skip


class Entry:
    """One queued answer; ``fields`` are as given, ``sticky`` ones stay after use, and ``used`` ones were taken.

    ``asked`` is what the call of a recording was asked; its ``glob`` is then the prompt itself. ``received`` holds what
    came back and has no field of its own.
    """

    __slots__ = ("asked", "fields", "glob", "id", "received", "scope", "sticky", "used")

    def __init__(self, fields: Dict, entry_id: str | None, scope: str, sticky: bool) -> None:
        self.fields = fields
        self.glob: str | None = fields.get("match")
        self.id = entry_id
        self.scope = scope
        self.sticky = sticky
        self.used = False
        self.asked: Dict | None = None
        self.received: Dict = {}

    def fits(self, text: str) -> bool:
        """Tell whether a call with this text gets this answer."""
        if self.glob is None:
            return True
        if self.asked is None:
            return fits(self.glob, text)
        from harnpy.llm.tape import recorded_text

        return recorded_text(text) == self.glob


def entry_of(fields: Any) -> Entry:
    """Make an entry from the dict that a script enqueues.

    Raises:
        HarnError: a thrown string that names the fault.
    """
    if type(fields) is not dict:
        raise thrown_text("llm_mock: expected a dict argument")
    try:
        _check(fields, v1=False)
    except ValueError as fault:
        raise thrown_text(f"llm_mock: {fault}") from None
    return _unscoped(fields)


def _unscoped(fields: Dict) -> Entry:
    sticky = fields.get("match") is not None and not fields.get("consume_match")
    return Entry(fields, None, "default", sticky)


def _check(fields: Dict, v1: bool) -> None:
    for name in sorted(fields):
        if name in FIELDS or (v1 and name in V1_FIELDS):
            continue
        if name in V1_FIELDS:
            raise ValueError(
                f"unknown fixture entry field `{name}`; it is a v1 field and this document has no "
                "`schemaVersion` header, so it would be dropped"
            )
        near = (known for known in FIELDS if abs(len(known) - len(name)) <= 2)
        distance, closest = min(((edit_distance(name, known), known) for known in near), default=(3, ""))
        hint = f"; did you mean `{closest}`?" if distance <= 2 else ""
        raise ValueError(f"unknown fixture entry field `{name}`{hint}")
    _check_values(fields)
    for call in fields.get("tool_calls") or []:
        if type(call) is not dict or type(call.get("name")) is not str:
            raise ValueError("`tool_calls` entries need a `name`")
        if v1 and "arguments" not in call:
            raise ValueError("`tool_calls` entries of a v1 document need `arguments`")
    if fields.get("error") is not None:
        check_error(fields["error"])
    _check_usage(fields)


def _check_values(fields: Dict) -> None:
    for name in ("text", "match", "thinking", "thinking_summary", "stop_reason", "model", "provider"):
        if fields.get(name) is not None and type(fields[name]) is not str:
            raise ValueError(f"`{name}` must be a string, got {kind_of(fields[name])}")
    for name in ("tool_calls", "raw_tool_calls", "stream_chunks", "blocks"):
        if fields.get(name) is not None and type(fields[name]) is not list:
            raise ValueError(f"`{name}` must be a list, got {kind_of(fields[name])}")
    if any(type(chunk) is not str for chunk in fields.get("stream_chunks") or []):
        raise ValueError("`stream_chunks` must be a list of strings")
    cost = fields.get("simulated_cost_usd")
    if cost is not None and not (is_number(cost) and cost >= 0):
        raise ValueError("`simulated_cost_usd` must be a finite, non-negative number")
    delay = fields.get("delay_ms")
    if delay is not None and (type(delay) is not int or delay < 0):
        raise ValueError("`delay_ms` must be a non-negative int")


def _check_usage(fields: Dict) -> None:
    usage = fields.get("usage")
    if usage is None:
        return
    if type(usage) is not dict:
        raise ValueError(f"`usage` must be a dict, got {kind_of(usage)}")
    total = usage.get("total_tokens")
    incoming = usage.get("input_tokens", usage.get("prompt_tokens"))
    outgoing = usage.get("output_tokens", usage.get("completion_tokens"))
    if total is None or incoming is None or outgoing is None:
        return
    summed = count(incoming) + count(outgoing)
    if count(total) != summed:
        raise ValueError(f"usage.total_tokens is {count(total)}, but input and output tokens sum to {summed}")


def check_error(error: Any) -> None:
    """Refuse a wrong ``error`` of an entry."""
    if type(error) is not dict:
        raise ValueError(f"`error` must be a dict, got {kind_of(error)}")
    for key in ("category", "kind", "message", "reason"):
        if error.get(key) is not None and type(error[key]) is not str:
            raise ValueError(f"error.{key} must be a string, got {kind_of(error[key])}")
    given = {key: error.get(key) for key in ("category", "status", "kind", "reason")}
    if all(value is None for value in given.values()):
        raise ValueError("error.category is required unless error.status, error.kind, or error.reason is set")
    if given["category"] is not None and given["category"] not in CATEGORIES:
        raise ValueError(f"unknown error category `{given['category']}`")
    if given["kind"] not in (None, "transient", "terminal"):
        raise ValueError(f"unknown error kind `{given['kind']}`")
    status = given["status"]
    if status is not None and not (type(status) is int and 100 <= status <= 599):
        raise ValueError("error.status must be an HTTP status code")


def _category(error: Dict) -> str:
    if error.get("category") is not None:
        return str(error["category"])
    if error.get("status") is not None:
        return category_of_status(error["status"])
    if error.get("reason") is not None:
        return CATEGORY_OF_REASON.get(error["reason"], "generic")
    return "server_error" if error.get("kind") == TRANSIENT else "generic"


def mock_error(error: Dict, provider: str, model: str) -> HarnError:
    """Make the error that an entry stands for."""
    category = _category(error)
    reason = error.get("reason") or reason_of_category(category)
    # A reason that is none of ours says no kind: its category does.
    kind = error.get("kind") or kind_of_reason(reason if reason in REASONS else reason_of_category(category))
    value = {
        "kind": kind,
        "reason": reason,
        "category": category,
        "message": error.get("message") or _default_message(error, kind, reason),
        "origin": "provider",
        "provider": provider,
        "model": model,
    }
    for key in ("status", "retry_after_ms"):
        if error.get(key) is not None:
            value[key] = error[key]
    return HarnError(value)


def _default_message(error: Dict, kind: str, reason: str) -> str:
    status = error.get("status")
    return f"{f'HTTP {status} ' if status is not None else ''}mock LLM error ({kind}/{reason})"


def read_document(text: str) -> tuple[list[Entry], bool]:
    """Read a JSONL fixture document: its entries and whether its scopes are strict. All or nothing.

    Raises:
        ValueError: names the line and the fault.
    """
    entries: list[Entry] = []
    strict, v1 = False, False
    seen: set[str] = set()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            fields = read_json(line)
            if type(fields) is not dict:
                raise ValueError("expected a JSON object")
            if "schemaVersion" in fields and not entries and not v1:
                v1, strict = True, _header(fields)
                continue
            _check(fields, v1)
            entries.append(_scoped(fields, seen) if v1 else _unscoped(fields))
        except ValueError as fault:
            raise ValueError(f"line {number}: {fault}") from None
    if all(entry.asked is not None and number_of(entry.id) >= 0 for entry in entries):
        # The recording of a run that was killed has its calls in the order in which they ended.
        entries.sort(key=lambda entry: number_of(entry.id))
    return entries, strict


def number_of(entry_id: str | None) -> int:
    """Give the place of a recorded call among those that began, -1 for what is no such call."""
    number = (entry_id or "").removeprefix(RECORDED)
    return int(number) if entry_id != number and number.isascii() and number.isdigit() else -1


def _header(fields: Dict) -> bool:
    if fields["schemaVersion"] != 1:
        raise ValueError(f"unsupported schemaVersion {fields['schemaVersion']}; expected 1")
    unknown = sorted(set(fields) - {"schemaVersion", "strictScopes"})
    if unknown:
        raise ValueError(f"unknown header field `{unknown[0]}`")
    return fields.get("strictScopes") is True


def _scoped(fields: Dict, seen: set[str]) -> Entry:
    for name in ("id", "scope", "consume"):
        if type(fields.get(name)) is not str:
            raise ValueError(f"a v1 entry needs `{name}`")
    if fields["id"] in seen:
        raise ValueError(f"duplicate entry id `{fields['id']}`")
    if fields["scope"] not in SCOPES:
        raise ValueError(f"unknown scope `{fields['scope']}`; known scopes: {', '.join(SCOPES)}")
    if fields["consume"] not in ("once", "sticky"):
        raise ValueError(f'`consume` must be "once" or "sticky", got "{fields["consume"]}"')
    seen.add(fields["id"])
    body = {key: value for key, value in fields.items() if key not in V1_FIELDS}
    entry = Entry(body, fields["id"], fields["scope"], fields["consume"] == "sticky")
    for name in ("request", "received"):
        if fields.get(name) is not None and type(fields[name]) is not dict:
            raise ValueError(f"`{name}` must be a dict, got {kind_of(fields[name])}")
    entry.asked = fields.get("request")
    entry.received = fields.get("received") or {}
    return entry
