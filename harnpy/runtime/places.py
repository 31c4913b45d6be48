"""Builtins whose relative paths start at the file that calls them, not at the program (builtins 1.17)."""

from __future__ import annotations

import os

from harnpy.runtime.values import Builtin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import Site
    from harnpy.runtime.context import Context

# Where such a builtin finds the folder of the file that called it.
CALLING_FOLDER = "calling_folder"

_NAMES = frozenset(
    (
        "HarnessFs.render_prompt",
        "HarnessFs.render_prompt_with_provenance",
        "HarnessFs.render_template",
        "render",
        "render_prompt",
        "render_string",
        "render_with_provenance",
    )
)


def placed(builtin: Any, site: Site) -> Any:
    """Give what a call at ``site`` calls: ``builtin``, told where it is called from when it has to know."""
    if type(builtin) is not Builtin or builtin.name not in _NAMES or not os.path.isfile(site[0].path):
        return builtin
    folder = os.path.dirname(os.path.abspath(site[0].path))
    function, wants_ctx, limit = builtin.fn, builtin.wants_ctx, builtin.max_args

    def run(ctx: Context, *args: Any) -> Any:
        services = ctx.services
        outer = services.get(CALLING_FOLDER)
        services[CALLING_FOLDER] = folder
        args = args[:limit]
        try:
            return function(ctx, *args) if wants_ctx else function(*args)
        finally:
            services[CALLING_FOLDER] = outer

    return Builtin(builtin.name, run)
