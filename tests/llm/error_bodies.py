"""What the providers really send when they refuse: the bodies of their public documentation and of their servers."""

from __future__ import annotations

import json
from typing import Any


def _anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CSHoEeqs5C35K2UUqR7Fy"}


def _openai(message: str, kind: str | None = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _router(code: int, message: str, **metadata: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "metadata": metadata}, "user_id": "user_1"}


def _gemini(code: int, status: str, message: str, *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


_OVERLOADED = "The model is overloaded. Please try again later."
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_GEMINI_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: "
    "generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 20. Please retry in 31.2s."
)
_TPM = (
    "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 41234. "
    "The input or output tokens must be reduced in order to run successfully."
)
_CLOUDFLARE = (
    "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body><center><h1>502</h1></center></body></html>"
)

# (status, body, reason, envelope status). Each is asked for through the default stack.
Case = tuple[int, Any, str, str]

ANTHROPIC: list[Case] = [
    (400, _anthropic("invalid_request_error", "messages: at least one message is required"), "invalid_request",
     "provider_error"),
    (400, _anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
     "invalid_request", "provider_error"),
    (400, _anthropic("invalid_request_error", "prompt is too long: 212345 tokens > 200000 maximum"),
     "context_overflow", "context_window_exceeded"),
    (400, _anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > "
     "200000, decrease input length or `max_tokens` and try again"), "context_overflow", "context_window_exceeded"),
    (400, _anthropic("invalid_request_error", "Output blocked by content filtering policy"), "content_policy",
     "policy_blocked"),
    (401, _anthropic("authentication_error", "invalid x-api-key"), "auth_failure", "auth"),
    (402, _anthropic("billing_error", "Your account has a problem with billing."), "unknown", "provider_error"),
    (403, _anthropic("permission_error", "Your API key does not have permission to use this model"), "auth_failure",
     "auth"),
    (404, _anthropic("not_found_error", "model: claude-2.0"), "model_unavailable", "provider_error"),
    (413, _anthropic("request_too_large", "Request exceeds the maximum size"), "context_overflow",
     "context_window_exceeded"),
    (429, _anthropic("rate_limit_error", "This request would exceed your organization's rate limit of 40,000 input "
     "tokens per minute"), "rate_limit", "rate_limited"),
    (500, _anthropic("api_error", "Internal server error"), "server_error", "provider_5xx"),
    (504, _anthropic("timeout_error", "Request timed out"), "timeout", "timeout"),
    (529, _anthropic("overloaded_error", "Overloaded"), "server_error", "provider_5xx"),
]  # fmt: skip

OPENAI: list[Case] = [
    (400, _openai("Unsupported value: 'temperature' does not support 0.5 with this model.", code="unsupported_value"),
     "invalid_request", "provider_error"),
    (400, _openai("This model's maximum context length is 128000 tokens. However, your messages resulted in 130321 "
     "tokens. Please reduce the length of the messages.", code="context_length_exceeded"), "context_overflow",
     "context_window_exceeded"),
    (400, _openai("Your input exceeds the context window of this model. Please adjust your input and try again."),
     "context_overflow", "context_window_exceeded"),
    (400, _openai("Your request was rejected as a result of our safety system.", code="content_policy_violation"),
     "content_policy", "policy_blocked"),
    (400, _openai("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
     kind=None, code="content_filter"), "content_policy", "policy_blocked"),
    (400, _openai("Billing hard limit has been reached", code="billing_hard_limit_reached"), "insufficient_quota",
     "provider_error"),
    (401, _openai("Incorrect API key provided: sk-test-************cdef.", code="invalid_api_key"), "auth_failure",
     "auth"),
    (403, _openai("Country, region, or territory not supported", "request_forbidden",
     "unsupported_country_region_territory"), "auth_failure", "auth"),
    (404, _openai("The model `gpt-4-32k` has been deprecated, learn more here: https://platform.openai.com/docs/"
     "deprecations", code="model_not_found"), "model_unavailable", "provider_error"),
    (404, _openai("The model `gpt-99` does not exist or you do not have access to it.", code="model_not_found"),
     "model_unavailable", "provider_error"),
    (413, "<html><title>413 Payload Too Large</title></html>", "unknown", "provider_error"),
    (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required", "type": "value_error.missing"}]},
     "unknown", "provider_error"),
    (429, _openai(_QUOTA, "insufficient_quota", "insufficient_quota"), "insufficient_quota", "provider_error"),
    (429, _openai(_TPM, "tokens", "rate_limit_exceeded"), "rate_limit", "rate_limited"),
    (500, _openai("The server had an error while processing your request. Sorry about that!", "server_error"),
     "server_error", "provider_5xx"),
    (502, _CLOUDFLARE, "server_error", "provider_5xx"),
    (503, _openai("That model is currently overloaded with other requests.", "server_error"), "server_error",
     "provider_5xx"),
    (504, "upstream request timeout", "timeout", "timeout"),
]  # fmt: skip

