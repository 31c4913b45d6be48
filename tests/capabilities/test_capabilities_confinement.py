"""No path leads out of the roots of the policy: not by dots, links, odd names, devices, nor by a race."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harnpy.capabilities import globals
from harnpy.capabilities.harness import build_harness
from harnpy.capabilities.policy import Policy
from harnpy.errors import HarnError
from harnpy.runtime.calls import call
from harnpy.runtime.context import Context
from harnpy.runtime.display import display
from harnpy.runtime.limits import Limits

SECRET = "the secret of the outside"
HARNESS = build_harness()


class Place:
    """A root with links and odd files in it, beside a folder that must stay as it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.inside = folder / "in"
        self.outside = folder / "out"

    def build(self) -> None:
        for part in (self.inside, self.outside):
            shutil.rmtree(part, ignore_errors=True)
        (self.inside / "dir" / "deep").mkdir(parents=True)
        (self.inside / "a.txt").write_text("inside")
        (self.inside / "dir" / "b.txt").write_text("inside")
        (self.outside / "dir").mkdir(parents=True)
        (self.outside / "a.txt").write_text(SECRET)
        (self.outside / "dir" / "b.txt").write_text(SECRET)
        (self.inside / "up").symlink_to("..")
        (self.inside / "way").symlink_to(self.outside)
        (self.inside / "file").symlink_to(self.outside / "a.txt")
        (self.inside / "dangling").symlink_to(self.outside / "new")
        (self.inside / "loop").symlink_to("loop")
        (self.inside / "good").symlink_to("dir")
        (self.inside / "dir" / "chain").symlink_to("../way/dir")
        os.mkfifo(self.inside / "pipe")

    def context(self) -> Context:
        ctx = Context()
        roots = [str(self.inside)]
        ctx.services = {
            "cwd": str(self.inside),
            "env": {"HOME": str(self.outside)},
            "policy": Policy(read_roots=roots, write_roots=roots),
        }
        ctx.limits = Limits()
        return ctx

    def state(self) -> list[tuple[str, object]]:
        found = [
            (str(path), path.read_text() if path.is_file() else path.stat().st_mode)
            for path in sorted(self.outside.rglob("*"))
        ]
        return [*found, ("siblings", sorted(os.listdir(self.folder)))]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("confined"))
    made.build()
    return made


PARTS = st.sampled_from(
    ["..", ".", "", "a.txt", "dir", "deep", "up", "way", "file", "dangling", "loop", "good", "chain", "pipe", "b.txt"]
    + ["out", "in", "~", "A.TXT", "DIR", "new", "*", "..\\", "a" * 300, "\ud800", "\0", "/", "é", " ", "-rf", "x/../.."]
)


@st.composite
def paths(draw: st.DrawFn, place: Place) -> str:
    start = draw(
        st.sampled_from(["", "", "", "/", str(place.inside) + "/", str(place.outside) + "/", "/dev/null", "~/"])
    )
    return start + "/".join(draw(st.lists(PARTS, max_size=6)))


# Method and a maker of its arguments from two paths.
READING = {
    "read_text": lambda a, b: [a],
    "read_text_result": lambda a, b: [a],
    "read_bytes": lambda a, b: [a],
    "read_lines": lambda a, b: [a],
    "read_lines_page_result": lambda a, b: [a],
    "exists": lambda a, b: [a],
    "stat": lambda a, b: [a],
    "status": lambda a, b: [a, "write"],
    "list_dir": lambda a, b: [a],
    "walk": lambda a, b: [a, {"follow_symlinks": True}],
    "glob": lambda a, b: [a, "."],
    "find_text": lambda a, b: [a, "s"],
}
WRITING = {
    "write_text": lambda a, b: [a, "changed"],
    "write_bytes": lambda a, b: [a, b"changed"],
    "append": lambda a, b: [a, "changed"],
    "append_locked": lambda a, b: [a, "changed"],
    "delete": lambda a, b: [a],
    "copy": lambda a, b: [a, b],
    "rename": lambda a, b: [a, b],
    "mkdir": lambda a, b: [a],
    "replace_text": lambda a, b: [a, "changed", {"create_parents": True}],
    "replace_bytes_result": lambda a, b: [a, b"changed"],
    "mkdtemp": lambda a, b: [a],
}


@pytest.mark.parametrize("method", [*READING, *WRITING])
def test_no_path_leads_out(place: Place, method: str) -> None:
    make = {**READING, **WRITING}[method]
    builtin = HARNESS.members["fs"].methods[method]
    place.build()
    untouched = place.state()

    @settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(paths(place), paths(place))
    def check(first: str, second: str) -> None:
        if method in WRITING:
            place.build()
        try:
            shown = display(call(place.context(), builtin, make(first, second)))
        except HarnError as error:
            shown = display(error.value)
        assert SECRET not in shown
        assert place.state() == untouched

    check()


def test_links_inside_the_root_work(place: Place) -> None:
    place.build()
    ctx = place.context()
    read = globals.function("read_file")
    assert call(ctx, read, ["good/b.txt"]) == "inside"
    assert call(ctx, read, ["up/in/a.txt"]) == "inside"
    call(ctx, globals.function("write_file"), ["good/c.txt", "x"])
    assert (place.inside / "dir" / "c.txt").read_text() == "x"


