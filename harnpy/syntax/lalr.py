"""Walks the LALR table over the tokens and builds the tree on the way."""

from __future__ import annotations

from harnpy.syntax.fault import Fault
from harnpy.syntax.table import CALL, PASS, Table
from harnpy.syntax.tokens import Tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Stack:
    """The parser's stack: states, and for each symbol its value, place and depth.

    The first entry belongs to the start state; its value is the ``None`` of parts left out.
    """

    __slots__ = ("depths", "ends", "starts", "states", "values")

    def __init__(self, start: int) -> None:
        self.states = [start]
        self.values: list[Any] = [None]
        self.starts = [0]
        self.ends = [0]
        self.depths = [0]


class UnexpectedToken(Exception):
    """No action for the token at ``index``; ``states`` are those of the stack."""

    def __init__(self, states: list[int], index: int) -> None:
        super().__init__(index)
        self.states = states
        self.index = index


def run(table: Table, tokens: Tokens, max_depth: int) -> Any:
    """Parse all tokens; give the value of the start symbol."""
    stack = Stack(table.start)
    states, values, starts, ends, depths = stack.states, stack.values, stack.starts, stack.ends, stack.depths
    actions, rules, links, final = table.actions, table.rules, table.links, table.end
    state = table.start
    for index, kind in enumerate(tokens.kinds):
        while True:
            action = actions[state].get(kind)
            if action is None:
                raise UnexpectedToken(states, index)
            if action >= 0:
                break
            rule = rules[-action - 1]
            count = rule.count
            if count:
                place = (starts[-count], ends[-1])
                depth = max(depths[-count:]) if count > 1 else depths[-1]
            else:
                place = (tokens.starts[index], tokens.starts[index])
                depth = 0
            if rule.mode == CALL:
                value = rule.builder(place, *[values[offset] for offset in rule.plan])  # type: ignore[misc]
                depth += 1
            elif rule.mode == PASS:
                value = values[rule.plan]
            else:
                value = _spliced(values, rule.plan)
                if rule.builder is not None:
                    value = rule.builder(place, *value)
                    depth += 1
            if depth > max_depth:
                raise Fault("nested too deeply", place, placed=True)
            if count:
                del states[-count:], values[-count:], starts[-count:], ends[-count:], depths[-count:]
            below = states[-1]
            key = (below, rule.symbol, kind)
            state = links.get(key, -1)
            if state < 0:
                state = links[key] = table.link(*key)
            states.append(state)
            values.append(value)
            starts.append(place[0])
            ends.append(place[1])
            depths.append(depth)
            if state == final and kind == "$END":
                return value
        state = action
        states.append(state)
        values.append(tokens.values[index])
        starts.append(tokens.starts[index])
        ends.append(tokens.ends[index])
        depths.append(0)
    raise AssertionError("the token list has no end")


def _spliced(values: list[Any], plan: list[tuple[int, bool]]) -> list[Any]:
    """Collect children; the list of a left-recursive rule is reused, which keeps long lists linear."""
    first, spliced = plan[0] if plan else (0, False)
    result: list[Any] = values[first] if spliced else [values[first]] if plan else []
    for offset, is_list in plan[1:]:
        if is_list:
            result += values[offset]
        else:
            result.append(values[offset])
    return result


def accepted(table: Table, states: list[int], kind: str) -> bool:
    """Tell whether ``kind`` could really come next: the reductions before it are tried out."""
    trial = list(states)
    while True:
        action = table.actions[trial[-1]].get(kind)
        if action is None:
            return False
        if action >= 0:
            return True
        rule = table.rules[-action - 1]
        if rule.count:
            del trial[-rule.count :]
        trial.append(table.gotos[trial[-1]][rule.symbol])
        if kind == "$END" and trial[-1] == table.end:
            return True
