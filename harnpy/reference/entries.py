"""One entry of the reference, and how docstrings and doc comments become its text."""

from __future__ import annotations

import inspect
import re
from typing import NamedTuple

_OWN_NAME = re.compile(r"``\w+``: (?=\S)")
_RAISES = re.compile(r"^Raises:\n((?:    .*\n?)+)", re.MULTILINE)
_RAISED = re.compile(r"(\w+): ((?:.|\n(?! {4}\w))+)")
_SENTENCE = re.compile(r".+?(?:\.(?= |$)|$)")
# Where a rule stands in the specification is for whoever changes harnpy.
_SECTION = re.compile(r" \((?:builtins|language|llm|llm-stdlib|agent) [\d.]+(?:[, ]+(?:to |and )?[\d.]+)*\)")
_LABEL = re.compile(r"^(?:Options|Effects|Errors|Kinds|Units|Example)\b[^:\n]{0,60}:", re.MULTILINE)


class Entry(NamedTuple):
    """What is known of one name.

    ``kind``: ``module``, ``function`` or ``type`` of the standard library, ``builtin``, ``method`` of values,
    ``harness`` for its members and their methods, or ``program`` for what a session declared. ``text`` is Markdown
    without headings. ``module`` is what exports a name, ``same_as`` the global function behind a method of the
    harness, and ``implemented`` false for names of the language that this version lacks.
    """

    name: str
    kind: str
    signature: str
    text: str
    module: str = ""
    same_as: str = ""
    permission: str = ""
    implemented: bool = True

    def line(self) -> str:
        """Give the entry as one line of a list: its short name and the first sentence of its text."""
        sentence = _SENTENCE.match(" ".join(self.text.partition("\n\n")[0].split()))
        name = self.name.rpartition(".")[2]
        return f"- `{name}`: {sentence[0] if sentence else 'not in this version'}"

    def plain(self) -> str:
        """Give the entry as it is shown on a terminal."""
        parts = [self.signature, self.text]
        if self.kind in ("function", "type"):
            short = self.name.rpartition(".")[2]
            parts.insert(1, f'import {{{short}}} from "{self.module}"')
        if self.same_as:
            parts.append(f"Also the global function {self.same_as}.")
        if self.permission:
            parts.append(f"Permission: {self.permission}.")
        if not self.implemented:
            parts.append("This version does not have it: a call says so.")
        return "\n\n".join(part for part in parts if part)


def from_docstring(thing: object, *, of_python: bool = False) -> str:
    """Give the text of a Python docstring.

    Its own name in front goes. ``Raises:`` becomes ``Errors:``; only for readers ``of_python`` with the exceptions.
    """
    text = _SECTION.sub("", inspect.getdoc(thing) or "")
    own = _OWN_NAME.match(text)
    text = text if own is None else text[own.end() :]
    text = _RAISES.sub(lambda found: _errors(found[1], of_python), text)
    return labelled((text[:1].upper() + text[1:]).replace("``", "`"))


def _errors(lines: str, of_python: bool) -> str:
    raised = [(found[1], " ".join(found[2].split())) for found in _RAISED.finditer(lines)]
    if of_python:
        return "".join(f"Raises `{name}`: {what}\n\n" for name, what in raised)
    return f"Errors: {' '.join(what for _, what in raised)}\n"


def labelled(text: str) -> str:
    """Begin a paragraph at each line with a label such as ``Effects:``."""
    return re.sub(r"\n{3,}", "\n\n", _LABEL.sub(lambda found: "\n\n" + found[0], text)).strip()
