"""Python functions as tools: what a model is told about them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import pytest

import harnpy

if TYPE_CHECKING:
    from nowhere import Unknown


def listed(*tools: Any) -> list[dict[str, Any]]:
    with harnpy.Session(tools=tools, env={}) as session:
        return list(session.run("return tool_list(host_tools())").value)


def search(
    query: Annotated[str, "What to look for."],
    kind: Literal["news", "papers"] = "news",
    years: Optional[list[int]] = None,  # noqa: UP045 (older code writes it so)
    filters: dict[str, str] | None = None,
    *ignored: str,
    limit: int = 10,
    **more: int,
) -> list[str]:
    """Search the
    library.

    The model does not see this.
    """
    return [query]


def test_a_function_describes_itself() -> None:
    [tool] = listed(search)
    assert (tool["name"], tool["description"]) == ("search", "Search the library.")
    assert tool["parameters"] == {
        "query": {"type": "string", "description": "What to look for.", "required": True},
        "kind": {"type": "string", "enum": ["news", "papers"], "required": False},
        "years": {"type": "array", "items": {"type": "integer"}, "required": False},
        "filters": {"type": "object", "required": False},
        "limit": {"type": "integer", "required": False},
    }


class Library:
    """Not about the call."""

    def find(self, title: str) -> str:
        """Find a book."""
        return title

    def __call__(self, title: str) -> str:
        """Borrow a book."""
        return title


def test_methods_and_partial_functions() -> None:
    [method] = listed(Library().find)
    assert (method["name"], method["description"], list(method["parameters"])) == ("find", "Find a book.", ["title"])
    [partial] = listed(functools.partial(search, limit=3))
    assert (partial["name"], partial["description"]) == ("search", "Search the library.")
    assert partial["parameters"]["query"]["type"] == "string"


def test_an_object_that_can_be_called_needs_a_name() -> None:
    with harnpy.Session() as session:
        with pytest.raises(TypeError, match="a Library has no name of its own"):
            session.define_tool(Library())
        session.define_tool(Library(), name="borrow")
        [tool] = session.run("return tool_list(host_tools())").value
    assert (tool["name"], tool["description"]) == ("borrow", "Borrow a book.")
    assert tool["parameters"] == {"title": {"type": "string", "required": True}}


def test_hints_that_only_a_type_checker_can_read() -> None:
    def odd(x: Unknown, y: int = 1) -> None:
        """Do something."""

    assert listed(odd)[0]["parameters"] == {"x": {"required": True}, "y": {"required": False}}


def test_what_is_no_tool() -> None:
    with pytest.raises(TypeError, match="a tool is to be a function, not a int"):
        harnpy.Session(tools=[3])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="there is a tool named 'search' already"):
        harnpy.Session(tools=[search, search])


def test_a_tool_that_breaks_tells_the_model_and_not_the_program() -> None:
    def broken(x: int) -> str:
        raise ValueError("no luck")

    with harnpy.Session(tools=[broken], env={}, virtual_time=0) as session:
        session.mock({"text": "", "tool_calls": [{"id": "1", "name": "broken", "arguments": {"x": 1}}]})
        session.mock({"text": "", "tool_calls": [{"id": "2", "name": "broken", "arguments": {}}]})
        session.mock("I give up.")
        options = '{provider: "openai", model: "gpt-4o", tools: host_tools()}'
        assert session.run(f'return agent_loop(harness, "Go", nil, {options}).text').value == "I give up."
        told = [call["messages"][-1]["content"] for call in session.mocked_calls()[1:]]
    assert "broken: ValueError: no luck" in told[0]
    assert "missing required parameter" in told[1]
