"""``recover_schema``: makes data out of a text that nearly is, in stages that get dearer (llm 3.6)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, error_dict
from harnpy.capabilities.structured import REPAIR, structured_request
from harnpy.capabilities.structured_attempts import until_it_fits
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.json_values import read_json
from harnpy.llm.options import check_keys, check_values
from harnpy.llm.output import find_json
from harnpy.llm.salvage import salvage_json
from harnpy.llm.schema import schema_errors
from harnpy.llm.structured import NOT_JSON
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


def recover_schema(ctx: Context, text: Any = None, schema: Any = None, options: Any = None) -> Dict:
    """Make data that fits a JSON Schema out of a text that nearly is.

    Gives ``{ok, data, raw_text, error, error_category, attempts, stage, repaired}``; ``stage`` is ``parsed``,
    ``extracted``, ``regex`` or ``llm_repair``, and ``attempts`` counts calls of a model.
    Options: ``repair`` (true; false makes no call; a dict holds options of the call) and those of ``llm_call``.
    Effects: at most one model call, unless ``schema_retries`` says more.
    Errors: throws a text when ``text`` is no string or ``schema`` no dict.
    """
    if type(text) is not str:
        raise thrown_text(f"schema_recover: `text` must be a string, got {type_of(text)}")
    if type(schema) is not dict:
        raise thrown_text(f"schema_recover: `schema` must be a dict (JSON Schema), got {type_of(schema)}")
    if options is not None and type(options) is not dict:
        raise thrown_text(f"schema_recover: options must be a dict, got {type_of(options)}")
    given = dict(options or {})
    check_keys(given)
    check_values({key: value for key, value in given.items() if value is not None})
    errors = [NOT_JSON]
    stage = None
    for stage, (found, data) in _local(text):
        if found:
            errors = schema_errors(data, schema)
            if not errors:
                return _envelope(text, stage, data=data, repaired=stage == "regex")
    repair = given.pop("repair", True)
    if repair is False or (type(repair) is dict and repair.get("enabled") is False):
        category = "missing_json" if errors == [NOT_JSON] else "schema_validation"
        return _envelope(text, stage, error="; ".join(errors), category=category)
    overrides = {k: v for k, v in repair.items() if k != "enabled"} if type(repair) is dict else {}
    return _by_model(ctx, text, schema, {**given, **overrides})


def _local(text: str) -> Any:
    """Give each stage that needs no model, and what it found."""
    yield "parsed", _whole(text)
    yield "extracted", find_json(text)
    yield "regex", salvage_json(text)


def _whole(text: str) -> tuple[bool, Any]:
    try:
        return True, read_json(text.strip())
    except ValueError:
        return False, None


def _by_model(ctx: Context, text: str, schema: Dict, options: Dict) -> Dict:
    depth = ctx.depth
    try:
        request = structured_request(ctx, REPAIR + text, schema, {"schema_retries": 0, **options})
        response, errors, attempts = until_it_fits(ctx, request, keep_last=True)
    except HarnError as error:
        if error.value in PASSING:
            raise
        ctx.depth = depth
        told = error_dict(error.value)
        return _envelope(text, "llm_repair", error=told["message"], category=told["category"], attempts=1)
    if errors:
        return _envelope(text, "llm_repair", error="; ".join(errors), category="repair_failed", attempts=attempts)
    return _envelope(text, "llm_repair", data=response["data"], repaired=True, attempts=attempts)


def _envelope(
    text: str,
    stage: str | None,
    *,
    data: Any = None,
    error: str = "",
    category: str | None = None,
    attempts: int = 0,
    repaired: bool = False,
) -> Dict:
    return {
        "ok": not error,
        "data": data,
        "raw_text": text,
        "error": error,
        "error_category": category,
        "attempts": attempts,
        "stage": stage,
        "repaired": repaired,
    }
