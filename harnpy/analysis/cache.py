"""The cache of resolved modules on disk, keyed by their text and by what made the tree.

An entry is used only when nobody but the user can have written it: private folder and file, right
owner, and a digest that fits. Whatever goes wrong with the cache, the module is simply parsed.
"""

from __future__ import annotations

import os
import sys

try:
    # The extension behind hashlib: importing hashlib itself loads OpenSSL, which takes 5 ms.
    from _blake2 import blake2b
except ImportError:  # a Python built without it
    from hashlib import blake2b

from harnpy import resources
from harnpy.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis import resolved as R

FORMAT = 1
DIGEST_SIZE = 20
MAX_ENTRIES = 4096
_MAGIC = b"harnpy-module\n"
_SUFFIX = ".resolved"
_tag: str | None = None


class Key:
    """The names of a module's entries: in the user's cache, and in the wheel's prebuilt one."""

    __slots__ = ("prebuilt", "user")

    def __init__(self, user: str, prebuilt: str) -> None:
        self.user = user
        self.prebuilt = prebuilt


def enabled() -> bool:
    """Tell whether the environment lets harnpy use its cache (``HARNPY_NO_CACHE``)."""
    return os.environ.get("HARNPY_NO_CACHE", "") in ("", "0")


def key_of(text: str) -> Key | None:
    """Give the key of the module with this text, or ``None`` when the cache is off."""
    if not enabled():
        return None
    data = text.encode("utf-8", "surrogatepass")
    return Key(_name(data, f"{sys.version}|{_build_tag()}"), prebuilt_name(data))


def prebuilt_name(data: bytes) -> str:
    """Give the file name of a prebuilt entry for the text ``data``."""
    return _name(data, "prebuilt")


def _name(data: bytes, maker: str) -> str:
    from harnpy.analysis.packing import LAYOUT

    hasher = blake2b(f"{__version__}|{FORMAT}|{maker}|{LAYOUT}|".encode(), digest_size=DIGEST_SIZE)
    hasher.update(data)
    return hasher.hexdigest() + _SUFFIX


def _build_tag() -> str:
    """Give a text that changes when the code that makes trees changes; a wheel's never does."""
    global _tag
    if _tag is None:
        _tag = "" if resources.prebuilt_cache_dir() else _checkout_tag()
    return _tag


def _checkout_tag() -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    stamps = []
    try:
        syntax = os.path.join(os.path.dirname(here), "syntax")
        for folder in (here, syntax, os.path.dirname(resources.grammar_file("x"))):
            with os.scandir(folder) as entries:
                files = [entry for entry in entries if entry.is_file()]
            stamps += [f"{entry.name}:{entry.stat().st_mtime_ns}" for entry in files]
    except OSError:
        pass
    return ",".join(sorted(stamps))


# --- reading ---


def load(key: Key) -> R.Module | None:
    """Give the cached module, or ``None``."""
    prebuilt = resources.prebuilt_cache_dir()
    if prebuilt is not None:
        # Part of the installed package: as trustworthy as its code.
        found = _read(os.path.join(prebuilt, key.prebuilt), private=False)
        if found is not None:
            return found
    folder = resources.user_cache_dir()
    if folder is None or not _is_private_folder(folder):
        return None
    return _read(os.path.join(folder, key.user), private=True)


def _is_private_folder(folder: str) -> bool:
    try:
        status = os.stat(folder)
    except OSError:
        return False
    return _is_private(status)


def _is_private(status: os.stat_result) -> bool:
    user = getattr(os, "geteuid", None)
    return user is None or (status.st_uid == user() and not status.st_mode & 0o022)


def _read(path: str, *, private: bool) -> R.Module | None:
    data = _read_bytes(path, private=private)
    return None if data is None else decode(data)


def _read_bytes(path: str, *, private: bool) -> bytes | None:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        with open(handle, "rb", buffering=0) as file:
            if private and not _is_private(os.fstat(handle)):
                return None
            return file.readall()
    except OSError:
        return None


def decode(data: bytes) -> R.Module | None:
    """Give the module in the bytes of an entry, or ``None`` when they are not whole."""
    start = len(_MAGIC) + DIGEST_SIZE
    body = data[start:]
    if data[:start] != _MAGIC + blake2b(body, digest_size=DIGEST_SIZE).digest():
        return None
    from harnpy.analysis.packing import unpack

    try:
        return unpack(body)
    except (ValueError, EOFError, TypeError, IndexError, RecursionError):
        return None


def load_data(name: str) -> bytes | None:
    """Give what ``store_data`` kept under ``name``, or ``None``."""
    folder = resources.user_cache_dir() if enabled() else None
    if folder is None or not _is_private_folder(folder):
        return None
    data = _read_bytes(os.path.join(folder, data_name(name)), private=True)
    if data is None:
        return None
    body = data[DIGEST_SIZE:]
    return body if data[:DIGEST_SIZE] == blake2b(body, digest_size=DIGEST_SIZE).digest() else None


def data_name(name: str) -> str:
    """Give the file name of the data ``name`` for this Python."""
    return blake2b(f"{name}|{sys.version}".encode(), digest_size=DIGEST_SIZE).hexdigest() + "." + name


# --- writing ---


def store_data(name: str, body: bytes) -> None:
    """Keep ``body`` for the next run on this Python, if that is possible."""
    folder = resources.user_cache_dir() if enabled() else None
    if folder is None:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if _is_private_folder(folder):
            _write(folder, data_name(name), blake2b(body, digest_size=DIGEST_SIZE).digest() + body)
    except OSError:
        return


def encode(module: R.Module) -> bytes:
    """Give the bytes of the entry for ``module``."""
    from harnpy.analysis.packing import pack

    body = pack(module)
    return _MAGIC + blake2b(body, digest_size=DIGEST_SIZE).digest() + body


def store(key: Key, module: R.Module) -> None:
    """Keep ``module`` for the next run, if that is possible."""
    folder = resources.user_cache_dir()
    if folder is None:
        return
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        if not _is_private_folder(folder):
            return
        data = encode(module)
        _make_room(folder)
        _write(folder, key.user, data)
    except (OSError, ValueError, RecursionError):
        return


def _write(folder: str, name: str, data: bytes) -> None:
    """Write under a name of our own, then rename: readers see a whole entry or none."""
    draft = os.path.join(folder, f"{name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(draft, os.path.join(folder, name))
    except OSError:
        os.unlink(draft)
        raise


def _make_room(folder: str) -> None:
    """Remove the older half of the entries when there are too many."""
    names = os.listdir(folder)
    if len(names) < MAX_ENTRIES:
        return
    paths = [os.path.join(folder, name) for name in names if name.endswith((_SUFFIX, ".tmp"))]
    paths.sort(key=os.path.getmtime)
    for path in paths[: len(paths) // 2]:
        os.unlink(path)


def build_stdlib_cache(target: str) -> int:
    """Fill the folder ``target`` with entries for the whole standard library; give their number."""
    from harnpy.analysis.modules import SUFFIX, read_source
    from harnpy.analysis.resolve import resolve
    from harnpy.syntax.parser import parse

    os.makedirs(target, exist_ok=True)
    count = 0
    for folder, _, files in sorted(os.walk(resources.stdlib_dir())):
        for file in sorted(files):
            if file.endswith(SUFFIX):
                source = read_source(os.path.join(folder, file))
                entry = os.path.join(target, prebuilt_name(source.text.encode("utf-8")))
                with open(entry, "wb") as out:
                    out.write(encode(resolve(parse(source), source)))
                count += 1
    return count
