"""Builtins that belong to the language and are not built yet: they exist and say so when called."""

from __future__ import annotations

from harnpy.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ALL = """
    yaml_parse yaml_stringify blake3 jwt_sign jwt_verify signed_url verify_signed_url tar_create tar_extract
    zip_create zip_extract supervisor_start supervisor_state supervisor_events supervisor_metrics supervisor_stop
    sub_agent_run spawn_agent wait_agent send_input close_agent list_agents resume_agent workflow_execute
    http_session ask_user request_approval dual_control escalate_to hitl_pending sqlite_open
"""
_NAMES = frozenset(_ALL.split())

_PREFIXES = (
    "ed25519_",
    "x25519_",
    "cookie_",
    "gzip_",
    "zstd_",
    "brotli_",
    "multipart_",
    "http_stream_",
    "http_server",
    "http_session_",
    "sse_",
    "websocket_",
)


def is_reserved(name: str) -> bool:
    """Tell whether ``name`` is a builtin of the language that is not built."""
    return name in _NAMES or name.startswith(_PREFIXES)


def names() -> frozenset[str]:
    """Give the names of the builtins that are not built, beside those of whole families."""
    return _NAMES


def refusal(name: str) -> Callable[..., Any]:
    """Make the function that stands for the builtin ``name``."""

    def refuse(*args: Any) -> Any:
        raise runtime_error(f"{name}: not implemented in this version")

    return refuse
