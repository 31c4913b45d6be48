"""The Pygments lexer and the TextMate grammar agree with the language and with each other."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from pygments.token import Comment, Error, Keyword, Name, Number, String

from harnpy import textmate
from harnpy.highlighting import HarnLexer
from harnpy.highlighting_words import KEYWORDS, TYPES
from harnpy.syntax.layout import lay_out
from harnpy.syntax.scan import scan
from harnpy.syntax.tokens import RESERVED

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("examples", "stdlib", "conformance")
PROGRAMS = [path for name in FOLDERS for path in sorted((ROOT / name).rglob("*.harn")) if path.is_file()]


def programs() -> Iterator[tuple[Path, str]]:
    for path in PROGRAMS:
        with contextlib.suppress(UnicodeDecodeError):  # some are there to be refused
            yield path, path.read_bytes().decode("utf-8").removeprefix("\ufeff").replace("\r\n", "\n")


def test_the_lexer_knows_every_character_of_our_programs() -> None:
    unknown = {}
    for path, text in programs():
        tokens = [(kind, value) for _, kind, value in HarnLexer().get_tokens_unprocessed(text)]
        assert "".join(value for _, value in tokens) == text, path
        found = [value for kind, value in tokens if kind in Error]
        error = path.with_suffix(".error")
        if found and not (error.exists() and "Unexpected character" in error.read_text(encoding="utf-8")):
            unknown[path] = found
    assert unknown == {}


# Words that mean something in some places only, `select(...)`, and nil as the key of a dict.
SOFT = {*KEYWORDS, *TYPES} - RESERVED | {"select", "nil"}


def wanted(text: str) -> Iterator[tuple[object, int, int]]:
    """What the language itself says of a text: the kind of highlighting, start and end of each token that has one."""
    tokens = lay_out(scan(text), 200)
    for kind, start, end in zip(tokens.kinds, tokens.starts, tokens.ends, strict=True):
        if kind in ("INT", "FLOAT", "DURATION"):
            yield Number, start, end
        elif kind in ("STRING", "RAW_STRING", "TRIPLE_STRING", "INTERP_TEXT"):
            yield String, start, end
        elif kind in ("IDENT", "NAME", "KEY") and text[start:end] not in SOFT:
            yield Name, start, end
        elif kind in RESERVED:
            yield Keyword, start, end


def test_the_lexer_agrees_with_the_language() -> None:
    compared = 0
    for path, text in programs():
        try:
            tokens = list(wanted(text))
        except Exception:  # a program that is there to be refused
            continue
        kinds = [kind for _, kind, value in HarnLexer().get_tokens_unprocessed(text) for _ in value]
        for kind, start, end in tokens:
            compared += 1
            place = (path, text.count("\n", 0, start) + 1, text[start:end])
            assert {found in kind for found in kinds[start:end]} <= {True}, place
    assert compared > 50_000


def test_escapes_are_those_of_each_kind_of_string() -> None:
    text = r'''"a\n\q\${x}" r"b\n" """c\n \${x} \\${y}"""'''
    found = [value for kind, value in HarnLexer().get_tokens(text) if kind in String.Escape]
    assert found == ["\\n", "\\$", "\\${"]


def test_kinds_of_words() -> None:
    text = 'fn f(x) { const s = "a ${len(x)} \\n"\n return nil } /* a /* b */ c */ 5ms 1.5 println(1)'
    found = {value: kind for kind, value in HarnLexer().get_tokens(text)}
    assert found["f"] == Name.Function
    assert found["const"] == Keyword.Declaration
    assert found["return"] == Keyword
    assert found["nil"] == Keyword.Constant
    assert found["len"] == found["println"] == Name.Builtin
    assert found["\\n"] == String.Escape
    assert found["${"] == String.Interpol
    assert found["5ms"] == Number.Integer
    assert found["1.5"] == Number.Float
    assert found[" c "] == Comment.Multiline


def test_the_textmate_grammar_is_up_to_date() -> None:
    """``python -m harnpy.textmate editors/harn.tmLanguage.json`` makes it again."""
    assert (ROOT / "editors" / "harn.tmLanguage.json").read_text(encoding="utf-8") == textmate.text()


def test_the_textmate_grammar_names_every_reserved_word_and_its_patterns_compile() -> None:
    grammar = json.dumps(textmate.grammar())
    assert [word for word in sorted(RESERVED) if not re.search(rf"[:|]{word}[|)]", grammar)] == []
    for found in re.findall(r'"(?:match|begin|end)": ("(?:[^"\\]|\\.)*")', grammar):
        re.compile(json.loads(found).replace(r"\1", ""))
