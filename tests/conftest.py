"""What the tests share: where the checkout and the specification are, and a short way to run a program."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from harnpy.cli.program import run as run_source
from harnpy.options import Options
from harnpy.source import Source
from harnpy.streams import memory_streams

# How fast a machine is that runs beside others is no property of the code.
settings.register_profile("harnpy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("harnpy")

ROOT = Path(__file__).resolve().parent.parent


class Ran:
    """What a program did: exit code, stdout, stderr."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the module cache of the tests apart from the user's."""
    monkeypatch.setenv("HARNPY_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "harnpy-cache"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the user's pages and the specification; tests that need it are skipped without it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the specification (../shared) is not here")
    return folder


@pytest.fixture
def run_harn():
    """Give ``run(text, **options) -> Ran``: runs a program as ``harnpy run`` does, in memory."""

    def run(text: str, *, stdin: str = "", name: str = "test.harn", **options: object) -> Ran:
        streams, out, err = memory_streams(stdin)
        code = run_source(lambda: Source(name, text), Options(**options), streams)
        return Ran(code, "".join(out), "".join(err))

    return run
