"""The words that highlighting tells apart, from the tables of the language."""

from __future__ import annotations

from harnpy.builtins.table import FUNCTIONS
from harnpy.syntax.tokens import CONTEXTUAL_WORDS, RESERVED

CONSTANTS = ("true", "false", "nil")
DECLARATIONS = ("const", "enum", "fn", "impl", "interface", "let", "pipeline", "skill", "struct", "tool", "type")
TYPES = (
    "any",
    "bool",
    "bytes",
    "decimal",
    "dict",
    "duration",
    "float",
    "int",
    "list",
    "never",
    "set",
    "string",
    "unknown",
)
# These words are names almost everywhere; marking them would be wrong more often than right.
_MOSTLY_NAMES = frozenset(
    ("description", "out", "default", "block", "scope", "cost_route", "stream", "each", "with", "not")
)
KEYWORDS = tuple(sorted({*RESERVED, *CONTEXTUAL_WORDS} - {*CONSTANTS, *DECLARATIONS} - _MOSTLY_NAMES))
# All of them may be keys of a dict, as in `{type: "x"}`, and are plain names there.
KEYS = tuple(sorted({*KEYWORDS, *DECLARATIONS} - {"else", *CONSTANTS}))
BUILTINS = tuple(sorted(name for name in FUNCTIONS if not name.startswith("__")))
