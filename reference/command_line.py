"""The page of the command line, from click's own descriptions of the commands."""

from __future__ import annotations

import inspect

import click

from harnpy.cli.main import cli
from reference.markdown import code, heading, page


def page_text() -> str:
    """Give the page."""
    body = [inspect.cleandoc(cli.help or ""), "Options of `harnpy` itself:", _options(cli)]
    for name in sorted(cli.commands):
        command = cli.commands[name]
        arguments = [_argument(one) for one in command.params if isinstance(one, click.Argument)]
        usage = " ".join(["harnpy", name, "[OPTIONS]", *arguments])
        text = inspect.cleandoc(command.help or "").replace("\b\n", "")
        body.append(heading(2, f"harnpy {name}") + code(usage) + text + "\n\n" + _options(command))
    return page("Command line", "\n\n".join(body))


def _argument(argument: click.Argument) -> str:
    name = (argument.metavar or argument.name or "").upper().strip("[].")
    name += "..." if argument.nargs == -1 else ""
    return name if argument.required else f"[{name}]"


def _options(command: click.Command) -> str:
    lines = [_option(one) for one in command.params if isinstance(one, click.Option) and not one.hidden]
    return "\n".join([*lines, "- `-h`, `--help`: Show this message and exit."])


def _option(option: click.Option) -> str:
    value = "" if option.is_flag or option.count else f" {_value(option)}"
    spelled = ", ".join(f"`{word}{value}`" for word in [*option.opts, *option.secondary_opts])
    return f"- {spelled}: {' '.join((option.help or '').split())}"


def _value(option: click.Option) -> str:
    if option.metavar:
        return option.metavar
    if isinstance(option.type, click.Choice):
        return "[" + "|".join(str(choice) for choice in option.type.choices) + "]"
    return option.type.name.upper().split(" ")[0]
