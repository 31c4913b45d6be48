"""A Pygments lexer for Harn, made from the keyword and builtin tables."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from harnpy.highlighting_words import BUILTINS, CONSTANTS, DECLARATIONS, KEYS, KEYWORDS, TYPES

__all__ = ["HarnLexer"]

_CODE: list[Any] = [
    (r"///(?!/)[^\n]*", Comment.Special),
    (r"//[^\n]*", Comment.Single),
    (r"/\*", Comment.Multiline, "comment"),
    (r'\br(#*)"[^\n]*?"\1', String.Other),
    (r'"""', String.Double, "triple"),
    (r'"', String.Double, "string"),
    (r"@\w+", Name.Decorator),
    (r"\b(fn|pipeline|tool|skill)(\s+)(\w+)", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
    (r"\b(struct|enum|interface|type)(\s+)(\w+)", bygroups(Keyword.Declaration, Whitespace, Name.Class)),
    (r"(\?\.|\.)([^\W\d]\w*(?:\?(?=\())?)", bygroups(Operator, Name.Attribute)),
    (words(KEYS, r"\b", r"(?=\??:)"), Name.Attribute),
    (words(CONSTANTS, r"\b", r"\b"), Keyword.Constant),
    (words(DECLARATIONS, r"\b", r"\b"), Keyword.Declaration),
    (words(KEYWORDS, r"\b", r"\b"), Keyword),
    (words(TYPES, r"\b", r"\b"), Keyword.Type),
    (words(BUILTINS, r"\b", r"(?=\s*\()"), Name.Builtin),
    (r"\b[A-Z]\w*", Name.Class),
    (r"[^\W\d]\w*", Name),
    (r"\d+(?:ms|[smhdw])\b", Number.Integer),
    (r"\d+\.\d+", Number.Float),
    (r"\d+", Number.Integer),
    (r"\s+|\\\r?\n", Whitespace),
    (r"[-+*/%=!<>&|?:]+|\.{1,3}", Operator),
    (r"[()\[\],;]", Punctuation),
]
_HOLE = (r"\$\{", String.Interpol, "hole")


class HarnLexer(RegexLexer):
    """Highlights programs written in Harn."""

    name = "Harn"
    aliases: ClassVar = ["harn"]
    filenames: ClassVar = ["*.harn"]
    mimetypes: ClassVar = ["text/x-harn"]
    flags = re.MULTILINE
    tokens: ClassVar = {
        "root": [(r"\A#![^\n]*", Comment.Hashbang), *_CODE, (r"[{}]", Punctuation)],
        "comment": [
            (r"[^*/]+", Comment.Multiline),
            (r"/\*", Comment.Multiline, "#push"),
            (r"\*/", Comment.Multiline, "#pop"),
            (r"[*/]", Comment.Multiline),
        ],
        "string": [
            (r'\\[nrt0\\"$]', String.Escape),
            _HOLE,
            (r'"', String.Double, "#pop"),
            (r"\n", Whitespace, "#pop"),
            (r'[^"\\$\n]+|[\\$]', String.Double),
        ],
        "triple": [
            (r"(?<!\\)\\\$\{", String.Escape),
            _HOLE,
            (r'"""', String.Double, "#pop"),
            (r'[^"\\$]+|["\\$]', String.Double),
        ],
        "hole": [(r"\}", String.Interpol, "#pop"), (r"\{", Punctuation, "braces"), *_CODE],
        "braces": [(r"\}", Punctuation, "#pop"), (r"\{", Punctuation, "#push"), *_CODE],
    }
