"""Finds tool calls that a model wrote into its text, in the formats ``text`` and ``json`` (llm 5.3)."""

from __future__ import annotations

from harnpy.llm.tool_contract import contract
from harnpy.llm.tool_literals import LiteralFault, is_name_start, name_end, read_object, skip_blank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Dict = dict[str, Any]

__all__ = ["contract", "cut_after_call", "has_marks", "parse_text_calls"]

_TAGS = ("tool_call", "assistant_prose", "user_response", "done")
_PREFIXES = (
    "tool_code:", "tool_call:", "call:", "tool:", "use:", "python:", "javascript:", "typescript:", "shell:", "bash:",
)  # fmt: skip
_FENCE = "```"
_LISTED = 20
_EXCERPT = 120
# A reply with more broken calls than this is not read on.
_ERROR_LIMIT = 50


def has_marks(text: str) -> bool:
    """Tell whether a text carries any mark of the protocol."""
    return any(f"<{tag}>" in text for tag in _TAGS) or "```tool" in text


def cut_after_call(text: str, tool_format: str) -> str:
    """Give a reply up to the end of its first complete call block."""
    opening, closing = ("```tool\n", "\n```") if tool_format == "json" else ("<tool_call>", "</tool_call>")
    start = text.find(opening)
    end = text.find(closing, start + len(opening)) if start >= 0 else -1
    return text if end < 0 else text[: end + len(closing)]


def parse_text_calls(text: str, tools: list[Dict] | None, tool_format: str) -> Dict:
    """Take a reply apart: its calls, errors, violations, prose, answer, end marker, and its clean form for history."""
    cleaned = _without_thinking(text)
    names = [tool["name"] for tool in tools or ()]
    reader = _Reader(cleaned, names)
    if tool_format == "json":
        reader.read_json_blocks()
    else:
        reader.read_blocks()
    if not reader.calls and not reader.errors:
        reader.read_wire_calls()
    return reader.result()


def _without_thinking(text: str) -> str:
    """Delete reasoning; a tag without its partner goes alone."""
    kept, position = [], 0
    while (start := text.find("<think>", position)) >= 0:
        end = text.find("</think>", start)
        if end < 0:
            break
        kept.append(text[position:start])
        position = end + len("</think>")
    kept.append(text[position:])
    return "".join(kept).replace("<think>", "").replace("</think>", "")


