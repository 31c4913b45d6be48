"""Advises about an error that nothing in the program caught: what was probably meant."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.errors import HarnError

_NO_METHOD = " has no method `"
_TO_TEXT = 'write `"... ${x}"`, or `to_string(x)`'
# Texts of errors, and what to write instead.
_TEXTS = {
    **{f"Type error: Cannot add string and {kind}": _TO_TEXT for kind in ("int", "float", "bool", "nil")},
    **{f"Type error: Cannot add {kind} and string": _TO_TEXT for kind in ("int", "float", "bool", "nil")},
    "Type error: cannot access property `first` on dict": "write `for (k, v) in d.iter() { ... }`",
}


def carried(error: HarnError) -> str | None:
    """Give the advice that an error carries."""
    value = error.value
    if error.thrown or type(value) is not dict or type(value.get("help")) is not str:
        return None
    return str(value["help"])


def suggested(error: HarnError) -> str | None:
    """Give the advice that the text of an error suggests to who wrote the line."""
    value = error.value
    if error.thrown or type(value) is not str:
        return None
    return _method(value) if _NO_METHOD in value else _TEXTS.get(value)


def _method(text: str) -> str | None:
    """Name the method, or the member of the harness, that was probably meant."""
    from harnpy.analysis.suggestions import closest
    from harnpy.builtins.table import METHODS
    from harnpy.capabilities import methods

    before, _, name = text.rpartition(_NO_METHOD)
    kind, name = before.rsplit(" ", 1)[-1], name.removesuffix("`")
    own = methods.METHODS.get(kind.removeprefix("Harness").lower(), "")
    names = [*METHODS.get(kind, {}), *methods.parse(own)]
    if kind == "Harness":
        names = [*methods.METHODS, *methods.parse(methods.ROOT_METHODS)]
    elif (kind, name) in _OTHER_NAMES:
        return f"write `{_OTHER_NAMES[kind, name]}`"
    longer = sorted(each for each in names if len(name) >= 3 and each.startswith(name))
    meant = longer[:3] or [each for each in (closest(name, names),) if each is not None]
    return f"did you mean {' or '.join(f'`{each}`' for each in meant)}?" if meant else None


# Methods of other languages.
_OTHER_NAMES = {
    ("list", "append"): "xs = xs.push(x)",
    ("list", "extend"): "xs = xs + ys",
    ("list", "concat"): "xs + ys",
    ("list", "forEach"): "for x in xs { ... }",
    ("list", "some"): "xs.any(fn)",
    ("list", "size"): "len(xs)",
    ("string", "strip"): "s.trim()",
    ("string", "startswith"): "s.starts_with(text)",
    ("string", "startsWith"): "s.starts_with(text)",
    ("string", "endswith"): "s.ends_with(text)",
    ("string", "endsWith"): "s.ends_with(text)",
    ("string", "toUpperCase"): "s.upper()",
    ("string", "toLowerCase"): "s.lower()",
    ("string", "format"): 'format("{name}", {name: x})',
    ("string", "find"): "s.index_of(text)",
    ("string", "indexOf"): "s.index_of(text)",
    ("dict", "items"): "d.entries()",
    ("dict", "update"): "d = d + other",
    ("dict", "pop"): "d = d.remove(key)",
}
