"""What another process needs to put the same questions, and what is refused before it is sent there.

Nothing of a question travels but its key: every process makes the same plan out of the same files, and no
process is sent a picture. Keys of endpoints never travel either.
"""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from arwarden.cli.second_opinion import KEY_VARIABLE
from arwarden.config import (
    Config,
    FallbackJudgeConfig,
    JudgeConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    RecordJudgeConfig,
    ReplayJudgeConfig,
    asked_judges,
)
from arwarden.core.errors import ConfigError
from benchmarks.runs.calls import Call
from benchmarks.runs.methods import Kind, Spec
from benchmarks.runs.options import Engine, RunOptions

SOURCE: Final = "--engine ray"
_ROOMS: Final = ("arwarden.core", "arwarden.escalate", "arwarden.fast", "benchmarks.runs")
_SENT: Final = ("escalate", "fast", "alerts")
"""Sections of the configuration that questions depend on. The others may hold a daemon's passwords."""


class Planned(Protocol):
    """What a suite is about to ask."""

    @property
    def calls(self) -> Sequence[Call]:
        """All calls, in order."""

    @property
    def close(self) -> Sequence[Callable[[], Awaitable[None]]]:
        """What is to be closed after them."""

    @property
    def again(self) -> Callable[[RunOptions], Planned] | None:
        """Makes the same plan in another process."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How another process makes the plan."""

    options: RunOptions
    again: Callable[[RunOptions], Planned]
    folder: Path
    """Where relative paths begin."""
    rooms: tuple[str, ...]
    """Packages that answers depend on."""
    source: Mapping[str, str]
    """File of these packages → its checksum."""
    variables: tuple[str, ...]
    """Environment variables that must hold a key there."""


def recipe_of(options: RunOptions, made: Planned) -> Recipe:
    """The recipe of a run.

    Raises:
        ConfigError: a key would have to be sent, or a judge writes a recording; names the fix.
    """
    if made.again is None:
        raise ConfigError(SOURCE, ["other processes cannot make this plan; use --engine process"])
    judge = options.config.escalate.judge if _configured(options) else None
    if judge is not None and _records(judge):
        raise ConfigError(SOURCE, ["a judge of kind record writes one file: record with --engine process"])
    variables = _variables(judge)
    if any(spec.kind is Kind.OPENAI for spec in options.methods) and os.environ.get(KEY_VARIABLE):
        variables.append(KEY_VARIABLE)
    unused = Config()
    others = {name: getattr(unused, name) for name in Config.model_fields if name not in _SENT}
    escalate = options.config.escalate.model_copy(update={"judge": judge})
    config = options.config.model_copy(update={**others, "escalate": escalate})
    rooms = _rooms(made.again)
    sent = replace(options, config=config, engine=Engine.PROCESS)
    return Recipe(sent, made.again, Path.cwd(), rooms, source_of(rooms), tuple(dict.fromkeys(variables)))


def asked_here(spec: Spec, options: RunOptions) -> bool:
    """Whether the run's own process asks a method.

    With ``ray`` it does so for recorded answers: only one process gives them in the order of their recording.
    """
    if options.engine is Engine.PROCESS or spec.kind is Kind.REPLAY:
        return True
    judge = options.config.escalate.judge if spec.kind is Kind.CONFIGURED else None
    return judge is not None and any(isinstance(one, ReplayJudgeConfig) for one in asked_judges(judge))


def most_open(options: RunOptions) -> dict[str, int]:
    """Label → questions that its judge may be asked at a time in all, where the configuration limits it."""
    judge = options.config.escalate.judge
    if judge is None:
        return {}
    limits = [one.limits.concurrent for one in asked_judges(judge) if isinstance(one, OpenAiJudgeConfig)]
    configured = [spec.label for spec in options.methods if spec.kind is Kind.CONFIGURED]
    return dict.fromkeys(configured, min(limits)) if limits else {}


def takes_a_gpu(options: RunOptions) -> bool:
    """Whether a model runs in the process that asks."""
    judge = options.config.escalate.judge if _configured(options) else None
    inside = judge is not None and any(isinstance(one, QwenVlJudgeConfig) for one in asked_judges(judge))
    return inside or any(spec.kind is Kind.QWEN_VL for spec in options.methods)


def source_of(rooms: Iterable[str]) -> dict[str, str]:
    """File of these packages → checksum of what it holds on this machine."""
    found = {}
    for room in rooms:
        folder = Path(str(importlib.import_module(room).__file__)).parent
        for path in sorted(folder.rglob("*.py")):
            name = f"{room.replace('.', '/')}/{path.relative_to(folder).as_posix()}"
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return found


def _rooms(again: Callable[..., object]) -> tuple[str, ...]:
    """Packages that answers depend on: those of the tiers, of runs, and the suite's."""
    function = again.func if isinstance(again, partial) else again
    return (*_ROOMS, function.__module__.rpartition(".")[0])


def _configured(options: RunOptions) -> bool:
    return any(spec.kind is Kind.CONFIGURED for spec in options.methods)


def _records(judge: JudgeConfig) -> bool:
    if isinstance(judge, FallbackJudgeConfig):
        return any(_records(attempt.judge) for attempt in judge.attempts)
    return isinstance(judge, RecordJudgeConfig)


def _variables(judge: JudgeConfig | None) -> list[str]:
    found: list[str] = []
    for one in () if judge is None else asked_judges(judge):
        if not isinstance(one, OpenAiJudgeConfig) or one.api_key is None:
            continue
        key = one.api_key
        if key.env is None:
            fix = "write api_key: {env: NAME} and export NAME on every machine before `ray start`"
            raise ConfigError(SOURCE, [f"the key of judge {one.name} would have to be sent: {fix}"])
        found.append(key.env)
    return found
