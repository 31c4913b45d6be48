"""The command ``harnpy check``."""

from __future__ import annotations

import sys

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.diagnostics import Diagnostic


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; the findings are its diagnostics.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour of diagnostics.")
def check(files: tuple[str, ...], as_json: bool, color: str) -> None:
    """Say what is wrong with the programs in FILEs, without running them."""
    from harnpy.builtins import registry
    from harnpy.cli.findings import read_or_explain, show
    from harnpy.cli.lints import lints
    from harnpy.runtime.program import check_program

    findings: list[Diagnostic] = []
    for file in files:
        source, found = read_or_explain(file)
        findings += check_program(source, registry, lints) if source is not None else found
    code = 1 if any(finding.severity == "error" for finding in findings) else 0
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("check", {"files": list(files)}, findings, code)
    else:
        show(findings, color=color)
    sys.exit(code)