class _Reader:
    """One pass over a reply."""

    def __init__(self, text: str, names: list[str]) -> None:
        self._text = text
        self._names = frozenset(names)
        self.calls: list[Dict] = []
        self.errors: list[str] = []
        self.violations: list[Dict] = []
        self._prose: list[str] = []
        self._answers: list[str] = []
        self._done = ""
        self._canonical: list[str] = []
        self._recovered = 0
        self._has_call_block = "<tool_call>" in text
        self._has_marks = has_marks(text)

    def result(self) -> Dict:
        """Give what was found."""
        answers = "\n\n".join(self._answers)
        return {
            "calls": self.calls,
            "tool_parse_errors": self.errors,
            "protocol_violations": self.violations,
            "prose": answers or "\n\n".join(self._prose),
            "user_response": answers,
            "done_marker": self._done,
            "canonical_text": "\n".join(self._canonical) if self._canonical else self._text.strip(),
            "recovered_from_stray_count": self._recovered,
        }

    # --- format text ------------------------------------------------------------------------------

    def read_blocks(self) -> None:
        """Read a sequence of tagged blocks; what stands between them is not part of the protocol."""
        position = stray = 0
        while len(self.errors) < _ERROR_LIMIT and (start := self._text.find("<", position)) >= 0:
            end = self._block(start, stray)
            if end is None:
                position = start + 1
            else:
                position = stray = end
        self._stray(stray, len(self._text))

    def _block(self, start: int, stray: int) -> int | None:
        """Read the block at ``start`` and give its end; ``None`` when there is none."""
        tag = next((tag for tag in _TAGS if self._text.startswith(f"<{tag}>", start)), None)
        if tag is None:
            return self._odd_tag(start, stray)
        self._stray(stray, start)
        inside = start + len(tag) + 2
        if tag == "tool_call":
            return self._call_block(inside)
        closing = self._text.find(f"</{tag}>", inside)
        if closing < 0:
            self._violation("unclosed_tag", f"<{tag}> has no </{tag}>", self._text[start:])
            return len(self._text)
        self._tagged(tag, self._text[inside:closing].strip())
        return closing + len(tag) + 3

    def _tagged(self, tag: str, body: str) -> None:
        if tag == "done":
            if not body:
                self._violation("empty_done", "<done> is empty", "")
                return
            self._done = body
        elif body:
            (self._answers if tag == "user_response" else self._prose).append(body)
        self._canonical.append(f"<{tag}>{body}</{tag}>")

    def _odd_tag(self, start: int, stray: int) -> int | None:
        """Read ``<name({...})>`` of a known tool, or note a tag that is not of the protocol."""
        end = name_end(self._text, start + 1)
        name = self._text[start + 1 : end]
        if name in self._names and self._text.startswith("(", end):
            self._stray(stray, start)
            after = self._call(name, end, recovered="written as a tag `<name({ ... })>`")
            if after is None:
                return end
            after = skip_blank(self._text, after)
            return after + 1 if self._text.startswith(">", after) else after
        if name and self._text.startswith(">", end) and self._has_marks:
            self._violation("unknown_tag", f"<{name}> is not a tag of the protocol", self._text[start : end + 1])
        return None

    def _call_block(self, inside: int) -> int:
        """Read what stands in ``<tool_call>``: exactly one call. Its strings may hold the closing tag."""
        found = _calls_in(self._text, inside)
        end = skip_blank(self._text, found[-1][3]) if found and found[-1][2] is None else inside
        closed = self._text.startswith("</tool_call>", end)
        closing = end if closed else self._text.find("</tool_call>", end)
        if closing < 0:
            self._violation("unclosed_call", "<tool_call> has no </tool_call>", self._text[inside:])
            return len(self._text)
        here = [call for call in found if call[1] < closing]
        if not here:
            self.errors.append("<tool_call> did not contain a bare `name({ ... })` expression")
        elif len(here) > 1 and here[1][2] is None:
            self.errors.append(f"<tool_call> contained {len(here)} calls; emit one call per <tool_call> block.")
        else:
            after = self._call(here[0][0], here[0][1])
            if after is not None and self._text[after:closing].strip():
                self._violation("stray_text", "stray text inside <tool_call>", self._text[after:closing])
        return closing + len("</tool_call>")

    def _call(self, name: str, paren: int, recovered: str = "") -> int | None:
        """Take the call whose arguments begin at ``paren``, and give its end; ``None`` when it cannot be read."""
        arguments, detail, end = _arguments(self._text, paren)
        if name not in self._names:
            self.errors.append(self._unknown(name) if detail is None else _parse_error(name, detail))
        elif detail is not None:
            self.errors.append(_parse_error(name, detail))
        else:
            if recovered:
                self._recovered += 1
                self._violation("recovered_call", f"call of `{name}` {recovered}", self._text[paren:end])
            self._add(name, arguments)
            return end
        return None

    def _unknown(self, name: str) -> str:
        listed = ", ".join(sorted(self._names)[:_LISTED])
        return f"Unknown tool '{name}'. Available tools: [{listed}]"

    def _add(self, name: str, arguments: Dict, call_id: str = "") -> None:
        import json

        number = len(self.calls)
        self.calls.append({"id": call_id or f"tc_{number}", "type": "tool_call", "name": name, "arguments": arguments})
        written = json.dumps(arguments, ensure_ascii=False, sort_keys=True)
        self._canonical.append(f"<tool_call>{name}({written if arguments else ''})</tool_call>")

    def _violation(self, kind: str, message: str, excerpt: str) -> None:
        entry = {"kind": kind, "message": message}
        self.violations.append({**entry, "excerpt": excerpt.strip()[:_EXCERPT]} if excerpt.strip() else entry)

    # --- text outside of blocks -------------------------------------------------------------------

    def _stray(self, start: int, end: int) -> None:
        """Look for calls without their tags; all other text here is against the protocol."""
        text = self._text[start:end]
        if not text.strip():
            return
        before = len(self.calls) + len(self.errors)
        if not self._has_call_block:
            self._bare_calls(start, end)
        if len(self.calls) + len(self.errors) == before and self._has_marks:
            self._violation("stray_text", "text outside of tags was dropped", text)

    def _bare_calls(self, line_start: int, limit: int) -> None:
        while line_start < limit and len(self.errors) < _ERROR_LIMIT:
            position = _call_start(self._text, line_start)
            end = name_end(self._text, position)
            name = self._text[position:end]
            after: int | None = None
            if name in self._names and self._text.startswith("(", end) and _is_literal(self._text, end + 1):
                after = self._call(name, end, recovered="emitted as bare text outside `<tool_call>` tags")
            next_line = self._text.find("\n", after or line_start)
            if next_line < 0:
                break
            line_start = next_line + 1

    # --- format json ------------------------------------------------------------------------------

    def read_json_blocks(self) -> None:
        """Read fenced ``tool`` blocks; tags of answers and of the end count too, all other text is prose."""
        prose: list[str] = []
        body: list[str] | None = None
        for line in self._text.split("\n"):
            if body is None and line.strip() == _FENCE + "tool":
                body = []
            elif body is not None and line.strip() == _FENCE:
                self._json_call("\n".join(body))
                body = None
            else:
                (prose if body is None else body).append(line)
        if body is not None:
            self._violation("unclosed_call", "a ```tool block has no end", "\n".join(body))
        self._json_prose("\n".join(prose))
        self._canonical = [self._text.strip()]

    def _json_prose(self, text: str) -> None:
        for tag in ("user_response", "assistant_prose", "done"):
            kept, position = [], 0
            while (start := text.find(f"<{tag}>", position)) >= 0:
                end = text.find(f"</{tag}>", start)
                if end < 0:
                    break
                self._tagged(tag, text[start + len(tag) + 2 : end].strip())
                kept.append(text[position:start])
                position = end + len(tag) + 3
            text = "".join([*kept, text[position:]])
        if text.strip():
            self._prose.append(text.strip())

    def _json_call(self, body: str) -> None:
        from harnpy.llm.json_values import read_json

        try:
            call = read_json(body)
        except ValueError as error:
            self.errors.append(f"TOOL CALL PARSE ERROR: a ```tool block is not valid JSON: {error}")
            return
        name = call.get("name") if type(call) is dict else None
        if type(name) is not str:
            self.errors.append('TOOL CALL PARSE ERROR: a ```tool block must hold {"name": ..., "args": {...}}')
            return
        arguments = call.get("args", call.get("arguments"))
        if name not in self._names:
            self.errors.append(self._unknown(name))
        elif arguments is not None and type(arguments) is not dict:
            self.errors.append(_parse_error(name, ""))
        else:
            self._add(name, arguments or {})

    def read_wire_calls(self) -> None:
        """Read calls in the JSON form of a provider, when the whole text is that."""
        stripped = self._text.strip()
        if not stripped.startswith(("[", "{")) or '"function"' not in stripped:
            return
        from harnpy.llm.json_values import read_json
        from harnpy.llm.response import read_arguments

        try:
            value = read_json(stripped)
        except ValueError:
            return
        listed = value if type(value) is list else [value]
        for entry in listed:
            function = entry.get("function") if type(entry) is dict else None
            if type(function) is not dict or function.get("name") not in self._names:
                return
        for entry in listed:
            given = entry.get("id")
            arguments = read_arguments(entry["function"].get("arguments"))
            self._add(entry["function"]["name"], arguments, given if type(given) is str else "")


