"""Every module of the standard library links: its imports, and all names that it uses, exist."""

from __future__ import annotations

from pathlib import Path

from harnpy import resources
from harnpy.analysis.modules import load_graph
from harnpy.builtins import registry
from harnpy.runtime.program import check_program
from harnpy.source import Source


def test_all_modules_link():
    faults = []
    for file in sorted(Path(resources.stdlib_dir()).rglob("*.harn")):
        findings = check_program(Source(str(file), file.read_text(encoding="utf-8")), registry)
        faults += [f"{file.name}: {finding.message}" for finding in findings]
    assert faults == []


def test_all_modules_can_be_imported_at_once():
    top = Path(resources.stdlib_dir())
    names = [str(file.relative_to(top))[: -len(".harn")] for file in sorted(top.rglob("*.harn"))]
    text = "".join([f'import * as m{number} from "std/{name}"\n' for number, name in enumerate(names)])
    graph = load_graph(Source("<test>", text))
    assert {module.path for module in graph.modules} >= {f"std/{name}" for name in names}
