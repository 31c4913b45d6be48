"""Builds the parser's table from the grammar with Lark: ``python -m harnpy.syntax.tables`` writes the prebuilt one."""

from __future__ import annotations

import hashlib
import json

from harnpy import resources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

GRAMMAR = "harn.lark"
PREBUILT = "harn.table.json"


def grammar_text() -> str:
    """Read the grammar."""
    with open(resources.grammar_file(GRAMMAR), encoding="utf-8") as file:
        return file.read()


def fingerprint(grammar: str) -> str:
    """Give what the prebuilt table is valid for: the grammar and the version of Lark that analysed it."""
    import lark

    return hashlib.sha256(f"{lark.__version__}\n{grammar}".encode()).hexdigest()


def build(grammar: str) -> dict[str, Any]:
    """Analyse ``grammar`` and give the table as JSON data.

    ``terminals``: the kinds of tokens. ``rules``: for each rule its symbol, the name of the function that
    builds its value (or ``None``), how many symbols it has, and which children are kept, each as
    ``[index, spliced]``, with index -1 for a part left out. ``rows``: the actions of a state by number of
    the terminal, ``n >= 0`` shift to state n, ``-n`` reduce rule n - 1. ``states``: for each state its row
    and its transitions on symbols.
    """
    from lark import Lark
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        """The tokens come from the token pass."""

        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Any:
            """Give nothing: this parser is made for its table only."""
            return iter(())

    parser = Lark(grammar, parser="lalr", lexer=NoLexer, maybe_placeholders=True)
    kinds = {terminal.name: terminal.pattern.value for terminal in parser.terminals if terminal.pattern is not None}
    table = parser.parser.parser._parse_table
    return _encode(table, kinds, fingerprint(grammar))


def _encode(table: Any, kinds: dict[str, str], valid_for: str) -> dict[str, Any]:
    """Number states, rules and terminals in an order that depends on the grammar alone."""
    from lark.parsers.lalr_analysis import Shift

    start, end = table.start_states["start"], table.end_states["start"]
    order, queue = {start: 0}, [start]
    for state in queue:
        for symbol in sorted(table.states[state]):
            action, target = table.states[state][symbol]
            if action is Shift and target not in order:
                order[target] = len(order)
                queue.append(target)
    rules = sorted({argument for _, argument in _reductions(table, Shift)}, key=_rule_key)
    numbers = {rule: number for number, rule in enumerate(rules)}
    terminals = sorted(
        {symbol for actions in table.states.values() for symbol in actions if symbol.isupper()} | {"$END"}
    )
    rows: dict[tuple[int, ...], int] = {}
    states = []
    for state in queue:
        row: list[int] = []
        for number, terminal in enumerate(terminals):
            if terminal in table.states[state]:
                action, argument = table.states[state][terminal]
                row += [number, order[argument] if action is Shift else -numbers[argument] - 1]
        gotos = {
            symbol: order[to] for symbol, (_, to) in sorted(table.states[state].items()) if symbol not in terminals
        }
        states.append([rows.setdefault(tuple(row), len(rows)), gotos])
    return {
        "valid_for": valid_for,
        "start": order[start],
        "end": order[end],
        "terminals": [kinds.get(terminal, terminal.lstrip("_")) for terminal in terminals],
        "rules": [_encode_rule(rule) for rule in rules],
        "rows": [list(row) for row in rows],
        "states": states,
    }


def _reductions(table: Any, shift: object) -> list[tuple[str, Any]]:
    return [
        (symbol, argument)
        for actions in table.states.values()
        for symbol, (action, argument) in actions.items()
        if action is not shift
    ]


def _rule_key(rule: Any) -> tuple[str, list[str], str]:
    return rule.origin.name, [symbol.name for symbol in rule.expansion], str(rule.alias)


def _encode_rule(rule: Any) -> list[Any]:
    kept, omitted = [], _omitted_parts(rule)
    for index, symbol in enumerate(rule.expansion):
        kept += [[-1, False]] * omitted[index]
        if rule.options.keep_all_tokens or not (symbol.is_term and symbol.filter_out):
            kept.append([index, not symbol.is_term and symbol.name.startswith("_")])
    kept += [[-1, False]] * omitted[-1]
    name = rule.alias or rule.origin.name
    passes = rule.options.expand1 and not rule.alias and len(kept) == 1
    if passes and kept[0][1]:
        raise ValueError(f"{rule.origin.name}: a rule without a value of its own cannot be passed on")
    spliced = rule.origin.name.startswith("_") and not rule.alias
    return [rule.origin.name, None if passes or spliced else str(name), len(rule.expansion), kept]


def _omitted_parts(rule: Any) -> list[int]:
    """Count, before each symbol and at the end, the optional parts that this form of the rule leaves out."""
    empty = rule.options.empty_indices
    if not empty:
        return [0] * (len(rule.expansion) + 1)
    return [len(ones) for ones in "".join(str(int(flag)) for flag in empty).split("0")]


def main() -> None:
    """Write the prebuilt table."""
    data = build(grammar_text())
    with open(resources.grammar_file(PREBUILT), "w", encoding="utf-8") as file:
        json.dump(data, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
