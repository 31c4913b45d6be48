"""The shared matrix, guards: an open breaker and a used-up budget send nothing, alone and under parallel calls."""

from __future__ import annotations

import threading

import pytest
from stub import PATIENCE, Answer, Stub, Talk
from wires import FORMS

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)

BREAKER = """
const caller = with_circuit_breaker(default_llm_caller(), {name: "b"})
fn status(caller) {
  const r = try { caller(call) } catch (e) { e }
  return r.category ?? r.status ?? r.value.text
}
fn from_circuit() { return try { caller(call) } catch (e) { e } }
"""


@wires
def test_an_open_breaker_sends_nothing(ran, wire):
    """Five failures open it for 30 s; then one probe, which closes it."""
    body = BREAKER + """
    show([status(caller), status(caller), status(caller), status(caller)])
    show([circuit_check("b"), status(caller), circuit_check("b")])
    const refusal = from_circuit()
    show(refusal)
    advance_time(29999)
    show(status(caller))
    advance_time(1)
    show([circuit_check("b"), status(caller), circuit_check("b"), status(caller)])
    """  # fmt: skip
    with Stub(*[wire.failing(503)] * 5, wire.whole("back")) as stub:
        seen = ran(wire, stub, body)
        assert len(stub.requests) == 7
    assert seen[:2] == [["provider_5xx"] * 4, ["closed", "provider_5xx", "open"]]
    assert seen[2] == {
        "kind": "terminal", "reason": "circuit_open", "category": "circuit_open", "message": "circuit open: b",
        "provider": wire.name, "model": "m", "circuit": "b",
    }  # fmt: skip
    assert seen[3:] == ["circuit_open", ["half_open", "back", "closed", "back"]]


@wires
def test_an_open_breaker_seen_from_outside(ran, wire):
    """Every wrapper around it sees the status, and none tries again."""
    body = BREAKER + """
    for n in 1 to 5 { caller(call) }
    const wrapped = [
      with_retry(caller), with_timeout(caller, 5000), with_fallback([caller]), with_repair(caller), with_budget(caller),
      compose([with_retry, with_timeout(1000), with_budget({max_calls: 9})])(caller),
    ]
    show(wrapped.map({ outer -> [outer(call).status, outer(call).retries_attempted] }))
    show(monotonic_ms())
    """  # fmt: skip
    with Stub(wire.failing(503)) as stub:
        seen = ran(wire, stub, body)
        assert len(stub.requests) == 5
    assert seen == [[["circuit_open", retries] for retries in (0, None, None, None, None, 0)], 0]


@wires
def test_retries_inside_a_breaker_stop_when_it_opens(ran, wire):
    body = """
    const caller = with_retry(with_circuit_breaker(default_llm_caller(), {name: "b", threshold: 2}), {max_attempts: 9})
    const r = caller(call)
    show([r.status, r.retries_attempted])
    """
    with Stub(wire.failing(500)) as stub:
        assert ran(wire, stub, body) == [["circuit_open", 2]]
        assert len(stub.requests) == 2


PROBES = (
    BREAKER
    + """
for n in 1 to 5 { caller(call) }
advance_time(30000)
show(parallel each range(40) { n -> status(caller) })
show(circuit_check("b"))
show(status(caller))
"""
)


@wires
def test_half_open_lets_exactly_one_through(ran, wire):
    """Of forty calls at once one is the probe; the others are refused without a request."""
    with Stub(*[wire.failing(503)] * 5, wire.whole("probe"), wire.whole("ok")) as stub:
        seen = ran(wire, stub, PROBES)
        assert len(stub.requests) == 7
    assert sorted(seen[0]) == ["circuit_open"] * 39 + ["probe"]
    assert seen[1:] == ["closed", "ok"]


@wires
def test_a_failed_probe_opens_for_the_whole_time_again(ran, wire):
    body = (
        PROBES
        + """
    advance_time(29999)
    show(status(caller))
    advance_time(1)
    show(parallel each range(40) { n -> status(caller) })
    """
    )
    with Stub(*[wire.failing(503)] * 6, wire.whole("probe")) as stub:
        seen = ran(wire, stub, body)
        assert len(stub.requests) == 7
    assert sorted(seen[0]) == ["circuit_open"] * 39 + ["provider_5xx"]
    assert seen[1:4] == ["open", "circuit_open", "circuit_open"]
    assert sorted(seen[4]) == ["circuit_open"] * 39 + ["probe"]


@wires
def test_a_probe_that_times_out_opens_it_again(ran, wire):
    with Stub(*[wire.failing(503)] * 5, Answer(silent=120_000), wire.whole("ok")) as stub:
        seen = ran(wire, stub, PROBES)
        assert len(stub.requests) == 6
    assert sorted(seen[0]) == ["circuit_open"] * 39 + ["timeout"]
    assert seen[1:] == ["open", "circuit_open"]


CAUSED = {
    "context_window_exceeded": lambda wire: wire.failing(400, "maximum context length is 10 tokens"),
    "policy_blocked": lambda wire: wire.failing(403, "refused: content_policy"),
}


