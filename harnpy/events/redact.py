"""The one place that removes secrets from what is stored, shown or sent to a sink (llm 9.6)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Pattern
    from typing import Any

REDACTED = "[redacted]"

# A text without any of these cannot hold a token that the pattern below knows.
_MARKS = ("sk-", "aiza", "hf_", "gsk_", "xai-", "key=", 'key":', "key:", "key':", "uthorization", "earer ")

_TOKENS = r"""
    (?<![A-Za-z0-9])
    (?: sk-[A-Za-z0-9_-]{6,} | AIza[A-Za-z0-9_-]{6,} | hf_[A-Za-z0-9]{6,} | gsk_[A-Za-z0-9]{6,} | xai-[A-Za-z0-9]{6,} )
"""
# What stands before a secret is kept, the secret itself is not.
_LABELLED = r"""
    ( [?&](?:api_?)?key= | \bbearer\s+
    | ["']?\b(?:x-api-key|x-goog-api-key|api[-_]?key)["']?\s*[:=]\s*["']?
    | ["']?\bauthorization["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+)? )
    (?!\[redacted\]) [^\s"'&,;}]+
"""

# Short texts that were looked through and hold nothing to remove: names and states come again and again.
_clean: set[str] = set()
_PLAIN = frozenset((int, float, bool, type(None)))
_MOST_CLEAN = 4096
_LONGEST_CLEAN = 64

# Secrets of this process that are known exactly, in the forms in which they come back. The longest stands first: one
# key may begin with another.
_known: list[str] = []
# No key is longer; what is cut after so many characters more cannot end inside one.
_LONGEST_SECRET = 4096
_patterns: list[Pattern[str]] = []


def register_secret(secret: str) -> None:
    """Make ``secret`` (a key in use) be removed from now on, whatever it looks like."""
    if len(secret) < 6 or secret in _known:
        return
    from urllib.parse import quote

    forms = {secret, quote(secret, safe=""), quote(secret), secret.replace("/", "\\/")}
    _known[:] = sorted(forms.union(_known), key=len, reverse=True)
    _clean.clear()


def redact_text(text: str) -> str:
    """Give ``text`` without keys, tokens and values of authorization headers."""
    if text in _clean:
        return text
    for secret in _known:
        if secret in text:
            text = text.replace(secret, REDACTED)
    lowered = text.lower()
    if not any(mark in lowered for mark in _MARKS):
        if len(text) <= _LONGEST_CLEAN:
            if len(_clean) >= _MOST_CLEAN:
                _clean.clear()
            _clean.add(text)
        return text
    if not _patterns:
        import re

        _patterns.append(re.compile(_LABELLED, re.VERBOSE | re.IGNORECASE))
        _patterns.append(re.compile(_TOKENS, re.VERBOSE))
    labelled, tokens = _patterns
    return tokens.sub(REDACTED, labelled.sub(lambda found: found.group(1) + REDACTED, text))


def redact_start(text: str, limit: int) -> str:
    """Give the first ``limit`` characters of ``text`` without secrets, nor the beginning of one at the cut."""
    return redact_text(text[: limit + _LONGEST_SECRET])[:limit]


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
    fields = {redact_text(key): redact(item) for key, item in value.items()}
    same = len(fields) == len(value) and all(key in fields and fields[key] is value[key] for key in value)
    return value if same else fields
