"""``call_structured_result``: a structured answer as an envelope, repaired when asked for (llm 3.5)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, error_dict, permit, within
from harnpy.capabilities.structured import REPAIR, structured_request
from harnpy.capabilities.structured_attempts import until_it_fits
from harnpy.errors import HarnError
from harnpy.llm.response import TRUNCATED
from harnpy.llm.salvage import salvage_json
from harnpy.llm.schema import schema_errors
from harnpy.llm.structured import NOT_JSON, SCHEMA_IN_PROMPT, refuses_schema, retries_of, schema_error, without_schema
from harnpy.llm.usage import add_usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]

_MILLISECOND = 1_000_000


def call_structured_result(ctx: Context, prompt: Any = None, schema: Any = None, options: Any = None) -> Dict:
    """Ask for data that fits a JSON Schema, and give an envelope of how it went.

    ``{ok, data, raw_text, error, error_category, attempts, repaired, repair_tier, extracted_json, usage, model,
    provider}``; ``error`` is ``""`` and ``error_category`` nil when all went well, else ``missing_json``,
    ``schema_validation``, ``repair_failed``, ``length_truncation`` or the category of a failed call.
    Options: those of ``llm_call_structured``, and ``repair`` (true, or ``{enabled?, ...options}``): mend the text
    here, then with one more call.
    Errors: only the cancellation of the task passes through.
    """
    depth = ctx.depth
    attempts = 0
    try:
        permit(ctx, "call_structured_result")
        given = {} if options is None else options
        wished = {**given, SCHEMA_IN_PROMPT: True} if type(given) is dict else given
        request = structured_request(ctx, prompt, schema, wished)
        attempts = 1
        return _Operation(ctx, request).run()
    except HarnError as error:
        if error.value in PASSING:
            raise
        ctx.depth = depth
        return _failed(error_dict(error.value), attempts)


def _failed(error: Dict, attempts: int) -> Dict:
    envelope = _envelope(None, False, attempts)
    category = error["category"]
    places = {"provider": error.get("provider"), "model": error.get("model")}
    return {**envelope, **places, "error": error["message"], "error_category": category}


def _envelope(response: Dict | None, ok: bool, attempts: int) -> Dict:
    known = response or {}
    return {
        "ok": ok,
        "data": known.get("data") if ok else None,
        "raw_text": known.get("raw_text", ""),
        "error": "",
        "error_category": None,
        "attempts": attempts,
        "repaired": False,
        "repair_tier": None,
        "extracted_json": ok and not known.get("raw_text", "").strip().startswith(("{", "[")),
        "usage": known.get("usage"),
        "model": known.get("model"),
        "provider": known.get("provider"),
    }


class _Operation:
    """All attempts of one structured call, and the repair after them."""

    def __init__(self, ctx: Context, request: Request) -> None:
        self._ctx = ctx
        self._request = request
        limit = request.option("operation_timeout_ms")
        self._due = None if limit is None else ctx.clock.ticks() + limit * _MILLISECOND

    def run(self) -> Dict:
        """Give the envelope."""
        response, errors, attempts = self._ask()
        if not errors:
            return _envelope(response, True, attempts)
        repaired = self._repaired(response, attempts)
        return repaired or self._refused(response, errors, attempts)

    def _ask(self) -> tuple[Dict, list[str], int]:
        depth = self._ctx.depth
        try:
            return until_it_fits(self._ctx, self._request, self._due, keep_last=True)
        except HarnError as error:
            if not refuses_schema(error.value):
                raise
            self._ctx.depth = depth
            self._request = without_schema(self._request)
            return until_it_fits(self._ctx, self._request, self._due, keep_last=True)

    def _repair_options(self) -> Dict | None:
        wish = self._request.option("repair")
        if type(wish) is dict:
            return wish if wish.get("enabled", True) else None
        return {} if wish else None

    def _repaired(self, response: Dict, attempts: int) -> Dict | None:
        """Mend the answer here, else let the model do it once; ``None`` when that fails or is not wanted."""
        options = self._repair_options()
        if options is None:
            return None
        found, data = salvage_json(response["raw_text"])
        if found and not schema_errors(data, self._request.output.schema or {}):
            mended = {**response, "data": data}
            return {**_envelope(mended, True, attempts), "repaired": True, "repair_tier": "local"}
        return self._repaired_by_model(response, attempts, options)

    def _repaired_by_model(self, response: Dict, attempts: int, options: Dict) -> Dict | None:
        overrides = {key: value for key, value in options.items() if key != "enabled"}
        given = {**self._request.options, **overrides, "schema_retries": 0, "repair": None, "messages": None}
        schema = self._request.output.schema
        depth = self._ctx.depth
        try:
            again = structured_request(self._ctx, REPAIR + response["raw_text"], schema, given)
            if self._due is not None:
                again = within(self._ctx, again, self._due)
            fixed, errors, _ = until_it_fits(self._ctx, again, keep_last=True)
        except HarnError as error:
            if error.value in PASSING:
                raise
            self._ctx.depth = depth
            return None
        if errors:
            return None
        fixed["usage"] = add_usage(response["usage"], fixed["usage"])
        return {**_envelope(fixed, True, attempts), "repaired": True, "repair_tier": "llm"}

    def _refused(self, response: Dict, errors: list[str], attempts: int) -> Dict:
        cut = (response["stop_reason"] or "").lower() in TRUNCATED
        category = "schema_validation"
        if self._repair_options() is not None:
            category = "repair_failed"
        elif cut:
            category = "length_truncation"
        elif errors[0] == NOT_JSON:
            category = "missing_json"
        error = schema_error(self._request, errors, attempts).value
        status = {**error["schema_retry"], "budget": retries_of(self._request)}
        envelope = _envelope(response, False, attempts)
        return {**envelope, "error": error["message"], "error_category": category, "schema_retry": status}
