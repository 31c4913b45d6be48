"""``harnpy doc NAME``, and ``:doc`` at the prompt, which shows the same."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from harnpy.cli.main import cli
from harnpy.cli.repl_commands import run_command
from harnpy.cli.repl_engine import Engine
from harnpy.options import Options
from harnpy.reference.lookup import find
from harnpy.streams import memory_streams


def doc(*words: str) -> Result:
    return CliRunner().invoke(cli, ["doc", *words])


def at_the_prompt(*lines: str) -> tuple[str, str]:
    streams, out, err = memory_streams("".join(line + "\n" for line in lines))
    engine = Engine(Options(), streams)
    try:
        for line in lines:
            if line.startswith(":"):
                run_command(engine, line)
            else:
                engine.run(line + "\n")
    finally:
        engine.close()
    return "".join(out), "".join(err)


def test_a_function_of_the_library() -> None:
    shown = doc("with_retry")
    assert shown.exit_code == 0
    assert shown.output.startswith('fn with_retry(next, opts = nil)\n\nimport {with_retry} from "std/llm/handlers"\n')
    assert "`max_attempts` (3" in shown.output


def test_a_method_of_the_harness_names_its_global_and_its_permission() -> None:
    shown = doc("harness.net.get").output
    assert shown.startswith("harness.net.get(url, options?) -> dict\n")
    assert "Also the global function http_get." in shown
    assert "--allow net" in shown


def test_unknown_names_are_refused_with_the_nearest_one() -> None:
    shown = doc("with_retri")
    assert shown.exit_code == 2
    assert "nothing is known of with_retri (did you mean `with_retry`?)" in shown.output
    assert "nothing is known of qqqqqqqqqqqq\n" in doc("qqqqqqqqqqqq").output


def test_a_part_of_names_and_a_word_of_another_language() -> None:
    assert doc("mock_enqueue").output.startswith("harness.llm.mock_enqueue(")
    held = doc("regex").output
    assert "nothing is known of regex; names that hold it: " in held
    assert "regex_match" in held
    assert "nothing is known of str: write `to_string(x)`" in doc("str").output


def test_a_program_in_the_place_of_a_command() -> None:
    shown = CliRunner().invoke(cli, ["../hello.harn"])
    assert shown.exit_code == 2
    assert "no such command: ../hello.harn (to run the program: `harnpy run ../hello.harn`)" in shown.output


def test_a_code_leads_to_the_command_that_explains_it() -> None:
    assert "harn-nam-002 is a code: `harnpy explain harn-nam-002`" in doc("harn-nam-002").output


def test_as_json() -> None:
    [entry] = json.loads(doc("--json", "trim").output)["data"]
    assert entry["name"] == "trim"
    assert entry["kind"] == "builtin"
    assert entry["signature"] == "trim(text) -> string"
    assert entry["implemented"] is True


@pytest.mark.parametrize("name", ["trim", "harness.fs.read_text", "std/llm/handlers", "list.map", "with_retry"])
def test_the_prompt_shows_the_same(name: str) -> None:
    expected = "\n\n".join(entry.plain() for entry in find(name))
    assert at_the_prompt(f":doc {name}") == (expected + "\n", "")


def test_the_prompt_knows_what_was_typed_and_imported() -> None:
    lines = [
        "fn twice(n) { return n * 2 }",
        ":doc twice",
        'import {with_retry} from "std/llm/handlers"',
        ":doc with_retry",
    ]
    out, err = at_the_prompt(*lines, "const limit = 3", ":doc limit", ":doc with_retri")
    assert out.startswith("fn twice(n)\nfn with_retry(next, opts = nil)\n\nTries again")
    assert "Tries again while a failure looks passing." in out
    assert "limit: a value of kind int\n" in out
    assert "did you mean `with_retry`" in err


def test_modules_and_members_list_what_they_have_line_by_line() -> None:
    assert "- `with_retry`: Tries again while a failure looks passing.\n" in doc("std/llm/handlers").output
    shown = doc("harness.fs").output
    assert "- `read_text`: Read a UTF-8 text file whole.\n" in shown
    assert "- `open`: not in this version\n" in doc("harness.memory").output
