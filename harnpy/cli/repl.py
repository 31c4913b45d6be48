"""The command ``harnpy repl``."""

from __future__ import annotations

import os
import sys

import click

from harnpy.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.cli.repl_engine import Engine
    from harnpy.cli.repl_reader import Reader
    from harnpy.cli.repl_signals import ReplSignals

PROMPT, MORE = "harn> ", "  ... "
_NO_EDITOR = "without prompt_toolkit there is no editing, completion or history: pip install prompt_toolkit pygments\n"


@click.command()
@click.option("--llm-mock", metavar="FILE", help="Answer model calls from this JSONL file; no call leaves the machine.")
@click.option("--seed", type=int, envvar="HARNPY_SEED", show_envvar=True, help="Seed of random numbers.")
@click.option("--allow", multiple=True, metavar="NAME", help="Allow a capability, such as net or process.exec.")
@click.option("--no-sandbox", is_flag=True, help="Refuse nothing.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="Colour of the prompt.")
def repl(llm_mock: str | None, seed: int | None, allow: tuple[str, ...], no_sandbox: bool, color: str) -> None:
    """Read, evaluate and print one input after the other; `:help` lists the commands."""
    from harnpy.cli.interrupts import hand_to
    from harnpy.cli.repl_engine import Engine
    from harnpy.cli.repl_signals import ReplSignals
    from harnpy.errors import Exit
    from harnpy.streams import process_streams

    options = Options(llm_mock=llm_mock, seed=seed, allow=allow, no_sandbox=no_sandbox, color=color)
    engine = Engine(options, process_streams(color))
    terminal = _has_terminal()
    signals = ReplSignals(engine, interactive=terminal)
    hand_to(signals.arrived)
    try:
        _talk(engine, signals, terminal=terminal)
        code = 0
    except Exit as end:
        code = end.code
    finally:
        engine.close()
    sys.exit(signals.code or code)


def _talk(engine: Engine, signals: ReplSignals, *, terminal: bool) -> None:
    if terminal and os.environ.get("TERM") != "dumb":
        if _has_prompt_toolkit():
            from harnpy.cli.repl_prompt import run_prompt

            run_prompt(engine, signals)
            return
        engine.streams.write_err(_NO_EDITOR)
    run_plain(engine, signals, prompts=terminal)


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()


def _has_prompt_toolkit() -> bool:
    from importlib.util import find_spec

    return find_spec("prompt_toolkit") is not None


def run_plain(engine: Engine, signals: ReplSignals, *, prompts: bool) -> None:
    """Read lines without a line editor until the end of the input or ``:quit``."""
    from harnpy.cli.repl_reader import Reader

    reader = Reader()
    while not signals.code:
        try:
            line = _read_line(engine, signals, prompt=(MORE if reader.waiting else PROMPT) if prompts else "")
        except KeyboardInterrupt:
            engine.streams.write_out("\n")
            reader = Reader()
            continue
        if line is None:
            break
        if not _take(engine, reader, line):
            return
    if reader.waiting:
        engine.streams.write_err("the input ended in the middle of a construct\n")
    if prompts:
        engine.streams.write_out("\n")


def _take(engine: Engine, reader: Reader, line: str) -> bool:
    """Do what a line asks for; False ends the REPL."""
    if line.lstrip().startswith(":") and not reader.waiting:
        from harnpy.cli.repl_commands import run_command

        return run_command(engine, line)
    state = reader.add(line)
    if state == "complete":
        engine.run(reader.text)
    elif state == "cancelled":
        engine.streams.write_err("given up\n")
    return True


def _read_line(engine: Engine, signals: ReplSignals, prompt: str) -> str | None:
    """Ask for a line; a signal ends that as ``KeyboardInterrupt``, from before the prompt is seen."""

    def stop_asking() -> bool:
        signals.asking = None
        raise KeyboardInterrupt

    engine.listen()
    try:
        signals.asking = stop_asking
        if signals.code:
            return None
        if prompt:
            engine.begin_line()
            engine.streams.write_out(prompt)
            sys.stdout.flush()
            engine.at_start_of_line = True  # whoever types ends the line of the prompt
        return engine.streams.read_line()
    finally:
        signals.asking = None
