"""The one place that removes secrets from what is stored, shown or sent to a sink (llm 9.6)."""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Pattern
    from typing import Any

REDACTED = "[redacted]"

# A text without any of these cannot hold a token that the patterns below know.
_MARKS = ("sk-", "aiza", "hf_", "gsk_", "xai-", "key=", 'key":', "key:", "key':", "uthorization", "earer ")

_TOKENS = r"""
    (?<![A-Za-z0-9])
    (?: sk-[A-Za-z0-9_-]{6,} | AIza[A-Za-z0-9_-]{6,} | hf_[A-Za-z0-9]{6,} | gsk_[A-Za-z0-9]{6,} | xai-[A-Za-z0-9]{6,} )
"""
# What stands before a secret is kept, the secret itself is not. A word after "bearer" is one of ordinary prose.
_LABELLED = r"""
    ( [?&](?:api_?)?key= | \bbearer\s+ (?=[^\s"'&,;}]*\d)
    | ["']?\b(?:x-api-key|x-goog-api-key|api[-_]?key)["']?\s*[:=]\s*["']?
    | ["']?\bauthorization["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)? )
    (?!\[redacted\]) [^\s"'&,;}]+
"""
# The name and the password of a URL: git@host under ssh is no secret, token@host under https is.
_USERINFO = r"""
    (?: (?<=://) [^\s/?\#"'<>@:]* : | (?<=http://) | (?<=https://) ) (?!\[redacted\]@) [^\s/?\#"'<>]+ (?=@)
"""
# Fields and headers whose text is a secret, whatever it looks like.
SECRET_FIELDS = frozenset(
    """
    authorization proxy-authorization x-api-key x-goog-api-key api_key api-key apikey cookie set-cookie
    """.split()
)

# Short texts that were looked through and hold nothing to remove: names and states come again and again.
_clean: set[str] = set()
_PLAIN = frozenset((int, float, bool, type(None)))
_MOST_CLEAN = 4096
_LONGEST_CLEAN = 64

# Secrets of this process that are known exactly, with the forms in which they come back. Those used last stand last: a
# process that serves thousands of keys forgets the ones at the front until they are used again.
_registered: dict[str, set[str]] = {}
_registering, _asking = allocate_lock(), allocate_lock()
_MOST_SECRETS = 512
# All their forms. The longest stands first: one key may begin with another.
_known: list[str] = []
# What makes more of them known; it is asked before the next text is looked through.
_pending: list[Callable[[], None]] = []
_MOST_PENDING = 32
# No key is longer; what is cut after so many characters more cannot end inside one.
_LONGEST_SECRET = 4096
_patterns: list[Pattern[str]] = []

# Shorter texts are no keys, and of those below the second length only what no ordinary word looks like: many servers
# take "none" or "anything" for a key.
_SHORTEST, _LONGEST_WORD = 6, 16
# A text that ends with the first characters of a secret may go on as that secret, and with so many was cut inside one.
_SHORTEST_START, _SHORTEST_PART = 3, 8


def register_secret(secret: str) -> None:
    """Make ``secret`` (a key in use) be removed from now on, whatever it looks like, also where it is encoded."""
    if not _tells_itself(secret):
        return
    with _registering:
        forms = _registered.pop(secret, None)
        _registered[secret] = forms or _forms(secret)
        if forms is None:
            if len(_registered) > _MOST_SECRETS:
                del _registered[next(iter(_registered))]
            _known[:] = sorted(set().union(*_registered.values()), key=len, reverse=True)
            _clean.clear()


def register_later(register: Callable[[], None]) -> None:
    """Let ``register`` make secrets known before the next text is looked through: most runs look through none."""
    _pending.append(register)
    _clean.clear()
    if len(_pending) > _MOST_PENDING:
        _secrets()


def _secrets() -> list[str]:
    if _pending:
        with _asking:
            while _pending:
                # It stays in the list until it is done: no other thread looks through a text before that.
                _pending[0]()
                del _pending[0]
    return _known


def register_url(url: str) -> None:
    """Make the password of ``url``, or the token in its place, be removed from now on."""
    if "@" not in url:
        return
    from urllib.parse import unquote

    userinfo = url.partition("://")[2].partition("/")[0].rpartition("@")[0]
    user, colon, password = userinfo.partition(":")
    for secret in (password if colon else user, userinfo if colon else ""):
        register_secret(secret)
        register_secret(unquote(secret))


def register_header(name: str, value: str) -> None:
    """Make the value of a header be removed from now on when its name says that it is a secret."""
    if any(word in name.lower() for word in ("auth", "key", "token", "secret", "cookie", "password")):
        register_secret(value.strip().rpartition(" ")[2])


def _tells_itself(secret: str) -> bool:
    """Tell whether a secret is no word, nor a number, that stands in ordinary text too."""
    if len(secret) >= _LONGEST_WORD:
        return True
    letters = sum(char.isalpha() for char in secret)
    plain = letters + secret.count("-") + secret.count("_")
    return len(secret) >= _SHORTEST and letters > 0 and plain < len(secret)


