"""Which event types exist, which have a fixed shape, and which carry a copy of their payload (agent 3.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Registered types without a rule of their own: every payload key is kept.
OPEN_TYPES = frozenset(
    """
    agent_loop_stall_warning agent_scratchpad_reorganization agent_session_closed boundary_failure
    budget_circuit_breaker budget_exhausted capability_gap completion_confirmation_nudge
    context_overflow_recovery ensemble_cost feedback_injected fenced_call_attempt_nudge final_wrapup
    input_guardrail_verdict iteration_end iteration_start judge_decision llm_auto_continue
    loop_checkpoint loop_control_decision loop_stuck missing_tool_call_verdict model_job
    no_progress_streak_nudge pack_thinking_stripped progress_reported require_successful_tools_violation
    reserved_terminal_verify self_consistency_tie semantic_cache_hit semantic_cache_miss skill_narrow
    stance_transition step_judge_decision structural_validator_decision tool_batch_disposition tool_call
    tool_call_audit tool_call_blank_name_dropped tool_call_update tool_format_override
    tool_search_query tool_search_result transcript_compacted typed_checkpoint
    """.split()
)

# Middleware events: they also carry ``payload``, a copy of the dict as given.
COPY_PAYLOAD = frozenset(
    """
    cache_hit cache_miss llm_call_log llm_fallback_attempt llm_routing_decision llm_shadow_diff
    """.split()
)

# Fixed shapes: required fields with the value that stands in for a missing one.
FIXED_FIELDS: dict[str, dict[str, Any]] = {
    "scope_classifier_verdict": {
        "iteration": 0,
        "label": "escalate",
        "original_label": "escalate",
        "confidence": 0.0,
        "confidence_threshold": 0.65,
        "evidence": "no evidence provided",
        "skip_main_turn": True,
    },
}

# Fixed shapes: fields that are kept when given.
OPTIONAL_FIELDS: dict[str, tuple[str, ...]] = {
    "scope_classifier_verdict": ("classifier_kind", "model", "error"),
}

# Types that are delivered under another type, with the phase they stand for.
PHASES: dict[str, tuple[str, str]] = {
    "stance_armed": ("stance_transition", "armed"),
    "stance_write_access_granted": ("stance_transition", "write_access_granted"),
    "stance_write_access_denied": ("stance_transition", "write_access_denied"),
    "stance_disarmed": ("stance_transition", "disarmed"),
}

# Last parts of the names of routing events; the first part is chosen by the script (llm 12.6).
ROUTING_EVENTS = frozenset(
    """
    attempt budget_exceeded decision exhausted failover_suppressed race_lost race_started race_won
    route_unavailable verifier_signal
    """.split()
)


def is_registered(type_name: str) -> bool:
    """Tell whether events of this type are delivered."""
    if type_name in OPEN_TYPES or type_name in COPY_PAYLOAD or type_name in FIXED_FIELDS or type_name in PHASES:
        return True
    prefix, dot, last = type_name.rpartition(".")
    return bool(dot and prefix) and last in ROUTING_EVENTS


def shape(type_name: str, payload: dict[str, Any]) -> dict[str, Any]:
    """Give the fields of the delivered event, ``type`` included and ``session_id`` not."""
    if type_name in PHASES:
        type_name, phase = PHASES[type_name]
        return {**payload, "type": type_name, "phase": phase}
    fixed = FIXED_FIELDS.get(type_name)
    if fixed is not None:
        fields = {name: default if payload.get(name) is None else payload[name] for name, default in fixed.items()}
        for name in OPTIONAL_FIELDS[type_name]:
            if payload.get(name) is not None:
                fields[name] = payload[name]
        return {**fields, "type": type_name}
    if type_name in COPY_PAYLOAD:
        return {**payload, "payload": dict(payload), "type": type_name}
    return {**payload, "type": type_name}
