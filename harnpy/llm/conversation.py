"""The conversation of a call: messages from prompt or list, the system text from its fragments (llm 2.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.errors import HarnError

    Message = dict[str, Any]

ROLES = ("assistant", "system", "tool", "tool_result", "user")
_RESULT_ROLES = ("tool", "tool_result")
_ID_KEYS = ("tool_call_id", "tool_use_id", "name", "tool_name")
# Kinds of content that every wire reads in our form; blocks of other kinds go through as they are.
_BLOCK_KINDS = ("audio", "document", "image", "pdf", "text", "video")
_FILE_KINDS = ("audio", "document", "pdf")
_FRAGMENT_KEYS = ("content", "title", "position", "enabled")
_BLOCK_ALIASES = {"file_uri": "url", "data": "base64", "mime_type": "media_type"}


def messages_of(prompt: str, messages: list[Any] | None, provider: str) -> list[Message]:
    """Give the messages to send: the list when there is one, else one user message with ``prompt``."""
    if messages is None:
        return [{"role": "user", "content": prompt}]
    if not messages:
        raise thrown_text("llm_call: invalid `messages`: the list is empty; leave `messages` out to send the prompt")
    return [_message(f"messages[{index}]", message, provider) for index, message in enumerate(messages)]


def _wrong(detail: str) -> HarnError:
    return thrown_text(f"llm_call: invalid `messages`: {detail}")


def _message(place: str, message: Any, provider: str) -> Message:
    if type(message) is not dict:
        raise _wrong(f"{place} must be a dict, got {kind_of(message)}")
    role = message.get("role")
    if type(role) is not str:
        raise _wrong(f"{place} needs a `role`")
    if role not in ROLES:
        raise _wrong(f"{place}.role: expected {', '.join(ROLES)}, got {quoted(role)}{close_to(role, ROLES)}")
    content = message.get("content")
    if content is None and role in ("system", "user"):
        raise _wrong(f"{place} ({role}) needs `content`")
    if role in _RESULT_ROLES and not any(message.get(key) for key in _ID_KEYS):
        raise _wrong(f"{place} ({role}) needs the `tool_call_id` of the call that it answers")
    if type(content) is dict:
        content = [content]
    if type(content) is list:
        content = [_block(f"{place}.content[{index}]", block, provider) for index, block in enumerate(content)]
    elif content is not None and type(content) is not str:
        raise _wrong(f"{place}.content: expected a string, a block or a list of blocks, got {kind_of(content)}")
    _check_fields(place, message)
    return {**message, "content": "" if content is None else content}


def _check_fields(place: str, message: Message) -> None:
    """Refuse calls, reasoning and ids of a form that no wire can send."""
    for key in _ID_KEYS:
        if type(message.get(key)) not in (type(None), int, str):
            raise _wrong(f"{place}.{key}: expected a string, got {kind_of(message[key])}")
    for key in ("thinking_blocks", "tool_calls"):
        listed = message.get(key)
        if listed is not None and (type(listed) is not list or any(type(item) is not dict for item in listed)):
            raise _wrong(f"{place}.{key}: expected a list of dicts")
    for index, call in enumerate(message.get("tool_calls") or []):
        inner = call.get("function", call)
        if type(inner) is not dict or type(inner.get("name")) is not str:
            raise _wrong(f"{place}.tool_calls[{index}]: a call needs a `name`")


def _block(place: str, block: Any, provider: str) -> Any:
    if type(block) is str:
        return {"type": "text", "text": block}
    if type(block) is not dict:
        raise _wrong(f"{place}: a content block must be a dict, got {kind_of(block)}")
    kind = block.get("type")
    if type(kind) is not str:
        raise _wrong(f"{place}: a content block needs a `type`")
    if kind == "text" and type(block.get("text")) is not str:
        raise _wrong(f"{place}: a text block needs `text`")
    if type(block.get("text", "")) is not str:
        raise _wrong(f"{place}.text: expected a string, got {kind_of(block['text'])}")
    if kind == "image":
        return _image(_renamed(block), provider)
    if kind in _FILE_KINDS:
        return _file(kind, _renamed(block))
    hint = "" if kind in _BLOCK_KINDS else close_to(kind, _BLOCK_KINDS)
    if hint:
        raise _wrong(f"{place}.type: unknown kind {quoted(kind)}{hint}")
    return block


def _renamed(block: Message) -> Message:
    return {_BLOCK_ALIASES.get(key, key): value for key, value in block.items()}


def _check_source(kind: str, block: Message) -> None:
    for key in ("base64", "file_id", "media_type", "url"):
        if block.get(key) is not None and (type(block[key]) is not str or not block[key]):
            raise thrown_text(f"llm_call {kind} content: `{key}` must be a non-empty string")


def _image(image: Message, provider: str) -> Message:
    _check_source("image", image)
    if (image.get("url") is None) == (image.get("base64") is None):
        raise thrown_text("llm_call image content requires exactly one of url or base64")
    if image.get("media_type") is None:
        raise thrown_text("llm_call image content requires media_type")
    if image.get("detail") not in (None, "low", "high", "auto"):
        raise thrown_text('llm_call image detail must be "low", "high", or "auto"')
    if provider == "ollama" and image.get("url") is not None:
        raise thrown_text('llm_call: provider "ollama" requires image base64; url image content is not supported')
    return image


def _file(kind: str, block: Message) -> Message:
    """Check a block of another kind of file; blocks in the form of one provider go through."""
    _check_source(kind, block)
    if any(key in block for key in ("source", "file", "input_audio")):
        return block
    if sum(block.get(key) is not None for key in ("base64", "file_id", "url")) != 1:
        raise thrown_text(f"llm_call {kind} content requires exactly one of base64 or file_id")
    if kind == "audio" and block.get("media_type") is None:
        raise thrown_text("llm_call audio content requires media_type")
    return block


def texts_of(messages: list[Message]) -> list[str]:
    """Give every string content and text block, in order."""
    texts = []
    for message in messages:
        content = message.get("content")
        if type(content) is str:
            texts.append(content)
        elif type(content) is list:
            texts += [b["text"] for b in content if type(b) is dict and type(b.get("text")) is str]
    return texts


def system_text(primary: str | None, option: Any) -> str | None:
    """Fold the positional system text and the option ``system`` into one text, or ``None``."""
    if type(option) is dict:
        return _replacement(option)
    if type(option) is list:
        return _folded(primary, option)
    if option is not None and type(option) is not str:
        raise thrown_text(f"llm_call: invalid `system`: expected a string, a list or a dict, got {kind_of(option)}")
    text = primary if primary is not None and primary.strip() else option
    return text if text else None


def _replacement(option: dict[str, Any]) -> str | None:
    if option.get("mode") != "replace":
        raise thrown_text(f'system.mode: expected "replace", got {quoted(option.get("mode"))}')
    unknown = next((key for key in sorted(option) if key not in ("content", "mode")), None)
    if unknown is not None:
        raise thrown_text(f"system: unknown key `{unknown}` — the replacement takes `mode` and `content`.")
    if "content" not in option:
        raise thrown_text("system: the replacement needs `content`")
    return _content("system", option.get("content")) or None


def _folded(primary: str | None, fragments: list[Any]) -> str | None:
    before: list[str] = []
    after: list[str] = []
    for index, fragment in enumerate(fragments):
        if type(fragment) is str:
            before.append(fragment)
            continue
        _check_fragment(index, fragment)
        if fragment.get("enabled") is False:
            continue
        text = _content(f"system[{index}]", fragment.get("content"))
        if fragment.get("title"):
            text = f"## {fragment['title']}\n{text}"
        (after if fragment.get("position") == "after" else before).append(text)
    parts = [*before, primary or "", *after]
    return "\n\n".join(part for part in parts if part.strip()) or None


def _check_fragment(index: int, fragment: Any) -> None:
    if type(fragment) is not dict:
        raise thrown_text(f"system[{index}]: expected a string or a fragment dict, got {kind_of(fragment)}")
    for key in sorted(fragment):
        if key == "text":
            raise thrown_text(
                f"system[{index}]: fragment key `text` was removed — use `content`. "
                "Fragments take `content`, `title`, `position` and `enabled`."
            )
        if key not in _FRAGMENT_KEYS:
            raise thrown_text(
                f"system[{index}]: unknown fragment key `{key}` — fragments take `content`, `title`, "
                "`position` and `enabled`."
            )
    position = fragment.get("position")
    if position not in (None, "before", "after"):
        raise thrown_text(f'system[{index}].position: expected "before" or "after", got {quoted(position)}')
    for key, kind, words in (("enabled", bool, "a bool"), ("title", str, "a string")):
        if fragment.get(key) is not None and type(fragment[key]) is not kind:
            raise thrown_text(f"system[{index}].{key}: expected {words}, got {kind_of(fragment[key])}")


def _content(place: str, content: Any) -> str:
    if content is None or type(content) is str:
        return content or ""
    raise thrown_text(f"{place}.content: expected a string, got {kind_of(content)}")
