r"""Word boundaries on texts beyond ASCII: RE2's ``\b`` knows only ASCII words.

Text and pattern are recoded to bytes so that RE2's byte-wise test of ``[0-9A-Za-z_]`` gives the Unicode answer: a
word character becomes four bytes that are all ASCII word characters, any other character keeps only bytes that
are not. The first byte of a code stands nowhere else, so that no match begins inside a character.
"""

from __future__ import annotations

from harnpy.builtins.regex_classes import PERL, Ranges, class_text, combined, read_ranges
from harnpy.builtins.regex_engine import compile_re2
from harnpy.builtins.regex_syntax import Translator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # For each digit of a code: the least and the greatest value it may have.
    Sequence = tuple[tuple[int, int], ...]

_SIZE = 4


class _Alphabet:
    """The bytes of one kind of code: those that lead, and the digits that follow."""

    def __init__(self, lead: str, digits: str) -> None:
        self.lead = lead
        self.digits = digits

    def code(self, point: int) -> str:
        """Give the code of one character."""
        digits = []
        for _ in range(_SIZE - 1):
            point, digit = divmod(point, len(self.digits))
            digits.append(self.digits[digit])
        return self.lead[point] + "".join(reversed(digits))

    def pattern(self, ranges: Ranges) -> list[str]:
        """Give patterns that together match the codes of some characters."""
        base = len(self.digits)
        return [self._bytes(spans) for first, last in ranges for spans in _sequences(first, last, _SIZE, base)]

    def _bytes(self, spans: Sequence) -> str:
        letters = (self.lead,) + (self.digits,) * (_SIZE - 1)
        pairs = zip(letters, spans, strict=True)
        return "".join([_one_of(letter[low : high + 1]) for letter, (low, high) in pairs])

    def any(self) -> str:
        """Give the pattern of any code."""
        return _one_of(self.lead) + f"{_one_of(self.digits)}{{{_SIZE - 1}}}"


_WORD = _Alphabet("ABCDEFGHIJKLMNOPQRSTUVWX", "0123456789abcdefghijklmnopqrstuvwxyz")
_OTHER = _Alphabet("".join(map(chr, range(0x80, 0x85))), "".join(map(chr, range(0xC0, 0x100))))


def _one_of(letters: str) -> str:
    return "[" + "".join([f"\\x{{{ord(letter):x}}}" for letter in letters]) + "]"


def _sequences(first: int, last: int, size: int, base: int) -> list[Sequence]:
    """Cut a range of numbers into spans of digits."""
    if size == 0:
        return [()]
    unit = base ** (size - 1)
    low, high = first // unit, last // unit
    if low == high:
        return [((low, low), *rest) for rest in _sequences(first % unit, last % unit, size - 1, base)]
    head = [((low, low), *rest) for rest in _sequences(first % unit, unit - 1, size - 1, base)]
    tail = [((high, high), *rest) for rest in _sequences(0, last % unit, size - 1, base)]
    middle: list[Sequence] = [((low + 1, high - 1),) + ((0, base - 1),) * (size - 1)] if high - low > 1 else []
    return head + middle + tail


def _word_ranges() -> Ranges:
    return read_ranges(class_text(PERL["w"]))


class _CodeTranslator(Translator):
    """Translates a pattern for recoded texts; case and the dot are settled here."""

    def kept_flags(self, flags: str) -> str:
        """Give the flags that RE2 is to deal with."""
        return "".join([flag for flag in flags if flag in "mU"])

    def atom(self, text: str) -> None:
        """Take what matches one character."""
        on = "".join(sorted(self.flags & {"i", "s"}))
        self.out.append(_coded(read_ranges(f"(?{on}:{text})" if on else text)))


def _coded(ranges: Ranges) -> str:
    words = _word_ranges()
    inside, outside = combined("&&", ranges, words), combined("--", ranges, words)
    choices = [_WORD.any()] if inside == words else _WORD.pattern(inside)
    ascii_points = [(first, min(last, 0x7F)) for first, last in outside if first < 0x80]
    if ascii_points:
        choices.append("[" + "".join([f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in ascii_points]) + "]")
    beyond = [(max(first, 0x80), last) for first, last in outside if last >= 0x80]
    whole = beyond == combined("--", [(0x80, 0x10FFFF)], words)
    choices += [_OTHER.any()] if whole else _OTHER.pattern(beyond)
    return "(?:" + "|".join(choices or ["[^\\x00-\\x{ff}]"]) + ")"


class _Codes(dict[int, str]):
    """The code of every character met so far."""

    def __missing__(self, point: int) -> str:
        words = _word_ranges()
        is_word = any(first <= point <= last for first, last in words)
        code = _WORD.code(point) if is_word else chr(point) if point < 0x80 else _OTHER.code(point)
        self[point] = code
        return code


_codes = _Codes()


class Match:
    """One match, in the places of the text that was not recoded."""

    __slots__ = ("_spans",)

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = spans

    def span(self, group: int = 0) -> tuple[int, int]:
        """Give the place of the match, or of a group: -1 and -1 when it did not take part."""
        return self._spans[group]


class BoundaryEngine:
    """A pattern with word boundaries, for texts beyond ASCII."""

    def __init__(self, pattern: str, flags: str) -> None:
        translator = _CodeTranslator(pattern, flags)
        translated = translator.translate()
        kept = translator.kept_flags(flags)
        self._compiled = compile_re2((f"(?{kept})" + translated if kept else translated).encode("latin-1"), latin=True)

    def matches(self, source: str) -> Iterator[Match]:
        """Give all matches; an empty one directly behind the one before is skipped."""
        coded = source.translate(_codes).encode("latin-1")
        places = _places(source, len(coded))
        at, behind = 0, -1
        while at <= len(coded):
            match = self._compiled.search(coded, at)
            if match is None:
                return
            start, end = match.span()
            if start in places and (start != end or start != behind):
                spans = [match.span(group) for group in range(self._compiled.groups + 1)]
                yield Match([(places.get(low, -1), places.get(high, -1)) for low, high in spans])
                behind = end
            at = end if end > start else start + 1

    def search(self, source: str) -> bool:
        """Tell whether there is a match."""
        return next(self.matches(source), None) is not None


def _places(source: str, size: int) -> dict[int, int]:
    """Give the index of the character that begins at each offset of the recoded text."""
    places = {}
    at = 0
    for index, character in enumerate(source):
        places[at] = index
        at += len(_codes[ord(character)])
    places[size] = len(source)
    return places
