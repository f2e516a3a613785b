"""The golden messages against the schemas and the models; the C# side reads the same files."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from arwarden.contract.documents import CHANNELS, DATA_CHANNEL_MODELS, json_schemas
from tests.contract.golden import EXAMPLES, FOLDER, text_of
from tests.unity.metas import PACKAGE

CONFIGS = PACKAGE.parent / "configs" / "contract"
MODELS: dict[str, type[BaseModel]] = {
    **{channel.model.__name__.lower(): channel.model for channel in CHANNELS},
    **{f"clock-{model.__name__.lower()}": model for model in DATA_CHANNEL_MODELS},
}


def golden(stem: str) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((FOLDER / f"{stem}.json").read_text(encoding="utf-8"))
    return loaded


def test_every_message_has_golden_ones() -> None:
    assert set(EXAMPLES) == set(json_schemas()) == set(MODELS)
    assert {path.stem for path in FOLDER.glob("*.json")} == set(EXAMPLES)


@pytest.mark.parametrize("stem", sorted(EXAMPLES))
def test_golden_messages_are_those_of_the_contract(stem: str) -> None:
    text = (FOLDER / f"{stem}.json").read_text(encoding="utf-8")
    assert text == text_of(stem), "run: python -m tests.contract.golden"


@pytest.mark.parametrize("stem", sorted(EXAMPLES))
def test_the_schemas_agree(stem: str) -> None:
    schema = json.loads((CONFIGS / f"{stem}.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    wrong = [case["name"] for case in golden(stem) if validator.is_valid(case["payload"]) != case["valid"]]
    assert wrong == []


@pytest.mark.parametrize("stem", sorted(EXAMPLES))
def test_the_models_agree(stem: str) -> None:
    wrong = [case["name"] for case in golden(stem) if takes(MODELS[stem], case["payload"]) != case["valid"]]
    assert wrong == []


@pytest.mark.parametrize("stem", sorted(EXAMPLES))
def test_there_are_good_and_bad_ones(stem: str) -> None:
    verdicts = [case["valid"] for case in golden(stem)]
    assert verdicts.count(True) >= 3
    assert verdicts.count(False) >= 10


def takes(model: type[BaseModel], payload: object) -> bool:
    """Whether the model takes it without bending it: ``"1"`` is no number."""
    try:
        model.model_validate_json(json.dumps(payload), strict=True)
    except ValidationError:
        return False
    return True
