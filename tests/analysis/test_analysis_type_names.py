"""An annotation whose name means no type accepts everything (language 13.2); that is told, and changes nothing else."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("program", "name", "hint"),
    [
        ("fn f(x: str) { return x }\nprintln(f(1))", "str", "did you mean `string`?"),
        ("fn f(x) -> integer { return x }\nprintln(f(1))", "integer", "did you mean `int`?"),
        ("fn f(x: list<Strin>?) { return 1 }\nprintln(f(nil))", "Strin", "did you mean `string`?"),
        ("struct Person { a: int }\nfn f(x: Persom) { return x }\nprintln(f(1))", "Persom", "did you mean `Person`?"),
        (
            "type Row = {a: int, b?: Nowhere | nil}\nfn f(x: Row) { return 1 }\nprintln(f({a: 1}))",
            "Nowhere",
            "declare or import",
        ),
        ("struct P { a: array }\nprintln(1)", "array", "did you mean `list`?"),
        ("const x: object = 1\nprintln(x)", "object", "did you mean `dict`?"),
        ("const f = { x: boolean -> x }\nprintln(f(1))", "boolean", "did you mean `bool`?"),
        ("fn f(g: fn(null) -> int) { return g(1) }\nprintln(f({ x -> x }))", "null", "did you mean `nil`?"),
        ("const f = fn(x) -> double { return x }\nprintln(f(1))", "double", "did you mean `float`?"),
    ],
)
def test_an_unknown_name_is_told(run_harn, program: str, name: str, hint: str) -> None:
    ran = run_harn(program)
    assert (ran.code, ran.out) == (0, "1\n")
    assert ran.err.startswith(f"warning[HARN-TYP-020]: Unknown type: {name}: it accepts every value\n")
    assert f"  = hint: {hint}" in ran.err
    assert ran.err.count("warning") == 1


def test_names_of_types_need_no_warning(run_harn) -> None:
    ran = run_harn("""
import {LaneRow} from "std/agent/lanes"
import "std/agent/overlays"
struct Box<T> { value: T }
impl Box { fn get(self) -> T { return self.value } }
enum Shade { Dark, Light }
interface Shape { fn area(self) -> Size }
type Row = {a: int, next?: Row}
fn all<Item>(
  a: Item, b: Row?, c: LaneRow | OverlayRow, d: Shade, e: Shape, f: list<dict<string, set<int>>>, g: Harness,
  h: HarnessClock, i: Iter<int>, j: Result<int, string>, k: owned<channel>, l: any, m: unknown, n: "x" | 3,
) -> Generator<int> { return nil }
fn inner() {
  struct Own { a: int }
  type Alias = list<Own>
  const made: Own = Own {a: 1}
  const several: Alias = [made]
  return len(several)
}
println(inner())
""")
    assert (ran.code, ran.out, ran.err) == (0, "1\n", "")
