"""The shared matrix, storms: a thousand refused calls at once, how their waits spread, shared breakers."""

from __future__ import annotations

import json
import threading
import time

import pytest
from stub import PATIENCE, Answer, Stub, Talk
from wires import FORMS, LOCAL

pytestmark = pytest.mark.slow

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
CALLS = 1000
# The 99.9 % bound of chi-square with 9 degrees of freedom; the draws are seeded, so a test that holds goes on holding.
BOUND = 27.88


@pytest.fixture
def many_files():
    """Let the process open a connection for each call, and the server's end of each."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4 * CALLS
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"the process may not open {wanted} files")
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def is_uniform(waits: list[int], below: int) -> None:
    """The waits lie evenly in 0 to ``below``, looked at in 10 classes."""
    assert all(0 <= wait < below for wait in waits)
    classes = [0] * 10
    for wait in waits:
        classes[wait * 10 // below] += 1
    expected = len(waits) / 10
    assert sum((count - expected) ** 2 / expected for count in classes) < BOUND


class Together:
    """Answers the first ``count`` requests only when all of them have come: so that many are in flight at once."""

    def __init__(self, count: int, refusal: Answer) -> None:
        self._left = count
        self._refusal = refusal
        self._all_here = threading.Event()
        self._lock = threading.Lock()
        self.met = False

    def answer(self, talk: Talk) -> bool:
        with self._lock:
            self._left -= 1
            if self._left == 0:
                self._all_here.set()
        if self._left <= 0 or self._all_here.wait(PATIENCE):
            self.met = True
        talk.head(self._refusal.status, content_length=len(self._refusal.body))
        talk.send(self._refusal.body)
        return True


# Each branch notes how long it waited between the end of a try and the beginning of the next.
STORM = """
fn storm(base, calls, options) {
  return parallel each range(calls) { i ->
    let ended = nil
    let waits = []
    let turns = []
    const noted = { asked ->
      if ended != nil { waits = waits + [monotonic_ms() - ended] }
      turns = turns + [asked.turn.attempt]
      const r = base(asked)
      ended = monotonic_ms()
      r
    }
    const r = with_retry(noted, options)(call)
    {status: r.status, retries: r.retries_attempted, waits: waits, turns: turns}
  }
}
"""


def test_a_thousand_calls_are_refused_at_once(ran, many_files):
    """All end, none makes more than its three tries, and the waits of all are spread evenly."""
    together = Together(CALLS, LOCAL.failing(429))
    with Stub(Answer(script=together.answer)) as stub:
        seen = ran(LOCAL, stub, f"{STORM} show(storm(default_llm_caller(), {CALLS}, nil))")[0]
        assert (together.met, len(stub.requests)) == (True, 3 * CALLS)
        assert stub.all_closed()
    assert [(each["status"], each["retries"], each["turns"]) for each in seen] == [
        ("rate_limited", 2, [1, 1, 1])
    ] * CALLS
    is_uniform([each["waits"][0] for each in seen], 250)
    is_uniform([each["waits"][1] for each in seen], 500)


@wires
def test_a_hundred_calls_are_refused_at_once(ran, many_files, wire):
    together = Together(100, wire.failing(429))
    with Stub(Answer(script=together.answer)) as stub:
        seen = ran(wire, stub, f"{STORM} show(storm(default_llm_caller(), 100, nil))")[0]
        assert (together.met, len(stub.requests)) == (True, 300)
    assert [(each["status"], each["retries"]) for each in seen] == [("rate_limited", 2)] * 100


def test_a_hint_holds_for_every_call_of_a_storm(ran, many_files):
    """Nobody comes before the server said so: the hint is the least wait."""
    refusal = LOCAL.failing(429, retry_after="2")
    with Stub(refusal) as stub:
        seen = ran(LOCAL, stub, f"{STORM} show(storm(default_llm_caller(), 200, nil))")[0]
        assert len(stub.requests) == 600
    assert [each["waits"] for each in seen] == [[2000, 2000]] * 200


@pytest.mark.parametrize(("threshold", "after"), [(CALLS, "open"), (CALLS + 1, "closed")])
def test_a_shared_breaker_counts_exactly(ran, many_files, threshold, after):
    """A thousand parallel failures are a thousand: one failure more or less decides."""
    body = f"""
    const caller = with_circuit_breaker(default_llm_caller(), {{name: "shared", threshold: {threshold}}})
    const seen = parallel each range({CALLS}) {{ i -> caller(call).status }}
    show([seen.filter({{ s -> s == "provider_5xx" }}).count(), circuit_check("shared")])
    show(try {{ caller(call).status }} catch (e) {{ e.reason }})
    show(circuit_check("shared"))
    """
    together = Together(CALLS, LOCAL.failing(503))
    with Stub(Answer(script=together.answer)) as stub:
        seen = ran(LOCAL, stub, body)
        assert (together.met, len(stub.requests)) == (True, CALLS + (after == "closed"))
    assert seen == [[CALLS, after], "provider_5xx" if after == "closed" else "circuit_open", "open"]


def test_a_shared_breaker_opens_once(ran, many_files):
    """Failures that come after it has opened do not put off the probe."""
    lock = threading.Lock()
    count = 0
    early = threading.Event()

    def answer(talk: Talk) -> bool:
        nonlocal count
        with lock:
            count += 1
            number = count
        if number <= 500:
            early.wait(PATIENCE)
        talk.head(503, content_length=0)
        if number == CALLS:
            early.set()
        return True

    body = f"""
    const caller = with_circuit_breaker(default_llm_caller(), {{name: "shared"}})
    const failed = atomic(0)
    const seen = parallel each range({CALLS}) {{ i ->
      const r = caller(call)
      if atomic_add(failed, 1) == 499 {{ advance_time(20000) }}
      r.status
    }}
    show([seen.count(), circuit_check("shared"), monotonic_ms()])
    advance_time(9999)
    show(circuit_check("shared"))
    advance_time(1)
    show(circuit_check("shared"))
    """
    with Stub(Answer(script=answer)) as stub:
        seen = ran(LOCAL, stub, body)
        assert len(stub.requests) == CALLS
    assert seen == [[CALLS, "open", 20_000], "open", "half_open"]


YARDSTICK = """
import {with_retry} from "std/llm/middleware/retry"
let seen = []
let last = nil
const caller = with_retry({ asked ->
  if last != nil { seen = seen + [monotonic_ms() - last] }
  last = monotonic_ms()
  {ok: false, status: "timeout"}
}, OPTIONS)
caller({prompt: "hi"})
println(json_stringify(seen))
"""


@pytest.fixture
def delays(run_harn):
    """Give ``delays(options, seed) -> list``: the waits of a call that fails at each try."""

    def run(options: str, seed: int = 7) -> list[int]:
        ended = run_harn(YARDSTICK.replace("OPTIONS", options), virtual_time=0, seed=seed, env={})
        assert (ended.code, ended.err) == (0, "")
        return json.loads(ended.out)

    return run


def test_delays_of_a_thousand_seeds(delays):
    """Delay k lies in [0, min(8000, 250 * 2^(k-1))], evenly; hours on the clock, none of them real."""
    began = time.monotonic()
    seen = [delays("{max_attempts: 8}", seed) for seed in range(1000)]
    assert sum(map(sum, seen)) > 3_600_000
    assert time.monotonic() - began < 60
    assert {len(waits) for waits in seen} == {7}
    for k, waits in enumerate(zip(*seen, strict=True)):
        is_uniform(list(waits), min(8000, 250 * 2**k))
    assert delays("{max_attempts: 8}", 5) == seen[5]


def test_how_many_delays_there_are(delays):
    assert len(delays("nil")) == 2
    assert [delays(f"{{max_attempts: {most}}}") for most in (1, 0, -3)] == [[]] * 3


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('{jitter: "none", max_attempts: 8}', [250, 500, 1000, 2000, 4000, 8000, 8000]),
        ('{jitter: "none", max_attempts: 4, backoff: "linear"}', [250, 500, 750]),
        ('{jitter: "none", max_attempts: 4, base_ms: 3000}', [3000, 6000, 8000]),
        ('{jitter: "none", max_attempts: 3, base_ms: 10, max_ms: 15}', [10, 15]),
    ],
)
def test_delays_without_jitter(delays, options, expected):
    assert delays(options) == expected


@wires
def test_a_single_attempt_never_waits(stacked, wire):
    with Stub(wire.failing(429, retry_after="60")) as stub:
        seen = stacked(wire, stub, "llm_caller({retry: {max_attempts: 1}})", draw=0.9)
        assert (seen["status"], seen["retries"], seen["slept"], len(stub.requests)) == ("rate_limited", 0, 0, 1)
