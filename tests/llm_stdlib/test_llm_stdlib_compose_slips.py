"""`compose` takes a list: what else it gets wraps nothing (llm-stdlib 3.13), and that is told."""

from __future__ import annotations

import pytest

HEAD = """
import {compose, with_retry, with_timeout} from "std/llm/handlers"
import {compose_tool_callers} from "std/llm/tool_middleware"
const base = { _call -> {ok: true, value: {text: "all-ok"}} }
const call = {prompt: "hi", system: nil, opts: {}}
"""


@pytest.mark.parametrize("given", ["with_retry({max_attempts: 2}), with_timeout({ms: 5})", "with_retry({})", "{a: 1}"])
def test_middleware_without_a_list_is_told_and_wraps_nothing(run_harn, given: str) -> None:
    ran = run_harn(HEAD + f"println(compose({given})(base)(call))")
    assert (ran.code, ran.out) == (0, "{ok: true, value: {text: all-ok}}\n")
    assert ran.err.startswith("warning: compose takes one list of middleware, got ")
    assert ran.err.endswith(": nothing is wrapped; write `compose([a, b])(caller)`\n")


def test_what_stands_beside_the_list_is_told(run_harn) -> None:
    ran = run_harn(HEAD + "println(compose([], with_retry({}))(base)(call).ok)")
    assert (ran.code, ran.out) == (0, "true\n")
    assert ran.err == (
        "warning: compose takes one list of middleware: what stands beside it wraps nothing; "
        "write `compose([a, b])(caller)`\n"
    )


def test_tool_middleware_too(run_harn) -> None:
    ran = run_harn(HEAD + "println(compose_tool_callers({ c, next -> next(c) })({}, { _c -> 7 }))")
    assert (ran.code, ran.out) == (0, "7\n")
    assert ran.err.startswith("warning: compose_tool_callers takes one list of middleware, got closure: ")


@pytest.mark.parametrize("given", ["[with_retry({})]", "[]", "nil", "harness, [with_retry({})]"])
def test_lists_and_nil_are_meant(run_harn, given: str) -> None:
    ran = run_harn(HEAD + f"println(compose({given})(base)(call).ok)")
    assert (ran.code, ran.out, ran.err) == (0, "true\n", "")


def test_callers_of_a_fallback_without_a_list_are_told(run_harn) -> None:
    ran = run_harn(
        'import {with_fallback} from "std/llm/handlers"\n' + HEAD + "println(with_fallback(base, base)(call))"
    )
    assert ran.out == "{error: with_fallback: empty caller list, ok: false, status: caller_skipped}\n"
    assert ran.err == (
        "warning: with_fallback takes one list of callers, got closure: there is none to ask; "
        "write `with_fallback([a, b])`\n"
    )
