"""Bounds on the size of what builtins make: an error instead of a machine without memory."""

from __future__ import annotations

from harnpy.runtime.sizes import refuse_list, refuse_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.runtime.context import Context


def check_text(ctx: Context, size: int) -> None:
    """Refuse to make a text of ``size`` characters when that is too long."""
    limit = ctx.limits.max_string
    if size > limit:
        refuse_text(size, limit)


def check_list(ctx: Context, size: int) -> None:
    """Refuse to make ``size`` items when they are too many."""
    limit = ctx.limits.max_list
    if size > limit:
        refuse_list(size, limit)


def repeated(ctx: Context, text: str, count: int) -> str:
    """Repeat ``text``."""
    check_text(ctx, len(text) * count)
    return text * count


def replaced(ctx: Context, text: str, old: str, new: str) -> str:
    """Replace all occurrences of ``old``."""
    if len(new) > len(old):
        check_text(ctx, len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)
