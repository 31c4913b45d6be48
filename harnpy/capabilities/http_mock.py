"""Faked HTTP answers and the requests that they got (builtins 1.16)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import type_error
from harnpy.events.redact import redact
from harnpy.llm.glob import fits
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_MOCKS = "http_mocks"
_CALLS = "http_mock_calls"


class Mock:
    """The answers for the requests whose method and URL fit; the last answer repeats."""

    def __init__(self, method: str, pattern: str, answers: list[dict[str, Any]]) -> None:
        self._method = method
        self._pattern = pattern
        self._answers = answers

    def fits(self, method: str, url: str) -> bool:
        """Tell whether this mock answers the request."""
        return self._method in ("*", method) and fits(self._pattern, url)

    def answer(self) -> dict[str, Any]:
        """Give the next answer."""
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def http_mock(ctx: Context, method: Any = None, pattern: Any = None, response: Any = None) -> None:
    """Answer requests of a method whose URL fits a pattern; the newest fitting mock wins, and nothing is sent.

    ``method`` may be ``*``, and ``*`` in the pattern stands for any text. ``response`` is ``{status, headers,
    body}``, or ``{responses: [...]}``: one after the other, the last one again and again.
    """
    for number, value in ((1, method), (2, pattern)):
        if type(value) is not str:
            raise type_error(f"http_mock expects string argument {number}, got {type_of(value)}")
    given = {} if response is None else response
    if type(given) is not dict:
        raise type_error(f"http_mock expects dict argument 3, got {type_of(response)}")
    listed = given.get("responses")
    answers = listed if type(listed) is list and listed else [given]
    for answer in answers:
        if type(answer) is not dict:
            raise type_error(f"http_mock: a response must be a dict, got {type_of(answer)}")
    ctx.services.setdefault(_MOCKS, []).insert(0, Mock(method.upper(), pattern, list(answers)))


def http_mock_clear(ctx: Context) -> None:
    """Forget mocks and recorded requests."""
    ctx.services.pop(_MOCKS, None)
    ctx.services.pop(_CALLS, None)


def http_mock_calls(ctx: Context, options: Any = None) -> list[dict[str, Any]]:
    """Give the requests that mocks answered: ``{method, url, headers, body}``.

    Secrets are left out. Options: ``redact_sensitive`` (true), or ``include_sensitive`` (false).
    """
    settings = options if type(options) is dict else {}
    calls: list[dict[str, Any]] = ctx.services.get(_CALLS, [])
    if settings.get("redact_sensitive") is False or settings.get("include_sensitive") is True:
        return list(calls)
    return [redact(call) for call in calls]


def mocked(ctx: Context, method: str, url: str, headers: dict[str, str], body: bytes) -> dict[str, Any] | None:
    """Give the faked answer to a request, which is recorded; ``None`` when no mock fits."""
    for mock in ctx.services.get(_MOCKS, ()):
        if mock.fits(method, url):
            record = {"method": method, "url": url, "headers": headers, "body": body.decode("utf-8", "replace")}
            ctx.services.setdefault(_CALLS, []).append(record)
            found: dict[str, Any] = mock.answer()
            return found
    return None


def status_of(answer: dict[str, Any]) -> int:
    """Give the status of a faked answer."""
    status = answer.get("status")
    return status if type(status) is int else 200


def headers_of(answer: dict[str, Any]) -> dict[str, str]:
    """Give the headers of a faked answer, their names lower-case."""
    headers = answer.get("headers")
    return {name.lower(): text(value) for name, value in headers.items()} if type(headers) is dict else {}


def body_of(answer: dict[str, Any]) -> bytes:
    """Give the body of a faked answer; a dict or list is JSON."""
    body = answer.get("body")
    if type(body) in (dict, list):
        from harnpy.builtins.json_writing import compact_json

        return compact_json(body).encode("utf-8")
    return body if type(body) is bytes else ("" if body is None else text(body)).encode("utf-8", "replace")
