"""Makes the keys and passwords that stand in an environment known to the redaction, before a call uses one."""

from __future__ import annotations

from harnpy.events.redact import register_secret, register_url
from harnpy.llm.providers.table import PROVIDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def register_environment(env: Mapping[str, str]) -> None:
    """Let no key of a built-in provider come out, and no password of a base URL or a proxy."""
    for provider in PROVIDERS.values():
        for name in provider.key_env:
            register_secret(env.get(name, "").strip())
        register_url(env.get(provider.base_env, ""))
    for name in _PROXIES:
        register_url(env.get(name, ""))
