"""A Hypothesis strategy for programs that run: every construct of the language over ints, texts, lists and dicts."""

from __future__ import annotations

from hypothesis import strategies as st

NUMBERS = ("a", "b")
LISTS = ("xs", "ys")
TEXTS = ("s", "t")
KEYS = ("k", "m", "long key")
HEAD = """
enum Shape { Dot, Line(length), Box(width, height) }
struct Point { x: int, y: int }
impl Point { fn sum(self) { return self.x + self.y } }
fn twice(n) { return n * 2 }
fn count_down(n, acc = 0) { if n <= 0 { return acc }; return count_down(n - 1, acc + n) }
fn failing(n) { if n % 3 == 0 { throw "three: ${n}" }; return n }
fn area(shape) {
  return match shape { Shape.Dot -> { 0 } Shape.Line(n) -> { n } Shape.Box(w, h) -> { w * h } }
}
gen fn up_to(n) { for i in 0 to n exclusive { emit i } }
let a = 3
let b = -7
let xs = [1, 2, 3]
let ys = []
let s = "text"
let t = ""
let d = {k: 1, m: [1, {n: 2}]}
const total = atomic(0)
"""
TAIL = """
println(json_stringify([a, b, xs, ys, s, t, d, atomic_get(total)]))
"""


class Writer:
    """Writes one program by drawing choices; ``depth`` bounds how deep it nests."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.names = 0

    def pick(self, *options):
        return self.draw(st.sampled_from(options))

    def name(self) -> str:
        self.names += 1
        return f"v{self.names}"

    def number(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*NUMBERS, "0", "1", "2", "7", "9223372036854775807", "len(xs)", "len(s)")
        kind = self.pick(
            "op", "op", "if", "call", "index", "match", "sum", "coalesce", "closure", "leaf", "fold", "point"
        )
        inner = depth - 1
        if kind == "op":
            return f"({self.number(inner)} {self.pick('+', '-', '*')} {self.number(inner)})"
        if kind == "if":
            return f"if {self.truth(inner)} {{ {self.number(inner)} }} else {{ {self.number(inner)} }}"
        if kind == "call":
            return f"{self.pick('twice', 'abs', 'count_down')}({self.number(inner)} % 50)"
        if kind == "index":
            return f"({self.items(inner)}[{self.number(0)} % 3] ?? {self.number(inner)})"
        if kind == "match":
            shape = self.pick("Shape.Dot", f"Shape.Line({self.number(inner)})", f"Shape.Box({self.number(0)}, 2)")
            return f"area({shape})"
        if kind == "sum":
            return f"len({self.items(inner)})"
        if kind == "coalesce":
            return f"to_int(d?.{self.pick('k', 'none')} ?? {self.number(inner)}) ?? 5"
        if kind == "closure":
            v = self.name()
            return f"({{ {v} -> {v} + {self.number(inner)} }})({self.number(inner)})"
        if kind == "fold":
            v = self.name()
            return f"{self.items(inner)}.reduce(0, {{ acc, {v} -> acc + (to_int({v}) ?? 1) }})"
        if kind == "point":
            return f"Point {{x: {self.number(inner)}, y: 2}}.sum()"
        return self.number(0)

    def truth(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("true", "false", "a < b", "len(xs) > 2")
        kind = self.pick("compare", "logic", "in", "not", "kind")
        inner = depth - 1
        if kind == "compare":
            return f"({self.number(inner)} {self.pick('<', '<=', '>', '>=', '==', '!=')} {self.number(inner)})"
        if kind == "logic":
            return f"({self.truth(inner)} {self.pick('&&', '||')} {self.truth(inner)})"
        if kind == "in":
            return f"({self.number(inner)} in {self.items(inner)})"
        if kind == "kind":
            word = self.pick('"int"', '"list"')
            return f"(type_of({self.pick(self.number(inner), self.items(inner), 'nil')}) == {word})"
        return f"!{self.truth(inner)}"

    def items(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*LISTS, "[]", "[1, 2]", "(d.m ?? [])")
        kind = self.pick("literal", "spread", "sum", "slice", "map", "filter", "parallel", "range", "generator", "leaf")
        inner = depth - 1
        v = self.name()
        if kind == "literal":
            return f"[{self.number(inner)}, {self.text(inner)}, {self.number(inner)}]"
        if kind == "spread":
            return f"[...{self.items(inner)}, {self.number(inner)}]"
        if kind == "sum":
            return f"({self.items(inner)} + {self.items(inner)})"
        if kind == "slice":
            return f"{self.pick(*LISTS)}[{self.number(0)} % 4:]"
        if kind == "map":
            return f"{self.items(inner)}.map({{ {v} -> [{v}, {self.number(inner)}] }})"
        if kind == "filter":
            return f"{self.items(inner)}.filter({{ {v} -> {self.truth(inner)} }})"
        if kind == "parallel":
            wait = self.pick("", f"sleep({self.number(0)} % 20); ", "atomic_add(total, 1); ")
            work = f"{{ {v} -> {wait}[{v}, {self.number(inner)}] }}"
            return f"(parallel each {self.items(inner)} with {{max_concurrent: LIMIT}} {work})"
        if kind == "range":
            return f"iter(up_to({self.number(0)} % 5)).take(3).to_list()"
        if kind == "generator":
            return f"iter(up_to({self.number(0)} % 6)).to_list()"
        return self.items(0)

    def text(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*TEXTS, '""', '"é\\n"')
        kind = self.pick("hole", "sum", "method", "leaf")
        inner = depth - 1
        if kind == "hole":
            return f'"<${{{self.number(inner)}}}${{{self.pick(*LISTS)}}}>"'
        if kind == "sum":
            return f"({self.text(inner)} + {self.text(inner)})"
        if kind == "method":
            return f"{self.pick(*TEXTS)}.{self.pick('upper', 'trim')}()"
        return self.text(0)

    def statement(self, depth: int) -> str:
        inner = depth - 1
        small = ["number", "list", "grow", "text", "dict", "path", "print", "share"]
        large = ["if", "for", "while", "try", "closure", "block", "match", "destructure", "local", "spawn"]
        kind = self.pick(*small, *(large if depth > 0 else []))
        return getattr(self, "_" + kind)(inner)

    def body(self, depth: int) -> str:
        return "\n".join([self.statement(depth) for _ in range(self.draw(st.integers(1, 3)))])

    def _number(self, depth: int) -> str:
        return f"{self.pick(*NUMBERS)} {self.pick('=', '+=', '-=')} ({self.number(2)}) % 1000"

    def _list(self, depth: int) -> str:
        return f"{self.pick(*LISTS)} = ({self.items(2)})[:9]"

    def _grow(self, depth: int) -> str:
        name = self.pick(*LISTS)
        item = self.number(1)
        return self.pick(
            f"{name} = {name} + [{item}]", f"{name} = [...{name}, {item}]", f"{name} += [{item}]",
            f"{name} = {name}.appending({item})", f"if len({name}) > 0 {{ {name}[0] = {item} }}",
        )  # fmt: skip

    def _text(self, depth: int) -> str:
        name = self.pick(*TEXTS)
        piece = self.text(1)
        change = self.pick(f"{name} = {piece}", f"{name} += {piece}", f'{name} = "${{{name}}}${{{piece}}}"')
        return f"{change}\n{name} = {name}[:40]"

    def _dict(self, depth: int) -> str:
        key = self.pick(*KEYS)
        return self.pick(
            f'd["{key}"] = {self.number(1)}', f"d.m = ({self.items(1)})[:5]", f'd = d + {{"{key}": {self.number(1)}}}',
            f'd.g = (d.g ?? []) + [{self.number(1)}]', 'd = {...d, k: a}', "d.deep = {in: {a: a, xs: xs}}",
        )  # fmt: skip

    def _path(self, depth: int) -> str:
        return f"if d.deep != nil {{ d.deep.in.a = {self.number(1)}; d.deep.in.xs = d.deep.in.xs.appending(1)[:6] }}"

    def _print(self, depth: int) -> str:
        return f"println({self.pick(self.number(1), self.text(1), self.items(1))})"

    def _share(self, depth: int) -> str:
        one, other = self.pick(*LISTS), self.pick(*LISTS)
        return f"{one} = {other}"

    def _if(self, depth: int) -> str:
        return f"if {self.truth(2)} {{\n{self.body(depth)}\n}} else {{\n{self.body(depth)}\n}}"

    def _for(self, depth: int) -> str:
        leave = self.pick("", f"if {self.truth(1)} {{ break }}\n", f"if {self.truth(1)} {{ continue }}\n")
        return f"for {self.name()} in ({self.items(1)})[:4] {{\n{leave}{self.body(depth)}\n}}"

    def _while(self, depth: int) -> str:
        v = self.name()
        return f"let {v} = 0\nwhile {v} < 3 {{\n{v} += 1\n{self.body(depth)}\n}}"

    def _try(self, depth: int) -> str:
        final = self.pick("", " finally { a += 1 }")
        body, handler = f"{self.body(depth)}\nfailing({self.number(1)})", self.body(depth)
        return f"try {{\n{body}\n}} catch (e) {{\nprintln(e)\n{handler}\n}}{final}"

    def _closure(self, depth: int) -> str:
        v = self.name()
        return f"const {v} = {{ p ->\n{self.body(depth)}\np\n}}\nprintln({v}({self.number(1)}))"

    def _block(self, depth: int) -> str:
        return f"block {{\ndefer {{ {self.statement(0)} }}\n{self.body(depth)}\n}}"

    def _match(self, depth: int) -> str:
        subject = self.pick(self.number(1), self.items(1), self.text(1))
        arms = [
            f"1 | 2 -> {{ {self.statement(depth)} }}",
            "[h, ...r] -> { println(h) }",
            f"n if n == a -> {{ {self.statement(0)} }}",
            f"_ -> {{ {self.statement(0)} }}",
        ]
        return f"match {subject} {{\n" + "\n".join(arms) + "\n}"

    def _destructure(self, depth: int) -> str:
        first, rest, key = self.name(), self.name(), self.name()
        return (
            f"let [{first}, ...{rest}] = {self.items(1)}\nlet {{k: {key} = 4}} = d\nprintln([{first}, {rest}, {key}])"
        )

    def _local(self, depth: int) -> str:
        v = self.name()
        body = "let mine = seen + [n]\nmine = mine + [a]\nreturn mine"
        return f"fn {v}(n, seen = []) {{\n{body}\n}}\nprintln({v}({self.number(1)}))"

    def _spawn(self, depth: int) -> str:
        v = self.name()
        return f"const {v} = spawn {{ {self.number(1)} }}\nprintln(await({v}))"


@st.composite
def programs(draw) -> str:
    """Make a program; ``LIMIT`` in it stands for the most branches at once."""
    writer = Writer(draw)
    statements = [writer.statement(2) for _ in range(draw(st.integers(1, 6)))]
    return HEAD + "\n".join(statements) + TAIL
