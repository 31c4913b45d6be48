"""The command ``harnpy test``."""

from __future__ import annotations

import sys

import click

from harnpy.cli.interrupts import stopping
from harnpy.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.cli.tests import Result


@click.command()
@click.argument("path", default=".", type=click.Path(exists=True))
@click.option("--filter", "word", metavar="WORD", default="", help="Only tests with WORD in FILE::NAME.")
@click.option("--timeout", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS")
@click.option("--junit", metavar="FILE", help="Also write the results as JUnit XML.")
@click.option("--seed", type=int, envvar="HARNPY_SEED", show_envvar=True, help="Seed of random numbers.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; data is a list of tests.")
@click.option("--allow", multiple=True, metavar="NAME", help="Allow a capability, such as net or process.exec.")
@click.option("--no-sandbox", is_flag=True, help="Refuse nothing.")
def test(
    path: str,
    word: str,
    timeout: float,
    junit: str | None,
    seed: int | None,
    as_json: bool,
    allow: tuple[str, ...],
    no_sandbox: bool,
) -> None:
    """Run the tests below PATH (default: here): pipelines and functions marked @test or named test_...

    Each test runs in a session of its own; NAME.llm-mock.jsonl beside NAME.harn answers its model calls. What it
    prints is shown when it fails.
    """
    from harnpy.cli.tests import find_tests, run_test

    tests = [found for found in find_tests(path) if word in found.full_name]
    if not tests:
        raise click.UsageError("No test found.")
    results: list[Result] = []
    for each in tests:
        options = Options(time_limit=timeout, seed=seed, allow=allow, no_sandbox=no_sandbox)
        results.append(run_test(each, options))
        if not as_json:
            _show(results[-1])
        if results[-1].interrupted:
            break
    _write_junit(junit, results)
    failed = sum(1 for result in results if result.reason)
    code = stopping.code or (1 if failed else 0)
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("test", [_data(result) for result in results], exit_code=code)
    else:
        click.echo(f"{len(results) - failed} passed, {failed} failed in {sum(each.seconds for each in results):.2f} s")
    sys.exit(code)


def _data(result: Result) -> dict[str, object]:
    return {
        "name": result.test.full_name,
        "passed": not result.reason,
        "reason": result.reason or None,
        "seconds": round(result.seconds, 6),
        "stdout": result.out,
        "stderr": result.err,
    }


def _show(result: Result) -> None:
    """Print one line for a test, and below it what is to know about a failure."""
    mark = "FAIL" if result.reason else "ok  "
    ending = f"  {result.reason}" if result.reason not in ("", "failed") else ""
    click.echo(f"{mark} {result.test.full_name}  {result.seconds * 1000:.0f} ms{ending}")
    if result.reason:
        for title, text in (("", result.err), ("stdout:\n", result.out)):
            if text:
                click.echo(_indented(title + text))


def _indented(text: str) -> str:
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True)).rstrip("\n")


def _write_junit(path: str | None, results: list[Result]) -> None:
    if path is None:
        return
    from harnpy.cli.junit import junit_text

    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(junit_text(results))
    except OSError as error:
        raise click.ClickException(f"cannot write {path}: {error.strerror}") from None
