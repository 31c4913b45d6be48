"""Reads the reply of a model call as a turn of a loop: its texts and its tool calls (agent 2.5)."""

from __future__ import annotations

from harnpy.builtins.json_reading import parse
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.visible import visible_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from typing import Any

    Call = dict[str, Any]

# A text without any of these holds no call in text form.
_MARKS = ("<tool_call>", "({", "()", '"function"', "```tool")
_NO_TEXT_PARTS: dict[str, Any] = {
    "calls": [],
    "tool_parse_errors": [],
    "protocol_violations": [],
    "prose": "",
    "user_response": "",
    "done_marker": "",
    "canonical_text": "",
    "recovered_from_stray_count": 0,
}


def normal_call(raw: Any) -> Call | None:
    """Give a call as ``{id, name, arguments, parse_error?}``; ``None`` without a usable name."""
    if type(raw) is not dict:
        return None
    function = raw.get("function")
    inner = function if type(function) is dict else {}
    name = raw.get("name") or raw.get("tool_name") or inner.get("name")
    if type(name) is not str or not name.strip():
        return None
    call_id = raw.get("id") or raw.get("tool_call_id")
    given = next((raw[key] for key in ("arguments", "tool_args", "args") if key in raw), inner.get("arguments"))
    arguments, fault = read_arguments(name, given)
    call: Call = {"id": call_id if type(call_id) is str else "", "name": name, "arguments": arguments}
    if fault is not None:
        call["parse_error"] = fault
    if type(raw.get("thought_signature")) is str:  # the provider wants it back with the call
        call["thought_signature"] = raw["thought_signature"]
    return call


def read_arguments(name: str, given: Any) -> tuple[dict[str, Any], str | None]:
    """Give the arguments of a call as a dict, and what is wrong with them."""
    if given is None or given == "":
        return {}, None
    if type(given) is str:
        if not given.strip():
            return {}, None
        try:
            given = parse(given)
        except HarnError as error:
            return {}, f"Tool '{name}' arguments are not valid JSON: {_detail(error.value)}"
        if given is None:
            return {}, None
    if type(given) is not dict:
        return {}, f"Tool '{name}' arguments must be a JSON object"
    if type(given.get("__parse_error")) is str and len(given) == 1:
        return {}, f"Tool '{name}': {given['__parse_error']}"
    return given, None


def _detail(value: Any) -> str:
    if type(value) is not dict:
        return str(value)
    message = str(value.get("message", "")).removeprefix("JSON parse error: ")
    line, column = value.get("line"), value.get("column")
    return message if line is None or "column" in message else f"{message} at line {line} column {column}"


def with_ids(calls: list[Call], used: AbstractSet[str] = frozenset()) -> list[Call]:
    """Give every call an id of its own: missing ones are minted, those in ``used`` and repeated ones get a suffix."""
    import uuid

    taken = set(used)
    for call in calls:
        wanted = call["id"] or f"tool_call_{uuid.uuid4()}"
        chosen, number = wanted, 1
        while chosen in taken:
            number += 1
            chosen = f"{wanted}_{number}"
        taken.add(chosen)
        call["id"] = chosen
    return calls


def entries(tools: Any) -> list[Any]:
    """Give the entries of a registry dict or a plain list of them."""
    listed = tools.get("tools") if type(tools) is dict else tools
    return listed if type(listed) is list else []


def entry_name(entry: Any) -> Any:
    """Give the name of an entry, which may have the shape of the OpenAI wire."""
    if type(entry) is not dict:
        return None
    if entry.get("name") is not None:
        return entry["name"]
    function = entry.get("function")
    return function.get("name") if type(function) is dict else None


def definitions(tools: Any) -> list[dict[str, Any]]:
    """Give the tools as ``{name, description, parameters, ...}``, whatever shape they have."""
    found = []
    for entry in entries(tools):
        name = entry_name(entry)
        if type(name) is str:
            inner = entry.get("function")
            inner = inner if type(inner) is dict and entry.get("name") is None else entry
            found.append(
                {
                    "name": name,
                    "description": inner.get("description") or "",
                    "parameters": inner.get("parameters") or {},
                    **({"compact": True} if entry.get("compact") else {}),
                }
            )
    return found


def parse_tool_calls(text: Any = "", tools: Any = None, tool_format: Any = None) -> dict[str, Any]:
    """``agent_parse_tool_calls``: read the calls that stand in a text; ``tool_format`` is ``text`` (default) or
    ``json``.

    Gives ``{calls, tool_parse_errors, protocol_violations, prose, user_response, ...}``.
    """
    if type(text) is not str or (text.find("<") < 0 and not any(mark in text for mark in _MARKS)):
        plain = text if type(text) is str else ""
        return {**_NO_TEXT_PARTS, "prose": "", "canonical_text": plain}
    from harnpy.llm.text_tools import parse_text_calls

    parsed = parse_text_calls(text, definitions(tools), "json" if tool_format == "json" else "text")
    return {**_NO_TEXT_PARTS, **parsed}


