"""The option ``tool_search``: which tools travel with a call, and how the others are found (llm 5.1)."""

from __future__ import annotations

from harnpy.errors import thrown_text
from harnpy.llm.kinds import kind_of
from harnpy.llm.spelling import close_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request

    Dict = dict[str, Any]

CLIENT_NAME = "__harn_tool_search"
_VARIANTS = ("bm25", "regex")
_MODES = ("auto", "client", "native")
_FORM = 'expected a bool, "bm25", "regex" or a dict'


def _is_no_name_list(value: Any) -> bool:
    return type(value) is not list or any(type(item) is not str for item in value)


# Each field: what makes a value wrong, and how it must be.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "always_loaded": (_is_no_name_list, "a list of tool names"),
    "budget_tokens": (lambda value: type(value) is not int or value < 1, "a positive integer"),
    "mode": (lambda value: value not in _MODES, '"auto", "native" or "client"'),
    "name": (lambda value: type(value) is not str or not value.strip(), "a non-empty string"),
    "strategy": (lambda value: value not in _VARIANTS, '"bm25" or "regex"'),
    "variant": (lambda value: value not in _VARIANTS, '"bm25" or "regex"'),
}


def search_fault(value: Any) -> str | None:
    """Tell what is wrong with the option."""
    if type(value) is bool:
        return None
    if type(value) is str:
        return None if value in _VARIANTS else f'{_FORM}, got "{value}"{close_to(value, _VARIANTS)}'
    if type(value) is not dict:
        return f"{_FORM}, got {kind_of(value)}"
    for key in sorted(value):
        if key not in _FIELDS:
            return f"unknown field `{key}`{close_to(key, _FIELDS)}"
        wrong, words = _FIELDS[key]
        if value[key] is not None and wrong(value[key]):
            return f"`{key}` must be {words}"
    return None


def must_be_native(option: Any) -> bool:
    """Tell whether the option asks for a search by the provider and nobody else."""
    return type(option) is dict and option.get("mode") == "native"


class ToolSearch:
    """The option of one call, read; without ``defer_loading`` tools it changes nothing."""

    __slots__ = ("always_loaded", "mode", "name", "variant")

    def __init__(self, option: Any) -> None:
        given: Dict = option if type(option) is dict else {}
        variant = option if type(option) is str else given.get("variant") or given.get("strategy")
        self.variant: str = variant or "bm25"
        self.mode: str = given.get("mode") or "auto"
        self.always_loaded: list[str] = given.get("always_loaded") or []
        self.name: str = given.get("name") or CLIENT_NAME


def lay_out(request: Request, tools: Any, *, gated: bool) -> Any:
    """Give the tools of a call as they travel, and note the provider's own search on the request.

    ``gated`` tells whether the route must be able to do what is asked.

    Raises:
        HarnError: a thrown string when the provider must search and cannot.
    """
    option = request.option("tool_search")
    if option is None or option is False:
        return tools
    search = ToolSearch(option)
    supported = [] if request.row is None else request.row["tool_search"]
    if search.mode == "native" and not supported:
        provider, model = request.error_place()
        text = f'tool_search: provider "{provider}" does not expose native tool-search for model "{model}".'
        if gated:
            raise thrown_text(f'{text} Use mode "auto".')
        supported = list(_VARIANTS)
    listed = tools["tools"] if type(tools) is dict else tools or []
    _check_names(search, listed)
    deferred = [_name(tool) for tool in listed if _is_deferred(tool, search)]
    if not deferred:
        return tools
    in_text = (request.option("tool_format") or "").strip().lower() in ("text", "json")
    if search.mode == "native" or (search.mode == "auto" and supported and not in_text):
        request.search_tool = _native_tool(search, supported)
        request.deferred = frozenset(deferred)
        return tools
    return [_client_tool(search, deferred), *(tool for tool in listed if _name(tool) not in deferred)]


def _name(tool: Any) -> str:
    inner = tool.get("function") if type(tool) is dict and tool.get("name") is None else tool
    return str(inner.get("name")) if type(inner) is dict else ""


def _is_deferred(tool: Any, search: ToolSearch) -> bool:
    return type(tool) is dict and tool.get("defer_loading") is True and _name(tool) not in search.always_loaded


def _check_names(search: ToolSearch, listed: list[Any]) -> None:
    names = [_name(tool) for tool in listed]
    for name in search.always_loaded:
        if name not in names:
            hint = close_to(name, names)
            raise thrown_text(f'tool_search.always_loaded: there is no tool "{name}" in `tools`{hint}')
    if search.name in names:
        raise thrown_text(f'tool_search: a tool of the call is named "{search.name}"; choose another `name`')


def _native_tool(search: ToolSearch, supported: list[Any]) -> Dict:
    """Give the tool with which the provider searches: its kind follows from what the route lists."""
    if any(variant in supported for variant in _VARIANTS):
        name = f"tool_search_tool_{search.variant}"
        return {"type": f"{name}_20251119", "name": name}
    return {"type": "tool_search", "mode": "hosted" if "hosted" in supported else str(supported[0])}


def _client_tool(search: ToolSearch, deferred: list[str]) -> Dict:
    how = "a regular expression" if search.variant == "regex" else "words that say what it should do"
    description = f"Find further tools ({len(deferred)} are not shown) by {how}. Call it before you say that none fits."
    return {"name": search.name, "description": description, "parameters": {"query": {"type": "string"}}}
