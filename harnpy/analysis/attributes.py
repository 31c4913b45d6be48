"""What the attributes of declarations mean (language 14)."""

from __future__ import annotations

from harnpy.syntax import nodes as N

TYPE_CHECKING = False
if TYPE_CHECKING:
    from harnpy.analysis.resolve import Resolver

# Metadata for other subsystems: known, kept in the source, without effect on execution.
_KNOWN = frozenset(
    "test deprecated acp_tool acp_skill complexity invariant annotations command host_entry job schedule queue retry "
    "persona step trigger handoff budget serial heavy".split()
)
_WITH_EFFECT = ("acp_tool", "acp_skill")
_KEPT = (*_WITH_EFFECT, "test")  # the test runner asks for the last one


def check_attributes(r: Resolver, attributes: tuple[N.Attribute, ...], kind: str) -> None:
    """Warn of unknown attributes and of those that do not fit a declaration of ``kind``."""
    for attribute in attributes:
        if attribute.name not in _KNOWN:
            message = f"unknown attribute `@{attribute.name}` is ignored"
            r.warn("HARN-NAM-003", message, attribute.span)
        elif attribute.name in _WITH_EFFECT and kind != "fn":
            r.warn("HARN-NAM-003", f"`@{attribute.name}` has an effect on functions only", attribute.span)


def effects(attributes: tuple[N.Attribute, ...]) -> tuple[tuple[str, tuple[tuple[str | None, object], ...]], ...]:
    """Give the attributes of a function that somebody asks for later, with plain argument values."""
    found = []
    for attribute in attributes:
        if attribute.name in _KEPT:
            args = tuple([(arg.name, _plain(arg.value)) for arg in attribute.args])
            found.append((attribute.name, args))
    return tuple(found)


def _plain(value: object) -> object:
    """Turn an attribute value into Harn values: identifiers are strings, braces are dicts."""
    if isinstance(value, N.AttrCall):
        return value.name
    if isinstance(value, tuple):
        if value and all(isinstance(item, N.AttrArg) for item in value):
            return {str(item.name): _plain(item.value) for item in value}
        return [_plain(item) for item in value]
    return value
