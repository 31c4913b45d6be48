"""Finding and loading modules: identities of files, cycles, the project root, and what goes wrong."""

from __future__ import annotations

import os

import pytest

from harnpy.analysis.modules import decode_source, load_graph, project_root, read_source
from harnpy.builtins import registry
from harnpy.errors import RejectedProgram
from harnpy.options import Options
from harnpy.runtime.program import check_program
from harnpy.session import Session
from harnpy.streams import memory_streams


def write(folder, **files):
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".harn")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(path):
    streams, out, err = memory_streams()
    session = Session(Options(no_cache=True), streams)
    code = session.run(lambda: read_source(str(path)))
    session.close()
    return code, "".join(out), "".join(err)


def rejected(path):
    with pytest.raises(RejectedProgram) as caught:
        load_graph(read_source(str(path)), use_cache=False)
    return caught.value.diagnostics


def test_every_spelling_of_a_file_is_one_module(tmp_path):
    write(
        tmp_path,
        a__x='import {y} from "../b/y"\nimport {z} from "./../b/../c/z.harn"\npub fn x() { return 1 }\nprintln("x")\n',
        b__y='import {x} from "../a/x"\nimport {z} from "../linked/z"\npub fn y() { return x() + 1 }\nprintln("y")\n',
        c__z='import {x} from "../a/./x.harn"\npub fn z() { return x() + 2 }\nprintln("z")\n',
        main='import {x} from "a/x"\nimport {y} from "./b/../b/y.harn"\nimport {z} from "linked/z"\n'
        "println([x(), y(), z()])\n",
    )
    (tmp_path / "linked").symlink_to(tmp_path / "c")
    assert run(tmp_path / "main.harn") == (0, "z\ny\nx\n[1, 2, 3]\n", "")


def test_many_files_that_all_import_each_other(tmp_path):
    folders = ["p", "q", "r", "s"]
    names = [(folder, number) for folder in folders for number in range(6)]
    for folder, number in names:
        lines = [
            f'import {{{other}{n}}} from "../{other}/m{n}"' for other, n in names if (other, n) != (folder, number)
        ]
        lines.append(f"pub fn {folder}{number}() {{ return {number} }}")
        lines.append(f'println("{folder}{number}")')
        write(tmp_path, **{f"{folder}__m{number}": "\n".join(lines) + "\n"})
    write(tmp_path, main='import {p0} from "p/m0"\nimport {s5} from "s/m5"\nprintln(p0() + s5())\n')
    code, out, err = run(tmp_path / "main.harn")
    lines = out.split()
    assert (code, err, lines[-1]) == (0, "", "5")
    assert sorted(lines[:-1]) == sorted([f"{folder}{number}" for folder, number in names])


def test_a_file_that_imports_itself(tmp_path):
    write(tmp_path, me='import "./me"\npub fn f() { return 1 }\nprintln(f())\n')
    assert run(tmp_path / "me.harn") == (0, "1\n", "")


def test_entry_through_a_symlink_is_the_file_itself(tmp_path):
    write(tmp_path, real__main='import {x} from "./side"\nprintln(x)\n', real__side='pub const x = "side"\n')
    (tmp_path / "link.harn").symlink_to(tmp_path / "real" / "main.harn")
    assert run(tmp_path / "link.harn") == (0, "side\n", "")


def test_reading_an_import_of_a_cycle_too_early_names_both_files(tmp_path):
    write(
        tmp_path,
        a='import {b} from "./b"\npub const A = 1\n',
        b='import {A} from "./a"\npub fn b() { return A }\nprintln(b())\n',
        main='import {A} from "./a"\n',
    )
    code, _, err = run(tmp_path / "main.harn")
    assert code == 1
    assert "Undefined variable: A" in err
    assert "a.harn" in err
    assert "b.harn" in err


def test_missing_module_tells_importer_place_and_tried_path(tmp_path):
    write(tmp_path, main='println(1)\nimport {x} from "./no/such"\n')
    (finding,) = rejected(tmp_path / "main.harn")
    assert finding.code == "HARN-IMP-001"
    assert "cannot read './no/such'" in finding.message
    assert finding.source.line_column(finding.span[0]) == (2, 17)
    assert str(tmp_path / "no" / "such.harn") in finding.notes[0]


def test_parse_error_of_a_module_has_its_own_place(tmp_path):
    write(tmp_path, main='import {x} from "./bad"\n', bad="pub fn x() {\n  let = 3\n}\n")
    (finding,) = rejected(tmp_path / "main.harn")
    assert finding.message.startswith("Import parse error: ")
    assert finding.source.path == str(tmp_path / "bad.harn")
    assert finding.source.line_column(finding.span[0])[0] == 2
    assert any("main.harn:1:" in note for note in finding.notes)


def test_findings_of_all_files_come_together(tmp_path):
    write(tmp_path, main='import "./one"\nimport "./two"\n', one="const = 1\n", two="const = 2\n")
    assert [os.path.basename(finding.source.path) for finding in rejected(tmp_path / "main.harn")] == [
        "one.harn",
        "two.harn",
    ]


