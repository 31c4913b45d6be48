"""Patterns of paths: ``*`` ``**`` ``?`` ``{a,b}`` ``[a-z]`` (builtins 1.14)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


_SPECIAL = "\\.+*?()|[]{}^$"


def compiled(pattern: str) -> Callable[[str], bool]:
    """Give a test of relative paths. ``*`` and ``?`` cross ``/``; ``**/`` also stands for no directory at all.

    Runs of stars are one star and the expression is matched in linear time, so no pattern can stall a run.
    """
    from harnpy.builtins.regex_engine import compile_re2

    try:
        expression = compile_re2("(?s)^(?:" + _translated(_encodable(pattern)) + ")$")
    except HarnError as error:
        raise _bad(str(error.value).removeprefix("glob: ")) from None
    # A file name need not be valid Unicode.
    return lambda path: expression.search(_encodable(path)) is not None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _bad(detail: str) -> HarnError:
    return thrown_text(f"glob: {detail}")


def _translated(pattern: str) -> str:
    parts: list[str] = []
    depth = at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        if character == "*":
            end = at
            while pattern[end : end + 1] == "*":
                end += 1
            deep = end > at and pattern[end : end + 1] == "/"
            parts.append("(?:.*/)?" if deep else ".*")
            at = end + 1 if deep else end
        elif character == "[":
            text, at = _class(pattern, at)
            parts.append(text)
        elif character == "{":
            depth += 1
            parts.append("(?:")
        elif character == "}" and depth:
            depth -= 1
            parts.append(")")
        elif character == "," and depth:
            parts.append("|")
        elif character == "?":
            parts.append(".")
        else:
            parts.append("\\" + character if character in _SPECIAL else character)
    if depth:
        raise _bad("a `{` is not closed")
    return "".join(parts)


def _class(pattern: str, start: int) -> tuple[str, int]:
    """Translate the class that began before ``start``; give it and where the pattern goes on."""
    negated = pattern[start : start + 1] in ("!", "^") and pattern[start : start + 1] != ""
    first = start + negated
    end = pattern.find("]", first + 1)
    if end < 0:
        raise _bad("a `[` is not closed")
    members = pattern[first:end]
    escaped = "".join("\\" + char if char in "\\[]^&~|" else char for char in members)
    return f"[{'^' if negated else ''}{escaped}]", end + 1
