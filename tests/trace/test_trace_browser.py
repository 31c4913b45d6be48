"""The trace page in a browser: what it shows, keys, filter, zoom, deep links, and that nothing leaves it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from devtools import Browser, Page, chromium

from harnpy.cli.program import of_code, run
from harnpy.options import Options
from harnpy.streams import memory_streams

pytestmark = pytest.mark.slow  # one Python is enough: what is tested here runs in the browser
HOSTILE = "</script><script>document.title='taken'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"
PROGRAM = """
import {default_llm_caller} from "std/llm/caller"
import {with_retry} from "std/llm/handlers"
fn weather(args) {
  sleep_ms(80)
  return "sunny in " + args.city
}
fn save(args) { throw "disk full" }
fn main(harness: Harness) {
  const caller = with_retry(default_llm_caller(), {max_attempts: 3})
  llm_mock({error: {category: "rate_limit", message: "slow down", retry_after_ms: 700}, delay_ms: 100})
  llm_mock({text: "fine", delay_ms: 300})
  caller({prompt: "x", system: nil, opts: {provider: "openai", model: "gpt-4o-mini", session_id: "s"}})
  const first = {id: "1", name: "weather", arguments: {city: "Rome"}}
  llm_mock({text: "", tool_calls: [first, {id: "2", name: "save", arguments: {}}]})
  llm_mock({text: "done", delay_ms: 900})
  let tools = tool_define(tool_registry(), "weather", "Tell", {parameters: {city: "string"}, handler: weather})
  tools = tool_define(tools, "save", "Save", {parameters: {}, handler: save})
  agent_loop(harness, "Weather?", nil, {provider: "openai", model: "gpt-4o", tools: tools})
  throw "the end"
}
"""


def written(code: str, path: Path) -> Path:
    streams, _, _ = memory_streams()
    run(of_code(code), Options(virtual_time=0, seed=1, env={}), streams, (str(path), False))
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = Browser(chromium(), tmp_path_factory.mktemp("profile"))
    yield found
    found.close()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(PROGRAM, tmp_path_factory.mktemp("trace") / "out.html")


@pytest.fixture
def opened(browser: Browser) -> Iterator[Callable[..., Page]]:
    pages: list[Page] = []

    def open_page(address: str | Path, link: str = "", **options: Any) -> Page:
        pages.append(browser.page((f"file://{address}" if isinstance(address, Path) else address) + link, **options))
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.complaints() == []
        page.close()


def rows(page: Page) -> list[str]:
    """Give the rows in sight, each as ``kind title``."""
    each = "r.querySelector('small').textContent + ' ' + r.querySelector('bdi').textContent"
    return page.js(f"[...document.querySelectorAll('.row')].map(r => {each})")


def text(page: Page, selector: str) -> str:
    return page.js(f"document.querySelector({json.dumps(selector)}).innerText")


def chosen(page: Page) -> str | None:
    return page.js("document.querySelector('.row.chosen')?.dataset.id ?? null")


def id_of(page: Page, name: str) -> str:
    return page.js(
        f"[...document.querySelectorAll('.row')].find(r => r.innerText.includes({json.dumps(name)})).dataset.id"
    )


def until(page: Page, expression: str, value: Any) -> None:
    """Wait until ``expression`` has this value: links and the address act a little later."""
    page.js(f"window.wanted = () => {expression}")
    page.js(
        "new Promise(ok => { let tries = 2000; const look = () => "
        f"(wanted() === {json.dumps(value)} || --tries < 0 ? ok() : setTimeout(look, 5)); look() }})"
    )
    assert page.js("wanted()") == value


def address(page: Page, ending: str) -> None:
    until(page, "location.hash", ending)


def heading(page: Page, wanted: str) -> None:
    until(page, "document.querySelector('#detail h2')?.innerText", wanted)


def test_the_summary_tells_where_time_and_money_went(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    assert text(page, "#error") == "<argument>:20: Thrown: the end"
    assert "ended with exit code 1" in text(page, "#run")
    tiles = text(page, "#tiles").split("\n")
    assert tiles[tiles.index("model calls") + 1] == "4"
    assert tiles[tiles.index("failed calls") + 1] == "1"
    assert "USD" in tiles[tiles.index("cost") + 1]
    tables = text(page, "#tables")
    assert "call openai gpt-4o-mini\trate_limit slow down\t1\t" in tables
    assert "tool save\tdisk full\t1\t" in tables
    assert "retry after rate_limit\t1\t\t700 ms\t700 ms" in tables
    assert "weather\t1\t\t80 ms\t80 ms" in tables
    page.click("#tables a")  # the first link: to the first failure
    heading(page, "call openai gpt-4o-mini")
    assert "slow down" in text(page, "#detail")


def test_a_row_in_detail_says_what_failed_and_what_came_of_it(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    page.key("n")
    heading(page, "call openai gpt-4o-mini")
    facts = text(page, "#detail dl")
    assert "failed with\nrate_limit" in facts
    assert "server asked for\n700 ms" in facts
    page.click("#detail dd a")  # the wait after it
    heading(page, "wait retry after rate_limit")
    assert "length\n700 ms" in text(page, "#detail dl")


def test_keys_go_through_rows_and_failures(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    ids = page.js("[...document.querySelectorAll('.row')].map(r => r.dataset.id)")
    for key, wanted in [
        ("j", 0),
        ("ArrowDown", 1),
        ("j", 2),
        ("k", 1),
        ("ArrowUp", 0),
        ("k", 0),
        ("End", -1),
        ("Home", 0),
    ]:
        page.key(key)
        assert chosen(page) == ids[wanted], key
    page.key("n")
    page.key("n")
    heading(page, "tool save")
    page.key("n")
    heading(page, "tool save")
    page.key("p")
    heading(page, "call openai gpt-4o-mini")
    assert page.js("document.getElementById('rows').getAttribute('aria-activedescendant')") == f"row-{chosen(page)}"
    page.key("Escape")
    assert chosen(page) is None
    assert page.js("document.getElementById('detail').hidden") is True
    page.key("?")
    assert "next, previous failure" in text(page, "#help")


def test_filter_kinds_and_order(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    everything = rows(page)
    page.key("/")
    page.type("weather rome")
    assert rows(page) == ["tool weather"]
    assert text(page, "#shown") == f"1 of {len(everything)} rows"
    page.key("Enter")
    heading(page, "tool weather")
    address(page, f"#{chosen(page)}&q=weather%20rome")
    page.key("Escape")
    page.key("Escape")
    assert rows(page) == everything
    page.key("f")
    assert rows(page) == ["call openai gpt-4o-mini", "tool save"]
    page.key("f")
    page.click("#kinds .event")
    assert not any(row.startswith("event") for row in rows(page))
    page.js("document.getElementById('order').value = 'length'")
    page.js("document.getElementById('order').dispatchEvent(new Event('change'))")
    assert rows(page)[:2] == ["call openai gpt-4o", "wait retry after rate_limit"]
    address(page, "#&hide=event&order=length")
    page.key("/")
    page.type("state:failed kind:tool")
    assert rows(page) == ["tool save"]
    page.type(" nothing like it")
    assert text(page, "#rows") == "No row is like that."


def test_zoom_by_key_and_mouse(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    everything = rows(page)
    page.js("location.hash = '#' + " + json.dumps(id_of(page, "weather")))
    heading(page, "tool weather")
    page.key("z")
    assert "tool save" in rows(page)
    assert "wait retry after rate_limit" not in rows(page)
    bar, lane = page.js("['bar', 'lane'].map(name => document.querySelector('.chosen .' + name).offsetWidth)")
    assert 0.7 < bar / lane < 0.9
    page.key("0")
    assert rows(page) == everything
    page.js("scrollTo(0, 0)")
    left, top, wide = page.call(
        "const b = document.querySelector('#axis .lane').getBoundingClientRect(); return [b.left, b.top + 5, b.width]"
    )
    page.drag((left + 1, top), (left + wide * 0.04, top))
    assert rows(page) == everything[:1]
    assert page.js("document.querySelectorAll('#axis .tick').length") > 2


def test_deep_links_bring_back_what_was_seen(opened: Callable[..., Page], trace: Path) -> None:
    page = opened(trace)
    tool = id_of(page, "save")
    page = opened(trace, f"#{tool}&q=disk&failed&order=cost")
    assert (chosen(page), rows(page)) == (tool, ["tool save"])
    assert page.js("document.getElementById('filter').value") == "disk"
    page.js("location.hash = '#r1'")
    until(page, "document.getElementById('filter').value", "")
    assert chosen(page) == "r1"
    page = opened(trace, "#nonsense&q=%E0%A4%A&t=9-x&order=constructor&hide=constructor&failed=1")
    assert chosen(page) is None


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_narrow_and_wide_light_and_dark(
    opened: Callable[..., Page], trace: Path, width: int, dark: bool
) -> None:
    page = opened(trace, "#r2", width=width, dark=dark)
    assert page.js("document.documentElement.scrollWidth <= innerWidth") is True
    colours = page.js("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    light = [sum(map(int, colour[colour.index("(") + 1 : -1].split(",")[:3])) > 382 for colour in colours]
    assert light == [not dark, dark]
    box = page.js(
        "(() => { const b = document.querySelector('.chosen').getBoundingClientRect(); return [b.top, b.bottom] })()"
    )
    sheet = page.js("document.getElementById('detail').getBoundingClientRect().top") if width == 390 else 900
    assert 0 <= box[0] < box[1] <= sheet


def test_twenty_thousand_rows_stay_quick_to_handle(opened: Callable[..., Page], tmp_path: Path) -> None:
    code = 'for i in 1 to 20000 { agent_emit_event("s", "iteration_start", {n: i, message: "number ${i}."}) }'
    page = opened(written(code, tmp_path / "many.html"))
    assert page.js("document.querySelectorAll('.row').length") < 200
    page.key("End")
    assert chosen(page) == "r20000"
    assert page.js("document.querySelector('.chosen').getBoundingClientRect().bottom <= innerHeight") is True
    page.key("/")
    page.type("number 12345.")
    assert rows(page) == ["event iteration_start"]
    page.js("dispatchEvent(new Event('beforeprint'))")
    assert page.js("document.querySelectorAll('.row').length") == 1


def test_hostile_texts_are_shown_as_they_are(opened: Callable[..., Page], tmp_path: Path) -> None:
    code = """
