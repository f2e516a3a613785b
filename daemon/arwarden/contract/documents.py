"""The contract as documents: JSON Schemas (2020-12) and an AsyncAPI 3.0 description.

Both are generated from the models, so they cannot say anything else than what is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from pydantic import BaseModel

from arwarden.contract.channel import Hello, Ping, Pong
from arwarden.contract.messages import Ack, Alert, DaemonStatus, Health
from arwarden.contract.objects import Adjustment, SceneReport
from arwarden.contract.topics import DEFAULT_PREFIX, DEVICE_ID_PATTERN


class Channel(NamedTuple):
    """One topic of the contract."""

    name: str
    address: str
    model: type[BaseModel]
    from_daemon: bool
    qos: int
    retain: bool


CHANNELS = (
    Channel("alerts", f"{DEFAULT_PREFIX}/{{device}}/alerts", Alert, from_daemon=True, qos=1, retain=False),
    Channel("health", f"{DEFAULT_PREFIX}/{{device}}/health", Health, from_daemon=True, qos=0, retain=True),
    Channel("acks", f"{DEFAULT_PREFIX}/{{device}}/acks", Ack, from_daemon=False, qos=1, retain=False),
    Channel(
        "adjustments",
        f"{DEFAULT_PREFIX}/{{device}}/adjustments",
        Adjustment,
        from_daemon=True,
        qos=1,
        retain=False,
    ),
    Channel(
        "scene", f"{DEFAULT_PREFIX}/{{device}}/scene", SceneReport, from_daemon=False, qos=0, retain=True
    ),
    Channel("status", f"{DEFAULT_PREFIX}/daemon/status", DaemonStatus, from_daemon=True, qos=1, retain=True),
)
DATA_CHANNEL_MODELS: tuple[type[BaseModel], ...] = (Hello, Ping, Pong)

Document = dict[str, Any]


def json_schemas() -> Mapping[str, Document]:
    """One self-contained JSON Schema per message, by file stem (``alert``, ``clock-ping``, …)."""
    of_mqtt = {channel.model.__name__.lower(): _schema(channel.model) for channel in CHANNELS}
    of_data_channel = {f"clock-{model.__name__.lower()}": _schema(model) for model in DATA_CHANNEL_MODELS}
    return of_mqtt | of_data_channel


def asyncapi(version: str) -> Document:
    """The AsyncAPI document of the MQTT side, as the headset sees it (it receives what the daemon sends)."""
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "arwarden",
            "version": version,
            "description": "Alerts of a monitor for augmented-reality views. Times are Unix epoch "
            "milliseconds on the daemon's clock; boxes are [x, y, w, h], normalised, origin top left.",
            "license": {"name": "Apache-2.0"},
        },
        "defaultContentType": "application/json",
        "channels": {channel.name: _asyncapi_channel(channel) for channel in CHANNELS},
        "operations": {_operation_name(channel): _asyncapi_operation(channel) for channel in CHANNELS},
        "components": {
            "messages": {
                channel.model.__name__: {
                    "name": channel.model.__name__,
                    "contentType": "application/json",
                    "payload": {
                        "schemaFormat": "application/schema+json;version=draft-2020-12",
                        "schema": _schema(channel.model),
                    },
                }
                for channel in CHANNELS
            }
        },
    }


def write_documents(out: Path, version: str) -> list[Path]:
    """Write every document below ``out`` (made when missing) and return the paths."""
    out.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, schema in json_schemas().items():
        path = out / f"{name}.schema.json"
        path.write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        written.append(path)
    path = out / "asyncapi.yaml"
    path.write_text(
        yaml.safe_dump(asyncapi(version), sort_keys=False, allow_unicode=True, width=100), encoding="utf-8"
    )
    written.append(path)
    return written


def _schema(model: type[BaseModel]) -> Document:
    schema = model.model_json_schema(by_alias=True, mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _asyncapi_channel(channel: Channel) -> Document:
    document: Document = {
        "address": channel.address,
        "messages": {channel.name: {"$ref": f"#/components/messages/{channel.model.__name__}"}},
    }
    if "{device}" in channel.address:
        document["parameters"] = {
            "device": {"description": f"The headset's device id, matching {DEVICE_ID_PATTERN}."}
        }
    return document


def _operation_name(channel: Channel) -> str:
    return f"{'receive' if channel.from_daemon else 'send'}{channel.name.capitalize()}"


def _asyncapi_operation(channel: Channel) -> Document:
    return {
        "action": "receive" if channel.from_daemon else "send",
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "summary": (channel.model.__doc__ or "").strip().splitlines()[0],
        "bindings": {"mqtt": {"qos": channel.qos, "retain": channel.retain, "bindingVersion": "0.2.0"}},
    }
