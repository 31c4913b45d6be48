"""The wire formats by name: the module that builds the requests and reads the replies of each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WIRES = {
    "anthropic": "anthropic", "gemini": "gemini", "ollama": "ollama", "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
}  # fmt: skip


def wire_named(dialect: str) -> Any | None:
    """Give the module of a wire format, loaded when first asked for; ``None`` when there is none."""
    name = WIRES.get(dialect)
    if name is None:
        return None
    from importlib import import_module

    return import_module(f"harnpy.llm.providers.{name}")
