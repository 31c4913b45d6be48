"""The shared matrix, connections: what breaks before a response, how long bodies may be, proxies (provider faults)."""

from __future__ import annotations

import socket

import pytest
from stub import PATIENCE, Answer, Stub, shut_down
from wires import FORMS, MARK, WIRES

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
NAMED = {name for wire in WIRES for name in wire.env}


@pytest.fixture
def closed_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return f"http://127.0.0.1:{port}"


@pytest.fixture
def network(stacked):
    """Give ``network(wire, url)``: the default stack sees three failures of the network, with full waits between."""

    def check(wire, url: str) -> dict:
        seen = stacked(wire, url, "with_retry(counted(default_llm_caller()))", draw=0.5)
        error = seen["error"]
        assert (seen["status"], error["reason"], error["category"]) == ("network", "network_error", "transient_network")
        assert (seen["tried"], seen["retries"], error["kind"]) == (3, 2, "transient")
        assert seen["slept"] == 125 + 250
        assert MARK not in str(error)
        return error

    return check


@wires
def test_refused(network, wire, closed_port):
    network(wire, closed_port)


@wires
def test_an_unknown_host(network, wire):
    network(wire, "http://no-such-host.invalid:1")


@wires
@pytest.mark.parametrize("code", [socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL], ids=str)
def test_a_name_that_does_not_resolve(network, wire, code, monkeypatch):
    """Each attempt asks again: a resolver that was away may be back."""
    asked = []
    resolve = socket.getaddrinfo

    def fails(host, *arguments, **options):
        if host != "models.example":
            return resolve(host, *arguments, **options)
        asked.append(host)
        raise socket.gaierror(code, "no answer")

    monkeypatch.setattr(socket, "getaddrinfo", fails)
    error = network(wire, "http://models.example:81")
    assert (len(asked), "no answer" in error["message"]) == (3, True)


@wires
def test_reset_before_the_headers(network, wire):
    with Stub(Answer(reset=True)) as stub:
        network(wire, stub.url)
        assert len(stub.requests) == 3


HALVES = {
    "nothing": lambda talk: None,
    "half a status line": lambda talk: talk.send("HTTP/1.1 20"),
    "half the headers": lambda talk: talk.send("HTTP/1.1 200 OK\r\ncontent-type: application/js"),
    "reset in the headers": lambda talk: (talk.send("HTTP/1.1 200 OK\r\n"), talk.reset()),
}


@wires
@pytest.mark.parametrize("script", HALVES.values(), ids=HALVES)
def test_closed_before_the_headers_were_whole(network, wire, script):
    with Stub(Answer(script=script)) as stub:
        network(wire, stub.url)
        assert len(stub.requests) == 3


@wires
def test_rubbish_instead_of_http(network, wire):
    with Rubbish(b"SSH-2.0-OpenSSH_9.2\r\n") as server:
        network(wire, server.url)


@wires
def test_endless_headers(network, wire):
    with Rubbish(b"HTTP/1.1 200 OK\r\n" + b"x-filler: y\r\n" * 100_000) as server:
        network(wire, server.url)


class Rubbish:
    """Answers every connection with the same bytes and closes."""

    def __init__(self, data: bytes) -> None:
        import threading

        self._data = data
        self.received: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client:
                try:
                    self.received.append(client.recv(65536))
                    client.sendall(self._data)
                except OSError:
                    pass

    def __enter__(self) -> Rubbish:
        return self

    def __exit__(self, *_: object) -> None:
        shut_down(self._socket)
        self._thread.join(PATIENCE)
        self._socket.close()


@wires
def test_a_proxy_is_used_unless_it_is_excepted(asked, wire):
    env = {name: f"http://models.invalid:81{value[3:]}" for name, value in wire.env.items() if "URL" in value}
    with Stub(wire.whole("by proxy")) as proxy:
        seen = asked(wire, proxy.url, "{}", '"hi"', HTTP_PROXY=proxy.url, **env)
        assert seen["response"]["text"] == "by proxy"
        assert proxy.requests[0].path == f"http://models.invalid:81{wire.path}"
        seen = asked(wire, proxy.url, "{}", '"hi"', HTTP_PROXY=proxy.url, NO_PROXY="[odd, models.invalid", **env)
        assert seen["error"]["reason"] == "network_error"
        assert len(proxy.requests) == 1


