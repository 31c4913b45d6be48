"""Sets of token kinds that the token pass asks about."""

from __future__ import annotations

from harnpy.syntax import tokens as t

# What may begin a line that goes on with the expression of the line before (language 3.2).
CONTINUATIONS = frozenset(
    ("|>", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "??", "+", "*", "/", "%", "**", ".", "?.")
)
OPERAND_STARTS = frozenset(
    (
        *(t.IDENT, t.CONTEXTUAL, t.INT, t.FLOAT, t.DURATION, t.STRING, t.RAW_STRING, t.TRIPLE_STRING, t.INTERP_START),
        *("true", "false", "nil", "fn", "if", "match", "try", "spawn", "parallel", "retry", "deadline"),
    )
)
# Tokens after which an operand is complete.
OPERAND_ENDS = frozenset(
    (
        *(t.IDENT, t.NAME, t.INT, t.FLOAT, t.DURATION, t.STRING, t.RAW_STRING, t.TRIPLE_STRING, t.INTERP_END),
        *("true", "false", "nil", ")", "]", "}", t.MAYBE, t.UNWRAP, t.TYPE_CLOSE, "stream", "exclusive"),
    )
)
# Tokens after which a line break means nothing.
OPEN_ENDED = frozenset(
    (
        *("|>", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "??", "+", "-", "*", "/", "%", "**", "in", "|", "&"),
        *("=", "+=", "-=", "*=", "/=", "%=", "->", "(", "[", ",", ":", t.TERNARY, t.TYPE_OPEN, "where"),
        *(t.BLOCK, t.DICT, t.CLOSURE, t.STRUCT, t.HOLE_OPEN),
    )
)
SEPARATED = frozenset((t.NEWLINE, ";"))
FOLLOWS_BLOCK = frozenset(("else", "catch", "finally"))
CLOSERS = frozenset((")", "]", "}", t.HOLE_CLOSE))
ELEMENT_STARTS = OPERAND_STARTS | {"..."}
# Words with a block right behind them.
BLOCK_WORDS = frozenset(
    ("else", "try", "finally", "spawn", "defer", "catch", "mutex", "select", "block", "scope", "cost_route", "default")
)
# Words whose block comes after an operand or a header.
OPERAND_HEADS = frozenset(("if", "while", "for", "retry", "deadline", "match", "parallel"))
NAMED_HEADS = frozenset(
    ("struct", "enum", "interface", "impl", "skill", "eval_pack", "tool", "fn", "pipeline", "override", "catch")
)
HEADS = OPERAND_HEADS | NAMED_HEADS
INFIX_WORDS = frozenset(("not", "with", "as", "stream"))
WITH_PARAMETERS = frozenset(("fn", "tool", "pipeline"))
