"""The command ``harnpy explain``."""

from __future__ import annotations

import click

from harnpy.resources import package_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def codes() -> dict[str, dict[str, Any]]:
    """Give what is known of each code: title, cause, example, fixed, fix, files."""
    import tomllib

    with open(package_file("cli", "codes.toml"), "rb") as file:
        return tomllib.load(file)


@click.command()
@click.argument("code", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def explain(code: str | None, as_json: bool) -> None:
    """Say what the diagnostic CODE means, show an example and how to mend it; without CODE list all codes."""
    known = codes()
    if code is not None and _full(code) not in known:
        raise click.UsageError(f"There is no code {code!r}{_meant(code, known)}; `harnpy explain` lists all.")
    chosen = known if code is None else {_full(code): known[_full(code)]}
    if as_json:
        from harnpy.cli.envelope import print_envelope

        print_envelope("explain", [{"code": name, **entry} for name, entry in sorted(chosen.items())])
    elif code is None:
        for name, entry in sorted(known.items()):
            click.echo(f"{name}  {entry['title']}")
    else:
        click.echo(_page(_full(code), known[_full(code)]), nl=False)


def _meant(code: str, known: dict[str, dict[str, Any]]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(_full(code), known, 1, 0.8)
    return f" (did you mean {near[0]}?)" if near else ""


def _full(code: str) -> str:
    """Give the whole code of a short one: ``par-1`` means ``HARN-PAR-001``."""
    parts = code.upper().removeprefix("HARN-").split("-")
    return "HARN-" + "-".join([*parts[:-1], parts[-1].zfill(3)])


def _page(code: str, entry: dict[str, Any]) -> str:
    parts = [click.style(f"{code}: {entry['title']}", bold=True), click.wrap_text(entry["cause"], 100)]
    parts.append("This is refused:\n\n" + _indented(entry["example"]))
    parts += [f"where {name} holds\n\n{_indented(text)}" for name, text in entry.get("files", {}).items()]
    parts.append(click.wrap_text(entry["fix"], 100))
    parts.append("This is fine:\n\n" + _indented(entry["fixed"]))
    return "\n\n".join(parts) + "\n"


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.rstrip("\n").split("\n"))
