"""The command ``harnpy parse``."""

from __future__ import annotations

import json
import sys

import click

from harnpy.cli.findings import read_or_explain, show
from harnpy.errors import RejectedProgram
from harnpy.streams import process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the syntax tree as JSON.")
def parse(file: str, as_json: bool) -> None:
    """Parse the program in FILE ("-": standard input); without --json only say whether it parses."""
    from harnpy.syntax.parser import parse as parse_source

    source, findings = read_or_explain(file)
    try:
        tree = None if source is None else parse_source(source)
    except RejectedProgram as refusal:
        tree, findings = None, refusal.diagnostics
    if tree is None:
        show(findings, as_json=as_json, color="auto")
        sys.exit(1)
    if as_json:
        process_streams().write_out(json.dumps(to_json(tree), ensure_ascii=False, indent=1) + "\n")


def to_json(node: Any) -> Any:
    """Give a node of the syntax tree, or what stands in its fields, as JSON data.

    A node becomes an object with its class name as ``node`` and its fields by name; a span two offsets.
    """
    fields = getattr(type(node), "__attrs_attrs__", None)
    if fields is not None:
        return {"node": type(node).__name__, **{field.name: to_json(getattr(node, field.name)) for field in fields}}
    if isinstance(node, list | tuple):
        return [to_json(item) for item in node]
    return node
