"""Random control flow does what the same control flow does in Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st


class Thrown(Exception):
    """What ``throw`` is in the Python twin."""


class Twins:
    """Writes one random function in Harn and in Python; both print a number at each step."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.harn: list[str] = []
        self.python: list[str] = []
        self.indent = 1
        self.names = 0
        self.budget = 25

    def number(self, most: int) -> int:
        """Draw a number from 0 to ``most``."""
        return int(self.draw(st.integers(0, most)))

    def both(self, harn: str, python: str) -> None:
        """Write a line in both languages."""
        self.harn.append("  " * self.indent + harn)
        self.python.append("    " * self.indent + python)

    def name(self) -> str:
        """Give a fresh name."""
        self.names += 1
        return f"v{self.names}"

    def nested(self, harn: str, python: str, in_loop: bool, result: str) -> None:
        """Write a block under two headers; ``result`` is how Python delivers its value, if it has one."""
        self.both(harn, python)
        self.indent += 1
        self.block(in_loop, result)
        self.indent -= 1

    def block(self, in_loop: bool, result: str = "") -> None:
        """Write the statements of a block."""
        self.python.append("    " * self.indent + "pass")
        for _ in range(self.number(2)):
            if self.budget > 0:
                self.budget -= 1
                self.statement(in_loop)
        if result:
            self.value(in_loop, result)

    def statement(self, in_loop: bool) -> None:
        """Write one random statement."""
        kinds = [self.log, self.choose, self.match, self.loop, self.count, self.protect, self.leave, self.bind]
        kinds += [self.lone, self.defer, self.retry]
        kinds[self.number(len(kinds) - 1)](in_loop)

    def value(self, in_loop: bool, result: str) -> None:
        """Write a last statement whose value counts."""
        kind = self.number(4) if self.budget > 0 else 0
        self.budget -= 1
        if kind == 1:
            self.choose(in_loop, result)
        elif kind == 2:
            self.match(in_loop, result)
        elif kind == 3:
            self.protect(in_loop, result)
        elif kind == 4:
            self.leave(in_loop)
            if result != "return ":
                self.python.append("    " * self.indent + f"{result}None")
        else:
            number = self.number(9)
            self.both(str(number), f"{result}{number}")

    def log(self, in_loop: bool) -> None:
        """A step."""
        number = self.number(9)
        self.both(f"n = say(n, {number})", f"n = say(n, {number})")

    def choose(self, in_loop: bool, result: str = "") -> None:
        """``if``."""
        rest = self.number(1)
        self.nested(f"if n % 2 == {rest} {{", f"if n % 2 == {rest}:", in_loop, result)
        if self.number(2) or result:
            self.nested("} else {", "else:", in_loop, result)
        self.harn.append("}")

    def match(self, in_loop: bool, result: str = "") -> None:
        """``match``."""
        self.both("match n % 3 {", "if True:")
        self.indent += 1
        self.nested("0 -> {", "if n % 3 == 0:", in_loop, result)
        self.harn.append("}")
        self.nested("k if n > 4 -> {", "elif n > 4:", in_loop, result)
        self.harn.append("}")
        self.nested("_ -> {", "else:", in_loop, result)
        self.harn.append("}")
        self.indent -= 1
        self.harn.append("}")

    def loop(self, in_loop: bool) -> None:
        """``for``."""
        name = self.name()
        self.nested(f"for {name} in 1 to 2 {{", f"for {name} in range(1, 3):", True, "")
        self.harn.append("}")

    def count(self, in_loop: bool) -> None:
        """``while``."""
        name = self.name()
        self.both(f"let {name} = 0", f"{name} = 0")
        self.both(f"while {name} < 2 {{", f"while {name} < 2:")
        self.indent += 1
        self.both(f"{name} += 1", f"{name} += 1")
        self.block(True)
        self.indent -= 1
        self.harn.append("}")

    def protect(self, in_loop: bool, result: str = "") -> None:
        """``try`` with ``catch``, ``finally`` or both."""
        kind = self.number(2)
        self.nested("try {", "try:", in_loop, result)
        if kind != 1:
            self.nested("} catch (e) {", "except Thrown:", in_loop, result)
        if kind != 0:
            self.nested("} finally {", "finally:", in_loop, "")
        self.harn.append("}")

    def leave(self, in_loop: bool) -> None:
        """``return``, ``throw``, ``break`` or ``continue``."""
        number = self.number(9)
        kind = self.number(3 if in_loop else 1)
        harn = (f"return {number}", f"throw {number}", "break", "continue")[kind]
        self.both(harn, f"raise Thrown({number})" if kind == 1 else harn)

    def bind(self, in_loop: bool) -> None:
        """A variable whose value is a construct with blocks."""
        name = self.name()
        start = len(self.harn)
        [self.choose, self.match, self.protect][self.number(2)](in_loop, f"{name} = ")
        self.harn[start] = f"const {name} = " + self.harn[start].strip()
        self.both(f"n = say(n, {name})", f"n = say(n, {name})")

    def lone(self, in_loop: bool) -> None:
        """``try`` alone: a Result."""
        name = self.name()
        self.nested(f"const {name} = try {{", "try:", in_loop, f"{name} = ")
        self.harn.append("}")
        self.both(f"n = say(n, {name}.variant)", "")
        self.python[-1] = "    " * (self.indent + 1) + f"{name} = 'Ok'"
        for line in ("except Thrown:", f"    {name} = 'Err'", f"n = say(n, {name})"):
            self.python.append("    " * self.indent + line)

    def defer(self, in_loop: bool) -> None:
        """``block`` with a ``defer`` in front."""
        self.harn.append("block {\ndefer {")
        harn, self.harn = self.harn, []
        python, self.python = self.python, []
        self.indent += 1
        self.block(in_loop)
        clean_harn, clean_python = self.harn, self.python
        self.harn, self.python = [*harn, *clean_harn, "}"], [*python, "    " * (self.indent - 1) + "try:"]
        self.block(in_loop)
        self.indent -= 1
        self.harn.append("}")
        self.python += ["    " * self.indent + "finally:", *clean_python]

    def retry(self, in_loop: bool) -> None:
        """``retry``; no loop jumps inside, since the Python twin is a loop itself."""
        name = self.name()
        self.both("retry 2 {", f"for {name} in (1, 2):")
        self.indent += 1
        self.python.append("    " * self.indent + "try:")
        self.indent += 1
        self.block(False)
        self.indent -= 2
        self.harn.append("}")
        lines = ("        break", "    except Thrown:", f"        if {name} == 2: raise")
        self.python += ["    " * self.indent + line for line in lines]


