"""The same turns with pydantic-ai's agent on its function model."""

from __future__ import annotations

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import UsageLimits

NAMES = ["look", "search", "edit", "run", "wait"]


def _tool(name: str):
    def run(path: str, limit: int | None = None) -> str:
        return f"did {path}"

    run.__name__ = name
    run.__doc__ = f"Does {name} on a path"
    return run


def _history() -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for index in range(10):
        messages.append(ModelRequest(parts=[UserPromptPart(content=f"question {index}")]))
        messages.append(ModelResponse(parts=[TextPart(content=f"answer {index}")]))
    return messages


class Answers:
    """The model: tool calls, then a final text."""

    def __init__(self) -> None:
        self.turns = 0
        self.done = 0

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Answer one request."""
        number = self.done
        self.done += 1
        if number >= self.turns:
            return ModelResponse(parts=[TextPart(content="all-ok")])
        arguments = {"path": f"src/a{number}.py"}
        return ModelResponse(parts=[ToolCallPart(NAMES[number % 5], arguments, tool_call_id=f"c{number}")])


ANSWERS = Answers()
AGENT = Agent(FunctionModel(ANSWERS), instructions="You are an agent.", tools=[_tool(name) for name in NAMES])
HISTORY = _history()


def bench(turns: int) -> list[object]:
    """Run the agent once."""
    ANSWERS.turns, ANSWERS.done = turns, 0
    result = AGENT.run_sync("go", message_history=HISTORY, usage_limits=UsageLimits(request_limit=None))
    return [result.output, ANSWERS.done - 1]
