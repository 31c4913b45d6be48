"""The command ``harnpy conformance``."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("path", default="conformance", type=click.Path(exists=True))
@click.option("--filter", "word", metavar="WORD", default="", help="Only programs with WORD in their path.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; data is a list of {path, failure}.")
@click.option("--bless", "blessing", is_flag=True, help="Write what the programs do as their expectations.")
def conformance(path: str, word: str, blessing: bool, as_json: bool) -> None:
    """Run the programs below PATH (default: conformance) and compare what they do with what they should."""
    from harnpy.cli.cases import bless, failure, find_cases, run_case
    from harnpy.cli.interrupts import stopping

    cases = [case for case in find_cases(path) if word in case.path]
    if not cases:
        raise click.UsageError("No program found.")
    reports = []
    for case in cases:
        outcome = run_case(case)
        if stopping.code:
            sys.exit(stopping.code)
        if blessing:
            bless(case, outcome)
        reports.append(failure(case, outcome))
        if reports[-1] and not as_json:
            click.echo(f"FAILED {case.path}\n{reports[-1]}")
    failed = sum(1 for report in reports if report)
    if as_json:
        from harnpy.cli.envelope import print_envelope

        data = [{"path": case.path, "failure": report or None} for case, report in zip(cases, reports, strict=True)]
        print_envelope("conformance", data, exit_code=1 if failed else 0)
    else:
        click.echo(f"{len(cases) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
