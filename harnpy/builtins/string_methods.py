"""Methods of strings (builtins 2.1)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.sizes import repeated, replaced
from harnpy.builtins.text import pieces
from harnpy.errors import runtime_error
from harnpy.runtime.convert import WHITESPACE, int_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def length(string: str) -> int:
    """Count the code points."""
    return len(string)


def empty(string: str) -> bool:
    """Tell whether there is nothing in it."""
    return not string


def contains(string: str, part: Any = "") -> bool:
    """Tell whether a text is part of it."""
    return text(part) in string


def replace(ctx: Context, string: str, old: Any = ABSENT, new: Any = ABSENT) -> str:
    """Replace all occurrences of a literal text."""
    if new is ABSENT:
        raise runtime_error("string has no method `replace`")
    return replaced(ctx, string, text(old), text(new))


def split(string: str, separator: Any = ",") -> list[Any]:
    """Split at a literal separator, a comma by default; empty pieces stay."""
    return pieces(string, text(separator))


def trim(string: str) -> str:
    """Cut white space from both ends."""
    return string.strip(WHITESPACE)


def trim_start(string: str) -> str:
    """Cut white space from the start."""
    return string.lstrip(WHITESPACE)


def trim_end(string: str) -> str:
    """Cut white space from the end."""
    return string.rstrip(WHITESPACE)


def starts_with(string: str, prefix: Any = "") -> bool:
    """Tell whether it begins with a text."""
    return string.startswith(text(prefix))


def ends_with(string: str, suffix: Any = "") -> bool:
    """Tell whether it ends with a text."""
    return string.endswith(text(suffix))


def lowercase(string: str) -> str:
    """Map to lower case."""
    return string.lower()


def uppercase(string: str) -> str:
    """Map to upper case."""
    return string.upper()


def substring(string: str, start: Any = 0, end: Any = None) -> str:
    """Give the characters from ``start`` up to, but without, ``end`` (default: the end); both are clamped."""
    first = min(max(int_option(start, 0), 0), len(string))
    return string[first : max(int_option(end, len(string)), first)]


def cut(string: str, start: Any = 0, end: Any = None) -> str:
    """``slice``: what ``s[start:end]`` gives; negative positions count from the end, and both are clamped."""
    return string[int_option(start, 0) : int_option(end, len(string))]


def index_of(string: str, part: Any = "") -> int:
    """Give the first index of a text, or -1."""
    return string.find(text(part))


def last_index_of(string: str, part: Any = "") -> int:
    """Give the last index of a text, or -1."""
    return string.rfind(text(part))


def char_at(string: str, index: Any = 0) -> str | None:
    """Give the character at an index, or nil."""
    at = int_option(index, 0)
    return string[at] if 0 <= at < len(string) else None


def chars(string: str) -> list[Any]:
    """Give the characters."""
    return list(string)


def lines(string: str) -> list[Any]:
    """Give the lines without their line breaks."""
    found = string.split("\n")
    if not found[-1]:
        found.pop()
    return [line[:-1] if line.endswith("\r") else line for line in found]


def repeat(ctx: Context, string: str, count: Any = 1) -> str:
    """Give the string several times over."""
    return repeated(ctx, string, int_option(count, 1))


def backwards(string: str) -> str:
    """``reversed``: the code points from last to first."""
    return string[::-1]


def _pad(ctx: Context, string: str, width: Any, fill: Any) -> str:
    return repeated(ctx, text(fill)[:1] or " ", int_option(width, 0) - len(string))


def pad_left(ctx: Context, string: str, width: Any = 0, fill: Any = " ") -> str:
    """Put ``fill`` in front until the text has ``width`` characters; a longer text stays."""
    return _pad(ctx, string, width, fill) + string


def pad_right(ctx: Context, string: str, width: Any = 0, fill: Any = " ") -> str:
    """Put ``fill`` behind until the text has ``width`` characters; a longer text stays."""
    return string + _pad(ctx, string, width, fill)
