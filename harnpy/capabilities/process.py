"""Starting processes: ``exec``, ``shell`` and ``harness.process.run`` (builtins 1.14, 3.5)."""

from __future__ import annotations

import os

from harnpy.builtins.arguments import text
from harnpy.builtins.environment import variables
from harnpy.builtins.locations import root
from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.task import DEADLINE
from harnpy.runtime.values import Duration, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.capabilities.child import Child
    from harnpy.runtime.context import Context

OUTPUT_LIMIT = 64 * 1024 * 1024
_SHELLS = ("sh", "bash", "zsh", "dash", "fish")


def run_child(
    ctx: Context,
    name: str,
    argv: list[str],
    cwd: Any,
    env: Mapping[str, str],
    timeout_ms: int | None = None,
    given: bytes = b"",
) -> Child:
    """Run a process, which reads ``given``, to its end; other tasks run meanwhile. Deadlines kill it.

    Raises:
        HarnError: It cannot be started, or prints more than a value may hold.
    """
    from harnpy.capabilities.child import Child

    folder = root(ctx) if cwd is None else os.path.join(root(ctx), text(cwd))
    limit = min(OUTPUT_LIMIT, ctx.limits.max_string)
    children: list[Child] = []

    async def fly() -> None:
        children.append(Child(limit))
        await children[0].run(argv, folder, env, None if timeout_ms is None else timeout_ms / 1000, given)

    try:
        _wait(ctx, fly, timeout_ms, children)
    except OSError as error:
        place = argv[0] if os.path.isdir(folder) else folder
        raise thrown_text(f"{name}: {place}: {error.strerror or error}") from None
    except ValueError:
        raise thrown_text(f"{name}: a command, argument or variable holds a character that it cannot hold") from None
    child = children[0]
    if child.overflow:
        raise thrown_text(f"{name}: the command printed more than {limit} bytes")
    return child


def _wait(ctx: Context, fly: Any, timeout_ms: int | None, children: list[Child]) -> None:
    """Wait for the process; the limit holds on the clock of the run too, for one that is virtual."""
    scheduler = ctx.scheduler
    if timeout_ms is None:
        scheduler.wait(fly)
        return
    outer = scheduler.begin_deadline(timeout_ms)
    try:
        scheduler.wait(fly)
    except HarnError as error:
        scheduler.end_deadline(outer)
        scheduler.check_deadline()
        if error.value != DEADLINE or not children:
            raise
        children[0].timed_out = True
    finally:
        scheduler.end_deadline(outer)


def _status(child: Child) -> int:
    return child.code if child.code is not None and child.code >= 0 else -1


def _finished(ctx: Context, name: str, argv: list[str], cwd: Any = None) -> dict[str, Any]:
    child = run_child(ctx, name, argv, cwd, variables(ctx))
    status = _status(child)
    return {"stdout": child.stdout, "stderr": child.stderr, "status": status, "success": status == 0}


def exec_command(ctx: Context, *args: Any) -> dict[str, Any]:
    """``exec``: run a program with arguments, which no shell sees: ``{stdout, stderr, status, success}``.

    Effects: waits for its end; its input is empty. A program that a signal killed has the status -1.
    Errors: throws a text that begins with ``exec:`` when it cannot be started.
    """
    if not args or args[0] is None:
        raise thrown_text("exec: command is required")
    return _finished(ctx, "exec", [text(arg) for arg in args])


def exec_at(ctx: Context, *args: Any) -> dict[str, Any]:
    """Run a program in a folder; otherwise as ``exec``."""
    if len(args) < 2 or args[0] is None or args[1] is None:
        raise thrown_text("exec_at: directory and command are required")
    return _finished(ctx, "exec_at", [text(arg) for arg in args[1:]], args[0])


def shell(ctx: Context, command: Any = None) -> dict[str, Any]:
    """Run a command line by the default shell: ``{stdout, stderr, status, success}``.

    Effects and errors: as ``exec``.
    """
    if command is None:
        raise thrown_text("shell: command string is required")
    return _finished(ctx, "shell", _through_shell(text(command)))


