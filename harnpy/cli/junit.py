"""Results of tests as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.cli.tests import Result

# What XML has no way to write.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\ufffd", text))


def junit_text(results: list[Result]) -> str:
    """Give the document."""
    failed = sum(1 for result in results if result.reason)
    seconds = sum(result.seconds for result in results)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="harnpy" tests="{len(results)}" failures="{failed}" errors="0" time="{seconds:.3f}">',
        *(_case(result) for result in results),
        "</testsuite>",
    ]
    return "\n".join(lines) + "\n"


def _case(result: Result) -> str:
    """Give the element of one test; the message of a failure is the first line of its report."""
    parts = []
    if result.reason:
        message = result.err.partition("\n")[0] or result.reason
        parts.append(f"<failure message={_attribute(message)}>{_text(result.err)}</failure>")
    for tag, text in (("system-out", result.out), ("system-err", "" if result.reason else result.err)):
        if text:
            parts.append(f"<{tag}>{_text(text)}</{tag}>")
    test = result.test
    names = f"classname={_attribute(test.path)} name={_attribute(test.name or test.path)}"
    return f'  <testcase {names} time="{result.seconds:.3f}">{"".join(parts)}</testcase>'
