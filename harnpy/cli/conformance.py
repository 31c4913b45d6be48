"""The command ``harnpy conformance``."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("path", default="conformance", type=click.Path(exists=True))
@click.option("--filter", "word", metavar="WORD", default="", help="Only programs with WORD in their path.")
@click.option("--bless", "blessing", is_flag=True, help="Write what the programs do as their expectations.")
def conformance(path: str, word: str, blessing: bool) -> None:
    """Run the programs below PATH (default: conformance) and compare what they do with what they should."""
    from harnpy.cli.cases import bless, failure, find_cases, run_case

    cases = [case for case in find_cases(path) if word in case.path]
    if not cases:
        raise click.UsageError("No program found.")
    failed = 0
    for case in cases:
        outcome = run_case(case)
        if blessing:
            bless(case, outcome)
        report = failure(case, outcome)
        if report:
            failed += 1
            click.echo(f"FAILED {case.path}\n{report}")
    click.echo(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
