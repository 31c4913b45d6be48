"""Where the resolver puts variables, which of them share cells, and which calls are tail calls."""

from __future__ import annotations

import pytest

from harnpy.analysis import resolved as R
from harnpy.analysis.resolve import resolve
from harnpy.analysis.suggestions import closest, edit_distance
from harnpy.errors import RejectedProgram
from harnpy.source import Source
from harnpy.syntax.parser import parse


def resolve_text(text):
    source = Source("<test>", text)
    return resolve(parse(source), source)


def function(text, name=None):
    """Give the resolved function ``name``, or the first one."""
    for node in walk(resolve_text(text)):
        if isinstance(node, R.Function) and node.kind != "module" and name in (None, node.name):
            return node
    raise AssertionError(name)


def walk(value):
    """Give all nodes in ``value``, outermost first."""
    if isinstance(value, R.Node):
        yield value
        for name in value.FIELDS:
            yield from walk(getattr(value, name))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from walk(item)


def findings(text):
    with pytest.raises(RejectedProgram) as caught:
        resolve_text(text)
    return [(finding.code, finding.source.line_column(finding.span[0])[0]) for finding in caught.value.diagnostics]


def nodes(value, kind):
    return [node for node in walk(value) if type(node) is kind]


def test_parameters_come_first_then_captures_then_locals():
    outer = function("fn f(a, b) {\n  let c = 1\n  const g = { x, y -> const z = a + c\n z + b }\n}\n", "f")
    assert outer.nslots == 4
    closure = function("fn f(a, b) {\n  let c = 1\n  const g = { x, y -> const z = a + c\n z + b }\n}\n", "<closure>")
    assert closure.captures == (0, 2, 1)
    assert closure.nslots == 6
    assert [(node.name, node.slot) for node in nodes(closure, R.Local)] == [("a", 2), ("c", 3), ("z", 5), ("b", 4)]


def test_a_variable_that_changes_and_is_captured_is_boxed():
    boxed = function("fn f() {\n let n = 0\n const g = { -> n }\n n = 1\n return n }\n", "f")
    assert nodes(boxed, R.Declare)[0].target.boxed
    assert nodes(boxed, R.Store)[0].target.boxed
    assert len(nodes(boxed, R.LocalCell)) == 2
    assert not nodes(boxed, R.Local)


@pytest.mark.parametrize(
    "body",
    [
        "let n = 0\n const g = { -> n }\n return n",
        "let n = 0\n n = 1\n return n",
        "const n = 0\n const g = { -> n }\n return n",
        "fn h() { return 1 }\n const g = { -> h() }\n return g",
    ],
)
def test_other_variables_are_not_boxed(body):
    made = function(f"fn f() {{\n {body} }}\n", "f")
    assert not nodes(made, R.LocalCell)
    assert not [target for target in nodes(made, R.ToLocal) if target.boxed]


@pytest.mark.parametrize("change", ["n.a = 1", "n[0] = 1", "n += 1", "n.a[2].b -= 1"])
def test_interior_changes_count_as_changes(change):
    made = function(f"fn f() {{\n let n = {{}}\n const g = {{ -> {change} }}\n return n }}\n", "f")
    assert nodes(made, R.Declare)[0].target.boxed


def test_local_functions_that_are_used_early_get_their_cell_on_entry():
    made = function("fn f() {\n fn a() { return b() }\n fn b() { return b }\n fn c() { return a }\n return c }\n", "f")
    assert len(made.body.cells) == 1
    targets = {node.function.name: node.target for node in nodes(made, R.DeclareFn)}
    assert {name: target.boxed for name, target in targets.items()} == {"a": False, "b": True, "c": False}
    assert made.body.cells == (targets["b"].slot,)


def test_slots_of_finished_scopes_are_used_again_unless_captured():
    assert function("fn f() {\n if 1 { let a = 1 }\n if 2 { let b = 1 }\n for c in [] { let d = 1 }\n}\n").nslots == 2
    assert function("fn f() {\n if 1 { let a = 1\n g({ -> a }) }\n if 2 { let b = 1 }\n}\nfn g(x) { }\n").nslots == 2


