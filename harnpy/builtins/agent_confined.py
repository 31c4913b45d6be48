"""Paths of host tools: below the root of the tools, whatever links and dots say (agent 2.13)."""

from __future__ import annotations

import os

from harnpy.builtins.locations import root as execution_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def confined(ctx: Context, root: Any = None, path: Any = None) -> str | None:
    """Give the absolute path that ``path`` means below ``root``, nil when it lies outside."""
    base = execution_root(ctx)
    top = os.path.realpath(os.path.join(base, root if type(root) is str else "."))
    if type(path) is not str or "\0" in path:
        return None
    real = os.path.realpath(os.path.join(top, path))
    inside = real == top or real.startswith(top.rstrip(os.sep) + os.sep)
    return real if inside else None


def relative(ctx: Context, root: Any = None, path: Any = "") -> str:
    """Give how a path below ``root`` is shown to a model."""
    top = os.path.realpath(os.path.join(execution_root(ctx), root if type(root) is str else "."))
    return os.path.relpath(path, top).replace(os.sep, "/")
