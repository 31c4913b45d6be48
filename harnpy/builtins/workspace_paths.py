"""Where a path lies as seen from the workspace (builtins 1.14)."""

from __future__ import annotations

from harnpy.builtins.locations import project_root, root
from harnpy.builtins.paths import path_is_absolute, path_normalize, path_relative_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.runtime.context import Context


def path_workspace_info(ctx: Context, path: Any = None, workspace: Any = None) -> dict[str, Any]:
    """Say whether a path lies in the workspace, and how it is written as seen from there.

    An absolute path whose front is another copy of the workspace (its folder name occurs in it) is read as a path
    of this workspace: ``recovered_root_drift``.
    """
    base = workspace if type(workspace) is str else project_root(ctx) or root(ctx)
    info = {
        "input": path,
        "kind": "invalid",
        "normalized": None,
        "workspace_path": None,
        "host_path": None,
        "recovered_root_drift": False,
        "reason": None,
    }
    if type(path) is not str or not path.strip():
        return {**info, "reason": "the path is empty" if type(path) is str else "the path is not a string"}
    if "\0" in path:
        return {**info, "reason": "the path contains a NUL character"}
    normalized = path_normalize(path)
    info["normalized"] = normalized
    if not path_is_absolute(normalized):
        if normalized.split("/", 1)[0] == "..":
            return {**info, "reason": "the path leads out of the workspace"}
        return {**info, **_inside(base, normalized)}
    relative = path_relative_to(normalized, path_normalize(base))
    if relative is not None and relative.split("/", 1)[0] != "..":
        return {**info, **_inside(base, relative)}
    drifted = _after_name(normalized, path_normalize(base).rpartition("/")[2])
    if drifted is not None:
        return {**info, **_inside(base, drifted), "recovered_root_drift": True}
    return {**info, "kind": "host_absolute", "host_path": normalized, "reason": "the path lies outside the workspace"}


def _inside(base: str, relative: str) -> dict[str, Any]:
    host = base.rstrip("/") + ("" if relative == "." else "/" + relative)
    return {"kind": "workspace_relative", "workspace_path": relative, "host_path": host}


def _after_name(path: str, name: str) -> str | None:
    """Give what stands behind the last folder ``name`` of a path whose other folders may have moved."""
    import os

    head, found, rest = path.rpartition(f"/{name}/")
    return rest if found and name and rest and not os.path.exists(path) and head is not None else None


def path_workspace_normalize(ctx: Context, path: Any = None, workspace: Any = None) -> str | None:
    """Give a path as seen from the workspace, or nil when it lies outside."""
    relative: str | None = path_workspace_info(ctx, path, workspace)["workspace_path"]
    return relative
