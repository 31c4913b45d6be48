"""The command ``harnpy repl``."""

from __future__ import annotations

import sys

import click

from harnpy.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.cli.repl_engine import Engine

PROMPT, MORE = "harn> ", "  ... "


@click.command()
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from this JSONL file; no call leaves the machine.")
@click.option("--seed", type=int, envvar="HARNPY_SEED", show_envvar=True, help="Seed of random numbers.")
@click.option("--allow", multiple=True, metavar="NAME", help="Allow a capability, such as net or process.exec.")
@click.option("--no-sandbox", is_flag=True, help="Refuse nothing.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour of the prompt.")
def repl(llm_mock: str | None, seed: int | None, allow: tuple[str, ...], no_sandbox: bool, color: str) -> None:
    """Read, evaluate and print one input after the other; `:help` lists the commands."""
    from harnpy.cli.repl_engine import Engine
    from harnpy.errors import Exit
    from harnpy.streams import process_streams

    options = Options(llm_mock=llm_mock, seed=seed, allow=allow, no_sandbox=no_sandbox, color=color)
    engine = Engine(options, process_streams(color))
    try:
        if _has_terminal() and _has_prompt_toolkit():
            from harnpy.cli.repl_prompt import run_prompt

            run_prompt(engine)
        else:
            run_plain(engine, prompts=_has_terminal())
    except Exit as end:
        sys.exit(end.code)
    finally:
        engine.close()


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def _has_prompt_toolkit() -> bool:
    from importlib.util import find_spec

    return find_spec("prompt_toolkit") is not None


def run_plain(engine: Engine, *, prompts: bool) -> None:
    """Read lines without a line editor until the end of the input or ``:quit``."""
    from harnpy.cli.repl_commands import run_command
    from harnpy.cli.repl_reader import Reader

    reader = Reader()
    while True:
        if prompts:
            engine.streams.write_out(MORE if reader.waiting else PROMPT)
            sys.stdout.flush()
        try:
            line = engine.streams.read_line()
        except KeyboardInterrupt:
            engine.streams.write_out("\n")
            reader = Reader()
            continue
        if line is None:
            break
        if line.lstrip().startswith(":") and not reader.waiting:
            if not run_command(engine, line):
                return
            continue
        state = reader.add(line)
        if state == "complete":
            engine.run(reader.text)
        elif state == "cancelled":
            engine.streams.write_err("given up\n")
    if reader.waiting:
        engine.streams.write_err("the input ended in the middle of a construct\n")
    if prompts:
        engine.streams.write_out("\n")
