"""Runs the verifiers of a routing policy on a candidate answer (llm 12.4)."""

from __future__ import annotations

from harnpy.builtins.regex import compile_pattern
from harnpy.errors import HarnError
from harnpy.llm.routing import fault
from harnpy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.verifier_specs import VerifierSpec
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_INPUT_LIMIT = 256 * 1024
_LAST_LINE = 240
_SHOWN = 10


def check_patterns(specs: list[VerifierSpec]) -> None:
    """Refuse a pattern that is no regular expression, before any call is made."""
    for index, spec in enumerate(specs):
        for pattern in [*spec.forbidden, *spec.required]:
            try:
                compile_pattern(pattern, "")
            except HarnError as error:
                raise fault(f".escalate_on[{index}]: invalid pattern `{pattern}`: {error.value}") from None


def run_verifiers(ctx: Context, specs: list[VerifierSpec], response: Dict) -> list[Dict]:
    """Give one signal ``{name, kind, signal, reason}`` per verifier."""
    text = response["text"] or _calls_as_text(response["tool_calls"])
    signals = []
    for spec in specs:
        reason = _RUN[spec.kind](ctx, spec, text)
        signal = "accept" if reason is None else spec.on_fail
        signals.append({"name": spec.name, "kind": spec.kind, "signal": signal, "reason": reason})
    return signals


def _calls_as_text(calls: list[Dict]) -> str:
    import json

    return json.dumps(calls, ensure_ascii=False, sort_keys=True, default=str) if calls else ""


# --- typecheck ------------------------------------------------------------------------------------


def harn_source(text: str) -> str:
    """Give the bodies of Harn fences and fences without a label, else the whole text."""
    bodies: list[str] = []
    body: list[str] | None = None
    wanted = False
    for line in text.split("\n"):
        stripped = line.strip()
        if body is None and stripped.startswith("```"):
            body, wanted = [], stripped[3:].strip().lower() in ("", "harn")
        elif body is not None and stripped == "```":
            if wanted:
                bodies.append("\n".join(body))
            body = None
        elif body is not None:
            body.append(line)
    if body is not None and wanted:  # the answer was cut inside its last fence
        bodies.append("\n".join(body))
    return "\n".join(bodies) if bodies else text


def _typecheck(ctx: Context, spec: VerifierSpec, text: str) -> str | None:
    from harnpy.runtime.program import check_program

    source = harn_source(text) if spec.extract_fenced else text
    if not source.strip():
        return "typecheck: no Harn source found in candidate text"
    found = check_program(Source("<candidate>", source), ctx.builtins)
    errors = [finding for finding in found if finding.severity == "error"]
    parse = next((finding for finding in errors if (finding.code or "").startswith("HARN-PAR")), None)
    if parse is not None:
        return f"typecheck: parse failed: {parse.message}"
    if not errors:
        return None
    return "typecheck: " + "; ".join(finding.message for finding in errors[:_SHOWN])


# --- lint -----------------------------------------------------------------------------------------


def _lint(ctx: Context, spec: VerifierSpec, text: str) -> str | None:
    """Look for patterns; they match in linear time, so no pattern can hold up the run."""
    found = [f"forbidden pattern matched: {p}" for p in spec.forbidden if _matches(p, text, True)]
    found += [f"required pattern missing: {p}" for p in spec.required if not _matches(p, text, False)]
    limit = spec.max_line_length
    if limit is not None:
        lines = enumerate(text.splitlines(), 1)
        found += [f"line {number} exceeds max_line_length={limit}" for number, line in lines if len(line) > limit]
    return "lint: " + "; ".join(found[:_SHOWN]) if found else None


def _matches(pattern: str, text: str, when_it_fails: bool) -> bool:
    """Search; a search that fails counts against the candidate."""
    try:
        return compile_pattern(pattern, "").search(text)
    except HarnError:
        return when_it_fails


# --- test_run -------------------------------------------------------------------------------------


def _test_run(ctx: Context, spec: VerifierSpec, text: str) -> str | None:
    """Run the command on the candidate, under the process policy of the run."""
    from harnpy.builtins.environment import variables
    from harnpy.capabilities.process import run_child

    policy = ctx.services.get("policy")
    if policy is not None:
        policy.check("process", "exec")
    given = text.encode("utf-8", "replace") if spec.pass_via_stdin else b""
    if len(given) > _INPUT_LIMIT:
        return f"test_run: failed to spawn: the candidate is longer than {_INPUT_LIMIT // 1024} KiB"
    try:
        child = run_child(
            ctx, "test_run", spec.command, None, variables(ctx), round(spec.timeout_secs * 1000), given=given
        )
    except HarnError as error:
        if type(error.value) is not str or not error.value.startswith("test_run: "):
            raise
        return "test_run: failed to spawn: " + error.value.removeprefix("test_run: ")
    if child.timed_out:
        return f"test_run: timed out after {spec.timeout_secs:g}s"
    if child.code == 0:
        return None
    printed = (child.stderr.strip() or child.stdout.strip()).split("\n")[-1]
    return f"test_run: command exited with status {child.code}: {printed[:_LAST_LINE]}"


_RUN = {"typecheck": _typecheck, "lint": _lint, "test_run": _test_run}
