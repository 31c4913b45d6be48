"""What the mock harness answers in the place of files, network, randomness and processes (builtins 3.8)."""

from __future__ import annotations

from harnpy.errors import HarnError, categorised
from harnpy.runtime.values import err, ok

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# The members that the mock serves; everything else runs for real.
MOCKED = frozenset(("stdio", "term", "clock", "random", "fs", "env", "net", "process", "system"))

# Methods of ``fs`` that touch no file of the script.
_PURE_FS = frozenset(
    """
    cwd source_dir project_root workspace_root home_dir runtime_paths render_prompt render_template
    render_prompt_with_provenance
    """.split()
)
_U64 = 2**64
_SYSTEM = {"platform": "linux", "identity": {"username": "mock", "hostname": "mock-host", "pid": 1}}


class Answers:
    """The faked answers of one run."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self._files: dict[str, str] = spec.get("fs_reads", {})
        self._pages: dict[str, str] = spec.get("net_gets", {})
        self._numbers: list[int] = list(spec.get("random_u64", []))

    def answer(self, ctx: Context, capability: str, method: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
        """Give ``(True, value)``, or ``(False, None)`` when the real method works on what the mock installed."""
        if capability == "fs" and method not in _PURE_FS:
            return True, self._file(ctx, method, args)
        if capability == "net":
            return True, self._page(method, args)
        if capability == "random" and method in ("u64", "gen_u64", "uuid", "uuid_v7", "bytes"):
            return self._random(method, args)
        if capability == "process":
            raise HarnError("MockHarness has no process spawn response", thrown=True)
        if capability == "system" and method in _SYSTEM:
            return True, _SYSTEM[method]
        if capability == "term" and method in ("width", "height"):
            return True, _size(ctx, method)
        return False, None

    def _file(self, ctx: Context, method: str, args: tuple[Any, ...]) -> Any:
        path = args[0] if args else None
        text = self._files.get(path) if type(path) is str else None
        if method == "exists":
            return text is not None
        readers = {
            "read_text": lambda content: content,
            "read_text_result": ok,
            "read_bytes": lambda content: content.encode("utf-8"),
            "read_lines": _lines,
        }
        if method in readers and text is not None:
            return readers[method](text)
        operation = "fs_read" if method in readers else f"fs_{method}"
        message = f"MockHarness has no {operation} response for {_shown(path)}"
        if method == "read_text_result":
            return err({"kind": "not_found", "message": message})
        raise categorised("not_found", message)

    def _page(self, method: str, args: tuple[Any, ...]) -> dict[str, Any]:
        url = args[1] if method == "request" and len(args) > 1 else args[0] if args else None
        if method == "get" and type(url) is str and url in self._pages:
            return {"status": 200, "headers": {}, "body": self._pages[url], "ok": True}
        raise categorised("not_found", f"MockHarness has no net_{method} response for {_shown(url)}")

    def _random(self, method: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
        count = args[0] if args else 0
        if method == "bytes" and (type(count) is not int or not 1 <= count <= 1024):
            return False, None  # the real method says what is wrong
        kind = "uuid" if method.startswith("uuid") else "random_u64"
        if not self._numbers:
            raise HarnError(f"MockHarness has no {kind} response", thrown=True)
        number = self._numbers.pop(0) % _U64
        if kind == "uuid":
            digits = f"{number:016x}" * 2
            return True, "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
        if method == "bytes":
            once = number.to_bytes(8, "little")
            return True, (once * (count // 8 + 1))[:count]
        # A Harn int has 64 bits with a sign.
        return True, number if number < _U64 // 2 else number - _U64


def _lines(text: str) -> list[str]:
    from harnpy.builtins.files import lines_of

    return lines_of(text)


def _shown(value: Any) -> str:
    from harnpy.runtime.display import display

    return display(value)


def _size(ctx: Context, method: str) -> int:
    name, default = ("COLUMNS", 80) if method == "width" else ("LINES", 24)
    given: str = ctx.services["env"].get(name, "")
    return int(given) if given.isascii() and given.isdigit() and int(given) > 0 else default
