"""Extended grapheme clusters: what a reader sees as one character (Unicode annex 29)."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right

# Code points that may begin an emoji sequence joined by U+200D, as pairs of first and last.
_PICTOGRAPHS = (
    (0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122), (0x2139, 0x2139),
    (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328), (0x2388, 0x2388), (0x23CF, 0x23CF),
    (0x23E9, 0x23F3), (0x23F8, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6), (0x25C0, 0x25C0),
    (0x25FB, 0x25FE), (0x2600, 0x2605), (0x2607, 0x2612), (0x2614, 0x2685), (0x2690, 0x2705), (0x2708, 0x2712),
    (0x2714, 0x2714), (0x2716, 0x2716), (0x271D, 0x271D), (0x2721, 0x2721), (0x2728, 0x2728), (0x2733, 0x2734),
    (0x2744, 0x2744), (0x2747, 0x2747), (0x274C, 0x274C), (0x274E, 0x274E), (0x2753, 0x2755), (0x2757, 0x2757),
    (0x2763, 0x2767), (0x2795, 0x2797), (0x27A1, 0x27A1), (0x27B0, 0x27B0), (0x27BF, 0x27BF), (0x2934, 0x2935),
    (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D),
    (0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1F0FF), (0x1F10D, 0x1F10F), (0x1F12F, 0x1F12F),
    (0x1F16C, 0x1F171), (0x1F17E, 0x1F17F), (0x1F18E, 0x1F18E), (0x1F191, 0x1F19A), (0x1F1AD, 0x1F1E5),
    (0x1F201, 0x1F20F), (0x1F21A, 0x1F21A), (0x1F22F, 0x1F22F), (0x1F232, 0x1F23A), (0x1F23C, 0x1F23F),
    (0x1F249, 0x1F3FA), (0x1F400, 0x1F53D), (0x1F546, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F774, 0x1F77F),
    (0x1F7D5, 0x1F7FF), (0x1F80C, 0x1F80F), (0x1F848, 0x1F84F), (0x1F85A, 0x1F85F), (0x1F888, 0x1F88F),
    (0x1F8AE, 0x1F8FF), (0x1F90C, 0x1F93A), (0x1F93C, 0x1F945), (0x1F947, 0x1FAFF), (0x1FC00, 0x1FFFD),
)  # fmt: skip
_PICTOGRAPH_STARTS = [first for first, _ in _PICTOGRAPHS]

# Letters that attach to what follows them.
_PREPEND = frozenset(
    [*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0xD4E, 0x110BD, 0x110CD, 0x111C2, 0x111C3]
    + [0x1193F, 0x11941, 0x11A3A, *range(0x11A84, 0x11A8A), 0x11D46, 0x11F02]
)
# Spacing marks (Mc) that Unicode counts as Extend, and those that are no marks of a cluster at all.
_EXTENDING_MC = frozenset(
    [0x9BE, 0x9D7, 0xB3E, 0xB57, 0xBBE, 0xBD7, 0xCC2, 0xCD5, 0xCD6, 0xD3E, 0xD57, 0xDCF, 0xDDF, 0x1B35, 0x302E, 0x302F]
    + [0x1133E, 0x11357, 0x114B0, 0x114BD, 0x115AF, 0x11930, 0x1D165, *range(0x1D16E, 0x1D173)]
)
_LONE_MC = frozenset(
    [0x102B, 0x102C, 0x1038, *range(0x1062, 0x1065), *range(0x1067, 0x106E), 0x1083, *range(0x1087, 0x108D), 0x108F]
    + [*range(0x109A, 0x109D), 0x1A61, 0x1A63, 0x1A64, 0xAA7B, 0xAA7D, 0x11720, 0x11721]
)

# Indic consonants, which a linker between them makes one cluster, as pairs of first and last.
_CONSONANTS = (
    (0x915, 0x939), (0x958, 0x95F), (0x978, 0x97F), (0x995, 0x9A8), (0x9AA, 0x9B0), (0x9B2, 0x9B2), (0x9B6, 0x9B9),
    (0x9DC, 0x9DD), (0x9DF, 0x9DF), (0x9F0, 0x9F1), (0xA95, 0xAA8), (0xAAA, 0xAB0), (0xAB2, 0xAB3), (0xAB5, 0xAB9),
    (0xAF9, 0xAF9), (0xB15, 0xB28), (0xB2A, 0xB30), (0xB32, 0xB33), (0xB35, 0xB39), (0xB5C, 0xB5D), (0xB5F, 0xB5F),
    (0xB71, 0xB71), (0xC15, 0xC28), (0xC2A, 0xC39), (0xC58, 0xC5A), (0xD15, 0xD3A),
)  # fmt: skip
_CONSONANT_STARTS = [first for first, _ in _CONSONANTS]
_LINKERS = frozenset([0x94D, 0x9CD, 0xACD, 0xB4D, 0xC4D, 0xD4D])

_CONTROL, _EXTEND, _ZWJ, _SPACING, _PREPENDED, _REGIONAL, _L, _V, _T, _LV, _LVT, _PICTURE, _OTHER = range(13)


def _category(point: int) -> int:
    if 0x20 <= point < 0x7F:
        return _OTHER
    if point == 0x200D:
        return _ZWJ
    if point == 0x200C or 0x1F3FB <= point <= 0x1F3FF or 0xFF9E <= point <= 0xFF9F or 0xE0020 <= point <= 0xE007F:
        return _EXTEND
    if point in _PREPEND:
        return _PREPENDED
    if 0x1F1E6 <= point <= 0x1F1FF:
        return _REGIONAL
    hangul = _hangul(point)
    if hangul != _OTHER:
        return hangul
    return _general(point)


def _general(point: int) -> int:
    general = unicodedata.category(chr(point))
    if general in ("Mn", "Me") or point in _EXTENDING_MC:
        return _EXTEND
    if general == "Mc" or point in (0xE33, 0xEB3):
        return _OTHER if point in _LONE_MC else _SPACING
    if general in ("Cc", "Cf", "Zl", "Zp", "Cs"):
        return _CONTROL
    return _PICTURE if _within(_PICTOGRAPHS, _PICTOGRAPH_STARTS, point) else _OTHER


def _within(ranges: tuple[tuple[int, int], ...], starts: list[int], point: int) -> bool:
    at = bisect_right(starts, point) - 1
    return at >= 0 and point <= ranges[at][1]


def _hangul(point: int) -> int:
    if 0xAC00 <= point <= 0xD7A3:
        return _LV if (point - 0xAC00) % 28 == 0 else _LVT
    if 0x1100 <= point <= 0x115F or 0xA960 <= point <= 0xA97C:
        return _L
    if 0x1160 <= point <= 0x11A7 or 0xD7B0 <= point <= 0xD7C6:
        return _V
    if 0x11A8 <= point <= 0x11FF or 0xD7CB <= point <= 0xD7FB:
        return _T
    return _OTHER


_JOINED = frozenset(
    [(_L, _L), (_L, _V), (_L, _LV), (_L, _LVT), (_LV, _V), (_LV, _T), (_V, _V), (_V, _T), (_LVT, _T), (_T, _T)]
)


class _Walk:
    """What the rules need to know about the characters before a boundary."""

    __slots__ = ("consonant", "last", "linked", "picture", "regionals")

    def __init__(self) -> None:
        self.consonant = self.linked = False
        self.last = _CONTROL
        self.picture = False
        self.regionals = 0

    def joins(self, category: int, point: int) -> bool:
        """Tell whether a character stays with the one before it; a line feed after a return is not asked about."""
        last = self.last
        if last == _CONTROL or category == _CONTROL:
            return False
        if category in (_EXTEND, _ZWJ, _SPACING) or last == _PREPENDED or (last, category) in _JOINED:
            return True
        if self.linked and _within(_CONSONANTS, _CONSONANT_STARTS, point):
            return True
        if last == _ZWJ and category == _PICTURE:
            return self.picture
        return last == _REGIONAL and category == _REGIONAL and self.regionals % 2 == 1

    def step(self, category: int, point: int) -> None:
        """Pass a character."""
        if category not in (_EXTEND, _ZWJ):
            self.consonant = _within(_CONSONANTS, _CONSONANT_STARTS, point)
            self.linked = False
        elif point in _LINKERS:
            self.linked = self.consonant
        if category == _PICTURE:
            self.picture = True
        elif not (category == _EXTEND or (category == _ZWJ and self.last in (_EXTEND, _PICTURE))):
            self.picture = False
        self.regionals = self.regionals + 1 if category == _REGIONAL else 0
        self.last = category


def graphemes(text: str) -> list[str]:
    """Split ``text`` into its extended grapheme clusters."""
    if text.isascii() and "\r" not in text:
        return list(text)
    clusters: list[str] = []
    walk = _Walk()
    start = 0
    for index, character in enumerate(text):
        point = ord(character)
        category = _category(point)
        line_break = character == "\n" and text[index - 1 : index] == "\r"
        if index > 0 and not line_break and not walk.joins(category, point):
            clusters.append(text[start:index])
            start = index
        walk.step(category, point)
    if text:
        clusters.append(text[start:])
    return clusters
