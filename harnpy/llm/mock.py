"""The mock provider: queues of answers per scope, matching, default replies and inspection (llm 10)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text
from harnpy.events.redact import redact_start
from harnpy.llm.conversation import texts_of
from harnpy.llm.errors import RefusedReply
from harnpy.llm.mock_entries import (
    MORE_OF_ERRORS,
    MORE_OF_REPLIES,
    SCOPES,
    Entry,
    entry_of,
    mock_error,
    read_document,
)
from harnpy.llm.providers.openai_chat import read_tool_calls
from harnpy.llm.response import Reply, tool_call
from harnpy.llm.usage import Tokens, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

_NEVER_CALLED = "agent_await_resumption"
_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
_EMPTY_VALUES: dict[str, Any] = {
    "integer": 0, "number": 0.0, "boolean": False, "array": [], "object": {}, "string": "",
}  # fmt: skip


class Answer:
    """What the mock says: wait ``delay_ms``, then ``reply`` or ``error``; with neither it never answers.

    A stream gives its ``chunks`` first when it is one that was recorded and did not end well.
    """

    __slots__ = ("chunks", "delay_ms", "error", "reply", "simulated_cost")

    def __init__(self, delay_ms: int, reply: Reply | None, error: HarnError | None) -> None:
        self.delay_ms = delay_ms
        self.reply = reply
        self.error = error
        self.simulated_cost: float | None = None
        self.chunks: list[str] | None = None


class _Level:
    """The state of one pushed scope."""

    __slots__ = (
        "armed",
        "cache",
        "calls",
        "diverged",
        "from_file",
        "queues",
        "receipts",
        "recorded",
        "strict",
        "unmatched",
    )

    def __init__(self, from_file: bool = False) -> None:
        self.armed = from_file
        self.from_file = from_file
        self.recorded = False
        # What the first call said that differed from a recording; every later call says it again.
        self.diverged: HarnError | None = None
        self.strict = False
        self.queues: dict[str, list[Entry]] = {}
        self.calls: list[Dict] = []
        self.receipts: list[Dict] = []
        self.cache: set[str] = set()
        # The last text of each call for which nothing was queued.
        self.unmatched: list[str] = []

    def remaining(self) -> int:
        return sum(len(queue) for queue in self.queues.values())


class Mock:
    """The mock of one run."""

    def __init__(self) -> None:
        self._levels = [_Level()]
        # Hears once why the first call that a fixture file does not answer has no answer.
        self.on_miss: Callable[[str], None] | None = None

    @property
    def _top(self) -> _Level:
        return self._levels[-1]

    def active(self) -> bool:
        """Tell whether calls to any provider are answered here: something was enqueued and not cleared."""
        return any(level.armed for level in self._levels)

    def replays(self) -> bool:
        """Tell whether the answers are a recording: what was refused before it was sent then does not stand in it."""
        return self._top.recorded

    def enqueue(self, fields: Any) -> None:
        """Queue one answer."""
        self._add(entry_of(fields))

    def load(self, text: str, *, from_file: bool = False) -> int:
        """Queue the entries of a fixture document and give their number; ``ValueError`` on a bad one."""
        entries, strict = read_document(text)
        for entry in entries:
            self._add(entry)
        self._top.armed = True
        self._top.strict = self._top.strict or strict
        self._top.from_file = self._top.from_file or from_file
        self._top.recorded = from_file and bool(entries) and all(entry.asked is not None for entry in entries)
        return len(entries)

    def _add(self, entry: Entry) -> None:
        self._top.armed = True
        self._top.queues.setdefault(entry.scope, []).append(entry)

    def push(self) -> None:
        """Start an empty nested state."""
        self._levels.append(_Level())

    def pop(self) -> None:
        """Restore the outer state."""
        if len(self._levels) == 1:
            raise thrown_text("llm_mock_pop_scope: no scope to pop")
        self._levels.pop()

    def clear(self) -> None:
        """Drop everything, scopes included. What runs from a fixture file stays offline."""
        self._levels = [_Level(self._levels[0].from_file)]

    def calls(self) -> list[Dict]:
        """Give one dict per mocked call, in order."""
        return list(self._top.calls)

    def receipts(self) -> list[Dict]:
        """Give how each call found its entry, in order."""
        return list(self._top.receipts)

    def unused(self) -> list[Dict]:
        """Give the queued answers that no call has taken, as they were given."""
        return [entry.fields for queue in self._top.queues.values() for entry in queue if not entry.used]

    def unmatched(self) -> list[str]:
        """Give the last text of each call for which nothing was queued."""
        return list(self._top.unmatched)

    def snapshot(self) -> Dict:
        """Describe the queue."""
        level = self._top
        return {
            "schema": "harn.llm_mock_fixture_queue.v1",
            "schema_version": 1,
            "strict_scopes": level.strict,
            "queue_remaining": level.remaining(),
            "warnings": [],
        }

    def answer(self, request: Request) -> Answer:
        """Record the call and give its answer; taking the entry is one step, so branches keep their order."""
        level = self._top
        try:
            return self._answer(level, request)
        except HarnError as error:
            tell = self.on_miss
            if tell is not None and level.from_file:
                self.on_miss = None
                text = str(error.value).removeprefix("--llm-mock: ")
                tell(text if text.startswith("call ") else f"call {len(level.calls)}: {text}")
            raise

    def _answer(self, level: _Level, request: Request) -> Answer:
        level.calls.append(_record(request))
        texts = texts_of(request.messages)
        match_text = "\n".join(texts)
        if level.diverged is not None:
            raise level.diverged
        entry = self._take(level, request, match_text)
        if entry is None:
            level.unmatched.append(texts[-1] if texts else "")
            return _default_answer(level, request, texts, match_text)
        if entry.asked is not None:
            _check_recording(level, entry, request)
        fields = entry.fields
        delay = fields.get("delay_ms") or 0
        if fields.get("error") is not None or entry.received.get("unanswered"):
            return _unhappy(entry, request, delay)
        answer = Answer(delay, _reply(level, request, fields, match_text), None)
        _complete(answer.reply, entry.received)
        answer.simulated_cost = fields.get("simulated_cost_usd")
        answer.chunks = fields.get("stream_chunks")
        return answer

    def _take(self, level: _Level, request: Request, match_text: str) -> Entry | None:
        requested = request.mock_scope or "default"
        chain = [requested, "shared"] + ([] if level.strict and requested != "default" else ["default"])
        for scope in dict.fromkeys(chain):
            queue = level.queues.get(scope, [])
            entry = _matching(queue, match_text, request)
            if entry is not None:
                entry.used = True
                if not entry.sticky:
                    queue.remove(entry)
                level.receipts.append(_receipt(level, requested, scope, entry))
                return entry
        level.receipts.append(_receipt(level, requested, None, None))
        return None


def known_scopes() -> list[str]:
    """Give the names of the call scopes."""
    return list(SCOPES)


def _receipt(level: _Level, requested: str, scope: str | None, entry: Entry | None) -> Dict:
    return {
        "requested_scope": requested,
        "resolved_scope": scope,
        "matched": entry is not None,
        "id": None if entry is None else entry.id,
        "consume": None if entry is None else ("sticky" if entry.sticky else "once"),
        "fell_through": scope is not None and scope != requested,
        "remaining": level.remaining(),
    }


def _matching(queue: list[Entry], match_text: str, request: Request) -> Entry | None:
    """Give the first entry without a glob, else the first whose glob fits.

    Of recorded calls with this prompt, the first that was asked the same stands before others.
    """
    for entry in queue:
        if entry.glob is None:
            return entry
    first = next((entry for entry in queue if entry.fits(match_text)), None)
    if first is None or first.asked is None:
        return first
    from harnpy.llm.tape import asked_by

    asked = asked_by(request)
    return next((entry for entry in queue if entry.asked == asked and entry.fits(match_text)), first)


def _unhappy(entry: Entry, request: Request, delay: int) -> Answer:
    """Give the answer of an entry that holds no reply."""
    error = None
    if entry.fields.get("error") is not None:
        error = mock_error(entry.fields["error"], *request.error_place())
        more = {name: entry.received[name] for name in MORE_OF_ERRORS if name in entry.received}
        error = _error_of({**error.value, **more}, request, entry.received.get("used") or [])
    answer = Answer(delay, None, error)
    answer.chunks = entry.received.get("chunks")
    return answer


def _error_of(value: Dict, request: Request, used: list[Dict]) -> HarnError:
    """Give a recorded error, with what the replies that were no answers had used."""
    if not used:
        return HarnError(value)
    error = RefusedReply(value)
    for usage in used:
        incoming, outgoing, read, written = (count(usage.get(name)) for name in _COUNTS)
        reply = Reply(*request.error_place(), "", Tokens(incoming, outgoing, read, written))
        reply.before, error.reply = error.reply, reply
    return error


def _complete(reply: Reply | None, received: Dict) -> None:
    """Add what a recorded reply had besides the fields of an entry."""
    for name in MORE_OF_REPLIES:
        if name in received:
            setattr(reply, name, received[name])


def _record(request: Request) -> Dict:
    provider, model = request.error_place()
    record: Dict = {
        "messages": request.messages,
        "system": request.system,
        "tools": request.tools,
        "tool_choice": request.tool_choice,
        "output_format": request.output.description(),
        "thinking": request.thinking,
        "max_tokens": request.max_tokens,
        "prefill": request.prefill,
        "mock_scope": request.mock_scope,
        "timeout_ms": request.timeout_ms,
        "model": model,
        "provider": provider,
    }
    for key in ("provider_tools", "temperature", "top_p", "top_k", "stop", "seed", "api_mode"):
        record[key] = request.option(key)
    return record


def _reply(level: _Level, request: Request, fields: Dict, match_text: str) -> Reply:
    chunks = fields.get("stream_chunks") or []
    text = fields.get("text")
    provider = fields.get("provider") or "mock"
    model = fields.get("model") or request.route.model
    tokens = _tokens(level, request, fields, match_text)
    reply = Reply(provider, model, "".join(chunks) if text is None else text, tokens)
    reply.thinking = fields.get("thinking")
    reply.thinking_summary = fields.get("thinking_summary")
    reply.stop_reason = fields.get("stop_reason")
    reply.blocks = fields.get("blocks")
    reply.logprobs = fields.get("logprobs")
    reply.tool_calls = [
        tool_call(call.get("id") or f"mock_call_{number}", call["name"], call.get("arguments", call.get("args")) or {})
        for number, call in enumerate(fields.get("tool_calls") or [], 1)
    ]
    reply.tool_calls += read_tool_calls(fields.get("raw_tool_calls"))
    return reply


def _tokens(level: _Level, request: Request, fields: Dict, match_text: str) -> Tokens:
    usage = {**fields, **(fields.get("usage") or {})}

    def given(*names: str) -> int | None:
        return next((count(usage[name]) for name in names if usage.get(name) is not None), None)

    incoming = given("input_tokens", "prompt_tokens")
    outgoing = given("output_tokens", "completion_tokens")
    tokens = Tokens(
        len(match_text.encode("utf-8", "replace")) if incoming is None else incoming,
        30 if outgoing is None else outgoing,
        given("cache_read_tokens") or 0,
        given("cache_write_tokens", "cache_creation_input_tokens") or 0,
        given("total_tokens"),
        cached_inside=fields.get("provider") != "anthropic",
    )
    _simulate_cache(level, request, tokens)
    return tokens


def _simulate_cache(level: _Level, request: Request, tokens: Tokens) -> None:
    """With prompt caching on, a first call writes its input to the cache and a repeat reads it."""
    if not request.option("cache") or tokens.cache_read or tokens.cache_write:
        return
    key = repr((request.route.model, request.system, request.messages, request.mock_scope))
    if key in level.cache:
        tokens.cache_read = tokens.input
    else:
        level.cache.add(key)
        tokens.cache_write = tokens.input


def _check_recording(level: _Level, entry: Entry, request: Request) -> None:
    from harnpy.llm.tape import check

    try:
        check(entry, request, len(level.calls))
    except HarnError as error:
        level.diverged = error
        raise


def _unknown_prompt(level: _Level, match_text: str) -> HarnError:
    from harnpy.llm.tape import unknown_prompt

    error = unknown_prompt(level.queues.values(), match_text, len(level.calls))
    if any(entry.asked is not None for queue in level.queues.values() for entry in queue):
        level.diverged = error
    return error


def _default_answer(level: _Level, request: Request, texts: list[str], match_text: str) -> Answer:
    if level.from_file:
        raise _unknown_prompt(level, match_text)
    if level.strict:
        raise thrown_text(f"No llm_mock fixture matched prompt in a strict scope: {redact_start(match_text, 200)}")
    last = next((text for text in reversed(texts) if text.strip()), "")
    size = len(last.encode("utf-8", "replace"))
    callable_tools = [tool for tool in request.tools or [] if tool["function"]["name"] != _NEVER_CALLED]
    if callable_tools and request.tool_choice != "none":
        reply = Reply("mock", request.route.model, "", Tokens(size, 20))
        function = callable_tools[0]["function"]
        reply.tool_calls = [tool_call("mock_call_1", function["name"], _filled(function["parameters"]))]
        return Answer(0, reply, None)
    words = len(last.split())
    text = f"Mock response to {words}-word prompt: {last[:100]}" if last else "Mock LLM response"
    text = request.mock_text or text
    tokens = Tokens(size, 30)
    _simulate_cache(level, request, tokens)
    return Answer(0, Reply("mock", request.route.model, text, tokens), None)


def _filled(schema: Dict) -> Dict:
    """Give an empty value of the right type for every required argument."""
    properties = schema.get("properties") or {}
    arguments = {}
    for name in schema.get("required") or []:
        spec = properties.get(name)
        kind = spec.get("type") if type(spec) is dict else None
        arguments[name] = _EMPTY_VALUES.get(kind if type(kind) is str else "string", "")
    return arguments
