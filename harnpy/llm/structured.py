"""Structured answers: what is wrong with one, how to ask again, and how to give up (llm 3.3). Asks nobody itself."""

from __future__ import annotations

import copy

from harnpy.llm.errors import local_error
from harnpy.llm.response import TRUNCATED
from harnpy.llm.schema import schema_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request

    Dict = dict[str, Any]

# The private option of calls whose schema may stand in the prompt, where the route takes none.
SCHEMA_IN_PROMPT = "_schema_in_prompt"
NOT_JSON = "response did not contain parseable JSON"
_TRUNCATED_NOTE = "response hit the token limit before producing complete JSON"
_TOKEN_CEILING = 32768
_DISABLED_HINT = (
    " (hint: set `schema_retries: N` in the llm_call options to automatically re-prompt the model with a "
    "corrective nudge)"
)
_EXHAUSTED_HINT = (
    " (hint: schema_retries budget exhausted — the model did not produce conforming output after the configured "
    "retries; consider raising `schema_retries` or relaxing the schema)"
)


def answer_errors(request: Request, response: Dict, found: bool) -> list[str]:
    """Give what is wrong with an answer; ``found`` tells whether it holds JSON at all."""
    if not found:
        cut = (response["stop_reason"] or "").lower() in TRUNCATED
        return [NOT_JSON, _TRUNCATED_NOTE] if cut else [NOT_JSON]
    schema = request.output.schema
    return [] if schema is None else schema_errors(response["data"], schema)


def retries_of(request: Request) -> int:
    """Give how many further attempts a bad answer gets."""
    retries = request.option("schema_retries")
    return 1 if retries is None else int(retries)


def ask_again(request: Request, original: Request, response: Dict, errors: list[str]) -> Request:
    """Give the next attempt: the original messages and one nudge; twice the tokens after a cut answer."""
    again = copy.copy(original)
    text = _nudge(original, errors)
    if text is not None:
        again.messages = [*original.messages, {"role": "user", "content": text}]
    again.max_tokens = request.max_tokens
    if (response["stop_reason"] or "").lower() in TRUNCATED:
        again.max_tokens = max(request.max_tokens, min(_TOKEN_CEILING, request.max_tokens * 2))
    return again


def _nudge(request: Request, errors: list[str]) -> str | None:
    wish = request.option("schema_retry_nudge")
    if wish is False:
        return None
    if type(wish) is str:
        return f"{wish}\n\nValidation errors: {'; '.join(errors)}"
    lines = [
        "Your previous response did not match the required JSON schema.",
        f"Validation errors: {'; '.join(errors)}.",
    ]
    schema = request.output.schema or {}
    properties, required = _keys(schema)
    if required:
        lines.append(f"Required keys: {', '.join(required)}")
    if properties:
        lines.append(f"Allowed top-level keys: {', '.join(properties)}")
        lines += ["Expected JSON schema shape:", *_shape("root object", schema, 0)]
    lines.append("Respond again with ONLY valid JSON conforming to the schema. No prose, no markdown fences.")
    return "\n".join(lines)


def _keys(schema: Dict) -> tuple[list[str], list[str]]:
    properties, required = schema.get("properties"), schema.get("required")
    return (
        sorted(properties) if type(properties) is dict else [],
        sorted(map(str, required)) if type(required) is list else [],
    )


def _shape(name: str, schema: Dict, depth: int) -> list[str]:
    """Give one line for an object and one for each object inside."""
    properties, required = _keys(schema)
    lines = [f"- {name} allowed keys: {', '.join(properties)}; required keys: {', '.join(required) or 'none'}"]
    for key in properties if depth < 8 else []:
        inner = schema["properties"][key]
        if type(inner) is dict and type(inner.get("properties")) is dict:
            lines += _shape(f"`{key}` object", inner, depth + 1)
    return lines


def retry_status(request: Request, attempts: int) -> Dict:
    """Tell how often was asked for an answer that fits."""
    budget = retries_of(request)
    return {"attempts": attempts, "budget": budget, "status": "exhausted" if budget else "disabled"}


def schema_error(request: Request, errors: list[str], attempts: int) -> HarnError:
    """Make the error of an answer that stayed wrong."""
    provider, model = request.error_place()
    hint = _EXHAUSTED_HINT if retries_of(request) else _DISABLED_HINT
    status = retry_status(request, attempts)
    message = f"LLM output failed schema validation: {'; '.join(errors)}{hint}"
    return local_error("unknown", message, provider, model, category="schema_validation", schema_retry=status)


def described(schema: Dict) -> str:
    """Describe a schema for a prompt, for routes that do not take one."""
    import json

    text = json.dumps(schema, ensure_ascii=False, sort_keys=True, default=lambda _value: None)
    return f"Answer with ONLY valid JSON that conforms to this JSON Schema. No prose, no markdown fences.\n{text}"


def without_schema(request: Request) -> Request:
    """Give the same call in text mode: the schema goes into the system text and is still checked here."""
    plain = copy.copy(request)
    plain.output = copy.copy(request.output)
    tell_schema(plain)
    return plain


def tell_schema(request: Request) -> None:
    """Put the schema of a request into its system text instead of the wire."""
    request.output.in_prompt = True
    parts = [request.system, described(request.output.schema or {})]
    request.system = "\n\n".join(part for part in parts if part)


def refuses_schema(error: Any) -> bool:
    """Tell whether a provider said that it does not take ``response_format``, or what another form calls so."""
    if type(error) is not dict or error.get("status") != 400:
        return False
    message = str(error.get("message"))
    return "response_format" in message or "text.format" in message
