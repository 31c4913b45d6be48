"""Methods of ``harness.clock`` that differ from the global of the same purpose (builtins 3.3)."""

from __future__ import annotations

from harnpy.errors import type_error
from harnpy.runtime.values import Duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def sleep_ms(ctx: Context, length: Any = None) -> None:
    """Wait for an int of ms or a duration; unlike ``sleep`` any other type is an error."""
    if type(length) is Duration:
        length = length.ms
    elif type(length) is not int:
        raise type_error("HarnessClock.sleep_ms expects an int or duration argument")
    if length > 0:
        ctx.scheduler.sleep(length)
