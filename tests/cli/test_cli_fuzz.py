"""Whatever bytes stand in a file, a run ends with a diagnostic or runs; never with a traceback or an internal fault."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from harnpy.analysis.modules import decode_source
from harnpy.cli.program import run
from harnpy.options import Options
from harnpy.streams import memory_streams

KEYWORDS = """
fn let const if else match for in while return throw try catch (e) finally defer parallel each spawn deadline 1ms
retry guard import pub struct enum impl interface type pipeline tool skill select mutex yield emit gen x y f E
harness nil true not to exclusive 1 2.5 3s _
""".split()
SIGNS = """
. ?. ?? ? : :: , ; -> => = == += |> | && ! - + * ** % / ( ) [ ] { } ${ " \"\"\" r" # @ // /* */ < > ...
""".split()
WORDS = [word + " " for word in KEYWORDS] + SIGNS + ["\\\n", "\n", "\t", " ", "\ufeff", "漢", "\x00"]


def outcome(data: bytes) -> None:
    streams, _, err = memory_streams()
    options = Options(virtual_time=0, time_limit=1.0, max_depth=64)
    code = run(lambda: decode_source("fuzz.harn", data), options, streams)
    text = "".join(err)
    assert code != 70, text
    assert "Traceback" not in text
    assert (code != 1) or text.startswith("error")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
@example(b"\xff\xfe")
@example(b"\xef\xbb\xbf#!x\n1")
@example(b"\x00")
@example(b"(" * 5000)
@example(b"[" * 5000 + b"]" * 5000)
@example(b"!" * 5000 + b"1")
@example(b"-" * 5000 + b"1")
@example(b"{" * 3000)
@example(b'"${' * 2000)
@example(b"a." * 5000 + b"b")
@example(b"f(" * 1000 + b")" * 1000)
@example(b"1 + " * 5000 + b"1")
def test_random_bytes(data: bytes) -> None:
    outcome(data)


@settings(max_examples=250, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=40).map("".join))
def test_random_words(text: str) -> None:
    outcome(text.encode("utf-8", "surrogatepass"))
