"""The table of all builtin functions and methods: name to the Python function that is it.

A row is ``"name": "module:function"`` with the module below ``harnpy.builtins``, or below ``harnpy`` when its
name has a dot (``capabilities.llm``: that layer stands above this one). Modules are imported
when a program first mentions one of their names, so the table costs nothing at start-up. Conventions
of the functions: ``Builtin`` in ``runtime.values``.
"""

from __future__ import annotations

from importlib import import_module

from harnpy.builtins.reserved import is_reserved, refusal
from harnpy.builtins.table import FUNCTIONS, METHODS
from harnpy.runtime.values import Builtin

_functions: dict[str, Builtin] = {}
_methods: dict[tuple[str, str], Builtin] = {}


def _load(name: str, row: str) -> Builtin:
    module, _, function = row.partition(":")
    package = "harnpy." if "." in module else "harnpy.builtins."
    return Builtin(name, getattr(import_module(package + module), function))


def function(name: str) -> Builtin | None:
    """Give the global builtin ``name``, or ``None``."""
    found = _functions.get(name)
    if found is None:
        row = FUNCTIONS.get(name)
        if row is not None:
            found = _load(name, row)
        elif is_reserved(name):
            found = Builtin(name, refusal(name))
        else:
            return None
        _functions[name] = found
    return found


def is_function(name: str) -> bool:
    """Tell whether ``name`` is a global builtin, without loading it."""
    return name in FUNCTIONS or is_reserved(name)


def method(type_name: str, name: str) -> Builtin | None:
    """Give the method ``name`` of values whose ``type_of`` is ``type_name``, or ``None``.

    Its function takes the receiver first (after ``ctx``, if it wants that).
    """
    key = (type_name, name)
    found = _methods.get(key)
    if found is None:
        row = METHODS.get(type_name, {}).get(name)
        if row is None:
            return None
        found = _methods[key] = _load(name, row)
    return found


def function_names() -> list[str]:
    """Give the names of all global builtins, sorted."""
    return sorted(FUNCTIONS)
