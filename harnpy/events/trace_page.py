"""Writes a trace as one self-contained HTML page that loads nothing and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import html
import json

from harnpy.resources import package_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><h1>{title}</h1><p id="summary"></p>
<p><label>Filter <input id="filter" type="search" placeholder="name, kind or text"></label>
<span id="kinds"></span></p></header>
<main><div id="rows"></div><aside id="detail" hidden></aside></main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def page(rows: list[dict[str, Any]], title: str, left_out: int = 0) -> str:
    """Give the page of a trace."""
    style, script = _asset("trace_page.css"), _asset("trace_page.js")
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{_digest(style)}'; "
    policy += f"script-src '{_digest(script)}'"
    data = json.dumps({"rows": rows, "left_out": left_out}, ensure_ascii=False).replace("<", "\\u003c")
    return _PAGE.format(policy=policy, title=html.escape(title), style=style, script=script, data=data)


def _asset(name: str) -> str:
    with open(package_file("events", name), encoding="utf-8") as file:
        return file.read()


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
