"""Reading the configuration file: every problem at once, each with its field and the fix."""

from __future__ import annotations

import difflib
import types
import typing
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arwarden.config import Config
from arwarden.core.errors import ConfigError

MAX_CONFIG_BYTES = 1_000_000


def load_config(path: Path) -> Config:
    """Read and check a configuration file.

    Raises:
        ConfigError: The file cannot be read, is not YAML, or has problems; all of them are named.
    """
    try:
        if path.stat().st_size > MAX_CONFIG_BYTES:
            raise ConfigError(str(path), [f"the file is larger than {MAX_CONFIG_BYTES} bytes"])
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), ["is not UTF-8 text; save it as UTF-8"]) from error
    return parse_config(text, str(path))


def parse_config(text: str, source: str) -> Config:
    """Check configuration text. ``source`` names it in errors. Raises ConfigError like ``load_config``."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(source, [f"is not YAML: {' '.join(str(error).split())}"]) from error
    except RecursionError as error:
        raise ConfigError(source, ["is nested too deeply to be a configuration"]) from error
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise ConfigError(source, [f"must be a mapping of sections, not {type(content).__name__}"])
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        # "from None": the original error would print the values it was given, secrets among them.
        problems = [_problem(detail) for detail in error.errors(include_url=False)]
        raise ConfigError(source, problems) from None


def _problem(detail: ErrorDetails) -> str:
    location = tuple(detail["loc"])
    field = ".".join(str(part) for part in location) or "file"
    if detail["type"] == "extra_forbidden":
        return f"{field}: unknown key{_suggestion(location)}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{field}: {message[:1].lower()}{message[1:]}{_given(detail)}"


def _given(detail: ErrorDetails) -> str:
    """The offending value, where it is a plain one that cannot be part of a secret."""
    value = detail.get("input")
    secret = any(part in ("token", "password", "viewer_token", "value") for part in detail["loc"])
    if secret or isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 60:
        return ""
    return f" (it is {value!r})"


def _suggestion(location: tuple[int | str, ...]) -> str:
    """What the misspelt key was probably meant to be."""
    section = _section_at(Config, location[:-1])
    if section is None:
        return "; remove it"
    known = list(section.model_fields)
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; known here: {', '.join(known)}"


def _section_at(section: type[BaseModel], location: tuple[int | str, ...]) -> type[BaseModel] | None:
    for part in location:
        if isinstance(part, int):
            continue
        field = section.model_fields.get(part)
        inner = None if field is None else section_type(field.annotation)
        if inner is None:
            return None
        section = inner
    return section


def section_type(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401  type hints are of no one type
    """The model inside ``Model``, ``Model | None`` or ``tuple[Model, ...]``, or None where there is none."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, tuple):
        for argument in typing.get_args(annotation):
            inner = section_type(argument)
            if inner is not None:
                return inner
    return None
