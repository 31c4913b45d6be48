"""The command ``harnpy``: ``run FILE`` and ``--version`` go straight to work, all else through click."""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# Objects made before the cyclic collector looks for garbage: starting makes 10,000 that all live on.
COLLECT_AFTER = 50_000


def main() -> None:
    """Run the command line of this process and exit with its code."""
    from harnpy.cli import interrupts

    interrupts.install()
    gc.set_threshold(COLLECT_AFTER, 10, 10)
    try:
        _run(sys.argv[1:])
    except Exception as fault:  # noqa: BLE001 (the user never sees a Python traceback)
        sys.exit(_told(fault))


def _run(arguments: list[str]) -> None:
    if _is_plain_run(arguments):
        from harnpy.cli.program import run_file
        from harnpy.options import Options

        _leave(run_file(arguments[1], Options(argv=arguments[3:])))
    if arguments in (["--version"], ["version"]):
        from harnpy.version import __version__

        print(f"harnpy {__version__}", flush=True)
        return
    _run_command()


def _told(fault: Exception) -> int:
    """Tell of ``fault`` in one line, and give the exit code."""
    from harnpy.fault import INTERNAL_FAULT, fault_text, from_outside

    if isinstance(fault, BrokenPipeError):
        from harnpy.streams import without_reader

        return without_reader()
    cause = from_outside(fault)
    sys.stderr.write(fault_text(fault) if cause is None else f"error: {cause}\n")
    return INTERNAL_FAULT if cause is None else 1


def _is_plain_run(arguments: list[str]) -> bool:
    """Tell whether this is ``run FILE`` or ``run FILE -- ARGS``, without an option or its variable."""
    if arguments[:1] != ["run"] or len(arguments) < 2 or arguments[1].startswith("-"):
        return False
    return arguments[2:3] in ([], ["--"]) and "HARNPY_SEED" not in os.environ


def _run_command() -> None:
    from harnpy.cli.main import cli

    try:
        cli(prog_name="harnpy")
    except SystemExit as ended:
        if "--help" in sys.argv and ended.code == 0:
            _leave(0)
        raise


def _leave(code: int) -> NoReturn:
    """End the process at once: taking the interpreter apart would be a tenth of a short run's time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except BrokenPipeError:  # the reader is gone
            code = code or 141
        except OSError:
            code = code or 1
    os._exit(code)


if __name__ == "__main__":
    main()
