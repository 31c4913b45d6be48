"""``Ok``, ``Err`` and the helpers for results and errors (builtins 1.3)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import categorised, runtime_error
from harnpy.llm.errors import CATEGORIES
from harnpy.runtime.display import display
from harnpy.runtime.values import EnumValue, err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def make_ok(value: Any = None) -> EnumValue:
    """``Ok``: the value ``Result.Ok(value)``, for what succeeded."""
    return ok(value)


def make_err(value: Any = None) -> EnumValue:
    """``Err``: the value ``Result.Err(value)``, for what failed."""
    return err(value)


def _variant(value: Any) -> str | None:
    return value.variant if type(value) is EnumValue and value.type.name == "Result" else None


def _payload(result: EnumValue) -> Any:
    return result.fields[0] if result.fields else None


def is_ok(value: Any = None) -> bool:
    """Tell whether a value is an ``Ok``; false for what is no result."""
    return _variant(value) == "Ok"


def is_err(value: Any = None) -> bool:
    """Tell whether a value is an ``Err``; false for what is no result."""
    return _variant(value) == "Err"


def unwrap(value: Any = None) -> Any:
    """Give the payload of an ``Ok``; what is no result passes through. Errors: an ``Err`` throws."""
    variant = _variant(value)
    if variant == "Err":
        raise runtime_error(f"unwrap called on Err: {display(_payload(value))}")
    return _payload(value) if variant else value


def unwrap_or(value: Any = None, default: Any = None) -> Any:
    """Give the payload of an ``Ok``, the default for an ``Err``; what is no result passes through."""
    variant = _variant(value)
    if variant == "Err":
        return default
    return _payload(value) if variant else value


def unwrap_err(value: Any = None) -> Any:
    """Give the payload of an ``Err``. Errors: anything else throws."""
    if _variant(value) != "Err":
        raise runtime_error("unwrap_err called on non-Err")
    return _payload(value)


def throw_error(message: Any = "", category: Any = None) -> None:
    """Throw ``{message, category}``; an unknown or missing category becomes ``generic``."""
    known = type(category) is str and category in CATEGORIES
    raise categorised(category if known else "generic", text(message))


def error_category(error: Any = None) -> str:
    """Give the category of an error: of a dict its ``category``, of a text what it tells, such as ``timeout``; else
    ``generic``.
    """
    if type(error) is dict:
        return text(error["category"]) if "category" in error else "generic"
    return classify(error) if type(error) is str else "generic"


def is_timeout(error: Any = None) -> bool:
    """Tell whether an error is of the category ``timeout``."""
    return error_category(error) == "timeout"


def is_rate_limited(error: Any = None) -> bool:
    """Tell whether an error is of the category ``rate_limit``."""
    return error_category(error) == "rate_limit"


_STATUS = {
    "401": "auth",
    "403": "auth",
    "404": "not_found",
    "408": "timeout",
    "410": "not_found",
    "429": "rate_limit",
    "500": "server_error",
    "502": "server_error",
    "503": "overloaded",
    "504": "timeout",
    "522": "timeout",
    "524": "timeout",
    "529": "overloaded",
}

_WORDS = (
    ("Deadline exceeded", "timeout"),
    ("context deadline exceeded", "timeout"),
    ("overloaded_error", "overloaded"),
    ("api_error", "server_error"),
    ("insufficient_quota", "rate_limit"),
    ("billing_hard_limit_reached", "rate_limit"),
    ("invalid_api_key", "auth"),
    ("authentication_error", "auth"),
    ("not_found_error", "not_found"),
    ("model_not_found", "not_found"),
    ("circuit_open", "circuit_open"),
    ("Undefined builtin", "internal"),
    ("kind:cancelled:VM cancelled by host", "cancelled"),
)

_NETWORK = (
    "connection reset",
    "connection refused",
    "connection closed",
    "broken pipe",
    "dns error",
    "stream error",
    "unexpected eof",
)


def classify(message: str) -> str:
    """Give the category that the text of an error speaks of; the first hit wins."""
    status = _first_status(message)
    if status is not None:
        return status
    for words, category in _WORDS:
        if words in message:
            return category
    lowered = message.lower()
    for words in _NETWORK:
        if words in lowered:
            return "transient_network"
    return "generic"


def _first_status(message: str) -> str | None:
    """Find the first mapped HTTP status that stands as a number of its own."""
    hits = []
    for code, category in _STATUS.items():
        at = message.find(code)
        while at >= 0 and not _standalone(message, at):
            at = message.find(code, at + 1)
        if at >= 0:
            hits.append((at, category))
    return min(hits)[1] if hits else None


def _standalone(message: str, at: int) -> bool:
    before, after = message[max(at - 1, 0) : at], message[at + 3 : at + 4]
    return not (before.isalnum() or before == "_" or after.isalnum() or after == "_")
