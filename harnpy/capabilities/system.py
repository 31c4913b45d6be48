"""What machine and user this is (builtins 1.14, 3.5)."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

_ARCHITECTURES = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64", "i686": "x86", "i386": "x86"}


def platform() -> str:
    """Give ``linux``, ``darwin`` or ``windows``."""
    return "windows" if sys.platform == "win32" else sys.platform


def arch() -> str:
    """Give the processor architecture, such as ``x86_64``."""
    import platform as machine

    name = machine.machine().lower()
    return _ARCHITECTURES.get(name, name)


def hostname() -> str:
    """Give the name of this machine."""
    import socket

    return socket.gethostname()


def username(ctx: Context) -> str:
    """Give the name of the user; empty when it is unknown."""
    from harnpy.builtins.environment import variables

    env = variables(ctx)
    for name in ("LOGNAME", "USER", "USERNAME"):
        if env.get(name):
            return env[name]
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except (ImportError, KeyError, AttributeError):
        return ""


def pid() -> int:
    """Give the id of this process."""
    return os.getpid()


def identity(ctx: Context) -> dict[str, Any]:
    """Give user, machine and process: ``{username, hostname, pid}``."""
    return {"username": username(ctx), "hostname": hostname(), "pid": pid()}
