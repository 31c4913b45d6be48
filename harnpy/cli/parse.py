"""The command ``harnpy parse``."""

from __future__ import annotations

import json
import sys

import click

from harnpy.errors import RejectedProgram
from harnpy.streams import process_streams


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print the syntax tree as JSON.")
def parse(file: str, as_json: bool) -> None:
    """Parse the program in FILE ("-": standard input); without --json only say whether it parses."""
    from harnpy.cli.findings import read_or_explain, show
    from harnpy.syntax.dump import dump
    from harnpy.syntax.parser import parse as parse_source

    source, findings = read_or_explain(file)
    if source is not None:
        try:
            tree = dump(parse_source(source), source)
        except RejectedProgram as refusal:
            findings = refusal.diagnostics
        else:
            if as_json:
                process_streams().write_out(json.dumps(tree, ensure_ascii=False, indent=1) + "\n")
            return
    show(findings, as_json=as_json, color="auto")
    sys.exit(1)
