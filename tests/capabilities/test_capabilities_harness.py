"""The harness: members, methods, argument errors, queued responses, policy."""

from __future__ import annotations

import pytest

from harnpy.capabilities.harness import build_harness, type_name_of
from harnpy.capabilities.methods import METHODS, parse


def main(body: str) -> str:
    return "fn main(harness: Harness) {\n" + body + "\n}\n"


@pytest.fixture
def out(run_harn):
    """Give ``out(body, **options) -> stdout`` of a program that must succeed."""

    def run(body: str, **options: object) -> str:
        ran = run_harn(main(body), **options)
        assert (ran.code, ran.err) == (0, "")
        return ran.out

    return run


def test_display_and_types(out):
    assert out("println([harness, harness.fs, type_of(harness), type_of(harness.clock)])") == (
        "[<Harness>, <HarnessFs>, Harness, HarnessClock]\n"
    )


@pytest.mark.parametrize("capability", sorted(METHODS))
def test_every_method_of_the_table_loads(capability):
    table = build_harness().members[capability].methods
    for name in parse(METHODS[capability]):
        assert table[name].name.endswith(name)
    assert table.get("nonsense") is None
    assert "nonsense" not in table


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("harness.env.get(5)", "Type error: HarnessEnv.get expects string argument 1, got int"),
        ("harness.fs.read_text(nil)", "Type error: HarnessFs.read_text expects string argument 1, got nil"),
        ('harness.clock.sleep_ms("x")', "Type error: HarnessClock.sleep_ms expects an int or duration argument"),
        ('harness.random.range("a", 2)', "Type error: HarnessRandom.range expects an integer min argument"),
        ("harness.random.range(1, nil)", "Type error: HarnessRandom.range expects an integer max argument"),
        ("harness.random.bytes(0)", "HarnessRandom.bytes expects a length from 1 through 1024"),
        ("harness.fs.nonsense()", "Type error: value of type HarnessFs has no method `nonsense`"),
        ("harness.testing.pop_scope()", "HarnessTesting.pop_scope called without a matching push_scope"),
        ("harness.secrets.delete()", "Runtime error: HarnessSecrets.delete: not implemented in this version"),
    ],
)
def test_errors(out, call, text):
    assert text in out(f"println(try {{ {call} }} catch (e) {{ e }})")


def test_unknown_namespace_is_an_error(run_harn):
    ran = run_harn(main("harness.nonsense.go()"))
    assert ran.code == 1
    assert "value of type Harness has no" in ran.err


def test_clock_random_and_env(out):
    body = """
    println([harness.clock.now_ms(), harness.clock.timestamp(), harness.clock.monotonic_ms()])
    harness.clock.sleep_ms(250)
    harness.clock.sleep_ms(1s)
    println([harness.clock.now_ms(), harness.clock.elapsed()])
    const r = harness.random.range(3, 3)
    const f = harness.random.f64()
    println([r, f >= 0.0 && f < 1.0, harness.random.range(2, 1), len(harness.random.bytes(4))])
    println([harness.env.get("A"), harness.env.get("B"), harness.env.get_or("B", 7), env_or("A", 1)])
    """
    assert out(body, virtual_time=5000, env={"A": "x"}) == (
        "[5000, 5.0, 0]\n[6250, 1250]\n[3, true, nil, 4]\n[x, nil, 7, x]\n"
    )


def test_random_is_reproducible_by_seed(out):
    body = "println([harness.random.u64(), harness.random.f64(), harness.random.range(1, 1000)])"
    assert out(body, seed=1) == out(body, seed=1) != out(body, seed=2)


def test_global_and_method_share_one_state(out):
    body = """
    harness.testing.clock_set(1000)
    println(harness.testing.clock_advance(5))
    sleep_ms(10)
    println([now_ms(), harness.clock.now_ms()])
    harness.testing.clock_reset()
    const a = harness.runtime.atomic(4)
    println([atomic_add(a, 3), harness.runtime.atomic_get(a)])
    """
    assert out(body) == "1005\n[1015, 1015]\n[4, 7]\n"


def test_responses(out):
    body = """
    harness.testing.push_scope()
    harness.testing.respond("fs", "read_text", "first")
    harness.testing.respond("fs", "read_text", "for x", {a: 1}, true)
    harness.testing.respond_error("env", "get", "denied")
    println([harness.fs.read_text({a: 1, b: 2}), harness.fs.read_text("p"), harness.fs.read_text({a: 1})])
    println(try { harness.env.get("A") } catch (e) { e })
    println(try { harness.fs.read_text("p") } catch (e) { e })
    println(harness.testing.calls().map({ c -> "${c.capability}.${c.operation} ${c.args}" }))
    harness.testing.pop_scope()
    println([harness.env.get("A"), harness.testing.calls()])
    """
    assert out(body, env={"A": "x"}) == (
        "[for x, first, for x]\ndenied\n"
        "Runtime error: no fixture for fs.read_text matched arguments [p]\n"
        "[fs.read_text [{a: 1, b: 2}], fs.read_text [p], fs.read_text [{a: 1}], env.get [A], fs.read_text [p]]\n"
        "[x, []]\n"
    )


