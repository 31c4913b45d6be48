"""Which hosts a script may reach: rules that it sets for itself (builtins 1.16)."""

from __future__ import annotations

from harnpy.errors import categorised, type_error
from harnpy.events.redact import redact_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_RULES = "egress"


def egress_policy(ctx: Context, rules: Any = None) -> None:
    """Allow only the hosts in ``allow`` and none of those in ``deny``; ``*.name`` stands for all hosts below a name.

    Rules add up: what one of them blocks stays blocked.
    Errors: a blocked request throws ``{type: "EgressBlocked", category: "egress_blocked", host, port, reason,
    url}``.
    """
    if type(rules) is not dict:
        raise type_error(f"HarnessNet.egress_policy expects dict argument 1, got {type_of(rules)}")
    for key in ("allow", "deny"):
        hosts = rules.get(key)
        if hosts is not None and (type(hosts) is not list or not all(type(host) is str for host in hosts)):
            raise type_error(f"HarnessNet.egress_policy: `{key}` must be a list of strings")
    ctx.services[_RULES] = (*ctx.services.get(_RULES, ()), (rules.get("allow"), rules.get("deny") or []))


def _fits(host: str, pattern: str) -> bool:
    wanted = pattern.lower()
    return wanted in ("*", host) or (wanted.startswith("*.") and host.endswith(wanted[1:]))


def check_egress(ctx: Context, url: str, host: str | None, port: int | None) -> None:
    """Refuse a request to a host that the rules block."""
    name = (host or "").lower().rstrip(".")
    for allow, deny in ctx.services.get(_RULES, ()):
        if any(_fits(name, pattern) for pattern in deny):
            raise _blocked(url, name, port, "the host is denied")
        if allow is not None and not any(_fits(name, pattern) for pattern in allow):
            raise _blocked(url, name, port, "the host is not on the list of allowed ones")


def _blocked(url: str, host: str, port: int | None, reason: str) -> Exception:
    shown = redact_text(url.partition("?")[0])
    message = f"EgressBlocked: {host}: {reason}"
    return categorised("egress_blocked", message, type="EgressBlocked", host=host, port=port, reason=reason, url=shown)
