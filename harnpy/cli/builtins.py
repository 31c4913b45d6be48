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
    from harnpy.builtins.reserved import names
    from harnpy.builtins.table import FUNCTIONS

    public = {name for name in FUNCTIONS if not name.startswith("__")}
    for name in sorted(public | names()):
        yield _row("function", name, name in public)


def _methods() -> Iterator[dict[str, object]]:
    from harnpy.builtins.method_table import METHODS

    for kind in sorted(METHODS):
        for name in sorted(METHODS[kind]):
            yield _row("method", f"{kind}.{name}", True)


def _harness() -> Iterator[dict[str, object]]:
    from harnpy.capabilities.harness import build_harness

    harness = build_harness()
    for capability in sorted(harness.members):
        table = harness.members[capability].methods
        for name in table.keys():  # noqa: SIM118 (no mapping: it loads its methods when they are asked for)
            yield _row("harness", f"harness.{capability}.{name}", table.implements(name))
    for name in harness.methods.keys():  # noqa: SIM118
        yield _row("harness", f"harness.{name}", harness.methods.implements(name))
