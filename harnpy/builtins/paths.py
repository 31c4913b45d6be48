"""Path texts (builtins 1.14). Nothing here touches the file system."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PARENT = ".."


def _text(path: Any) -> str:
    from harnpy.runtime.display import display

    return "" if path is None else display(path)


def _slashes(path: Any) -> str:
    return _text(path).replace("\\", "/")


def path_join(*parts: Any) -> str:
    """Join parts with ``/``; an absolute part begins the path anew."""
    joined = ""
    for part in map(_text, parts):
        if path_is_absolute(part) or joined == "":
            joined = part
        elif part:
            joined = joined + part if joined.endswith("/") else f"{joined}/{part}"
    return joined


def dirname(path: Any = None) -> str:
    """Give the folder of a path: what stands in front of the last part; ``""`` when there is none."""
    text = _text(path)
    trimmed = text.rstrip("/")
    if not trimmed:
        return ""
    head, slash, _ = trimmed.rpartition("/")
    return head.rstrip("/") or slash


def basename(path: Any = None) -> str:
    """Give the last part of a path: the name of the file."""
    return _text(path).rstrip("/").rpartition("/")[2]


def extname(path: Any = None) -> str:
    """Give the extension with its dot; a dotfile has none."""
    name = basename(path)
    stem, dot, extension = name.rpartition(".")
    return dot + extension if stem and extension else ""


def path_parent(path: Any = None) -> str:
    """Give a path without its last part, ``""`` when there is none. Pure text: backslashes become ``/``."""
    return dirname(_slashes(path))


def path_basename(path: Any = None) -> str:
    """Give the last part of a path. Pure text: backslashes become ``/``."""
    return basename(_slashes(path))


def path_stem(path: Any = None) -> str:
    """Give the last part of a path without its extension: ``a.tar`` of ``x/a.tar.gz``."""
    name = path_basename(path)
    extension = extname(name)
    return name[: len(name) - len(extension)]


def path_extension(path: Any = None) -> str:
    """Give the extension of a path with its dot: ``.gz`` of ``a.tar.gz``, ``""`` of ``.gitignore``."""
    return extname(_slashes(path))


def path_with_extension(path: Any = None, extension: Any = None) -> str:
    """Give a path with another extension, which may be given with or without its dot."""
    wanted = _text(extension)
    if wanted and not wanted.startswith("."):
        wanted = "." + wanted
    return _beside(path, path_stem(path) + wanted)


def path_with_stem(path: Any = None, stem: Any = None) -> str:
    """Give a path with another stem and the same extension."""
    return _beside(path, _text(stem) + path_extension(path))


def _beside(path: Any, name: str) -> str:
    parent = path_parent(path)
    if not parent:
        return name
    return parent + name if parent.endswith("/") else f"{parent}/{name}"


def path_is_absolute(path: Any = None) -> bool:
    """Tell whether a path starts with ``/`` or a drive such as ``C:/``."""
    text = _slashes(path)
    return text.startswith("/") or (len(text) >= 3 and text[0].isalpha() and text[1:3] == ":/")


def path_is_relative(path: Any = None) -> bool:
    """Tell whether a path starts neither with ``/`` nor with a drive."""
    return not path_is_absolute(path)


def path_normalize(path: Any = None) -> str:
    """Remove ``.``, fold ``..`` and drop doubled and trailing slashes; the result of nothing is ``.``, of ``""`` it is
    ``""``.
    """
    text = _slashes(path)
    if text == "":
        return ""
    prefix = "/" if text.startswith("/") else ""
    folded: list[str] = []
    for part in text.split("/"):
        if part in ("", "."):
            continue
        if part != _PARENT or (not prefix and (not folded or folded[-1] == _PARENT)):
            folded.append(part)
        elif folded:
            folded.pop()
    return prefix + "/".join(folded) or "."


def path_segments(path: Any = None) -> list[str]:
    """Give the parts of the normalised path as a list."""
    return [part for part in path_normalize(path).split("/") if part not in ("", ".")]


def path_relative_to(path: Any = None, base: Any = None) -> str | None:
    """Give ``path`` as seen from ``base``; nil when one of them is absolute and the other is not."""
    if path_is_absolute(path) != path_is_absolute(base):
        return None
    target, start = path_segments(path), path_segments(base)
    shared = 0
    while shared < min(len(target), len(start)) and target[shared] == start[shared]:
        shared += 1
    return "/".join([_PARENT] * (len(start) - shared) + target[shared:]) or "."


def path_to_posix(path: Any = None) -> str:
    """Give a path with forward slashes."""
    return _slashes(path)


def path_to_native(path: Any = None) -> str:
    """Give a path with the separators of this system."""
    import os

    return _slashes(path).replace("/", os.sep)


def path_parts(path: Any = None) -> dict[str, Any]:
    """Take a path apart: ``{dir, file, stem, ext, segments}``."""
    return {
        "dir": path_parent(path),
        "file": path_basename(path),
        "stem": path_stem(path),
        "ext": path_extension(path),
        "segments": path_segments(path),
    }
