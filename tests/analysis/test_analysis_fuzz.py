"""Mutated programs are accepted or refused with findings in their text; nothing else ever happens."""

from __future__ import annotations

import random
import re

import pytest

from harnpy.builtins import registry
from harnpy.runtime.program import check_program
from harnpy.source import Source

PIECE = re.compile(r"\w+|\s+|[^\w\s]")


def mutate(rng, pieces, others):
    """Delete, insert, swap or repeat a few pieces."""
    pieces = list(pieces)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(pieces) + 1)
        kind = rng.randrange(4)
        if kind == 0:
            del pieces[at : at + rng.randint(1, 4)]
        elif kind == 1:
            start = rng.randrange(len(others) + 1)
            pieces[at:at] = others[start : start + rng.randint(1, 8)]
        elif kind == 2 and pieces:
            pieces[at : at + 1] = [rng.choice(pieces)]
        else:
            start = rng.randrange(len(pieces) + 1)
            pieces[at:at] = pieces[start : start + 5]
    return "".join(pieces)


@pytest.mark.parametrize("seed", range(4))
def test_checking_mutated_programs(root, monkeypatch, seed):
    monkeypatch.setenv("HARNPY_NO_CACHE", "1")
    files = sorted((root / "conformance" / "names").glob("*.harn")) + sorted((root / "stdlib").rglob("*.harn"))
    programs = [PIECE.findall(file.read_text(encoding="utf-8")) for file in files]
    rng = random.Random(seed)
    accepted = 0
    for _ in range(150):
        text = mutate(rng, rng.choice(programs), rng.choice(programs))
        findings = check_program(Source("<test>", text), registry)
        accepted += not findings
        for finding in findings:
            assert finding.span is None or 0 <= finding.span[0] <= finding.span[1] <= len(finding.source.text)
    assert 0 < accepted < 150