@wires
@pytest.mark.parametrize("status", CAUSED)
def test_what_the_caller_caused_does_not_count(ran, wire, status):
    body = (
        BREAKER
        + """
    for n in 1 to 9 { show(status(caller)) }
    show(circuit_check("b"))
    """
    )
    with Stub(CAUSED[status](wire)) as stub:
        assert ran(wire, stub, body) == [status] * 9 + ["closed"]
        assert len(stub.requests) == 9


BUDGETS = {
    "max_output_tokens": ("{max_output_tokens: 10}", "projected output tokens"),
    "max_input_tokens": ("{max_input_tokens: 0}", "projected input tokens"),
    "max_cost_usd": ("{max_cost_usd: 0.0000001}", "projected cost"),
    "a number": ("0.0000001", "projected cost"),
    "total_budget_usd": ("{total_budget_usd: 0.0000001}", "projected session cost"),
}


@wires
@pytest.mark.parametrize(("budget", "words"), BUDGETS.values(), ids=BUDGETS)
def test_a_budget_that_is_used_up_before(ran, wire, priced, budget, words):
    body = f"""
    const r = llm_caller()(call + {{opts: opts + {{budget: {budget}}}}})
    show([r.ok, r.status, r.retries_attempted, r.error.reason, r.error.origin, r.error.message])
    """
    with Stub(wire.whole("never")) as stub:
        seen = ran(wire, stub, body, **priced(wire))[0]
        assert (stub.connections, stub.requests) == (0, [])
    assert seen[:5] == [False, "budget_exhausted", 0, "budget_exceeded", "local"]
    assert words in seen[5]


@wires
def test_a_budget_of_the_session_that_is_used_up_during_a_call(ran, wire, priced):
    """The call that passes it is paid for; the next is not sent."""
    body = """
    llm_budget(0.01)
    const caller = llm_caller()
    const short = call + {opts: opts + {max_tokens: 10}}
    for n in 1 to 3 {
      const r = caller(short)
      show([r.ok, r.status, r.retries_attempted])
    }
    show([llm_session_cost().total_cost, llm_budget_remaining() <= 0])
    """
    with Stub(wire.whole("dear", incoming=3000, outgoing=400)) as stub:
        seen = ran(wire, stub, body, **priced(wire))
        assert len(stub.requests) == 1
    assert seen == [[True, None, 0], *[[False, "budget_exhausted", 0]] * 2, [0.015, True]]


WITH_BUDGET = {
    "max_calls": ("max_calls: 2", 2),
    "max_input_tokens": ("max_input_tokens: 2000", 2),
    "max_output_tokens": ("max_output_tokens: 150", 2),
    "max_total_tokens": ("max_total_tokens: 2200", 2),
    "max_cost_usd": ("max_cost_usd: 0.009", 2),
}


@wires
@pytest.mark.parametrize(("limit", "calls"), WITH_BUDGET.values(), ids=WITH_BUDGET)
@pytest.mark.parametrize("on_exceed", ["short_circuit", "throw"])
def test_with_budget(ran, wire, priced, limit, calls, on_exceed):
    """1,000 tokens in and 100 out cost 0.0045 USD: two calls, however the third is refused; nobody tries it again."""
    body = f"""
    const caller = with_retry(with_budget(default_llm_caller(), {{{limit}, on_exceed: "{on_exceed}"}}))
    for n in 1 to 4 {{
      const r = caller(call)
      show([r.ok, r.status, r.retries_attempted, r.error?.limit])
    }}
    """
    with Stub(wire.whole("ok", incoming=1000, outgoing=100)) as stub:
        seen = ran(wire, stub, body, **priced(wire))
        assert len(stub.requests) == calls
    refused = [False, "budget_exhausted", 0, limit.split(":")[0]]
    assert seen == [[True, None, 0, None]] * calls + [refused] * (4 - calls)


@wires
def test_with_budget_between_the_tries_of_one_call(ran, wire):
    body = """
    const r = with_retry(with_budget(default_llm_caller(), {max_calls: 2}))(call)
    show([r.status, r.retries_attempted])
    """
    with Stub(wire.failing(503)) as stub:
        assert ran(wire, stub, body) == [["budget_exhausted", 2]]
        assert len(stub.requests) == 2


@wires
def test_with_budget_under_parallel_calls(ran, wire):
    """The server answers nobody before all that may come are there, so all of them are in flight together."""
    together = threading.Barrier(5)

    def answer(talk: Talk) -> None:
        together.wait(PATIENCE)
        body = wire.whole("ok").body
        talk.head(200, content_type="application/json", content_length=len(body), connection="close")
        talk.send(body)

    body = """
    const caller = with_budget(default_llm_caller(), {max_calls: 5})
    const seen = parallel each range(60) { n -> caller(call) }
    show([seen.filter({ r -> r.ok }).count(), seen.filter({ r -> r.status == "budget_exhausted" }).count()])
    """
    with Stub(Answer(script=answer)) as stub:
        assert ran(wire, stub, body) == [[5, 55]]
        assert len(stub.requests) == 5
