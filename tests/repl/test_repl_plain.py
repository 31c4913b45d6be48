"""The REPL without a terminal: values, errors, commands, and what lives on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harnpy.cli.repl import run_plain
from harnpy.cli.repl_commands import NAMES
from harnpy.cli.repl_completion import candidates
from harnpy.cli.repl_engine import Engine
from harnpy.cli.repl_signals import ReplSignals
from harnpy.errors import Exit
from harnpy.options import Options
from harnpy.streams import memory_streams


def talk(*lines: str, **options: object) -> tuple[str, str]:
    streams, out, err = memory_streams("".join(line + "\n" for line in lines))
    engine = Engine(Options(**options), streams)
    try:
        run_plain(engine, ReplSignals(engine, interactive=False), prompts=False)
    finally:
        engine.close()
    return "".join(out), "".join(err)


def test_values_print_once_and_nil_prints_nothing() -> None:
    assert talk("1 + 1", "nil", '"two"', "[1, nil]", "const x = 3", "x") == ('2\n"two"\n[1, nil]\n3\n', "")


def test_names_live_on_after_an_error_and_a_failed_one_can_be_defined() -> None:
    out, err = talk("const a = 1", 'const x = a / "a"', "x", "const x = 5", "x + a", "const x = 7", "x")
    assert out == "6\n7\n"
    assert "Cannot divide int by string" in err
    assert "Undefined variable: x" in err


def test_places_count_within_the_input() -> None:
    _, err = talk("1", "fn g(a) {", "  throw a", "}", "g(3)")
    assert "<input 2>:2:3" in err
    assert "called at <input 3>:1" in err


def test_last_value_and_last_error() -> None:
    assert talk("6", "_ * 7", "throw {a: 5}", "_e.a", "_ + 1")[0] == "6\n42\n5\n6\n"


def test_the_last_error_of_a_refused_input_has_its_code_and_message() -> None:
    out, _ = talk(
        "const y = 1", "y = 2", "_e.code", "nope()", '_e.message.contains("Undefined builtin: nope")', "_e.code"
    )
    assert out == '"HARN-OWN-001"\ntrue\n"HARN-NAM-002"\n'


def test_the_end_in_the_middle_says_so() -> None:
    assert talk("fn f() {") == ("", "the input ended in the middle of a construct\n")


def test_given_up() -> None:
    assert talk("foo(1,", "", "", "2") == ("2\n", "given up\n")


def test_exit_leaves_with_its_code() -> None:
    with pytest.raises(Exit) as ended:
        talk("exit(4)")
    assert ended.value.code == 4


def test_harness_functions_tasks_and_imports_work() -> None:
    lines = ('import {compose} from "std/llm/handlers"', "type_of(compose)", 'harness.stdio.println("h")')
    assert talk(*lines, "parallel each [1, 2] { x -> x * 2 }") == ('"closure"\nh\n[2, 4]\n', "")


def test_commands(tmp_path: Path) -> None:
    file = tmp_path / "more.harn"
    file.write_text("/// Doubles.\n/// Twice.\npub fn double(x) { return x * 2 }\ndouble(4)\n")
    mock = tmp_path / "m.jsonl"
    mock.write_text('{"match": "*", "text": "hi"}\n')
    out, err = talk(
        ":type [1]",
        f":load {file}",
        f":load {file}",
        ":doc double",
        f":mock {mock}",
        'harness.llm.call("x", nil, {provider: "openai", model: "gpt-4o"}).text',
        ":cost",
        ":reset",
        "double",
        ":nonsense",
        ":doc nonsense",
        ":doc harness.fs.read_text",
        ":help",
        ":quit",
        "99",
    )
    assert out.startswith('list\n8\n8\nfn double(x)\n\nDoubles.\nTwice.\n1 scripted reply\n"hi"\n1 call, ')
    assert ":mock FILE" in out
    assert "99" not in out
    assert "read_text" in out.split("USD\n")[1].splitlines()[0]
    assert "Undefined variable: double" in err
    assert "there is no command :nonsense" in err
    assert "nothing is known of nonsense" in err


def test_ast_and_time() -> None:
    out, err = talk(":ast 1 + x", ":ast )", ":time 2")
    tree, rest = json.JSONDecoder().raw_decode(out)
    assert tree == 1 or tree[0]["kind"] == "ExprStmt"
    assert "HARN-PAR-001" in err
    assert out.rstrip().endswith("ms")
    assert rest


def test_completion_knows_names_members_and_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near.harn").write_text("")
    streams, _, _ = memory_streams()
    engine = Engine(Options(), streams)
    engine.run("const config = {retries: 1, backoff: 2}\n")

    def found(before: str) -> list[str]:
        return candidates(engine.context, engine.console, before)[1]

    assert found("1 + conf") == ["config"]
    assert "retries" in found("config.")
    assert found("config.re")[-1] == "retries"
    assert found("harness.fs.read_text") == ["read_text", "read_text_result"]
    assert "println" in found("prin")
    assert "std/llm/handlers" in found('import {x} from "std/llm/h')
    assert found('import "./n') == ["./near"]
    assert found("nothing.") == []
    assert found("12") == []
    engine.close()


def test_a_file_that_fails_changes_no_name(tmp_path: Path) -> None:
    for name, text in (
        ("good", "pub fn f() { return 1 }\nconst a = 10\nlet n = [1]\nenum Kind { A }\n"),
        (
            "late",
            'pub fn f() { return 2 }\nconst a = 20\nn = n + [3]\nenum Kind { B }\nconst new = 1\nthrow "x"\n',
        ),
        ("wrong", "pub fn f( {\n"),
    ):
        (tmp_path / f"{name}.harn").write_text(text)
    state = "[f(), a, n, Kind.A]"
    out, err = talk(
        *(f":load {tmp_path}/{name}.harn" for name in ("good", "late", "wrong")), state, "new", "const new = 5"
    )
    assert out == "[1, 10, [1], Kind.A]\n"
    assert "Thrown: x" in err
    assert "HARN-PAR-001" in err
    assert "Undefined variable: new" in err


def test_tasks_end_with_their_input_and_it_is_said() -> None:
    out, err = talk("const t = spawn { sleep(600000); 5 }", "await(t)", "const u = spawn { 6 }; await(u)")
    assert err.startswith("1 task still ran and ended with this input")
    assert "cancelled" in err
    assert out == "6\n"


def test_commands_say_what_they_need(tmp_path: Path) -> None:
    _, err = talk(*(name for name in NAMES if name not in (":help", ":reset", ":cost", ":quit")))
    assert err.splitlines() == [
        f"what follows {name} is missing: {name} {what}"
        for name, what in sorted(
            {":type": "EXPR", ":ast": "CODE", ":doc": "NAME", ":load": "FILE", ":time": "CODE", ":mock": "FILE"}.items()
        )
    ]
    (tmp_path / "m.jsonl").write_text("no\n")
    _, err = talk(f":mock {tmp_path}/m.jsonl", ":mock nowhere", ":type )", ":time )")
    assert "m.jsonl: line 1" in err
    assert "cannot read nowhere" in err
    assert "Thrown" not in err


def test_a_virtual_clock_lives_on() -> None:
    assert talk("mock_time(1000)", "sleep(3600000)", "harness.clock.now_ms()")[0] == "3601000\n"
