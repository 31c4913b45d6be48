"""Checks of values against type annotations at run time, and their messages (language 13.1-13.3)."""

from __future__ import annotations

from harnpy.analysis import resolved
from harnpy.errors import HarnError, type_error
from harnpy.runtime.values import (
    CALLABLE_TYPES,
    Duration,
    EnumType,
    EnumValue,
    Handle,
    SetValue,
    StructType,
    StructValue,
    is_decimal,
    type_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    LookupType = Callable[[str], Any]

_NO_KINDS: frozenset[type] = frozenset()


class TypeAlias:
    """A name that a module declares for a type; ``type`` is ``None`` for an interface.

    ``lookup`` finds the names that stand in the type: it is that of the declaring module.
    """

    __slots__ = ("lookup", "name", "type")

    def __init__(self, name: str, type: resolved.Type | None, lookup: LookupType) -> None:
        self.name = name
        self.type = type
        self.lookup = lookup


class Checker:
    """The check of one type.

    ``kinds`` are the exact Python types that are accepted without further looking; ``text`` is the type
    as messages name it.
    """

    __slots__ = ("kinds", "text")

    def __init__(self, text: str, kinds: frozenset[type] = _NO_KINDS) -> None:
        self.text = text
        self.kinds = kinds

    def accepts(self, value: Any) -> bool:
        """Tell whether ``value`` belongs to the type."""
        return type(value) in self.kinds

    def fault(self, value: Any, path: str) -> str | None:
        """Say what is wrong inside ``value``, found at ``path``; ``None`` when it is the whole of it."""
        return None

    def parameter_error(self, function: str, name: str, value: Any) -> HarnError:
        """Make the error of an argument that is not accepted."""
        fault = self.fault(value, name)
        if fault is not None:
            return type_error(fault)
        return type_error(f"'{function}' parameter `{name}` expects {self.text}, got {type_of(value)}")

    def binding_error(self, name: str, value: Any) -> HarnError:
        """Make the error of a ``const`` or ``let`` whose value is not accepted."""
        return type_error(f"binding `{name}` expects {self.text}, got {type_of(value)}")

    def field_error(self, struct: str, field: str, value: Any) -> HarnError:
        """Make the error of a struct field whose value is not accepted."""
        fault = self.fault(value, f"{struct}.{field}")
        if fault is not None:
            return type_error(fault.replace("parameter", "field", 1))
        return type_error(f"struct '{struct}': field '{field}' expected {self.text}, got {type_of(value)}")


class _Test(Checker):
    """A type that one look at the value decides."""

    __slots__ = ("test",)

    def __init__(self, text: str, test: Callable[[Any], bool], kinds: frozenset[type] = _NO_KINDS) -> None:
        super().__init__(text, kinds)
        self.test = test

    def accepts(self, value: Any) -> bool:
        return type(value) in self.kinds or self.test(value)


class _Interface(_Test):
    """An interface: any struct value."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name, lambda value: type(value) is StructValue)

    def fault(self, value: Any, path: str) -> str | None:
        return f"parameter '{path}': expected value satisfying interface '{self.text}', got {type_of(value)}"


class _Elements(Checker):
    """A list, set or dict whose items all belong to ``item``."""

    __slots__ = ("item", "walk")

    def __init__(self, text: str, walk: Callable[[Any], Iterator[tuple[str, Any]] | None], item: Checker) -> None:
        super().__init__(text)
        self.walk = walk
        self.item = item

    def accepts(self, value: Any) -> bool:
        items = self.walk(value)
        if items is None:
            return False
        kinds, accepts = self.item.kinds, self.item.accepts
        return all(not (type(item) not in kinds and not accepts(item)) for _, item in items)

    def fault(self, value: Any, path: str) -> str | None:
        for step, item in self.walk(value) or ():
            if not self.item.accepts(item):
                return _inner_fault(self.item, item, path + step)
        return None


def _inner_fault(checker: Checker, value: Any, path: str) -> str:
    inner = checker.fault(value, path)
    return inner or f"parameter '{path}': expected {checker.text}, got {type_of(value)}"


class _Tuple(Checker):
    """A list with one type for each place."""

    __slots__ = ("items",)

    def __init__(self, text: str, items: list[Checker | None]) -> None:
        super().__init__(text)
        self.items = items

    def accepts(self, value: Any) -> bool:
        if type(value) is not list or len(value) != len(self.items):
            return False
        pairs = zip(self.items, value, strict=True)
        return all(checker is None or checker.accepts(item) for checker, item in pairs)

    def fault(self, value: Any, path: str) -> str | None:
        if type(value) is not list or len(value) != len(self.items):
            return None
        for index, (checker, item) in enumerate(zip(self.items, value, strict=True)):
            if checker is not None and not checker.accepts(item):
                return _inner_fault(checker, item, f"{path}[{index}]")
        return None


class _Shape(Checker):
    """``{a: T, b?: U}``: a dict or struct that has these fields."""

    __slots__ = ("fields",)

    def __init__(self, text: str, fields: list[tuple[str, Checker | None, bool, str]]) -> None:
        super().__init__(text)
        self.fields = fields

    def accepts(self, value: Any) -> bool:
        fields = fields_of(value)
        if fields is None:
            return False
        for name, checker, optional, _ in self.fields:
            item = fields.get(name)
            if item is None and (optional or name not in fields):
                if not optional:
                    return False
            elif checker is not None and type(item) not in checker.kinds and not checker.accepts(item):
                return False
        return True

    def fault(self, value: Any, path: str) -> str | None:
        fields = fields_of(value)
        if fields is None:
            return None
        for name, checker, optional, text in self.fields:
            item = fields.get(name)
            if item is None and (optional or name not in fields):
                if not optional:
                    return f"parameter '{path}': missing field '{name}' ({text})"
            elif checker is not None and not checker.accepts(item):
                return self._field_fault(checker, name, item, path)
        return None

    def _field_fault(self, checker: Checker, name: str, item: Any, path: str) -> str:
        inner = checker.fault(item, f"{path}.{name}")
        if inner is not None:
            return inner
        wanted = "dict or struct" if isinstance(checker, _Shape) else checker.text
        return f"parameter '{path}': field '{name}' expected {wanted}, got {type_of(item)}"


class _Union(Checker):
    """``A | B``."""

    __slots__ = ("members",)

    def __init__(self, members: list[Checker]) -> None:
        kinds: frozenset[type] = frozenset().union(*[member.kinds for member in members])
        super().__init__("|".join([member.text for member in members]), kinds)
        self.members = members

    def accepts(self, value: Any) -> bool:
        if type(value) in self.kinds:
            return True
        return any(member.accepts(value) for member in self.members)

    def fault(self, value: Any, path: str) -> str | None:
        # `T?` speaks about T; of several real choices none is the one that was meant.
        meant = [member for member in self.members if member.text != "nil"]
        return meant[0].fault(value, path) if len(meant) == 1 else None


class _Both(Checker):
    """``A & B``."""

    __slots__ = ("members",)

    def __init__(self, members: list[Checker]) -> None:
        super().__init__(" & ".join([member.text for member in members]))
        self.members = members

    def accepts(self, value: Any) -> bool:
        return all(member.accepts(value) for member in self.members)

    def fault(self, value: Any, path: str) -> str | None:
        for member in self.members:
            if not member.accepts(value):
                return member.fault(value, path)
        return None


def fields_of(value: Any) -> dict[str, Any] | None:
    """Give the fields of a dict or a struct value, or ``None``."""
    if type(value) is dict:
        return value
    return value.fields if type(value) is StructValue else None


def _list_items(value: Any) -> Iterator[tuple[str, Any]] | None:
    if type(value) is not list:
        return None
    return ((f"[{index}]", item) for index, item in enumerate(value))


def _set_items(value: Any) -> Iterator[tuple[str, Any]] | None:
    if type(value) is not SetValue:
        return None
    return ((f"[{index}]", item) for index, item in enumerate(value.members.values()))


def _dict_items(value: Any) -> Iterator[tuple[str, Any]] | None:
    fields = fields_of(value)
    if fields is None:
        return None
    return (("." + key, fields[key]) for key in sorted(fields))


_CALLABLES = frozenset(CALLABLE_TYPES)

_PRIMITIVES: dict[str, Checker] = {
    "int": Checker("int", frozenset((int,))),
    "float": Checker("float", frozenset((float, int))),
    "number": Checker("number", frozenset((float, int))),
    "string": Checker("string", frozenset((str,))),
    "bool": Checker("bool", frozenset((bool,))),
    "bytes": Checker("bytes", frozenset((bytes,))),
    "nil": Checker("nil", frozenset((type(None),))),
    "duration": Checker("duration", frozenset((Duration,))),
    "closure": Checker("closure", _CALLABLES),
    "list": Checker("list", frozenset((list,))),
    "set": Checker("set", frozenset((SetValue,))),
    "dict": Checker("dict", frozenset((dict, StructValue))),
    "decimal": _Test("decimal", is_decimal),
    "never": Checker("never"),
    "Iter": _Test("Iter", lambda value: type_of(value) in ("iter", "generator", "stream")),
    "Generator": _Test("Generator", lambda value: type_of(value) == "generator"),
    "Stream": _Test("Stream", lambda value: type_of(value) == "stream"),
    "Schema": _Test("Schema", lambda value: type(value) is dict),
}

_ANYTHING = frozenset(("any", "unknown"))


def compile_type(type: resolved.Type, lookup_type: LookupType) -> Checker | None:
    """Make the checker of ``type``; ``None`` accepts everything.

    ``lookup_type`` gives what a name means in the module: a ``TypeAlias``, a ``StructType``, an
    ``EnumType``, or ``None`` for an unknown name, which accepts everything.
    """
    return _Lowering(lookup_type, frozenset(), {}, []).lower(type)


class _Lowering:
    """Turns types into checkers.

    ``expanding`` are the aliases that are being expanded, ``made`` the checkers of those that are done, both by the
    identity of the type: modules may give one name to several. ``cuts`` grows where an alias stands in itself: what
    was made around such a place holds only there.
    """

    def __init__(
        self, lookup: LookupType, expanding: frozenset[int], made: dict[int, Checker | None], cuts: list[int]
    ) -> None:
        self.lookup = lookup
        self.expanding = expanding
        self.made = made
        self.cuts = cuts

    def lower(self, type_: resolved.Type) -> Checker | None:
        if isinstance(type_, resolved.TName):
            return self.named(type_)
        if isinstance(type_, resolved.TLiteral):
            return _literal(type_.value)
        if isinstance(type_, resolved.TUnion):
            members = [self.lower(member) for member in type_.members]
            known = [member for member in members if member is not None]
            return _Union(known) if len(known) == len(members) else None
        if isinstance(type_, resolved.TBoth):
            known = [member for member in map(self.lower, type_.members) if member is not None]
            return _Both(known) if known else None
        if isinstance(type_, resolved.TShape):
            return self.shape(type_)
        if isinstance(type_, resolved.TFn):
            return Checker("fn", _CALLABLES)
        return None

    def shape(self, type_: resolved.TShape) -> Checker:
        fields = []
        for name, field_type, optional in type_.fields:
            fields.append((name, self.lower(field_type), optional, type_text(field_type)))
        return _Shape(type_text(type_), fields)

    def named(self, type_: resolved.TName) -> Checker | None:
        name = type_.name
        if name in _ANYTHING:
            return None
        if type_.args:
            generic = self.generic(type_)
            if generic is not None:
                return generic
        if name == "owned":
            return self.lower(type_.args[0]) if type_.args else None
        primitive = _PRIMITIVES.get(name)
        if primitive is not None:
            return primitive
        if name.startswith("Harness"):
            return _Test(name, lambda value: type(value) is Handle)
        return self.declared(name)

    def generic(self, type_: resolved.TName) -> Checker | None:
        """Make the checker of ``list<T>`` and its like; ``None`` when its items are not constrained."""
        walk = {"list": _list_items, "set": _set_items, "dict": _dict_items}.get(type_.name)
        text = type_text(type_)
        if walk is not None:
            item = self.lower(type_.args[-1])
            return _Elements(text, walk, item) if item is not None else None
        if type_.name == "tuple":
            return _Tuple(text, [self.lower(arg) for arg in type_.args])
        return None

    def declared(self, name: str) -> Checker | None:
        found = self.lookup(name)
        if isinstance(found, StructType):
            return _Test(name, lambda value: type(value) is StructValue and value.type.name == found.name)
        if isinstance(found, EnumType):
            return _Test(name, lambda value: type(value) is EnumValue and value.type.name == found.name)
        if not isinstance(found, TypeAlias):
            return None
        if found.type is None:
            return _Interface(name)
        key = id(found.type)
        if key in self.made:
            return self.made[key]
        if key in self.expanding:
            self.cuts.append(key)
            return None
        cuts = len(self.cuts)
        checker = _Lowering(found.lookup, self.expanding | {key}, self.made, self.cuts).lower(found.type)
        if len(self.cuts) == cuts:
            self.made[key] = checker
        return checker


def _literal(wanted: str | int | bool | None) -> Checker:
    kind = type(wanted)
    return _Test(literal_text(wanted), lambda value: type(value) is kind and value == wanted)


def literal_text(value: str | int | bool | None) -> str:
    """Give a literal type as it is written."""
    if type(value) is str:
        return f'"{value}"'
    if value is None:
        return "nil"
    return str(value).lower()


def type_text(type_: resolved.Type) -> str:
    """Give a type as messages name it."""
    if isinstance(type_, resolved.TName):
        args = ", ".join([type_text(arg) for arg in type_.args])
        return f"{type_.name}<{args}>" if args else type_.name
    if isinstance(type_, resolved.TLiteral):
        return literal_text(type_.value)
    if isinstance(type_, resolved.TUnion):
        return "|".join([type_text(member) for member in type_.members])
    if isinstance(type_, resolved.TBoth):
        return " & ".join([type_text(member) for member in type_.members])
    if isinstance(type_, resolved.TShape):
        fields = [f"{name}{'?' if optional else ''}: {type_text(item)}" for name, item, optional in type_.fields]
        return "{" + ", ".join(fields) + "}"
    return "fn"
