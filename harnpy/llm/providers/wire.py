"""What the wire formats share: neutral readings of messages and calls, and the base of their stream readers."""

from __future__ import annotations

from harnpy.llm.response import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.usage import Tokens

    Dict = dict[str, Any]

RESULT_ROLES = ("tool", "tool_result")


def word(value: Any) -> str | None:
    """Give a text that says something, else ``None``: servers send all kinds of things for "nothing"."""
    return value if type(value) is str and value else None


def id_of(value: Any, instead: str) -> str:
    """Give the id of a call: numbers count, anything else that is no text does not."""
    return str(value) if type(value) is int else word(value) or instead


def fields(value: Any) -> Dict:
    """Give an object of a reply, an empty one for anything else."""
    return value if type(value) is dict else {}


def objects(value: Any) -> list[Dict]:
    """Give the objects of a list, none for anything else."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def flat(content: Any) -> str:
    """Give content as one string."""
    if type(content) is list:
        return "\n".join(block.get("text", "") if type(block) is dict else str(block) for block in content)
    return content if type(content) is str else str(content)


def call_parts(call: Dict) -> tuple[str, str, Dict]:
    """Give id, name and arguments of an assistant's call, in our form or in that of OpenAI."""
    from harnpy.llm.response import read_arguments

    function = call.get("function")
    inner: Dict = function if type(function) is dict else call
    arguments = read_arguments(inner.get("arguments"))
    return str(call.get("id") or ""), str(inner.get("name") or ""), arguments


def call_names(messages: list[Dict]) -> dict[str, str]:
    """Give the name of each called tool by the id of its call."""
    calls = [call for message in messages for call in message.get("tool_calls") or [] if type(call) is dict]
    return {call_id: name for call_id, name, _ in map(call_parts, calls) if call_id}


def result_id(message: Dict) -> str:
    """Give the id of the call that a tool result answers."""
    return str(message.get("tool_call_id") or message.get("tool_use_id") or "")


def result_name(message: Dict, names: dict[str, str]) -> str:
    """Give the name of the tool that a result comes from."""
    return str(message.get("name") or message.get("tool_name") or names.get(result_id(message), ""))


def system_of(request: Request) -> str | None:
    """Give the system text; where reasoning is off and the route needs it said, with that said in front."""
    system = request.system
    if request.thinking["mode"] != "disabled":
        return system
    row = request.row
    directive = None if row is None else row.get("thinking_disable_directive")
    if not directive or (system or "").split(None, 1)[:1] == [directive]:
        return system
    return f"{directive}\n{system}" if system else directive


def folded_system(request: Request) -> str | None:
    """Give the system text together with the system messages, for wires that have no place for those."""
    parts = [system_of(request) or ""]
    parts += [flat(message["content"]) for message in request.messages if message["role"] == "system"]
    return "\n\n".join(part for part in parts if part.strip()) or None


def own_options(request: Request) -> Dict:
    """Give what a serving tier and ``provider_options`` add to the body."""
    given: Dict = (request.option("provider_options") or {}).get(request.route.provider.name) or {}
    return given if request.tier is None else {**request.tier.get("body", {}), **given}


def stops(request: Request) -> list[str] | None:
    """Give the stop texts as a list."""
    stop = request.option("stop")
    return [stop] if type(stop) is str else stop


class Collected:
    """Collects the pieces of a streamed reply; each wire adds how it reads them."""

    # Whether the sentinel of OpenAI ends this wire's stream as its final event does.
    ends_with_sentinel = False

    def __init__(self, request: Request) -> None:
        self.provider, self.model = request.error_place()
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.stop: str | None = None
        self.response_id: str | None = None
        self.done = False
        self._answer: Any = None

    @property
    def complete(self) -> bool:
        """Tell whether the stream may end here: its final event or a stop reason came."""
        return self.done or self.stop is not None

    @property
    def partial(self) -> str:
        """Give the text so far."""
        return "".join(self.texts)

    def add_text(self, text: Any) -> str:
        """Collect a text and give it, or an empty one when it is none."""
        if type(text) is not str or not text:
            return ""
        self.texts.append(text)
        return text

    def watched(self, text: str) -> str:
        """Give what the last event added to a structured answer; ``text`` is the text that it added."""
        return text

    def served_by(self, model: Any) -> None:
        """Note the model that answers."""
        if type(model) is str and model:
            self.model = model

    def first_of(self, answers: Any) -> Dict | None:
        """Give what a chunk adds to the answer that began first: a server may send several side by side."""
        for answer in objects(answers):
            place = answer.get("index") or 0
            if self._answer is None:
                self._answer = place
            if place == self._answer:
                return answer
        return None

    def made(self, tokens: Tokens, calls: list[Dict]) -> Reply:
        """Give the reply of what was collected."""
        reply = Reply(self.provider, self.model, self.partial, tokens)
        reply.response_id = self.response_id
        reply.thinking = "".join(self.thoughts) or None
        reply.tool_calls = calls
        reply.stop_reason = self.stop
        return reply
