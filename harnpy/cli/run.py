"""The command ``harnpy run``."""

from __future__ import annotations

import sys

import click

from harnpy.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _known(_context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse a capability that does not exist: a slip must not leave a program with more, or less, than was meant."""
    from harnpy.capabilities.harness import is_capability

    for name in names:
        if not is_capability(name):
            raise click.BadParameter(
                f"there is no capability {name!r}; name one like fs or fs.read_text", param=parameter
            )
    return names


_LIMITS = ("steps", "text", "list")


def _numbers(_context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, int]:
    """Read limits of the form ``NAME=N``."""
    limits = {}
    for text in given:
        name, _, number = text.partition("=")
        if name not in _LIMITS or not (number.isascii() and number.isdigit()):
            raise click.BadParameter(f"{text!r} is not NAME=N; NAME is one of {', '.join(_LIMITS)}", param=parameter)
        limits[name] = int(number)
    return limits


def _finite(_context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not 0 <= seconds < float("inf"):
        raise click.BadParameter(f"{seconds} is not a number of seconds", param=parameter)
    return seconds


class _RunCommand(click.Command):
    """``harnpy run``: a bare ``--virtual-time`` in front of a file does not take the file's name for its time."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Give ``--virtual-time`` its default time where no number follows it."""
        given = args[: args.index("--")] if "--" in args else args
        for position, arg in enumerate(given):
            if arg == "--virtual-time" and not _is_number("".join(given[position + 1 : position + 2])):
                args = [*args[:position], "--virtual-time=0", *args[position + 1 :]]
        return super().parse_args(ctx, args)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


@click.command(cls=_RunCommand)
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.argument("argv", nargs=-1, type=click.UNPROCESSED)
@click.option("-e", "code", metavar="CODE", help="Run CODE instead of a file.")
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from this JSONL file; no call leaves the machine.")
@click.option("--llm-mock-record", metavar="FILE", help="Write every live model call to this file, for --llm-mock.")
@click.option("--seed", type=int, envvar="HARNPY_SEED", show_envvar=True, help="Seed of random numbers.")
@click.option(
    "--virtual-time",
    type=int,
    is_flag=False,
    flag_value=0,
    metavar="[MS]",
    help="Start a virtual clock at MS since 1970 (default 0): waiting takes no time.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0),
    callback=_finite,
    metavar="SECONDS",
    help="Stop the run then (exit 124).",
)
@click.option("--max-depth", type=click.IntRange(16, 10000), help="Deepest nesting of calls (default 1000).")
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="NAME=N",
    callback=_numbers,
    help="Bound steps (calls and loop turns), the characters of a text, or the items of a list: --limit steps=100000.",
)
@click.option("--events", metavar="FILE", help="Write every event as one line of JSON.")
@click.option("--trace", metavar="FILE", help="Write a page that shows calls, waits and events on a time line.")
@click.option("--trace-prompts", is_flag=True, help="Show prompts and system texts in the page of --trace too.")
@click.option("--harness", metavar="FILE", help="Use the mock or null harness that this JSON file describes.")
@click.option(
    "--allow", multiple=True, metavar="NAME", callback=_known, help="Allow a capability, such as net or process.exec."
)
@click.option(
    "--deny", multiple=True, metavar="NAME", callback=_known, help="Refuse a capability, such as fs or env.get."
)
@click.option(
    "--write-root",
    multiple=True,
    metavar="DIR",
    help="Let the program write files below DIR instead of the project (and read them).",
)
@click.option("--no-sandbox", is_flag=True, help="Refuse nothing but what --deny names.")
@click.option("--no-cache", is_flag=True, help="Neither read nor write the cache of parsed modules.")
@click.option("--json", "as_json", is_flag=True, help="Print output, events and the result as lines of JSON.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour of diagnostics.")
def run(**given: Any) -> None:
    """Run the program in FILE ("-": standard input); what follows "--" is its argv."""
    from harnpy.cli.program import of_code, of_file, of_stdin, run_here

    options, file, code = run_options(given), given["file"], given["code"]
    if code is None and file is None:
        raise click.UsageError("Name a FILE, or give the program with -e.")
    read = of_code(code) if code is not None else of_stdin if file == "-" else of_file(file)
    if given["trace_prompts"] and given["trace"] is None:
        raise click.UsageError("--trace-prompts adds to the page of --trace FILE.")
    trace = None if given["trace"] is None else (given["trace"], given["trace_prompts"])
    if given["as_json"]:
        from harnpy.cli.machine import run_as_json

        sys.exit(run_as_json(read, options, trace))
    sys.exit(run_here(read, options, trace))


def run_options(given: dict[str, Any]) -> Options:
    """Make the options of a session from the parameters of this command."""
    rest = {
        name: value
        for name, value in given.items()
        if name not in ("file", "code", "as_json", "trace", "trace_prompts")
    }
    if given["llm_mock"] is not None and given["llm_mock_record"] is not None:
        raise click.UsageError("--llm-mock-record writes live calls, and with --llm-mock there are none.")
    if given["code"] is not None and given["file"] is not None:
        rest["argv"] = (given["file"], *rest["argv"])
    return Options(**rest)
