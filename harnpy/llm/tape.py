"""What a recorded call was asked, and where a replayed call first differs from it (llm 10.6)."""

from __future__ import annotations

from harnpy.errors import HarnError, thrown_text
from harnpy.events.redact import redact, redact_start, redact_text
from harnpy.llm.conversation import texts_of
from harnpy.llm.json_values import mended, mended_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from harnpy.llm.mock_entries import Entry
    from harnpy.llm.request import Request

    Dict = dict[str, Any]

_OPTIONS = ("temperature", "top_p", "top_k", "seed", "stop")
_SHOWN = 200


def asked_by(request: Request) -> Dict:
    """Give what makes up a call besides its prompt, without secrets."""
    provider, model = request.error_place()
    asked: Dict = {
        "provider": provider,
        "model": model,
        "system": request.system,
        "tools": [tool["function"]["name"] for tool in request.tools or []] or None,
        "tool_choice": request.tool_choice,
        "output": None if request.output.kind == "text" else request.output.description(),
        "max_tokens": request.max_tokens,
        "thinking": None if request.thinking["mode"] == "disabled" else request.thinking,
    }
    asked.update((key, request.option(key)) for key in _OPTIONS)
    kept: Dict = redact(mended_inside({key: value for key, value in asked.items() if value is not None}))
    return kept


def prompt_of(request: Request) -> str:
    """Give the text by which a recorded call is found, without secrets."""
    return recorded_text("\n".join(texts_of(request.messages)))


def recorded_text(text: str) -> str:
    """Give a text as a recording has it: without secrets, and of characters only."""
    return redact_text(mended(text))


def check(entry: Entry, request: Request, number: int) -> None:
    """Refuse a call that differs from the record whose prompt it has."""
    recorded, now = entry.asked or {}, asked_by(request)
    for field in sorted({*recorded, *now}):
        if recorded.get(field) != now.get(field):
            raise thrown_text(
                f"--llm-mock: call {number} is the first that differs from the recording: `{field}` of {entry.id} "
                f"was {_shown(recorded.get(field))}, now {_shown(now.get(field))}"
            )


def unknown_prompt(queues: Iterable[list[Entry]], text: str, number: int) -> HarnError:
    """Make the error of a call that no entry of the file answers; a recording says what it had next."""
    message = f'No --llm-mock fixture matched prompt: "{redact_start(text, _SHOWN)}"'
    following = next((entry for queue in queues for entry in queue if entry.asked is not None), None)
    if following is not None:
        message += f"; call {number} is the first that differs from the recording: next there is {following.id}, "
        message += f'asked "{redact_start(following.glob or "", _SHOWN)}"'
    return thrown_text(message)


def _shown(value: Any) -> str:
    if value is None:
        return "not set"
    import json

    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
