"""Templates: any text renders or gives a Harn error with its place; plain texts stay; big ones take linear time."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.builtins.templates import render_string
from harnpy.errors import HarnError
from harnpy.options import Options
from harnpy.session import Session
from harnpy.streams import memory_streams

PARTS = [
    "{{",
    "}}",
    "{{-",
    "-}}",
    " if ",
    " for ",
    " x ",
    " in ",
    " xs ",
    " end ",
    " else ",
    " elif ",
    "{{ end }}",
    "{{ if x }}",
    "{{ for k, v in d }}",
    "{{ x | upper }}",
    " | ",
    " join: ",
    "'",
    '"',
    "\\",
    "raw ",
    "{{ raw }}",
    "{{ endraw }}",
    "{{#",
    "#}}",
    " include ",
    " with {",
    "}",
    "a: ",
    ",",
    "(",
    ")",
    "[",
    "]",
    ".",
    "==",
    "=",
    "!",
    "<",
    "&&",
    "||",
    "not ",
    "-1",
    "2.5",
    "é",
    "\n",
    " ",
    "loop.index",
    " json: true",
    " indent: 2, x",
]
# What a template that nests very deep may come to.
RIGHT = ("Stack overflow", "missing matching", "expected an expression", "true\n")
SCOPE = {"x": "v", "xs": [1, None, {"k": [True]}], "d": {"b": 2, "a": 1.5}}


@pytest.fixture(scope="module")
def ctx() -> Any:
    """Give the context of a run that denies every file."""
    return Session(Options(deny=("fs",)), memory_streams()[0]).context


def outcome(ctx: Any, text: str, scope: Any = None) -> str:
    """Give what rendering gives, or the text of its error."""
    try:
        return render_string(ctx, text, SCOPE if scope is None else scope)
    except HarnError as error:
        value = error.value
        assert type(value) is str or value["category"] == "tool_rejected"
        return str(value)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join))
def test_any_text_renders_or_gives_an_error(ctx: Any, text: str) -> None:
    assert type(outcome(ctx, text)) is str


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40).filter(lambda text: "{{" not in text))
def test_a_text_without_directives_stays(ctx: Any, text: str) -> None:
    assert outcome(ctx, text) == text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20))
def test_values_are_never_read_as_templates(ctx: Any, text: str) -> None:
    assert outcome(ctx, "<{{ x }}>", {"x": text}) == f"<{text}>"


@pytest.mark.parametrize(
    "piece", ["{{ x }} text\n", "{{ if x }}a{{ end }}", "{{# c #}}", "{{ raw }}{{{{ endraw }}", "{{ 'a' | upper }}"]
)
def test_time_grows_with_the_length(ctx: Any, piece: str) -> None:
    def seconds(count: int) -> float:
        text = piece * count
        started = process_time()
        outcome(ctx, text)
        return process_time() - started

    short = min(seconds(500) for _ in range(3))
    assert min(seconds(4000) for _ in range(3)) < 24 * short + 0.01


def test_deep_nesting_is_an_error_of_the_program(run_harn: Any) -> None:
    for text in (
        '"{{ if x }}".repeat(30000)',
        '"{{ " + "(".repeat(30000) + "}}"',
        '"{{ " + "!".repeat(30000) + "x }}"',
    ):
        ran = run_harn(f"println(try {{ render_string({text}, {{x: 1}}) }} catch (e) {{ e }})")
        assert (ran.code, ran.err) == (0, "")
        assert any(part in ran.out for part in RIGHT)


def test_includes_end_at_32_levels(run_harn: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for level in range(1, 41):
        (tmp_path / f"{level}.prompt").write_text(f'{{{{ include "{level + 1}.prompt" }}}}')
    ran = run_harn('println(try { render_prompt("1.prompt") } catch (e) { e })')
    assert ran.out.endswith("32.prompt at 1:1: include depth exceeded (32 levels)\n")
    (tmp_path / "20.prompt").write_text("bottom")
    assert run_harn('print(render_prompt("1.prompt"))').out == "bottom"


def test_aliases_of_folders(run_harn: Any, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harn.toml").write_text('[asset_roots]\nshared = "texts/shared"\n')
    (tmp_path / "texts" / "shared").mkdir(parents=True)
    (tmp_path / "texts" / "shared" / "a.prompt").write_text('A{{ include "@/b.prompt" }}')
    (tmp_path / "b.prompt").write_text("B")
    assert run_harn('print(render("@shared/a.prompt") + render("@/b.prompt"))').out == "ABB"


def test_endless_loops_end_with_the_deadline_and_sizes_are_bounded(run_harn: Any) -> None:
    loop = "{{ for i in r }}{{ end }}"
    ran = run_harn(
        f"""
        println(try {{ deadline 50ms {{ render_string("{loop}", {{r: 0 to 1000000000000}}) }} }} catch (e) {{ e }})
        const big = "x".repeat(1000000)
        for text in ["{{{{ a | replace: 'x', b }}}}", "{{{{ a | indent: 999999999 }}}}", "{{{{ xs | join: a }}}}"] {{
          println(try {{ render_string(text, {{a: big, b: big, xs: range(0, 1000).to_list()}}) }} catch (e) {{ e }})
        }}
        const text = "{{{{ for x in xs }}}}{{{{ a }}}}{{{{ end }}}}"
        println(try {{ render_string(text, {{a: big, xs: 1 to 1000}}) }} catch (e) {{ e }})
        """
    )
    lines = ran.out.splitlines()
    assert (ran.err, lines[0]) == ("", "Deadline exceeded")
    assert len(lines) == 5
    assert all("characters; at most" in line for line in lines[1:])
