"""Lazy single-pass iterators, and how every kind of value is iterated (language 8.2, 10; builtins 2.6)."""

from __future__ import annotations

from harnpy.runtime.values import Pair, RangeValue, SetValue, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from harnpy.runtime.context import Context

    Pull = Callable[[], Any]


class _End:
    """What a pull gives when there is nothing more."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<end>"


END = _End()


class Iter(Value):
    """An iterator: ``pull()`` gives the next item, or ``END`` for ever once it is finished."""

    __slots__ = ("_pull", "finished")
    type_name = "iter"

    def __init__(self, pull: Pull) -> None:
        self._pull: Pull | None = pull
        self.finished = False

    def pull(self) -> Any:
        """Give the next item or ``END``."""
        pull = self._pull
        if pull is None:
            return END
        item = pull()
        if item is END:
            self.finished = True
            self._pull = None
        return item

    def display_text(self) -> str:
        """Give the display form."""
        return "<iter (exhausted)>" if self.finished else "<iter>"


class Pullable(Value):
    """Base of what is produced while it is pulled: generators and streams, and channels when they are drained."""

    __slots__ = ()

    def pull(self) -> Any:
        """Give the next item or ``END``; there is none unless a subclass has some."""
        return END


def over(items: Iterable[Any]) -> Pull:
    """Give the pull function of Python items that no Harn code produces."""
    iterator = iter(items)
    return lambda: next(iterator, END)


def _dict_items(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in sorted(value):
        yield {"key": key, "value": value[key]}


def _plain_items(value: Any) -> Iterable[Any] | None:
    kind = type(value)
    if kind is list:
        # The reference keeps the list from being changed in place: it is a snapshot.
        return value  # type: ignore[no-any-return]
    if kind is dict:
        return _dict_items(value)
    if kind is RangeValue:
        return range(value.start, value.stop)
    if kind is SetValue:
        return value.members.values()  # type: ignore[no-any-return]
    return None


def iterate(ctx: Context, value: Any) -> Iterator[Any] | None:
    """Give the items over which ``for`` runs, or ``None`` for a value that is not iterable."""
    items = _plain_items(value)
    if items is not None:
        return iter(items)
    if isinstance(value, (Iter, Pullable)):
        return _pulled(value.pull)
    return None


def _pulled(pull: Pull) -> Iterator[Any]:
    while (item := pull()) is not END:
        yield item


def pull_from(ctx: Context, value: Any) -> Pull | None:
    """Give the pull function of ``iter(value)``: pairs for a dict, code points for a string."""
    kind = type(value)
    if kind is str:
        return over(value)
    if kind is dict:
        return over([Pair(key, value[key]) for key in sorted(value)])
    items = _plain_items(value)
    if items is not None:
        return over(items)
    if isinstance(value, (Iter, Pullable)):
        return value.pull
    return None
