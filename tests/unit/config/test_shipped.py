from __future__ import annotations

from pathlib import Path

import pytest

from arwarden.config.file import load_config

CONFIGS = Path(__file__).resolve().parents[3] / "configs"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_shipped_configuration_is_valid(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("QUEST_1_TOKEN", "ARWARDEN_VIEWER", "ARWARDEN_MQTT_PASSWORD", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, f"secret of {name}")
    load_config(path)


def test_the_table_names_every_file() -> None:
    table = (CONFIGS / "README.md").read_text()
    for path in CONFIGS.iterdir():
        if path.name != "README.md":
            assert f"`{path.name}{'/' if path.is_dir() else ''}`" in table
