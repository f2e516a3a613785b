"""Reading the configuration file: every problem at once, each with its field and the fix."""

from __future__ import annotations

import difflib
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from arwarden.config import (
    Config,
    FallbackJudgeConfig,
    FastConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    RecordJudgeConfig,
    ReplayJudgeConfig,
)
from arwarden.core.errors import ConfigError

MAX_CONFIG_BYTES = 1_000_000
_KINDS: Mapping[str, type[BaseModel]] = {
    "openai": OpenAiJudgeConfig,
    "qwen_vl": QwenVlJudgeConfig,
    "replay": ReplayJudgeConfig,
    "record": RecordJudgeConfig,
    "fallback": FallbackJudgeConfig,
}
"""What the kinds of judges stand for in the location of an error."""


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice: the first section or limit would be ignored without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else id(key_node)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key!r} is there twice; merge the two", problem_mark=key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_config(path: Path) -> Config:
    """Read and check a configuration file.

    Raises:
        ConfigError: The file cannot be read, is not YAML, or has problems; all of them are named.
    """
    return parse_config(_read(path), str(path))


def load_fast(path: Path) -> FastConfig | None:
    """The section ``fast`` of a file whose other sections may have problems; None where it has its own."""
    try:
        return FastConfig.model_validate(_mapping(_read(path), str(path)).get("fast", {}))
    except (ConfigError, ValidationError):
        return None


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_CONFIG_BYTES:
            raise ConfigError(str(path), [f"the file is larger than {MAX_CONFIG_BYTES} bytes"])
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror or error}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), ["is not UTF-8 text; save it as UTF-8"]) from error


def parse_config(text: str, source: str) -> Config:
    """Check configuration text. ``source`` names it in errors. Raises ConfigError like ``load_config``."""
    content = _mapping(text, source)
    try:
        return Config.model_validate(content)
    except ValidationError as error:
        # "from None": the original error would print the values it was given, secrets among them.
        raise ConfigError(source, problems_of(error)) from None


def problems_of(error: ValidationError, *section: str) -> list[str]:
    """What is wrong, one line per fault with its field and the fix. Secrets are never part of it.

    ``section`` is where what was checked stands in a configuration.
    """
    return [_problem(detail, section) for detail in error.errors(include_url=False)]


def _mapping(text: str, source: str) -> dict[Any, Any]:
    try:
        content = yaml.load(text, Loader=_Loader)  # noqa: S506  it is a safe loader
    except yaml.YAMLError as error:
        # "from None": the error's own text quotes the line it stumbled over, secrets included.
        raise ConfigError(source, [f"is not YAML: {_yaml_fault(error)}"]) from None
    except RecursionError as error:
        raise ConfigError(source, ["is nested too deeply to be a configuration"]) from error
    if content is None:
        content = {}
    if not isinstance(content, dict):
        raise ConfigError(source, [f"must be a mapping of sections, not {type(content).__name__}"])
    return content


def _yaml_fault(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    where = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
    return f"{where}{', '.join(part for part in (error.context, error.problem) if part)}"


def _problem(detail: ErrorDetails, section_of: tuple[str, ...]) -> str:
    location = (*section_of, *detail["loc"])
    field = ".".join(str(part) for part in location) or "file"
    if detail["type"] == "extra_forbidden":
        return f"{field}: unknown key{_suggestion(location)}"
    if detail["type"] == "model_type":
        section = _section_at(Config, location)
        keys = "" if section is None else f", such as {', '.join(list(section.model_fields)[:3])}"
        return f"{field}: must be a section with keys of its own{keys}"
    message = detail["msg"].removeprefix("Value error, ")
    return f"{field}: {message[:1].lower()}{message[1:]}{_given(detail)}"


def _given(detail: ErrorDetails) -> str:
    """The offending value, where it is a plain one without a secret (user:secret@host, host?key=secret)."""
    value = detail.get("input")
    secret = bool({"@", "?", "#"} & set(str(value))) or any(
        part in ("token", "password", "viewer_token", "api_key", "value") for part in detail["loc"]
    )
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
        chosen = _KINDS.get(part)
        if chosen is not None and part not in section.model_fields:
            section = chosen
            continue
        field = section.model_fields.get(part)
        inner = None if field is None else section_type(field.annotation)
        if inner is None:
            return None
        section = inner
    return section


def section_type(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401  type hints are of no one type
    """The model inside ``Model``, ``Model | None`` or ``tuple[Model, ...]``, or None where there is none.

    Of several it is the first: an error's location names the kind of judge that was chosen.
    """
    if typing.get_origin(annotation) is Annotated:
        return section_type(typing.get_args(annotation)[0])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType, tuple):
        for argument in typing.get_args(annotation):
            inner = section_type(argument)
            if inner is not None:
                return inner
    return None
