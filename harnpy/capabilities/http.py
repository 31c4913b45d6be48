"""The HTTP client of scripts: requests, redirects, retries on the clock of the run (builtins 1.16)."""

from __future__ import annotations

import os

from harnpy.builtins.environment import variables
from harnpy.capabilities.egress import check_egress
from harnpy.capabilities.http_mock import body_of, headers_of, mocked, status_of
from harnpy.capabilities.http_options import Request
from harnpy.errors import HarnError, categorised, thrown_text, type_error
from harnpy.events.redact import SECRET_FIELDS, redact_text
from harnpy.llm.retry_after import retry_after_of
from harnpy.runtime.values import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.transport import Incoming, Transport
    from harnpy.runtime.context import Context

BODY_LIMIT = 32 * 1024 * 1024
DOWNLOAD_LIMIT = 256 * 1024 * 1024
_REDIRECTS = (301, 302, 303, 307, 308)


class Answer:
    """A response: status, headers with lower-case names, body."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def ok(self) -> bool:
        """Tell whether the status says success."""
        return 200 <= self.status < 300

    def value(self) -> dict[str, Any]:
        """Give the dict that scripts see."""
        kind = self.headers.get("content-type", "")
        charset = kind.lower().partition("charset=")[2].partition(";")[0].strip(" \"'") or "utf-8"
        try:
            body = self.body.decode(charset, "replace")
        except (LookupError, ValueError):
            body = self.body.decode("utf-8", "replace")
        return {"status": self.status, "headers": dict(sorted(self.headers.items())), "body": body, "ok": self.ok}


def http_get(ctx: Context, url: Any = None, options: Any = None) -> dict[str, Any]:
    """Send a GET request and give ``{status, headers, body, ok}``; ``ok`` is true for a status within 200 and 299.

    Options: ``headers``, ``query``, ``timeout_ms`` (30000), ``total_timeout_ms``, ``connect_timeout_ms``,
    ``read_timeout_ms``, ``retry`` (``{max, backoff_ms, retry_on, retry_methods}``), ``auth`` (text, ``{bearer}`` or
    ``{basic: {user, password}}``), ``follow_redirects`` (true), ``max_redirects`` (10), ``proxy``, ``tls``,
    ``decompress``.
    Effects: one request for each try; waits on the clock of the run.
    Errors: a status never throws; a network failure throws ``{category: "transient_network" | "timeout", message,
    url}``.
    """
    return _plain(ctx, "get", "GET", url, options)


def http_delete(ctx: Context, url: Any = None, options: Any = None) -> dict[str, Any]:
    """Send a DELETE request; result, options and errors as ``http_get``."""
    return _plain(ctx, "delete", "DELETE", url, options)


def http_post(ctx: Context, *args: Any) -> dict[str, Any]:
    """Send a POST request with a body; result, options and errors as ``http_get``.

    A dict or list as body is sent as JSON; a dict as only argument after the URL is the options. POST is not tried
    again unless ``retry.retry_methods`` names it.
    """
    return _with_body(ctx, "post", "POST", args)


def http_put(ctx: Context, *args: Any) -> dict[str, Any]:
    """Send a PUT request with a body; arguments, result and errors as ``http_post``."""
    return _with_body(ctx, "put", "PUT", args)


def http_patch(ctx: Context, *args: Any) -> dict[str, Any]:
    """Send a PATCH request with a body; arguments, result and errors as ``http_post``."""
    return _with_body(ctx, "patch", "PATCH", args)


def http_request(ctx: Context, method: Any = None, url: Any = None, options: Any = None) -> dict[str, Any]:
    """Send a request of any method; result, options and errors as ``http_get``, ``body`` among the options."""
    if type(method) is not str:
        raise type_error(f"HarnessNet.request expects string argument 1, got {type_of(method)}")
    if not method.isascii() or not method.isalpha():
        raise thrown_text(f"HarnessNet.request: invalid method '{method}'")
    return fetch(ctx, _request("request", method.upper(), url, options, number=2)).value()


def http_download(ctx: Context, url: Any = None, path: Any = None, options: Any = None) -> dict[str, Any]:
    """Send a GET request, write the body of a successful answer to a file: ``{bytes_written, status, headers, ok}``.

    Options and errors: as ``http_get``, and those of ``write_file``.
    """
    from harnpy.builtins.file_access import failure, locate

    request = _request("download", "GET", url, options)
    place = locate(ctx, "write_bytes", path, write=True, number=2)
    answer = fetch(ctx, request, DOWNLOAD_LIMIT)
    written = 0
    if answer.ok:
        from harnpy.builtins.file_access import write_bytes

        try:
            write_bytes(place, answer.body)
        except OSError as error:
            raise failure("Failed to write file", place.path, error) from None
        written = len(answer.body)
    return {"bytes_written": written, "status": answer.status, "headers": answer.headers, "ok": answer.ok}


def _plain(ctx: Context, name: str, method: str, url: Any, options: Any) -> dict[str, Any]:
    return fetch(ctx, _request(name, method, url, options)).value()


def _with_body(ctx: Context, name: str, method: str, args: tuple[Any, ...]) -> dict[str, Any]:
    url, body, options = (*args, None, None, None)[:3]
    if len(args) == 2 and type(body) is dict:
        body, options = None, body
    return fetch(ctx, _request(name, method, url, options, body)).value()


def _request(name: str, method: str, url: Any, options: Any, body: Any = None, number: int = 1) -> Request:
    full = "HarnessNet." + name
    if type(url) is not str:
        raise type_error(f"{full} expects string argument {number}, got {type_of(url)}")
    if options is not None and type(options) is not dict:
        place = 3 if method in ("POST", "PUT", "PATCH") else number + 1
        raise type_error(f"{full} expects dict argument {place}, got {type_of(options)}")
    return Request(name, method, url, options or {}, body)


def fetch(ctx: Context, request: Request, limit: int = BODY_LIMIT) -> Answer:
    """Carry out a request with its retries; what comes back is an answer, whatever its status.

    Raises:
        HarnError: The network failed, or the policy refuses the request.
    """
    attempt = 0
    while True:
        try:
            answer = _follow(ctx, request, limit)
        except HarnError as error:
            if attempt >= request.retries or not request.may_retry or not _is_network(error):
                raise
            wait = None
        else:
            if attempt >= request.retries or not request.may_retry or answer.status not in request.retry_statuses:
                return answer
            hinted = answer.status in (429, 503)
            wait = retry_after_of(answer.headers, ctx.clock.now_ms()) if hinted else None
        ctx.scheduler.sleep(request.backoff_ms * 2 ** min(attempt, 20) if wait is None else wait, "an HTTP retry")
        attempt += 1


def _is_network(error: HarnError) -> bool:
    return type(error.value) is dict and error.value.get("category") in ("transient_network", "timeout")


def _follow(ctx: Context, request: Request, limit: int) -> Answer:
    """Send a request and follow its redirects; what is private stays with the first server."""
    from urllib.parse import urljoin

    method, url, headers, body = request.method, request.url, dict(request.headers), request.body
    for _ in range(request.max_redirects + 1):
        answer = _send(ctx, request, method, url, headers, body, limit)
        location = answer.headers.get("location")
        if answer.status not in _REDIRECTS or not location or not request.follow:
            return answer
        target = urljoin(url, location)
        if _origin(target) != _origin(url):
            headers = {name: value for name, value in headers.items() if name not in SECRET_FIELDS}
        if answer.status == 303 or (answer.status in (301, 302) and method == "POST"):
            method, body = ("HEAD" if method == "HEAD" else "GET"), b""
            headers = {name: value for name, value in headers.items() if not name.startswith("content-")}
        url = target
    raise _failed(request, url, "transient_network", f"more than {request.max_redirects} redirects")


def _origin(url: str) -> tuple[str, str | None, int | None]:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme.lower())
        return parts.scheme.lower(), parts.hostname, port
    except ValueError:
        return "", None, None


def _send(
    ctx: Context, request: Request, method: str, url: str, headers: dict[str, str], body: bytes, limit: int
) -> Answer:
    check_egress(ctx, url, *_origin(url)[1:])
    faked = mocked(ctx, method, url, headers, body)
    if faked is not None:
        if faked.get("error") is not None:
            raise _failed(request, url, "transient_network", str(faked["error"]))
        return Answer(status_of(faked), headers_of(faked), body_of(faked))
    policy = ctx.services.get("policy")
    if policy is not None:
        policy.check("net", request.name)
    return _exchange(ctx, request, method, url, headers, body, limit)


def _exchange(
    ctx: Context, request: Request, method: str, url: str, headers: dict[str, str], body: bytes, limit: int
) -> Answer:
    from harnpy.llm.transport import Outgoing, TransportFailure, UndecodableBody, UnsendableRequest

    outgoing = Outgoing(
        url, headers, body, request.total_ms, request.read_ms, request.read_ms,
        method=method, connect_ms=request.connect_ms, decompress=request.decompress, began=ctx.clock.ticks(),
    )  # fmt: skip
    collected = _Body(limit)
    transport = _transport(ctx, request)
    try:
        incoming: Incoming = ctx.scheduler.wait(lambda: transport().exchange(outgoing, collected.accept))
    except TransportFailure as failure:
        if failure.deadline is not None:
            detail = f"the {failure.deadline.replace('_', ' ')} timeout of {failure.limit_ms} ms passed"
            raise _failed(request, url, "timeout", detail) from None
        raise _failed(request, url, "transient_network", failure.detail) from None
    except UnsendableRequest as error:
        raise _failed(request, url, "generic", str(error)) from None
    except UndecodableBody as error:
        raise _failed(request, url, "transient_network", f"the body does not decode: {error}") from None
    if collected.cut:
        raise _failed(request, url, "generic", f"the body is larger than {limit} bytes")
    return Answer(incoming.status, dict(incoming.headers), b"".join(collected.pieces))


class _Body:
    """Collects a body up to a limit."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self.pieces: list[bytes] = []
        self.cut = False

    def accept(self, _head: Incoming) -> Callable[[bytes], bool]:
        return self._take

    def _take(self, piece: bytes) -> bool:
        self._left -= len(piece)
        self.cut = self._left < 0
        if not self.cut:
            self.pieces.append(piece)
        return self.cut


