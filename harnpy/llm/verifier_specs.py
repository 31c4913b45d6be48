"""The verifiers of a routing policy: their settings, read and checked (llm 12.4). Running them is done elsewhere."""

from __future__ import annotations

from harnpy.llm.kinds import kind_of
from harnpy.llm.routing import fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

_KINDS = {
    "typecheck": "typecheck", "type_check": "typecheck", "type-check": "typecheck", "lint": "lint",
    "test_run": "test_run", "testrun": "test_run", "test-run": "test_run", "test": "test_run",
}  # fmt: skip
_ON_FAIL = {"typecheck": "escalate", "lint": "refine", "test_run": "escalate"}
_FIELDS = {
    "typecheck": ("extract_fenced",),
    "lint": ("forbidden_patterns", "max_line_length", "required_patterns"),
    "test_run": ("command", "pass_via_stdin", "timeout_secs"),
}
_DEFAULT_SECONDS = 30


class VerifierSpec:
    """One verifier; fields of other kinds are empty."""

    def __init__(self, place: str, kind: str, fields: Dict) -> None:
        self.kind = kind
        self.name: str = _checked(place, fields, "name", str, kind)
        self.on_fail: str = _checked(place, fields, "on_fail", str, _ON_FAIL[kind])
        if self.on_fail not in ("escalate", "refine"):
            raise fault(f'{place}.on_fail: expected "escalate" or "refine"')
        known = ("kind", "name", "on_fail", *_FIELDS[kind])
        unknown = next((key for key in sorted(fields) if key not in known), None)
        if unknown is not None:
            raise fault(f"{place}: unknown key `{unknown}` (expected one of {', '.join(sorted(known))})")
        self.extract_fenced: bool = _checked(place, fields, "extract_fenced", bool, True)
        self.forbidden = _patterns(place, fields, "forbidden_patterns")
        self.required = _patterns(place, fields, "required_patterns")
        self.max_line_length: int | None = _checked(place, fields, "max_line_length", int, None)
        self.command = _command(place, fields.get("command"))
        self.timeout_secs = fields.get("timeout_secs", _DEFAULT_SECONDS)
        self.pass_via_stdin: bool = _checked(place, fields, "pass_via_stdin", bool, True)
        self._check(place)

    def _check(self, place: str) -> None:
        if self.kind == "lint" and not self.forbidden and not self.required and self.max_line_length is None:
            wanted = "forbidden_patterns, required_patterns, or max_line_length"
            raise fault(f"{place}: lint verifier needs at least one of {wanted}")
        if self.max_line_length is not None and self.max_line_length < 1:
            raise fault(f"{place}.max_line_length: must be >= 1")
        if self.kind == "test_run" and not self.command:
            raise fault(f"{place}: test_run verifier requires a non-empty `command`")
        seconds = self.timeout_secs
        if type(seconds) not in (int, float) or not 0 < seconds < float("inf"):
            raise fault(f"{place}.timeout_secs: expected a positive number")

    def summary(self) -> Dict:
        """Give ``{kind, name, on_fail}``."""
        return {"kind": self.kind, "name": self.name, "on_fail": self.on_fail}


def verifiers_of(option: Any) -> list[VerifierSpec]:
    """Read ``escalate_on``."""
    if type(option) is not list:
        raise fault(f".escalate_on: expected a list, got {kind_of(option)}")
    return [_verifier(f".escalate_on[{index}]", item) for index, item in enumerate(option)]


def _verifier(place: str, item: Any) -> VerifierSpec:
    if type(item) is str:
        if _KINDS.get(item) != "typecheck":
            raise fault(f'{place}: only "typecheck" can be written as a string, got "{item}"')
        item = {"kind": item}
    if type(item) is not dict:
        raise fault(f'{place}: expected a dict or "typecheck", got {kind_of(item)}')
    kind = item.get("kind")
    if kind is None or kind == "":
        raise fault(f"{place}: `kind` is required (one of typecheck, lint, test_run)")
    known = _KINDS.get(kind) if type(kind) is str else None
    if known is None:
        raise fault(f'{place}: unknown kind "{kind}" (expected typecheck, lint, or test_run)')
    return VerifierSpec(place, known, item)


def _checked(place: str, fields: Dict, key: str, kind: type, default: Any) -> Any:
    value = fields.get(key)
    if value is None:
        return default
    if type(value) is not kind:
        words = {str: "a string", bool: "a bool", int: "an integer"}[kind]
        raise fault(f"{place}.{key}: expected {words}, got {kind_of(value)}")
    return value


def _patterns(place: str, fields: Dict, key: str) -> list[str]:
    value = fields.get(key)
    patterns = [value] if type(value) is str else [] if value is None else value
    if type(patterns) is not list or any(type(pattern) is not str for pattern in patterns):
        raise fault(f"{place}.{key}: expected a string or a list of strings, got {kind_of(value)}")
    return patterns


def _command(place: str, command: Any) -> list[str]:
    words = command.split() if type(command) is str else [] if command is None else command
    if type(words) is not list or any(type(word) is not str for word in words):
        raise fault(f"{place}.command: expected a string or a list of strings, got {kind_of(command)}")
    return words
