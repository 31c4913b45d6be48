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


def compile_re2(pattern: str | bytes) -> Any:
    """Compile in RE2's own dialect; a pattern of bytes works on bytes."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    if isinstance(pattern, bytes):
        options.encoding = re2.Options.Encoding.LATIN1
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        detail = error.args[0]
        raise invalid(detail.decode("utf-8", "replace") if isinstance(detail, bytes) else str(detail)) from None


class Engine:
    """A pattern of RE2's own dialect."""

    def __init__(self, pattern: str) -> None:
        self.compiled = compile_re2(pattern)
        self.groups: int = self.compiled.groups
        self.names: list[tuple[str, int]] = sorted(self.compiled.groupindex.items())

    def matches(self, source: str) -> Iterator[Any]:
        """Give all matches; an empty one directly behind the one before is skipped."""
        behind = -1
        for match in self.compiled.finditer(source):
            start, end = match.span()
            if start != end or start != behind:
                yield match
            behind = end

    def search(self, source: str) -> bool:
        """Tell whether there is a match."""
        return self.compiled.search(source) is not None
