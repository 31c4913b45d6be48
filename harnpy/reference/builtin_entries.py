"""Entries of the global functions, the methods of values, and the members of the harness."""

from __future__ import annotations

from harnpy.builtins import registry, reserved
from harnpy.builtins.method_table import METHODS
from harnpy.builtins.table import FUNCTIONS
from harnpy.capabilities import methods
from harnpy.capabilities.harness import build_harness, event_log_handle, stream_handle
from harnpy.reference.entries import Entry, from_docstring
from harnpy.reference.outline import signatures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from harnpy.runtime.values import Builtin

HARNESS = build_harness()
_NAMESPACES = {"stream": stream_handle(), "event_log": event_log_handle()}
# What the members of the harness are for.
MEMBERS = {
    "stdio": "Printing, and reading what comes in.",
    "term": "The terminal: its size, colours, passwords.",
    "clock": "The one clock of a run, real or virtual.",
    "random": "The random numbers of a run; `--seed` makes them repeatable.",
    "fs": "Files and folders.",
    "env": "Environment variables.",
    "net": "HTTP requests of the script's own. Calls of model endpoints are `harness.llm`.",
    "process": "Other programs.",
    "system": "The machine and the user.",
    "secrets": "Secrets.",
    "crypto": "Digests.",
    "llm": "Models: calls, routing, catalog, prices, the mock.",
    "agent": "Sessions of agents and their events.",
    "tools": "Tools that the run knows.",
    "runtime": "Atomics, channels, locks, circuits, shared state, the store, facts about the run.",
    "obs": "Logging, spans, metrics, the event log.",
    "testing": "Faked answers, clock, input and terminal.",
    "interaction": "Questions to a person.",
    "project": "The project around the program.",
    "channels": "Durable channels.",
    "auth": "Who asked for the run.",
    "tenant": "For whom the run works.",
    "session": "The session around the run.",
    "verdict": "Signed verdicts.",
    "embed": "Embeddings.",
    "memory": "Long-term memory.",
    "sqlite": "SQLite databases.",
    "postgres": "PostgreSQL databases.",
    "rules": "Rules on syntax trees.",
    "code_index": "An index of source code.",
}
_WRITES = frozenset(
    """
    append append_locked copy delete mkdir mkdtemp_in_workspace rename replace_bytes replace_bytes_result replace_text
    replace_text_result workspace_temp_dir write_bytes write_text
    """.split()
)
# What reads no path of the script's choice.
_NO_PATH = frozenset(
    """
    cwd home_dir mkdtemp project_root render_template runtime_paths source_dir temp_dir workspace_root
    """.split()
)


def function_names() -> list[str]:
    """Give all global functions of the language, sorted, also those that are not built."""
    return sorted({name for name in FUNCTIONS if not name.startswith("__")} | reserved.names())


def method_names() -> list[str]:
    """Give all methods of values as ``kind.method``."""
    return [f"{kind}.{name}" for kind in sorted(METHODS) for name in sorted(METHODS[kind])]


def harness_names() -> Iterator[tuple[str, bool]]:
    """Give all methods of the harness, and whether they are built."""
    for member in sorted(HARNESS.members):
        table = HARNESS.members[member].methods
        for name in table.keys():  # noqa: SIM118 (no mapping: it loads its methods when they are asked for)
            yield f"harness.{member}.{name}", table.implements(name)
    for name in HARNESS.methods.keys():  # noqa: SIM118
        yield f"harness.{name}", HARNESS.methods.implements(name)


def namespace_names() -> list[str]:
    """Give the functions of the global namespaces, such as ``stream.map``."""
    return [f"{space}.{name}" for space, handle in _NAMESPACES.items() for name in handle.methods.keys()]  # noqa: SIM118


def function_entry(name: str) -> Entry | None:
    """Give the entry of a global function."""
    known = (name in FUNCTIONS or reserved.is_reserved(name)) and not name.startswith("__")
    found = registry.function(name) if known else None
    return None if found is None else _entry(name, "builtin", found, name in FUNCTIONS)


def method_entry(kind: str, name: str) -> Entry | None:
    """Give the entry of a method of values of a kind."""
    found = registry.method(kind, name)
    if found is None:
        return None
    full = f"{kind}.{name}"
    shown = full if full in signatures() and kind != "stream" else f"iter.{name}"
    return _entry(full, "method", found)._replace(signature=full + signatures()[shown].removeprefix(shown))


def namespace_entry(space: str, name: str) -> Entry | None:
    """Give the entry of a function of a global namespace."""
    found = _NAMESPACES[space].methods.get(name) if space in _NAMESPACES else None
    return None if found is None else _entry(f"{space}.{name}", "builtin", found)


def harness_entry(member: str, name: str) -> Entry | None:
    """Give the entry of ``harness.<member>.<name>``, or of ``harness.<name>`` when ``member`` is empty."""
    handle = HARNESS.members.get(member) if member else HARNESS
    found = None if handle is None else handle.methods.get(name)
    if handle is None or found is None:
        return None
    full = f"harness.{member}.{name}" if member else f"harness.{name}"
    entry = _entry(full, "harness", found, handle.methods.implements(name))
    if not entry.implemented:
        return entry
    row = methods.parse(methods.METHODS[member])[name]
    if ":" not in row:
        arguments = signatures()[row].removeprefix(row).replace("(harness, ", "(")
        entry = entry._replace(same_as=row, signature=full + arguments)
    return entry._replace(permission=permission(member, name))


def member_entry(member: str) -> Entry | None:
    """Give the entry of a member of the harness, or of the harness itself."""
    if member == "":
        listed = "\n".join(f"- `{name}`: {text}" for name, text in MEMBERS.items())
        text = f"What a program reaches outside itself. Visible in every module.\n\n{listed}"
        return Entry("harness", "harness", "harness", text)
    if member not in HARNESS.members:
        return None
    entries = [harness_entry(member, name) for name in HARNESS.members[member].methods.keys()]  # noqa: SIM118
    listed = "\n".join(entry.line() for entry in entries if entry is not None)
    full = f"harness.{member}"
    built = any(entry.implemented for entry in entries if entry is not None)
    return Entry(full, "harness", full, f"{MEMBERS[member]}\n\n{listed}".rstrip(), implemented=built)


def permission(member: str, name: str) -> str:
    """Say what a run must allow for ``harness.<member>.<name>``."""
    if member == "process" or (member == "net" and name != "egress_policy"):
        file = "; the path as for `fs.write_bytes`" if name == "download" else ""
        return f"`--allow {member}` or `--allow {member}.{name}`{file}"
    if member != "fs" or name in _NO_PATH:
        return f"none (`--deny {member}.{name}` refuses it)"
    return f"paths below the {'write' if name in _WRITES else 'read'} roots, or `--allow fs.{name}`"


def _entry(name: str, kind: str, found: Builtin, implemented: bool = True) -> Entry:
    signature = signatures().get(name, name + "(...)")
    text = from_docstring(found.fn) if implemented else ""
    return Entry(name, kind, signature, text, implemented=implemented)
