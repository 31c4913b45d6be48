"""The mock of model calls as builtins, and the fixture documents that it reads and records (llm 10)."""

from __future__ import annotations

from harnpy.capabilities.llm import llm_state
from harnpy.errors import thrown_text
from harnpy.llm.mock import known_scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.runtime.context import Context

    Dict = dict[str, Any]


# Who else wants to know of the first call that a file does not answer: gets the path and what there is to say.
MISS_LISTENERS: list[Callable[[str, str], None]] = []


def load_mock_file(ctx: Context, path: str) -> int:
    """Load the fixture document of ``--llm-mock`` and give the number of its entries.

    Raises:
        HarnError: names the file, and the line of a bad entry.
    """
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeError) as error:
        raise thrown_text(f"--llm-mock: cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        count = llm_state(ctx).mock.load(text, from_file=True)
    except ValueError as fault:
        raise thrown_text(f"--llm-mock: {path}: {fault}") from None
    llm_state(ctx).mock.on_miss = lambda text: _tell_of_miss(ctx, path, text)
    return count


def _tell_of_miss(ctx: Context, path: str, text: str) -> None:
    """Say on standard error what the program may take for a failure of the model, and try again."""
    from harnpy.render import printable

    ctx.write_err(f"warning: --llm-mock {printable(path)}: {printable(text)}\n")
    for listener in MISS_LISTENERS:
        listener(path, text)


def record_mock_file(ctx: Context, path: str) -> None:
    """Write every live call of the run to a fixture document (``--llm-mock-record``)."""
    from harnpy.llm.mock_record import Recorder

    try:
        llm_state(ctx).recorder = Recorder(path)
    except OSError as error:
        raise thrown_text(f"--llm-mock-record: cannot write {path}: {error.strerror}") from error


def llm_mock(ctx: Context, entry: Any = None) -> None:
    """Queue an answer of the mock; from now on no call leaves the process.

    ``{text}`` answers the next call; with ``match`` (``*`` stands for any text) it answers prompts that fit, and
    stays. Also ``tool_calls``, ``usage``, ``stream_chunks``, ``error: {status?, ...}``, ``delay_ms``, ``scope``.
    Errors: throws a text for an unknown key.
    """
    llm_state(ctx).mock.enqueue(entry)


def llm_mock_calls(ctx: Context) -> list[Dict]:
    """Give what each mocked call asked, oldest first: ``{messages, system, tools, model, provider, ...}``."""
    return llm_state(ctx).mock.calls()


def llm_mock_clear(ctx: Context) -> None:
    """Drop queue, recorded calls, receipts and scopes of the mock."""
    llm_state(ctx).mock.clear()


def llm_mock_push_scope(ctx: Context) -> None:
    """Start an empty nested state of the mock; the outer queue and calls wait for ``llm_mock_pop_scope``."""
    llm_state(ctx).mock.push()


def llm_mock_pop_scope(ctx: Context) -> None:
    """Restore the outer state of the mock; throws ``llm_mock_pop_scope: no scope to pop`` without one."""
    llm_state(ctx).mock.pop()


def llm_mock_snapshot(ctx: Context) -> Dict:
    """Describe the queue of the mock: ``{schema, schema_version, strict_scopes, queue_remaining, warnings}``."""
    return llm_state(ctx).mock.snapshot()


def llm_mock_receipts(ctx: Context) -> list[Dict]:
    """Give how each mocked call found its entry: ``{requested_scope, resolved_scope, matched, id, consume, ...}``."""
    return llm_state(ctx).mock.receipts()


def llm_mock_known_scopes() -> list[str]:
    """Give the names that the option ``mock_scope`` of a call and the ``scope`` of an entry may have."""
    return known_scopes()


def llm_mock_load_jsonl(ctx: Context, text: Any = None) -> int:
    """Load the text of a fixture document, one entry a line, and give the number of entries; a bad line throws."""
    if type(text) is not str:
        raise thrown_text("llm_mock_load_jsonl: expected the text of a JSONL document")
    try:
        return llm_state(ctx).mock.load(text)
    except ValueError as fault:
        raise thrown_text(f"llm_mock_load_jsonl: {fault}") from None
