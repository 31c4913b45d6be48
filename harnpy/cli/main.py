"""The group of all commands."""

from __future__ import annotations

import sys

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class _Commands(click.Group):
    """The commands; with ``--json`` what is wrong with a command line is told in the envelope as well."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line ``args`` (default: that of the process)."""
        words = sys.argv[1:] if args is None else list(args)
        own = words[: words.index("--")] if "--" in words else words
        if not standalone_mode or "--json" not in own:
            return super().main(words, prog_name, complete_var, standalone_mode, **extra)
        from harnpy.cli.refusal import answered_as_json

        named = next((word for word in own if word in self.commands), None)
        sys.exit(answered_as_json(named, lambda: super(_Commands, self).main(words, prog_name, standalone_mode=False)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; a program in its place is told from a word that is none."""
        if args[0].endswith(".harn") and args[0] not in self.commands:
            ctx.fail(f"no such command: {args[0]} (to run the program: `harnpy run {args[0]}`)")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Carry a command out; when the reader of its output goes away it ends as other programs do."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            from harnpy.streams import without_reader

            sys.exit(without_reader())


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
