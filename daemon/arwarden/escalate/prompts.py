"""Prompts as files: read, checked and named by version, so that every result says what was asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from string import Template
from types import MappingProxyType
from typing import Final, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arwarden.core.errors import ConfigError
from arwarden.escalate.questions import Form, Task

IN_PACKAGE: Final = Path(__file__).parent / "prompt_files"
"""Where the wheel puts them."""
IN_CHECKOUT: Final = Path(__file__).parents[3] / "configs" / "prompts"
"""Where they lie in the repository."""
MAX_FILE_BYTES: Final = 65_536
COMMON: Final = "common"
RATED: Final = (Task.PLACEMENT, Task.SIZE, Task.SHADOW)
NAMES: Final = tuple(f"{task}.{form}" for task, form in product(RATED, Form)) + tuple(
    task.value for task in Task if task not in RATED
)
_PLACEHOLDERS: Final = frozenset({"pictures", "language", "box_unit", "content", "rating"})
_FACT_PLACEHOLDERS: Final = frozenset({"facts"})


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


T = TypeVar("T", bound=_File)


class Prompt(_File):
    """One file: what is asked, and in which form the answer is wanted."""

    version: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,32}$")
    system: str = ""
    ask: str = Field(min_length=1)
    json_: str = Field("", alias="json")
    line: str = ""
    example_json: str = ""
    example_line: str = ""


class Common(_File):
    """What several prompts share."""

    version: str = Field(pattern=r"^[A-Za-z0-9_.-]{1,32}$")
    defence: str
    facts: str
    facts_bare: str


@dataclass(frozen=True, slots=True)
class PromptSet:
    """Every prompt, with the version that results carry."""

    prompts: Mapping[str, Prompt]
    versions: Mapping[str, str]
    common: Common

    @staticmethod
    def name_of(task: Task, form: Form) -> str:
        """The name of a prompt file, without its ending."""
        return f"{task}.{form}" if task in RATED else task.value

    def find(self, task: Task, form: Form) -> tuple[Prompt, str]:
        """The prompt for a task and its version."""
        name = self.name_of(task, form)
        return self.prompts[name], self.versions[name]


def load_prompts(folder: Path | None = None) -> PromptSet:
    """The shipped prompts, each replaced by the file of that name in ``folder`` where it has one.

    Raises:
        ConfigError: the folder or a file in it cannot be used; names every fault and its fix.
    """
    problems: list[str] = []
    sources = _sources(folder, problems)
    common_bytes = sources[COMMON].read_bytes()
    common = _parsed(sources[COMMON], common_bytes, Common, problems)
    if common is not None:
        problems += [f"{sources[COMMON]}: {fault}" for fault in _common_faults(common)]
    prompts: dict[str, Prompt] = {}
    versions: dict[str, str] = {}
    for name in NAMES:
        content = sources[name].read_bytes()
        prompt = _parsed(sources[name], content, Prompt, problems)
        if prompt is not None:
            problems += [f"{sources[name]}: {fault}" for fault in _faults(name, prompt)]
            prompts[name] = prompt
            digest = hashlib.sha256(content + common_bytes).hexdigest()[:8]
            versions[name] = f"{name}@{prompt.version}+{digest}"
    if problems or common is None:
        raise ConfigError(str(folder or IN_PACKAGE), problems)
    return PromptSet(MappingProxyType(prompts), MappingProxyType(versions), common)


def _sources(folder: Path | None, problems: list[str]) -> dict[str, Path]:
    known = (*NAMES, COMMON)
    shipped = IN_PACKAGE if IN_PACKAGE.is_dir() else IN_CHECKOUT
    sources = {name: shipped / f"{name}.yaml" for name in known}
    if missing := [str(path) for path in sources.values() if not path.is_file()]:
        raise ConfigError(
            str(shipped), [f"the prompt {path} is missing; reinstall arwarden" for path in missing]
        )
    if folder is None:
        return sources
    if not folder.is_dir():
        raise ConfigError(str(folder), ["this folder of prompts does not exist; create it, or leave it out"])
    for path in sorted(folder.glob("*.yaml")):
        if path.stem not in known:
            problems.append(f"{path}: no prompt has this name; known are {', '.join(known)}")
        elif not path.is_file():
            problems.append(f"{path}: no file; put the prompt there, or take it away to use the shipped one")
        elif path.stat().st_size > MAX_FILE_BYTES:
            problems.append(f"{path}: longer than {MAX_FILE_BYTES} bytes; shorten it")
        else:
            sources[path.stem] = path
    return sources


def _parsed(path: Path, content: bytes, model: type[T], problems: list[str]) -> T | None:
    try:
        return model.model_validate(yaml.safe_load(content.decode("utf-8")))
    except ValidationError as error:
        for fault in error.errors(include_url=False, include_context=False, include_input=False):
            where = ".".join(str(part) for part in fault["loc"]) or "the file"
            problems.append(f"{path}: {where}: {fault['msg']}")
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        problems.append(f"{path}: not YAML in UTF-8 ({type(error).__name__}); quote what holds a colon")
    return None


def _common_faults(common: Common) -> list[str]:
    faults: list[str] = []
    for member, text in (("facts", common.facts), ("facts_bare", common.facts_bare)):
        wrong = _template_faults(member, text, _FACT_PLACEHOLDERS)
        if not wrong and "facts" not in Template(text).get_identifiers():
            wrong = [f"{member}: $facts is missing, the place where they are told"]
        faults += wrong
    return faults


def _template_faults(member: str, text: str, known: frozenset[str]) -> list[str]:
    template = Template(text)
    if not template.is_valid():
        return [f"{member}: a single dollar sign; write $$ for one that is meant"]
    unknown = set(template.get_identifiers()) - known
    return [f"{member}: no placeholder is named ${', $'.join(sorted(unknown))}"] if unknown else []


def _faults(name: str, prompt: Prompt) -> list[str]:
    faults: list[str] = []
    if not prompt.json_ and not prompt.line and name.endswith(Form.FEW_SHOT):
        faults.append("json or line must say how to answer, as examples are answered in one of the forms")
    for member, text in prompt:
        faults += _template_faults(member, text, _PLACEHOLDERS)
    if name.endswith(Form.FEW_SHOT):
        pairs = (("json", prompt.json_, prompt.example_json), ("line", prompt.line, prompt.example_line))
        faults += [
            f"example_{kind} is missing, and {kind} is given" for kind, ask, ex in pairs if ask and not ex
        ]
    return faults
