"""The user-facing form of a reply's text: protocol parts removed (llm 6.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern

_DROPPED = (
    r"<think>.*?(?:</think>|\Z)",
    r"<\|tool_call\|>.*?</\|tool_call\|>",
    r"<tool_call>.*?</tool_call>",
    r"<done>.*?</done>",
    r"<tool_result\b[^>]*>.*?</tool_result>",
    r"\[result of [^\]]*\].*?\[end of [^\]]*\]",
)
_MARKER_LINE = r"(?m)^[^\S\n]*(?:##DONE##|DONE|PLAN_READY)[^\S\n]*$"
_compiled: dict[str, Pattern[str]] = {}


def _pattern(text: str) -> Pattern[str]:
    found = _compiled.get(text)
    if found is None:
        import re

        found = _compiled[text] = re.compile(text, re.DOTALL)
    return found


def visible_text(raw: str) -> str:
    """Give the visible part of ``raw``."""
    if not any(mark in raw for mark in ("<", "[", "DONE", "PLAN_READY", "\n")):
        return raw.strip()
    text = raw
    for dropped in _DROPPED:
        text = _pattern(dropped).sub("", text)
    text = _pattern(_MARKER_LINE).sub("", text)
    responses = _pattern(r"<user_response>(.*?)</user_response>").findall(text)
    if responses:
        text = "\n\n".join(response.strip() for response in responses)
    else:
        text = _pattern(r"</?assistant_prose>").sub("", text)
    text = text.replace("\r\n", "\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()
