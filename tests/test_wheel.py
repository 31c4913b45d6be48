"""The wheel and the sdist: they carry what a program needs, and run from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from harnpy.version import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
INFO = f"harnpy-{__version__}.dist-info"
PROGRAMS = {
    "hello.harn": ('harness.stdio.println("hello ${1 + 1}")\n', "hello 2\n"),
    "modules.harn": (
        'import {compose} from "std/llm/handlers"\nimport {double} from "./lib/twice"\n'
        "harness.stdio.println(type_of(compose([])))\nharness.stdio.println(double(21))\n",
        "closure\n42\n",
    ),
    "ask.harn": (
        'harness.llm.mock_enqueue({text: "pong"})\nharness.stdio.println(harness.llm.call("ping").text)\n',
        "pong\n",
    ),
}


def run(*words: str | Path, cwd: Path, **environment: str) -> str:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "HARN"))}
    ended = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from an unpacked sdist, so that both are complete."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    run(*build, "-t", "sdist", cwd=ROOT)
    run(*build[:-1], folder / "checkout", "-t", "wheel", cwd=ROOT)
    sdist = next(folder.glob("*.tar.gz"))
    run("tar", "-xzf", sdist, "-C", folder, cwd=folder)
    unpacked = folder / sdist.name.removesuffix(".tar.gz")
    run(*build, "-t", "wheel", cwd=unpacked)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel in it; the libraries come from the environment of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    (site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", wheel, cwd=folder)
    return folder


def test_the_wheel_carries_the_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    data = {name.removeprefix("harnpy/_data/") for name in names if name.startswith("harnpy/_data/")}
    assert {"grammar/harn.lark", "stdlib/llm/handlers.harn", "stdlib/llm/caller.harn"} <= data
    assert any(name.startswith("cache/") for name in data)
    assert "harnpy/py.typed" in names
    assert {name.partition("/")[0] for name in names} == {"harnpy", INFO}
    assert not [name for name in names if name.endswith(".pyc") or "/test_" in name or "/conftest" in name]


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(f"{INFO}/METADATA").decode()
    for line in ("License-Expression: MIT", "Requires-Python: >=3.11", "Classifier: Typing :: Typed"):
        assert f"\n{line}\n" in metadata
    needed = {line.split(": ")[1].partition(">")[0] for line in metadata.splitlines() if _is_needed(line)}
    assert needed == {"attrs", "click", "google-re2", "greenlet", "h11", "httpx", "lark"}
    entries = archive.read(f"{INFO}/entry_points.txt").decode()
    assert "[pytest11]\nharnpy.testing = harnpy.testing\n" in entries
    assert "[pygments.lexers]\nharn = harnpy.highlighting:HarnLexer\n" in entries


def _is_needed(line: str) -> bool:
    return line.startswith("Requires-Dist: ") and "extra ==" not in line


def test_the_checkout_builds_the_very_same_wheel(wheel: Path) -> None:
    assert (wheel.parent / "checkout" / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_from_another_folder(installed: Path, tmp_path: Path, name: str) -> None:
    text, expected = PROGRAMS[name]
    (tmp_path / name).write_text(text)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "twice.harn").write_text("pub fn double(n) { return n * 2 }\n")
    command = installed / "venv" / "bin" / "harnpy"
    for cache in (str(tmp_path / "cache"), ""):
        assert run(command, "run", name, cwd=tmp_path, HARNPY_CACHE_DIR=cache) == expected


def test_the_reference_is_there(installed: Path, tmp_path: Path) -> None:
    command = installed / "venv" / "bin" / "harnpy"
    for name in ("with_retry", "trim", "harness.fs.read_text", "std/cache"):
        assert len(run(command, "doc", name, cwd=tmp_path).splitlines()) > 2


SESSION_TEST = """
def test_it(harn_session, harn_mock):
    harn_mock.reply("pong")
    assert harn_session.run('return harness.llm.call("ping").text').value == "pong"
"""


def test_pytest_finds_the_fixtures_by_itself(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(SESSION_TEST)
    python = installed / "venv" / "bin" / "python"
    assert "1 passed" in run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", cwd=tmp_path)


def test_importing_it_warns_of_nothing_and_loads_nothing(installed: Path, tmp_path: Path) -> None:
    python = installed / "venv" / "bin" / "python"
    code = (
        "import sys; before = set(sys.modules); import harnpy; print(sorted(set(sys.modules) - before)); "
        "print(harnpy.run('return 1 + 1').value)"
    )
    shown = run(python, "-I", "-X", "dev", "-W", "error", "-c", code, cwd=tmp_path)
    assert shown == "['__future__', 'harnpy', 'harnpy.version']\n2\n"


def test_the_repl_answers(installed: Path, tmp_path: Path) -> None:
    command = installed / "venv" / "bin" / "harnpy"
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "HARN"))}
    ended = subprocess.run(
        [command, "repl"], input="1 + 2\n:quit\n", capture_output=True, text=True, cwd=tmp_path,
        env={**kept, "HOME": str(tmp_path)}, check=True,
    )  # fmt: skip
    assert "3" in ended.stdout


def test_it_runs_without_a_home(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "p.harn").write_text("harness.stdio.println(1)\n")
    command = installed / "venv" / "bin" / "harnpy"
    assert run(command, "run", "p.harn", cwd=tmp_path, HOME="", XDG_CACHE_HOME="") == "1\n"