OPENROUTER: list[Case] = [
    (400, _router(400, "openai/gpt-99 is not a valid model ID"), "model_unavailable", "provider_error"),
    (400, _router(400, "This endpoint's maximum context length is 8192 tokens. However, you requested about 9001 "
     "tokens (8001 of text input, 1000 in the output)."), "context_overflow", "context_window_exceeded"),
    (401, _router(401, "User not found."), "auth_failure", "auth"),
    (402, _router(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits"), "unknown",
     "provider_error"),
    (403, _router(403, "Your chosen model requires moderation and your input was flagged", reasons=["violence"]),
     "content_policy", "policy_blocked"),
    (404, _router(404, "No endpoints found for meta-llama/llama-2."), "model_unavailable", "provider_error"),
    (408, _router(408, "Your request timed out"), "timeout", "timeout"),
    (429, _router(429, "Rate limit exceeded: free-models-per-day"), "rate_limit", "rate_limited"),
    (502, _router(502, "Provider returned error", provider_name="X"), "server_error", "provider_5xx"),
    (503, _router(503, "No instances available"), "server_error", "provider_5xx"),
]  # fmt: skip

LOCAL: list[Case] = [
    (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. However, you requested "
     "5000 tokens in the messages, Please reduce the length of the messages.", "type": "BadRequestError",
     "param": None, "code": 400}, "context_overflow", "context_window_exceeded"),
    (400, {"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it",
     "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 4096}}, "context_overflow",
     "context_window_exceeded"),
    (400, {"error": "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded "
     "with context length of only 4096 tokens"}, "context_overflow", "context_window_exceeded"),
    (401, {"error": "Unauthorized"}, "auth_failure", "auth"),
    (404, {"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError", "code": 404},
     "model_unavailable", "provider_error"),
    (422, {"error": "Input validation error: `inputs` must have less than 1024 tokens. Given: 2000",
     "error_type": "validation"}, "unknown", "provider_error"),
    (500, {"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}}, "invalid_response",
     "provider_error"),
    (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, "server_error",
     "provider_5xx"),
    (429, {"error": "Model is overloaded", "error_type": "overloaded"}, "rate_limit", "rate_limited"),
]  # fmt: skip

GEMINI: list[Case] = [
    (400, _gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.",
     {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}), "invalid_request",
     "provider_error"),
    (400, _gemini(400, "INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens "
     "allowed (1048576)."), "context_overflow", "context_window_exceeded"),
    (400, _gemini(400, "FAILED_PRECONDITION", "User location is not supported for the API use."), "invalid_request",
     "provider_error"),
    (403, _gemini(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers."), "auth_failure", "auth"),
    (404, _gemini(404, "NOT_FOUND", "models/gemini-1.0-pro is not found for API version v1beta, or is not supported "
     "for generateContent."), "model_unavailable", "provider_error"),
    (429, _gemini(429, "RESOURCE_EXHAUSTED", _GEMINI_QUOTA), "rate_limit", "rate_limited"),
    (500, _gemini(500, "INTERNAL", "An internal error has occurred."), "server_error", "provider_5xx"),
    (503, _gemini(503, "UNAVAILABLE", _OVERLOADED), "server_error", "provider_5xx"),
    (504, _gemini(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."), "timeout",
     "timeout"),
    (500, [_gemini(500, "INTERNAL", "in a list, as older streams send it")], "server_error", "provider_5xx"),
]  # fmt: skip

OLLAMA: list[Case] = [
    (400, {"error": "\"llama2\" does not support tools"}, "invalid_request", "provider_error"),
    (400, {"error": "prompt is too long; exceeded maximum context length by 512 tokens"}, "context_overflow",
     "context_window_exceeded"),
    (401, {"error": "unauthorized"}, "auth_failure", "auth"),
    (403, "", "auth_failure", "auth"),
    (404, {"error": "model \"llama9\" not found, try pulling it first"}, "model_unavailable", "provider_error"),
    (405, "405 method not allowed", "unknown", "provider_error"),
    (429, {"error": "you have reached your hourly usage limit"}, "rate_limit", "rate_limited"),
    (500, {"error": "llama runner process has terminated: exit status 2"}, "server_error", "provider_5xx"),
    (502, {"error": "upstream error"}, "server_error", "provider_5xx"),
    (503, {"error": "server busy, please try again. maximum pending requests exceeded"}, "server_error",
     "provider_5xx"),
]  # fmt: skip

BODIES = {
    "anthropic": ANTHROPIC, "openai": OPENAI, "openrouter": OPENROUTER, "local": LOCAL, "gemini": GEMINI,
    "ollama": OLLAMA,
}  # fmt: skip


def message_of(body: Any) -> str:
    """Give the sentence of a body that a user must get to see."""
    if isinstance(body, list):
        return message_of(body[0])
    if isinstance(body, str):
        return body[:40]
    error = body.get("error") or body.get("message") or body["detail"][0]["msg"]
    return error if isinstance(error, str) else str(error["message"])


def as_json(body: Any) -> str:
    """Give the body as it is sent."""
    return body if isinstance(body, str) else json.dumps(body)
