"""The option ``output``, and how data is taken out of a reply (llm 3.1, 3.2)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.json_values import decoder, read_json
from harnpy.llm.kinds import kind_of, quoted
from harnpy.llm.schema_check import schema_fault
from harnpy.llm.schema_words import json_schema
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VALIDATION = ("error", "warn", "off")
_SETTINGS = ("schema", "strict", "stream_abort", "validation")
_ATTEMPTS = 1000


class Output:
    """What form the reply must have: ``text``, ``json_object`` or ``json_schema`` with its schema.

    ``in_prompt``: the provider is not told; the schema stands in the system text.
    ``watched``: the answer is given up as soon as it certainly breaks the schema.
    """

    __slots__ = ("in_prompt", "kind", "schema", "stream_abort", "strict", "validation", "watched")

    def __init__(
        self,
        kind: str,
        schema: dict[str, Any] | None = None,
        strict: bool = True,
        validation: str = "off",
        stream_abort: bool = True,
    ) -> None:
        self.in_prompt = self.watched = False
        self.kind = kind
        self.schema = schema
        self.strict = strict
        self.validation = validation
        self.stream_abort = stream_abort

    def description(self) -> dict[str, Any]:
        """Give the form that ``mock_calls`` shows."""
        return {"kind": self.kind} if self.schema is None else {"kind": self.kind, "schema": self.schema}


def output_of(option: Any) -> Output:
    """Read the option ``output``."""
    if option is None or option == "text":
        return Output("text")
    if option == "json":
        return Output("json_object")
    if type(option) is not dict:
        raise thrown_text(f'output: expected "text", "json", a schema, or {{schema, ...}}, got {quoted(option)}')
    return _settings(option) if "schema" in option else Output("json_schema", _schema(option, "output"))


def _schema(given: dict[str, Any], place: str) -> dict[str, Any]:
    schema = json_schema(given)
    fault = schema_fault(schema)
    if fault is not None:
        raise thrown_text(f"{place}: {fault}")
    return schema


def _settings(option: dict[str, Any]) -> Output:
    for key in sorted(option):
        if key not in _SETTINGS:
            raise thrown_text(f"output: unknown field `{key}` beside `schema`{close_to(key, _SETTINGS)}")
    schema = option["schema"]
    if schema is None:
        raise thrown_text("output: the {schema, ...} form requires a non-nil `schema`")
    if type(schema) is not dict:
        raise thrown_text("output.schema: expected a JSON Schema object")
    flags = {}
    for key in ("strict", "stream_abort"):
        value = option.get(key)
        if value is not None and type(value) is not bool:
            raise thrown_text(f"output.{key}: expected a bool, got {kind_of(value)}")
        flags[key] = value is not False
    validation = option.get("validation") or "off"
    if type(validation) is not str:
        raise thrown_text(f"output.validation: expected a string, got {kind_of(validation)}")
    if validation not in _VALIDATION:
        raise thrown_text(f'output.validation: expected "error", "warn", or "off", got "{validation}"')
    return Output("json_schema", _schema(schema, "output.schema"), flags["strict"], validation, flags["stream_abort"])


def find_json(text: str) -> tuple[bool, Any]:
    """Find JSON in a reply: the whole text, a fenced block, or the first balanced object or list that parses."""
    stripped = text.strip()
    if not stripped:
        return False, None
    found, value = _parse(stripped)
    if found:
        return True, value
    for block in _fenced(stripped):
        found, value = _parse(block)
        if found:
            return True, value
    return _first_balanced(stripped)


def _parse(text: str) -> tuple[bool, Any]:
    try:
        return True, read_json(text)
    except ValueError:
        return False, None


def _fenced(text: str) -> list[str]:
    """Give the bodies of fenced blocks; fences stand at the start of a line."""
    blocks: list[str] = []
    body: list[str] | None = None
    for line in text.split("\n"):
        if not line.lstrip().startswith("```"):
            if body is not None:
                body.append(line)
        elif body is None:
            body = []
        else:
            blocks.append("\n".join(body))
            body = None
    return blocks


def _first_balanced(text: str) -> tuple[bool, Any]:
    """Parse at one opening bracket after the other; the number of attempts is bounded."""
    reader = decoder()
    position = 0
    for _ in range(_ATTEMPTS):
        starts = [at for at in (text.find("{", position), text.find("[", position)) if at >= 0]
        if not starts:
            break
        try:
            _, end = reader.raw_decode(text, min(starts))
            return _parse(text[min(starts) : end])
        except RecursionError:
            break
        except ValueError:
            position = min(starts) + 1
    return False, None
