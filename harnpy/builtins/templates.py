"""Prompt templates: ``render``, ``render_prompt``, ``render_string`` and where their files are (builtins 1.17)."""

from __future__ import annotations

import os

from harnpy.builtins.file_access import locate, read_bytes, reason
from harnpy.builtins.locations import project_root, root, source_dir
from harnpy.builtins.sizes import check_text
from harnpy.builtins.template_expressions import is_true
from harnpy.builtins.template_filters import shown
from harnpy.builtins.template_parse import Branches, Include, Loop, Node, Output, Text, parse
from harnpy.builtins.template_scan import Template
from harnpy.errors import thrown_text
from harnpy.runtime.places import CALLING_FOLDER
from harnpy.runtime.values import RangeValue, SetValue, StructValue, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnpy.runtime.context import Context

    Scope = dict[str, Any]

MAX_DEPTH = 32


class Renderer:
    """Renders one template and what it includes; ``chain`` are the files that are being rendered."""

    def __init__(self, ctx: Context, template: Template, chain: tuple[str, ...], folder: str, size: int = 0) -> None:
        self._ctx = ctx
        self._template = template
        self._chain = chain
        self._folder = folder
        self.out: list[tuple[str, Template, int]] = []
        # Characters written so far, those of including templates with them.
        self.size = size

    def render(self, scope: Scope) -> list[tuple[str, Template, int]]:
        """Give the texts, each with the template and the offset from which it came."""
        self._block(parse(self._template), scope)
        return self.out

    def _block(self, nodes: list[Node], scope: Scope) -> None:
        for node in nodes:
            if isinstance(node, Text):
                self._write(node.text, node)
            elif isinstance(node, Output):
                self._write(_output(node, scope), node)
            elif isinstance(node, Branches):
                self._block(_chosen(node, scope), scope)
            elif isinstance(node, Loop):
                self._loop(node, scope)
            elif isinstance(node, Include):
                self._include(node, scope)

    def _write(self, text: str, node: Node) -> None:
        self.out.append((text, self._template, node.at))
        self.size += len(text)
        check_text(self._ctx, self.size)

    def _loop(self, loop: Loop, scope: Scope) -> None:
        source = loop.source.evaluate(scope)
        items = _entries(source)
        if items is None:
            message = f"cannot iterate over {type_of(source)} — expected list, dict, set, or range"
            raise self._template.fault(loop.at, message)
        length, entries = items
        if not length:
            self._block(loop.otherwise, scope)
        of_dict = type(source) in (dict, StructValue)
        for index, (key, value) in enumerate(entries):
            if self._ctx.stop:
                self._ctx.stop()
            item = {"key": key, "value": value} if of_dict and not loop.key else value
            names = {loop.key: key, loop.name: value} if loop.key else {loop.name: item}
            self._block(loop.body, {**scope, "loop": _turn(index, length), **names})

    def _include(self, node: Include, scope: Scope) -> None:
        path = node.path.evaluate(scope)
        if type(path) is not str:
            raise self._template.fault(node.at, f"include path must be a string (got {type_of(path)})")
        full = self._included(node, path)
        try:
            text = _read(self._ctx, full)
        except (OSError, UnicodeError) as error:
            message = f"failed to read included template {full}: {reason(error)}"
            raise self._template.fault(node.at, message) from None
        bindings = {name: expression.evaluate(scope) for name, expression in node.bindings}
        template = Template(text, full, self._ctx.limits.max_string)
        inner = Renderer(self._ctx, template, (*self._chain, full), os.path.dirname(full), self.size)
        self.out += inner.render({**scope, **bindings})
        self.size = inner.size

    def _included(self, node: Include, path: str) -> str:
        """Give the file of an include, which must lie below the template root and not include itself."""
        full = _located(self._ctx, path, self._folder)
        top = _template_root(self._ctx, os.path.dirname(self._chain[0]) if self._chain else self._folder)
        if not _is_below(os.path.realpath(full), top):
            raise self._template.fault(node.at, f"include path {path} escapes template root {top}")
        if full in self._chain:
            cycle = " → ".join([*self._chain[self._chain.index(full) :], full])
            raise self._template.fault(node.at, f"circular include detected: {cycle}")
        if len(self._chain) >= MAX_DEPTH:
            raise self._template.fault(node.at, f"include depth exceeded ({MAX_DEPTH} levels)")
        return full


def _output(node: Output, scope: Scope) -> str:
    name = node.expression.name
    if name is not None and name not in scope:
        return f"{{{{{name}}}}}"
    return shown(node.expression.evaluate(scope))


def _chosen(node: Branches, scope: Scope) -> list[Node]:
    for condition, block in node.branches:
        if is_true(condition.evaluate(scope)):
            return block
    return node.otherwise