def _failed(request: Request, url: str, category: str, detail: str) -> HarnError:
    place = redact_text(url.partition("?")[0])
    head, separator, rest = place.partition("://")
    shown = head + separator + rest.rpartition("@")[2]
    message = f"HarnessNet.{request.name}: {request.method} {shown}: {redact_text(detail)}"
    return categorised(category, message, url=shown)


def _transport(ctx: Context, request: Request) -> Callable[[], Transport]:
    """Give a maker of the transport for the request's proxy and certificates; one of each kind lives in a run."""
    ca_file = request.ca_file
    if ca_file is not None:
        from harnpy.builtins.file_access import locate

        ca_file = locate(ctx, "read_bytes", ca_file).path
        if not os.path.isfile(ca_file):
            raise thrown_text(f"HarnessNet.{request.name}: the certificate file {ca_file} is not there")
    known: dict[Any, Transport] = ctx.services.setdefault("http_transports", {})
    key = (request.proxy, ca_file, request.verify)
    if not known:
        ctx.scheduler.on_close(lambda: _close(known))

    def make() -> Transport:
        from harnpy.llm.transport import Transport

        if key not in known:
            known[key] = Transport(
                variables(ctx), ctx.clock, proxy=request.proxy, ca_file=ca_file, verify=request.verify
            )
        return known[key]

    return make


async def _close(transports: dict[Any, Transport]) -> None:
    for transport in transports.values():
        transport.close()
    transports.clear()