def python_output(body: str) -> str:
    """Run the Python twin."""
    shown: list[str] = []

    def say(n: int, what: Any) -> int:
        shown.append(f"{n} {'nil' if what is None else what}")
        return n + 1

    scope: dict[str, Any] = {"say": say, "Thrown": Thrown}
    try:
        exec("def f():\n    n = 0\n" + body, scope)
    except SyntaxError:  # Python nests at most 20 blocks; Harn has no such limit
        reject()
    for _ in range(2):
        try:
            result = scope["f"]()
            shown.append(f"result {'nil' if result is None else result}")
        except Thrown as error:
            shown.append(f"thrown {error}")
    return "\n".join(shown) + "\n"


HEADS = {"fn": "fn f() {", "closure": "const f = { ->", "anonymous": "const f = fn() {"}
CALLS = 'for call in 1 to 2 { try { println("result ${f()}") } catch (e) { println("thrown ${e}") } }'
SAY = 'fn say(n, what) {\n  println("${n} ${what}")\n  return n + 1\n}\n'


@pytest.mark.parametrize("head", HEADS)
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_control_flow_is_that_of_python(run_harn: Any, head: str, data: st.DataObject) -> None:
    """Both twins print the same."""
    twins = Twins(data.draw)
    twins.block(False, "" if head == "fn" else "return ")
    program = f"{SAY}{HEADS[head]}\n  let n = 0\n" + "\n".join(twins.harn) + f"\n}}\n{CALLS}"
    python = "\n".join(twins.python)
    ran = run_harn(program)
    assert (ran.code, ran.err) == (0, ""), program
    assert ran.out == python_output(python), f"{program}\n\n{python}"
