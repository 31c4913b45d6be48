"""``routing_policy``: carries a call along a chain of routes (llm 12)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, ask_once, is_mocked, llm_state
from harnpy.capabilities.race import Race
from harnpy.capabilities.routing_record import RACE_EXHAUSTED, Record, error_summary
from harnpy.errors import HarnError
from harnpy.llm.budget import over_routing_budget
from harnpy.llm.errors import llm_error
from harnpy.llm.resolve import key_of
from harnpy.llm.response import data_of
from harnpy.llm.routing import Policy, policy_of
from harnpy.llm.structured import answer_errors, schema_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.routing import Link
    from harnpy.runtime.context import Context
    from harnpy.runtime.task import Task

    Dict = dict[str, Any]

_REFINE = "The previous response did not pass verification. Please address the following and try again:"
_MILLISECOND = 1_000_000


def routing_policy(ctx: Context, config: Any = None) -> Dict:
    """Make a routing policy from its dict; the value is the option ``routing`` of any number of calls.

    Options: ``chain`` (required: ``{provider, model, timeout_ms?, label?, region?}`` or ``"provider:model"``),
    ``failover`` (``{on_status?, on_timeout_ms?, on_error_kinds?, max_attempts?}``), ``latency``
    (``{race_after_ms}``), ``budget`` (``{per_call_usd?, session_usd?, on_exceed?}``, USD), ``escalate_on``
    (verifiers ``typecheck``, ``lint``, ``test_run``), ``max_refines_per_link``, ``observe`` (``{emit_event}``),
    ``label``.
    Errors: throws a text that names the wrong key.
    """
    policy = policy_of(config)
    if policy.verifiers:
        from harnpy.capabilities.verifiers import check_patterns

        check_patterns(policy.verifiers)
    state = llm_state(ctx)
    value = policy.value(len(state.policies))
    state.policies.append((policy, value))
    return value


class RoutedPlan:
    """What a request carries to be asked under a policy; ``build(link)`` makes the request of a link."""

    def __init__(self, policy: Policy, build: Callable[[Link], Request]) -> None:
        self.policy = policy
        self.build = build
        self.base: Request | None = None

    def ask(self, ctx: Context, request: Request) -> tuple[Dict, Reply]:
        """Ask along the chain."""
        return Dispatch(ctx, self, request).run()


class Outcome:
    """How the visit of a link ended: an answer, or an error; ``next`` is the link to go on with."""

    __slots__ = ("answer", "entry", "error", "index", "next")

    def __init__(
        self, index: int, entry: Dict, answer: tuple[Dict, Reply] | None, error: HarnError | None, after: int
    ) -> None:
        self.index = index
        self.entry = entry
        self.answer = answer
        self.error = error
        self.next = after


class Dispatch:
    """One call under a policy: ``request`` as it is asked now, ``plan`` as it was made."""

    def __init__(self, ctx: Context, plan: RoutedPlan, request: Request) -> None:
        self._ctx = ctx
        self._state = llm_state(ctx)
        self._policy = policy = plan.policy
        self._plan = plan
        self._request = request
        self.record = Record(ctx, policy, request.session_id)
        self._refines: dict[int, int] = {}
        self._rejected: Outcome | None = None
        self._last_error: Any = None

    def run(self) -> tuple[Dict, Reply]:
        """Give the answer of the first link that is accepted, else the last one that was refused.

        Raises:
            HarnError: an error that no further link may follow, or the end of the chain.
        """
        self.record.decision()
        index, reasons = 0, list[str]()
        while self.may_try(index):
            outcome = self._visit(index, reasons)
            if outcome is None:
                index, reasons = index + 1, []
            elif outcome.error is not None:
                index, reasons = self._after_failure(outcome), []
            else:
                verdict, found = self._judge(outcome)
                if verdict == "accept":
                    return self._result(outcome)
                self._rejected = outcome
                again = verdict == "refine"
                index, reasons = (outcome.index, [*reasons, *found]) if again else (outcome.next, [])
        return self.give_up()

    def _attempts_left(self) -> int:
        return self._policy.max_attempts - self.record.requested

    def may_try(self, index: int) -> bool:
        """Tell whether there is such a link and an attempt left for it."""
        return index < len(self._policy.chain) and self._attempts_left() > 0

    # --- one link -----------------------------------------------------------------------------

    def usable(self, index: int, reasons: list[str]) -> Request | None:
        """Give the request of a link; ``None`` when it has no key, or would cost too much and is skipped."""
        link = self._policy.chain[index]
        request = self._prepared(link, reasons)
        return request if self._has_key(link, request) and self._is_affordable(link, request) else None

    def _visit(self, index: int, reasons: list[str]) -> Outcome | None:
        """Ask a link; ``None`` when it is passed over."""
        link = self._policy.chain[index]
        request = self.usable(index, reasons)
        if request is None:
            return None
        may_race = self._policy.race_after_ms is not None and self._attempts_left() > 1
        entry = self.record.begin(link)
        if may_race and index + 1 < len(self._policy.chain):
            return self._raced(index, entry, request)
        return self._outcome(index, entry, lambda: self._ask(entry, request))

    def _prepared(self, link: Link, reasons: list[str]) -> Request:
        """Give the request of a link, with what earlier layers changed in that of the call."""
        request, call, base = self._plan.build(link), self._request, self._plan.base
        request.messages, request.system, request.output = call.messages, call.system, call.output
        if base is not None and call.max_tokens > base.max_tokens:  # doubled after an answer that was cut
            request.max_tokens = max(request.max_tokens, call.max_tokens)
        request.timeout_ms = link.timeout_ms or self._policy.on_timeout_ms or call.timeout_ms
        if call.option("operation_timeout_ms") is not None:
            request.timeout_ms = min(request.timeout_ms, call.timeout_ms)
        if self._policy.race_after_ms is not None:
            request.stream = False
        if reasons:
            text = "\n".join([_REFINE, *(f"- {reason}" for reason in reasons)])
            request.messages = [*call.messages, {"role": "user", "content": text}]
        return request

    def _has_key(self, link: Link, request: Request) -> bool:
        if is_mocked(self._state, request):
            return True
        try:
            key_of(request.route, self._state.env)
        except HarnError as error:
            attempt = self.record.requested + 1
            self.record.on_link("route_unavailable", link, attempt=attempt, reason="missing_credentials")
            self.record.skip(link, error.value)
            self._last_error = self._last_error or error.value
            return False
        return True

    def _is_affordable(self, link: Link, request: Request) -> bool:
        policy = self._policy
        totals = self._state.totals
        found = over_routing_budget(request, totals, policy.per_call_usd, policy.session_usd)
        if found is None:
            return True
        kind, error = found
        value = error.value
        self.record.on_link(
            "budget_exceeded",
            link,
            attempt=self.record.requested + 1,
            kind=kind,
            limit_usd=value["limit_value"],
            projected_cost_usd=value["projected_cost_usd"],
            session_cost_usd=value["session_cost_usd"],
            on_exceed=policy.on_exceed,
        )
        if policy.on_exceed == "abort":
            raise self.record.with_attempts(error)
        if policy.on_exceed == "skip":
            self.record.skip(link, value)
            self._last_error = self._last_error or value
            return False
        return True

    def _ask(self, entry: Dict, request: Request) -> tuple[Dict, Reply]:
        """Make one request and note how it went."""
        started = self._ctx.clock.ticks()
        try:
            response, reply = ask_once(self._ctx, request)
            self._check_schema(request, response, reply)
        except HarnError as error:
            entry["duration_ms"] = (self._ctx.clock.ticks() - started) // _MILLISECOND
            if error.value not in PASSING:
                entry.update(status="failed", error=error_summary(error.value))
            raise
        entry["duration_ms"] = (self._ctx.clock.ticks() - started) // _MILLISECOND
        usage = response["usage"]
        entry.update(status="succeeded", cost_usd=usage["cost_usd"])
        entry.update(input_tokens=usage["input_tokens"], output_tokens=usage["output_tokens"])
        return response, reply

    def _check_schema(self, request: Request, response: Dict, reply: Reply) -> None:
        """Let an answer that breaks the schema fail, when the policy names that as a reason to go on."""
        if request.output.kind != "json_schema" or "schema_validation" not in self._policy.on_error_kinds:
            return
        found, response["data"] = data_of(reply)
        errors = answer_errors(request, response, found)
        if errors:
            raise _Unfit(schema_error(request, errors, 1).value, response, reply)

    def _outcome(self, index: int, entry: Dict, ask: Callable[[], tuple[Dict, Reply]]) -> Outcome:
        depth = self._ctx.depth
        try:
            return Outcome(index, entry, ask(), None, index + 1)
        except HarnError as error:
            if error.value in PASSING:
                raise
            self._ctx.depth = depth
            return Outcome(index, entry, None, error, index + 1)

    # --- races --------------------------------------------------------------------------------

    def _raced(self, index: int, entry: Dict, request: Request) -> Outcome:
        """Ask a link, and the next one beside it when no answer comes in time."""
        due = self._ctx.clock.ticks() + (self._policy.race_after_ms or 0) * _MILLISECOND
        with Race(self._ctx) as race:
            primary = race.start(lambda: self._ask(entry, request), "primary attempt")
            ended = race.next_ended(due)
            if ended is None:
                backup = self._next_usable(index + 1)
                if backup is not None:
                    return self._against(race, primary, (index, entry), backup)
                ended = race.next_ended()
            return self._outcome(index, entry, lambda: _result_of(primary))

    def _next_usable(self, index: int) -> tuple[int, Request] | None:
        """Find the next link that could be asked now; one that is too expensive starts no race."""
        policy = self._policy
        while index < len(policy.chain):
            link = policy.chain[index]
            request = self._prepared(link, [])
            if self._has_key(link, request):
                found = over_routing_budget(request, self._state.totals, policy.per_call_usd, policy.session_usd)
                return (index, request) if found is None or policy.on_exceed == "warn" else None
            index += 1
        return None

    def _against(self, race: Race, primary: Task, first: tuple[int, Dict], second: tuple[int, Request]) -> Outcome:
        """Let the backup run against the primary; the first success decides."""
        index, request = second
        link = self._policy.chain[index]
        self.record.emit(
            "race_started",
            race_after_ms=self._policy.race_after_ms,
            primary_label=first[1]["label"],
            backup_label=link.label,
        )
        entry = self.record.begin(link)
        backup = race.start(lambda: self._ask(entry, request), "backup attempt")
        for _ in range(2):
            ended = race.next_ended()
            if ended is primary and primary.error is None:
                self._race_decided(race, first[1], "primary_finished_first", entry, backup)
                return Outcome(*first, primary.result, None, first[0] + 1)
            if ended is backup and backup.error is None:
                self._race_decided(race, entry, "backup_finished_first", first[1], primary)
                return Outcome(index, entry, backup.result, None, index + 1)
        error = _race_error(primary.error, backup.error)
        if error.value in PASSING:
            raise error
        return Outcome(first[0], first[1], None, error, index + 1)

    def _race_decided(self, race: Race, winner: Dict, reason: str, loser: Dict, task: Task) -> None:
        """Tell how a race ended; what the cancelled request used is not known."""
        names = {"winner": winner["label"], "loser": loser["label"]}
        self.record.emit("race_won", **names)
        if race.is_running(task):
            loser.update(status="race_lost", error={"category": "cancelled", "message": reason, "reason": reason})
            loser.update(cost_usd=None, input_tokens=None, output_tokens=None)
            self.record.emit("race_lost", **names, reason=reason)

    # --- verdicts and ends --------------------------------------------------------------------

    def after_error(self, error: HarnError) -> None:
        """Raise an error that no further link may follow; keep any other."""
        if not self._policy.eligible(error.value):
            raise self.record.with_attempts(error)
        self._last_error = error.value
        self._rejected = None

    def _after_failure(self, outcome: Outcome) -> int:
        """Give the link that follows a failed one, or raise when none may."""
        error = outcome.error
        assert error is not None
        if isinstance(error, _Unfit):
            self._rejected = Outcome(outcome.index, outcome.entry, error.answer, None, outcome.next)
            return outcome.next
        self.after_error(error)
        return outcome.next

    def _judge(self, outcome: Outcome) -> tuple[str, list[str]]:
        """Let the verifiers look at an answer: what to do, and the reasons against it."""
        if not self._policy.verifiers:
            return "accept", []
        from harnpy.capabilities.verifiers import run_verifiers

        assert outcome.answer is not None
        signals = run_verifiers(self._ctx, self._policy.verifiers, outcome.answer[0])
        words = [signal["signal"] for signal in signals]
        verdict = "escalate" if "escalate" in words else "refine" if "refine" in words else "accept"
        if verdict == "refine":
            done = self._refines.get(outcome.index, 0)
            if done >= self._policy.max_refines or self._attempts_left() < 1:
                verdict = "escalate"
            else:
                self._refines[outcome.index] = done + 1
        outcome.entry.update(verifier_outcome=verdict, verifier_signals=signals)
        self.record.on_link("verifier_signal", self._policy.chain[outcome.index], outcome=verdict, signals=signals)
        return verdict, [signal["reason"] for signal in signals if signal["signal"] != "accept"]

    def _result(self, outcome: Outcome) -> tuple[Dict, Reply]:
        assert outcome.answer is not None
        response, reply = outcome.answer
        response["routing"] = self.record.routing(outcome.entry, float(self._state.totals.cost))
        return response, reply

    def give_up(self) -> tuple[Dict, Reply]:
        """Give the last refused answer, or raise the end of the chain."""
        if self._rejected is not None:
            return self._result(self._rejected)
        last = self._last_error
        raise self.record.exhausted(last if type(last) is dict else error_summary(last))


class _Unfit(HarnError):
    """An answer that breaks the schema of its call; kept, because it may become the result."""

    def __init__(self, value: Any, response: Dict, reply: Reply) -> None:
        super().__init__(value)
        self.answer = (response, reply)


def _result_of(task: Task) -> tuple[Dict, Reply]:
    if task.error is not None:
        raise task.error
    result: tuple[Dict, Reply] = task.result
    return result


def _race_error(primary: BaseException | None, backup: BaseException | None) -> HarnError:
    """Give the error of a race that both lost: that of the primary, or that neither answered in time."""
    assert isinstance(primary, HarnError)
    timed_out = [
        isinstance(error, HarnError) and type(error.value) is dict and error.value.get("reason") == "timeout"
        for error in (primary, backup)
    ]
    if not all(timed_out):
        return primary
    error = llm_error("timeout", RACE_EXHAUSTED, "", "", no_single_route=True)
    return HarnError({key: value for key, value in error.value.items() if key not in ("provider", "model")})
