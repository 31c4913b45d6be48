"""Rate limits per provider: a sliding window of 60 seconds on the clock of the run (llm 8.4)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

WINDOW_MS = 60_000


class _Window:
    """The calls of one provider that were let through or have a time to start at."""

    __slots__ = ("reserved",)

    def __init__(self) -> None:
        self.reserved: list[tuple[int, int]] = []  # (start in ms, tokens), in arrival order

    def reserve(self, now: int, tokens: int, rpm: int, tpm: int) -> int:
        """Give the time at which a call may start, and count it from then on."""
        self.reserved = [entry for entry in self.reserved if entry[0] > now - WINDOW_MS]
        start = max(now, self.reserved[-1][0]) if self.reserved else now
        while True:
            inside = [entry for entry in self.reserved if entry[0] > start - WINDOW_MS]
            crowded = (rpm and len(inside) >= rpm) or (tpm and sum(t for _, t in inside) + tokens > tpm)
            if not inside or not crowded:
                break
            start = inside[0][0] + WINDOW_MS
        self.reserved.append((start, tokens))
        return start


class RateLimits:
    """The limits of one run: those of the environment, and those that the script sets."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._own: dict[str, dict[str, int]] = {}
        self._windows: dict[str, _Window] = {}

    def set(self, provider: str, limits: dict[str, int]) -> None:
        """Set requests (``rpm``) and tokens (``tpm``) per minute; 0 is no limit."""
        self._own[provider] = {**self.of(provider), **limits}

    def of(self, provider: str) -> dict[str, int]:
        """Give ``{rpm, tpm}`` of a provider; 0 is no limit."""
        own = self._own.get(provider)
        if own is not None:
            return own
        name = "HARN_RATE_LIMIT_" + provider.upper()
        return {
            "rpm": _whole(self._env.get(name) or self._env.get(name + "_RPM")),
            "tpm": _whole(self._env.get(name + "_TPM")),
        }

    def reserve(self, provider: str, now: int, tokens: int) -> int:
        """Give how many ms a call must wait; calls start in the order of their arrival."""
        limits = self.of(provider)
        if not limits["rpm"] and not limits["tpm"]:
            return 0
        window = self._windows.setdefault(provider, _Window())
        return window.reserve(now, tokens, limits["rpm"], limits["tpm"]) - now

    def details(self, provider: str, now: int) -> dict[str, Any]:
        """Describe the limits of a provider and what its window holds."""
        window = self._windows.get(provider)
        inside = [entry for entry in window.reserved if entry[0] > now - WINDOW_MS] if window else []
        used = {"used_requests": len(inside), "used_tokens": sum(tokens for _, tokens in inside)}
        return {"provider": provider, **self.of(provider), **used, "window_ms": WINDOW_MS}


def _whole(text: str | None) -> int:
    value = (text or "").strip()
    return int(value) if value.isdecimal() else 0
