"""The command ``harnpy completion``."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; data is {shell, script}.")
def completion(shell: str, as_json: bool) -> None:
    """Print what makes SHELL complete harnpy's commands, options and files.

    For bash, put `eval "$(harnpy completion bash)"` into ~/.bashrc; for zsh the same with zsh into ~/.zshrc, below
    compinit; for fish, run `harnpy completion fish > ~/.config/fish/completions/harnpy.fish`.
    """
    from click.shell_completion import get_completion_class

    from harnpy.cli.main import cli

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"There is no completion for {shell}.")
    script = kind(cli, {}, "harnpy", "_HARNPY_COMPLETE").source()
    # click's script for fish cuts each description at its first comma.
    script = script.replace('string split ","', 'string split --max 1 ","')
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("completion", {"shell": shell, "script": script})
    else:
        click.echo(script)
