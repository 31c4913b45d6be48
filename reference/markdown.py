"""Small pieces of Markdown."""

from __future__ import annotations

import re

NOTE = "<!-- Made by `python -m reference docs/reference` from the sources; changes go there. -->"


def page(title: str, body: str) -> str:
    """Give a whole page."""
    return f"{NOTE}\n\n# {title}\n\n{body.strip()}\n"


def heading(level: int, text: str) -> str:
    """Give a heading with the empty line behind it."""
    return f"{'#' * level} {text}\n\n"


def code(text: str) -> str:
    """Give a block of code with the empty line behind it."""
    return "\n".join("    " + line if line else "" for line in text.splitlines()) + "\n\n"


def anchor(text: str) -> str:
    """Give the fragment under which a heading is reached."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def contents(body: list[str]) -> str:
    """Give links to the parts of a page that begin with a heading."""
    titles = [found[1] for part in body if (found := re.match(r"## (.*)", part))]
    return "\n".join(f"- [{title}](#{anchor(title)})" for title in titles)
