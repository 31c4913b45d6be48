"""Refuses options that the route of a call cannot honour, by its capability row (llm 2.5)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.capability import is_stated
from harnpy.llm.errors import local_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from harnpy.errors import HarnError
    from harnpy.llm.request import Request

    Row = dict[str, Any]

_SAMPLING = ("temperature", "top_k", "top_p")
# Options of the Responses API, which other requests have no place for.
_RESPONSES = (
    "background", "compact", "include", "max_tool_calls", "previous_response_id", "store", "truncation",
)  # fmt: skip
# Options that the Responses API has no place for.
_NO_PLACE = (
    "frequency_penalty", "logit_bias", "min_p", "mirostat", "prediction", "prefill", "presence_penalty",
    "repetition_penalty", "seed", "stop", "top_k",
)  # fmt: skip
_PDF_BLOCKS = ("pdf", "document")


def check_gates(request: Request, row: Row | None) -> None:
    """Refuse what the row says the route cannot do; without a row nothing is refused."""
    is_responses = request.option("api_mode") == "responses" or request.route.provider.dialect == "openai_responses"
    for option in _NO_PLACE if is_responses else _RESPONSES:
        if request.option(option) is not None:
            raise _unsupported(request, option)
    if row is None:
        return
    for option, field, asked in _asked(request):
        if asked and not row[field] and is_stated(row, field):
            raise _unsupported(request, option)
    _check_effort(request, row)
    mode = request.thinking
    thinks = mode["mode"] == "effort" and mode.get("level") != "none"
    if not row["temperature_supported"]:
        _drop_sampling(request, "takes no sampling options")
    elif thinks and row.get("sampling_needs_no_effort"):
        _drop_sampling(request, "takes sampling options only without reasoning")


def _asked(request: Request) -> Iterator[tuple[str, str, bool]]:
    """Give ``(option, field of the row, asked for)`` in the order of the checks."""
    kinds = _block_kinds(request.messages)
    thinking = request.option("thinking") not in (None, False) and request.thinking["mode"] != "disabled"
    native = (request.option("tool_format") or "").strip().lower() == "native"
    asked_pdf = bool(request.option("pdf")) or any(kind in kinds for kind in _PDF_BLOCKS)
    has_schema = request.output.kind == "json_schema" and not request.output.in_prompt
    yield "audio", "audio_supported", bool(request.option("audio")) or "audio" in kinds
    yield "cache", "prompt_caching", bool(request.option("cache"))
    yield "effort", "reasoning_effort_supported", request.option("effort") is not None
    yield "interleaved_thinking", "interleaved_thinking_supported", bool(request.option("interleaved_thinking"))
    yield "output", "structured_output", has_schema
    yield "pdf", "pdf_supported", asked_pdf
    yield "prefill", "supports_assistant_prefill", request.prefill is not None
    yield "thinking", "thinking_modes", thinking
    yield "tools", "native_tools", native and bool(request.option("tools"))
    yield "vision", "vision_supported", bool(request.option("vision")) or "image" in kinds


def _block_kinds(messages: list[Row]) -> set[str]:
    kinds = set()
    for message in messages:
        content = message.get("content")
        for block in content if type(content) is list else [content]:
            if type(block) is dict:
                kinds.add(str(block.get("type")))
    return kinds


def _unsupported(request: Request, option: str) -> HarnError:
    provider, model = request.error_place()
    return thrown_text(
        f"option `{option}` is not supported by `{model}` (provider `{provider}`). "
        "See `harn provider catalog matrix` for compatibility."
    )


def _check_effort(request: Request, row: Row) -> None:
    level = request.option("effort")
    levels = row["reasoning_effort_levels"]
    if level is None or not levels or level in levels:
        return
    provider, model = request.error_place()
    message = (
        f"option `effort` level `{level}` is not supported for provider `{provider}` model `{model}`; "
        f"supported reasoning_effort values: {', '.join(levels)}"
    )
    raise local_error("invalid_request", message, provider, model)


def _drop_sampling(request: Request, why: str) -> None:
    """Leave out sampling controls that the model does not take: packs and repairs set them for every model."""
    dropped = [key for key in _SAMPLING if request.option(key) is not None]
    if dropped:
        provider, model = request.error_place()
        request.options = {key: value for key, value in request.options.items() if key not in dropped}
        names = ", ".join(f"`{key}`" for key in dropped)
        request.warnings.append(f"`{model}` (provider `{provider}`) {why}: {names} dropped")
