"""What the tests of the trace page do where there is no browser: where it must be there, they fail."""

from __future__ import annotations

import pytest
from devtools import chromium


@pytest.mark.parametrize(
    ("env", "outcome"),
    [
        ({}, "skipped: there is no Chromium here"),
        ({"CI": "true"}, "failed: CI is set and there is no Chromium on PATH: the trace page cannot be tested"),
        ({"CI": "true", "HARNPY_NO_BROWSER": "no root"}, "skipped: no root"),
    ],
)
def test_without_a_browser(env: dict[str, str], outcome: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "HARNPY_NO_BROWSER"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"PATH": "/nowhere", **env}.items():
        monkeypatch.setenv(name, value)
    try:
        chromium()
    except pytest.skip.Exception as skipped:
        told = f"skipped: {skipped}"
    except pytest.fail.Exception as failed:
        told = f"failed: {failed}"
    assert told == outcome
