"""The error dict of a failed model call: kinds, reasons, categories and how they follow from each other (llm 9)."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.events.redact import redact
from harnpy.llm.json_values import mended_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.response import Reply

TRANSIENT, TERMINAL = "transient", "terminal"

# All categories of the language (language 9.4).
CATEGORIES = frozenset(
    """
    timeout auth invalid_request rate_limit overloaded server_error transient_network resource_busy
    schema_incompatible schema_validation schema_stream_aborted tool_error tool_rejected egress_blocked
    cancelled channel_closed not_found circuit_open budget_exceeded internal environment generic
    """.split()
)

TRANSIENT_REASONS = frozenset(("rate_limit", "server_error", "network_error", "timeout", "empty_generation"))

REASON_OF_CATEGORY = {
    "auth": "auth_failure",
    "budget_exceeded": "budget_exceeded",
    "invalid_request": "invalid_request",
    "not_found": "model_unavailable",
    "overloaded": "server_error",
    "rate_limit": "rate_limit",
    "server_error": "server_error",
    "timeout": "timeout",
    "transient_network": "network_error",
}

CATEGORY_OF_REASON = {
    "auth_failure": "auth",
    "budget_exceeded": "budget_exceeded",
    "context_overflow": "invalid_request",
    "insufficient_quota": "rate_limit",
    "invalid_request": "invalid_request",
    "model_unavailable": "not_found",
    "network_error": "transient_network",
    "rate_limit": "rate_limit",
    "server_error": "server_error",
    "timeout": "timeout",
    # words of other vocabularies that a mock entry may use
    "provider_5xx": "server_error",
    "provider_error": "server_error",
    "transient_network": "transient_network",
    "upstream_unavailable": "server_error",
}

_CATEGORY_OF_STATUS = {
    400: "invalid_request",
    401: "auth",
    403: "auth",
    404: "not_found",
    408: "timeout",
    410: "not_found",
    429: "rate_limit",
    500: "server_error",
    502: "server_error",
    503: "overloaded",
    504: "timeout",
    522: "timeout",
    524: "timeout",
    529: "overloaded",
}

TERMINAL_REASONS = frozenset(
    """
    auth_failure context_overflow insufficient_quota content_policy invalid_request invalid_response model_unavailable
    output_budget_exhausted unknown budget_exceeded
    """.split()
)
REASONS = TRANSIENT_REASONS | TERMINAL_REASONS


def category_of_status(status: int) -> str:
    """Give the category of an HTTP status."""
    return _CATEGORY_OF_STATUS.get(status, "generic")


def category_of_reason(reason: str) -> str:
    """Give the category of an error that has no HTTP status."""
    return CATEGORY_OF_REASON.get(reason, "generic")


def reason_of_category(category: str) -> str:
    """Give the reason of an error of which only the category is known."""
    return REASON_OF_CATEGORY.get(category, "unknown")


def kind_of_reason(reason: str) -> str:
    """Give the kind that belongs to a reason."""
    return TRANSIENT if reason in TRANSIENT_REASONS else TERMINAL


def llm_error(reason: str, message: str, provider: str, model: str, **fields: Any) -> HarnError:
    """Make the error of a failed call; ``fields`` add to or replace the parts that follow from ``reason``."""
    value = {
        "kind": kind_of_reason(reason),
        "reason": reason,
        "category": category_of_reason(reason),
        "message": message,
        "origin": "provider",
        "provider": provider,
        "model": model,
    }
    value.update((key, field) for key, field in fields.items() if field is not None)
    return HarnError(redact(mended_inside(value)))


class RefusedReply(HarnError):
    """The error of a reply that came, and is no answer; ``reply`` is what was paid for."""

    reply: Reply | None = None


def refused(reply: Reply, reason: str, message: str, provider: str, model: str) -> RefusedReply:
    """Make the error of a reply that is no answer."""
    error = RefusedReply(llm_error(reason, message, provider, model).value)
    error.reply = reply
    return error


def local_error(reason: str, message: str, provider: str, model: str, **fields: Any) -> HarnError:
    """Make the error of a call that was refused before anything was sent."""
    return llm_error(reason, message, provider, model, origin="local", **fields)


def timeout_error(provider: str, model: str, deadline: str, limit_ms: int, **fields: Any) -> HarnError:
    """Make the error of a passed deadline: ``total``, ``first_chunk`` or ``idle``."""
    words = {"total": "no complete answer", "first_chunk": "no first chunk", "idle": "no further chunk"}[deadline]
    message = f"{provider} request [timeout]: {words} within {limit_ms} ms"
    return llm_error("timeout", message, provider, model, deadline=deadline, **fields)


def network_error(provider: str, model: str, detail: str, **fields: Any) -> HarnError:
    """Make the error of a connection that failed, broke or ended early."""
    return llm_error("network_error", f"{provider} connection [network_error]: {detail}", provider, model, **fields)


def error_with(error: HarnError, **defaults: Any) -> HarnError:
    """Give an error whose dict has ``defaults`` where it says nothing itself."""
    if type(error.value) is not dict:
        return error
    return HarnError({**defaults, **error.value}, thrown=error.thrown)