def _turn(index: int, length: int) -> dict[str, Any]:
    """Give what the loop variable is in one turn."""
    return {
        "index": index + 1,
        "index0": index,
        "first": index == 0,
        "last": index == length - 1,
        "length": length,
    }


def _entries(source: Any) -> tuple[int, Iterable[tuple[Any, Any]]] | None:
    """Give the number of items, and key (or index) and value of each; ``None`` for what cannot be iterated."""
    if source is None:
        return 0, ()
    fields = source.fields if type(source) is StructValue else source
    if type(fields) is dict:
        return len(fields), [(key, fields[key]) for key in sorted(fields)]
    if type(fields) is list:
        return len(fields), enumerate(fields)
    if type(fields) is SetValue:
        return len(fields.members), enumerate(fields.members.values())
    if type(fields) is RangeValue:
        return fields.stop - fields.start, enumerate(range(fields.start, fields.stop))
    return None


def _located(ctx: Context, path: str, folder: str) -> str:
    """Give the file of a template path: from ``folder``, from the project root (``@/``) or from an alias of it."""
    if not path.startswith("@"):
        return os.path.normpath(os.path.join(folder, path))
    top = project_root(ctx) or root(ctx)
    alias, _, rest = path[1:].partition("/")
    if not alias:
        return os.path.normpath(os.path.join(top, rest))
    aliases = _aliases(top)
    if alias not in aliases:
        raise thrown_text(f"Failed to read template {path}: harn.toml has no `{alias}` under [asset_roots]")
    return os.path.normpath(os.path.join(top, aliases[alias], rest))


def _aliases(top: str) -> dict[str, str]:
    import tomllib

    try:
        with open(os.path.join(top, "harn.toml"), "rb") as file:
            found = tomllib.load(file).get("asset_roots")
    except (OSError, tomllib.TOMLDecodeError):
        return {}
    return {name: path for name, path in found.items() if type(path) is str} if type(found) is dict else {}


def _template_root(ctx: Context, first: str) -> str:
    """Give the folder that includes may not leave: the project's, or ``first`` when that lies outside of it."""
    top, first = os.path.realpath(project_root(ctx) or root(ctx)), os.path.realpath(first)
    return top if _is_below(first, top) else first


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)


def _read(ctx: Context, path: str) -> str:
    return read_bytes(ctx, locate(ctx, "render_prompt", path)).decode("utf-8")


def _start(ctx: Context) -> str:
    """Give the folder of the file whose code renders."""
    return ctx.services.get(CALLING_FOLDER) or source_dir(ctx)


def _scope(bindings: Any) -> Scope:
    return bindings if type(bindings) is dict else {}


def _from_file(ctx: Context, path: Any, bindings: Any) -> tuple[list[tuple[str, Template, int]], Template]:
    if type(path) is not str:
        raise thrown_text(f"render_prompt: path must be a string, got {type_of(path)}")
    full = _located(ctx, path, _start(ctx))
    try:
        template = Template(_read(ctx, full), full, ctx.limits.max_string)
    except (OSError, UnicodeError) as error:
        raise thrown_text(f"Failed to read template {full}: {reason(error)}") from None
    renderer = Renderer(ctx, template, (full,), os.path.dirname(full))
    return renderer.render(_scope(bindings)), template


def render_prompt(ctx: Context, path: Any = None, bindings: Any = None) -> str:
    """Render the template in a file; the path starts at the folder of the calling file, or with ``@/`` at the project.

    Errors: throws ``Failed to read template <path>: <reason>``, or ``<path> at <line>:<col>: <fault>``.
    """
    pieces, _ = _from_file(ctx, path, bindings)
    return "".join([text for text, _, _ in pieces])


def render_string(ctx: Context, template: Any = "", bindings: Any = None) -> str:
    """Render a template that is a text; includes start at the folder of the calling file.

    Errors: throws ``at <line>:<col>: <fault>``.
    """
    source = Template(shown(template), "", ctx.limits.max_string)
    pieces = Renderer(ctx, source, (), _start(ctx)).render(_scope(bindings))
    return "".join([text for text, _, _ in pieces])


def render_with_provenance(ctx: Context, path: Any = None, bindings: Any = None) -> dict[str, Any]:
    """Render as ``render_prompt``: ``{text, template_uri, prompt_id, spans}``, which say where each part came from."""
    from hashlib import sha256

    pieces, template = _from_file(ctx, path, bindings)
    spans, at = [], 0
    for text, source, offset in pieces:
        line, column = source.line_column(offset)
        place = {"template_uri": source.path, "line": line, "column": column}
        spans.append({"start": at, "end": at + len(text), **place})
        at += len(text)
    return {
        "text": "".join([text for text, _, _ in pieces]),
        "template_uri": template.path,
        "prompt_id": "sha256:" + sha256(template.text.encode()).hexdigest(),
        "spans": spans,
    }
