"""The page of the Python API, from docstrings and annotations."""

from __future__ import annotations

import ast
import importlib
import inspect

import harnpy
from harnpy.reference.entries import from_docstring
from reference.markdown import code, heading, page

HOMES = {name: module for module, names in harnpy._HOME.items() for name in names}


def page_text() -> str:
    """Give the page."""
    body = ["`import harnpy` never prints and never exits. [How to use it](../embedding.md)."]
    body += [_described(_home(name), name) for name in harnpy.__all__ if name in HOMES]
    body.append(_described("harnpy.embedding_options", "SessionOptions"))
    body.append(heading(2, "harnpy.testing") + from_docstring(importlib.import_module("harnpy.testing")))
    body += [_described("harnpy.testing", name) for name in _public("harnpy.testing")]
    return page("Python API", "\n\n".join(body))


def _home(name: str) -> str:
    module = getattr(getattr(harnpy, name), "__module__", "")
    return module if module.startswith("harnpy.") else f"harnpy.{HOMES[name]}"


def _described(module: str, name: str) -> str:
    """Describe a function, class or alias as it stands in the source of its module."""
    text = heading(3 if module == "harnpy.testing" else 2, name)
    node = _node(module, name)
    if isinstance(node, ast.ClassDef):
        return text + _class(node)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return text + _function(node)
    return text + code(ast.unparse(node)) + _comment_above(module, node)


def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(importlib.import_module(module)))


def _node(module: str, name: str) -> ast.stmt:
    for node in _tree(module).body:
        if getattr(node, "name", None) == name:
            return node
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node
    raise LookupError(f"{module} has no {name}")


def _public(module: str) -> list[str]:
    kinds = (ast.ClassDef, ast.FunctionDef)
    return [node.name for node in _tree(module).body if isinstance(node, kinds) and not node.name.startswith("_")]


def _text(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    class Documented:
        __doc__ = ast.get_docstring(node)

    return from_docstring(Documented, of_python=True)


def _class(node: ast.ClassDef) -> str:
    bases = [ast.unparse(base) for base in node.bases]
    parts = [code(f"class {node.name}" + (f"({', '.join(bases)})" if bases else "")) + _text(node)]
    parts += [code("\n".join(fields))] if (fields := _fields(node)) else []
    for item in node.body:
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and _is_shown(item):
            parts.append(_function(item, node.name))
    return "\n\n".join(part.rstrip("\n") for part in parts)


def _fields(node: ast.ClassDef) -> list[str]:
    return [ast.unparse(item) for item in node.body if isinstance(item, ast.AnnAssign)]


def _is_shown(item: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return not item.name.startswith("_") or (item.name in ("__init__", "__call__") and bool(ast.get_docstring(item)))


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str = "") -> str:
    decorators = [ast.unparse(one) for one in node.decorator_list]
    if "property" in decorators:
        returns = "" if node.returns is None else ": " + ast.unparse(node.returns)
        return code(f"{owner}.{node.name}{returns}") + _text(node)
    name = owner if node.name == "__init__" else f"{owner}.{node.name}" if owner else node.name
    wait = "async " if isinstance(node, ast.AsyncFunctionDef) else ""
    mark = "".join(f"@{one}\n" for one in decorators)
    return code(mark + wait + _head(name, node, owner)) + _text(node)


def _head(name: str, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str) -> str:
    arguments = node.args
    if owner:
        (arguments.posonlyargs or arguments.args).pop(0)  # `self`
    returns = "" if node.returns is None or name == owner else f" -> {ast.unparse(node.returns)}"
    line = f"{name}({ast.unparse(arguments)}){returns}"
    if len(line) <= 100:
        return line
    return f"{name}(\n    " + ",\n    ".join(_each(arguments)) + f"\n){returns}"


def _each(arguments: ast.arguments) -> list[str]:
    """Give the parameters one by one."""
    text = ast.unparse(arguments)
    parts: list[str] = []
    depth, start = 0, 0
    for index, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and depth == 0:
            parts.append(text[start:index].strip())
            start = index + 1
    return [*parts, text[start:].strip()]


def _comment_above(module: str, node: ast.stmt) -> str:
    lines = inspect.getsource(importlib.import_module(module)).splitlines()[: node.lineno - 1]
    found: list[str] = []
    while lines and lines[-1].startswith("#"):
        found.insert(0, lines.pop().lstrip("# "))
    return " ".join(found).replace("``", "`")
