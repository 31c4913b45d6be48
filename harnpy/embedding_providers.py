"""Model providers of a host: functions that answer model calls, and their adapter to the LLM layer."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Awaitable, Mapping, Sequence
from typing import Any, Protocol

from harnpy.embedding_checks import check_category
from harnpy.embedding_values import to_harn, to_python
from harnpy.errors import HarnpyError
from harnpy.llm.errors import llm_error, reason_of_category, timeout_error
from harnpy.llm.response import Reply, tool_call
from harnpy.llm.usage import Tokens, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.llm.request import Request
    from harnpy.llm.transport import Transport
    from harnpy.runtime.context import Context

# What a provider answers: a text, or a mapping with the fields below, all optional.
ProviderReply = str | Mapping[str, Any]
_FIELDS = ("input_tokens", "output_tokens", "stop_reason", "text", "thinking", "tool_calls")
# Options that a request has elsewhere.
_TOLD = frozenset(
    ("max_tokens", "messages", "model", "output", "provider", "system", "timeout_ms", "tool_choice", "tools")
)


class Provider(Protocol):
    """Answers model calls in the host. It runs on the event loop: an answer that takes time should be awaitable.

    An asynchronous generator streams: it yields pieces of the text, and last, if there is more to say, a mapping.
    """

    def __call__(
        self, request: dict[str, Any], /
    ) -> ProviderReply | Awaitable[ProviderReply] | AsyncIterable[ProviderReply]:
        """Answer a request.

        It has ``provider``, ``model``, ``messages``, ``system``, ``tools``, ``tool_choice``, ``schema``,
        ``max_tokens``, ``timeout_ms`` and ``options`` (the others of the call). A reply has ``text``, ``tool_calls``
        (each ``{name, arguments, id?}``), ``thinking``, ``stop_reason``, ``input_tokens`` and ``output_tokens``.

        Raises:
            ProviderError: The call failed, and the program is to know how.
        """


class ProviderError(Exception):
    """A provider of the host failed in a way that programs can tell apart and retry."""

    def __init__(
        self, category: str, message: str, *, status: int | None = None, retry_after_ms: int | None = None
    ) -> None:
        """Make an error of a category such as ``rate_limit``, ``overloaded``, ``timeout``, ``auth`` or ``not_found``.

        Raises:
            ValueError: There is no such category.
        """
        check_category(category)
        super().__init__(message)
        self.category = category
        self.status = status
        self.retry_after_ms = retry_after_ms


class HostCall:
    """One model call that a provider of the host answers."""

    def __init__(self, provider: Provider, request: Request) -> None:
        self._provider = provider
        self._request = request
        self._began: int | None = None

    def begin(self, ticks: int) -> None:
        """Let the deadline of the call count from ``ticks`` on the clock of the run."""
        self._began = ticks

    async def ask(self, transport: Transport) -> tuple[Reply, int]:
        """Give the reply; no empty one came before it."""
        return await self.stream(transport, _unheard), 0

    async def stream(self, transport: Transport, on_text: Callable[[str], None]) -> Reply:
        """Give the reply; its text goes to ``on_text`` in the pieces in which it comes."""
        name, model = self._request.error_place()
        limit = transport.deadlines.limit(self._request.timeout_ms, self._began)
        try:
            async with limit:
                return _reply(name, model, await self._answer(on_text))
        except HarnpyError:
            raise
        except ProviderError as error:
            reason = reason_of_category(error.category)
            fields = {"category": error.category, "status": error.status, "retry_after_ms": error.retry_after_ms}
            raise llm_error(reason, f"{name}: {error}", name, model, **fields) from error
        except TimeoutError as error:
            if limit.passed():
                raise timeout_error(name, model, "total", self._request.timeout_ms) from None
            raise _failure("timeout", error, name, model) from error
        except ConnectionError as error:
            raise _failure("network_error", error, name, model) from error
        except Exception as error:
            raise _failure("unknown", error, name, model) from error

    async def _answer(self, on_text: Callable[[str], None]) -> Mapping[str, Any]:
        answer: Any = self._provider(_asked(self._request))
        if inspect.isawaitable(answer):
            answer = await answer
        if isinstance(answer, AsyncIterable):
            return await _streamed(answer, on_text)
        whole = _mapping(answer)
        if whole.get("text"):
            on_text(whole["text"])
        return whole


async def _streamed(pieces: AsyncIterable[Any], on_text: Callable[[str], None]) -> Mapping[str, Any]:
    """Collect what a provider yields; whatever happens, its clean-up runs now and not when it is collected."""
    texts: list[str] = []
    rest: Mapping[str, Any] = {}
    try:
        async for piece in pieces:
            if rest:
                raise TypeError("a provider yields pieces of text, and the dict comes last")
            if isinstance(piece, str):
                texts.append(piece)
                on_text(piece)
            else:
                rest = _mapping(piece)
    finally:
        if inspect.isasyncgen(pieces):
            await pieces.aclose()
    if rest.get("text") and not texts:
        on_text(rest["text"])
    return {**rest, "text": "".join(texts)} if texts else rest


def install_provider(ctx: Context, name: str, provider: Provider) -> None:
    """Let ``provider`` answer the model calls of ``name`` in the runs of ``ctx``; ``name`` is its default model too."""
    from harnpy.capabilities.llm import llm_state

    if not callable(provider):
        raise TypeError(f"the provider {name!r} is to be callable, not a {type(provider).__name__}")
    state = llm_state(ctx)
    state.overlay(
        {
            "providers": {name: {"base_url": "http://host", "auth_style": "none"}},
            "provider_defaults": {name: {"runtime": name}},
            # A host gets tools as data and answers with calls as data.
            "provider": {name: [{"match": "*", "native_tools": True, "preferred_tool_format": "native"}]},
        }
    )
    state.hosts[name] = lambda request: HostCall(provider, request)


def _asked(request: Request) -> dict[str, Any]:
    provider, model = request.error_place()
    asked = {
        "messages": request.messages,
        "tools": request.tools or [],
        "tool_choice": request.tool_choice,
        "schema": None if request.output.in_prompt else request.output.schema,
        "options": {key: value for key, value in request.options.items() if key not in _TOLD and _is_data(value)},
    }
    values: dict[str, Any] = to_python(asked, _as_it_is)
    return {
        "provider": provider,
        "model": model,
        "system": request.system,
        "max_tokens": request.max_tokens,
        "timeout_ms": request.timeout_ms,
        **values,
    }


def _is_data(value: Any) -> bool:
    """Tell whether a value is data through and through: handlers and policies are nothing for a provider."""
    if type(value) is list:
        return all(map(_is_data, value))
    if type(value) is dict:
        return all(map(_is_data, value.values()))
    return value is None or type(value) in (bool, int, float, str)


def _as_it_is(value: Any) -> Any:
    return value


def _no_callables(value: Any) -> Any:
    raise TypeError("functions cannot stand in the reply of a provider")


def _unheard(text: str) -> None:
    pass


def _failure(reason: str, error: Exception, provider: str, model: str) -> HarnpyError:
    kind = type(error).__name__
    text = f"{provider}: {kind}: {error}" if str(error) else f"{provider}: {kind}"
    return llm_error(reason, text, provider, model)


def _mapping(answer: Any) -> Mapping[str, Any]:
    """Check the form of an answer."""
    if isinstance(answer, str):
        return {"text": answer}
    if not isinstance(answer, Mapping):
        raise TypeError(f"a provider answers with a str or a mapping, not with a {type(answer).__name__}")
    unknown = sorted(str(key) for key in answer if key not in _FIELDS)
    if unknown:
        raise TypeError(f"a reply of a provider has {', '.join(_FIELDS)}, but no {unknown[0]}")
    for field in ("text", "thinking", "stop_reason"):
        if not isinstance(answer.get(field), str | None):
            raise TypeError(f"`{field}` of a reply is a text, not a {type(answer[field]).__name__}")
    for field in ("input_tokens", "output_tokens"):
        number = answer.get(field)
        if number is not None and (type(number) is not int or number < 0):
            raise TypeError(f"`{field}` of a reply is a whole number from 0 on, not {number!r}")
    calls = answer.get("tool_calls")
    if not isinstance(calls, Sequence | None) or isinstance(calls, str):
        raise TypeError(f"`tool_calls` of a reply is a list, not a {type(calls).__name__}")
    return answer


def _reply(provider: str, model: str, answer: Mapping[str, Any]) -> Reply:
    known = answer.get("input_tokens") is not None or answer.get("output_tokens") is not None
    tokens = Tokens(count(answer.get("input_tokens", 0)), count(answer.get("output_tokens", 0)), known=known)
    reply = Reply(provider, model, answer.get("text") or "", tokens)
    reply.thinking = answer.get("thinking")
    reply.stop_reason = answer.get("stop_reason")
    for number, call in enumerate(answer.get("tool_calls") or (), 1):
        if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
            raise TypeError("each of `tool_calls` is a mapping with `name` and `arguments`")
        arguments = to_harn(call.get("arguments") or {}, _no_callables)
        if type(arguments) is not dict:
            raise TypeError(f"`arguments` of the call of {call['name']} are a mapping")
        reply.tool_calls.append(tool_call(str(call.get("id") or f"call_{number}"), call["name"], arguments))
    return reply