def tails(text):
    return [node.callee.name for node in walk(resolve_text(text)) if isinstance(node, R.Call) and node.tail]


@pytest.mark.parametrize(
    "body",
    [
        "return t()",
        "if 1 { return t() }",
        "for x in [] { return t() }",
        "match 1 { _ -> { return t() } }",
        "block { return t() }",
        "guard 1 else { return t() }",
        "try { 1 } catch (e) { 2 }\n return t()",
    ],
)
def test_tail_calls(body):
    assert tails(f"fn t() {{ return 1 }}\nfn f() {{\n {body}\n}}\n") == ["t"]
    assert tails(f"fn t() {{ return 1 }}\nconst f = {{ ->\n {body}\n}}\n") == ["t"]


@pytest.mark.parametrize(
    "body",
    [
        "t()",
        "return 1 + t()",
        "return t()?",
        "return [t()]",
        "return 1 |> t",
        "try { return t() } catch (e) { 1 }",
        "try { 1 } catch (e) { return t() }",
        "try { 1 } finally { return t() }",
        "defer { 1 }\n return t()",
        "return t()\n defer { 1 }",
        "defer { 1 }\n if 1 { return t() }",
        "retry 2 { return t() }",
        "deadline 5ms { return t() }",
        "mutex { return t() }",
        "scope { return t() }",
        "yield 1\n return t()",
        "return t()\n yield 1",
        "const x = if 1 { return t() } else { 2 }",
        "const x: owned<any> = 1\n return t()",
        "parallel each [] { x -> return t() }",
        "spawn { return t() }",
    ],
)
def test_calls_with_something_pending(body):
    assert tails(f"fn t() {{ return 1 }}\nfn f() {{\n {body}\n}}\n") == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("t()", ["t"]),
        ("1\n t()", ["t"]),
        ("if 1 { t() } else { t() }", ["t", "t"]),
        ("match 1 { _ -> { t() } }", ["t"]),
        ("block { t()\n t() }", ["t"]),
        ("t()\n 1", []),
        ("try { t() }", []),
        ("const x = t()", []),
        ("for x in [] { t() }", []),
    ],
)
def test_the_last_value_of_a_closure_is_a_tail_call(body, expected):
    assert tails(f"fn t() {{ return 1 }}\nconst f = {{ ->\n {body}\n}}\n") == expected
    assert tails(f"fn t() {{ return 1 }}\nfn f() {{\n {body}\n}}\n") == []


def test_generators_and_streams():
    assert function("fn f() { yield 1 }\n").produces == "generator"
    assert function("gen fn f() { emit 1 }\n").produces == "stream"
    assert function("fn f() { const g = { -> 1 } }\n", "f").produces == ""


def test_names_of_other_modules_are_left_to_linking():
    module = resolve_text('import {a} from "./m"\na()\nb\nb\nc = 1\nschema_of(D)\n')
    assert [(name, use, len(places)) for name, use, places in module.free] == [
        ("a", "call", 1),
        ("b", "read", 2),
        ("c", "assign", 1),
        ("D", "type", 1),
        ("schema_of", "call", 1),
    ]


def test_all_findings_come_at_once_in_source_order():
    text = "const a = 1\na = 2\nfn f(p) { p = 1 }\nbreak\nfn f() { }\n"
    assert findings(text) == [
        ("HARN-OWN-001", 2),
        ("HARN-OWN-001", 3),
        ("HARN-CMP-001", 4),
        ("HARN-NAM-010", 5),
    ]


def test_schema_positions():
    text = (
        "type T = {a: int}\nconst v = {}\nschema_is(1, T)\nschema_of(string)\nschema_is(1, {a: int, b: [T]})\n"
        'schema_is(1, v)\nschema_is(1, {type: "int"})\nf({output: T, other: v})\nschema_parse<T>(1)\nfn f(x) { }\n'
    )
    schemas = nodes(resolve_text(text), R.SchemaOf)
    assert [type(schema.type).__name__ for schema in schemas] == ["TName", "TName", "TShape", "TName", "TName"]


