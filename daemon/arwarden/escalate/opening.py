"""From the configuration of a judge to the judge itself, guarded by its limits."""

from __future__ import annotations

from arwarden.config import (
    FallbackJudgeConfig,
    JudgeConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    RecordJudgeConfig,
    ReplayJudgeConfig,
)
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError, ModelError
from arwarden.escalate.fallback import Attempt, FallbackJudge
from arwarden.escalate.guard import GuardedJudge
from arwarden.escalate.judge import Judge
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import PromptSet
from arwarden.escalate.replay import RecordJudge, ReplayJudge
from arwarden.escalate.switched_off import NO_MODEL, Lack, SwitchedOffJudge, lack_of


def open_judge(
    config: JudgeConfig,
    clock: Clock,
    prompts: PromptSet,
    prices: PriceTable,
    counters: Counters,
    *,
    switched_off: list[Lack] | None = None,
) -> Judge:
    """Open a judge, ready to be asked: a model in this process is loaded and warm when this returns.

    Where ``switched_off`` is given, a judge whose key, package or model is missing is noted there, and a
    stand-in takes its place that answers nothing and sends nothing.

    Raises:
        ConfigError: a package or key is missing, or a key or certificate cannot be used; names the fix.
        ModelError: the model cannot be loaded.
        InputError: a recording cannot be read or written.
    """
    if isinstance(config, FallbackJudgeConfig):
        attempts = [
            Attempt(
                open_judge(attempt.judge, clock, prompts, prices, counters, switched_off=switched_off),
                attempt.timeout_ms,
            )
            for attempt in config.attempts
        ]
        return FallbackJudge(config.name, attempts, clock)
    if isinstance(config, RecordJudgeConfig):
        inner = open_judge(config.judge, clock, prompts, prices, counters, switched_off=switched_off)
        return RecordJudge(inner, config.file)
    if isinstance(config, ReplayJudgeConfig):
        return ReplayJudge(config.name, config.file, clock, timed=config.timed)
    lack = lack_of(config)
    if lack is None:
        try:
            return GuardedJudge(
                _open(config, clock, prompts, prices, counters), config.limits, clock, counters
            )
        except ModelError as error:
            if switched_off is None:
                raise
            lack = Lack(config.name, config.model, NO_MODEL, str(error))
    if switched_off is None:
        raise ConfigError(f"judge {config.name}", [lack.detail])
    switched_off.append(lack)
    return SwitchedOffJudge(lack)


def _open(
    config: OpenAiJudgeConfig | QwenVlJudgeConfig,
    clock: Clock,
    prompts: PromptSet,
    prices: PriceTable,
    counters: Counters,
) -> Judge:
    if isinstance(config, OpenAiJudgeConfig):
        from arwarden.escalate.openai_judge import OpenAiJudge  # noqa: PLC0415  # needs the extra

        return OpenAiJudge(config, clock, prompts, prices, counters)
    from arwarden.escalate.qwen_vl import QwenVlJudge  # noqa: PLC0415  # needs the extra

    return QwenVlJudge(config, clock, prompts, prices)
