"""The provider table: a server that speaks the OpenAI chat format is one row here (llm 8.2)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CHAT = "/chat/completions"


class Provider:
    """Where a provider is, how it is asked, and what its key is called."""

    __slots__ = ("auth", "base_env", "base_url", "default_model", "dialect", "extra_headers", "key_env", "name", "path")

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        base_env: str = "",
        key_env: tuple[str, ...] = (),
        auth: str = "bearer",
        path: str = CHAT,
        dialect: str = "openai_chat",
        default_model: str = "",
    ) -> None:
        self.name = name
        self.base_url = base_url
        self.base_env = base_env or name.upper() + "_BASE_URL"
        self.key_env = key_env
        self.auth = auth if key_env else "none"
        self.path = path
        self.dialect = dialect
        self.default_model = default_model
        self.extra_headers: dict[str, str] = {}

    def base(self, env: Mapping[str, str]) -> str:
        """Give the base URL, an override of the environment included."""
        base = (env.get(self.base_env, "").strip() if self.base_env else "") or self.base_url
        if "://" not in base:
            base = "http://" + base
        return base.rstrip("/")

    def key(self, env: Mapping[str, str]) -> str | None:
        """Give the key, or ``None`` when none of its variables is set."""
        return next((env[name].strip() for name in self.key_env if env.get(name, "").strip()), None)

    def available(self, env: Mapping[str, str]) -> bool:
        """Tell whether the provider needs no key or has one."""
        return not self.key_env or self.key(env) is not None


_ROWS = (
    Provider(
        "anthropic", "https://api.anthropic.com/v1", key_env=("ANTHROPIC_API_KEY",),
        auth="x-api-key", path="/messages", dialect="anthropic", default_model="claude-sonnet-4-6",
    ),
    Provider(
        "openai", "https://api.openai.com/v1", key_env=("OPENAI_API_KEY",),
        default_model="gpt-4o-mini",
    ),
    Provider(
        "openrouter", "https://openrouter.ai/api/v1", key_env=("OPENROUTER_API_KEY",),
        default_model="anthropic/claude-sonnet-4-6",
    ),
    Provider(
        "gemini", "https://generativelanguage.googleapis.com",
        key_env=("GEMINI_API_KEY", "GOOGLE_API_KEY"), auth="x-goog-api-key", path="/v1beta/models", dialect="gemini",
    ),
    Provider(
        "ollama", "http://localhost:11434", base_env="OLLAMA_HOST", path="/api/chat", dialect="ollama",
        default_model="llama3.2",
    ),
    Provider("mistral", "https://api.mistral.ai/v1", key_env=("MISTRAL_API_KEY",)),
    Provider("deepseek", "https://api.deepseek.com/v1", key_env=("DEEPSEEK_API_KEY",)),
    Provider("groq", "https://api.groq.com/openai/v1", key_env=("GROQ_API_KEY",)),
    Provider(
        "together", "https://api.together.xyz/v1", base_env="TOGETHER_AI_BASE_URL", key_env=("TOGETHER_AI_API_KEY",)
    ),
    Provider("xai", "https://api.x.ai/v1", key_env=("XAI_API_KEY",)),
    Provider("cerebras", "https://api.cerebras.ai/v1", key_env=("CEREBRAS_API_KEY",)),
    Provider("fireworks", "https://api.fireworks.ai/inference/v1", key_env=("FIREWORKS_API_KEY",)),
    Provider("huggingface", "https://router.huggingface.co/v1", key_env=("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    Provider(
        "dashscope", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", key_env=("DASHSCOPE_API_KEY",)
    ),
    Provider("moonshot", "https://api.moonshot.ai/v1", key_env=("MOONSHOT_API_KEY",)),
    Provider("zai", "https://api.z.ai/api/paas/v4", key_env=("ZAI_API_KEY",)),
    Provider("minimax", "https://api.minimax.io/v1", key_env=("MINIMAX_API_KEY",)),
    Provider(
        "local", "http://localhost:8000", base_env="LOCAL_LLM_BASE_URL", path="/v1" + CHAT,
        default_model="gemma-4-26b-a4b-it",
    ),
    Provider("vllm", "http://localhost:8000", path="/v1" + CHAT),
    Provider("llamacpp", "http://127.0.0.1:8001", path="/v1" + CHAT),
    Provider("mlx", "http://127.0.0.1:8002", path="/v1" + CHAT),
    Provider("tgi", "http://127.0.0.1:8080", path="/v1" + CHAT),
    Provider("mock", "", dialect="mock", default_model="mock"),
)  # fmt: skip

PROVIDERS: dict[str, Provider] = {row.name: row for row in _ROWS}
