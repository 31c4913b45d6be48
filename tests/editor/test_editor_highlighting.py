"""The Pygments lexer and the TextMate grammar agree with the language and with each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from pygments.token import Comment, Error, Keyword, Name, Number, String

from harnpy import textmate
from harnpy.highlighting import HarnLexer
from harnpy.syntax.tokens import RESERVED

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = [*sorted((ROOT / "examples").glob("*.harn")), *sorted((ROOT / "stdlib").rglob("*.harn"))]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_lexer_knows_every_character_of_our_programs(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    tokens = list(HarnLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert [value for kind, value in tokens if kind in Error] == []
    assert "".join(value for _, value in tokens) == text


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
