"""Where harnpy's data files are: the one place that knows a checkout from an installed wheel."""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
# A wheel carries the top-level data folders of the checkout below this one (see pyproject.toml).
_BUNDLED = os.path.join(_PACKAGE, "_data")
_ROOT = _BUNDLED if os.path.isdir(_BUNDLED) else os.path.dirname(_PACKAGE)


def stdlib_dir() -> str:
    """Give the folder of the standard library; ``std/a/b`` is ``a/b.harn`` in it."""
    return os.path.join(_ROOT, "stdlib")


def in_stdlib(path: str) -> bool:
    """Tell whether a source of this path is part of the standard library, whose modules are named as imports are."""
    return path.startswith(("std/", stdlib_dir() + os.sep))


def grammar_file(name: str) -> str:
    """Give the path of a file of the ``grammar`` folder, such as ``harn.lark``."""
    return os.path.join(_ROOT, "grammar", name)


def prebuilt_cache_dir() -> str | None:
    """Give the read-only folder with cached modules of the standard library; only a wheel has one."""
    return os.path.join(_BUNDLED, "cache") if _ROOT == _BUNDLED else None


def user_cache_dir() -> str | None:
    """Give the folder for cached modules of this user, or ``None`` where there is no home for it.

    ``HARNPY_CACHE_DIR`` names it; an empty value means no cache.
    """
    named = os.environ.get("HARNPY_CACHE_DIR")
    if named is not None:
        return os.path.abspath(named) if named else None
    base = os.environ.get("XDG_CACHE_HOME") or ""
    if not os.path.isabs(base):
        home = os.path.expanduser("~")
        if not os.path.isabs(home) or home == "/":
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "harnpy")


def package_file(*parts: str) -> str:
    """Give the path of a data file inside the package, such as ``("llm", "catalog.toml")``."""
    return os.path.join(_PACKAGE, *parts)
