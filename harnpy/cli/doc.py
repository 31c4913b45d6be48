"""The command ``harnpy doc``."""

from __future__ import annotations

import click

# A shorter word stands in too many names; of more names than these the number is told.
_SHORTEST_PART, _MOST_SHOWN = 3, 12


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; data is a list of entries.")
def doc(name: str, as_json: bool) -> None:
    """Say what NAME is: a function, a module (std/cache), a method (list.map) or harness.fs.read_text."""
    from harnpy.reference.lookup import find

    found = find(name)
    if not found:
        raise click.UsageError(unknown(name))
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("doc", [entry._asdict() for entry in found])
        return
    for number, entry in enumerate(found):
        head, _, rest = entry.plain().partition("\n")
        click.echo(("\n" if number else "") + click.style(head, bold=True) + "\n" + rest)


def unknown(name: str) -> str:
    """Give the message about a name that nobody knows."""
    from harnpy.cli.explain import codes
    from harnpy.reference.lookup import containing, suggestion
    from harnpy.syntax.foreign import name_hint

    if name.upper() in codes():
        return f"{name} is a code: `harnpy explain {name}` tells what it means"
    message = f"nothing is known of {name or 'no name'}"
    hint = name_hint(name, called=True, before="", following="") if name else None
    if hint:
        return f"{message}: {hint}"
    held = containing(name) if len(name) >= _SHORTEST_PART else []
    if held:
        more = f" and {len(held) - _MOST_SHOWN} more" if len(held) > _MOST_SHOWN else ""
        return f"{message}; names that hold it: {', '.join(held[:_MOST_SHOWN])}{more}"
    meant = suggestion(name)
    return message + (f" (did you mean `{meant}`?)" if meant else "")