def test_type_parameters_accept_everything():
    (param,) = function("type T = int\nfn f<T>(x: T) { return x }\n").params
    assert param.type.name == "any"


def test_types_of_blocks_do_not_leak():
    module = resolve_text("type T = int\nfn f(a: T) {\n type T = string\n const x: T = 1\n}\nfn g(b: T) { }\n")
    assert [name for name, _, _ in module.types] == ["T", "T#2"]
    assert [node.type.name for node in nodes(module, R.Declare)] == ["T#2"]
    assert [node.type.name for node in nodes(module, R.Param)] == ["T", "T"]


def test_deep_nesting_is_no_python_error():
    text = "const x = " + "[" * 150 + "]" * 150 + "\n"
    assert len(nodes(resolve_text(text), R.ListOf)) == 150
    chain = "const y = " + " + ".join(["1"] * 900) + "\n"
    assert len(nodes(resolve_text(chain).main, R.Binary)) == 899


@pytest.mark.parametrize(
    ("name", "names", "expected"),
    [
        ("totl", ["total", "tot"], "tot"),
        ("ab", ["abcd"], None),
        ("ab", ["abc"], "abc"),
        ("printn", ["println", "print"], "print"),
        ("__thin", ["__thing"], None),
        ("same", ["same"], None),
        ("abcdef", ["abcxyz"], "abcxyz"),
        ("abcdef", ["abwxyz"], None),
    ],
)
def test_suggestions(name, names, expected):
    assert closest(name, names) == expected


def test_edit_distance():
    assert edit_distance("kitten", "sitting") == 3
    assert edit_distance("", "abc") == 3


@pytest.mark.parametrize(
    ("subject", "arms", "missing"),
    [
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } B(x) -> { 2 }", "E.C"),
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } B(x) -> { 2 } C -> { 3 }", None),
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } _ -> { 2 }", None),
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } other -> { 2 }", None),
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } B(x) if x -> { 2 } C -> { 3 }", "E.B"),
        ("fn f(s: E) { match s {ARMS} }", "A -> { 1 } B(7) -> { 2 } C -> { 3 }", "E.B"),
        ("fn f(s: E) { match s {ARMS} }", "E.A -> { 1 } E.B -> { 2 } E.C -> { 3 }", None),
        ("const s = E.A\nmatch s {ARMS}", "A -> { 1 }", "E.B, E.C"),
        ("const s = E.B(1)\nmatch s {ARMS}", "A -> { 1 }", "E.B, E.C"),
        ("let s: E = E.A\nmatch s {ARMS}", "A -> { 1 }", "E.B, E.C"),
        ("let s = E.A\nmatch s {ARMS}", "A -> { 1 }", None),
        ("fn f(s) { match s {ARMS} }", "A -> { 1 }", None),
        ("fn f(E) { const s = E.A\nmatch s {ARMS} }", "1 -> { 1 }", None),
    ],
)
def test_matches_over_known_enums_cover_all_variants(subject, arms, missing):
    text = "enum E { A, B(x: int), C }\n" + subject.replace("ARMS", "\n" + arms.replace("} ", "}\n") + "\n") + "\n"
    if missing is None:
        resolve_text(text)
    else:
        with pytest.raises(RejectedProgram) as caught:
            resolve_text(text)
        (finding,) = caught.value.diagnostics
        assert (finding.code, finding.message) == ("HARN-MAT-001", f"Non-exhaustive match: {missing} not covered")


def test_owned_bindings_are_dropped_at_the_end_of_their_block():
    made = function("fn f() {\n const x: owned<any> = 1\n const y = 2\n}\n", "f")
    assert [type(node).__name__ for node in made.body.body] == ["Declare", "Defer", "Declare"]
    assert made.body.defers
