"""The asyncio loop of a session that has none around it, and how such a loop ends."""

from __future__ import annotations

from harnpy.runtime.worker import run_on_worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def end_loop(loop: Any, *, patient: bool = True) -> None:
    """Close an asyncio loop that does not run, with all that is left in it; ``patient``: its threads end first."""
    try:
        loop.run_until_complete(_cancel_others())
        loop.run_until_complete(loop.shutdown_asyncgens())
        if patient:
            loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()


async def _cancel_others() -> None:
    from asyncio import all_tasks, current_task, gather

    others = all_tasks() - {current_task()}
    for task in others:
        task.cancel()
    await gather(*others, return_exceptions=True)


class KeptLoop:
    """The asyncio loop that the runs of a session share when there is none around them."""

    def __init__(self) -> None:
        self._loop: Any = None

    def get(self) -> Any:
        """Give the loop; it is made when it is first needed."""
        if self._loop is None or self._loop.is_closed():
            from asyncio import new_event_loop

            self._loop = new_event_loop()
        return self._loop

    def close(self) -> None:
        """End the loop."""
        loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            # The thread of the host may have a running loop, and no second one.
            run_on_worker(lambda: end_loop(loop), lambda: None)
