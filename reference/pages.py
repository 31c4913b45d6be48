"""All pages by their file names, below ``docs/reference``."""

from __future__ import annotations

from harnpy.reference import builtin_entries, modules
from harnpy.reference.entries import Entry
from harnpy.reference.outline import parts
from reference import command_line, diagnostics, python_api
from reference.markdown import anchor, code, contents, heading, page

FRONT = """The text of these pages comes from the sources: doc comments of the standard library, docstrings, tables.
`harnpy doc NAME` and `:doc NAME` at the prompt show the entries of Harn, `harnpy explain CODE` the codes.

In signatures `name?` may be left out, `name = x` too and is `x` then, and `...names` are any number. Arguments that
are missing are nil. What stands behind the arrow, such as `list<string> | nil`, is what a call gives. `ms` are
milliseconds. Arguments of a wrong kind may throw where no errors are listed.
"""


def pages() -> dict[str, str]:
    """Give the text of every page by its path."""
    made = {_file(module.path): module_page(module) for module in modules.public()}
    made["builtins.md"] = builtins_page()
    made["methods.md"] = methods_page()
    made["harness.md"] = harness_page()
    made["python.md"] = python_api.page_text()
    made["diagnostics.md"] = diagnostics.page_text()
    made["command-line.md"] = command_line.page_text()
    made["names.md"] = names_page()
    made["README.md"] = front_page()
    return made


def _file(path: str) -> str:
    return path + ".md"


def front_page() -> str:
    """Give the page that leads to the others."""
    lines = [
        "- [Global functions](builtins.md), [methods of values](methods.md), [the harness](harness.md)",
        "- [Command line](command-line.md), [diagnostics](diagnostics.md), [Python API](python.md)",
        "- [All names](names.md)",
        "- The standard library:",
    ]
    for module in modules.public():
        first = module.comment.split("\n\n")[0].replace("\n", " ")
        lines.append(f"  - [`{module.path}`]({_file(module.path)}): {first}")
    return page("Reference", FRONT + "\n" + "\n".join(lines))


def module_page(module: modules.Module) -> str:
    """Give the page of a module of the standard library."""
    body = [module.comment]
    for name in module.names():
        entry = module.entry(name)
        body.append(heading(2, name) + code(entry.signature) + entry.text)
    return page(f"`{module.path}`", "\n\n".join(body))


def builtins_page() -> str:
    """Give the page of the global functions."""
    body = ["Visible everywhere without an import.", ""]
    for title, signatures in parts().items():
        names = [name for name in signatures if not name.startswith("harness.")]
        entries = [_builtin(name) for name in names if title not in _kinds()]
        if entries:
            body.append(heading(2, title) + "\n\n".join(_item(entry) for entry in entries))
    missing = [name for name in builtin_entries.function_names() if not _builtin(name).implemented]
    listed = ", ".join(f"`{name}`" for name in missing)
    body.append(heading(2, "Not in this version") + f"A call of these says that it is not there: {listed}.")
    body[1] = contents(body)
    return page("Global functions", "\n\n".join(body))


def _kinds() -> set[str]:
    return {name.split(".")[0] for name in builtin_entries.method_names()}


def _builtin(name: str) -> Entry:
    space, dot, function = name.partition(".")
    entry = builtin_entries.namespace_entry(space, function) if dot else builtin_entries.function_entry(name)
    if entry is None:
        raise LookupError(f"{name} stands in builtins.txt, but there is no such function")
    return entry


def _item(entry: Entry) -> str:
    return code(entry.signature) + entry.text


def methods_page() -> str:
    """Give the page of the methods of values."""
    note = "Generators and streams have the methods of `iter`; so has a range, beside its own."
    body = ["Numbers, bools, durations, bytes, enums and closures have no methods. " + note, ""]
    for title, signatures in parts().items():
        if title in _kinds():
            entries = [builtin_entries.method_entry(*name.split(".")) for name in signatures]
            body.append(heading(2, title) + "\n\n".join(_item(entry) for entry in entries if entry))
    body[1] = contents(body)
    return page("Methods of values", "\n\n".join(body))


def harness_page() -> str:
    """Give the page of the members of the harness."""
    body = [
        "`harness` is what a program reaches outside itself: [what is allowed](../capabilities.md). Behind a method "
        "stand the global function that is the same, and what a run must allow.",
        "",
    ]
    for member in builtin_entries.HARNESS.members:
        text = heading(2, f"harness.{member}") + builtin_entries.MEMBERS[member]
        entries = [entry for name, _ in builtin_entries.harness_names() if (entry := _method(member, name))]
        text += "".join("\n\n" + _item(entry) + _marks(entry) for entry in entries if entry.implemented)
        missing = [f"`{entry.name.rpartition('.')[2]}`" for entry in entries if not entry.implemented]
        if missing:
            text += f"\n\nNot in this version: {', '.join(missing)}."
        body.append(text)
    own = [f"`{name}`" for name, _ in builtin_entries.harness_names() if name.count(".") == 1]
    body.append(heading(2, "harness") + f"Methods of the harness itself, not in this version: {', '.join(own)}.")
    body[1] = contents(body)
    return page("The harness", "\n\n".join(body))


def _method(member: str, name: str) -> Entry | None:
    _, own, *rest = name.split(".")
    return builtin_entries.harness_entry(member, *rest) if rest and own == member else None


def _marks(entry: Entry) -> str:
    same = f"Global function: `{entry.same_as}`. " if entry.same_as else ""
    return f"\n\n{same}Permission: {entry.permission}."


def names_page() -> str:
    """Give the index of all names."""
    found: dict[str, list[str]] = {}
    for name in modules.names(modules.public()):
        found[name] = [f"[{one.module}]({_file(one.module)}#{anchor(name)})" for one in modules.exporting(name)]
    for title, signatures in parts().items():
        for full in signatures:
            file = "harness.md" if title == "harness" else "methods.md" if title in _kinds() else "builtins.md"
            shown = full.removeprefix("harness.").rpartition(".")[0] or "global"
            found.setdefault(full.rpartition(".")[2], []).append(f"[{shown}]({file}#{anchor(title)})")
    for full, implemented in builtin_entries.harness_names():
        if implemented:
            _, member, name = full.split(".")
            found.setdefault(name, []).append(f"[harness.{member}](harness.md#{anchor('harness.' + member)})")
    lines = [f"- `{name}`: {', '.join(dict.fromkeys(found[name]))}" for name in sorted(found, key=str.lower)]
    return page("All names", "\n".join(lines))
