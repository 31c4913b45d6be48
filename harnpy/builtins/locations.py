"""Where a run takes place: its working directory, project, source, home and temporary directories (builtins 1.14)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context

# The temporary directory of a project, beside its sources (builtins 3.4).
WORKSPACE_TEMP = ".harn-tmp"


def root(ctx: Context) -> str:
    """Give the execution root: the working directory of the run."""
    cwd: str = ctx.services.get("cwd") or os.getcwd()
    return cwd


def cwd(ctx: Context) -> str:
    """Give the working directory of the run, at which relative paths start."""
    return root(ctx)


def project_root(ctx: Context) -> str | None:
    """Give the nearest directory upwards that holds ``harn.toml``, or nil."""
    directory = root(ctx)
    while True:
        if os.path.isfile(os.path.join(directory, "harn.toml")):
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def source_dir(ctx: Context) -> str:
    """Give the directory of the entry file; the execution root when there is no file."""
    directory: str = ctx.services.get("source_dir") or root(ctx)
    return directory


def home_dir(ctx: Context) -> str:
    """Give the home directory of the user of the run."""
    from harnpy.builtins.environment import variables

    home = variables(ctx).get("HOME")
    return home or os.path.expanduser("~")


def state_root(ctx: Context) -> str:
    """Give the directory where a project keeps what belongs to its runs."""
    return os.path.join(project_root(ctx) or root(ctx), ".harn")


def workspace_temp(ctx: Context) -> str:
    """Give the path of the project's temporary directory."""
    return os.path.join(project_root(ctx) or root(ctx), WORKSPACE_TEMP)


def runtime_paths(ctx: Context) -> dict[str, Any]:
    """Give the folders that a run works with: ``{execution_root, asset_root, state_root, run_root, worktree_root}``."""
    state = state_root(ctx)
    return {
        "execution_root": root(ctx),
        "asset_root": source_dir(ctx),
        "state_root": state,
        "run_root": os.path.join(state, "runs"),
        "worktree_root": os.path.join(state, "worktrees"),
    }
