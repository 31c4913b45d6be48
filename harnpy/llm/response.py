"""The result dict of a call, ``LlmResponse``, from what an adapter read (llm 6)."""

from __future__ import annotations

from harnpy.llm.json_values import json_text, mended, read_json
from harnpy.llm.output import find_json
from harnpy.llm.visible import split_thinking, visible_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.usage import Tokens

    Dict = dict[str, Any]

REFUSED = frozenset(
    """
    refusal content_filter content_filtered safety recitation prohibited_content blocklist image_safety
    """.split()
)
TRUNCATED = frozenset(("length", "max_tokens", "max_output_tokens", "model_length"))


class Reply:
    """What came back, before it is made into a result: the same for all providers and the mock."""

    __slots__ = (
        "before",
        "blocks",
        "logprobs",
        "model",
        "provider",
        "response_id",
        "search_blocks",
        "serving_tier",
        "stop_reason",
        "text",
        "thinking",
        "thinking_blocks",
        "thinking_summary",
        "tokens",
        "tool_calls",
    )

    def __init__(self, provider: str, model: str, text: str, tokens: Tokens) -> None:
        self.provider = provider
        self.model = model
        self.text = text
        self.tokens = tokens
        self.thinking: str | None = None
        self.thinking_summary: str | None = None
        # What the provider wants back unchanged with the next turn.
        self.thinking_blocks: list[Dict] = []
        self.stop_reason: str | None = None
        self.tool_calls: list[Dict] = []
        self.blocks: list[Dict] | None = None
        # What the provider's own search for tools said and found.
        self.search_blocks: list[Dict] = []
        self.logprobs: Any = None
        self.response_id: str | None = None
        # The word of the provider for the tier that served the call.
        self.serving_tier: str | None = None
        # The reply without content that was asked for again.
        self.before: Reply | None = None


def read_arguments(text: Any) -> Any:
    """Read the arguments of a tool call; what is not JSON is kept as an error for the model."""
    if type(text) is dict:
        # Parsed with the reply, by looser rules than those of the language.
        try:
            text = json_text(text)
        except RecursionError:
            return _unreadable_arguments("nested too deeply")
    if text is None or (type(text) is str and not text.strip()):
        return {}
    problem = "expected an object"
    if type(text) is str:
        try:
            value = read_json(text)
        except ValueError as error:
            problem = str(error)
        else:
            if type(value) is dict:
                return value
    return _unreadable_arguments(problem)


def _unreadable_arguments(problem: str) -> Dict:
    return {"__parse_error": f"Could not parse tool arguments as JSON: {problem}"}


def tool_call(call_id: str, name: str, arguments: Any) -> Dict:
    """Give one entry of ``tool_calls``."""
    return {"id": call_id, "type": "tool_call", "name": name, "arguments": arguments}


def outcome_kind(said: str, calls: list[Dict], thinking: str | None, stop_reason: str | None) -> str:
    """Give the kind of outcome: the first rule that fits (llm 6.1)."""
    if not said and not calls and not thinking:
        return "empty"
    stop = (stop_reason or "").lower()
    if stop in REFUSED:
        return "refused"
    if stop == "pause_turn":
        return "paused"
    if stop in TRUNCATED:
        return "truncated"
    return "tool_use" if calls else "complete"


def _blocks(reply: Reply, text: str) -> list[Dict]:
    blocks: list[Dict] = []
    if reply.thinking:
        blocks.append({"type": "reasoning", "text": reply.thinking, "visibility": "private"})
    if reply.thinking_summary:
        blocks.append({"type": "reasoning_summary", "text": reply.thinking_summary, "visibility": "private"})
    blocks += reply.search_blocks
    if text:
        blocks.append({"type": "output_text", "text": text, "visibility": "public"})
    for call in reply.tool_calls:
        fields = {"id": call["id"], "name": call["name"], "arguments": call["arguments"]}
        blocks.append({"type": "tool_call", **fields, "visibility": "internal"})
    return blocks


