"""The table of what other languages write: its advice names what there is."""

from __future__ import annotations

import re

import pytest

from harnpy.builtins.table import FUNCTIONS, METHODS
from harnpy.capabilities import methods
from harnpy.syntax.foreign import CHARACTERS, IMPORT, NAMES, WORDS, name_hint
from harnpy.syntax.tokens import RESERVED

_CODE = re.compile(r"`([^`]+)`")
_CALLED = re.compile(r"(\w+(?:\.\w+)*)\(")


def _names() -> list[str]:
    hints = [*WORDS.values(), *NAMES.values(), *CHARACTERS.values(), IMPORT]
    return sorted({name for hint in hints for code in _CODE.findall(hint) for name in _CALLED.findall(code)})


@pytest.mark.parametrize("name", _names())
def test_what_is_advised_can_be_called(name):
    if name in ("area", "name", "catch", "for", "if", "fn"):  # words of the language, and names of an example
        return
    if name.startswith("harness."):
        _, member, method = name.split(".")
        assert method in methods.parse(methods.METHODS[member])
    elif "." in name:
        assert any(name.split(".")[1] in names for names in METHODS.values())
    else:
        assert name in FUNCTIONS


def test_no_word_of_the_language_is_foreign():
    assert not RESERVED & {*WORDS, *NAMES}
    assert {*WORDS, *NAMES} & {*FUNCTIONS} == {"await"}  # the function is called, the word is not


@pytest.mark.parametrize(
    ("name", "called", "following", "hint"),
    [
        ("str", True, "(", "`to_string(x)`"),
        ("int", True, "(", "`to_int(x)`"),
        ("string", True, "(", "`to_string(x)`"),
        ("dict", True, "(", "`{key: value}`"),
        ("string", False, "\n", "a type is no value"),
        ("f", False, '"', "without a prefix"),
        ("b", False, '"', "`bytes_from_string(text)`"),
        ("None", False, "", "`nil`"),
        ("True", False, "", "`true`"),
        ("console", False, ".", "`harness.stdio.println(x)`"),
        ("help", False, "", "`:help`"),
    ],
)
def test_names_that_are_not_defined(name, called, following, hint):
    assert hint in name_hint(name, called=called, before=" ", following=following)


@pytest.mark.parametrize(("name", "following"), [("f", "("), ("counter", ""), ("x", '"')])
def test_other_names_have_no_hint(name, following):
    assert name_hint(name, called=False, before="(", following=following) is None


def test_a_number_with_an_exponent_among_arguments():
    assert "no exponent" in name_hint("e9", called=False, before="1", following=")")
    assert name_hint("msec", called=False, before="3", following=")") is None
