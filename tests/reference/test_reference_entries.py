"""What the reference says: every public name is described, and what is said of calls and permissions is true."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harnpy.builtins import registry
from harnpy.builtins.method_table import METHODS
from harnpy.builtins.table import FUNCTIONS
from harnpy.capabilities.harness import build_harness
from harnpy.capabilities.methods import METHODS as HARNESS
from harnpy.capabilities.methods import parse
from harnpy.errors import HarnError
from harnpy.options import Options
from harnpy.reference import builtin_entries, modules
from harnpy.reference.lookup import find, suggestion
from harnpy.reference.outline import parts, signatures
from harnpy.runtime.calls import call
from harnpy.runtime.values import Builtin
from harnpy.session import Session
from harnpy.streams import memory_streams

pytestmark = pytest.mark.lint

GLOBAL = [name for name in FUNCTIONS if not name.startswith("__")]
OWN_KINDS = [kind for kind in METHODS if kind not in ("generator", "stream")]
OWN_METHODS = [
    f"{kind}.{name}"
    for kind in OWN_KINDS
    for name, row in METHODS[kind].items()
    if kind != "range" or row != METHODS["iter"].get(name)
]
OWN_HARNESS = [
    f"harness.{member}.{name}" for member, rows in HARNESS.items() for name, row in parse(rows).items() if ":" in row
]
BUILT = [name for name, implemented in builtin_entries.harness_names() if implemented]
EXPORTS = [(module.path, name) for module in modules.public() for name in module.names()]


def function_of(name: str) -> Builtin:
    first, *rest = name.split(".")
    if first == "harness":
        found = build_harness().members[rest[0]].methods.get(rest[1])
    elif not rest:
        found = registry.function(first)
    elif first in METHODS and name in OWN_METHODS:
        found = registry.method(first, rest[0])
    else:
        found = builtin_entries._NAMESPACES[first].methods.get(rest[0])
    assert found is not None, name
    return found


def test_the_file_of_signatures_has_every_name_once() -> None:
    listed = [name for part in parts().values() for name in part]
    assert len(listed) == len(set(listed))
    assert set(listed) == {*GLOBAL, *OWN_METHODS, *OWN_HARNESS, *builtin_entries.namespace_names()}


@pytest.mark.parametrize("name", [name for name in signatures() if not name.startswith("harness.")])
def test_a_signature_names_as_many_arguments_as_the_function_takes(name: str) -> None:
    line = signatures()[name]
    inside = line[line.index("(") + 1 : line.rindex(")")]
    words = [word for word in inside.split(", ") if word]
    found = function_of(name)
    receiver = 1 if name in OWN_METHODS else 0
    if found.max_args is not None and not any(word.startswith("...") for word in words):
        assert len(words) == found.max_args - receiver
    returns = inspect.signature(found.fn).return_annotation
    if returns == "None":
        assert line.endswith(" -> nil") or "->" not in line
    elif returns in ("str", "int", "bool", "float", "bytes"):
        given = line.partition(" -> ")[2].split(" ")[0]
        assert given == {"str": "string"}.get(returns, returns)


@pytest.mark.parametrize("name", [*GLOBAL, *OWN_METHODS, *builtin_entries.namespace_names(), *BUILT])
def test_every_builtin_says_what_it_does(name: str) -> None:
    entry = find(name)[0]
    assert len(entry.text.split()) >= 3, entry
    assert entry.text[0].isupper() or entry.text[0] in "`0123456789", entry.text
    assert entry.text.partition("\n\n```")[0].endswith("."), entry.text
    assert "``" not in entry.text.replace("```", "")


@pytest.mark.parametrize(("module", "name"), EXPORTS)
def test_every_public_function_of_the_library_has_a_doc_comment(module: str, name: str) -> None:
    entry = modules.read(module).entry(name)
    assert len(entry.text.split()) >= 4, f"{module}: {name}"
    assert entry.text.partition("\n\n```")[0].endswith("."), entry.text


@pytest.mark.parametrize(("module", "name"), EXPORTS)
def test_doc_comments_tell_of_options_and_of_what_is_thrown(module: str, name: str) -> None:
    entry = modules.read(module).entry(name)
    home = modules.read(modules._home(modules.read(module), name)).path
    found = re.search(rf"^pub (?:gen )?fn {re.escape(name)}\b.*?^}}", modules.text_of(home), re.MULTILINE | re.DOTALL)
    if re.search(r"\b(opts|options|config)\b", entry.signature):
        assert re.search(r"[Oo]ptions|`opts`|[Aa]s `|\{\w", entry.text), entry.text
    if found and re.search(r"\bthrow\b", found[0]):
        assert re.search(r"Errors|[Tt]hrow", entry.text), entry.text


@pytest.mark.parametrize("module", modules.paths())
def test_every_module_says_its_job(module: str) -> None:
    assert len(modules.read(module).comment.split()) >= 4


@pytest.mark.parametrize("name", [name for name in BUILT if name.split(".")[1] in ("fs", "net", "process")])
def test_the_permission_is_the_one_that_is_asked_for(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    _, member, method = name.split(".")
    inside, outside = tmp_path / "inside", str(tmp_path / "outside")
    inside.mkdir()
    entry = find(name)[0]
    given = {"copy": [str(inside), outside], "status": [outside], "replace_bytes": [outside, b""], "get": ["http://h/"]}
    given |= {"replace_bytes_result": [outside, b""], "request": ["GET", "http://h/"], "delete": [outside]}
    given |= {
        "mkdtemp": [],
        "mkdtemp_in_workspace": [],
        "download": ["http://h/", str(inside / "file")],
        "egress_policy": [{"allow": []}],
    }
    arguments = given.get(method, [outside, outside][: entry.signature.count(",") + 1])
    options = Options(write_root=(str(inside),))
    streams, _, _ = memory_streams("")
    session = Session(options, streams)
    try:
        refused = refusal_of(session, function_of(name), arguments)
    finally:
        session.close()
    expected = {"net": "no network access", "process": "may not start processes"}.get(member, "")
    if member == "fs" and "roots" in entry.permission:
        expected = "outside the write roots" if "write roots" in entry.permission else "outside the read roots"
    if not entry.permission.startswith("none"):
        assert expected in refused
    else:
        assert "HARN-CAP" not in refused


def refusal_of(session: Session, function: Builtin, arguments: list) -> str:
    try:
        value = call(session.context, function, arguments)
    except HarnError as error:
        value = error.value
    return str(value.fields if hasattr(value, "fields") else value)


def test_names_are_found_in_every_spelling() -> None:
    assert find("harness.fs.read_text") == find("fs.read_text")
    assert find("std/cache.cache_get") == find("cache_get")
    assert [entry.module for entry in find("with_timeout")] == ["std/llm/handlers", "std/llm/tool_middleware"]
    assert [entry.name for entry in find("sorted_by")] == ["list.sorted_by"]
    assert find("generator.map")[0].signature == "generator.map(fn) -> iter"
    assert find("harness")[0].kind == "harness"
    assert find("std/llm/handlers")[0].kind == "module"
    assert [entry.implemented for entry in [*find("harness.memory.open"), *find("yaml_parse")]] == [False, False]


@pytest.mark.parametrize(
    "name", ["", ".", "harness.", "harness.fs.", "std/", "std/cache.", "a.b.c.d", "__agent_end", "list."]
)
def test_what_is_no_name_is_not_found(name: str) -> None:
    assert [entry for entry in find(name) if entry.kind != "harness"] == []


WORDS = st.sampled_from(["harness", "fs", "read_text", "list", "map", "std", "llm", "iter", "cache", "", "é", " "])


@given(st.lists(WORDS, max_size=5), st.sampled_from([".", "/", "..", ""]), st.text(max_size=3))
@settings(max_examples=50)
def test_looking_up_anything_gives_entries_or_nothing(words: list[str], between: str, end: str) -> None:
    for entry in find(between.join(words) + end):
        assert entry.plain().startswith(entry.signature)


def test_the_nearest_name_is_suggested() -> None:
    assert suggestion("with_retri") == "with_retry"
    assert suggestion("harness.fs.read_txt") == "harness.fs.read_text"
    assert suggestion("std/llm/handler") == "std/llm/handlers"
    assert suggestion("something_else_altogether") is None


def test_running_a_program_loads_nothing_of_it(tmp_path: Path) -> None:
    program = tmp_path / "p.harn"
    program.write_text('println(trim(" a "))\n')
    code = (
        "import sys\nfrom harnpy.cli.program import run_file\nfrom harnpy.options import Options\n"
        f"assert run_file({str(program)!r}, Options()) == 0\n"
        "print([name for name in sys.modules if name.startswith('harnpy.reference')])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "a\n[]\n"
