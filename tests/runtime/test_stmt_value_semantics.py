"""Random programs of assignments do what the same programs do on deep copies."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAMES = "abc"
PATHS = [("x",), ("y",), ("x", 0), ("x", 1), ("y", "z"), ("x", 0, "w"), ("x", 0, 0), ("y", "z", 1)]
START = {"x": [[1], 2], "y": {"z": [3, 4]}}

# Where the variables live: at module level, in a function, in cells of a closure, fresh in every turn of a loop.
PLACES = {
    "module": "{declare}\n{body}\n{show}",
    "function": "fn f() {{\n{declare}\n{body}\n{show}\n}}\nf()",
    "captured": "fn f() {{\n{declare}\nconst see = {{ -> [a, b, c] }}\n{body}\n{show}\nsee()\n}}\nf()",
    "loop": "fn f() {{\nfor turn in 1 to 2 {{\n{declare}\n{body}\nif turn == 2 {{\n{show}\n}}\n}}\n}}\nf()",
}

steps = st.one_of(
    st.tuples(st.just("alias"), st.sampled_from(NAMES), st.just(()), st.sampled_from(NAMES)),
    st.tuples(st.just("set"), st.sampled_from(NAMES), st.sampled_from(PATHS), st.integers(0, 9)),
    st.tuples(st.just("put"), st.sampled_from(NAMES), st.sampled_from(PATHS), st.sampled_from(NAMES)),
    st.tuples(st.just("grow"), st.sampled_from(NAMES), st.sampled_from([(), *PATHS]), st.integers(0, 9)),
)


def steps_text(path: tuple[Any, ...]) -> str:
    """Write a path as Harn."""
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def literal(value: Any) -> str:
    """Write a value as Harn writes and shows it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {literal(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(literal(item) for item in value) + "]"
    return str(value)


def leads_to(holder: Any, key: Any) -> bool:
    """Tell whether ``holder[key]`` can be stored into."""
    if isinstance(key, str):
        return isinstance(holder, dict)
    return isinstance(holder, list) and key < len(holder)


class Model:
    """A program as Harn text, and what it computes, on values that are copied deeply at every step."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {name: copy.deepcopy(START) for name in NAMES}
        self.lines: list[str] = []

    def read(self, name: str, path: tuple[Any, ...]) -> Any:
        """Give the value at a path, or ``None`` where it leads nowhere."""
        value = self.values[name]
        for key in path:
            if not leads_to(value, key) or (isinstance(key, str) and key not in value):
                return None
            value = value[key]
        return value

    def store(self, name: str, path: tuple[Any, ...], value: Any, text: str) -> None:
        """Do one assignment, unless its path leads nowhere."""
        value = copy.deepcopy(value)
        if not path:
            self.values[name] = value
        else:
            holder = self.read(name, path[:-1])
            if not leads_to(holder, path[-1]):
                return
            holder[path[-1]] = value
        self.lines.append(name + steps_text(path) + text)

    def step(self, kind: str, name: str, path: tuple[Any, ...], operand: Any) -> None:
        """Do one random step."""
        if kind == "set":
            self.store(name, path, operand, f" = {operand}")
        elif kind in ("alias", "put"):
            self.store(name, path, self.values[operand], f" = {operand}")
        else:
            old = self.read(name, path)
            if isinstance(old, list):
                self.store(name, path, [*old, operand], f" += [{operand}]")
            elif isinstance(old, dict):
                self.store(name, path, {**old, "w": operand}, f" += {{w: {operand}}}")


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.lists(steps, max_size=12))
def test_assignments_are_those_of_values(run_harn: Any, place: str, program: list[tuple[Any, ...]]) -> None:
    """After every program all variables hold what deep copies hold."""
    model = Model()
    for step in program:
        model.step(*step)
    text = PLACES[place].format(
        declare="\n".join(f"let {name} = {literal(START)}" for name in NAMES),
        body="\n".join(model.lines),
        show="\n".join(f"println({name})" for name in NAMES),
    )
    ran = run_harn(text)
    assert (ran.code, ran.err) == (0, ""), text
    assert ran.out.splitlines() == [literal(model.values[name]) for name in NAMES], text
