"""What exceptions say to a host: the place in the program, and what the host itself may have got wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import harnpy


def said(program: harnpy.Program | str) -> tuple[str, harnpy.Diagnostic]:
    with pytest.raises(harnpy.HarnpyError) as caught:
        harnpy.run(program)
    assert caught.value.diagnostic is not None
    return str(caught.value), caught.value.diagnostic


def test_a_rejected_program_says_where_and_names_functions_of_the_host() -> None:
    text, found = said(harnpy.Program("const a = 1\n  plan_of(a)", path="service.harn"))
    assert "`plan_of` is not defined or imported (at service.harn:2:3)" in text
    assert 'functions={"plan_of": ...}' in text
    assert (found.path, found.line, found.column) == ("service.harn", 2, 3)


def test_a_misspelt_builtin_gets_no_advice_about_functions() -> None:
    text, _ = said("printn(1)")
    assert "did you mean" in text
    assert "functions=" not in text


def test_more_findings_are_counted() -> None:
    assert "and 2 more: see `diagnostics`" in said("one(1)\ntwo(2)\nthree(3)")[0]


def test_a_program_that_does_not_parse_says_where_once() -> None:
    with pytest.raises(harnpy.RejectedProgram) as caught:
        harnpy.Program("fn f( {", path="broken.harn")
    assert str(caught.value).splitlines()[0] == "Expected parameter name, got { (at broken.harn:1:7)"
    assert caught.value.diagnostic is caught.value.diagnostics[0]


def test_a_file_that_cannot_be_read_has_no_place() -> None:
    with pytest.raises(harnpy.RejectedProgram, match=r"cannot read nowhere\.harn: no such file") as caught:
        harnpy.Program.from_file("nowhere.harn")
    found = caught.value.diagnostics[0]
    assert (found.path, found.line, found.column) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("\nfn f(a) { return a }", (), "Arity mismatch: 'f' expects 1 argument, got 0 (at {path}:2:1)"),
        ("fn f(a: int) { return a }", ("x",), "'f' parameter `a` expects int, got string (at {path}:1:1)"),
        ("fn f(a) { return a + nil }", (1,), "(at {path}:1:18)"),
    ],
)
def test_arguments_that_do_not_fit_name_the_function(text: str, arguments: tuple[object, ...], message: str) -> None:
    module = harnpy.Session().load(harnpy.Program(text, path="calls.harn"))
    with pytest.raises(harnpy.HarnError) as caught:
        module.call("f", *arguments)
    assert message.format(path="calls.harn") in str(caught.value)


@pytest.mark.parametrize("name", ["answer.harn", "there.txt", "sub-dir/answer.harn", "{folder}/there.txt"])
def test_the_name_of_a_file_is_no_program(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.txt").write_text("return 1", encoding="utf-8")
    text, _ = said(name.format(folder=tmp_path))
    assert "\nhint: that is the name of a file: `harnpy.Program.from_file` reads one" in text
    assert "did you mean" not in text


def test_a_short_program_is_no_name_of_a_file() -> None:
    assert "from_file" not in said("answer.text")[0]


def test_a_file_of_model_calls_that_is_none_is_a_slip_of_the_host(tmp_path: Path) -> None:
    file = tmp_path / "my-calls.jsonl"
    file.write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"^llm_mock: .*my-calls.jsonl: line 1"):
        harnpy.Session(llm_mock=file)
    with pytest.raises(IsADirectoryError):
        harnpy.Session(llm_mock=tmp_path)
