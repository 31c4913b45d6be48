"""The page of the diagnostic codes, from what ``harnpy explain`` knows."""

from __future__ import annotations

from harnpy.cli.explain import codes
from reference.markdown import code, heading, page


def page_text() -> str:
    """Give the page."""
    body = ["`harnpy explain CODE` shows these entries on the terminal."]
    for name, entry in sorted(codes().items()):
        parts = [entry["cause"], "Refused:\n\n" + code(entry["example"])]
        parts += [f"where `{file}` holds\n\n{code(text)}" for file, text in entry.get("files", {}).items()]
        parts += [entry["fix"], "Fine:\n\n" + code(entry["fixed"])]
        body.append(heading(2, f"{name}: {entry['title']}") + "\n\n".join(part.strip("\n") for part in parts))
    return page("Diagnostics", "\n\n".join(body))
