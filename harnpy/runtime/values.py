"""The value kinds that Python does not have, and the names of all kinds (language 5.1).

Python's own ``None bool int float str bytes list dict`` are Harn's nil, bool, int, float, string,
bytes, list and dict (exact types only). ``decimal.Decimal`` is Harn's decimal; it is recognised by
``DECIMAL_MODULE`` so that the decimal module is imported only by programs that use it.
Everything else is a ``Value`` with a ``type_name``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from harnpy.analysis.resolved import Function

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1


class _Unset:
    """The content of a cell whose declaration has not run yet."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<unset>"


UNSET = _Unset()


class Value:
    """Base of the value kinds defined here."""

    __slots__ = ()
    type_name: ClassVar[str] = "unknown"


class Duration(Value):
    """A length of time in whole ms (signed)."""

    __slots__ = ("ms",)
    type_name = "duration"

    def __init__(self, ms: int) -> None:
        self.ms = ms

    def __bool__(self) -> bool:
        return self.ms != 0


class RangeValue(Value):
    """``start to end``; ``stop`` is the first int behind it (never below ``start``)."""

    __slots__ = ("end", "exclusive", "start", "stop")
    type_name = "range"

    def __init__(self, start: int, end: int, exclusive: bool) -> None:
        self.start = start
        self.end = end
        self.exclusive = exclusive
        self.stop = max(start, end if exclusive else end + 1)


class Pair(Value):
    """``pair(first, second)``."""

    __slots__ = ("first", "second")
    type_name = "pair"

    def __init__(self, first: Any, second: Any) -> None:
        self.first = first
        self.second = second


class SetValue(Value):
    """A set in insertion order: structural key (``equality.key_of``) to member. Never changed."""

    __slots__ = ("members",)
    type_name = "set"

    def __init__(self, members: dict[Any, Any]) -> None:
        self.members = members

    def __bool__(self) -> bool:
        return bool(self.members)


class StructType(Value):
    """A declared struct; calling it with one dict builds a value.

    ``fields``: (name, checker or ``None``, optional). ``methods`` is filled by ``impl``. ``complete`` gives the
    fields when the first value is built, because their types may be declared later; until then it is not ``None``.
    """

    __slots__ = ("complete", "fields", "methods", "name")
    type_name = "struct_type"

    def __init__(
        self,
        name: str,
        fields: tuple[tuple[str, Any, bool], ...],
        complete: Callable[[], tuple[tuple[str, Any, bool], ...]] | None = None,
    ) -> None:
        self.name = name
        self.fields = fields
        self.complete = complete
        self.methods: dict[str, Closure] = {}


class StructValue(Value):
    """A struct value; a value type like dict."""

    __slots__ = ("fields", "type")
    type_name = "struct"

    def __init__(self, type: StructType, fields: dict[str, Any]) -> None:
        self.type = type
        self.fields = fields


class EnumType(Value):
    """A declared enum; ``variants`` maps a name to its field names, or ``None`` without payload."""

    __slots__ = ("name", "variants")
    type_name = "enum_type"

    def __init__(self, name: str, variants: dict[str, tuple[str, ...] | None]) -> None:
        self.name = name
        self.variants = variants


class EnumValue(Value):
    """``E.V`` or ``E.V(x)``; never changed."""

    __slots__ = ("fields", "type", "variant")
    type_name = "enum"

    def __init__(self, type: EnumType, variant: str, fields: tuple[Any, ...]) -> None:
        self.type = type
        self.variant = variant
        self.fields = fields


class VariantConstructor(Value):
    """``E.V`` of a variant with payload, as a callable value."""

    __slots__ = ("type", "variant")
    type_name = "builtin"

    def __init__(self, type: EnumType, variant: str) -> None:
        self.type = type
        self.variant = variant


RESULT = EnumType("Result", {"Ok": ("value",), "Err": ("error",)})


def ok(value: Any) -> EnumValue:
    """Make ``Result.Ok(value)``."""
    return EnumValue(RESULT, "Ok", (value,))


def err(value: Any) -> EnumValue:
    """Make ``Result.Err(value)``."""
    return EnumValue(RESULT, "Err", (value,))


class Code:
    """The compiled form of one function, shared by all its closures.

    ``exact`` is the number of parameters when a call with just that many arguments needs no
    binding work (no default, rest or checked type), else -1. ``body`` takes the frame and gives
    the result; at first it is a stub that compiles the function. A body may give ``TAIL``: then the
    callee and frame of a tail call wait in the context (see ``calls.follow_tail``). ``bind`` makes
    the frame of any other call; it drops a leading harness handle first when ``drops_handle``.
    """

    __slots__ = ("bind", "body", "drops_handle", "exact", "function", "module", "name")

    def __init__(
        self,
        name: str,
        function: Function,
        module: Any,
        exact: int,
        body: Callable[[list[Any]], Any],
        bind: Callable[[Closure, list[Any]], list[Any]],
    ) -> None:
        self.name = name
        self.function = function
        self.module = module
        self.exact = exact
        self.body = body
        self.bind = bind
        self.drops_handle = False


class Closure(Value):
    """A function value: code and ``tail``, the rest of every frame (captures, then free slots)."""

    __slots__ = ("code", "tail")
    type_name = "closure"

    def __init__(self, code: Code, tail: list[Any]) -> None:
        self.code = code
        self.tail = tail


class Builtin(Value):
    """A function written in Python.

    ``fn`` takes positional Harn values (all optional; at most ``max_args``, ``None`` for any
    number) and, when ``wants_ctx``, the run's context before them. Callers drop extra arguments.
    """

    __slots__ = ("fn", "max_args", "name", "wants_ctx")
    type_name = "builtin"

    def __init__(self, name: str, fn: Callable[..., Any]) -> None:
        code = fn.__code__
        self.name = name
        self.fn = fn
        self.wants_ctx = code.co_argcount > 0 and code.co_varnames[0] == "ctx"
        variadic = bool(code.co_flags & 0x04)
        self.max_args = None if variadic else code.co_argcount - (1 if self.wants_ctx else 0)


class Handle(Value):
    """``harness`` or one of its members: a named table of operations.

    ``members`` maps a property name to another handle, ``methods`` a method name to a builtin.
    """

    __slots__ = ("members", "methods", "type_name")

    def __init__(self, type_name: str, members: dict[str, Handle], methods: Any) -> None:
        self.type_name = type_name  # type: ignore[misc]
        self.members = members
        self.methods = methods


class Namespace(Value):
    """What ``import * as name`` binds: the exported cells of a module by name."""

    __slots__ = ("cells", "path")
    type_name = "namespace"

    def __init__(self, path: str, cells: dict[str, list[Any]]) -> None:
        self.path = path
        self.cells = cells


DECIMAL_MODULE = "decimal"

_PLAIN_NAMES: dict[type, str] = {
    type(None): "nil",
    bool: "bool",
    int: "int",
    float: "float",
    str: "string",
    bytes: "bytes",
    list: "list",
    dict: "dict",
}


def is_decimal(value: Any) -> bool:
    """Tell whether ``value`` is Harn's decimal."""
    return type(value).__module__ == DECIMAL_MODULE


def type_of(value: Any) -> str:
    """Give the Harn name of the kind of ``value`` (language 5.1)."""
    name = _PLAIN_NAMES.get(type(value))
    if name is not None:
        return name
    if isinstance(value, Value):
        return value.type_name
    return "decimal" if is_decimal(value) else type(value).__name__


CALLABLE_TYPES = (Closure, Builtin, VariantConstructor, StructType)