def shell_at(ctx: Context, directory: Any = None, command: Any = None) -> dict[str, Any]:
    """Run a command line by the default shell in a folder; otherwise as ``shell``."""
    if directory is None or command is None:
        raise thrown_text("shell_at: directory and command string are required")
    return _finished(ctx, "shell_at", _through_shell(text(command)), directory)


def _through_shell(command: str) -> list[str]:
    if os.name == "nt":
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    return ["/bin/sh", "-c", command]


def run(ctx: Context, options: Any = None) -> dict[str, Any]:
    """Run a process as an options dict says, and give all that is known of it.

    Options: ``argv`` (list) or ``command`` (a line for the shell), ``cwd``, ``env``, ``env_mode`` (``replace``, or
    ``merge`` to add to the environment), ``timeout_ms`` (none). Gives ``{command_id, status, pid, started_at,
    ended_at, duration_ms, exit_code, timed_out, stdout, stderr, combined, success}``; after a timeout ``exit_code``
    is -1.
    Effects: waits for its end. Errors: throws a text when it cannot be started.
    """
    if type(options) is not dict:
        raise type_error(f"HarnessProcess.run expects dict argument 1, got {type_of(options)}")
    argv = _argv(options)
    env = _environment(ctx, options)
    timeout_ms = _timeout(options.get("timeout_ms"))
    started_at, start = ctx.clock.now_ms(), ctx.clock.ticks()
    child = run_child(ctx, "HarnessProcess.run", argv, options.get("cwd"), env, timeout_ms)
    late = child.timed_out
    code = -1 if late else _status(child)
    number = ctx.services["process_runs"] = ctx.services.get("process_runs", 0) + 1
    return {
        "command_id": f"cmd-{number}",
        "status": "timed_out" if late else "completed",
        "pid": child.pid,
        "started_at": started_at,
        "ended_at": ctx.clock.now_ms(),
        "duration_ms": (ctx.clock.ticks() - start) // 1_000_000,
        "exit_code": code,
        "timed_out": late,
        "stdout": "" if late else child.stdout,
        "stderr": "" if late else child.stderr,
        "combined": "" if late else child.combined,
        "success": code == 0,
    }


def _argv(options: dict[str, Any]) -> list[str]:
    mode = options.get("mode", "shell" if "command" in options else "argv")
    if mode == "shell":
        command = options.get("command")
        if type(command) is not str:
            raise type_error(f"HarnessProcess.run: command must be a string, got {type_of(command)}")
        return _through_shell(command)
    if mode != "argv":
        raise type_error(f"HarnessProcess.run: mode must be 'argv' or 'shell', got '{text(mode)}'")
    argv = options.get("argv")
    if type(argv) is not list or not argv:
        raise type_error("HarnessProcess.run: argv must be a list that is not empty")
    return [text(part) for part in argv]


def _environment(ctx: Context, options: dict[str, Any]) -> Mapping[str, str]:
    own = options.get("env")
    inherited = variables(ctx)
    if own is None:
        return inherited
    if type(own) is not dict:
        raise type_error(f"HarnessProcess.run: env must be a dict, got {type_of(own)}")
    given = {name: text(value) for name, value in own.items() if value is not None}
    return given if options.get("env_mode", "replace") == "replace" else {**inherited, **given}


def _timeout(limit: Any) -> int | None:
    if type(limit) is Duration:
        limit = limit.ms
    if limit is None:
        return None
    if type(limit) is not int:
        raise type_error(f"HarnessProcess.run: timeout_ms must be an int or duration, got {type_of(limit)}")
    return max(0, limit)


def list_shells(ctx: Context) -> list[dict[str, Any]]:
    """Give the shells that are installed as ``{name, path}``."""
    import shutil

    path = variables(ctx).get("PATH")
    found = [(name, shutil.which(name, path=path)) for name in _SHELLS]
    return [{"name": name, "path": where} for name, where in found if where is not None]


def default_shell() -> dict[str, Any]:
    """Give the shell that ``shell`` uses as ``{name, path}``."""
    path = _through_shell("")[0]
    return {"name": os.path.basename(path), "path": path}


def shell_invocation(command: Any = None) -> dict[str, Any]:
    """Give program and arguments by which ``shell`` runs a command line: ``{command, args}``."""
    program, *args = _through_shell("" if command is None else text(command))
    return {"command": program, "args": args}
