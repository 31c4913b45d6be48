"""Says in words what the parser expected and what it found (language 3.8)."""

from __future__ import annotations

from harnpy.syntax import lalr
from harnpy.syntax import tokens as t
from harnpy.syntax.fault import Fault
from harnpy.syntax.hints import hint
from harnpy.syntax.table import Table
from harnpy.syntax.tokens import RESERVED, Tokens
from harnpy.syntax.unclosed import at_end, openers, unclosed

_NAMED = {
    "fn": "function name",
    "tool": "tool name",
    "skill": "skill name",
    "pipeline": "pipeline name",
    "struct": "struct name",
    "enum": "enum name",
    "type": "type name",
    "interface": "interface name",
    "impl": "type name",
    "const": "variable name",
    "let": "variable name",
    "for": "loop variable",
    "catch": "error name",
    "...": "rest name",
    "as": "namespace name",
    "override": "step name",
    "extends": "pipeline name",
    t.TYPE_OPEN: "type parameter name",
}
_SHOWN = {
    t.BLOCK: "{",
    t.DICT: "{",
    t.CLOSURE: "{",
    t.STRUCT: "{",
    t.TERNARY: "?",
    t.MAYBE: "?",
    t.MAYBE_INDEX: "?",
    t.UNWRAP: "!",
    t.TYPE_OPEN: "<",
    t.TYPE_CLOSE: ">",
    t.HOLE_OPEN: "${",
    t.HOLE_CLOSE: "}",
    t.NEWLINE: "\\n",
    t.END: "EOF",
}
# Kinds that are not listed one by one: operators that could go on with an expression.
_OPERATORS = frozenset(
    (
        *("|>", "||", "&&", "==", "!=", "<", ">", "<=", ">=", "??", "+", "-", "*", "/", "%", "**", "in", "not", "to"),
        *(".", "?.", "[", "(", t.TERNARY, t.MAYBE, t.MAYBE_INDEX, t.UNWRAP, t.STRUCT, t.TYPE_OPEN, "exclusive"),
        *("+=", "-=", "*=", "/=", "%=", "|", "&", "as"),
    )
)
_WORDS = {
    t.IDENT: "identifier",
    t.NAME: "name",
    t.KEY: "key",
    t.FIELD: "field name",
    t.STRING: "string",
    t.NEWLINE: "newline",
    t.END: "end of file",
    t.INT: "number",
}


def fault(table: Table, tokens: Tokens, text: str, stop: lalr.UnexpectedToken) -> Fault:
    """Make the fault for a token that cannot stand where it is."""
    index, kinds = stop.index, tokens.kinds
    possible = {kind for kind in table.actions[stop.states[-1]] if lalr.accepted(table, stop.states, kind)}
    kind, span, got = kinds[index], (tokens.starts[index], tokens.ends[index]), token_text(tokens, index)
    if kind == "," and tokens.values[index] is None:
        # A comma that the token pass put in: what stands there is a newline or the next token.
        if text.startswith("\n", span[0]):
            kind, span, got = t.NEWLINE, (span[0], span[0] + 1), "\\n"
        else:
            index += 1
            kind, span, got = kinds[index], (tokens.starts[index], tokens.ends[index]), token_text(tokens, index)
    wanted = _wanted(tokens, index, possible)
    opened = openers(tokens, index)
    opener = opened[-1] if opened else None
    advice = hint(tokens, index, possible, opener)
    if kind == t.END:
        return at_end(tokens, text, f"Unexpected end of file, expected {wanted}", span, opener, advice)
    special = _special(tokens, index, wanted)
    if special is not None:
        return Fault(special, span)
    if kind in RESERVED and wanted not in ("expression", "statement") and t.IDENT in possible:
        got = f"'{kind}' (reserved keyword)"
    message = f"Expected {wanted}, got {got}"
    if advice is None:
        found = unclosed(tokens, text, message, index, opened)
        if found is not None:
            return found
    return Fault(message, span, hint=advice, placed=True)


def token_text(tokens: Tokens, index: int) -> str:
    """Show a token as messages do."""
    kind, value = tokens.kinds[index], tokens.values[index]
    if kind in (t.IDENT, t.FIELD) or (kind in (t.NAME, t.KEY) and value not in RESERVED):
        return f"id({value})"
    if kind in (t.STRING, t.TRIPLE_STRING, t.INTERP_TEXT):
        return f"str({value})"
    if kind == t.RAW_STRING:
        return f"rstr({value})"
    if kind == t.INTERP_START:
        return "istr(…)"
    if kind == t.INT:
        return f"int({value})"
    if kind == t.FLOAT:
        return f"float({value})"
    if kind == t.DURATION and isinstance(value, tuple):
        return f"duration({value[1]})"
    if kind in (t.NAME, t.KEY):
        return str(value)
    return _SHOWN.get(kind, kind)


def _wanted(tokens: Tokens, index: int, possible: set[str]) -> str:
    """Say what could stand at ``index``."""
    before = tokens.kinds[index - 1] if index else t.NEWLINE
    if tokens.kinds[index] == t.END and "}" in possible:
        return "}"
    if t.NEWLINE in possible or ";" in possible:
        return _separator(tokens, index, possible)
    if t.HOLE_CLOSE in possible:
        return "end of interpolated expression"
    if "return" in possible:
        return "statement"
    if t.FLOAT in possible and "(" in possible:
        return "expression"
    if t.FLOAT in possible:
        return "attribute value"
    if "nil" in possible and "fn" in possible:
        return "type"
    if t.IDENT in possible and before in _NAMED:
        return _NAMED[before]
    if t.IDENT in possible and _in_parameters(tokens, index) and before in ("(", ",", t.CLOSURE):
        return "parameter name"
    if "struct" in possible and "fn" in possible:
        return "declaration"
    return _listed(possible)


def _separator(tokens: Tokens, index: int, possible: set[str]) -> str:
    if tokens.kinds[index] == t.END:
        return _listed(possible)
    nested = openers(tokens, index)
    return "statement separator (`;` or newline)" if nested else "top-level item separator"


def _in_parameters(tokens: Tokens, index: int) -> bool:
    opened = openers(tokens, index)
    if not opened:
        return False
    opener = opened[-1]
    if tokens.kinds[opener] == t.CLOSURE:
        return True
    before = tokens.kinds[max(0, opener - 2) : opener]
    return bool(before) and (before[-1] in ("fn", t.TYPE_CLOSE) or before[0] in ("fn", "tool", "pipeline"))


def _listed(possible: set[str]) -> str:
    """List what is possible, without the operators that could always go on."""
    kinds = sorted(possible - _OPERATORS, key=lambda kind: (kind != ",", kind)) or sorted(possible)
    if len(kinds) == 1:
        return _WORDS.get(kinds[0]) or _SHOWN.get(kinds[0], kinds[0])
    words = list(dict.fromkeys(_WORDS.get(kind) or f"`{_SHOWN.get(kind, kind)}`" for kind in kinds))
    if len(words) > 5:
        words = [*words[:5], "..."]
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _special(tokens: Tokens, index: int, wanted: str) -> str | None:
    """Give the whole message for mistakes that have one of their own."""
    kinds, kind = tokens.kinds, tokens.kinds[index]
    if kind == "var" and wanted == "statement":
        return "`var` is reserved: write `let` for a mutable binding (`const` for an immutable one)"
    if kind == "<" and wanted == "expression" and ("<" in (kinds[index - 1], kinds[index + 1])):
        return 'Heredocs (`<<TAG`) exist only inside model tool-call arguments: in source write `"""`'
    return None