def test_deleting_a_link_leaves_its_target(place: Place) -> None:
    place.build()
    for name in ("way", "file", "dangling", "loop"):
        call(place.context(), globals.function("delete_file"), [name])
        assert not (place.inside / name).is_symlink()
    assert (place.outside / "a.txt").read_text() == SECRET


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        ("read_file", ["pipe"], "it is not a regular file"),
        ("write_file", ["pipe", "x"], "No such device or address"),
        ("read_file", ["loop"], "Too many levels of symbolic links"),
        ("read_file", ["a" * 300], "File name too long"),
        ("read_file", ["a\0b"], "it contains a NUL character"),
        ("read_file", ["\ud800"], "characters that no file name can have"),
        ("read_file", ["~/a.txt"], "No such file or directory"),
        ("delete_file", [""], "it is a root of the sandbox"),
        ("move_file", ["dir", "."], "it is a root of the sandbox"),
    ],
)
def test_odd_paths_are_plain_errors(place: Place, function: str, args: list[str], text: str) -> None:
    place.build()
    with pytest.raises(HarnError) as caught:
        call(place.context(), globals.function(function), list(args))
    assert text in str(caught.value.value)


@pytest.mark.parametrize("path", ["way/a.txt", "file", "dangling", "dir/chain/b.txt", "../out/a.txt", "up/out/a.txt"])
def test_refusals_have_code_and_category(place: Place, path: str) -> None:
    place.build()
    with pytest.raises(HarnError) as caught:
        call(place.context(), globals.function("write_file"), [path, "changed"])
    value = caught.value.value
    assert (value["category"], value["code"], value["operation"]) == ("tool_rejected", "HARN-CAP-201", "fs.write_text")


def test_a_raced_link_leads_nowhere(place: Place) -> None:
    """Another thread swaps a folder for a link to the outside all the time."""
    place.build()
    folder, link, parked = place.inside / "swap", place.inside / "link", place.inside / "parked"
    folder.mkdir()
    (folder / "a.txt").write_text("inside")
    link.symlink_to(place.outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(folder, parked)
            os.rename(link, folder)
            os.rename(folder, link)
            os.rename(parked, folder)

    ctx = place.context()
    read, write = globals.function("read_file"), globals.function("write_file")
    untouched = place.state()
    seen = set()
    racer = threading.Thread(target=swap)
    racer.start()
    try:
        for turn in range(1500):
            try:
                seen.add(call(ctx, read, ["swap/a.txt"]))
                call(ctx, write, ["swap/a.txt", "inside"])
                call(ctx, write, [f"swap/{turn % 7}.txt", "new"])
            except HarnError:
                pass
    finally:
        stop.set()
        racer.join()
    # The racer's own writing may be seen half done; what matters is whose text it is.
    assert seen <= {"inside", ""}
    assert place.state() == untouched


def test_temporary_folders_lie_where_files_may_be_written(run_harn, tmp_path, monkeypatch):
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "sub").mkdir(parents=True)
    other.mkdir()
    (project / "harn.toml").write_text("")
    monkeypatch.chdir(project / "sub")
    program = 'const d = harness.fs.mkdtemp()\nwrite_file(path_join(d, "f"), "x")\nprintln(temp_dir())\ndelete_file(d)'
    assert run_harn(program).out == f"{project}/.harn-tmp\n"
    assert run_harn(program, write_root=(str(other),)).out == f"{other}/.harn-tmp\n"
    assert [list(other.iterdir()), sorted(path.name for path in project.iterdir())] == [[], ["harn.toml", "sub"]]
    assert not run_harn(program, no_sandbox=True).out.startswith(str(project))


def test_the_project_of_the_program_can_be_read(tmp_path):
    """A program may read beside itself wherever it is started, and write only where it was started."""
    scripts, here = tmp_path / "scripts", tmp_path / "here"
    for folder in (scripts, here):
        folder.mkdir()
    (scripts / "data.txt").write_text("beside")
    (scripts / "p.harn").write_text(
        'const d = source_dir()\nprintln(read_file(path_join(d, "data.txt")))\nwrite_file("w.txt", "x")\n'
        'println(try { write_file(path_join(d, "w.txt"), "x") } catch (e) { e.code })\n'
    )
    words = [sys.executable, "-m", "harnpy", "run", str(scripts / "p.harn")]
    root = Path(__file__).resolve().parents[2]
    ended = subprocess.run(
        words, cwd=here, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root)}, check=False
    )
    assert (ended.stdout, ended.stderr) == ("beside\nHARN-CAP-201\n", "")
    assert [path.name for path in here.iterdir()] == ["w.txt"]


def test_a_file_that_is_larger_than_a_value_may_be(place: Place) -> None:
    place.build()
    (place.inside / "large").write_bytes(b"x" * 2000)
    ctx = place.context()
    ctx.limits = Limits(max_string=1000)
    for name in ("read_file", "read_file_bytes", "read_lines", "copy_file"):
        with pytest.raises(HarnError) as caught:
            call(ctx, globals.function(name), ["large", "copy"][: 2 if name == "copy_file" else 1])
        assert "it is larger than 1000 bytes" in str(caught.value.value)
    assert not (place.inside / "copy").exists()
