"""Calls that go up a ladder of models: the next step is asked when one fails in a way that may pass (llm 12.7)."""

from __future__ import annotations

from harnpy.capabilities.llm import PASSING, ask_once, llm_state
from harnpy.errors import HarnError, thrown_text
from harnpy.llm.kinds import kind_of
from harnpy.llm.routing import policy_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from harnpy.llm.request import Request
    from harnpy.llm.response import Reply
    from harnpy.runtime.context import Context

    Dict = dict[str, Any]
    Build = Callable[..., Request]

_STEP_KEYS = ("label", "model", "options", "provider")
_STEP_OPTIONS = (
    "frequency_penalty", "max_tokens", "presence_penalty", "seed", "speed", "temperature", "timeout_ms", "top_k",
    "top_p",
)  # fmt: skip
# The errors after which a policy without rules of its own goes on.
_DEFAULT = policy_of({"chain": ["any:any"]})


class LadderPlan:
    """The requests of all steps; the first answer is that of the call."""

    def __init__(self, steps: list[tuple[str, Callable[[], Request]]], base: Request) -> None:
        self._steps = steps
        self._max_tokens = base.max_tokens

    def ask(self, ctx: Context, request: Request) -> tuple[Dict, Reply]:
        """Ask one step after the other."""
        depth = ctx.depth
        last = len(self._steps) - 1
        for index, (_, build) in enumerate(self._steps):
            step = build()
            step.messages, step.system, step.output = request.messages, request.system, request.output
            if request.max_tokens > self._max_tokens:  # doubled after an answer that was cut
                step.max_tokens = max(step.max_tokens, request.max_tokens)
            try:
                return ask_once(ctx, step)
            except HarnError as error:
                if error.value in PASSING or index == last or not _DEFAULT.eligible(error.value):
                    raise
                ctx.depth = depth
                self._advance(ctx, index, error.value["category"])
        raise AssertionError("a ladder has a last step")

    def _advance(self, ctx: Context, index: int, category: str) -> None:
        moved = {"from_index": index, "from_model": self._steps[index][0], "to_model": self._steps[index + 1][0]}
        llm_state(ctx).note("llm_models_advance", **moved, category=category)


def ladder_request(ctx: Context, build: Build, options: Dict, plain: Dict) -> Request:
    """Build a call with ``models`` or ``ladder``."""
    if options.get("models") is not None and options.get("ladder") is not None:
        raise thrown_text(
            "llm_call: `models:` and `ladder:` are mutually exclusive — pass an inline step list OR a named catalog "
            "ladder, not both"
        )
    steps = options.get("models")
    if steps is None:
        steps = _named(ctx, options["ladder"])
    if type(steps) is not list:
        raise thrown_text(f"llm_call: invalid `models`: expected a list, got {kind_of(steps)}")
    if not steps:
        raise thrown_text("llm_call: model ladder must list at least one step")
    given = {key: value for key, value in plain.items() if key not in ("model", "provider")}
    all_options = [{**given, **_step(index, step)} for index, step in enumerate(steps)]
    request: Request = build(all_options[0])
    for own in all_options[1:]:
        build(own, gated=False)  # a slip in a later step is found before the first one is asked
    request.plan = LadderPlan([(own["model"], _builder(build, own)) for own in all_options], request)
    return request


def _builder(build: Build, options: Dict) -> Callable[[], Request]:
    return lambda: build(options)


def _named(ctx: Context, name: Any) -> Any:
    if type(name) is not str:
        raise thrown_text(f"llm_call: invalid `ladder`: expected a string, got {kind_of(name)}")
    catalog = llm_state(ctx).catalog
    ladder = catalog.ladder(name)
    if ladder is None:
        known = ", ".join(sorted(catalog.keyed["model_ladders"]))
        raise thrown_text(f'llm_call: no model ladder named "{name}" in the catalog (known ladders: {known})')
    return ladder["steps"]


def _step(index: int, step: Any) -> Dict:
    """Give the options of one step."""
    place = f"llm_call: invalid `models`: step {index}"
    if type(step) is str:
        step = {"model": step}
    if type(step) is not dict or type(step.get("model")) is not str or not step["model"].strip():
        raise thrown_text(f"{place}: expected a model or {{model, provider?, options?, label?}}")
    own = step.get("options") or {}
    if type(own) is not dict:
        raise thrown_text(f"{place}: `options` must be a dict, got {kind_of(own)}")
    unknown = [key for key in sorted(step) if key not in _STEP_KEYS]
    unknown += [f"options.{key}" for key in sorted(own) if key not in _STEP_OPTIONS]
    if unknown:
        raise thrown_text(f"{place}: unknown field `{unknown[0]}` (options may hold {', '.join(_STEP_OPTIONS)})")
    route = {"model": step["model"]}
    return {**own, **route, **({"provider": step["provider"]} if step.get("provider") else {})}
