"""Which names mean a type, and what is said of an annotation whose name means none (HARN-TYP-020).

Such a name accepts every value (language 13.2), so it is a warning: the check that it looks like does not take place.
"""

from __future__ import annotations

from harnpy.analysis import resolved as R

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.modules import LoadedModule

# What ``R.Module.free`` says of a name that stands in an annotation.
ANNOTATION = "annotation"

# The types of language 13.2, and further kinds that ``type_of`` tells of.
_CHECKED = frozenset(
    """
    any bool bytes closure decimal dict duration float int list never nil number owned set string tuple unknown
    Generator Iter Schema Stream
    """.split()
)
_KINDS = frozenset(
    """
    atomic builtin channel enum generator iter mailbox mcp_client namespace pair range rng shared_cell shared_map stream
    struct sync_permit task_handle verdict_receipt Result
    """.split()
)
# What other languages call the types that Harn has another word for.
_FOREIGN = {
    **dict.fromkeys(("str", "String", "text", "char"), "string"),
    **dict.fromkeys(("integer", "Int", "Integer", "i64", "long"), "int"),
    **dict.fromkeys(("double", "Float", "f64", "real"), "float"),
    **dict.fromkeys(("boolean", "Bool", "Boolean"), "bool"),
    **dict.fromkeys(("array", "Array", "List", "vec", "Vec"), "list"),
    **dict.fromkeys(("map", "Map", "object", "Object", "record", "Record", "Dict", "json"), "dict"),
    **dict.fromkeys(("null", "None", "void", "Void", "undefined", "unit"), "nil"),
    **dict.fromkeys(("func", "function", "Function", "callable", "Callable", "lambda"), "closure"),
    **dict.fromkeys(("Any", "dynamic"), "any"),
}


def is_type_name(name: str) -> bool:
    """Tell whether ``name`` means a type everywhere; single capitals may be parameters of a generic type."""
    return name in _CHECKED or name in _KINDS or name.startswith("Harness") or name == "Self" or len(name) == 1


def unknown_types(module: LoadedModule) -> list[R.Notice]:
    """Give a warning for each place where an annotation names a type that neither the module nor an import has."""
    found: list[R.Notice] = []
    for name, use, spans in module.module.free:
        if use == ANNOTATION and name not in module.type_scope and name not in module.scope:
            message = f"Unknown type: {name}: it accepts every value"
            found += [R.Notice(span, "HARN-TYP-020", message, _hint(module, name)) for span in spans]
    found.sort(key=lambda notice: notice.span)
    return found


def _hint(module: LoadedModule, name: str) -> str:
    from harnpy.analysis.suggestions import closest

    known = {*_CHECKED, *module.types, *module.type_scope, *module.scope, *module.module.globals}
    near = _FOREIGN.get(name) or closest(name, known)
    return f"did you mean `{near}`?" if near else "declare or import it; `any` accepts every value on purpose"
