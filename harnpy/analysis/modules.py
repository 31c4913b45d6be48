"""Finds, reads and loads the modules that a program imports, each file once."""

from __future__ import annotations

import os

from harnpy import resources
from harnpy.analysis import cache
from harnpy.diagnostics import Diagnostic
from harnpy.errors import RejectedProgram
from harnpy.recursion import hold_frames, release_frames
from harnpy.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis import resolved as R
    from harnpy.source import Span

SUFFIX = ".harn"
STD = "std/"
PROJECT_FILE = "harn.toml"
RECURSION_LIMIT = 50_000


class LoadedModule:
    """One module of a program.

    ``path`` is its identity: a canonical path, ``std/...``, or a label such as ``<stdin>``.
    ``imports`` has the module behind each import, in the order of ``module.imports``. Linking adds
    the rest, always as name to the module that declares it: ``exports`` and ``type_exports`` for
    importers, ``scope`` and ``type_scope`` of the imported names; ``namespaces`` are the modules bound
    by ``import * as``, and ``pipelines`` the own and imported ones by name. ``notices`` are warnings.
    """

    __slots__ = (
        "exports",
        "imports",
        "module",
        "namespaces",
        "notices",
        "path",
        "pipelines",
        "scope",
        "source",
        "std",
        "type_exports",
        "type_scope",
        "types",
    )

    def __init__(self, path: str, source: Source, module: R.Module, std: bool) -> None:
        self.path = path
        self.source = source
        self.module = module
        self.std = std
        self.imports: list[LoadedModule] = []
        self.exports: dict[str, LoadedModule] | None = None
        self.type_exports: dict[str, LoadedModule] = {}
        self.scope: dict[str, LoadedModule] = {}
        self.type_scope: dict[str, LoadedModule] = {}
        self.namespaces: dict[str, LoadedModule] = {}
        self.pipelines: dict[str, LoadedModule] = {}
        self.types: dict[str, R.Type | None] = {name: kind for name, kind, _ in module.types}
        self.notices: tuple[R.Notice, ...] = module.warnings


class Graph:
    """The modules of a program: ``entry``, and all ``modules`` in the order in which they run."""

    __slots__ = ("entry", "modules")

    def __init__(self, entry: LoadedModule, modules: list[LoadedModule]) -> None:
        self.entry = entry
        self.modules = modules


# --- texts ---


