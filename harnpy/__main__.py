"""The command ``harnpy``: ``run FILE`` and ``--version`` go straight to work, all else through click."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    arguments = sys.argv[1:]
    if _is_plain_run(arguments):
        from harnpy.cli.program import run_file
        from harnpy.options import Options

        sys.exit(run_file(arguments[1], Options(argv=arguments[3:])))
    if arguments in (["--version"], ["version"]):
        from harnpy.version import __version__

        print(f"harnpy {__version__}")
        return
    from harnpy.cli.main import cli

    cli()


def _is_plain_run(arguments: list[str]) -> bool:
    """Tell whether this is ``run FILE`` or ``run FILE -- ARGS``, without an option or its variable."""
    if arguments[:1] != ["run"] or len(arguments) < 2 or arguments[1].startswith("-"):
        return False
    return arguments[2:3] in ([], ["--"]) and "HARNPY_SEED" not in os.environ


if __name__ == "__main__":
    main()
