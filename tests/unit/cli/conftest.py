"""What tests of the commands share."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
import yaml
from click.testing import CliRunner, Result

from arwarden.cli import main

Run = Callable[..., Result]


@pytest.fixture
def run() -> Iterator[Run]:
    """Run the command line in this process; the logging that it sets up ends with the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def invoke(*arguments: object, **options: Any) -> Result:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)

    yield invoke
    root.handlers[:], root.level = handlers, level
    structlog.reset_defaults()


@pytest.fixture
def config_file(tmp_path: Path) -> Callable[[dict[str, Any]], Path]:
    """Write a configuration file."""

    def write(content: dict[str, Any]) -> Path:
        path = tmp_path / "config.yaml"
        path.write_text(yaml.safe_dump(content), encoding="utf-8")
        return path

    return write
