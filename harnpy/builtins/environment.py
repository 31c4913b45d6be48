"""Environment variables (builtins 1.14, 3.4); there is no way to set one."""

from __future__ import annotations

import os

from harnpy.errors import type_error
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from harnpy.runtime.context import Context


def variables(ctx: Context) -> Mapping[str, str]:
    """Give the whole environment of the run."""
    own: Mapping[str, str] | None = ctx.services.get("env")
    return os.environ if own is None else own


def env(ctx: Context, name: Any = None) -> str | None:
    """Give the value of an environment variable, or nil."""
    return _read(ctx, "get", name)


def env_or(ctx: Context, name: Any = None, default: Any = None) -> Any:
    """Give the value of an environment variable, or ``default`` when it is not set."""
    value = _read(ctx, "get_or", name)
    return default if value is None else value


def _read(ctx: Context, method: str, name: Any) -> str | None:
    if type(name) is not str:
        raise type_error(f"HarnessEnv.{method} expects string argument 1, got {type_of(name)}")
    policy = ctx.services.get("policy")
    if policy is not None:
        policy.check("env", method)
    return variables(ctx).get(name)
