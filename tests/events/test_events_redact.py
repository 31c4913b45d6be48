"""Redaction by itself: every form of a known secret, which secrets are words, pieces of a text, addresses, excerpts."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harnpy.events.redact import (
    REDACTED,
    RedactedPieces,
    masked,
    redact,
    redact_cut,
    redact_known,
    redact_text,
    register_header,
    register_later,
    register_secret,
    register_url,
)

SECRET = 'é1/+"\\ =mark9z'
LATE = "late-secret-0123456789"


def lower_escapes(text: str) -> str:
    return "".join(char.lower() if text[max(0, at - 2) : at].find("%") >= 0 else char for at, char in enumerate(text))


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        lower_escapes(quote(SECRET, safe="")),
        json.dumps(SECRET),
        json.dumps(SECRET, ensure_ascii=False),
        repr(SECRET),
        ascii(SECRET),
        SECRET.replace("/", "\\/"),
    ],
)
def test_a_known_secret_in_every_form(written):
    register_secret(SECRET)
    shown = redact_text(f"before {written} after")
    assert "mark9z" not in shown
    assert (shown.startswith("before "), shown.endswith(" after")) == (True, True)


@pytest.mark.parametrize("encode", [b64encode, urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "u", "us", "use", "user:"])
@pytest.mark.parametrize("after", ["", "x", "xy"])
def test_a_known_secret_in_base64(encode, before, after):
    register_secret(SECRET)
    text = encode((before + SECRET + after).encode()).decode()
    shown = redact_text(f"Basic {text}")
    assert REDACTED in shown
    assert len(shown) <= len("Basic ") + len(REDACTED) + 4 * ((len(before) + len(after)) // 3 + 3)


@pytest.mark.parametrize(
    "word", ["", "none", "EMPTY", "ollama", "anything", "not-needed", "lm_studio", "12345678", "a1"]
)
def test_words_numbers_and_short_texts_are_no_secrets(word):
    register_secret(word)
    assert redact_text(f"the {word} text") == f"the {word} text"


def test_a_secret_of_bytes_that_are_no_text():
    """The environment may hold any bytes."""
    register_secret("secret-1\udcff-of-bytes")
    assert redact_text("a secret-1\udcff-of-bytes") == f"a {REDACTED}"


def test_what_is_registered_later_is_known_before_the_next_text():
    assert redact_text(LATE) == LATE
    register_later(lambda: register_secret(LATE))
    assert redact_text(LATE) == REDACTED


def test_a_process_that_serves_many_keys_stays_fast_and_small():
    """Each call makes its key known again, so what is forgotten is a key that nobody uses."""
    started: list[int] = []
    for number in range(600):
        register_later(lambda number=number: started.append(number))
        register_secret(f"tenant-key-{number:06}")
        register_secret("tenant-key-in-use-1")
    assert redact_text("tenant-key-000599 tenant-key-in-use-1") == f"{REDACTED} {REDACTED}"
    assert redact_text("tenant-key-000000") == "tenant-key-000000"
    assert len(started) == 600
    register_secret("tenant-key-000000")
    assert redact_text("tenant-key-000000") == REDACTED


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:pw@host/v1", "http://[redacted]@host/v1"),
        ("https://a:b@c@host?x=1", "https://[redacted]@host?x=1"),
        ("https://token@host", "https://[redacted]@host"),
        ("socks5://user:pw@host", "socks5://[redacted]@host"),
        ("postgres://u:p%40@h/db and http://h", "postgres://[redacted]@h/db and http://h"),
        ("ssh://git@host/repository", "ssh://git@host/repository"),
        ("http://host/@name", "http://host/@name"),
        ("http://host:80 a@b.c", "http://host:80 a@b.c"),
    ],
)
def test_addresses(text, shown):
    assert redact_text(text) == shown
    assert redact_text(shown) == shown


def test_the_password_of_an_address_is_known_from_then_on():
    register_url("http://user:pass%2Fw0rd@host:1/v1")
    register_url("https://t0ken-of-host@host")
    register_url("http://host/no@password1")
    text = "pass%2Fw0rd, pass/w0rd, t0ken-of-host, password1"
    assert redact_text(text) == f"{REDACTED}, {REDACTED}, {REDACTED}, password1"


def test_headers_tell_by_their_names():
    register_header("X-Team-Token", "Bearer te4m-token")
    register_header("X-Team", "te4m-name")
    assert redact_text("te4m-token te4m-name") == f"{REDACTED} te4m-name"


def test_fields_that_are_named_after_secrets():
    value = {"Authorization": "x", "api_key": "y", "cookie": "", "headers": [{"x-api-key": "z"}], "api_key_set": True}
    for _ in range(2):
        assert redact(value) == {
            "Authorization": REDACTED,
            "api_key": REDACTED,
            "cookie": "",
            "headers": [{"x-api-key": REDACTED}],
            "api_key_set": True,
        }


@pytest.mark.parametrize("text", ["the bearer of news", "Bearer token", "a bearer,", "basic understanding of things"])
def test_prose_stays(text):
    assert redact_text(text) == text


def test_excerpts_keep_their_columns():
    register_secret(SECRET)
    line = f'const a = "{SECRET}" + "sk-abcdef123456" + b'
    assert len(masked(line)) == len(line)
    assert masked(line).endswith('" + b')
    assert "mark9z" not in masked(line)
    assert "abcdef" not in masked(line)


PIECES = "piece-secret-42"


@given(
    st.lists(st.sampled_from(["a", "p", "pie", PIECES, "piece-secret", "-42", " ", PIECES[:9]]), max_size=6), st.data()
)
def test_pieces_of_a_text(parts, data):
    """However a text is cut: no secret comes out, and nothing else is lost."""
    register_secret(PIECES)
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    given_out: list[str] = []
    pieces = RedactedPieces(given_out.append)
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        pieces.feed(text[start:end])
    pieces.end()
    out = "".join(given_out)
    assert PIECES not in out
    # Up to two characters of a secret are out before it can be told.
    right = r"(?:pi?)?\[redacted\]".join(map(re.escape, redact_cut(text).split(REDACTED)))
    assert re.fullmatch(right, out)


def test_a_text_that_was_cut_inside_a_secret():
    register_secret(PIECES)
    assert redact_cut("it is piece-secret-4") == f"it is {REDACTED}"
    assert redact_cut("a piece") == "a piece"
    assert redact_known("it is piece-secret-4") == "it is piece-secret-4"
