"""What is certain about a value without running the program: its kind, and the entries of a dict literal."""

from __future__ import annotations

from harnpy.analysis import resolved as R

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Types = Mapping[str, R.Type | None]

KINDS = ("dict", "list", "set", "string")
# Methods that give what they were called on, changed.
_SAME_KIND = {
    "dict": "filter map_keys map_values merge merging rekey rekeyed remove removing to_dict",
    "list": """
        appending compact drop_while dropping_last filter flat_map flatten map pop push reverse reversed skip slice sort
        sort_by sorted sorted_by take take_while to_list unique
    """,
    "set": "add adding delete difference filter intersect intersection map remove removing to_set union",
    "string": """
        lower lowercase pad_left pad_right repeat replace reverse reversed slice substring to_lower to_upper trim
        trim_end trim_start upper uppercase
    """,
}


class Known:
    """A value of a known ``kind``; ``entries`` are the known ones of a dict, ``function`` is the code of a closure."""

    __slots__ = ("entries", "function", "kind")

    def __init__(self, kind: str, entries: dict[str, Known] | None = None, function: R.Function | None = None) -> None:
        self.kind = kind
        self.entries = entries or {}
        self.function = function


class Scope:
    """What is known of the variables of one frame, and of the module (shared by all its scopes)."""

    __slots__ = ("names", "slots")

    def __init__(self, names: dict[str, Known]) -> None:
        self.names = names
        self.slots: dict[int, Known] = {}

    def inner(self, function: R.Function, types: Types) -> Scope:
        """Give the scope of a function that is made here."""
        scope = Scope(self.names)
        for slot, param in enumerate(function.params):
            found = None if param.rest else of_type(param.type, types)
            if found is not None:
                scope.slots[slot] = found
        for place, slot in enumerate(function.captures, len(function.params)):
            if slot in self.slots:
                scope.slots[place] = self.slots[slot]
        return scope

    def set(self, target: R.Target, value: Known | None) -> None:
        """Note what a variable holds from here on; ``None``: nobody knows."""
        if isinstance(target, R.ToLocal):
            self.slots.pop(target.slot, None)
            if value is not None:
                self.slots[target.slot] = value
        elif isinstance(target, R.ToGlobal):
            self.names.pop(target.name, None)
            if value is not None:
                self.names[target.name] = value


def of_type(type_: R.Type | None, types: Types) -> Known | None:
    """Give what an annotation says of a value that was let through."""
    for _ in range(10):  # aliases of aliases
        if not isinstance(type_, R.TName) or type_.name in KINDS:
            break
        type_ = types.get(type_.name)
    if isinstance(type_, R.TName) and type_.name in KINDS and type_.name != "dict":
        return Known(type_.name)
    if isinstance(type_, R.TShape):
        fields = {name: of_type(field, types) for name, field, optional in type_.fields if not optional}
        # A shape lets structs through too, whose methods are their own.
        return Known("shape", {name: field for name, field in fields.items() if field is not None})
    return None


def of_value(node: R.Node, scope: Scope) -> Known | None:
    """Give what is certain about the value of an expression."""
    if isinstance(node, R.ListOf):
        return Known("list")
    if isinstance(node, R.Interp) or (isinstance(node, R.Const) and isinstance(node.value, str)):
        return Known("string")
    if isinstance(node, R.DictOf):
        return Known("dict", _entries(node, scope))
    if isinstance(node, R.MakeClosure):
        return Known("closure", function=node.function)
    if isinstance(node, R.Local | R.LocalCell):
        return scope.slots.get(node.slot)
    if isinstance(node, R.Global):
        return scope.names.get(node.name)
    if isinstance(node, R.Binary):
        left = of_value(node.left, scope) if node.op == "+" else None
        return None if left is None or left.kind not in KINDS else Known(left.kind)
    if isinstance(node, R.MethodCall):
        changed = of_value(node.receiver, scope)
        same = changed is not None and node.name in _SAME_KIND.get(changed.kind, "").split()
        return Known(changed.kind) if same and changed is not None else None
    if isinstance(node, R.Property):
        receiver = of_value(node.receiver, scope)
        return None if receiver is None else receiver.entries.get(node.name)
    return None


def _entries(node: R.DictOf, scope: Scope) -> dict[str, Known]:
    entries: dict[str, Known] = {}
    for entry in node.entries:
        if isinstance(entry, R.Spread):
            entries.clear()
        elif isinstance(entry.key, R.Const) and isinstance(entry.key.value, str):
            found = of_value(entry.value, scope)
            entries.pop(entry.key.value, None)
            if found is not None:
                entries[entry.key.value] = found
    return entries
