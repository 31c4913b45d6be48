"""``call_structured`` and its variants (llm 3.4, 3.5)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, error_dict, perform, permit, refuse_options, request_of
from harnpy.errors import HarnError, thrown_text
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_DEFAULT_RETRIES = 3
# What stands before a text that a model is to mend.
REPAIR = "Correct this so that it is valid JSON conforming to the schema. Answer with the JSON only.\n\n"


def structured_request(ctx: Context, prompt: Any, schema: Any, options: Any) -> Request:
    """Build the request of a structured call; the schema is always enforced."""
    if schema is None:
        raise thrown_text(
            "llm_call_structured: missing required `schema` argument (expected (prompt, schema, options?))"
        )
    if type(schema) is not dict:
        raise thrown_text(f"llm_call_structured: `schema` must be a dict (JSON Schema), got {type_of(schema)}")
    from harnpy.llm.options import ACCEPTED

    if all(key in ACCEPTED for key in schema):
        refuse_options(schema, "schema", "options stand behind the schema")
    if options is not None and type(options) is not dict:
        raise thrown_text(f"llm_call: options must be a dict, got {type_of(options)}")
    given = dict(options or {})
    short = given.pop("retries", None)
    if given.get("schema_retries") is None:
        given["schema_retries"] = _DEFAULT_RETRIES if short is None else short
    given["output"] = {"schema": schema, "strict": True, "validation": "error"}
    return request_of(ctx, prompt, None, given)


def call_structured(ctx: Context, prompt: Any = None, schema: Any = None, options: Any = None) -> Any:
    """Ask for data that fits a JSON Schema, and give the data alone.

    Options: those of ``llm_call``, with ``schema_retries`` (3): how often a wrong answer is asked for again, with
    its errors; ``schema_retry_nudge`` replaces that text, false leaves it out. ``output`` is given by ``schema``.
    Effects: those of each call. Errors: those of ``llm_call``; category ``schema_validation`` when the answer stays
    wrong; a text when ``schema`` is no dict.
    """
    permit(ctx, "call_structured")
    return perform(ctx, structured_request(ctx, prompt, schema, options))["data"]


def call_structured_safe(ctx: Context, prompt: Any = None, schema: Any = None, options: Any = None) -> Dict:
    """Ask for data that fits a JSON Schema, and give ``{ok, data, error}`` instead of throwing.

    Options and effects: those of ``llm_call_structured``. Errors: only the cancellation of the task passes through.
    """
    depth = ctx.depth
    try:
        return {"ok": True, "data": call_structured(ctx, prompt, schema, options), "error": None}
    except HarnError as error:
        if error.value in PASSING:
            raise
        ctx.depth = depth
        return {"ok": False, "data": None, "error": error_dict(error.value)}