def _forms(secret: str) -> set[str]:
    """Give the forms in which a secret comes back: in URLs, in JSON, in texts of Python, in base64."""
    import json
    from urllib.parse import quote

    forms = {secret, secret.replace("/", "\\/"), json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    forms |= {repr(secret)[1:-1], ascii(secret)[1:-1]}
    for quoted in (quote(secret, safe="", errors="replace"), quote(secret, errors="replace")):
        forms |= {quoted, _lower_escapes(quoted)}
    return forms.union(_base64_forms(secret))


def _lower_escapes(quoted: str) -> str:
    head, *escapes = quoted.split("%")
    return "%".join([head, *(part[:2].lower() + part[2:] for part in escapes)])


def _base64_forms(secret: str) -> Iterable[str]:
    """Give what base64 makes of a secret with 0, 1 or 2 bytes before it, without what depends on its neighbours."""
    from base64 import b64encode

    data = secret.encode("utf-8", "replace")
    for before in range(3):
        whole = (before + len(data)) * 8 // 6
        form = b64encode(b"\0" * before + data).decode()[-(-before * 8 // 6) : whole]
        yield from (form, form.replace("+", "-").replace("/", "_"))


def redact_known(text: str) -> str:
    """Give ``text`` without the secrets that are known exactly."""
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, REDACTED)
    return text


def redact_text(text: str) -> str:
    """Give ``text`` without keys, tokens and values of authorization headers."""
    if text in _clean:
        return text
    text = redact_known(text)
    lowered = text.lower()
    has_userinfo = "@" in text and "://" in text
    if not has_userinfo and not any(mark in lowered for mark in _MARKS):
        if len(text) <= _LONGEST_CLEAN and lowered not in SECRET_FIELDS:
            if len(_clean) >= _MOST_CLEAN:
                _clean.clear()
            _clean.add(text)
        return text
    labelled, tokens, userinfo = _compiled()
    if has_userinfo:
        text = userinfo.sub(REDACTED, text)
    return tokens.sub(REDACTED, labelled.sub(lambda found: found.group(1) + REDACTED, text))


def _compiled() -> list[Pattern[str]]:
    if not _patterns:
        import re

        # At once: several threads may be here, and each takes all three.
        _patterns[:] = [
            re.compile(_LABELLED, re.VERBOSE | re.IGNORECASE),
            re.compile(_TOKENS, re.VERBOSE),
            re.compile(_USERINFO, re.VERBOSE | re.IGNORECASE),
        ]
    return _patterns


def masked(text: str) -> str:
    """Give ``text`` with a ``*`` for each character of a known secret or a token: what it is aligned with stays so."""
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, "*" * len(secret))
    if not any(mark in text.lower() for mark in _MARKS):
        return text
    return _compiled()[1].sub(lambda found: "*" * len(found.group()), text)


def redact_start(text: str, limit: int) -> str:
    """Give the first ``limit`` characters of ``text`` without secrets, nor the beginning of one at the cut."""
    return redact_text(text[: limit + _LONGEST_SECRET])[:limit]


def redact_cut(text: str) -> str:
    """Give ``text``, which may have been cut, without known secrets, nor a good part of one at its end."""
    text = redact_known(text)
    part = _open_end(text)
    return text if part < _SHORTEST_PART else text[:-part] + REDACTED


def redact(value: Any) -> Any:
    """Give ``value`` with every string inside redacted; containers without a secret come back as they are."""
    kind = type(value)
    if kind is str:
        return redact_text(value)
    if kind is list:
        items = [redact(item) for item in value]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    if kind is dict:
        return _redact_dict(value)
    return value


def _redact_dict(value: dict[Any, Any]) -> dict[Any, Any]:
    for key, item in value.items():
        if key not in _clean:
            break
        kind = type(item)
        if kind not in _PLAIN and (item not in _clean if kind is str else redact(item) is not item):
            break
    else:
        return value
    fields = {redact_text(key): _redact_field(key, item) for key, item in value.items()}
    same = len(fields) == len(value) and all(key in fields and fields[key] is value[key] for key in value)
    return value if same else fields


def _redact_field(name: str, item: Any) -> Any:
    if type(item) is str and item and name.lower() in SECRET_FIELDS:
        return REDACTED
    return redact(item)


def redact_known_inside(value: Any) -> Any:
    """Give ``value`` with every string inside without the secrets that are known exactly."""
    if not _secrets():
        return value
    kind = type(value)
    if kind is str:
        return redact_known(value)
    if kind is list:
        return [redact_known_inside(item) for item in value]
    if kind is dict:
        return {redact_known_inside(key): redact_known_inside(item) for key, item in value.items()}
    return value


class RedactedPieces:
    """Hands a text on piece by piece without known secrets, also where pieces cut one in two.

    What may be the beginning of a secret waits until the next piece shows whether it is one.
    """

    def __init__(self, hand_on: Callable[[str], None]) -> None:
        self._hand_on = hand_on
        # The end of what was handed on: too short to wait, yet perhaps the first characters of a secret.
        self._before = ""
        self._waiting = ""

    def feed(self, piece: str) -> None:
        """Take one piece."""
        if not _secrets():
            self._hand_on(piece)
            return
        given, text = len(self._before), self._before + self._waiting + piece
        for secret in _known:
            while (at := text.find(secret)) >= 0:
                text = text[: max(at, given)] + REDACTED + text[at + len(secret) :]
        cut = max(given, len(text) - _open_end(text))
        self._waiting = text[cut:]
        self._pass_on(text[:cut], given)

    def end(self) -> None:
        """Hand on what still waits, unless it is a good part of a secret: nothing follows it."""
        text = self._before + self._waiting
        if self._waiting:
            self._hand_on(REDACTED if _open_end(text) >= _SHORTEST_PART else self._waiting)
        self._waiting = ""

    def _pass_on(self, text: str, given: int) -> None:
        self._before = text[1 - _SHORTEST_START :]
        if len(text) > given:
            self._hand_on(text[given:])


def _open_end(text: str) -> int:
    """Give the length of the longest end of ``text`` with which a known secret begins."""
    longest = 0
    for secret in _secrets():
        start = max(0, len(text) - len(secret) + 1)
        while longest < len(text) - start and (start := text.find(secret[:_SHORTEST_START], start)) >= 0:
            if secret.startswith(text[start:]):
                longest = len(text) - start
                break
            start += 1
    return longest