def read_source(path: str) -> Source:
    """Read the program in the file ``path``.

    Raises:
        RejectedProgram: the file cannot be read, or is not UTF-8.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        raise RejectedProgram([Diagnostic(f"cannot read {path}: {_reason(error)}", code="HARN-IMP-001")]) from None
    real = os.path.realpath(path)
    return decode_source(real if os.path.exists(real) else path, data)  # /dev/fd/3 leads to the name of a pipe


def decode_source(label: str, data: bytes) -> Source:
    """Make the source with the name ``label`` from its bytes (language 1.1)."""
    try:
        return Source(label, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        good = Source(label, data[: error.start].decode("utf-8"))
        end = len(good.text)
        wrong = f"invalid byte 0x{data[error.start]:02x} at byte offset {error.start}"
        message = f"{os.path.basename(label)} is not UTF-8: {wrong}"
        finding = Diagnostic(message, code="HARN-PAR-003", source=good, span=(end, end), hint="save the file as UTF-8")
        raise RejectedProgram([finding]) from None


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "it is a directory"
    return getattr(error, "strerror", None) or str(error)


def load_source(source: Source, *, use_cache: bool = True) -> R.Module:
    """Give the resolved tree of ``source``: from the cache, else by parsing and resolving it.

    Raises:
        RejectedProgram: with what is wrong with the text.
    """
    key = cache.key_of(source.text) if use_cache else None
    found = cache.load(key) if key is not None else None
    if found is not None:
        return found
    from harnpy.analysis.resolve import resolve
    from harnpy.syntax.parser import parse

    module = resolve(parse(source), source)
    if key is not None:
        cache.store(key, module)
    return module


# --- the graph ---


def load_graph(source: Source, *, use_cache: bool = True, entry: R.Module | None = None) -> Graph:
    """Load the program whose entry is ``source``, with everything that it imports.

    ``entry`` is the resolved tree of ``source`` where the caller has it already.

    Raises:
        RejectedProgram: with the findings of all files.
    """
    loader = _GraphLoader(source, use_cache)
    # Long chains of imports take a few Python frames a link, and no C stack.
    hold_frames(RECURSION_LIMIT)
    try:
        loaded = loader.load_entry(source, entry)
    finally:
        release_frames()
    if loader.findings or loaded is None:
        raise RejectedProgram(loader.findings)
    return Graph(loaded, loader.order)


# The modules of the standard library that this process has loaded, by name, with their texts: nothing changes a tree,
# so the sessions of a host share them.
_std_trees: dict[str, tuple[str, R.Module]] = {}


def _load_std(path: str, source: Source) -> R.Module:
    kept = _std_trees.get(path)
    if kept is None or kept[0] != source.text:
        kept = _std_trees[path] = source.text, load_source(source)
    return kept[1]


class _GraphLoader:
    def __init__(self, entry: Source, use_cache: bool) -> None:
        self.use_cache = use_cache
        self.findings: list[Diagnostic] = []
        self.order: list[LoadedModule] = []
        self.loaded: dict[str, LoadedModule | None] = {}
        self.paths_by_file: dict[tuple[int, int, str], str] = {}
        self.root = project_root(_folder_of(entry.path))

    def load_entry(self, source: Source, module: R.Module | None) -> LoadedModule | None:
        if os.path.isabs(source.path):
            self._note_file(source.path)
        if module is not None:
            return self._enter(source.path, source, module, False)
        return self._load(source.path, source, False, None)

    def _load(self, path: str, source: Source, std: bool, importer: Diagnostic | None) -> LoadedModule | None:
        self.loaded[path] = None
        try:
            shared = std and self.use_cache
            module = _load_std(path, source) if shared else load_source(source, use_cache=self.use_cache)
        except RejectedProgram as rejected:
            self.findings += [_of_import(finding, importer) for finding in rejected.diagnostics]
            return None
        return self._enter(path, source, module, std)

    def _enter(self, path: str, source: Source, module: R.Module, std: bool) -> LoadedModule:
        # Entered before its imports are followed, so that a cycle comes back to this very module.
        loaded = self.loaded[path] = LoadedModule(path, source, module, std)
        for node in module.imports:
            target = self._follow(loaded, node)
            if target is not None:
                loaded.imports.append(target)
        self.order.append(loaded)
        return loaded

    def _follow(self, importer: LoadedModule, node: R.Import) -> LoadedModule | None:
        place = Diagnostic("", source=importer.source, span=node.path_span)
        std = node.path.startswith(STD) or (importer.std and _is_relative(node.path))
        found = self._find_std(importer, node) if std else self._find_file(importer, node)
        if found is None:
            return None
        path, file = found
        if path in self.loaded:
            return self.loaded[path]
        try:
            source = read_source(file)
        except RejectedProgram as rejected:
            self.loaded[path] = None
            for finding in rejected.diagnostics:
                self._refuse(importer, node.path_span, f"Import error: cannot read '{node.path}': {finding.message}")
            return None
        return self._load(path, Source(path, source.text) if std else source, std, place)

    def _find_std(self, importer: LoadedModule, node: R.Import) -> tuple[str, str] | None:
        name = node.path
        if not name.startswith(STD):
            name = os.path.normpath(os.path.join(os.path.dirname(importer.path), name))
        name = name.removesuffix(SUFFIX)
        parts = name.split("/")[1:]
        file = os.path.join(resources.stdlib_dir(), *parts) + SUFFIX
        if ".." in parts or "" in parts or "." in parts or not os.path.isfile(file):
            self._refuse(importer, node.path_span, f"Unknown stdlib module: {name}", hint=_similar_std(name))
            return None
        return name, file

    def _find_file(self, importer: LoadedModule, node: R.Import) -> tuple[str, str] | None:
        written = node.path
        if "\0" in written:
            self._refuse(importer, node.path_span, "Import error: cannot read a path with a zero character in it")
            return None
        asked = written if written.endswith(SUFFIX) else written + SUFFIX
        tried = os.path.normpath(os.path.join(_folder_of(importer.path), asked))
        path = os.path.realpath(tried)
        if self.root is not None and os.path.commonpath([self.root, path]) != self.root:
            message = f"Import error: cannot read '{written}': it lies outside the project root {self.root}"
            self._refuse(importer, node.path_span, message, tried=tried)
            return None
        if not os.path.isfile(path):
            reason = "it is a directory" if os.path.isdir(path) else "no such file"
            self._refuse(importer, node.path_span, f"Import error: cannot read '{written}': {reason}", tried=tried)
            return None
        path = self._note_file(path)
        return path, path

    def _note_file(self, path: str) -> str:
        """Give the first spelling of a file whose other spellings differ in letter case only."""
        try:
            status = os.stat(path)
        except OSError:  # a text that an embedder names after a file
            return path
        return self.paths_by_file.setdefault((status.st_dev, status.st_ino, path.casefold()), path)

    def _refuse(
        self, importer: LoadedModule, span: Span, message: str, *, tried: str | None = None, hint: str | None = None
    ) -> None:
        notes = () if tried is None else (f"tried {tried}",)
        self.findings.append(
            Diagnostic(message, code="HARN-IMP-001", source=importer.source, span=span, notes=notes, hint=hint)
        )


def project_root(folder: str) -> str | None:
    """Give the nearest folder from ``folder`` upwards that holds ``harn.toml``."""
    folder = os.path.realpath(folder)
    while not os.path.isfile(os.path.join(folder, PROJECT_FILE)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
    return folder


def _folder_of(path: str) -> str:
    return os.path.dirname(path) if os.path.isabs(path) else os.getcwd()


def _is_relative(path: str) -> bool:
    return not os.path.isabs(path)


def _of_import(finding: Diagnostic, importer: Diagnostic | None) -> Diagnostic:
    """Tell for a finding in an imported file who imports it."""
    if importer is None or importer.source is None or importer.span is None:
        return finding
    line, column = importer.source.line_column(importer.span[0])
    if (finding.code or "").startswith("HARN-PAR"):
        finding.message = "Import parse error: " + finding.message
    finding.notes = (*finding.notes, f"imported by {importer.source.path}:{line}:{column}")
    return finding


def _similar_std(name: str) -> str | None:
    from harnpy.analysis.suggestions import closest

    names = []
    top = resources.stdlib_dir()
    for folder, _, files in os.walk(top):
        below = os.path.relpath(folder, top).replace(os.sep, "/")
        prefix = STD if below == "." else f"{STD}{below}/"
        names += [prefix + file.removesuffix(SUFFIX) for file in files if file.endswith(SUFFIX)]
    near = closest(name, names)
    return None if near is None else f"did you mean `{near}`?"
