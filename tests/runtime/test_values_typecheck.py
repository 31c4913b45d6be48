"""Type checks at run time and their messages (language 13.1 to 13.4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.analysis import resolved as r
from harnpy.runtime.equality import make_set
from harnpy.runtime.schema_of import schema_of
from harnpy.runtime.typecheck import Checker, TypeAlias, compile_type, type_text
from harnpy.runtime.values import Builtin, Duration, EnumType, EnumValue, StructType, StructValue, ok

SPAN = (0, 0)
POINT = StructType("Point", (("x", None, False),))
COLOUR = EnumType("Colour", {"Red": None})


def name(word: str, *args: r.Type) -> r.Type:
    return r.TName(SPAN, word, args)


def literal(value: Any) -> r.Type:
    return r.TLiteral(SPAN, value)


def union(*members: r.Type) -> r.Type:
    return r.TUnion(SPAN, members)


def shape(**fields: r.Type) -> r.Type:
    parts = tuple((key.removesuffix("_"), kind, key.endswith("_")) for key, kind in fields.items())
    return r.TShape(SPAN, parts)


def lookup(word: str) -> Any:
    return DECLARED.get(word)


DECLARED = {
    "Point": POINT,
    "Colour": COLOUR,
    "Drawable": TypeAlias("Drawable", None, lookup),
    "User": TypeAlias("User", shape(name=name("string"), age_=name("int")), lookup),
    "Tree": TypeAlias("Tree", shape(kids=name("list", name("Tree"))), lookup),
}


def check(kind: r.Type) -> Checker:
    checker = compile_type(kind, lookup)
    assert checker is not None
    return checker


POINT_VALUE = StructValue(POINT, {"x": 1})
FUNCTION = Builtin("f", lambda: None)

ACCEPTED = [
    (name("int"), [1, 0], [True, 1.0, "1", None]),
    (name("float"), [1.5, 1], [True, "1"]),
    (name("number"), [1.5, 1], [False]),
    (name("string"), [""], [b"", 1, None]),
    (name("bool"), [True], [1, 0]),
    (name("nil"), [None], [False, 0]),
    (name("bytes"), [b""], [""]),
    (name("duration"), [Duration(1)], [1]),
    (name("closure"), [FUNCTION, POINT], [{}]),
    (r.TFn(SPAN), [FUNCTION], [1]),
    (name("list"), [[], [1, "a"]], [{}, make_set([])]),
    (name("list", name("int")), [[], [1, 2]], [[1, "a"], [True]]),
    (name("set", name("int")), [make_set([1])], [make_set(["a"]), [1]]),
    (name("dict"), [{}, POINT_VALUE], [[], 1]),
    (name("dict", name("string"), name("int")), [{"a": 1}, POINT_VALUE], [{"a": "x"}]),
    (name("tuple", name("int"), name("string")), [[1, "a"]], [[1], ["a", 1], [1, "a", 2]]),
    (
        shape(a=name("int"), b_=name("string")),
        [{"a": 1}, {"a": 1, "b": None, "c": 2}],
        [{}, {"a": "x"}, {"a": 1, "b": 2}],
    ),
    (shape(x=name("int")), [POINT_VALUE, {"x": 1}], [{"x": None}, 1]),
    (shape(x=union(name("int"), name("nil"))), [{"x": None}], [{}]),
    (union(name("int"), name("nil")), [1, None], ["a", False]),
    (union(literal("a"), literal("b")), ["a"], ["c", None]),
    (literal(3), [3], [3.0, "3", True]),
    (literal(True), [True], [1]),
    (r.TBoth(SPAN, (shape(a=name("int")), shape(b=name("int")))), [{"a": 1, "b": 2}], [{"a": 1}, {"b": 1}]),
    (name("Point"), [POINT_VALUE], [{"x": 1}, EnumValue(COLOUR, "Red", ())]),
    (name("Colour"), [EnumValue(COLOUR, "Red", ())], [ok(1), "Red"]),
    (name("Drawable"), [POINT_VALUE], [{"x": 1}, 1]),
    (name("User"), [{"name": "a"}], [{"name": 1}, {"age": 1}]),
    (name("Tree"), [{"kids": []}, {"kids": [{"anything": 1}]}], [{"kids": 1}, {}]),
    (name("owned", name("int")), [1], ["a"]),
    (name("never"), [], [None, 1]),
]


@pytest.mark.parametrize(
    ("kind", "good", "bad"), ACCEPTED, ids=lambda part: type_text(part) if isinstance(part, r.Type) else None
)
def test_what_a_type_accepts(kind: r.Type, good: list[Any], bad: list[Any]) -> None:
    checker = check(kind)
    assert [value for value in good if not checker.accepts(value)] == []
    assert [value for value in bad if checker.accepts(value) or type(value) in checker.kinds] == []


@pytest.mark.parametrize(
    "kind", [name("any"), name("unknown"), name("NoSuchName"), name("T"), union(name("int"), name("T"))]
)
def test_types_that_accept_everything(kind: r.Type) -> None:
    assert compile_type(kind, lookup) is None


USER = shape(name=name("string"), age=name("int"))
MESSAGES = [
    (name("int"), "a", "'f' parameter `p` expects int, got string"),
    (union(name("string"), name("int")), True, "'f' parameter `p` expects string|int, got bool"),
    (USER, {"name": "A"}, "parameter 'p': missing field 'age' (int)"),
    (USER, {"name": 1, "age": 2}, "parameter 'p': field 'name' expected string, got int"),
    (USER, 5, "'f' parameter `p` expects {name: string, age: int}, got int"),
    (shape(user=USER), {"user": {"age": 1}}, "parameter 'p.user': missing field 'name' (string)"),
    (shape(user=USER), {"user": "x"}, "parameter 'p': field 'user' expected dict or struct, got string"),
    (shape(u=union(name("string"), name("int"))), {"u": []}, "parameter 'p': field 'u' expected string|int, got list"),
    (name("list", name("int")), [1, "a"], "parameter 'p[1]': expected int, got string"),
    (name("list", USER), [{"name": "a"}], "parameter 'p[0]': missing field 'age' (int)"),
    (name("dict", name("string"), name("int")), {"k": "x"}, "parameter 'p.k': expected int, got string"),
    (union(USER, name("nil")), {"name": "a"}, "parameter 'p': missing field 'age' (int)"),
    (name("Drawable"), 5, "parameter 'p': expected value satisfying interface 'Drawable', got int"),
]


@pytest.mark.parametrize(("kind", "value", "text"), MESSAGES)
def test_messages_of_parameters(kind: r.Type, value: Any, text: str) -> None:
    assert check(kind).parameter_error("f", "p", value).value == "Type error: " + text


def test_messages_of_bindings_and_fields() -> None:
    assert check(shape(name=name("string"))).binding_error("doc", {}).value == (
        "Type error: binding `doc` expects {name: string}, got dict"
    )
    assert (
        check(name("int")).field_error("P", "x", "a").value
        == "Type error: struct 'P': field 'x' expected int, got string"
    )


LOWERED = [
    (name("int"), {"type": "int"}),
    (name("list", name("string")), {"type": "list", "items": {"type": "string"}}),
    (name("list", name("T")), {"type": "list"}),
    (name("dict", name("string"), name("int")), {"type": "dict", "additional_properties": {"type": "int"}}),
    (literal("x"), {"type": "string", "const": "x"}),
    (literal(3), {"type": "int", "const": 3}),
    (union(literal("a"), literal("b")), {"type": "string", "enum": ["a", "b"]}),
    (union(name("int"), name("nil")), {"union": [{"type": "int"}, {"type": "nil"}]}),
    (
        shape(a=name("int"), b_=name("bool")),
        {"type": "dict", "properties": {"a": {"type": "int"}, "b": {"type": "bool"}}, "required": ["a"]},
    ),
    (shape(a_=name("int")), {"type": "dict", "properties": {"a": {"type": "int"}}}),
    (r.TFn(SPAN), {"type": "closure"}),
    (name("Point"), None),
    (name("T"), None),
    (
        name("User"),
        {"type": "dict", "properties": {"name": {"type": "string"}, "age": {"type": "int"}}, "required": ["name"]},
    ),
]


@pytest.mark.parametrize(("kind", "schema"), LOWERED)
def test_types_as_schemas(kind: r.Type, schema: Any) -> None:
    assert schema_of(kind, lookup) == schema


SIMPLE = st.sampled_from([name("int"), name("string"), name("bool"), name("nil"), literal("a"), literal(1)])
TYPES = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        inner.map(lambda kind: name("list", kind)),
        st.builds(lambda a, b: union(a, b), inner, inner),
        st.builds(lambda a, b: shape(a=a, b_=b), inner, inner),
        inner.map(lambda kind: name("dict", name("string"), kind)),
    ),
    max_leaves=4,
)
VALUES = st.recursive(
    st.sampled_from([1, 2, "a", "b", True, None]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=5,
)


@given(TYPES, VALUES)
def test_a_type_and_its_schema_agree(kind: r.Type, value: Any) -> None:
    from harnpy.builtins.schema import validated

    accepted = check(kind).accepts(value)
    errors = validated(value, schema_of(kind, lookup), apply_defaults=False)[1]
    # An optional field may be nil for the type, and must be absent for the schema.
    if "None" not in repr(value):
        assert accepted == (not errors)


@given(TYPES, VALUES)
def test_every_refusal_has_a_message(kind: r.Type, value: Any) -> None:
    checker = check(kind)
    if not checker.accepts(value):
        assert checker.parameter_error("f", "p", value).value.startswith("Type error: ")


def test_a_type_of_the_same_name_in_another_module_is_another_type() -> None:
    theirs = {"A": name("int"), "B": shape(a=name("A"))}
    ours = {"A": shape(b=name("B"))}

    def find_theirs(word: str) -> Any:
        return TypeAlias(word, theirs[word], find_theirs) if word in theirs else None

    def find_ours(word: str) -> Any:
        return TypeAlias(word, ours[word], find_ours) if word in ours else find_theirs(word)

    checker = compile_type(name("A"), find_ours)
    assert checker is not None
    assert checker.accepts({"b": {"a": 1}})
    assert not checker.accepts({"b": {"a": "text"}})
    schema = schema_of(name("A"), find_ours)
    assert schema is not None
    assert schema["properties"]["b"]["properties"]["a"] == {"type": "int"}


def test_an_alias_is_expanded_once_however_often_it_is_named() -> None:
    aliases = {f"T{n}": shape(a=name(f"T{n - 1}"), b=name(f"T{n - 1}")) for n in range(1, 13)}
    asked: list[str] = []

    def find(word: str) -> Any:
        asked.append(word)
        return TypeAlias(word, aliases[word], find) if word in aliases else None

    aliases["T0"] = name("int")
    assert compile_type(name("T12"), find) is not None
    assert len(asked) < 3 * len(aliases)
