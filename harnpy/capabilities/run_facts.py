"""Facts of the run as a whole: its task, its input, whether it only rehearses (builtins 1.19, 3.6)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_TRUE = ("1", "true", "yes")


def _variable(ctx: Context, name: str) -> str:
    from harnpy.builtins.environment import variables

    return variables(ctx).get(name, "")


def task(ctx: Context) -> str:
    """Give the task that the host set by ``HARN_TASK``; empty without one."""
    return _variable(ctx, "HARN_TASK")


def pipeline_input(ctx: Context) -> Any:
    """Give the input of the pipeline: the JSON in ``HARN_INPUT``, its text when it is none, else nil."""
    from harnpy.builtins.json_reading import parse
    from harnpy.errors import HarnError

    given = _variable(ctx, "HARN_INPUT")
    if not given:
        return None
    try:
        return parse(given)
    except HarnError:
        return given


def dry_run(ctx: Context) -> bool:
    """Tell whether the host asked by ``HARN_DRY_RUN`` that nothing be changed."""
    return _variable(ctx, "HARN_DRY_RUN").lower() in _TRUE
