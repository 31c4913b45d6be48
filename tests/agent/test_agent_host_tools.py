"""Host tools: files and commands of a project, and nothing outside of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

HEAD = """
import {agent_coding_tools, agent_command_tools, agent_read_tools} from "std/agent/host_tools"
import {agent_dispatch_tool_call} from "std/agent/primitives"
const others = agent_command_tools(agent_read_tools(nil, OPTIONS), OPTIONS)
const tools = agent_coding_tools(others, OPTIONS)
fn go(name, args) {
  const r = agent_dispatch_tool_call({name: name, arguments: args}, tools)
  println(json_stringify([r.ok, r.error_category, r.result ?? r.error]))
  return r.result
}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    """Give a small project with a secret beside it, and go there."""
    (tmp_path / "secret.txt").write_text("secret")
    inside = tmp_path / "project"
    (inside / "src").mkdir(parents=True)
    (inside / "harn.toml").write_text("")
    (inside / "src" / "a.py").write_text("def f():\n    return 1\n\n\nclass C:\n    pass\n")
    monkeypatch.chdir(inside)
    return inside


@pytest.fixture
def tools(run_harn, project: Path):
    """Give ``tools(body, options) -> list``: the results of the calls that a program makes."""

    def run(body: str, options: str = "{}") -> list:
        program = HEAD.replace("OPTIONS", options) + body
        ran = run_harn(program, name=str(project / "t.harn"), allow=("process",))
        assert (ran.code, ran.err) == (0, ""), ran.err
        return [json.loads(line) for line in ran.out.splitlines()]

    return run


def test_files(tools, project: Path):
    results = tools("""
    go("look", {path: "src/a.py", start_line: 2, end_line: 2})
    go("look", {path: "src"})
    go("read_file_tail", {path: "src/a.py", lines: 2})
    go("list_directory", {path: "."})
    go("get_file_outline", {path: "src/a.py"})
    go("search", {query: "return"})
    go("search_files", {query: "nothing like that"})
    go("edit", {path: "src/a.py", old: "return 1", new: "return 2"})
    go("edit", {path: "src/a.py", old: "no such text", new: ""})
    go("edit", {path: "src/new.py", content: "x = 1"})
    """)
    assert [result[0] for result in results] == [True] * 8 + [False, True]
    shown = [result[2] for result in results]
    assert shown[:3] == ["2\t    return 1", "src/a.py", "6\t    pass\n7\t"]
    assert "src/" in shown[3].split("\n")
    assert shown[4] == "1\tdef f():\n5\tclass C:"
    assert shown[5:7] == ["src/a.py:2: return 1", "(no matches)"]
    assert "stands 0 times" in shown[8]["error"]
    assert (project / "src" / "a.py").read_text().startswith("def f():\n    return 2\n")
    assert (project / "src" / "new.py").read_text() == "x = 1"


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_nothing_outside_of_the_root_is_reached(tools, project: Path):
    (project / "link").symlink_to(project.parent)
    results = tools("""
    for path in ["../secret.txt", "link/secret.txt", "/etc/hosts", "src/../../secret.txt"] {
      go("look", {path: path})
      go("edit", {path: path, content: "x"})
    }
    go("search", {query: "secret", path: ".."})
    go("run", {command: "cat secret.txt", cwd: ".."})
    """)
    assert all(result[:2] == [False, "tool_rejected"] for result in results)
    assert (project.parent / "secret.txt").read_text() == "secret"
    narrower = tools('go("look", {path: "../harn.toml"})', '{root: "src"}')
    assert narrower[0][:2] == [False, "tool_rejected"]


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
def test_commands_run_go_on_and_end(tools):
    results = tools("""
    go("run", {command: "cat src/a.py | head -1; exit 3"})
    const started = go("run", {command: "echo one; exec sleep 60", wait_ms: 300})
    go("poll_command", {command_id: started.command_id})
    go("kill_command", {command_id: started.command_id})
    go("read_command_output", {command_id: started.command_id, offset: 1})
    go("read_command_output_tail", {command_id: "unknown"})
    """)
    first, started, polled, killed, output, unknown = [result[2] for result in results]
    assert (first["status"], first["exit_code"], first["output"]) == ("completed", 3, "def f():\n")
    assert [each["status"] for each in (started, polled, killed)] == ["running", "running", "killed"]
    assert (output["output"], output["total"]) == ("ne\n", 4)
    assert unknown["error"] == "no command has the id 'unknown'"


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
def test_only_allowed_commands_run(tools):
    results = tools(
        """
    go("run", {command: "echo fine"})
    go("run", {command: "echo fine; touch evil"})
    go("run", {command: "touch evil"})
    go("git_inspect", {command: "git push"})
    """,
        '{allow_argv_prefixes: ["echo"]}',
    )
    assert [result[0] for result in results] == [True, False, False, False]
    assert not Path("evil").exists()


