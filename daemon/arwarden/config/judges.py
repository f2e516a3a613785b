"""Who can be asked for a second opinion, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, JsonValue, model_validator

from arwarden.config.base import ApiKey, ExistingFile, PositiveMs, Section

JudgeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]


def _http_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and value.isprintable() and not any(letter.isspace() for letter in value)
    except ValueError:
        usable = False
        parts = None
    if not usable or parts is None:
        msg = "must be an address such as https://api.openai.com/v1 or http://127.0.0.1:8000/v1"
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = "must hold no user, password, query or fragment; give the key as api_key"
        raise ValueError(msg)
    return value


HttpUrl = Annotated[str, AfterValidator(_http_url)]


class Price(Section):
    """What a model's tokens cost."""

    input_per_million: float = Field(
        ge=0, le=100_000, description="Per million tokens sent, pictures included."
    )
    output_per_million: float = Field(ge=0, le=100_000, description="Per million tokens answered.")


class JudgeLimits(Section):
    """When a judge is left alone."""

    concurrent: int = Field(2, ge=1, le=64, description="Requests in flight at a time.")
    waiting: int = Field(
        4, ge=0, le=256, description="Requests that may wait for their turn; more are refused."
    )
    wait_ms: PositiveMs = Field(2000, description="Longest wait for a turn.")
    failures: int = Field(
        3, ge=1, le=100, description="Failures in a row after which the judge is not asked for a while."
    )
    open_ms: PositiveMs = Field(
        15_000, description="How long it is then left alone; doubles with every probe that fails."
    )
    max_open_ms: PositiveMs = Field(300_000, description="The longest it is left alone.")


class OpenAiJudgeConfig(Section):
    """A model behind an OpenAI-compatible endpoint."""

    kind: Literal["openai"] = Field("openai", description="Selects this kind of judge.")
    name: JudgeName = Field("openai", description="Its name in results, logs and metrics.")
    base_url: HttpUrl = Field(
        "https://api.openai.com/v1", description="The endpoint, up to and with its version (usually /v1)."
    )
    model: str = Field(min_length=1, max_length=256, description="The model's name at the endpoint.")
    api_key: ApiKey | None = Field(
        None,
        description="The key; absent for servers that need none. Where its variable is not set or its file "
        "not there, the daemon starts with this judge switched off.",
    )
    api: Literal["chat", "responses"] = Field(
        "chat", description="Chat completions, which every server has, or responses."
    )
    answers: Literal["auto", "json_schema", "json_object", "json", "line"] = Field(
        "auto",
        description="How answers are asked for: by schema, as any JSON object, as JSON by the prompt alone, "
        "or as prose with a final line. auto starts with the schema and steps down where the server says "
        "that it does not support it.",
    )
    pictures: int = Field(
        1,
        ge=1,
        le=8,
        description="Pictures per question at most. Three help some models and hurt others: measure.",
    )
    boxes: Literal["thousandths", "pixels", "fractions"] = Field(
        "thousandths", description="In which unit the model gives boxes. Qwen2.5-VL knows pixels best."
    )
    max_output_tokens: int = Field(800, ge=16, le=32_768, description="Longest answer, thinking included.")
    temperature: float | None = Field(0.0, ge=0, le=2, description="null leaves it to the server.")
    ca_file: ExistingFile | None = Field(
        None, description="PEM file of the authority that signed the endpoint's certificate."
    )
    extra_body: dict[str, JsonValue] = Field(
        {}, description="Further members of the request, for example reasoning_effort."
    )
    limits: JudgeLimits = Field(JudgeLimits(), description=JudgeLimits.__doc__)


class QwenVlJudgeConfig(Section):
    """Qwen2.5-VL or Qwen3-VL in this process. Needs the extra qwen-vl."""

    kind: Literal["qwen_vl"] = Field("qwen_vl", description="Selects this kind of judge.")
    name: JudgeName = Field("qwen_vl", description="Its name in results, logs and metrics.")
    model: str = Field(min_length=1, description="A folder with the model, or its name at the model hub.")
    download: bool = Field(False, description="Fetch the model from the hub where it is not here yet.")
    device: str = Field(
        "auto",
        pattern=r"^(auto|cpu|cuda(:\d+)?|mps)$",
        description="auto takes a GPU where there is one.",
    )
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = Field(
        "auto", description="auto: bfloat16 on a GPU, float32 on a CPU."
    )
    pictures: int = Field(1, ge=1, le=8, description="Pictures per question at most.")
    max_picture_px: int = Field(
        602_112, ge=3136, le=12_845_056, description="Pixels per picture at most; 784 make one token."
    )
    boxes: Literal["auto", "thousandths", "pixels"] = Field(
        "auto", description="auto: pixels for Qwen2.5-VL, thousandths for Qwen3-VL."
    )
    answers: Literal["json", "line"] = Field("json", description="JSON, or prose with a final line.")
    max_output_tokens: int = Field(400, ge=16, le=8192, description="Longest answer.")
    limits: JudgeLimits = Field(JudgeLimits(concurrent=1), description=JudgeLimits.__doc__)

    @model_validator(mode="after")
    def _one_at_a_time(self) -> Self:
        if self.limits.concurrent != 1:
            msg = "a model in this process answers one question at a time; set limits.concurrent to 1"
            raise ValueError(msg)
        return self


class ReplayJudgeConfig(Section):
    """Answers out of a file that a record judge wrote."""

    kind: Literal["replay"] = Field("replay", description="Selects this kind of judge.")
    name: JudgeName = Field("replay", description="Its name where a recorded answer does not say one.")
    file: ExistingFile = Field(description="JSON lines, one recorded answer each.")
    timed: bool = Field(False, description="Answer after the time that the recorded judge took.")


class RecordJudgeConfig(Section):
    """Asks another judge and writes down what it says."""

    kind: Literal["record"] = Field("record", description="Selects this kind of judge.")
    file: Path = Field(description="Where answers are appended. Pictures are kept as checksums only.")
    judge: JudgeConfig = Field(description="The judge that is asked.")


class FallbackAttempt(Section):
    """One judge of an ordered list."""

    judge: JudgeConfig = Field(description="The judge that is asked.")
    timeout_ms: PositiveMs = Field(description="Longest wait for it; then the next one is asked.")


class FallbackJudgeConfig(Section):
    """Several judges, asked in order until one answers."""

    kind: Literal["fallback"] = Field("fallback", description="Selects this kind of judge.")
    name: JudgeName = Field("fallback", description="Its name in logs.")
    attempts: tuple[FallbackAttempt, ...] = Field(
        min_length=1, max_length=8, description="The judges, the one to be asked first on top."
    )


JudgeConfig = Annotated[
    OpenAiJudgeConfig | QwenVlJudgeConfig | ReplayJudgeConfig | RecordJudgeConfig | FallbackJudgeConfig,
    Field(discriminator="kind"),
]
for _model in (RecordJudgeConfig, FallbackAttempt, FallbackJudgeConfig):
    _model.model_rebuild()
