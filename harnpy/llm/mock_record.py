"""Writes live calls as a fixture document that ``--llm-mock`` can replay, without keys and headers (llm 10.6)."""

from __future__ import annotations

from harnpy.events.redact import redact
from harnpy.llm.mock_entries import SCOPES
from harnpy.llm.tape import asked_by, prompt_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply

    Dict = dict[str, Any]

_ERROR_FIELDS = ("category", "message", "status", "kind", "reason", "retry_after_ms")


class Recorder:
    """An open fixture document; each call is written when it ends."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 (closed by ``close``)
        self._number = 0
        self._write({"schemaVersion": 1, "strictScopes": False})

    def reply(self, request: Request, reply: Reply, chunks: list[str] | None = None) -> None:
        """Write a call that was answered; ``chunks`` are the pieces in which a script saw it."""
        tokens = reply.tokens
        usage = {
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "cache_read_tokens": tokens.cache_read,
            "cache_write_tokens": tokens.cache_write,
        }
        if tokens.total == tokens.input + tokens.output:
            usage["total_tokens"] = tokens.total
        fields: Dict = {"text": reply.text, "model": reply.model, "provider": reply.provider, "usage": usage}
        for name in ("thinking", "stop_reason"):
            if getattr(reply, name) is not None:
                fields[name] = getattr(reply, name)
        if chunks:
            fields["stream_chunks"] = chunks
        if reply.tool_calls:
            fields["tool_calls"] = [
                {"id": call["id"], "name": call["name"], "arguments": call["arguments"]} for call in reply.tool_calls
            ]
        self._entry(request, fields)

    def error(self, request: Request, error: Any) -> None:
        """Write a call that failed; an error that is no dict is a fault of the script, not of the provider."""
        if type(error) is dict and error.get("origin") == "provider":
            kept = {name: error[name] for name in _ERROR_FIELDS if error.get(name) is not None}
            self._entry(request, {"error": kept})

    def _entry(self, request: Request, fields: Dict) -> None:
        scope = request.mock_scope if request.mock_scope in SCOPES else "default"
        head = {"id": f"record-{self._number}", "scope": scope, "consume": "once"}
        self._number += 1
        self._write({**head, "request": asked_by(request), "match": prompt_of(request), **fields})

    def _write(self, line: Dict) -> None:
        import json

        self._file.write(json.dumps(redact(line), ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
