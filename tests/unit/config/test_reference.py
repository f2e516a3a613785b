from __future__ import annotations

from pathlib import Path

from arwarden.config import Config
from arwarden.config.reference import reference_markdown

ROOT = Path(__file__).resolve().parents[3]


def test_every_field_is_described() -> None:
    text = reference_markdown()
    for name, section in Config.model_fields.items():
        assert f"## `{name}`" in text
        for field_name, field in type(section.default).model_fields.items():
            assert field.description, f"{name}.{field_name} has no description"
            assert f"| `{field_name}` |" in text


def test_the_committed_reference_is_current() -> None:
    committed = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert committed == reference_markdown(), "run: make docs"
