"""The mock and the null harness that a file ``x.harness.json`` describes (builtins 3.8)."""

from __future__ import annotations

from harnpy.builtins.json_reading import parse
from harnpy.capabilities.sidecar_answers import MOCKED, Answers
from harnpy.errors import HarnError, categorised, thrown_text
from harnpy.runtime.display import display
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_FIELDS = {
    "mode": str,
    "clock_at_unix_ms": int,
    "env": dict,
    "fs_reads": dict,
    "net_gets": dict,
    "random_u64": list,
    "stdin_lines": list,
    "expect_calls": list,
    "expect_deny_events": list,
    "expect_stdio": str,
    "expect_stderr": str,
}


class Sidecar:
    """Stands in for the real harness of a run and keeps what was asked of it."""

    def __init__(self, ctx: Context, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._null = spec["mode"] == "null"
        self._calls: list[dict[str, Any]] = []
        self._denied: list[dict[str, Any]] = []
        self._out: list[str] = []
        self._err: list[str] = []
        self._answers = Answers(spec)
        if not self._null:
            self._install(ctx)

    def _install(self, ctx: Context) -> None:
        spec = self._spec
        ctx.clock.mock(spec.get("clock_at_unix_ms", 0))
        ctx.services["env"] = dict(spec.get("env", {}))
        ctx.services["mocked_tty"] = {"stdin": False, "stdout": False, "stderr": False}
        lines = iter([line + "\n" for line in spec.get("stdin_lines", [])])
        ctx.read_line = lambda: next(lines, None)
        ctx.write_out = self._out.append
        ctx.write_err = self._err.append

    def answer(self, ctx: Context, capability: str, method: str, args: tuple[Any, ...]) -> tuple[bool, Any]:
        """Give ``(True, value)`` for what is faked, ``(False, None)`` when the real method is to run."""
        record = {"sub_handle": capability, "method": method, "args": [display(arg) for arg in args]}
        if self._null:
            self._denied.append(record)
            from harnpy.capabilities.harness import type_name_of

            raise categorised("tool_rejected", f"NullHarness denied {type_name_of(capability)}::{method}")
        if capability not in MOCKED:
            return False, None
        self._calls.append(record)
        return self._answers.answer(ctx, capability, method, args)

    def problems(self) -> list[str]:
        """Say what the run did otherwise than the file expects."""
        spec = self._spec
        found = _differences("expect_calls", spec.get("expect_calls"), self._calls)
        found += _differences("expect_deny_events", spec.get("expect_deny_events"), self._denied)
        for key, pieces in (("expect_stdio", self._out), ("expect_stderr", self._err)):
            text = "".join(pieces)
            if key in spec and spec[key] != text:
                found.append(f"{key}: expected {spec[key]!r}, got {text!r}")
        return found


def _differences(key: str, expected: list[dict[str, Any]] | None, got: list[dict[str, Any]]) -> list[str]:
    if expected is None:
        return []
    found = []
    for number in range(max(len(expected), len(got))):
        want = _shown(expected[number]) if number < len(expected) else "nothing"
        have = _shown(got[number]) if number < len(got) else "nothing"
        if want != have:
            found.append(f"{key}[{number}]: expected {want}, got {have}")
    return found


def _shown(call: dict[str, Any]) -> str:
    """Give a call as text; ``HarnessFs`` and ``fs`` name the same member."""
    name = str(call["sub_handle"])
    member = name.removeprefix("Harness").lower() if name.startswith("Harness") else name
    return f"{member}.{call['method']}({', '.join(str(arg) for arg in call.get('args', []))})"


def load_sidecar(ctx: Context, path: str) -> Sidecar:
    """Read the file and put what it describes in the place of the harness.

    Raises:
        HarnError: The file cannot be read, or a field is unknown or of the wrong kind.
    """
    try:
        with open(path, encoding="utf-8") as file:
            spec = parse(file.read())
    except (OSError, UnicodeError) as error:
        raise thrown_text(f"--harness: cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    except HarnError as error:
        raise thrown_text(f"--harness: {path}: {error.value.get('message', 'it is not JSON')}") from None
    fault = _fault(spec)
    if fault is not None:
        raise thrown_text(f"--harness: {path}: {fault}")
    sidecar = ctx.services["stand_in"] = Sidecar(ctx, spec)
    return sidecar


def _fault(spec: Any) -> str | None:
    if type(spec) is not dict:
        return f"expected an object, got {type_of(spec)}"
    for key, value in spec.items():
        if key not in _FIELDS:
            return f"unknown field `{key}`"
        if type(value) is not _FIELDS[key]:
            return f"field `{key}` has the wrong type {type_of(value)}"
    if spec.get("mode") not in ("mock", "null"):
        return 'field `mode` must be "mock" or "null"'
    for key in ("env", "fs_reads", "net_gets"):
        if not all(type(value) is str for value in spec.get(key, {}).values()):
            return f"the values of `{key}` must be strings"
    if not all(type(line) is str for line in spec.get("stdin_lines", [])):
        return "the items of `stdin_lines` must be strings"
    if not all(type(number) is int and number >= 0 for number in spec.get("random_u64", [])):
        return "the items of `random_u64` must be non-negative ints"
    return _fault_of_calls(spec)


def _fault_of_calls(spec: dict[str, Any]) -> str | None:
    for key in ("expect_calls", "expect_deny_events"):
        for call in spec.get(key, []):
            if type(call) is not dict or type(call.get("sub_handle")) is not str or type(call.get("method")) is not str:
                return f"the items of `{key}` must be objects with sub_handle and method"
            if type(call.get("args", [])) is not list or set(call) - {"sub_handle", "method", "args"}:
                return f"the items of `{key}` may have only sub_handle, method and the list args"
    return None