def _call_start(text: str, at: int) -> int:
    """Give where a call on this line would begin: after blanks and one prefix such as ``call:``."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    for prefix in _PREFIXES:
        if text[at : at + len(prefix)].lower() == prefix:
            at += len(prefix)
            while text[at : at + 1] in (" ", "\t"):
                at += 1
            break
    return at


def _is_literal(text: str, at: int) -> bool:
    """Tell whether an argument begins like an object literal or is empty, unlike prose in parentheses."""
    try:
        at = skip_blank(text, at)
    except LiteralFault:
        return True
    return text[at : at + 1] in ("{", ")")


def _arguments(text: str, paren: int) -> tuple[Dict, str | None, int]:
    """Read ``({...})``: arguments, what is wrong (``""``: no object literal), and the end."""
    try:
        at = skip_blank(text, paren + 1)
        if text.startswith(")", at):
            return {}, None, at + 1
        if not text.startswith("{", at):
            return {}, "" if at < len(text) else "missing closing `)`", at
        arguments, at = read_object(text, at)
        at = skip_blank(text, at)
        if text.startswith(",", at):
            at = skip_blank(text, at + 1)
    except LiteralFault as fault:
        return {}, str(fault), paren + 1
    if not text.startswith(")", at):
        return {}, "missing closing `)`", at
    return arguments, None, at + 1


def _parse_error(name: str, detail: str) -> str:
    if not detail:
        return f"Tool '{name}' must be called with an object literal argument like {name}({{ ... }})."
    if detail == "missing closing `)`":
        rule = "Every tool call must be a complete TypeScript expression."
    else:
        rule = "Tool arguments must be a TypeScript object literal: `{ key: value, key: value }`."
    return f"TOOL CALL PARSE ERROR: `{name}(...)` — {detail}. {rule}"


def _calls_in(text: str, at: int) -> list[tuple[str, int, str | None, int]]:
    """Give the calls that follow each other from ``at``: name, place of ``(``, what is wrong, end."""
    found: list[tuple[str, int, str | None, int]] = []
    while True:
        try:
            at = skip_blank(text, at)
        except LiteralFault:
            return found
        if not is_name_start(text[at : at + 1] or " "):
            return found
        end = name_end(text, at)
        if not text.startswith("(", end):
            return found
        _, detail, after = _arguments(text, end)
        found.append((text[at:end], end, detail, after))
        if detail is not None:
            return found
        at = after
