"""The REPL on a terminal: line editing, highlighting, completion and history by prompt_toolkit."""

from __future__ import annotations

import os
import sys
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.lexers import PygmentsLexer

from harnpy.cli.repl import MORE, PROMPT
from harnpy.cli.repl_commands import FILES, NAMES, run_command
from harnpy.cli.repl_completion import candidates
from harnpy.cli.repl_reader import gives_up
from harnpy.events.redact import redact_text
from harnpy.syntax.parser import is_incomplete

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from prompt_toolkit.input import Input
    from prompt_toolkit.key_binding import KeyPressEvent

    from harnpy.cli.repl_engine import Engine
    from harnpy.cli.repl_signals import ReplSignals


def run_prompt(engine: Engine, signals: ReplSignals) -> None:
    """Read and run inputs until the end of the input or ``:quit``."""
    session: PromptSession[str] = PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=MORE,
        key_bindings=_bindings(),
        completer=_Names(engine),
        complete_while_typing=False,
        history=_history(),
        lexer=_lexer() if engine.streams.colour else None,
        enable_open_in_editor=True,
        enable_suspend=True,
        input=_keyboard(),
    )
    signals.asking = _asking(session, engine, signals)
    while not signals.code:
        engine.begin_line()
        try:
            text = session.prompt(pre_run=engine.listen, handle_sigint=False)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if not _run(engine, text):
            return
        if engine.interrupted:
            clear_typeahead(session.app.input)  # what was typed for after the input that was stopped


def _keyboard() -> Input | None:
    if sys.platform == "win32":
        return None
    from harnpy.cli.repl_input import Keyboard

    return Keyboard(sys.stdin)


def _asking(session: PromptSession[str], engine: Engine, signals: ReplSignals) -> Callable[[], bool]:
    """Give what a signal calls: the editor takes it in its loop, unless Enter has ended the line before that."""
    app = session.app
    forget = getattr(app.input, "forget", None)

    def pressed() -> None:
        if forget is not None:
            forget()
        if not app.is_running or app.is_done:
            engine.interrupt()
        elif signals.code:
            app.exit(exception=EOFError())
        else:
            app.key_processor.send_sigint()

    def asking() -> bool:
        if not app.is_running or app.loop is None:
            return False
        app.loop.call_soon_threadsafe(pressed)
        return True

    return asking


def _run(engine: Engine, text: str) -> bool:
    """Run one input or command; False ends the REPL."""
    if not text.strip():
        return True
    if text.lstrip().startswith(":"):
        return run_command(engine, text)
    if is_incomplete(text + "\n"):
        engine.streams.write_err("given up\n")
    else:
        engine.run(text + "\n")
    return True


def _bindings() -> KeyBindings:
    """Let Enter end a whole input and begin a new line in an unfinished one."""
    bindings = KeyBindings()

    # What is typed while an input runs comes through the terminal, which makes a line feed of Enter.
    @bindings.add("c-j")
    @bindings.add("enter")
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        text = buffer.text
        command = text.lstrip().startswith(":")
        if not command and is_incomplete(text + "\n") and not gives_up(text + "\n"):
            buffer.insert_text("\n")
        else:
            buffer.validate_and_handle()

    return bindings


def _lexer() -> Any:
    from harnpy.highlighting import HarnLexer

    return PygmentsLexer(HarnLexer)


class _Names(Completer):
    """Completes names, members of live values, import paths and commands."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._paths = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Give what may be typed next."""
        before = document.text_before_cursor
        command, space, rest = before.partition(" ")
        if space and command in FILES:
            yield from self._paths.get_completions(Document(rest.lstrip()), complete_event)
            return
        if before.startswith(":") and " " not in before:
            yield from (Completion(name, -len(before)) for name in NAMES if name.startswith(before))
            return
        word, found = candidates(self._engine.context, self._engine.console, before)
        yield from (Completion(name, -len(word)) for name in found)


def history_file() -> str | None:
    """Give where inputs are kept: ``$HARNPY_HISTORY`` (empty: nowhere) or a file in the user's state folder."""
    named = os.environ.get("HARNPY_HISTORY")
    if named is not None:
        return named or None
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "harnpy", "history")


class _SafeHistory(FileHistory):
    """A history that keeps no keys and tokens."""

    def store_string(self, string: str) -> None:
        """Append one input, unless there is a secret in it."""
        if redact_text(string) != string:
            return
        try:
            super().store_string(string)
        except OSError:  # a full disk must not end the session
            return


def _history() -> History:
    path = history_file()
    if path is None:
        return InMemoryHistory()
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600))
        os.chmod(path, 0o600)
    except OSError:
        return InMemoryHistory()
    return _SafeHistory(path)