BAD_PROXIES = [
    ("socks5://user:hidden@x:1", "its proxy is of the kind `socks5`; only http and https proxies are supported"),
    ("garbage::hidden::", "the address of its proxy is not valid"),
    ("http://127.0.0.1:99999", "the address of its proxy is not valid"),
]


@pytest.mark.parametrize(("proxy", "message"), BAD_PROXIES)
def test_a_proxy_that_cannot_be_used(asked, proxy, message):
    wire = FORMS[0]
    env = {name: f"http://models.invalid{value[3:]}" for name, value in wire.env.items() if "URL" in value}
    error = asked(wire, "http://x", "{}", '"hi"', HTTP_PROXY=proxy, **env)["error"]
    assert (error["reason"], error["kind"], message in error["message"]) == ("invalid_request", "terminal", True)
    assert "hidden" not in error["message"]


@wires
@pytest.mark.parametrize("port", [0, 65536, 99999])
def test_a_port_that_there_is_not(asked, wire, port):
    error = asked(wire, f"http://127.0.0.1:{port}")["error"]
    assert error["reason"] == ("network_error" if port == 0 else "invalid_request")
    assert port == 0 or "is not one of 1 to 65535" in error["message"]


@wires
@pytest.mark.parametrize("key", ["ké-123456", "a\nb: c123456", "\U0001f511-123456"])
def test_a_key_that_no_header_can_hold(asked, wire, key):
    names = [name for name, value in wire.env.items() if "URL" not in value]
    with Stub(wire.whole("ok")) as stub:
        error = asked(wire, stub.url, **dict.fromkeys(names, key))["error"]
    if names:
        assert (error["reason"], error["origin"], stub.requests) == ("invalid_request", "local", [])
        assert "a header or the URL has characters that HTTP does not allow" in error["message"]
        assert "123456" not in error["message"]


@wires
def test_a_proxy_for_https_sees_no_key(asked, wire):
    env = {name: f"https://models.invalid{value[3:]}" for name, value in wire.env.items() if "URL" in value}
    with Rubbish(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n") as proxy:
        error = asked(wire, proxy.url, "{}", '"hi"', HTTPS_PROXY=proxy.url, **env)["error"]
    assert (error["reason"], error["kind"]) == ("network_error", "transient")
    assert proxy.received[0].startswith(b"CONNECT models.invalid:443 HTTP/1.1\r\n")
    assert MARK.encode() not in b"".join(proxy.received)


@wires
def test_a_missing_key_stops_before_any_connection(asked, wire):
    keys = [name for name, value in wire.env.items() if "URL" not in value]
    if not keys:
        return
    with Stub(wire.whole("never")) as stub:
        error = asked(wire, stub.url, **{keys[0]: ""})["error"]
        assert stub.connections == 0
    assert (error["reason"], error["origin"], error["kind"]) == ("auth_failure", "local", "terminal")
    assert error["message"].startswith("Missing API key: set ")
    assert keys[0] in error["message"]


@wires
def test_real_calls_can_be_disabled(asked, wire):
    with Stub(wire.whole("never")) as stub:
        error = asked(wire, stub.url, HARN_LLM_CALLS_DISABLED="1")["error"]
        assert stub.connections == 0
    assert (error["category"], error["origin"], error["kind"]) == ("egress_blocked", "local", "terminal")


@wires
def test_a_key_stays_with_its_provider(run_harn, wire):
    """All keys are set; each server sees its own only."""
    with Stub(wire.whole("ok")) as stub:
        env = {name: f"sk-other-{name.lower()}" for other in WIRES for name in other.env if name.endswith("KEY")}
        run_harn(
            f'llm_call("hi", nil, {{provider: "{wire.name}", model: "m"}})', env={**env, **wire.environment(stub.url)}
        )
    sent = str(stub.requests[0].headers)
    assert "sk-other" not in sent
