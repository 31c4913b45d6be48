"""Reads the arguments of an HTTP function into one request (builtins 1.16)."""

from __future__ import annotations

from harnpy.builtins.arguments import text
from harnpy.errors import HarnError, thrown_text, type_error
from harnpy.runtime.values import Duration, type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEFAULT_TIMEOUT_MS = 30_000
DEFAULT_BACKOFF_MS = 250
RETRY_STATUSES = frozenset((408, 429, 500, 502, 503, 504))
RETRY_METHODS = frozenset(("GET", "HEAD", "PUT", "DELETE", "OPTIONS"))
MAX_REDIRECTS = 10


class Request:
    """One request of a script, checked and complete."""

    def __init__(self, name: str, method: str, url: str, options: dict[str, Any], body: Any) -> None:
        self.name = name
        self.method = method
        name = self._label = "HarnessNet." + name
        self.headers = _headers(name, options)
        self.body = self._encoded(options, body)
        self.url = _with_query(name, url, options.get("query"))
        self._add_auth(options.get("auth"))
        total = _ms(name, options, "total_timeout_ms")
        plain = _ms(name, options, "timeout_ms", "timeout")
        limits = [limit for limit in (total, plain) if limit is not None]
        self.total_ms = min(limits) if limits else DEFAULT_TIMEOUT_MS
        self.connect_ms = _ms(name, options, "connect_timeout_ms")
        self.read_ms = _ms(name, options, "read_timeout_ms")
        self.follow = options.get("follow_redirects", True) is not False
        self.max_redirects = _count(name, options, "max_redirects", MAX_REDIRECTS)
        self.decompress = options.get("decompress", True) is not False
        self.proxy = _proxy(name, options)
        self.ca_file, self.verify = _tls(name, options.get("tls"))
        self._read_retry(options)

    def _read_retry(self, options: dict[str, Any]) -> None:
        retry = options.get("retry")
        settings = retry if type(retry) is dict else {}
        if retry is not None and type(retry) is not dict:
            raise _wrong(self._label, "retry", "a dict", retry)
        given = {"max": options.get("retries"), "backoff_ms": options.get("backoff"), **settings}
        self.retries = _count(self._label, given, "max", 0)
        backoff = _ms(self._label, given, "backoff_ms")
        self.backoff_ms = DEFAULT_BACKOFF_MS if backoff is None else backoff
        statuses = settings.get("retry_on", options.get("retry_on"))
        methods = settings.get("retry_methods", options.get("retry_methods"))
        self.retry_statuses = RETRY_STATUSES if type(statuses) is not list else frozenset(_ints(statuses))
        allowed = RETRY_METHODS if type(methods) is not list else {text(method).upper() for method in methods}
        self.may_retry = self.method in allowed

    def _encoded(self, options: dict[str, Any], body: Any) -> bytes:
        if options.get("multipart") is not None:
            from harnpy.capabilities.multipart import encoded

            kind, content = encoded(self._label, options["multipart"])
            self.headers["content-type"] = kind
            return content
        if body is None:
            body = options.get("body")
        if body is None:
            return b""
        if type(body) is bytes:
            return body
        if type(body) in (dict, list):
            from harnpy.builtins.json_writing import compact_json

            self.headers.setdefault("content-type", "application/json")
            return compact_json(body).encode("utf-8")
        return text(body).encode("utf-8", "replace")

    def _add_auth(self, auth: Any) -> None:
        if auth is None:
            return
        if type(auth) is str:
            self.headers["authorization"] = auth
        elif type(auth) is dict and auth.get("bearer") is not None:
            self.headers["authorization"] = "Bearer " + text(auth["bearer"])
        elif type(auth) is dict and type(auth.get("basic")) is dict:
            self.headers["authorization"] = "Basic " + _basic(auth["basic"])
        else:
            raise _wrong(self._label, "auth", "a string, {bearer} or {basic: {user, password}}", auth)


def _wrong(name: str, option: str, expected: str, value: Any) -> HarnError:
    return type_error(f"{name}: option `{option}` must be {expected}, got {type_of(value)}")


def _headers(name: str, options: dict[str, Any]) -> dict[str, str]:
    headers = options.get("headers")
    if headers is None:
        return {}
    if type(headers) is not dict:
        raise _wrong(name, "headers", "a dict", headers)
    return {key.lower(): text(value) for key, value in headers.items() if value is not None}


def _basic(credentials: dict[str, Any]) -> str:
    from base64 import b64encode

    user, password = text(credentials.get("user") or ""), text(credentials.get("password") or "")
    return b64encode(f"{user}:{password}".encode()).decode("ascii")


def _with_query(name: str, url: str, query: Any) -> str:
    if query is None:
        return url
    if type(query) is not dict:
        raise _wrong(name, "query", "a dict", query)
    from urllib.parse import urlencode

    given = urlencode([(key, text(query[key])) for key in sorted(query) if query[key] is not None])
    if not given:
        return url
    head, mark, fragment = url.partition("#")
    joint = "" if head.endswith(("?", "&")) else "&" if "?" in head else "?"
    return head + joint + given + mark + fragment


def _ms(name: str, options: dict[str, Any], *spellings: str) -> int | None:
    for spelling in spellings:
        value = options.get(spelling)
        if type(value) is Duration:
            value = value.ms
        if value is None:
            continue
        if type(value) is not int:
            raise _wrong(name, spelling, "an int of ms or a duration", value)
        return max(0, value)
    return None


def _count(name: str, options: dict[str, Any], key: str, default: int) -> int:
    value = options.get(key)
    if value is None:
        return default
    if type(value) is not int:
        raise _wrong(name, key, "an int", value)
    return max(0, value)


def _ints(values: list[Any]) -> list[int]:
    return [value for value in values if type(value) is int]


def _proxy(name: str, options: dict[str, Any]) -> str | None:
    proxy = options.get("proxy")
    if proxy is None:
        return None
    if type(proxy) is not str:
        raise _wrong(name, "proxy", "a string", proxy)
    auth = options.get("proxy_auth")
    address = proxy if "://" in proxy else "http://" + proxy
    if type(auth) is not dict:
        return address
    from urllib.parse import quote

    scheme, _, rest = address.partition("://")
    user, password = (quote(text(auth.get(key) or ""), safe="") for key in ("user", "password"))
    return f"{scheme}://{user}:{password}@{rest}"


def _tls(name: str, tls: Any) -> tuple[str | None, bool]:
    """Give the file of trusted certificates and whether certificates are checked."""
    if tls is None:
        return None, True
    if type(tls) is not dict:
        raise _wrong(name, "tls", "a dict", tls)
    unknown = sorted(set(tls) - {"ca_file", "verify"})
    if unknown:
        raise thrown_text(f"{name}: option `tls` has the unknown field `{unknown[0]}`; it takes ca_file and verify")
    ca_file = tls.get("ca_file")
    if ca_file is not None and type(ca_file) is not str:
        raise _wrong(name, "tls.ca_file", "a string", ca_file)
    return ca_file, tls.get("verify", True) is not False
