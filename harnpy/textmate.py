"""Makes the TextMate grammar of Harn from the keyword and builtin tables: ``python -m harnpy.textmate FILE``."""

from __future__ import annotations

import json
import sys
from typing import Any

from harnpy.highlighting_words import BUILTINS, CONSTANTS, DECLARATIONS, KEYS, KEYWORDS, TYPES


def grammar() -> dict[str, Any]:
    """Give the grammar as JSON data."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Harn",
        "scopeName": "source.harn",
        "fileTypes": ["harn"],
        "firstLineMatch": r"^#!.*\bharnpy\b",
        "patterns": [{"include": "#code"}],
        "repository": {
            "code": {
                "patterns": [{"include": "#" + name} for name in ("comments", "strings", "names", "words", "signs")]
            },
            "comments": {"patterns": _comments()},
            "strings": {"patterns": _strings()},
            "hole": _hole(),
            "block": {"begin": r"\{", "end": r"\}", "patterns": [{"include": "#block"}, {"include": "#code"}]},
            "names": {"patterns": _names()},
            "words": {"patterns": _words()},
            "signs": {"patterns": _signs()},
        },
    }


def _match(name: str, pattern: str) -> dict[str, Any]:
    return {"name": name, "match": pattern}


def _span(name: str, begin: str, end: str, *patterns: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "begin": begin, "end": end, "patterns": list(patterns)}


def _any_of(names: tuple[str, ...]) -> str:
    return r"\b(?:" + "|".join(names) + r")\b"


def _comments() -> list[dict[str, Any]]:
    block = _span("comment.block.harn", r"/\*", r"\*/", {"include": "#comments"})
    return [
        _match("comment.line.documentation.harn", r"///(?!/).*$"),
        _match("comment.line.double-slash.harn", r"//.*$"),
        _span("comment.block.documentation.harn", r"/\*\*(?![*/])", r"\*/", {"include": "#comments"}),
        block,
    ]


def _strings() -> list[dict[str, Any]]:
    escape = _match("constant.character.escape.harn", r'\\[nrt0\\"$]')
    literal_hole = _match("constant.character.escape.harn", r"(?<!\\)\\\$\{")
    hole = {"include": "#hole"}
    return [
        _span("string.quoted.raw.harn", r'\br(#*)"', r'"\1|$'),
        _span("string.quoted.triple.harn", r'"""', r'"""', literal_hole, hole),
        _span("string.quoted.double.harn", r'"', r'"|$', escape, hole),
    ]


def _hole() -> dict[str, Any]:
    edge = {"0": {"name": "punctuation.section.embedded.harn"}}
    return {
        "name": "meta.embedded.harn",
        "begin": r"\$\{",
        "end": r"\}",
        "beginCaptures": edge,
        "endCaptures": edge,
        "patterns": [{"include": "#block"}, {"include": "#code"}],
    }


def _names() -> list[dict[str, Any]]:
    return [
        _match("entity.name.function.decorator.harn", r"@\w+"),
        _match("variable.other.member.harn", r"(?<=\.)(?<!\.\.)[^\W\d]\w*(?:\?(?=\())?"),
        _match("variable.other.member.harn", r"\b(?:" + "|".join(KEYS) + r")(?=\??:)"),
        {
            "match": r"\b(fn|pipeline|tool|skill)\s+(\w+)",
            "captures": {"1": {"name": "storage.type.harn"}, "2": {"name": "entity.name.function.harn"}},
        },
        {
            "match": r"\b(struct|enum|interface|type)\s+(\w+)",
            "captures": {"1": {"name": "storage.type.harn"}, "2": {"name": "entity.name.type.harn"}},
        },
    ]


def _words() -> list[dict[str, Any]]:
    return [
        _match("constant.language.harn", _any_of(CONSTANTS)),
        _match("storage.type.harn", _any_of(DECLARATIONS)),
        _match("keyword.control.harn", _any_of(KEYWORDS)),
        _match("support.type.harn", _any_of(TYPES)),
        _match("support.function.builtin.harn", _any_of(BUILTINS) + r"(?=\s*\()"),
        _match("constant.numeric.harn", r"\b\d+(?:\.\d+|(?:ms|[smhdw])\b)?"),
        _match("entity.name.type.harn", r"\b[A-Z]\w*"),
    ]


def _signs() -> list[dict[str, Any]]:
    return [
        _match("punctuation.separator.continuation.harn", r"\\$"),
        _match("keyword.operator.harn", r"\.\.\.|\|>|\?\?|->|\?\.|[-+*/%=!<>&|?]+"),
    ]


def text() -> str:
    """Give the file as it stands in ``editors/harn.tmLanguage.json``."""
    return json.dumps(grammar(), indent=1) + "\n"


if __name__ == "__main__":
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text())
