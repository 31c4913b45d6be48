"""Writes a trace as one self-contained HTML page that loads nothing and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import html
import json

from harnpy.events.redact import redact
from harnpy.resources import package_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.events.trace import Trace

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1><p id="run"></p><p id="error" hidden></p></header>
<section id="tiles" aria-label="Summary"></section>
<details id="where" open><summary>Where time and money went</summary><div id="tables"></div></details>
<nav aria-label="Filter">
<input id="filter" type="search" aria-label="Filter" placeholder="Filter: words, task:3, state:failed">
<span id="kinds"></span><button id="failed" type="button" aria-pressed="false">failed only</button>
<select id="order" aria-label="Order"><option value="time">by time</option><option value="length">longest first</option>
<option value="cost">costliest first</option></select>
<button id="keys" type="button" aria-expanded="false">keys</button>
<span id="shown" role="status"></span></nav>
<p id="help" hidden>{keys}</p>
<main><section id="list"><div id="axis" aria-hidden="true"></div>
<div id="rows" role="listbox" tabindex="0" aria-label="Time line"></div></section>
<aside id="detail" aria-label="Details" hidden></aside></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


_KEYS = (
    ("j k \u2193 \u2191", "next, previous row"),
    ("n p", "next, previous failure"),
    ("Home End", "first, last row"),
    ("/", "filter"),
    ("f", "failed only"),
    ("z 0", "zoom to the row, whole run"),
    ("Esc", "close"),
)


def page(trace: Trace, title: str, about: dict[str, Any]) -> str:
    """Give the page of a trace; ``about`` tells how and when the run went (``harnpy.cli.trace``)."""
    style, script = _asset("trace_page.css"), _asset("trace_page.js")
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{_digest(style)}'; "
    policy += f"script-src '{_digest(script)}'"
    content = {"about": redact(about), "rows": trace.rows, "left_out": trace.left_out, "totals": trace.totals}
    # No text can end the element or begin a comment in it; line separators are no matter in JSON.
    data = json.dumps(content, ensure_ascii=False).replace("<", "\\u003c")
    keys = " ".join(f"<kbd>{key}</kbd> {html.escape(what)}" for key, what in _KEYS)
    return _PAGE.format(policy=policy, title=html.escape(title), style=style, keys=keys, script=script, data=data)


def _asset(name: str) -> str:
    with open(package_file("events", name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
