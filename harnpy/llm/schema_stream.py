"""Checks the JSON of a structured answer against its schema while it arrives (llm 3.3, "Stream abort")."""

from __future__ import annotations

from harnpy.errors import HarnError
from harnpy.llm.errors import local_error
from harnpy.llm.json_values import read_json
from harnpy.llm.schema import TYPE_WORDS, resolved, schema_errors
from harnpy.llm.structured import retry_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply

    Schema = dict[str, Any]

_BLANK = " \t\r\n"
_DEPTH_LIMIT = 200
# Words with which a value must be seen whole.
_WHOLE = ("allOf", "anyOf", "oneOf", "enum", "const")
_KIND_OF_START = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}
_LENGTHS = (("needs at least", "min_length"), ("may have at most", "max_length"), ("expected type", "wrong_type"))


class Violation(Exception):
    """What is certainly wrong with an answer of which a part has come."""

    def __init__(self, kind: str, detail: str, path: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.path = path or "root"

    def described(self, chunks: int) -> tuple[str, dict[str, Any]]:
        """Give the message of the error and its ``schema_failure``."""
        words = f"streaming response aborted at {self.path}: {self.detail} (after {chunks} chunk(s))"
        fields = {"kind": self.kind, "detail": self.detail, "path": self.path, "chunks_consumed": chunks}
        return words, fields


class _Open:
    """A list or an object that has begun; ``schema`` is ``None`` where only the whole value can be checked."""

    __slots__ = ("begin", "index", "is_list", "key", "keys", "path", "schema", "whole")

    def __init__(self, is_list: bool, schema: Schema | None, whole: Schema | None, path: str, begin: int) -> None:
        self.is_list = is_list
        self.schema = schema
        self.whole = whole
        self.path = path
        self.begin = begin
        self.index = 0
        self.key = ""
        self.keys: set[str] = set()


class SchemaGuard:
    """Takes the pieces of one answer; only an answer that is JSON from its first character is watched."""

    def __init__(self, schema: Schema) -> None:
        self._root = schema
        self.chunks = 0
        self._text = ""  # all of the answer so far
        self._token = -1  # where the string, number or word that is being read begins
        self._escaped = False
        self._open: list[_Open] = []
        self._expects = "value"
        self._watching = True

    def feed(self, piece: str) -> Violation | None:
        """Take the next piece and give what is certainly wrong by now."""
        if not self._watching or not piece:
            return None
        self.chunks += 1
        at, self._text = len(self._text), self._text + piece
        try:
            while at < len(self._text) and self._watching:
                at = self._take(at)
        except Violation as found:
            self._watching = False
            return found
        return None

    def _take(self, at: int) -> int:
        """Read the character at ``at`` and give the place of the next one to read."""
        char = self._text[at]
        if self._token >= 0:
            return self._in_string(at) if self._text[self._token] == '"' else self._in_word(at)
        if char in _BLANK:
            return at + 1
        if not self._open:
            self._begin_root(char, at)
        elif char in "]}":
            self._close(char, at)
        elif self._expects in ("value", "first value"):
            self._begin(char, at)
        elif self._expects in ("key", "first key") and char == '"':
            self._token = at
        elif self._expects == ":" and char == ":":
            self._expects = "value"
        elif self._expects == "," and char == ",":
            self._expects = "value" if self._open[-1].is_list else "key"
        else:
            raise self._broken(f"unexpected {char!r}")
        return at + 1

    def _begin_root(self, char: str, at: int) -> None:
        if char in "{[":
            self._begin(char, at)
        else:
            self._watching = False  # prose, a fence, or a plain value: told only by the whole answer

    def _broken(self, detail: str) -> Violation:
        return Violation("invalid_json", f"the answer is not JSON: {detail}", self._path())

    def _path(self) -> str:
        if not self._open:
            return ""
        inner = self._open[-1]
        if inner.is_list:
            return f"{inner.path}[{inner.index}]"
        return f"{inner.path}.{inner.key}" if inner.path and inner.key else inner.key or inner.path

    # --- values -------------------------------------------------------------------------------

    def _schema_here(self) -> Any:
        """Give the schema of the value that comes next; ``None`` when there is none to check against."""
        if not self._open:
            return self._root
        inner = self._open[-1]
        if inner.schema is None:
            return None
        if inner.is_list:
            return inner.schema.get("items")
        properties = inner.schema.get("properties")
        if type(properties) is dict and inner.key in properties:
            return properties[inner.key]
        return inner.schema.get("additionalProperties")

    def _checked_here(self) -> Schema | None:
        schema = self._schema_here()
        return resolved(schema, self._root) if type(schema) is dict else None

    def _begin(self, char: str, at: int) -> None:
        """Begin a value."""
        kind = _KIND_OF_START.get(char, "number" if char in "-0123456789" else "")
        if not kind:
            raise self._broken(f"unexpected {char!r}")
        schema = self._checked_here()
        if schema is not None:
            self._check_type(kind, schema)
        if char not in "{[":
            self._token = at
            return
        if len(self._open) >= _DEPTH_LIMIT:
            self._watching = False
            return
        whole = schema if schema is not None and any(word in schema for word in _WHOLE) else None
        path = self._path()
        self._open.append(_Open(char == "[", None if whole else schema, whole, path, at))
        self._expects = "first value" if char == "[" else "first key"

    def _check_type(self, kind: str, schema: Schema) -> None:
        wanted = schema.get("type")
        names = [wanted] if type(wanted) is str else wanted if type(wanted) is list else []
        allowed = {TYPE_WORDS.get(name, "any") for name in names}
        if not names or kind in allowed or "any" in allowed or (kind == "null" and schema.get("nullable") is True):
            return
        if kind == "number" and "integer" in allowed:  # told apart when it has ended
            return
        detail = f"expected type '{' | '.join(map(str, names))}', got '{kind}'"
        raise Violation("wrong_type", detail, self._path())

    def _in_string(self, at: int) -> int:
        """Read on in a string up to its end, or to the end of what has come."""
        text, escaped = self._text, self._escaped
        while at < len(text):
            char = text[at]
            at += 1
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"' and at - 1 > self._token:
                self._escaped = False
                self._end_token(at)
                return at
        self._escaped = escaped
        self._check_growth(at)
        return at

    def _check_growth(self, at: int) -> None:
        """Refuse a string that is already too long, as far as that can be told without its escapes."""
        if self._expects not in ("value", "first value"):
            return
        schema = self._checked_here()
        most = None if schema is None or any(word in schema for word in _WHOLE) else schema.get("maxLength")
        if type(most) is int and at - self._token - 1 > most and "\\" not in self._text[self._token : at]:
            detail = f"may have at most {most} characters, has more"
            raise Violation("max_length", detail, self._path())

    def _in_word(self, at: int) -> int:
        """Read on in a number or a word; it ends before the first character that belongs to none."""
        char = self._text[at]
        if char.isalnum() or char in "+-.":
            return at + 1
        self._end_token(at)
        return at

    def _end_token(self, end: int) -> None:
        """Take a string, a number or a word that is complete."""
        source, self._token = self._text[self._token : end], -1
        try:
            value = read_json(source)
        except ValueError:
            raise self._broken(f"cannot read {source[:40]}") from None
        if self._expects in ("key", "first key"):
            self._key(value)
            return
        schema = self._checked_here()
        if schema is not None:
            self._check_whole(value, schema, self._path())
        self._ended()

    def _key(self, key: str) -> None:
        inner = self._open[-1]
        inner.key = key
        inner.keys.add(key)
        self._expects = ":"
        schema = inner.schema
        if schema is None or schema.get("additionalProperties") is not False:
            return
        properties = schema.get("properties")
        if type(properties) is not dict or key not in properties:
            raise Violation("unexpected_property", f"unexpected key '{key}'", inner.path)

    def _check_whole(self, value: Any, schema: Schema, path: str) -> None:
        """Check a value that is complete against its schema."""
        errors = schema_errors(value, schema, self._root)
        if not errors:
            return
        place, _, detail = errors[0].removeprefix("at ").partition(": ")
        kind = next((kind for start, kind in _LENGTHS if detail.startswith(start)), "constraint_violation")
        inner = "" if place == "root" else place
        raise Violation(kind, detail, f"{path}.{inner}" if path and inner and inner[0] != "[" else path + inner)

    # --- lists and objects --------------------------------------------------------------------

    def _close(self, char: str, at: int) -> None:
        inner = self._open[-1]
        closed = self._expects in (",", "first value") if inner.is_list else self._expects in (",", "first key")
        if not closed or (char == "]") is not inner.is_list:
            raise self._broken(f"unexpected {char!r}")
        self._open.pop()
        if inner.whole is not None:
            self._check_whole(read_json(self._text[inner.begin : at + 1]), inner.whole, inner.path)
        elif inner.schema is not None:
            self._check_closed(inner, inner.schema)
        self._ended()

    def _check_closed(self, inner: _Open, schema: Schema) -> None:
        if inner.is_list:
            least = schema.get("minItems")
            if type(least) is int and inner.index < least:
                detail = f"needs at least {least} items, has {inner.index}"
                raise Violation("min_length", detail, inner.path)
            return
        required = schema.get("required")
        for key in required if type(required) is list else []:
            if key not in inner.keys:
                raise Violation("missing_required", f"missing required key '{key}'", inner.path)

    def _ended(self) -> None:
        """Go on behind a value that is complete."""
        self._expects = ","
        if not self._open:
            self._watching = False  # what follows the value is not a part of it
            return
        inner = self._open[-1]
        if not inner.is_list:
            inner.key = ""
            return
        inner.index += 1
        most = None if inner.schema is None else inner.schema.get("maxItems")
        if type(most) is int and inner.index > most:
            detail = f"may have at most {most} items, has {inner.index}"
            raise Violation("max_length", detail, inner.path)


class StreamAborted(HarnError):
    """An answer that was given up while it arrived; ``reply`` is what had come."""

    reply: Reply | None = None


def guard_of(request: Request) -> SchemaGuard | None:
    """Give what watches the answer to a request, ``None`` when nothing does."""
    output = request.output
    if not output.watched or output.schema is None or output.in_prompt:
        return None
    return SchemaGuard(output.schema)


def aborted(request: Request, violation: Violation, chunks: int, reply: Reply) -> StreamAborted:
    """Make the error of an answer that is given up."""
    message, failure = violation.described(chunks)
    provider, model = request.error_place()
    fields = {"source": "provider_stream", "phase": "streaming", "partial": reply.text or None}
    error = local_error(
        "unknown", message, provider, model, category="schema_stream_aborted", schema_failure=failure, **fields
    )
    given_up = StreamAborted(error.value)
    given_up.reply = reply
    return given_up


def watch_chunks(request: Request, reply: Reply, chunks: list[str]) -> None:
    """Watch the chunks of a mocked answer, as those of a provider are watched."""
    guard = guard_of(request) if request.stream else None
    if guard is None:
        return
    for chunk in chunks:
        violation = guard.feed(chunk)
        if violation is not None:
            raise aborted(request, violation, guard.chunks, reply)


def is_aborted(error: HarnError) -> bool:
    """Tell whether an answer was given up while it arrived."""
    return type(error.value) is dict and error.value.get("category") == "schema_stream_aborted"


def with_status(error: HarnError, request: Request, attempts: int) -> HarnError:
    """Give the error of the last answer that was given up, with how often was asked."""
    status = retry_status(request, attempts)
    return HarnError({**error.value, "schema_retry": status}, thrown=error.thrown)
