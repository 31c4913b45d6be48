"""The command ``harnpy parse``."""

from __future__ import annotations

import sys

import click

from harnpy.errors import RejectedProgram


@click.command()
@click.argument("file", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; data is the syntax tree.")
def parse(file: str, as_json: bool) -> None:
    """Parse the program in FILE ("-": standard input); without --json only say whether it parses."""
    from harnpy.cli.envelope import print_envelope
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
                print_envelope("parse", tree)
            return
    if as_json:
        print_envelope("parse", None, findings, 1)
    else:
        show(findings, color="auto")
    sys.exit(1)
