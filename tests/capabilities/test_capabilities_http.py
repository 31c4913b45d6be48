"""The HTTP client of scripts against a real server on loopback: wire, limits, deadlines, secrets, redirects."""

from __future__ import annotations

import gzip
import json
import shutil
import socket
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

KEY = "sk-test-0123456789abcdef"


class Handler(BaseHTTPRequestHandler):
    """Answers by path; keeps what it got."""

    protocol_version = "HTTP/1.1"

    def handle_all(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = self.rfile.read(length).decode("utf-8", "replace")
        self.server.seen.append((self.command, self.path, dict(self.headers.items()), body))
        path = self.path.partition("?")[0]
        getattr(self, "answer_" + path.strip("/").replace("/", "_"), self.answer_echo)(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_all

    def send(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def answer_echo(self, body: str) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = {"method": self.command, "path": self.path, "headers": headers, "body": body}
        self.send(200, json.dumps(seen).encode(), content_type="application/json")

    def answer_missing(self, body: str) -> None:
        self.send(404, b"not here")

    def answer_gzip(self, body: str) -> None:
        self.send(200, gzip.compress(b"unpacked"), content_encoding="gzip")

    def answer_bomb(self, body: str) -> None:
        self.send(200, gzip.compress(b"0" * (40 * 1024 * 1024)), content_encoding="gzip")

    def answer_latin(self, body: str) -> None:
        self.send(200, "é".encode("latin-1"), content_type="text/plain; charset=latin-1")

    def answer_slow(self, body: str) -> None:
        self.server.release.wait(10)
        self.close_connection = True

    def answer_drip(self, body: str) -> None:
        self.send_response(200)
        self.send_header("content-length", "100")
        self.end_headers()
        self.wfile.write(b"x")
        self.wfile.flush()
        self.server.release.wait(10)
        self.close_connection = True

    def answer_cut(self, body: str) -> None:
        self.send_response(200)
        self.send_header("content-length", "100")
        self.end_headers()
        self.wfile.write(b"part")
        self.close_connection = True

    def answer_away(self, body: str) -> None:
        other = f"http://localhost:{self.server.server_port}/end"
        self.send(302, location=other)

    def answer_flaky(self, body: str) -> None:
        count = sum(1 for entry in self.server.seen if entry[1] == "/flaky")
        self.send(503, retry_after="0") if count < 3 else self.send(200, b"up")

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server():
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    made.seen = []
    made.release = threading.Event()
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    yield made
    made.release.set()
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def run(run_harn, server):
    """Give ``run(body, **options) -> Ran``; ``base`` is the server's address in the program."""

    def execute(body: str, **options: object):
        program = f'const base = "http://127.0.0.1:{server.server_port}"\n{body}'
        return run_harn(program, **{"allow": ("net",), "env": {}, **options})

    return execute


def test_requests_on_the_wire(run, server):
    ran = run("""
    const got = http_get(base + "/a", {query: {q: "é b"}, headers: {"X-Own": 5}, auth: {bearer: "t"}})
    println([got.status, got.ok, got.headers["content-type"]])
    const seen = json_parse(got.body)
    println([seen.method, seen.path, seen.headers["x-own"], seen.headers.authorization])
    println(json_parse(http_post(base + "/p", {a: [1, 2.0]}, {}).body).body)
    const form = {name: "v", up: {filename: "f.txt", content: "data"}}
    println(json_parse(http_post(base + "/p", nil, {multipart: form}).body).body.contains("filename=\\"f.txt\\""))
    const missing = http_get(base + "/missing")
    println([http_request("HEAD", base + "/a").body == "", missing.status, missing.ok])
    println([http_get(base + "/gzip").body, http_get(base + "/latin").body])
    println(len(http_get(base + "/gzip", {decompress: false}).body) > 0)
    """)
    assert ran.err == ""
    assert ran.out == (
        "[200, true, application/json]\n[GET, /a?q=%C3%A9+b, 5, Bearer t]\n"
        '{"a":[1,2.0]}\ntrue\n[true, 404, false]\n[unpacked, é]\ntrue\n'
    )
    assert [entry[0] for entry in server.seen[:3]] == ["GET", "POST", "POST"]


def test_denied_by_default_and_nothing_is_sent(run, server):
    ran = run('println(try { http_get(base + "/a") } catch (e) { [e.category, e.code, e.operation] })', allow=())
    assert ran.out == "[tool_rejected, HARN-CAP-201, net.get]\n"
    assert server.seen == []


def test_retries_and_their_number(run, server):
    ran = run('println(http_get(base + "/flaky", {retry: {max: 5, backoff_ms: 1}}).body)')
    assert ran.out == "up\n"
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("path", "options", "category", "text"),
    [
        ("/slow", "{timeout_ms: 100}", "timeout", "the total timeout of 100 ms passed"),
        ("/drip", "{read_timeout_ms: 100}", "timeout", "the idle timeout of 100 ms passed"),
        ("/cut", "{}", "transient_network", "closed connection without sending complete message body"),
        ("/bomb", "{}", "generic", "the body is larger than 33554432 bytes"),
    ],
)
def test_network_failures_throw(run, path, options, category, text):
    start = time.monotonic()
    ran = run(f'println(try {{ http_get(base + "{path}", {options}) }} catch (e) {{ [e.category, e.message] }})')
    assert ran.out.startswith(f"[{category}, HarnessNet.get: GET http://127.0.0.1:")
    assert text in ran.out
    assert time.monotonic() - start < 5


def test_refused_connections_and_wrong_urls(run_harn):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    program = f"""
    fn said(url) {{ return try {{ http_get(url) }} catch (e) {{ e.category }} }}
    println([said("http://127.0.0.1:{port}/"), said("ftp://x/"), said("nonsense"), said(""), said("http://")])
    println([said("http://[::1"), said("http://a b/"), said("http://x.invalid:99999/"), said("http://127.0.0.1:{port}/\\n")])
    println(try {{ http_get("http://127.0.0.1:{port}/", {{headers: {{"X": "a\\nb"}}}}) }} catch (e) {{ e.category }})
    """
    ran = run_harn(program, allow=("net",), env={})
    assert ran.code == 0, ran.err
    first, *rest = ran.out.splitlines()
    assert first == "[transient_network, generic, generic, generic, generic]"
    assert len(rest) == 2


def test_a_deadline_ends_a_request_and_frees_its_socket(run, server):
    start = time.monotonic()
    ran = run('println(try { deadline 100ms { http_get(base + "/slow") } } catch (e) { e })')
    assert ran.out == "Deadline exceeded\n"
    assert time.monotonic() - start < 3


def test_branches_wait_at_the_same_time(run, server):
    ran = run("""
    const slow = spawn { http_get(base + "/slow") }
    println(parallel each [1, 2, 3] { n -> json_parse(http_get(base + "/" + to_string(n)).body).path })
    cancel(slow)
    """)
    assert ran.out == "[/1, /2, /3]\n"


def test_private_headers_do_not_reach_another_host(run, server):
    ran = run(f"""
    const got = http_get(base + "/away", {{auth: {{bearer: "{KEY}"}}, headers: {{
      Cookie: "c=1", "API-Key": "{KEY}", "X-Own": "kept",
    }}}})
    const sent = ["api-key", "authorization", "cookie", "x-own"]
    println(json_parse(got.body).headers.keys().filter({{ k -> sent.contains(k) }}))
    """)
    assert ran.out == "[x-own]\n"
    assert server.seen[0][2]["authorization"] == f"Bearer {KEY}"
    assert KEY not in str(server.seen[1])


def test_keys_are_not_shown(run, server):
    program = """
    const key = env("KEY")
    http_mock("GET", "https://mock.test/*", {body: "x"})
    http_get("https://mock.test/a?key=${key}", {headers: {"X-API-Key": key}})
    println(http_mock_calls())
    println(try { http_get("http://user:${key}@127.0.0.1:1/?key=${key}") } catch (e) { e })
    http_get("http://user:${key}@127.0.0.1:1/?key=${key}")
    """
    ran = run(program, env={"KEY": KEY})
    assert ran.code == 1
    assert "0123456789abcdef" not in ran.out + ran.err


def test_secret_headers_of_faked_requests_are_not_shown(run, server):
    ran = run("""
    http_mock("GET", "https://mock.test/*", {body: "x"})
    http_get("https://mock.test/a", {headers: {"X-Goog-Api-Key": "none", "API-Key": "none", "X-Own": "kept"}})
    println(json_stringify(http_mock_calls()[0].headers))
    """)
    assert json.loads(ran.out) == {"x-goog-api-key": "[redacted]", "api-key": "[redacted]", "x-own": "kept"}


def test_downloads(run, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run("""
    println(http_download(base + "/gzip", "f.txt").bytes_written)
    println([http_download(base + "/missing", "g.txt").status, file_exists("g.txt"), read_file("f.txt")])
    println(try { http_download(base + "/gzip", "/etc/f.txt") } catch (e) { e.code })
    """)
    assert ran.out == "8\n[404, false, unpacked]\nHARN-CAP-201\n"


def test_a_proxy_is_used(run_harn, server):
    program = f"""
    const got = http_get("http://far.test/x", {{proxy: "127.0.0.1:{server.server_port}"}})
    println(json_parse(got.body).path)
    """
    ran = run_harn(program, allow=("net",), env={})
    assert (ran.out, ran.err) == ("http://far.test/x\n", "")


def test_certificates_are_checked_unless_told_otherwise(run_harn, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("key.pem", "cert.pem"):
        shutil.copy(Path(__file__).parent / "tls" / name, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("cert.pem", "key.pem")
    secure = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    secure.daemon_threads = True
    secure.seen, secure.release = [], threading.Event()
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    secure.handle_error = lambda *_: None
    thread = threading.Thread(target=secure.serve_forever, args=(0.02,))
    thread.start()
    try:
        program = f"""
        const url = "https://localhost:{secure.server_port}/a"
        fn status(options) {{ return try {{ http_get(url, options).status }} catch (e) {{ e.category }} }}
        const trusted = [status({{tls: {{ca_file: "cert.pem"}}}}), status({{tls: {{verify: false}}}})]
        println([status({{}}), trusted, status({{}})])
        println(try {{ http_get(url, {{tls: {{ca_file: "/etc/passwd"}}}}) }} catch (e) {{ e.code }})
        println(try {{ http_get(url, {{tls: {{ca_file: "none.pem"}}}}) }} catch (e) {{ e.contains("is not there") }})
        println(try {{ http_get(url, {{tls: {{ca_file: "key.pem"}}}}) }} catch (e) {{ e.category }})
        println(try {{ http_get(url, {{tls: {{cert: "x"}}}}) }} catch (e) {{ e.contains("unknown field `cert`") }})
        """
        ran = run_harn(program, allow=("net",), env={})
    finally:
        secure.shutdown()
        thread.join()
        secure.server_close()
    assert (ran.err, ran.out) == (
        "",
        "[transient_network, [200, 200], transient_network]\nHARN-CAP-201\ntrue\ntransient_network\ntrue\n",
    )


def test_a_connection_that_is_not_made_in_time(run_harn):
    """A listener whose queue is full answers no handshake."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        fillers = [socket.socket() for _ in range(4)]
        for filler in fillers:
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
        program = f"""
        println(try {{ http_get("http://127.0.0.1:{port}/", {{connect_timeout_ms: 100}}) }} catch (e) {{ e.message }})
        """
        ran = run_harn(program, allow=("net",), env={})
        for filler in fillers:
            filler.close()
    assert ran.out == f"HarnessNet.get: GET http://127.0.0.1:{port}/: the connect timeout of 100 ms passed\n"