def test_commands_need_the_capability(run_harn, project: Path):
    program = HEAD.replace("OPTIONS", "{}") + 'go("run", {command: "echo hi"})'
    ran = run_harn(program, name=str(project / "t.harn"))
    ok, _, result = json.loads(ran.out)
    assert ok is False
    assert "harness.process.run is not allowed" in result["error"]


@pytest.mark.parametrize(
    "made",
    ["agent_command_tools(agent_coding_tools(nil, {}), {})", "agent_coding_tools(agent_command_tools(nil, {}), {})"],
)
def test_tools_made_apart_look_after_the_same_commands(tools, made):
    results = tools(f"""
    const both = {made}
    fn call(name, args) {{ return agent_dispatch_tool_call({{name: name, arguments: args}}, both).result }}
    for starter in ["run", "run_command"] {{
      const id = call(starter, {{command: "echo hi"}}).command_id
      const asked = {{command_id: id}}
      const seen = [call("read_command_output", asked).output, call("read_command_output_tail", asked)]
      println(json_stringify(seen + [call("poll_command", asked).status]))
    }}
    """)
    assert results == [["hi\n", "hi\n", "completed"]] * 2


def test_what_the_shell_says_about_a_command_is_in_its_output(tools):
    failed, closed = tools("""
    go("run", {command: "echo 'x"})
    go("run", {command: "cat; echo } ended"})
    """)
    assert "quot" in failed[2]["output"].lower()
    assert closed[2]["output"] == "} ended\n"


@pytest.mark.parametrize(
    "command",
    [
        "git diff --no-index a b", "git diff --no-i a b", "git diff '/etc/passwd' x", "git diff /etc/passwd x",
        "git log --output=x", "git log ../x", "git log .*/x", r"git diff .\\./x", "git blame --contents=x a",
        "git show ~/x", "git commit -m x", "git log; ls",
    ],
)  # fmt: skip
def test_git_inspect_only_looks_at_the_repository(tools, command):
    [[ok, category, result]] = tools(f'go("git_inspect", {{command: "{command}"}})')
    assert (ok, category, result["blocked"]) == (False, "tool_rejected", True)


@pytest.mark.parametrize(
    "command", ["git log --oneline", "git diff HEAD~1..HEAD -- src/*.py", "git show HEAD:src/a.py"]
)
def test_git_inspect_takes_what_only_looks(tools, command):
    [[_, category, result]] = tools(f'go("git_inspect", {{command: "{command}"}})')
    assert category is None or "blocked" not in result


def test_offsets_outside_of_the_output(tools):
    before, behind = tools("""
    const id = agent_dispatch_tool_call({name: "run", arguments: {command: "echo abc"}}, tools).result.command_id
    go("read_command_output", {command_id: id, offset: -5})
    go("read_command_output", {command_id: id, offset: 99})
    """)
    assert (before[2]["offset"], before[2]["output"]) == (0, "abc\n")
    assert (behind[2]["next_offset"], behind[2]["output"]) == (4, "")