def test_a_bad_module_is_reported_once_however_often_it_is_imported(tmp_path):
    write(tmp_path, main='import "./one"\nimport "./bad"\n', one='import "./bad"\n', bad="const = 1\n")
    assert len(rejected(tmp_path / "main.harn")) == 1


@pytest.mark.parametrize("written", ["../out", "{out}/out"])
def test_imports_stay_below_the_project_root(tmp_path, written):
    project, out = tmp_path / "project", tmp_path
    (project / "src").mkdir(parents=True)
    (project / "harn.toml").write_text("")
    write(out, out="pub const x = 1\n")
    write(project, src__main=f'import {{x}} from "{written.replace("..", "../..").format(out=out)}"\n')
    (finding,) = rejected(project / "src" / "main.harn")
    assert "outside the project root" in finding.message
    assert finding.span is not None


def test_symlinks_do_not_lead_out_of_the_project(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "harn.toml").write_text("")
    write(tmp_path, secret="pub const x = 1\n")
    (project / "inside.harn").symlink_to(tmp_path / "secret.harn")
    write(project, main='import {x} from "./inside"\n')
    assert "outside the project root" in rejected(project / "main.harn")[0].message


def test_upward_imports_inside_the_project(tmp_path):
    (tmp_path / "harn.toml").write_text("")
    write(tmp_path, lib="pub const x = 7\n", deep__er__main='import {x} from "../../lib"\nprintln(x)\n')
    assert run(tmp_path / "deep" / "er" / "main.harn") == (0, "7\n", "")
    assert project_root(str(tmp_path / "deep" / "er")) == str(tmp_path)


def test_without_a_project_any_file_may_be_imported(tmp_path):
    write(tmp_path, lib="pub const x = 7\n", sub__main='import {x} from "../lib"\nprintln(x)\n')
    assert run(tmp_path / "sub" / "main.harn") == (0, "7\n", "")


def test_bytes_that_are_not_utf8(tmp_path):
    (tmp_path / "main.harn").write_bytes('println("é")\n'.encode() + b"// \xff\n")
    code, out, err = run(tmp_path / "main.harn")
    assert (code, out) == (1, "")
    assert err.count("error") == 1
    assert "byte offset 17" in err


def test_byte_order_mark_counts_in_the_byte_offset():
    with pytest.raises(RejectedProgram) as caught:
        decode_source("x", b"\xef\xbb\xbfab\xc3")
    assert "byte offset 5" in caught.value.diagnostics[0].message
    assert decode_source("x", b"\xef\xbb\xbfab").text == "ab"


def test_imported_file_that_is_not_utf8(tmp_path):
    write(tmp_path, main='import "./lib"\n')
    (tmp_path / "lib.harn").write_bytes(b"\xfe")
    (finding,) = rejected(tmp_path / "main.harn")
    assert "is not UTF-8" in finding.message


def test_entry_that_cannot_be_read(tmp_path):
    for path in (tmp_path / "none.harn", tmp_path):
        code, _, err = run(path)
        assert code == 1
        assert "cannot read" in err


def test_a_long_chain_of_imports(tmp_path):
    for number in range(700):
        write(tmp_path, **{f"m{number}": f'pub import {{x}} from "./m{number + 1}"\n'})
    write(tmp_path, m700="pub const x = 1\n", main='import {x} from "./m0"\nprintln(x)\n')
    assert run(tmp_path / "main.harn") == (0, "1\n", "")


def test_check_gives_errors_and_warnings_without_running(tmp_path):
    write(tmp_path, main='println("no")\nlet n = 0\nspawn { n = 1 }\nno_such()\nfn main() { }\n')
    findings = check_program(read_source(str(tmp_path / "main.harn")), registry)
    assert [(finding.code, finding.severity) for finding in findings] == [
        ("HARN-NAM-002", "error"),
        ("HARN-NAM-101", "error"),
        ("HARN-LNT-064", "warning"),
    ]


def test_spellings_that_differ_in_case_only_are_one_file_where_the_file_system_says_so(tmp_path):
    # Two names of one file stand for a file system that does not tell letter case apart.
    write(tmp_path, lib='println("once")\npub fn f() { return 1 }\n')
    os.link(tmp_path / "lib.harn", tmp_path / "LIB.harn")
    write(tmp_path, main='import {f} from "./lib"\nimport * as again from "./LIB"\nprintln(f() + again.f())\n')
    assert run(tmp_path / "main.harn") == (0, "once\n2\n", "")


def test_names_that_no_file_can_have(tmp_path):
    write(tmp_path, main='import "a\\0b"\nimport ""\n')
    assert len(rejected(tmp_path / "main.harn")) == 2
    with pytest.raises(RejectedProgram, match="cannot read"):
        read_source("a\0b")


def test_sessions_of_one_process_share_the_trees_of_the_standard_library(tmp_path):
    main = tmp_path / "main.harn"
    main.write_text('import {compose} from "std/llm/handlers"\nreturn type_of(compose([]))\n')
    first, second = (load_graph(read_source(str(main))).modules[0] for _ in range(2))
    assert first.std
    assert first is not second
    assert first.module is second.module
    fresh = load_graph(read_source(str(main)), use_cache=False).modules[0]
    assert fresh.module is not first.module
