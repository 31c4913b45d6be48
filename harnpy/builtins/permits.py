"""Named locks whose permits a program holds and releases itself: the ``sync_*`` functions (builtins 1.13)."""

from __future__ import annotations

from harnpy.errors import runtime_error
from harnpy.runtime.convert import key_text
from harnpy.runtime.locks import Lock, Permit
from harnpy.runtime.values import Duration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# A read-write lock has this many units: a reader takes one, a writer all.
_READERS = 1 << 30


def _acquire(ctx: Context, kind: str, key: Any, capacity: int, count: int, timeout: Any) -> Permit | None:
    if key is None:
        raise runtime_error(f"sync_{kind}_acquire: key is required")
    locks: dict[tuple[str, str], Lock] = ctx.services.setdefault("permits", {})
    name = key_text(key)
    lock = locks.get((kind, name))
    if lock is None:
        lock = locks[(kind, name)] = Lock(ctx.scheduler, f"{kind} {name}", capacity)
    if type(timeout) is Duration:
        timeout = timeout.ms
    if not lock.acquire(count, timeout if type(timeout) is int else None):
        return None
    return Permit(lock, kind, name, count)


def _positive(name: str, value: Any) -> int:
    if type(value) is not int or value < 1:
        raise runtime_error(f"{name}: value must be positive")
    return value


def sync_mutex_acquire(ctx: Context, key: Any = None, timeout: Any = None) -> Permit | None:
    """Take the mutex called ``key``, waiting in line: a permit for ``sync_release``, or nil at the timeout (ms or
    duration).
    """
    return _acquire(ctx, "mutex", key, 1, 1, timeout)


def sync_rwlock_acquire(ctx: Context, key: Any = None, mode: Any = None, timeout: Any = None) -> Permit | None:
    """Take the lock called ``key`` to ``"read"`` (many at once) or ``"write"`` (alone): a permit, or nil at the
    timeout.
    """
    if mode not in ("read", "write"):
        raise runtime_error("sync_rwlock_acquire: mode must be 'read' or 'write'")
    return _acquire(ctx, "rwlock", key, _READERS, _READERS if mode == "write" else 1, timeout)


def sync_semaphore_acquire(
    ctx: Context, key: Any = None, capacity: Any = None, permits: Any = 1, timeout: Any = None
) -> Permit | None:
    """Take ``permits`` of the ``capacity`` permits of the semaphore ``key``: a permit, or nil at the timeout."""
    size = _positive("sync_semaphore_acquire", capacity)
    count = _positive("sync_semaphore_acquire", 1 if permits is None else permits)
    if count > size:
        raise runtime_error(f"sync_semaphore_acquire: {count} permits asked for, the capacity is {size}")
    return _acquire(ctx, "semaphore", key, size, count, timeout)


def sync_gate_acquire(ctx: Context, key: Any = None, limit: Any = None, timeout: Any = None) -> Permit | None:
    """Enter the gate ``key`` that lets ``limit`` in at once: a permit, or nil at the timeout."""
    return _acquire(ctx, "gate", key, _positive("sync_gate_acquire", limit), 1, timeout)


def sync_release(permit: Any = None) -> bool:
    """Give a permit back; true the first time, false from then on."""
    return type(permit) is Permit and permit.release()


def sync_metrics(ctx: Context, kind: Any = None, key: Any = None) -> Any:
    """Give the state of one lock (nil when there is none), or a list of all that fit."""
    locks: dict[tuple[str, str], Lock] = ctx.services.get("permits", {})
    found = [
        _metrics(place, lock)
        for place, lock in sorted(locks.items())
        if kind in (None, place[0]) and (key is None or key_text(key) == place[1])
    ]
    if kind is None or key is None:
        return found
    return found[0] if found else None


def _metrics(place: tuple[str, str], lock: Lock) -> dict[str, Any]:
    return {
        "acquired": lock.acquired,
        "capacity": lock.capacity,
        "held": lock.capacity - lock.free,
        "key": place[1],
        "kind": place[0],
        "timeouts": lock.timeouts,
        "waiting": lock.waiting,
    }
