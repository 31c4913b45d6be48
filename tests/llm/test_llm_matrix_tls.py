"""The shared matrix, TLS: a certificate that is not right ends the attempt before a byte of the request is sent."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from stub import Answer, Stub, Talk
from wires import FORMS, MARK

pytestmark = pytest.mark.slow

wires = pytest.mark.parametrize("wire", FORMS, ids=lambda wire: wire.name)
FOLDER = Path(__file__).parent / "tls"


def serving(certificate: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / f"{certificate}.pem", FOLDER / "key.pem")
    return context


@pytest.fixture
def trusted(monkeypatch):
    """Have the process trust the authority of the tests, and only that."""
    monkeypatch.setenv("SSL_CERT_FILE", str(FOLDER / "authority.pem"))


def refused(stacked, wire, stub: Stub, url: str, words: str) -> None:
    seen = stacked(wire, url, "with_retry(counted(default_llm_caller()))", draw=0.5)
    error = seen["error"]
    assert (seen["status"], error["reason"], error["kind"]) == ("network", "network_error", "transient")
    assert (seen["tried"], seen["retries"], seen["slept"], stub.connections) == (3, 2, 375, 3)
    assert words in error["message"]
    assert (stub.requests, MARK in str(error)) == ([], False)


@wires
def test_a_good_certificate(asked, wire, trusted):
    with Stub(wire.whole("ok"), tls=serving("good")) as stub:
        for url in (stub.url, stub.url.replace("127.0.0.1", "localhost")):
            assert asked(wire, url)["response"]["text"] == "ok"
    name, value = wire.key_header
    assert not name or stub.requests[0].headers[name] == value


BAD = {
    "own": "signed certificate",
    "expired": "certificate has expired",
    "other_host": "not valid for",
}


@wires
@pytest.mark.parametrize(("certificate", "words"), BAD.items(), ids=BAD)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_bad_certificate(stacked, wire, trusted, certificate, words, host):
    with Stub(wire.whole("never"), tls=serving(certificate)) as stub:
        if certificate == "other_host" and host == "localhost":
            words = "Hostname mismatch"
        refused(stacked, wire, stub, stub.url.replace("127.0.0.1", host), words)


@wires
def test_an_authority_that_nobody_knows(stacked, wire, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    with Stub(wire.whole("never"), tls=serving("good")) as stub:
        refused(stacked, wire, stub, stub.url, "unable to get local issuer certificate")


def hello(talk: Talk) -> None:
    assert talk.client.recv(65536)


GREETINGS = {
    "plain http": lambda talk: (hello(talk), talk.send("HTTP/1.1 400 Bad Request\r\n\r\n")),
    "closed": hello,
    "reset": lambda talk: (hello(talk), talk.reset()),
    "half a handshake": lambda talk: (hello(talk), talk.send(b"\x16\x03\x03\x00\x7a\x02\x00\x00\x76")),
    "alert": lambda talk: (hello(talk), talk.send(b"\x15\x03\x03\x00\x02\x02\x28")),
}


@wires
@pytest.mark.parametrize("greeting", GREETINGS.values(), ids=GREETINGS)
def test_a_handshake_that_breaks(stacked, wire, trusted, greeting):
    with Stub(greeting=greeting) as stub:
        refused(stacked, wire, stub, stub.url.replace("http:", "https:"), "connection [network_error]")


@wires
def test_a_reply_over_tls_that_breaks_off(stacked, wire, trusted):
    events = b"".join(wire.events(["Hel", "lo"]))
    broken = Answer(200, events, {"content-type": wire.stream_type}, cut_after=len(events) // 2)
    with Stub(broken, tls=serving("good")) as stub:
        seen = stacked(wire, stub.url)
    assert (seen["status"], seen["retries"], len(stub.requests)) == ("network", 2, 3)


def test_tls_before_version_1_2_is_refused(stacked, trusted):
    context = serving("good")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
    with Stub(FORMS[0].whole("never"), tls=context) as stub:
        refused(stacked, FORMS[0], stub, stub.url, "connection [network_error]")
