"""The group of all commands."""

from __future__ import annotations

import click

from harnpy.cli.builtins import builtins
from harnpy.cli.check import check
from harnpy.cli.completion import completion
from harnpy.cli.conformance import conformance
from harnpy.cli.doc import doc
from harnpy.cli.explain import explain
from harnpy.cli.parse import parse
from harnpy.cli.repl import repl
from harnpy.cli.run import run
from harnpy.cli.test import test
from harnpy.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="harnpy %(version)s")
def cli() -> None:
    """Run and check programs written in Harn."""


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def version(as_json: bool) -> None:
    """Print the version."""
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("version", __version__)
    else:
        click.echo(f"harnpy {__version__}")


for command in (run, check, test, repl, explain, doc, parse, builtins, conformance, completion):
    cli.add_command(command)
