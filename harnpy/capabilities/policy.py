"""What a run may do: allowed and denied capabilities, file roots, network and processes.

This confines Harn's own operations. It is no boundary for native code or child processes.
"""

from __future__ import annotations

import os

from harnpy.errors import HarnError, categorised

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

REFUSAL_CODE = "HARN-CAP-201"

# Capabilities that are refused unless they are granted.
CONFINED = ("net", "process")


class Policy:
    """The limits of one run; roots that are ``None`` are no limit.

    ``allow`` grants what is refused by default and ``deny`` refuses what is granted; both hold ``capability`` or
    ``capability.method`` names, and ``deny`` wins. ``network`` is about the script's own requests: calls of model
    endpoints are the capability ``llm``.
    """

    __slots__ = ("allow", "deny", "network", "processes", "read_roots", "write_roots")

    def __init__(
        self,
        allow: Iterable[str] = (),
        deny: Iterable[str] = (),
        read_roots: Iterable[str] | None = None,
        write_roots: Iterable[str] | None = None,
        network: bool = False,
        processes: bool = False,
    ) -> None:
        self.allow = frozenset(allow)
        self.deny = frozenset(deny)
        self.read_roots = None if read_roots is None else _resolved(read_roots)
        self.write_roots = None if write_roots is None else _resolved(write_roots)
        self.network = network
        self.processes = processes

    def check(self, capability: str, method: str) -> None:
        """Refuse ``harness.<capability>.<method>`` unless it is granted."""
        full = f"{capability}.{method}"
        if capability in self.deny or full in self.deny:
            raise refusal(full, "it is denied (--deny)")
        if self._is_allowed(capability, full):
            return
        if capability == "net" and not self.network:
            raise refusal(full, "scripts have no network access here; grant it with --allow net")
        if capability == "process" and not self.processes:
            raise refusal(full, "scripts may not start processes here; grant it with --allow process")

    def _is_allowed(self, capability: str, full: str) -> bool:
        return capability in self.allow or full in self.allow

    def confine(self, method: str, path: str, write: bool, follow: bool = True) -> tuple[str, str] | None:
        """Give the root that holds the absolute ``path``, and the real path behind its links.

        ``None``: nothing confines this operation. Without ``follow`` a link in the last part stands for itself.

        Raises:
            HarnError: The path lies outside the granted roots, or the method is denied.
        """
        self.check("fs", method)
        roots = self.write_roots if write else self.read_roots
        if roots is None or self._is_allowed("fs", "fs." + method):
            return None
        try:
            real = _resolve(path, follow)
        except OSError:  # a link went away between two looks at it
            raise refusal(f"fs.{method}", f"{path} changes while it is looked at") from None
        root = _holder(roots, real)
        if root is not None:
            return root, real
        kind, option = ("write", "--write-root DIR") if write else ("read", f"--allow fs.{method}")
        raise refusal(f"fs.{method}", f"{path} lies outside the {kind} roots; grant it with {option}")

    def let_read(self, folder: str) -> None:
        """Let the files below ``folder`` be read too."""
        if self.read_roots is not None:
            self.read_roots = (*self.read_roots, *_resolved([folder]))

    def writable(self, folder: str) -> str | None:
        """Give ``folder`` when files may be written in it, else a folder where they may; ``None``: anywhere."""
        if self.write_roots is None:
            return None
        return folder if _holder(self.write_roots, os.path.realpath(folder)) else self.write_roots[0]


def _resolve(path: str, follow: bool) -> str:
    if follow:
        return os.path.realpath(path)
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _holder(roots: tuple[str, ...], real: str) -> str | None:
    """Give the root that holds a real path."""
    for root in roots:
        if real == root or real.startswith(root.rstrip(os.sep) + os.sep):
            return root
    return None


def _resolved(roots: Iterable[str]) -> tuple[str, ...]:
    return tuple(os.path.realpath(root) for root in roots)


def refusal(full: str, reason: str) -> HarnError:
    """Make the error of an operation that the policy refuses."""
    message = f"{REFUSAL_CODE}: harness.{full} is not allowed: {reason}"
    return categorised("tool_rejected", message, code=REFUSAL_CODE, operation=full)
