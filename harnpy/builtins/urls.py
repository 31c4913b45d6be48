"""URLs and query strings (builtins 1.11)."""

from __future__ import annotations

from urllib.parse import parse_qsl, quote_plus, urlsplit

from harnpy.builtins.arguments import text
from harnpy.errors import thrown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443, "ftp": 21}


def url_parse(value: Any = "") -> dict[str, Any]:
    """Take a URL apart: ``{scheme, username, password, host, port, path, query, fragment}``. Errors: throws for what
    is none.
    """
    source = text(value)
    try:
        parts = urlsplit(source)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise thrown_text(f"url_parse: {error}") from None
    if not parts.scheme:
        raise thrown_text("url_parse: relative URL without a base")
    if not host and parts.scheme in _DEFAULT_PORTS:
        raise thrown_text("url_parse: empty host")
    return {
        "scheme": parts.scheme,
        "host": host or None,
        "port": None if port == _DEFAULT_PORTS.get(parts.scheme) else port,
        "path": parts.path or ("/" if host else ""),
        "query": parts.query or None,
        "fragment": parts.fragment or None,
        "username": parts.username or None,
        "password": parts.password or None,
    }


def url_build(parts: Any = None) -> str:
    """Put a URL together from parts as ``url_parse`` gives them."""
    if type(parts) is not dict:
        raise thrown_text("url_build: expected a dict of url parts")
    given = {key: text(part) for key, part in parts.items() if part is not None and part != ""}
    if "scheme" not in given:
        raise thrown_text("url_build: 'scheme' is required")
    url = given["scheme"] + ":"
    if "host" in given:
        user = given.get("username", "") + (":" + given["password"] if "password" in given else "")
        host = given["host"]
        bracketed = f"[{host}]" if ":" in host and not host.startswith("[") else host
        url += "//" + (user + "@" if user else "") + bracketed + (":" + given["port"] if "port" in given else "")
    path = given.get("path", "/" if "host" in given else "")
    url += "/" + path if "host" in given and not path.startswith("/") else path
    for key, mark in (("query", "?"), ("fragment", "#")):
        if key in given:
            url += mark + given[key].removeprefix(mark)
    return url


def query_parse(value: Any = "") -> list[Any]:
    """Give the pairs of a query string in order: ``[{key, value}]``, decoded."""
    pairs = parse_qsl(text(value).removeprefix("?"), keep_blank_values=True, max_num_fields=None)
    return [{"key": key, "value": item} for key, item in pairs]


def query_stringify(pairs: Any = None) -> str:
    """Give the query string of a list of pairs ``{key, value}``, encoded."""
    if type(pairs) is not list:
        raise thrown_text("query_stringify: expected a list of {key, value} dicts")
    parts = []
    for pair in pairs:
        if type(pair) is not dict or "key" not in pair or "value" not in pair:
            raise thrown_text("query_stringify: each item must be a {key, value} dict")
        key, item = [quote_plus(text(pair[name]), errors="replace") for name in ("key", "value")]
        parts.append(f"{key}={item}")
    return "&".join(parts)
