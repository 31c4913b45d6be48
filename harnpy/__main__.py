"""The command ``harnpy``: ``run FILE`` and ``--version`` go straight to work, all else through click."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process and exit with its code."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["run"] and len(arguments) > 1 and arguments[1][:1] != "-" and arguments[2:3] in ([], ["--"]):
        from harnpy.cli.program import run_file
        from harnpy.session import Options

        sys.exit(run_file(arguments[1], Options(argv=arguments[3:])))
    if arguments in (["--version"], ["version"]):
        from harnpy.version import __version__

        print(f"harnpy {__version__}")
        return
    from harnpy.cli.main import cli

    cli()


if __name__ == "__main__":
    main()
