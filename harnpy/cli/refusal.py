"""Tells with ``--json`` why a command line was refused, or that harnpy failed, in the envelope of all commands."""

from __future__ import annotations

import sys

import click

from harnpy.cli.envelope import envelope, json_line, print_envelope
from harnpy.diagnostics import Diagnostic
from harnpy.errors import Exit
from harnpy.fault import INTERNAL_FAULT, fault_text, from_outside
from harnpy.streams import process_streams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

WRONG_COMMAND_LINE = 2


def answered_as_json(command: str | None, act: Callable[[], Any]) -> int:
    """Give the exit code of ``act``, which carries out ``command``; when it is refused, answer in its place."""
    try:
        code = act()
        return code if type(code) is int else 0
    except click.ClickException as refused:
        hint = f"harnpy {command} --help" if command else "harnpy --help"
        finding = Diagnostic(refused.format_message(), hint=hint if refused.exit_code == WRONG_COMMAND_LINE else None)
        return _answer(command, finding, refused.exit_code)
    except Exit as end:  # the reader of the output has gone
        return end.code
    except Exception as fault:  # noqa: BLE001 (the user never sees a Python traceback)
        cause = from_outside(fault)
        if cause is not None:
            return _answer(command, Diagnostic(cause), 1)
        return _answer(command, Diagnostic(fault_text(fault).rstrip("\n")), INTERNAL_FAULT)


def _answer(command: str | None, finding: Diagnostic, code: int) -> int:
    if command != "run":
        print_envelope(command, None, [finding], code)
        return code
    # Whoever reads a run takes it line by line, also when there was none.
    line = {"event": "result", **envelope(command, None, [finding], code)}
    try:
        process_streams().write_out(json_line(line))
    except Exit as end:
        sys.exit(end.code)
    return code
