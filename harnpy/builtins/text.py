"""Strings in function form (builtins 1.5)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT
from harnpy.builtins.arguments import text as as_text
from harnpy.builtins.sizes import check_text, repeated, replaced
from harnpy.errors import runtime_error
from harnpy.runtime import equality
from harnpy.runtime.convert import WHITESPACE, int_option
from harnpy.runtime.values import SetValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def trim(text: Any = "") -> str:
    """Cut Unicode white space from both ends of a text."""
    return as_text(text).strip(WHITESPACE)


def lowercase(text: Any = "") -> str:
    """Give a text in lower case, by the rules of Unicode."""
    return as_text(text).lower()


def uppercase(text: Any = "") -> str:
    """Give a text in upper case, by the rules of Unicode."""
    return as_text(text).upper()


def pieces(text: str, separator: str) -> list[Any]:
    """Split at a literal separator; an empty one gives the characters between two empty texts."""
    return text.split(separator) if separator else ["", *text, ""]


def split(text: Any = "", separator: Any = " ") -> list[Any]:
    """Split at a literal separator; empty pieces stay. The empty separator gives every character, and ``""`` at both
    ends.
    """
    return pieces(as_text(text), as_text(separator))


def replace(ctx: Context, text: Any = "", old: Any = "", new: Any = "") -> str:
    """Replace all occurrences of a literal text by another one."""
    return replaced(ctx, as_text(text), as_text(old), as_text(new))


def starts_with(text: Any = "", prefix: Any = "") -> bool:
    """Tell whether a text begins with another."""
    return as_text(text).startswith(as_text(prefix))


def ends_with(text: Any = "", suffix: Any = "") -> bool:
    """Tell whether a text ends with another."""
    return as_text(text).endswith(as_text(suffix))


def contains(container: Any = None, item: Any = None) -> bool:
    """Tell whether a text has a part, or a list or set a member; false for everything else."""
    kind = type(container)
    if kind is str or kind is list or kind is SetValue:
        return equality.contains(container, item)
    return False


def joined(ctx: Context, items: list[Any], separator: str) -> str:
    """Join the display forms of items."""
    texts = [as_text(item) for item in items]
    check_text(ctx, len(separator) * len(texts) + sum([len(text) for text in texts]))
    return separator.join(texts)


def join(ctx: Context, items: Any = None, separator: Any = "") -> str:
    """Join the display forms of the items of a list, with the separator between them."""
    return joined(ctx, items, as_text(separator)) if type(items) is list else ""


def substring(text: Any = "", start: Any = 0, length: Any = None) -> str:
    """Give at most ``length`` characters (default: the rest) of a text from the index ``start`` on."""
    source = as_text(text)
    first = max(int_option(start, 0), 0)
    count = max(int_option(length, len(source)), 0)
    return source[first : first + count]


def format_text(template: Any = "", *values: Any) -> str:
    """``format``: fill ``{key}`` from a dict, or each ``{}`` from the arguments in order; other braces stay."""
    source = as_text(template)
    if values and type(values[0]) is dict:
        return _fill_named(source, values[0])
    parts = source.split("{}")
    filled = [parts[0]]
    for index, part in enumerate(parts[1:]):
        filled += (as_text(values[index]) if index < len(values) else "{}", part)
    return "".join(filled)


def _fill_named(template: str, values: dict[str, Any]) -> str:
    parts: list[str] = []
    at = 0
    while (closing := template.find("}", at)) >= 0:
        opening = template.rfind("{", at, closing)
        key = template[opening + 1 : closing]
        if opening >= 0 and key in values:
            parts += (template[at:opening], as_text(values[key]))
        else:
            parts.append(template[at : closing + 1])
        at = closing + 1
    parts.append(template[at:])
    return "".join(parts)


_SIDES = ("left", "right", "both")


def str_pad(ctx: Context, text: Any = "", width: Any = None, fill: Any = " ", side: Any = "right") -> str:
    """Pad a text with ``fill`` to a width in grapheme clusters; a longer text stays as it is.

    ``side`` is ``right`` (default), ``left`` or ``both``.
    """
    from harnpy.builtins.graphemes import graphemes

    source = as_text(text)
    missing = int_option(width, 0) - len(graphemes(source))
    if missing <= 0:
        return source
    if side not in _SIDES:
        raise runtime_error("str_pad: side must be left, right, or both")
    pad = (graphemes(as_text(fill)) or [" "])[0]
    left = missing if side == "left" else missing // 2 if side == "both" else 0
    return repeated(ctx, pad, left) + source + repeated(ctx, pad, missing - left)


def title_case(text: Any = "") -> str:
    """Make the first letter after white space upper case and the rest lower case."""
    parts = []
    fresh = True
    for character in as_text(text):
        parts.append(character.upper() if fresh else character.lower())
        fresh = character in WHITESPACE
    return "".join(parts)


def uppercase_first(text: Any = "") -> str:
    """Make the first character of a text upper case and leave the rest."""
    source = as_text(text)
    return source[:1].upper() + source[1:]


def lowercase_first(text: Any = "") -> str:
    """Make the first character of a text lower case and leave the rest."""
    source = as_text(text)
    return source[:1].lower() + source[1:]


def unicode_normalize(text: Any = "", form: Any = ABSENT) -> str:
    """Give the normalisation form ``NFC``, ``NFD``, ``NFKC`` or ``NFKD`` of a text. Errors: throws for another form."""
    import unicodedata

    wanted = "NFC" if form is ABSENT or form is None else as_text(form).upper()
    for name in ("NFC", "NFD", "NFKC", "NFKD"):
        if name == wanted:
            return unicodedata.normalize(name, as_text(text))
    raise runtime_error("unicode_normalize: form must be NFC, NFD, NFKC, or NFKD")


def unicode_graphemes(text: Any = "") -> list[Any]:
    """Give the extended grapheme clusters of a text."""
    from harnpy.builtins.graphemes import graphemes

    return graphemes(as_text(text))
