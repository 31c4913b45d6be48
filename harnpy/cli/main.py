"""The group of all commands."""

from __future__ import annotations

import click

from harnpy.cli.builtins import builtins
from harnpy.cli.check import check
from harnpy.cli.conformance import conformance
from harnpy.cli.parse import parse
from harnpy.cli.run import run
from harnpy.cli.test import test
from harnpy.version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="harnpy %(version)s")
def cli() -> None:
    """Run and check programs written in Harn."""


@cli.command()
def version() -> None:
    """Print the version."""
    click.echo(f"harnpy {__version__}")


for command in (run, check, test, parse, builtins, conformance):
    cli.add_command(command)
