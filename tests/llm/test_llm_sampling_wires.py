"""Options whose form on the wire is not their form in a call, and files in messages (llm 2.1, 2.3)."""

from __future__ import annotations

import pytest

from harnpy.llm.providers.wires import wire_named
from harnpy.llm.request import build_request

_OPTIONS = {
    "prediction": {"content": "c"}, "logit_bias": [{"token": 50256, "bias": -100}], "min_p": 0.1,
    "repetition_penalty": 1.1, "logprobs": {"top": 3}, "mirostat": {"version": 2, "target_entropy": 4.0},
}  # fmt: skip
_CHAT = {
    "prediction": {"type": "content", "content": "c"}, "logit_bias": {"50256": -100}, "logprobs": True,
    "top_logprobs": 3,
}  # fmt: skip
_COMPATIBLE = {"min_p": 0.1, "repetition_penalty": 1.1}
_MIROSTAT = {"mirostat": 2, "mirostat_tau": 4.0, "mirostat_eta": 0.1}


def _body(provider: str, options: dict) -> dict:
    request = build_request("p", None, {"provider": provider, "model": "m", **options}, {}, gated=False)
    wire = wire_named(request.route.provider.dialect)
    assert wire is not None
    return wire.build_body(request, stream=False)


@pytest.mark.parametrize(
    ("provider", "sent"),
    [
        ("openai", _CHAT),
        ("groq", {**_CHAT, **_COMPATIBLE}),
        ("llamacpp", {**_CHAT, **_COMPATIBLE, **_MIROSTAT}),
    ],
)
def test_options_of_the_chat_format(provider, sent):
    body = _body(provider, _OPTIONS)
    assert {key: body[key] for key in body if key not in ("model", "messages", "max_tokens")} == sent


def test_options_of_ollama():
    options = _body("ollama", _OPTIONS)["options"]
    wanted = {"min_p": 0.1, "repeat_penalty": 1.1, **_MIROSTAT}
    assert {key: options[key] for key in wanted} == wanted
    assert not {"logit_bias", "logprobs", "prediction"} & set(options)


_AUDIO = {"type": "audio", "data": "QQ==", "mime_type": "audio/mpeg"}
_PDF = {"type": "pdf", "base64": "QQ==", "media_type": "application/pdf"}
_FILE = {"type": "document", "file_id": "f1", "media_type": "application/pdf"}


@pytest.mark.parametrize(
    ("provider", "sent"),
    [
        (
            "openai",
            [
                {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "mp3"}},
                {"type": "file", "file": {"filename": "document.pdf", "file_data": "data:application/pdf;base64,QQ=="}},
                {"type": "file", "file": {"file_id": "f1"}},
            ],
        ),
        (
            "gemini",
            [
                {"inline_data": {"mime_type": "audio/mpeg", "data": "QQ=="}},
                {"inline_data": {"mime_type": "application/pdf", "data": "QQ=="}},
                {"file_data": {"mime_type": "application/pdf", "file_uri": "f1"}},
            ],
        ),
    ],
)
def test_files_in_messages(provider, sent):
    body = _body(provider, {"messages": [{"role": "user", "content": [_AUDIO, _PDF, _FILE]}]})
    parts = body["messages"][0]["content"] if provider == "openai" else body["contents"][0]["parts"]
    assert parts == sent


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini", "ollama"])
def test_values_of_the_language_in_arguments_become_null(provider):
    call = {"id": "c1", "name": "t", "arguments": {"a": b"x", "b": [1]}}
    history = [{"role": "user", "content": "p"}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    sent = str(_body(provider, {"messages": history}))
    assert ('"a": null' if provider == "openai" else "'a': None") in sent
