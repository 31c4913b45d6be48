"""Checks of what a loop sent: every call has exactly one result, on either wire."""

from __future__ import annotations


def openai_pairs(body: dict) -> list[tuple[list[str], list[str]]]:
    """Give the ids of calls and of their results, for each assistant message of an OpenAI request."""
    pairs: list[tuple[list[str], list[str]]] = []
    for message in body["messages"]:
        if message["role"] == "assistant":
            pairs.append(([call["id"] for call in message.get("tool_calls") or []], []))
        elif message["role"] == "tool":
            pairs[-1][1].append(message["tool_call_id"])
    return pairs


def anthropic_pairs(body: dict) -> list[tuple[list[str], list[str]]]:
    """Give the ids of calls and of their results, for each assistant message of an Anthropic request."""
    pairs: list[tuple[list[str], list[str]]] = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        if message["role"] == "assistant":
            pairs.append(([block["id"] for block in blocks if block["type"] == "tool_use"], []))
        else:
            results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
            if results:
                pairs[-1][1].extend(results)
    return pairs


def result_texts(body: dict) -> list[tuple[str, bool]]:
    """Give text and error mark of every tool result of a request, in order (either wire)."""
    found = []
    for message in body["messages"]:
        if message["role"] == "tool":
            found.append((message["content"], "[error from" in message["content"]))
        for block in message["content"] if isinstance(message["content"], list) else []:
            if block.get("type") == "tool_result":
                content = block["content"]
                text = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
                found.append((text, bool(block.get("is_error"))))
    return found


PAIRS = {"openai": openai_pairs, "anthropic": anthropic_pairs}


def assert_paired(wire_name: str, requests: list) -> None:
    """Each call has exactly one result with its id, in order, before the next assistant message; ids come once."""
    for asked in requests:
        pairs = PAIRS[wire_name](asked.json)
        for calls, results in pairs:
            assert calls == results
        ids = [each for calls, _ in pairs for each in calls]
        assert len(set(ids)) == len(ids)
