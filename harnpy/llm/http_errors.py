"""Makes the error of a response that is no answer: failure status, error object, unreadable body (llm 9.4, 9.6)."""

from __future__ import annotations

from harnpy.events.redact import redact_start
from harnpy.llm.classify import ErrorBody, classify, error_body
from harnpy.llm.errors import category_of_reason, category_of_status, llm_error
from harnpy.llm.retry_after import retry_after_of
from harnpy.llm.usage import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request

_SUMMARY_LIMIT = 2048
_EXCERPT_LIMIT = 200
_TAGS = {"rate_limit": "rate_limited", "server_error": "http_error"}
_PHRASES = {
    400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Payload Too Large",
    415: "Unsupported Media Type", 418: "I'm a teapot", 422: "Unprocessable Entity", 429: "Too Many Requests",
    500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
    504: "Gateway Timeout",
}  # fmt: skip


def http_error(request: Request, status: int, headers: Mapping[str, str], text: str, now_ms: int) -> HarnError:
    """Make the error of a response whose status is not 2xx."""
    provider, model = request.error_place()
    error = error_body(text)
    reason = classify(status, error)
    head = " ".join(part for part in (provider, "HTTP", str(status), _PHRASES.get(status, "")) if part)
    message = f"{head} [{_TAGS.get(reason, reason)}]: {_summary(error)}"
    if 300 <= status < 400:
        message += "the server redirects elsewhere; redirects are not followed"
    if reason == "context_overflow":
        message += _offending_tokens(error)
    if headers.get("retry-after"):
        message += f" (retry-after: {headers['retry-after']})"
    return llm_error(
        reason,
        message,
        provider,
        model,
        category=category_of_status(status),
        status=status,
        retry_after_ms=retry_after_of(headers, now_ms),
        provider_quota=_quota(headers),
        help=_help(request, reason),
    )


def body_error(request: Request, error: ErrorBody, partial: str | None = None, phase: str | None = None) -> HarnError:
    """Make the error that arrives under status 200: in the body, or inside a stream (then with ``phase``)."""
    provider, model = request.error_place()
    status = error.code if type(error.code) is int and 400 <= error.code <= 599 else None
    reason = classify(status, error)
    tag = _TAGS.get(reason, reason)
    where = "stream error" if phase else "error"
    category = category_of_reason(reason) if status is None else category_of_status(status)
    return llm_error(
        reason,
        f"{provider} {where} [{tag}]: {_summary(error)}",
        provider,
        model,
        category=category,
        source="provider_stream" if phase else None,
        phase=phase,
        partial=partial or None,
        help=_help(request, reason),
    )


def unreadable(request: Request, status: int, content_type: str, body: str, cause: str) -> HarnError:
    """Make the error of a 2xx response whose body is not the provider's JSON."""
    provider, model = request.error_place()
    excerpt = redact_start(body, _EXCERPT_LIMIT)
    message = (
        f"{provider} HTTP {status} [invalid_response]: {cause} "
        f"(content type: {content_type or 'none'}); is the base URL right? The body begins: {excerpt}"
    )
    return llm_error("invalid_response", message, provider, model, status=status)


def _summary(error: ErrorBody) -> str:
    text = redact_start(error.message, _SUMMARY_LIMIT)
    return redact_start(text + error.details(), _SUMMARY_LIMIT + 256).strip()


def _help(request: Request, reason: str) -> str | None:
    """Say where the key comes from that the provider refused."""
    names = request.route.provider.key_env
    return f"check the key in {' or '.join(names)}" if names and reason == "auth_failure" else None


def _offending_tokens(error: ErrorBody) -> str:
    import re

    numbers = [int(digits) for digits in re.findall(r"\d{1,15}", error.message)]
    return f" (offending_tokens: {max(numbers)})" if numbers else ""


def _quota(headers: Mapping[str, str]) -> dict[str, Any] | None:
    limit, remaining = headers.get("x-ratelimit-limit-tokens"), headers.get("x-ratelimit-remaining-tokens")
    if limit is None or remaining is None:
        return None
    allowed = count(limit)
    return {
        "schema": "harn.llm.provider_token_quota.v1",
        "resource": "tokens",
        "limit": allowed,
        "used": max(0, allowed - count(remaining)),
        "window_ms": 60_000,
    }
