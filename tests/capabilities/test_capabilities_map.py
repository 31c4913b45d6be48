"""The map of old globals to harness methods (builtins 5): every row works both ways, with one implementation."""

from __future__ import annotations

import pytest

from harnpy.builtins import registry
from harnpy.capabilities import globals
from harnpy.capabilities.harness import build_harness
from harnpy.capabilities.methods import METHODS, parse

HARNESS = build_harness()

# Global, method, and arguments for which both give the same value.
PAIRS = """
term_width|term.width|
term_height|term.height|
now_ms|clock.now_ms|
timestamp|clock.timestamp|
monotonic_ms|clock.monotonic_ms|
elapsed|clock.elapsed|
date_iso|clock.date_iso|
date_now|clock.now|
random_choice|random.choice|[5]
random_shuffle|random.shuffle|[5]
env|env.get|"A"
env_or|env.get_or|"B", 1
read_file|fs.read_text|"a.txt"
read_file_bytes|fs.read_bytes|"a.txt"
file_exists|fs.exists|"a.txt"
list_dir|fs.list_dir|
stat|fs.stat|"a.txt"
glob|fs.glob|"*.txt"
walk_dir|fs.walk|"."
read_lines|fs.read_lines|"a.txt"
temp_dir|fs.temp_dir|
cwd|fs.cwd|
home_dir|fs.home_dir|
source_dir|fs.source_dir|
project_root|fs.project_root|
runtime_paths|fs.runtime_paths|
render_string|fs.render_template|"{{ a }}", {a: 1}
render_prompt|fs.render_prompt|"t.harn.prompt", {a: 1}
http_get|net.get|"https://x.test/"
http_delete|net.delete|"https://x.test/"
http_post|net.post|"https://x.test/", "b"
http_put|net.put|"https://x.test/", "b"
http_patch|net.patch|"https://x.test/", "b"
http_request|net.request|"HEAD", "https://x.test/"
exec|process.exec|"echo", "1"
shell|process.shell|"echo 1"
exec_at|process.exec_at|"/", "pwd"
shell_at|process.shell_at|"/", "pwd"
platform|system.platform|
host_has|runtime.host_has|"workspace"
host_capabilities|runtime.host_capabilities|
store_get|runtime.store_get|"k"
store_list|runtime.store_list|
runtime_context|runtime.context|
runtime_context_values|runtime.context_values|
runtime_context_get|runtime.context_get|"k", 5
circuit_check|runtime.circuit_check|"none"
atomic_get|runtime.atomic_get|atomic(3)
trace_id|obs.trace_id|
trace_spans|obs.trace_spans|
trace_summary|obs.trace_summary|
llm_usage|obs.llm_usage|
http_mock_calls|testing.http_mock_calls|
host_mock_calls|testing.calls|
"""

ROWS = [tuple(line.split("|")) for line in PAIRS.splitlines() if line]


@pytest.mark.parametrize(("name", "method", "args"), ROWS, ids=[row[1] for row in ROWS])
def test_both_spellings_give_the_same(run_harn, tmp_path, monkeypatch, name, method, args):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harn.toml").write_text("")
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "t.harn.prompt").write_text("<{{ a }}>")
    program = f"""
    mock_time(5000)
    http_mock("*", "https://x.test/*", {{body: "answer"}})
    const old = {name}({args})
    const new = harness.{method}({args})
    println(old == new)
    if old != new {{ println([old, new]) }}
    """
    ran = run_harn(program, env={"A": "x", "PATH": "/bin:/usr/bin"}, allow=("process",))
    assert (ran.code, ran.out, ran.err) == (0, "true\n", "")


def test_globals_and_methods_are_one_function():
    """A method that names a global runs the function of that global, behind the same guard."""
    seen = 0
    for capability, entries in METHODS.items():
        for method, row in parse(entries).items():
            owner = globals.owner(row)
            if ":" in row or owner is None or registry.function(row) is None or owner[0] != capability:
                continue
            seen += 1
            bound = HARNESS.members[capability].methods[method].fn
            old = globals.function(row)
            assert old is not None
            assert function_behind(bound) is function_behind(old.fn), row
    assert seen > 80


def function_behind(run):
    """The function that a guard calls."""
    cells = dict(zip(run.__code__.co_freevars, [cell.cell_contents for cell in run.__closure__ or ()], strict=True))
    return cells.get("function", run)


def test_pure_globals_have_no_guard():
    for name in ("len", "json_parse", "sha256", "atomic_add", "circuit_try", "path_join"):
        assert globals.function(name) is registry.function(name)
