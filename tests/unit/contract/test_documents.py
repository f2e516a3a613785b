from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from arwarden import __version__
from arwarden.contract.channel import CHANNEL_MESSAGE, Ping
from arwarden.contract.documents import CHANNELS, asyncapi, json_schemas, write_documents
from arwarden.contract.messages import Ack, Alert, DaemonStatus

ROOT = Path(__file__).resolve().parents[3]


def an_alert() -> Alert:
    return Alert.model_validate(
        {
            "epoch": "e",
            "published_ms": 2.0,
            "alert_id": "a",
            "revision": 1,
            "state": "raised",
            "device_id": "quest",
            "session_id": "s",
            "kind": "contradiction",
            "attribute": "origin",
            "severity": "warning",
            "message": "m",
            "elements": [
                {
                    "type": "text",
                    "text": "Made in France",
                    "box": [0.1, 0.1, 0.2, 0.1],
                    "claim": {"subject": "", "attribute": "origin", "value": "france", "polarity": True},
                }
            ],
            "confidence": 0.9,
            "tier": "fast",
            "first_captured_ms": 1.0,
            "captured_ms": 1.0,
            "capture_clock": "synced",
            "expires_ms": 3000.0,
            "budget_ms": 500.0,
            "age_ms": 1.0,
            "late": False,
        }
    )


def test_what_is_sent_is_valid_by_the_schema() -> None:
    schemas = json_schemas()
    jsonschema.validate(an_alert().model_dump(mode="json"), schemas["alert"])
    status = DaemonStatus(epoch="e", published_ms=1.0, state="online", version="1")
    jsonschema.validate(status.model_dump(mode="json"), schemas["daemonstatus"])
    jsonschema.validate(Ping(id=1, t0_ms=1.0).model_dump(mode="json"), schemas["clock-ping"])


def test_the_schema_refuses_what_the_model_refuses() -> None:
    bad = an_alert().model_dump(mode="json") | {"severity": "shouting"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(bad, json_schemas()["alert"])


def test_schemas_are_valid_schemas() -> None:
    for schema in json_schemas().values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_the_schema_name_is_on_the_wire() -> None:
    assert an_alert().model_dump(mode="json")["schema"] == "arwarden/alert/1"
    ack = Ack.model_validate_json(
        '{"schema":"arwarden/ack/1","alert_id":"a","revision":1,"action":"shown","headset_ms":1,"later":true}'
    )
    assert ack.action == "shown"


def test_asyncapi_names_every_topic() -> None:
    document = asyncapi("1.2.3")
    assert document["info"]["version"] == "1.2.3"
    assert {channel["address"] for channel in document["channels"].values()} == {c.address for c in CHANNELS}
    for operation in document["operations"].values():
        name = operation["channel"]["$ref"].removeprefix("#/channels/")
        assert name in document["channels"]


def test_channel_messages_are_told_apart_by_type() -> None:
    assert isinstance(CHANNEL_MESSAGE.validate_json('{"type":"ping","id":1,"t0_ms":5}'), Ping)
    for bad in (
        '{"type":"ping","id":-1,"t0_ms":5}',
        '{"type":"pong"}',
        "[]",
        '{"type":"ping","id":1,"t0_ms":NaN}',
    ):
        with pytest.raises(ValueError, match="validation error"):
            CHANNEL_MESSAGE.validate_json(bad)


def test_the_committed_documents_are_current(tmp_path: Path) -> None:
    for path in write_documents(tmp_path, __version__):
        committed = ROOT / "configs" / "contract" / path.name
        assert committed.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), "run: make docs"


def test_the_asyncapi_file_is_yaml(tmp_path: Path) -> None:
    write_documents(tmp_path, "1")
    assert yaml.safe_load((tmp_path / "asyncapi.yaml").read_text())["asyncapi"] == "3.0.0"