def read_reply(
    value: Any = None,
    tools: Any = None,
    tool_format: Any = "native",
    fallback: Any = "allow",
    done: Any = None,
    used_ids: AbstractSet[str] = frozenset(),
) -> dict[str, Any]:
    """Read the ``value`` of a caller's envelope as a turn.

    ``fallback`` says whether a native loop takes calls that stand in the text, ``done`` the sentinel of the loop,
    ``used_ids`` which ids of calls the conversation holds already.
    """
    given = value.get("raw_text") if type(value.get("raw_text")) is str else value.get("text")
    raw = given if type(given) is str else ""
    turn: dict[str, Any] = {"raw": raw, "guidance": [], "blank_names": 0, "native_fallback": ""}
    listed = value.get("native_tool_calls")
    listed = value.get("tool_calls") if listed is None else listed
    listed = listed if type(listed) is list else []
    calls = [normal_call(each) for each in listed]
    named = [call for call in calls if call is not None]
    turn["blank_names"] = len(calls) - len(named)
    if turn["blank_names"]:
        turn["guidance"].append(f"{turn['blank_names']} tool call(s) had no name and did not run.")
    parsed = (
        parse_tool_calls(raw, tools, tool_format) if tool_format != "native" or _may_fall_back(tools, raw) else None
    )
    parsed = {**_NO_TEXT_PARTS, "canonical_text": raw} if parsed is None else parsed
    if not named and parsed["calls"]:
        named = _from_text(turn, parsed, tool_format, fallback)
    lost = turn["blank_names"] + (_lost_in_text(parsed) if tool_format != "native" else 0)
    if tool_format != "native":
        _note_problems(turn, parsed)
    if turn["guidance"] and named:
        turn["guidance"].append(f"The other {len(named)} call(s) of that reply went through.")
    turn["calls"] = with_ids(named, used_ids)
    blocks = value.get("thinking_blocks")
    turn["thinking_blocks"] = blocks if type(blocks) is list else []
    turn["done_marker"] = parsed["done_marker"] or ""
    turn["content"] = raw if tool_format == "native" else parsed["canonical_text"] or raw
    turn["visible"] = _turn_text(raw, parsed, tool_format)
    turn["parse_failed"] = lost > 0 and not turn["calls"]
    turn["says_done"] = type(done) is str and _says(done, turn["done_marker"], raw)
    return turn


def _may_fall_back(tools: Any, raw: str) -> bool:
    return (bool(entries(tools)) and any(mark in raw for mark in _MARKS)) or "<done>" in raw


def _from_text(turn: dict[str, Any], parsed: dict[str, Any], tool_format: str, fallback: str) -> list[Call]:
    """Take the calls that stand in the text, if the loop may."""
    if tool_format == "native":
        turn["native_fallback"] = "refused" if fallback == "reject" else "accepted"
        if fallback == "reject":
            return []
    return [call for call in (normal_call(each) for each in parsed["calls"]) if call is not None]


def _lost_in_text(parsed: dict[str, Any]) -> int:
    """Count the calls of a text that cannot run; one that was cut off is among them."""
    cut_off = [each for each in parsed["protocol_violations"] if each["kind"] == "unclosed_call"]
    return len(parsed["tool_parse_errors"]) + len(cut_off)


def _note_problems(turn: dict[str, Any], parsed: dict[str, Any]) -> None:
    guidance = turn["guidance"]
    guidance += [str(error) for error in parsed["tool_parse_errors"]]
    for violation in parsed["protocol_violations"]:
        guidance.append(violation.get("message", "") if type(violation) is dict else str(violation))


def _turn_text(raw: str, parsed: dict[str, Any], tool_format: str) -> str:
    text = parsed["user_response"] or parsed["prose"]
    if not text and (tool_format == "native" or not parsed["calls"]):
        text = raw
    return visible_text(text)


def _says(sentinel: str, marker: str, raw: str) -> bool:
    """Tell whether a reply carries the sentinel: in its ``<done>`` block, else in its text outside of quotes."""
    return sentinel in (marker or unquoted(raw))


def unquoted(raw: str) -> str:
    """Give a text without reasoning and without fenced code blocks."""
    kept, position = [], 0
    while (start := raw.find("<think>", position)) >= 0:
        kept.append(raw[position:start])
        closing = raw.find("</think>", start)
        position = len(raw) if closing < 0 else closing + len("</think>")
    kept.append(raw[position:])
    text = "".join(kept)
    if "```" not in text:
        return text
    lines, fenced = [], False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            lines.append(line)
    return "\n".join(lines)


def normal_calls(listed: Any = None) -> list[Call]:
    """Give a list of calls in the one shape that dispatch takes, each with an id of its own."""
    if type(listed) is not list:
        raise thrown_text(f"tool calls must be a list, got {type_of(listed)}")
    calls = [normal_call(each) for each in listed if type(each) is dict]
    return with_ids([call for call in calls if call is not None])
