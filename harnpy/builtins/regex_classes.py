"""Sets of characters in regular expressions: Unicode classes and arithmetic on ranges."""

from __future__ import annotations

Ranges = list[tuple[int, int]]

LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)

_SPACE = "\\t-\\r \\x85\\xA0\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}"
_NO_SPACE = (
    "\\x00-\\x08\\x0E-\\x1F!-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}"
    "\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{10FFFF}"
)
# Alphabetic (letters, letter numbers, circled letters), marks, digits, connectors, joiners.
_WORD = (
    "\\pL\\pM\\p{Nd}\\p{Nl}\\p{Pc}\\x{200C}\\x{200D}\\x{24B6}-\\x{24E9}"
    "\\x{1F130}-\\x{1F149}\\x{1F150}-\\x{1F169}\\x{1F170}-\\x{1F189}"
)


class _Perl(dict[str, str]):
    r"""What stands inside a class for ``\w`` and its like; ``\W`` is worked out when first asked for."""

    def __missing__(self, letter: str) -> str:
        inside = ranges_text(negated(read_ranges(f"[{_WORD}]")))[1:-1]
        self[letter] = inside
        return inside


PERL = _Perl({"w": _WORD, "d": "\\p{Nd}", "D": "\\P{Nd}", "s": _SPACE, "S": _NO_SPACE})


def class_text(inside: str) -> str:
    """Give a class."""
    return f"[{inside}]"


def ranges_text(ranges: Ranges) -> str:
    """Give a class with just these ranges; RE2's way of matching nothing when there are none."""
    if not ranges:
        return "[^\\x00-\\x{10FFFF}]"
    return "[" + "".join([f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in ranges]) + "]"


_all_characters: list[str] = []
# Patterns come from programs, and a process may run many of them.
_read: dict[str, Ranges] = {}
_MOST_READ = 256


def read_ranges(pattern: str) -> Ranges:
    """Find the characters that a class of RE2 has, by matching it against all characters in order."""
    known = _read.get(pattern)
    if known is None:
        if len(_read) >= _MOST_READ:
            _read.clear()
        known = _read[pattern] = _matched(pattern)
    return known


def _matched(pattern: str) -> Ranges:
    from harnpy.builtins.regex_engine import Engine

    if not _all_characters:
        points = [*range(_SURROGATES[0]), *range(_SURROGATES[1] + 1, LAST + 1)]
        _all_characters.append("".join(map(chr, points)))
    ranges: Ranges = []
    for match in Engine(f"(?:{pattern})+").matches(_all_characters[0]):
        start, end = match.span()
        first, last = _point(start), _point(end - 1)
        if first < _SURROGATES[0] and last > _SURROGATES[1]:
            ranges += [(first, _SURROGATES[0] - 1), (_SURROGATES[1] + 1, last)]
        else:
            ranges.append((first, last))
    return ranges


def _point(index: int) -> int:
    return index if index < _SURROGATES[0] else index + _SURROGATES[1] - _SURROGATES[0] + 1


def union(sets: list[Ranges]) -> Ranges:
    """Give the ranges of all sets, merged."""
    merged: Ranges = []
    for first, last in sorted([span for ranges in sets for span in ranges]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return merged


def negated(ranges: Ranges) -> Ranges:
    """Give all other characters."""
    result: Ranges = []
    start = 0
    for first, last in union([ranges, [_SURROGATES]]):
        if first > start:
            result.append((start, first - 1))
        start = last + 1
    if start <= LAST:
        result.append((start, LAST))
    return result


def combined(operator: str, left: Ranges, right: Ranges) -> Ranges:
    """Give the result of ``&&``, ``--`` or ``~~``."""
    if operator == "&&":
        return negated(union([negated(left), negated(right)]))
    if operator == "--":
        return negated(union([negated(left), right]))
    return union([combined("--", left, right), combined("--", right, left)])