def _assistant_message(reply: Reply) -> Dict:
    message: Dict = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = reply.tool_calls
    if reply.thinking_blocks:
        message["thinking_blocks"] = reply.thinking_blocks
    return message


def _transcript(request: Request, reply: Reply) -> Dict:
    events: list[Dict] = [{"kind": "provider_payload", "provider": reply.provider, "model": reply.model}]
    if reply.thinking:
        events.append({"kind": "private_reasoning", "text": reply.thinking})
    if reply.thinking_summary:
        events.append({"kind": "thinking_summary", "text": reply.thinking_summary})
    messages = [*request.messages, _assistant_message(reply)]
    return {"_type": "transcript", "messages": messages, "events": events, "state": "active"}


def data_of(reply: Reply) -> tuple[bool, Any]:
    """Find the structured value of a reply: its text first, then its public blocks and the arguments of its calls."""
    public = [
        str(b.get("text") or "") for b in reply.blocks or [] if type(b) is dict and b.get("type") == "output_text"
    ]
    for text in (reply.text, "".join(public)):
        found, value = find_json(text)
        if found:
            return True, value
    for call in reply.tool_calls:
        if "__parse_error" not in call["arguments"]:
            return True, call["arguments"]
    return False, None


def _parsed(request: Request, reply: Reply) -> Dict | None:
    """Take the protocol of the text formats out of a reply, when it may hold any."""
    if request.tool_format == "native":
        return None
    from harnpy.llm.text_tools import has_marks, parse_text_calls

    if request.text_tools is None and not has_marks(reply.text):
        return None
    return parse_text_calls(reply.text, request.text_tools, request.tool_format)


def _public_text(reply: Reply, parsed: Dict) -> str:
    text: str = parsed["prose"]
    return text if text or reply.tool_calls else reply.text


def build_response(request: Request, reply: Reply, usage: Dict) -> Dict:
    """Make the result dict."""
    reply.text = mended(reply.text)
    if request.tool_format != "native" and request.option("stop_at_tool_call"):
        from harnpy.llm.text_tools import cut_after_call

        reply.text = cut_after_call(reply.text, request.tool_format)
    reply.thinking = None if reply.thinking is None else mended(reply.thinking)
    raw = reply.text
    if request.row is not None and request.row["emits_inline_reasoning"]:
        reply.text, inline = split_thinking(raw)
        reply.thinking = reply.thinking or inline
    visible = visible_text(raw)
    native, parsed = list(reply.tool_calls), _parsed(request, reply)
    if parsed is not None and not native:
        reply.tool_calls = parsed["calls"]
    # A reply of a marker alone, or of a call that cannot be read, shows nothing and is not empty.
    said = split_thinking(raw)[0].strip()
    kind = outcome_kind(said, reply.tool_calls, reply.thinking, reply.stop_reason)
    response: Dict = {
        "text": reply.text if parsed is None else _public_text(reply, parsed),
        "raw_text": raw,
        "visible_text": visible,
        "stop_reason": reply.stop_reason,
        "outcome": {"kind": kind, "billed": usage["input_tokens"] > 0 or usage["output_tokens"] > 0},
        "tool_calls": list(reply.tool_calls),
        "native_tool_calls": native,
        "blocks": _blocks(reply, reply.text) if reply.blocks is None else reply.blocks,
        "model": reply.model,
        "provider": reply.provider,
        "usage": usage,
        "transcript": _transcript(request, reply),
    }
    optional = {
        "thinking": reply.thinking,
        "thinking_blocks": reply.thinking_blocks or None,
        "thinking_summary": reply.thinking_summary,
        "provider_response_id": reply.response_id,
        "logprobs": reply.logprobs,
    }
    if parsed is not None:
        optional.update(canonical_text=parsed["canonical_text"], done_marker=parsed["done_marker"] or None)
        optional["tool_parse_errors"] = parsed["tool_parse_errors"] or None
        optional["protocol_violations"] = parsed["protocol_violations"] or None
    response.update((key, value) for key, value in optional.items() if value is not None)
    return response
