"""The configuration: models, the file they are read from, and the generated reference."""

from arwarden.config.adjust import AdjustConfig
from arwarden.config.base import ApiKey, Secret, Section
from arwarden.config.escalate import (
    AskConfig,
    BudgetConfig,
    EscalateConfig,
    SendConfig,
    asked_judges,
)
from arwarden.config.judges import (
    FallbackAttempt,
    FallbackJudgeConfig,
    JudgeConfig,
    JudgeLimits,
    OpenAiJudgeConfig,
    Price,
    QwenVlJudgeConfig,
    RecordJudgeConfig,
    ReplayJudgeConfig,
)
from arwarden.config.models import (
    AlertsConfig,
    Config,
    Device,
    FastConfig,
    IngestConfig,
    LoggingConfig,
    MqttConfig,
    MqttTls,
    SamplingConfig,
    ServerConfig,
)

__all__ = [
    "AdjustConfig",
    "AlertsConfig",
    "ApiKey",
    "AskConfig",
    "BudgetConfig",
    "Config",
    "Device",
    "EscalateConfig",
    "FallbackAttempt",
    "FallbackJudgeConfig",
    "FastConfig",
    "IngestConfig",
    "JudgeConfig",
    "JudgeLimits",
    "LoggingConfig",
    "MqttConfig",
    "MqttTls",
    "OpenAiJudgeConfig",
    "Price",
    "QwenVlJudgeConfig",
    "RecordJudgeConfig",
    "ReplayJudgeConfig",
    "SamplingConfig",
    "Secret",
    "Section",
    "SendConfig",
    "ServerConfig",
    "asked_judges",
]
