"""Builtins that belong to the language and are not built yet: they exist and say so when called."""

from __future__ import annotations

from harnpy.errors import runtime_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ALL = """
    yaml_parse yaml_stringify blake3 jwt_sign jwt_verify signed_url verify_signed_url tar_create tar_extract
    zip_create zip_extract supervisor_start supervisor_state supervisor_events supervisor_metrics
    supervisor_stop walk_dir glob runtime_paths path_workspace_info path_workspace_normalize platform arch hostname
    username pid is_stdin_tty is_stdout_tty is_stderr_tty http_download http_session egress_policy
    render_with_provenance tool_bind tool_ref tool_def runtime_context runtime_context_values runtime_context_get
    runtime_context_set runtime_context_clear trace_id mock_tty unmock_tty
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


def refusal(name: str) -> Callable[..., Any]:
    """Make the function that stands for the builtin ``name``."""

    def refuse(*args: Any) -> Any:
        raise runtime_error(f"{name}: not implemented in this version")

    return refuse
