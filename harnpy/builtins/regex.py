"""Regular expressions in linear time, over RE2 (builtins 1.6)."""

from __future__ import annotations

from harnpy.builtins.arguments import ABSENT, text
from harnpy.builtins.regex_engine import Engine
from harnpy.builtins.regex_syntax import Translator, check_flags
from harnpy.builtins.sizes import check_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnpy.runtime.context import Context

_CACHE_SIZE = 256


class Pattern:
    """A compiled pattern of Harn's dialect; all places are those of code points."""

    def __init__(self, pattern: str, flags: str) -> None:
        chosen = check_flags(flags)
        translator = Translator(pattern, chosen)
        translated = translator.translate()
        kept = translator.kept_flags(chosen)
        self._engine = Engine(f"(?{kept}){translated}" if kept else translated)
        self._has_boundaries = translator.word_boundaries
        self._source = (pattern, chosen)
        self._beyond_ascii: Any = None
        self.groups = self._engine.groups
        self.names = self._engine.names

    def _engine_for(self, source: str) -> Any:
        if not self._has_boundaries or source.isascii():
            return self._engine
        if self._beyond_ascii is None:
            from harnpy.builtins.regex_boundaries import BoundaryEngine

            self._beyond_ascii = BoundaryEngine(*self._source)
        return self._beyond_ascii

    def matches(self, source: str) -> Iterator[Any]:
        """Give all matches."""
        matches: Iterator[Any] = self._engine_for(source).matches(source)
        return matches

    def search(self, source: str) -> bool:
        """Tell whether there is a match."""
        found: bool = self._engine_for(source).search(source)
        return found


_compiled: dict[tuple[str, str], Pattern] = {}


def compile_pattern(pattern: str, flags: str) -> Pattern:
    """Compile a pattern, or find it among those compiled before."""
    key = (pattern, flags)
    found = _compiled.get(key)
    if found is None:
        found = Pattern(pattern, flags)
        if len(_compiled) >= _CACHE_SIZE:
            _compiled.clear()
        _compiled[key] = found
    return found


def regex_match(pattern: Any = ABSENT, source: Any = ABSENT, flags: Any = "") -> list[Any] | None:
    """Give the texts of all matches, or nil without one. Matching takes linear time; there are no backreferences.

    ``flags``: ``i`` (case), ``m`` (lines), ``s`` (dot takes line breaks), ``x``. Errors: throws a text for a bad
    pattern.
    """
    if source is ABSENT:
        return None
    whole = text(source)
    spans = [match.span() for match in compile_pattern(text(pattern), text(flags)).matches(whole)]
    return [whole[start:end] for start, end in spans] or None


def regex_captures(pattern: Any = ABSENT, source: Any = ABSENT, flags: Any = "") -> list[Any]:
    """Give ``{match, groups, <name>...}`` for every match: groups in order, named ones under their names too.

    Flags and errors: as ``regex_match``.
    """
    if source is ABSENT:
        return []
    compiled = compile_pattern(text(pattern), text(flags))
    whole = text(source)
    found = []
    for match in compiled.matches(whole):
        groups = [_part(whole, match.span(group)) for group in range(compiled.groups + 1)]
        capture: dict[str, Any] = {name: groups[index] for name, index in compiled.names if groups[index] is not None}
        found.append(capture | {"match": groups[0], "groups": groups[1:]})
    return found


def _part(source: str, span: tuple[int, int]) -> str | None:
    """Give what a group matched; nil when it did not take part."""
    return source[span[0] : span[1]] if span[0] >= 0 else None


def regex_split(source: Any = ABSENT, pattern: Any = ABSENT, flags: Any = "") -> list[Any] | None:
    """Split a text at all matches. Flags and errors: as ``regex_match``."""
    if pattern is ABSENT:
        return None
    whole = text(source)
    pieces: list[Any] = []
    at = 0
    for match in compile_pattern(text(pattern), text(flags)).matches(whole):
        start, end = match.span()
        pieces.append(whole[at:start])
        at = end
    pieces.append(whole[at:])
    return pieces


def regex_replace(ctx: Context, pattern: Any = ABSENT, replacement: Any = ABSENT, source: Any = ABSENT) -> str | None:
    """Replace all matches in ``source``; ``$1``, ``$name`` and ``${name}`` in the replacement stand for groups.

    Errors: throws a text for a bad pattern.
    """
    if source is ABSENT:
        return None
    compiled = compile_pattern(text(pattern), "")
    whole = text(source)
    template = _template(text(replacement), compiled)
    length = len(text(replacement))
    parts: list[str] = []
    at = size = 0
    for match in compiled.matches(whole):
        start, end = match.span()
        parts.append(whole[at:start])
        size += length
        check_text(ctx, size)
        parts += [piece if type(piece) is str else _part(whole, match.span(piece)) or "" for piece in template]
        at = end
    parts.append(whole[at:])
    return "".join(parts)


def _template(replacement: str, compiled: Pattern) -> list[str | int]:
    """Cut a replacement into literal texts and numbers of groups; unknown groups give nothing."""
    pieces: list[str | int] = []
    groups = dict(compiled.names)
    at = 0
    while (dollar := replacement.find("$", at)) >= 0:
        pieces.append(replacement[at:dollar])
        name, at = _reference(replacement, dollar)
        if name is None:
            pieces.append("$")
        elif name.isdigit() and name.isascii():
            if len(name) < 5 and int(name) <= compiled.groups:
                pieces.append(int(name))
        elif name in groups:
            pieces.append(groups[name])
    pieces.append(replacement[at:])
    return pieces


def _reference(replacement: str, dollar: int) -> tuple[str | None, int]:
    """Read what follows a dollar: the group's name, or ``None`` for a plain dollar, and the place behind."""
    at = dollar + 1
    if replacement.startswith("$", at):
        return None, at + 1
    if replacement.startswith("{", at):
        closing = replacement.find("}", at)
        return (replacement[at + 1 : closing], closing + 1) if closing > 0 else (None, at)
    end = at
    while (
        end < len(replacement)
        and replacement[end].isascii()
        and (replacement[end].isalnum() or replacement[end] == "_")
    ):
        end += 1
    return (replacement[at:end], end) if end > at else (None, at)