def test_files(out, tmp_path):
    body = f"""
    const d = "{tmp_path}"
    harness.fs.mkdir(path_join(d, "sub", "deep"))
    const p = path_join(d, "sub", "a.txt")
    harness.fs.write_text(p, "one\\r\\ntwo\\n")
    harness.fs.append(p, 3)
    println([harness.fs.read_lines(p), read_file(p) == "one\\r\\ntwo\\n3", harness.fs.exists(p)])
    harness.fs.copy(p, path_join(d, "b.txt"))
    harness.fs.rename(path_join(d, "b.txt"), path_join(d, "c.txt"))
    println([harness.fs.list_dir(d), stat(p).size, stat(d).is_dir])
    harness.fs.delete(path_join(d, "sub"))
    println(harness.fs.list_dir(d))
    println(harness.fs.read_text_result(path_join(d, "none")))
    println(try {{ read_file(path_join(d, "none")) }} catch (e) {{ e }})
    """
    assert out(body, no_sandbox=True) == (
        "[[one, two, 3], true, true]\n[[c.txt, sub], 10, true]\n[c.txt]\n"
        "Result.Err({kind: not_found, message: No such file or directory})\n"
        f"Failed to read file {tmp_path}/none: No such file or directory\n"
    )


def test_policy_refuses_before_anything_happens(run_harn, tmp_path, monkeypatch):
    inside = tmp_path / "in"
    outside = tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    monkeypatch.chdir(inside)
    monkeypatch.setenv("TMPDIR", str(inside))
    body = main(f"""
    write_file("ok.txt", "x")
    println(try {{ write_file("{outside}/no.txt", "x") }} catch (e) {{ [e.category, e.code] }})
    println(try {{ harness.fs.write_text("../out/no.txt", "x") }} catch (e) {{ e.code }})
    println(harness.fs.read_text_result("{outside}/no.txt"))
    println(try {{ harness.env.get("A") }} catch (e) {{ e.message }})
    """)
    ran = run_harn(body, deny=("env",))
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[:2] == ["[tool_rejected, HARN-CAP-201]", "HARN-CAP-201"]
    assert "kind: sandbox_denied" in lines[2]
    assert lines[3] == "HARN-CAP-201: harness.env.get is not allowed: it is denied (--deny)"
    assert list(outside.iterdir()) == []
    granted = run_harn(main(f'write_file("{outside}/yes.txt", "x")'), write_root=(str(outside),))
    assert granted.code == 0
    assert (outside / "yes.txt").read_text() == "x"


def test_a_link_out_of_the_roots_is_refused(run_harn, tmp_path, monkeypatch):
    inside = tmp_path / "in"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    monkeypatch.chdir(inside)
    monkeypatch.setenv("TMPDIR", str(inside))
    ran = run_harn(main('write_file("link/no.txt", "x")'))
    assert ran.code == 1
    assert "HARN-CAP-201" in ran.err


def test_stdin(run_harn):
    body = """
    println([harness.stdio.read_line(), harness.stdio.prompt("? "), harness.stdio.read_stdin(), read_line()])
    mock_stdin("a\\nb\\n")
    println([read_line(), read_line({}), read_line({}), read_line()])
    """
    ran = run_harn(main(body), stdin="one\ntwo  \nthree\nfour")
    assert ran.out == "? [one, two, three\nfour, nil]\n[a, {line: b, status: ok}, {status: eof}, nil]\n"


def test_type_names():
    assert [type_name_of(name) for name in ("fs", "obs", "secret_store")] == [
        "HarnessFs",
        "HarnessObs",
        "HarnessSecretStore",
    ]


@pytest.mark.parametrize("option", ["--allow", "--deny"])
def test_names_of_capabilities_are_checked(option):
    from click.testing import CliRunner

    from harnpy.cli.main import cli

    for name in ("nett", "fs.reed", "", "fs."):
        ended = CliRunner().invoke(cli, ["run", option, name, "-e", "1"])
        assert ended.exit_code == 2
        assert f"there is no capability {name!r}" in ended.output


def test_faults_of_a_mock_harness_file(run_harn, tmp_path):
    def said(text: str) -> str:
        path = tmp_path / "x.harness.json"
        path.write_text(text)
        ran = run_harn("println(1)", harness=str(path))
        assert (ran.code, ran.out) == (1, "")
        return ran.err

    assert "JSON parse error" in said("{")
    assert "expected an object, got list" in said("[]")
    assert 'field `mode` must be "mock" or "null"' in said("{}")
    assert "unknown field `x`" in said('{"mode": "mock", "x": 1}')
    assert "field `env` has the wrong type list" in said('{"mode": "mock", "env": []}')
    assert "the values of `env` must be strings" in said('{"mode": "mock", "env": {"A": 1}}')
    assert "the items of `random_u64`" in said('{"mode": "mock", "random_u64": [-1]}')
    assert "the items of `expect_calls`" in said('{"mode": "mock", "expect_calls": [{"method": "x"}]}')
    ran = run_harn("println(1)", harness=str(tmp_path / "none"))
    assert "No such file or directory" in ran.err


def test_one_granted_method_needs_no_other(run_harn, tmp_path, monkeypatch):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    monkeypatch.chdir(inside)
    ran = run_harn(
        f'println(harness.fs.replace_text("{outside}/a", "x").status)\n'
        f'println(harness.fs.glob("*", "{outside}").count)\n'
        f'println(try {{ read_file("{outside}/a") }} catch (e) {{ e.code }})',
        allow=("fs.replace_text", "fs.glob"),
    )
    assert (ran.out, ran.err) == ("created\n1\nHARN-CAP-201\n", "")
    assert [path.name for path in outside.iterdir()] == ["a"]
