"""The prebuilt table belongs to the grammar, and every rule has a builder."""

from __future__ import annotations

import json
import subprocess
import sys

from harnpy import resources
from harnpy.syntax import parser, tables


def stored():
    with open(resources.grammar_file(tables.PREBUILT), encoding="utf-8") as file:
        return json.load(file)


def test_the_table_is_fresh():
    grammar = tables.grammar_text()
    assert stored()["valid_for"] == tables.fingerprint(grammar), "run: python -m harnpy.syntax.tables"


def test_building_gives_the_stored_table():
    assert json.loads(json.dumps(tables.build(tables.grammar_text()))) == stored()


def test_every_rule_has_a_builder_and_every_builder_a_rule():
    named = {name for _, name, _, _ in stored()["rules"] if name is not None}
    assert named == set(parser._BUILDERS)


def test_parsing_does_not_import_lark():
    code = (
        "import sys; from harnpy.source import Source; from harnpy.syntax.parser import parse; "
        "parse(Source('x', 'a + 1')); sys.exit('lark' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=resources.grammar_file("") + "/..", check=False).returncode
        == 0
    )
