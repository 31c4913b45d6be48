"""Literals as source text."""

from __future__ import annotations

import re

from harnpy.syntax.tokens import RESERVED

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0", "${": "\\${"}
_SPECIAL = re.compile(r'[\\"\n\r\t\0]|\$\{')


def escaped(value: str) -> str:
    """Give ``value`` as it stands between plain quotes."""
    return _SPECIAL.sub(lambda found: _ESCAPES[found.group()], value)


def quoted(value: str) -> str:
    """Give a string in plain quotes."""
    return f'"{escaped(value)}"'


def raw(value: str) -> str:
    """Give a raw string with as many ``#`` as it needs."""
    if "\n" in value:
        return quoted(value)
    hashes = ""
    while f'"{hashes}' in value:
        hashes += "#"
    return f'r{hashes}"{value}"{hashes}'


def triple_text(value: str) -> str:
    """Give ``value`` as it stands in a triple-quoted string."""
    return value.replace("${", "\\${")


def triple(value: str) -> str:
    """Give a triple-quoted string, its lines at the margin."""
    return f'"""\n{triple_text(value)}\n"""'


def string(value: str, form: str) -> str:
    """Give a string without holes in its form."""
    if form == "raw":
        return raw(value)
    return triple(value) if form == "triple" else quoted(value)


def number(value: float) -> str:
    """Give a float with digits only."""
    from decimal import Decimal

    if value == float("inf"):
        return f"1{'0' * 309}.0"
    text = repr(value)
    if "e" in text:
        text = format(Decimal(text), "f")
    return text if "." in text else text + ".0"


def is_word(text: str) -> bool:
    """Tell whether ``text`` could be read as an identifier or a keyword."""
    return bool(text) and (text[0].isalpha() or text[0] == "_") and all(c.isalnum() or c == "_" for c in text)


def key(value: str, *, keywords: bool = True) -> str:
    """Give a key of a dict: bare where that is possible."""
    return value if is_word(value) and (keywords or value not in RESERVED) else quoted(value)