fn note(name, id) {
  agent_emit_event("s", "tool_call", {tool_call_id: id, tool_name: name, raw_input: {a: name}})
  agent_emit_event("s", "tool_call_update", {tool_call_id: id, status: "failed", error: name})
}
note(BAD, "1")
note("\u0645\u0631\u062d\u0628\u0627 \u202eevil", "2")
note("\u05e9\u05dc\u05d5\u05dd", "3")
throw BAD
""".replace("BAD", json.dumps(HOSTILE))
    page = opened(written(code, tmp_path / "hostile.html"))
    assert page.js("document.title") == "<argument>"
    assert rows(page) == [
        f"tool {HOSTILE}",
        "tool \u0645\u0631\u062d\u0628\u0627 \u202eevil",
        "tool \u05e9\u05dc\u05d5\u05dd",
    ]
    assert HOSTILE in text(page, "#error")
    assert page.js("document.querySelectorAll('img, script:not(#data):not(:last-of-type)').length") == 0
    page.key("j")
    assert HOSTILE in text(page, "#detail")
    assert page.js("getComputedStyle(document.querySelectorAll('.row bdi')[2]).unicodeBidi") == "isolate"
    # Number of the row stands left of a name that runs from right to left.
    sign, name = page.js(
        "['small', 'bdi'].map(part => document.querySelectorAll('.row')[2].querySelector(part).getBoundingClientRect())"
        ".map(box => [box.left, box.right])"
    )
    assert sign[1] <= name[0]
    assert all(each.startswith("file:///") for each in page.requests())


def test_an_empty_page_says_so(opened: Callable[..., Page], tmp_path: Path) -> None:
    page = opened(written("const x = 1", tmp_path / "empty.html"))
    assert text(page, "#rows") == "Nothing happened that a trace shows."
    for key in "jnpzkf0":
        page.key(key)
    assert chosen(page) is None


class _Server(BaseHTTPRequestHandler):
    """Serves one page and keeps what else is asked for."""

    def __init__(self, path: Path, seen: list[str], *rest: Any) -> None:
        self.page, self.seen = path, seen
        super().__init__(*rest)

    def do_GET(self) -> None:
        self.seen.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(self.page.read_bytes())

    def log_message(self, *rest: Any) -> None:
        """Say nothing."""


def test_served_over_http_it_asks_for_nothing_and_may_not(opened: Callable[..., Page], trace: Path) -> None:
    seen: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Server, trace, seen))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        origin = f"http://127.0.0.1:{server.server_port}"
        page = opened(origin + "/trace.html")
        page.key("j")
        page.key("z")
        assert seen == ["/trace.html"]
        assert page.requests() == [origin + "/trace.html"]
        # What a script that got in would try.
        for attempt in (
            "fetch('/a')",
            "new Promise((ok, no) => { const i = new Image(); i.onload = ok; i.onerror = no; i.src = '/b' })",
        ):
            assert page.js(f"{attempt}.then(() => 'went', () => 'refused')") == "refused"
        attack = '<b style="position:fixed" onclick="document.title=1">x</b>'
        page.js(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(attack)})")
        page.js("document.body.lastChild.click()")
        assert page.js("[document.title, getComputedStyle(document.body.lastChild).position]") == [
            "<argument>",
            "static",
        ]
        assert seen == ["/trace.html"]
        assert page.complaints() != []
        page.forget()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
