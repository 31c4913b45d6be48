"""What a host may put in the place of a model provider or of the clock: small protocols and their adapters."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from harnpy.embedding_values import to_python
from harnpy.errors import HarnpyError
from harnpy.llm.errors import llm_error, timeout_error
from harnpy.llm.response import Reply, tool_call
from harnpy.llm.usage import Tokens, count
from harnpy.runtime.clock import MS, Clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from harnpy.llm.request import Request
    from harnpy.runtime.context import Context

# What a provider answers: a text, or a mapping with ``text``, ``tool_calls`` (each ``{name, arguments}``),
# ``thinking``, ``stop_reason``, ``input_tokens`` and ``output_tokens``, all optional.
ProviderReply = str | Mapping[str, Any]


class Provider(Protocol):
    """Answers model calls in the host. It runs on the event loop: an answer that takes time should be awaitable."""

    def __call__(self, request: dict[str, Any], /) -> ProviderReply | Awaitable[ProviderReply]:
        """Answer ``{provider, model, messages, system, tools, max_tokens}``; an exception fails the call."""


class HostClock(Protocol):
    """Tells the time of a run."""

    def time_ns(self) -> int:
        """Give the Unix time in nanoseconds."""

    def monotonic_ns(self) -> int:
        """Give nanoseconds that never go back. Waits last as long as this clock needs to reach their end."""


class AdaptedClock(Clock):
    """The clock of a run that reads a clock of the host."""

    __slots__ = ("_host",)

    def __init__(self, host: HostClock) -> None:
        super().__init__()
        self._host = host
        self._offset = -host.monotonic_ns()

    def ticks(self) -> int:
        """Give the nanoseconds since the run began, on the axis that never goes back."""
        return self._ticks if self.virtual else self._host.monotonic_ns() + self._offset

    def now_ms(self) -> int:
        """Give the Unix time in ms."""
        return self._wall_ms + self.monotonic_ms() if self.virtual else self._host.time_ns() // MS

    def timestamp(self) -> float:
        """Give the Unix time in seconds."""
        return self.now_ms() / 1000 if self.virtual else self._host.time_ns() / 1_000_000_000

    def unmock(self) -> None:
        """Go on with the time of the host."""
        if self.virtual:
            super().unmock()
            self._offset = self._ticks - self._host.monotonic_ns()


class HostCall:
    """One model call that a provider of the host answers."""

    def __init__(self, provider: Provider, request: Request) -> None:
        self._provider = provider
        self._request = request

    async def ask(self, _transport: object) -> tuple[Reply, int]:
        """Give the reply; no empty one came before it."""
        name, model = self._request.error_place()
        request = self._request
        asked = {
            "provider": name,
            "model": model,
            "messages": to_python(request.messages, _as_it_is),
            "system": request.system,
            "tools": to_python(request.tools, _as_it_is),
            "max_tokens": request.max_tokens,
        }
        try:
            answer: Any = self._provider(asked)
            if inspect.isawaitable(answer):
                answer = await asyncio.wait_for(answer, request.timeout_ms / 1000)
            return _reply(name, model, answer), 0
        except TimeoutError:
            raise timeout_error(name, model, "total", request.timeout_ms) from None
        except HarnpyError:
            raise
        except Exception as error:
            message = f"{name}: {type(error).__name__}: {error}"
            raise llm_error("unknown", message, name, model) from error

    async def stream(self, transport: object, on_text: Callable[[str], None]) -> Reply:
        """Give the reply, its text in one piece."""
        reply, _ = await self.ask(transport)
        if reply.text:
            on_text(reply.text)
        return reply


def install_provider(ctx: Context, name: str, provider: Provider) -> None:
    """Let ``provider`` answer the model calls of ``name`` in the runs of ``ctx``; ``name`` is its default model too."""
    from harnpy.capabilities.llm import llm_state

    state = llm_state(ctx)
    state.overlay(
        {
            "providers": {name: {"base_url": "http://host", "auth_style": "none"}},
            "provider_defaults": {name: {"runtime": name}},
        }
    )
    state.hosts[name] = lambda request: HostCall(provider, request)


def _as_it_is(value: Any) -> Any:
    return value


def _reply(provider: str, model: str, answer: Any) -> Reply:
    if isinstance(answer, str):
        answer = {"text": answer}
    if not isinstance(answer, Mapping):
        raise TypeError(f"a provider answers with a str or a mapping, not with a {type(answer).__name__}")
    known = "input_tokens" in answer or "output_tokens" in answer
    tokens = Tokens(count(answer.get("input_tokens", 0)), count(answer.get("output_tokens", 0)), known=known)
    reply = Reply(provider, model, str(answer.get("text") or ""), tokens)
    reply.thinking = answer.get("thinking")
    reply.stop_reason = answer.get("stop_reason")
    for number, call in enumerate(answer.get("tool_calls") or (), 1):
        reply.tool_calls.append(
            tool_call(call.get("id") or f"call_{number}", call["name"], call.get("arguments") or {})
        )
    return reply
