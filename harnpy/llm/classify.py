"""Reads what a provider says about a failure: the error's own fields, and the reason they amount to (llm 9.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OVERFLOW = (
    "maximum context length", "context length", "context_length_exceeded", "context window",
    "prompt is too long", "input is too long", "input too long", "prompt_tokens_exceeded", "exceeds the maximum",
)  # fmt: skip
_OVERFLOW_PAIRS = (("context", "exceed"), ("max_tokens", "exceed"))
_SOFT_OVERFLOW = (
    "token limit", "token count", "too many tokens", "request too large", "reduce the length", "please reduce",
)  # fmt: skip
_LENGTH_WORDS = ("token", "length", "message")
_THROTTLE = (
    "per minute", "per day", "quota", "rate limit", "rate_limit", "tpm", "rpm", "retry after", "try again in",
)  # fmt: skip
_POLICY = (
    "content_policy", "content policy", "content_filter", "content filtering", "safety policy", "moderation",
    "responsible_ai_policy", "blocked by policy",
)  # fmt: skip
_AUTH = ("invalid_api_key", "authentication_error", "auth_failure", "unauthorized", "forbidden")
_QUOTA = ("insufficient_quota", "billing_hard_limit_reached")
_NO_MODEL = (
    "model_not_found", "not_found_error", "model unavailable", "model is unavailable", "model not found",
    "model_not_available", "non-serverless model", "is not a valid model id", "invalid model id",
)  # fmt: skip
_BAD_OUTPUT = ("grammar", "generated output", "generated json", "failed to generate json", "output format")
_SERVER = (
    "internal_server_error", "server_error", "upstream_error", "overloaded_error", "service unavailable",
    "bad gateway", "api_error",
)  # fmt: skip
_GENERIC_CODES = frozenset(
    ("invalid_request_error", "invalid_request", "bad_request", "invalid_argument", "invalid_value")
)
_MOST_FAULTS = 20
_TIMEOUT_STATUS = (408, 504, 522, 524)


class ErrorBody:
    """The error's own fields, as far as the body has them; texts are ``""`` when absent."""

    __slots__ = ("code", "message", "request_id", "status", "type")

    def __init__(
        self, message: str = "", kind: str = "", code: Any = "", status: str = "", request_id: str = ""
    ) -> None:
        self.message = message
        self.type = kind
        self.code = code
        self.status = status
        self.request_id = request_id

    def words(self) -> str:
        """Give everything that may be searched, lower-cased."""
        return " ".join((self.message, str(self.code), self.type, self.status)).lower()

    def details(self) -> str:
        """Give the parts behind the message: `` (type: ..., code: ...)``, or ``""``."""
        parts = (("type", self.type), ("code", self.code), ("status", self.status), ("request_id", self.request_id))
        shown = ", ".join(f"{name}: {value}" for name, value in parts if value not in ("", None))
        return f" ({shown})" if shown else ""


def _text(value: Any) -> str:
    return value if type(value) is str else ""


def _code(value: Any) -> str | int:
    return value if type(value) in (str, int) else ""


def read_error(data: Any) -> ErrorBody | None:
    """Find the error in parsed JSON: the forms of all known servers; ``None`` when there is none."""
    if type(data) is list and data:
        data = data[0]
    if type(data) is not dict:
        return None
    error = data.get("error")
    request_id = _text(data.get("request_id"))
    if type(error) is str:
        return ErrorBody(error, code=_code(data.get("code")), request_id=request_id)
    if type(error) is dict:
        return ErrorBody(
            _text(error.get("message")) or _text(error.get("detail")),
            _text(error.get("type")),
            _code(error.get("code")),
            _text(error.get("status")),
            request_id,
        )
    for key in ("detail", "message", "error", "errors"):
        text = _text_in(data.get(key))
        if text:
            return ErrorBody(text, _text(data.get("type")), _code(data.get("code")), request_id=request_id)
    return None


def _text_in(value: Any) -> str:
    """Give the text of a message, of the fault that holds it, or of several of these: validators send lists."""
    if type(value) is list:
        return "; ".join(text for text in map(_text_in, value[:_MOST_FAULTS]) if text)
    if type(value) is dict:
        return next((value[key] for key in ("message", "msg", "detail") if type(value.get(key)) is str), "")
    return _text(value)


def error_body(text: str) -> ErrorBody:
    """Read the body of a failed request; what is not JSON counts as its message."""
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorBody(text.strip())
    return read_error(data) or ErrorBody()


def _any(phrases: tuple[str, ...], words: str) -> bool:
    return any(phrase in words for phrase in phrases)


def _is_overflow(words: str) -> bool:
    if _any(_OVERFLOW, words) or any(a in words and b in words for a, b in _OVERFLOW_PAIRS):
        return True
    soft = _any(_SOFT_OVERFLOW, words) or ("token" in words and "exceed" in words)
    return soft and _any(_LENGTH_WORDS, words) and not _any(_THROTTLE, words)


def _specific_code(status: int | None, error: ErrorBody) -> str | None:
    """Give the code of a 400 that says more than its prose."""
    code = error.code
    if status != 400 or type(code) is not str or not code:
        return None
    lowered = code.lower()
    return None if lowered.isdigit() or lowered in _GENERIC_CODES else lowered


def classify(status: int | None, error: ErrorBody) -> str:
    """Give the reason of a failure: the first rule that fits status and words."""
    words = error.words()
    first = _specific_code(status, error) or words
    if _is_overflow(first):
        return "context_overflow"
    if _any(_POLICY, first):
        return "content_policy"
    if _any(_AUTH, words) or status in (401, 403):
        return "auth_failure"
    if error.code in _QUOTA or error.type in _QUOTA:
        return "insufficient_quota"
    if status == 429 or "rate_limit" in words:
        return "rate_limit"
    if status in _TIMEOUT_STATUS or "timeout" in words:
        return "timeout"
    return _classify_rest(status, words)


def _classify_rest(status: int | None, words: str) -> str:
    if _any(_NO_MODEL, words) or status in (404, 410):
        return "model_unavailable"
    if status == 500 and _any(_BAD_OUTPUT, words):
        return "invalid_response"
    if status in (500, 502, 503, 529) or _any(_SERVER, words):
        return "server_error"
    if status == 400 or "invalid_request" in words or "bad request" in words:
        return "invalid_request"
    return "unknown"
