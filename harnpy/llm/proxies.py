"""Finds the proxy of a URL in the environment; loopback hosts are never proxied (llm 8.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LOOPBACK = ("localhost", "::1", "0:0:0:0:0:0:0:1")


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine."""
    name = host.strip("[]").rstrip(".").lower()
    return name in _LOOPBACK or name.endswith(".localhost") or name.startswith("127.")


def _bypassed(host: str, port: int, no_proxy: str) -> bool:
    for raw in no_proxy.split(","):
        entry = raw.strip().lower()
        if entry == "*":
            return True
        name, colon, wanted = entry.rpartition(":")
        if colon and wanted.isdigit():
            if int(wanted) != port:
                continue
            entry = name
        # Entries with blanks, slashes or inner wildcards match no host name, and so are ignored.
        entry = entry.removeprefix("*").removeprefix(".")
        if entry and (host == entry or host.endswith("." + entry)):
            return True
    return False


def proxy_for(scheme: str, host: str, port: int, env: Mapping[str, str]) -> str | None:
    """Give the proxy URL for a request, or ``None`` for a direct connection."""

    def variable(name: str) -> str:
        return (env.get(name.lower()) or env.get(name.upper()) or "").strip()

    proxy = variable(f"{scheme}_proxy") or variable("all_proxy")
    if not proxy or is_loopback(host) or _bypassed(host.lower(), port, variable("no_proxy")):
        return None
    return proxy if "://" in proxy else "http://" + proxy
