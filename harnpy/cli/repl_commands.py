"""The commands of the REPL, which begin with a colon."""

from __future__ import annotations

import json
import os

from harnpy.cli.doc import unknown
from harnpy.cli.repl_docs import documentation
from harnpy.errors import RejectedProgram
from harnpy.render import render
from harnpy.runtime.values import type_of
from harnpy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.cli.repl_engine import Engine

HELP = """\
:help            this list
:type EXPR       the kind of a value
:ast CODE        the syntax tree of CODE
:doc NAME        what a function is for
:load FILE       run a file as if it were typed here
:reset           forget everything
:time CODE       run CODE and say how long it took
:mock FILE       answer model calls from a file of scripted replies
:cost            what the model calls cost so far
:quit            leave (also Ctrl-D)
_ is the last value, _e the last error. Two empty lines give up an unfinished input. Ctrl-C stops what is running,
and once more its clean-up too.
"""


def run_command(engine: Engine, line: str) -> bool:
    """Carry out the command in ``line``; False ends the REPL."""
    word, _, rest = line.strip().partition(" ")
    if word in (":quit", ":q"):
        return False
    command = COMMANDS.get(word)
    if command is None:
        engine.streams.write_err(f"there is no command {word}; :help lists all\n")
    elif word in _NEEDS and not rest.strip():
        engine.streams.write_err(f"what follows {word} is missing: {word} {_NEEDS[word]}\n")
    else:
        command(engine, rest.strip())
    return True


def _help(engine: Engine, _rest: str) -> None:
    engine.streams.write_out(HELP)


def _type(engine: Engine, code: str) -> None:
    engine.evaluate(code + "\n", lambda value: engine.streams.write_out(type_of(value) + "\n"))


def _ast(engine: Engine, code: str) -> None:
    from harnpy.syntax.dump import dump
    from harnpy.syntax.parser import parse

    source = Source("<input>", code + "\n")
    try:
        tree = dump(parse(source), source)
    except RejectedProgram as refusal:
        engine.streams.write_err("".join(render(finding) for finding in refusal.diagnostics))
    else:
        engine.streams.write_out(json.dumps(tree["body"], ensure_ascii=False, indent=1) + "\n")


def _doc(engine: Engine, name: str) -> None:
    text = documentation(engine.context, engine.console, name)
    if text is None:
        engine.streams.write_err(unknown(name) + "\n")
    else:
        engine.streams.write_out(text + "\n")


def _load(engine: Engine, path: str) -> None:
    engine.load(os.path.expanduser(path))


def _reset(engine: Engine, _rest: str) -> None:
    engine.close()
    engine.reset()


def _time(engine: Engine, code: str) -> None:
    engine.run(code + "\n", timed=True)


def _mock(engine: Engine, path: str) -> None:
    engine.mock(os.path.expanduser(path))


def _cost(engine: Engine, _rest: str) -> None:
    engine.streams.write_out(engine.cost() + "\n")


COMMANDS: dict[str, Callable[[Engine, str], None]] = {
    ":help": _help,
    ":type": _type,
    ":ast": _ast,
    ":doc": _doc,
    ":load": _load,
    ":reset": _reset,
    ":time": _time,
    ":mock": _mock,
    ":cost": _cost,
}
_NEEDS = {":type": "EXPR", ":ast": "CODE", ":doc": "NAME", ":load": "FILE", ":time": "CODE", ":mock": "FILE"}
FILES = (":load", ":mock")
NAMES = (*sorted(COMMANDS), ":quit")
