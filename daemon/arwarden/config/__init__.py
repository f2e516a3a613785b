"""The configuration: models, the file they are read from, and the generated reference."""

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
    Secret,
    Section,
    ServerConfig,
)

__all__ = [
    "AlertsConfig",
    "Config",
    "Device",
    "FastConfig",
    "IngestConfig",
    "LoggingConfig",
    "MqttConfig",
    "MqttTls",
    "SamplingConfig",
    "Secret",
    "Section",
    "ServerConfig",
]
