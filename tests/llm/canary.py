"""Keys that must never come out again, servers that give them back in every way, and the search for them."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from pathlib import Path
from urllib.parse import quote

from stub import Answer

# Letters and digits: this part of a key looks the same in URLs and in JSON.
MARK = "7f3a9c21canary"
_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}")


def canary(name: str) -> str:
    """Give a key that no pattern knows, with characters that every encoding writes in its own way."""
    return f'{name}+/9"x\\={MARK}'


def leaks(text: str) -> list[str]:
    """Give the places of ``text`` where a key shows, as it is or in base64."""
    found = [text[max(0, at.start() - 100) : at.end() + 20] for at in re.finditer(MARK, text)]
    for run in _RUN.findall(text):
        plain = run.replace("-", "+").replace("_", "/")
        for start in range(4):
            part = plain[start:]
            part = part[:-1] if len(part) % 4 == 1 else part
            if MARK.encode() in b64decode(part + "=" * (-len(part) % 4)):
                found.append(run)
    return found


def leaks_below(folder: Path) -> dict[str, list[str]]:
    """Give the files below ``folder`` in which a key shows, whatever they are."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    found = {path.name: leaks(path.read_bytes().decode("latin-1")) for path in files}
    return {name: places for name, places in found.items() if places}


def spoken(key: str, password: str) -> str:
    """Give what a careless server says about a request: its secrets in all forms."""
    basic = b64encode(f"user:{password}".encode()).decode()
    return (
        f"no {key} in Bearer {key} nor {quote(key, safe='')} of http://user:{quote(password)}@host/v1?key={quote(key)} "
        f"or Basic {basic} or {json.dumps(key)} or {b64encode(key.encode()).decode()} or {password} (max_tokens exceed)"
    )


def failures(wire, said: str) -> list[Answer]:
    """Give answers that are none, each with the secrets in another place."""
    header = said.replace("\n", " ")
    return [
        Answer(reset=True),
        wire.failing(401, said),
        wire.failing(404, said, kind=said, code=said),
        Answer(500, said),
        Answer(500, json.dumps(said)),
        Answer(400, {"detail": [{"msg": said}]}),
        Answer(302, said, {"location": f"http://other.invalid/?{header}"}),
        wire.failing(429, "slow", retry_after=header, x_request_id=header),
        Answer(200, f"<html>{said}", {"content-type": f"text/html; {header}"}),
        Answer(200, {"error": {"message": said, "type": said}}),
        Answer(200, said.encode(), {"content-encoding": "gzip", "content-type": "application/json"}),
    ]


def replies(wire, said: str, key: str) -> list[Answer]:
    """Give good answers with the secrets in text, thinking, names, counts and arguments."""
    named = json.dumps(wire.whole_body(said, thinking=said, stop=said)).replace('"m"', json.dumps(key))
    counted = json.dumps(wire.whole_body(said)).replace(": 3", ": " + json.dumps(key))
    return [
        wire.whole(said),
        Answer(200, named, {"content-type": "application/json", "x-request-id": key}),
        Answer(200, counted, {"content-type": "application/json"}),
        wire.whole("", calls=[("c" + key, "note", {"text": said, key: 1})]),
    ]


def streams(wire, said: str) -> list[Answer]:
    """Give streams: whole, cut into single characters, ended by an error, and broken off inside a key."""
    characters = wire.events(list(said))
    inside = next(n for n in range(len(said)) if said[:n].endswith(MARK[:10]))
    return [
        wire.stream(said),
        wire.streamed(characters),
        wire.streamed([*wire.events(["a", said])[:-2], wire.stream_error(said, "overloaded_error")]),
        wire.streamed(wire.events(list(said[:inside]))[: inside + 1]),
        wire.streamed([b"data: " + said.encode() + b"\n\n"]),
    ]
