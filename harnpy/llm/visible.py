"""The user-facing form of a reply's text: protocol parts removed (llm 6.2). One pass per kind of part."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKERS = frozenset(("##DONE##", "DONE", "PLAN_READY"))
_MARKS = ("<", "[", "DONE", "PLAN_READY", "\n")


def visible_text(raw: str) -> str:
    """Give the visible part of ``raw``."""
    if not any(mark in raw for mark in _MARKS):
        return raw.strip()
    text = _without(raw, "<think>", "</think>", to_end=True)
    for opening, closing in (
        ("<|tool_call|>", "</|tool_call|>"),
        ("<tool_call>", "</tool_call>"),
        ("<done>", "</done>"),
        ("<tool_result", "</tool_result>"),
    ):
        text = _without(text, opening, closing)
    text = _without_results(text)
    # A stream asks for each of its pieces: what costs most is done only where it can matter.
    if "DONE" in text or "PLAN_READY" in text:
        text = "\n".join("" if line.strip() in _MARKERS else line for line in text.split("\n"))
    responses = [body.strip() for body in _bodies(text, "<user_response>", "</user_response>")]
    if responses:
        text = "\n\n".join(responses)
    else:
        text = text.replace("<assistant_prose>", "").replace("</assistant_prose>", "")
    text = text.replace("\r\n", "\n")
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.strip()


def split_thinking(raw: str) -> tuple[str, str | None]:
    """Split a reply whose reasoning stands in it: its text, and what ``<think>`` holds; an open one goes to the end."""
    if "<think>" not in raw:
        return raw, None
    thoughts = list(_bodies(raw, "<think>", "</think>"))
    last = raw.rfind("<think>")
    if raw.find("</think>", last) < 0:
        thoughts.append(raw[last + len("<think>") :])
    thinking = "\n".join(thought.strip() for thought in thoughts)
    return _without(raw, "<think>", "</think>", to_end=True).lstrip(), thinking.strip() or None


def _without(text: str, opening: str, closing: str, *, to_end: bool = False) -> str:
    """Drop every part from ``opening`` to ``closing``; one that never closes stays, or goes to the end."""
    if opening not in text:
        return text
    kept: list[str] = []
    position = 0
    while (start := text.find(opening, position)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            if to_end:
                kept.append(text[position:start])
                position = len(text)
            break
        kept.append(text[position:start])
        position = end + len(closing)
    kept.append(text[position:])
    return "".join(kept)


def _without_results(text: str) -> str:
    """Drop every ``[result of X] ... [end of X ...]``."""
    if "[result of " not in text:
        return text
    kept: list[str] = []
    position = 0
    while (start := text.find("[result of ", position)) >= 0:
        end = text.find("[end of ", start)
        closed = text.find("]", end) if end >= 0 else -1
        if closed < 0:
            break
        kept.append(text[position:start])
        position = closed + 1
    kept.append(text[position:])
    return "".join(kept)


def _bodies(text: str, opening: str, closing: str) -> Iterator[str]:
    position = 0
    while (start := text.find(opening, position)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            return
        yield text[start + len(opening) : end]
        position = end + len(closing)
