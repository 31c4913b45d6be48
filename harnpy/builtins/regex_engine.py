"""One compiled pattern of RE2, and its matches under Harn's rule for empty ones (builtins 1.6)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_MEMORY = 64 << 20


def invalid(detail: str) -> HarnError:
    """Make the error of a pattern or flag that is not accepted."""
    return thrown_text(f"Invalid regex: {detail}")


def compile_re2(pattern: str | bytes, latin: bool = False) -> Any:
    """Compile in RE2's own dialect; a pattern of bytes works on bytes, which are UTF-8 unless ``latin``."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    if latin:
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0]
        raise invalid(detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)) from None


class Engine:
    """A pattern of RE2's own dialect. Its matches are asked only for ``span(group)``, in code points."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._compiled = compile_re2(pattern)
        self._compiled_bytes: Any = None
        self.groups: int = self._compiled.groups
        self.names: list[tuple[str, int]] = sorted(self._compiled.groupindex.items())

    def _found(self, source: str) -> Iterator[Any]:
        if not source.isascii():
            return self._compiled.finditer(source)  # type: ignore[no-any-return]
        # In ASCII bytes and code points have the same places, and bytes need no counting.
        if self._compiled_bytes is None:
            self._compiled_bytes = compile_re2(self._pattern.encode())
        return self._compiled_bytes.finditer(source.encode())  # type: ignore[no-any-return]

    def matches(self, source: str) -> Iterator[Any]:
        """Give all matches; an empty one directly behind the one before is skipped."""
        behind = -1
        for match in self._found(source):
            start, end = match.span()
            if start != end or start != behind:
                yield match
            behind = end

    def search(self, source: str) -> bool:
        """Tell whether there is a match."""
        return self._compiled.search(source) is not None
