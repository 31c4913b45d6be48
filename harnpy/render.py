"""The text and JSON form of a diagnostic (language 9.7, 17)."""

from __future__ import annotations

import os

from harnpy.events.redact import masked, redact, redact_text
from harnpy.resources import stdlib_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.diagnostics import Diagnostic

TAB = 4
# An excerpt line wider than this shows only the part around its carets.
EXCERPT_WIDTH = 160

_RED, _YELLOW, _BLUE, _CYAN, _BOLD = "31;1", "33;1", "34;1", "36", "1"


def render(diagnostic: Diagnostic, *, colour: bool = False) -> str:
    """Give the text of ``diagnostic``, with a line break at its end and without secrets."""
    paint = _ansi if colour else _plain
    tone = _YELLOW if diagnostic.severity == "warning" else _RED
    code = f"[{diagnostic.code}]" if diagnostic.code else ""
    message = "\n".join(map(printable, redact_text(diagnostic.message).split("\n")))
    lines = [paint(tone, diagnostic.severity + code) + paint(_BOLD, ": " + message)]
    indent = " "
    source, span = diagnostic.source, diagnostic.span
    if source is not None and span is not None:
        line, column = source.line_column(span[0])
        gutter = " " * (len(str(line)) + 2)
        indent = gutter[:-1]
        bar = paint(_BLUE, "|")
        text, before, width = _excerpt(masked(source.line_text(line)), column - 1, span[1] - span[0])
        lines += [
            f"{indent}{paint(_BLUE, '-->')} {shown_path(source.path)}:{line}:{column}",
            gutter + bar,
            f"{paint(_BLUE, f' {line} |')} {text}".rstrip(),
            f"{gutter}{bar} {' ' * before}{paint(tone, '^' * width)}",
        ]
    elif source is not None:
        lines.append(f" {paint(_BLUE, '-->')} {shown_path(source.path)}")
    if diagnostic.hint:
        lines.append(f"{indent}= {paint(_CYAN, 'hint')}: {printable(redact_text(diagnostic.hint))}")
    lines += [f"{indent}= {paint(_CYAN, 'note')}: {printable(redact_text(note))}" for note in diagnostic.notes]
    return "\n".join(lines) + "\n"


def summary(diagnostic: Diagnostic) -> str:
    """Give ``diagnostic`` as an exception says it: the message with its place, the advice on a second line."""
    text = redact_text(diagnostic.message)
    if diagnostic.line is not None and diagnostic.path is not None:
        place = f"{diagnostic.line}:{diagnostic.column}"
        text = f"{text.removesuffix(f' at {place}')} (at {shown_path(diagnostic.path)}:{place})"
    elif diagnostic.path is not None:
        text = f"{text} (in {shown_path(diagnostic.path)})"
    return f"{text}\nhint: {redact_text(diagnostic.hint)}" if diagnostic.hint else text


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """Give ``diagnostic`` as JSON data; unknown parts are ``None``, lines and columns count from 1."""
    place: dict[str, Any] = dict.fromkeys(("file", "line", "column", "end_line", "end_column"))
    source, span = diagnostic.source, diagnostic.span
    if source is not None:
        place["file"] = source.path
        if span is not None:
            place["line"], place["column"] = source.line_column(span[0])
            place["end_line"], place["end_column"] = source.line_column(span[1])
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": redact_text(diagnostic.message),
        **place,
        "hint": redact(diagnostic.hint),
        "notes": [redact_text(note) for note in diagnostic.notes],
    }


def reported(text: str) -> str:
    """Give a text of the program as a report may show it: without secrets."""
    return redact_text(text)


def shown_path(path: str) -> str:
    """Give ``path`` as the user knows it: ``std/…``, relative below the working folder, else as it is."""
    for base, prefix in ((stdlib_dir(), "std/"), (_working_dir(), "")):
        if path.startswith(base + os.sep):
            return prefix + path[len(base) + 1 :]
    return path


def printable(text: str) -> str:
    """Give ``text`` on one line of terminal-safe characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(char: str) -> str:
    return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}.get(char) or f"\\u{{{ord(char):x}}}"


def _working_dir() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was deleted
        return os.sep


def _excerpt(line: str, start: int, length: int) -> tuple[str, int, int]:
    """Give the printable form of ``line``, the columns before the carets, and how many carets."""
    end = min(start + length, len(line))
    head, marked, rest = _columns(line[:start], 0), "", ""
    marked = _columns(line[start:end], _width(head))
    rest = _columns(line[end:], _width(head + marked))
    before, width = _width(head), max(_width(marked), 1)
    text = head + marked + rest
    if not text.isascii() or len(text) <= EXCERPT_WIDTH:
        return text, before, width
    left = max(0, min(before - EXCERPT_WIDTH // 3, len(text) - EXCERPT_WIDTH))
    shown = text[left : left + EXCERPT_WIDTH]
    dots = "..." if left else ""
    more = "..." if left + EXCERPT_WIDTH < len(text) else ""
    before += len(dots) - left
    return dots + shown + more, before, min(width, len(dots) + EXCERPT_WIDTH - before)


def _columns(text: str, at: int) -> str:
    """Give ``text`` with tabs as spaces (``at`` columns stand before it) and no control characters."""
    if "\t" not in text and text.isprintable():
        return text
    out = ""
    for char in text:
        if char == "\t":
            out += " " * (TAB - (at + _width(out)) % TAB)
        else:
            out += char if char.isprintable() else "\ufffd"
    return out


def _width(text: str) -> int:
    """Give the number of terminal columns of ``text``."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _plain(_style: str, text: str) -> str:
    return text


def _ansi(style: str, text: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m"
