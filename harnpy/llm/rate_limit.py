"""Rate limits of providers and models: a sliding window of 60 seconds on the clock of the run (llm 8.4)."""

from __future__ import annotations

from _thread import allocate_lock

from harnpy.errors import thrown_text
from harnpy.llm.catalog import built_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from harnpy.llm.catalog import Catalog

    Limits = dict[str, int]

WINDOW_MS = 60_000
_NONE: Limits = {"rpm": 0, "tpm": 0}


class _Window:
    """The calls that were let through or have a time to start at."""

    __slots__ = ("reserved",)

    def __init__(self) -> None:
        self.reserved: list[tuple[int, int]] = []  # (start in ms, tokens), in arrival order

    def earliest(self, now: int, tokens: int, limits: Limits) -> int:
        """Give the time at which a call may start."""
        rpm, tpm = limits["rpm"], limits["tpm"]
        start = max(now, self.reserved[-1][0]) if self.reserved else now
        while True:
            inside = [entry for entry in self.reserved if entry[0] > start - WINDOW_MS]
            crowded = (rpm and len(inside) >= rpm) or (tpm and sum(t for _, t in inside) + tokens > tpm)
            if not inside or not crowded:
                return start
            start = inside[0][0] + WINDOW_MS

    def add(self, now: int, start: int, tokens: int) -> None:
        """Count a call from its start on."""
        self.reserved = [entry for entry in self.reserved if entry[0] > now - WINDOW_MS]
        self.reserved.append((start, tokens))


class Windows:
    """The windows of providers and models; runs that share them take turns."""

    __slots__ = ("by_name", "lock")

    def __init__(self) -> None:
        self.by_name: dict[str, _Window] = {}
        self.lock = allocate_lock()


class RateLimits:
    """The limits of one run: those that the script sets, those of the environment, those of the catalog."""

    def __init__(self, env: Mapping[str, str], catalog: Callable[[], Catalog] = built_in) -> None:
        self._env = env
        self._catalog = catalog
        self._own: dict[str, Limits] = {}
        self.windows = Windows()

    def set(self, provider: str, limits: Limits) -> None:
        """Set requests (``rpm``) and tokens (``tpm``) per minute; 0 is no limit."""
        self._own[provider] = {**self.of(provider), **limits}

    def of(self, provider: str) -> Limits:
        """Give ``{rpm, tpm}`` of a provider; 0 is no limit."""
        own = self._own.get(provider)
        if own is not None:
            return own
        name = "HARN_RATE_LIMIT_" + provider.upper()
        requests = self._env.get(name) or self._env.get(name + "_RPM")
        usual: int = self._catalog().provider_rows.get(provider, {}).get("rpm", 0)
        return {
            "rpm": usual if requests is None else _whole(name, requests),
            "tpm": _whole(name + "_TPM", self._env.get(name + "_TPM")),
        }

    def _of_model(self, provider: str, model: str) -> Limits:
        row = self._catalog().model(model) or {}
        return {**_NONE, **(row.get("rate_limits", {}) if row.get("provider") == provider else {})}

    def reserve(self, provider: str, now: int, tokens: int, model: str = "") -> int:
        """Give how many ms a call must wait; calls start in the order of their arrival."""
        parts = ((provider, self.of(provider)), (f"{provider}:{model}", self._of_model(provider, model)))
        windows = self.windows
        with windows.lock:
            limited = [(windows.by_name.setdefault(name, _Window()), own) for name, own in parts if own != _NONE]
            start, before = now, -1
            while start != before:
                before = start
                for window, limits in limited:
                    start = window.earliest(start, tokens, limits)
            for window, _ in limited:
                window.add(now, start, tokens)
        return start - now

    def details(self, provider: str, now: int) -> dict[str, Any]:
        """Describe the limits of a provider and what its window holds."""
        window = self.windows.by_name.get(provider)
        inside = [entry for entry in window.reserved if entry[0] > now - WINDOW_MS] if window else []
        used = {"used_requests": len(inside), "used_tokens": sum(tokens for _, tokens in inside)}
        return {"provider": provider, **self.of(provider), **used, "window_ms": WINDOW_MS}


def _whole(name: str, text: str | None) -> int:
    value = (text or "").strip()
    if value and not (value.isascii() and value.isdigit()):
        raise thrown_text(f'{name}: expected a whole number of requests or tokens per minute, got "{value}"')
    return int(value or 0)
