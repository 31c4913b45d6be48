"""The command ``harnpy builtins``."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command()
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document; data is a list of {name, kind, implemented}."
)
def builtins(as_json: bool) -> None:
    """List the builtin functions, the methods of values and the methods of the harness."""
    rows = [*_functions(), *_methods(), *_harness()]
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("builtins", rows)
        return
    for row in rows:
        click.echo(f"{row['kind']:8} {row['name']}{'' if row['implemented'] else '  (not implemented)'}")


def _row(kind: str, name: str, implemented: bool) -> dict[str, object]:
    return {"name": name, "kind": kind, "implemented": implemented}


def _functions() -> Iterator[dict[str, object]]:
    from harnpy.builtins.table import FUNCTIONS
    from harnpy.reference.builtin_entries import function_names

    for name in function_names():
        yield _row("function", name, name in FUNCTIONS)


def _methods() -> Iterator[dict[str, object]]:
    from harnpy.reference.builtin_entries import method_names

    for name in method_names():
        yield _row("method", name, True)


def _harness() -> Iterator[dict[str, object]]:
    from harnpy.reference.builtin_entries import harness_names

    for name, implemented in harness_names():
        yield _row("harness", name, implemented)
