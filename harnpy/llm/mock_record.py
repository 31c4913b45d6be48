"""Writes live calls as a fixture document that ``--llm-mock`` can replay, without keys and headers (llm 10.6)."""

from __future__ import annotations

import os
from contextlib import suppress

from harnpy.errors import HarnError
from harnpy.events.redact import redact
from harnpy.llm.errors import RefusedReply
from harnpy.llm.mock_entries import MORE_OF_ERRORS, MORE_OF_REPLIES, RECORDED, SCOPES, number_of
from harnpy.llm.tape import asked_by, prompt_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.llm.usage import Tokens

    Dict = dict[str, Any]

_ERROR_FIELDS = ("category", "message", "status", "kind", "reason", "retry_after_ms")


class Recorder:
    """A fixture document that grows; the file is open only while something is written.

    Each call stands in it from the moment when it ends: a process that is killed loses only what had no answer. Closing
    brings the calls into the order in which they began, as a replay meets them.
    """

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        with open(self._path, "w", encoding="utf-8"):  # begins anew
            pass
        self._number = 0
        self._open: dict[str, RecordedCall] = {}
        self._in_order = True
        self._write({"schemaVersion": 1, "strictScopes": False})

    def begin(self, request: Request) -> RecordedCall:
        """Note a call that goes out; it is written when it ends."""
        scope = request.mock_scope if request.mock_scope in SCOPES else "default"
        head = {"id": f"{RECORDED}{self._number}", "scope": scope, "consume": "once"}
        self._number += 1
        call = RecordedCall({**head, "request": asked_by(request), "match": prompt_of(request)}, self._ended)
        self._open[head["id"]] = call
        return call

    def _ended(self, entry: Dict) -> None:
        self._in_order = self._in_order and entry["id"] == next(iter(self._open))
        del self._open[entry["id"]]
        self._write(entry)

    def _write(self, line: Dict) -> None:
        import json

        try:
            with open(self._path, "a", encoding="utf-8", errors="replace") as file:
                file.write(json.dumps(redact(line), ensure_ascii=False) + "\n")
        except OSError as error:
            raise HarnError(f"--llm-mock-record: cannot write {self._path}: {error.strerror}") from None

    def close(self) -> None:
        """Write what is still open as unanswered, and bring all into order."""
        for call in list(self._open.values()):
            call.unanswered([])
        if not self._in_order:
            # Should it fail, the recording is still whole: a replay sorts it too.
            with suppress(OSError):
                _sort(self._path)


def _sort(path: str) -> None:
    import json

    path = os.path.realpath(path)
    if not os.path.isfile(path):
        return
    with open(path, encoding="utf-8") as file:
        head, *calls = file
    calls.sort(key=lambda line: number_of(json.loads(line)["id"]))
    beside = f"{path}.{os.getpid()}.tmp"
    with open(beside, "w", encoding="utf-8") as file:
        file.writelines([head, *calls])
    os.replace(beside, path)


def _usage(tokens: Tokens) -> Dict:
    return {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write,
    }


class RecordedCall:
    """One call of a recording; it ends once, in one of the three ways below."""

    def __init__(self, entry: Dict, write: Callable[[Dict], None]) -> None:
        self._entry = entry
        self._is_over = False
        self._write = write

    def reply(self, reply: Reply, chunks: list[str] | None = None) -> None:
        """Keep an answer; ``chunks`` are the pieces in which a script saw it."""
        tokens = reply.tokens
        usage = _usage(tokens)
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
        self._end(fields, {name: getattr(reply, name) for name in MORE_OF_REPLIES})

    def failed(self, error: BaseException, chunks: list[str] | None = None) -> None:
        """Keep a failure; what is no error of a call ended it from outside: a deadline, a lost race."""
        value = error.value if isinstance(error, HarnError) else None
        if type(value) is not dict or "reason" not in value:
            self.unanswered(chunks or [])
            return
        kept = {name: value[name] for name in _ERROR_FIELDS if value.get(name) is not None}
        more = {name: value.get(name) for name in MORE_OF_ERRORS}
        if isinstance(error, RefusedReply) and error.reply is not None:
            replies = (error.reply.before, error.reply)
            more["used"] = [_usage(reply.tokens) for reply in replies if reply is not None and reply.tokens.known]
        self._end({"error": kept}, {"chunks": chunks, **more})

    def unanswered(self, chunks: list[str]) -> None:
        """Keep a call that nobody waited for to its end."""
        self._end({}, {"unanswered": True, "chunks": chunks})

    def _end(self, fields: Dict, received: Dict) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._entry.update(fields)
        more = {name: value for name, value in received.items() if value}
        if more:
            self._entry["received"] = more
        self._write(self._entry)
