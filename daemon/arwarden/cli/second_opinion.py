"""A second opinion on files: the daemon's own judge and policy, one question per file."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click
from pydantic import ValidationError

from arwarden.cli.judges import unpriced
from arwarden.config import (
    ApiKey,
    EscalateConfig,
    JudgeConfig,
    OpenAiJudgeConfig,
    QwenVlJudgeConfig,
    ReplayJudgeConfig,
)
from arwarden.config.file import problems_of
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame, Picture
from arwarden.core.opinion import Opinion
from arwarden.escalate.faces import open_faces
from arwarden.escalate.inquiries import Inquiry
from arwarden.escalate.policy import AskReason, Look
from arwarden.escalate.scenes import sharpness, sight_of
from arwarden.escalate.switched_off import Lack
from arwarden.escalate.tier import SecondOpinions, open_configured
from arwarden.headset.pictures import load_rgb
from arwarden.offline import Report, decoded

KINDS: Final = ("openai", "qwen_vl", "replay", "configured")
KEY_VARIABLE: Final = "OPENAI_API_KEY"
UNBOUNDED: Final = {"calls_per_minute": 10_000, "tokens_per_hour": 1_000_000_000}
"""Files are asked about because somebody asked for them; a limit on money still holds."""
SOURCE: Final = "--judge"


def judge_of(kind: str, base_url: str | None, model: str | None, replay: Path | None) -> JudgeConfig:
    """The judge that the options name. Raises ``ConfigError`` with what is missing or wrong.

    The key comes from ``OPENAI_API_KEY``; without one a server at ``base_url`` that needs none is assumed.
    """
    if kind in ("openai", "qwen_vl") and not model:
        raise ConfigError(SOURCE, [f"--judge {kind} needs --model NAME"])
    if kind == "replay" and replay is None:
        raise ConfigError(SOURCE, ["--judge replay needs --replay FILE"])
    try:
        if kind == "openai":
            needed = base_url is None  # the default endpoint takes nobody without a key
            key = ApiKey(env=KEY_VARIABLE) if needed or os.environ.get(KEY_VARIABLE) else None
            given = {"base_url": base_url} if base_url else {}
            return OpenAiJudgeConfig.model_validate({"model": model, "api_key": key, **given})
        if kind == "qwen_vl":
            return QwenVlJudgeConfig.model_validate({"model": model})
        return ReplayJudgeConfig.model_validate({"file": replay})
    except ValidationError as error:
        raise ConfigError(SOURCE, problems_of(error)) from None


def escalation(
    config: EscalateConfig, judge: JudgeConfig | None, deadline_ms: float | None
) -> EscalateConfig:
    """The configuration with the judge and the deadline of the command line. Raises ``ConfigError``."""
    content = config.model_dump()
    content["judge"] = config.judge if judge is None else judge
    content["budget"] = {**content["budget"], **UNBOUNDED}
    if deadline_ms is not None:
        content["deadline_ms"] = deadline_ms
    if content["judge"] is None:
        raise ConfigError(SOURCE, ["the configuration names no judge; set escalate.judge in it"])
    try:
        return EscalateConfig.model_validate(content)
    except ValidationError as error:
        raise ConfigError(SOURCE, problems_of(error, "escalate")) from None


class FileJudge:
    """Asks one judge about files, one after the other. Raises ``ConfigError`` where it cannot be opened."""

    def __init__(self, config: EscalateConfig) -> None:
        self._config = config
        self._clock = SystemClock()
        counters = Counters()
        faces = open_faces() if config.send.blur_faces else None
        lacks: list[Lack] = []
        judge = open_configured(config, self._clock, counters, lacks)
        for lack in lacks:
            click.echo(f"warning: judge {lack.judge} is switched off: {lack.detail}", err=True)
        for model in unpriced(config):
            click.echo(f"warning: cost stays null: escalate.budget.prices has no price for {model}", err=True)
        self._opinions = SecondOpinions(config, judge, self._clock, counters, faces=faces, switched_off=lacks)
        self._runner = asyncio.Runner()

    def ask(self, path: Path, report: Report) -> Opinion:
        """What the judge says about the file; ``unknown`` with the problem where it says nothing."""
        frames = _frames(path, report, self._opinions.terms.pictures)
        look = Look(sight_of(frames[-1], report.last), report.last)
        return self._runner.run(self._ask(look, frames))

    def close(self) -> None:
        """Let go of the judge."""
        self._runner.run(self._opinions.close())
        self._runner.close()

    async def _ask(self, look: Look, frames: Sequence[Frame]) -> Opinion:
        inquiry = self._opinions.inquiry(AskReason.NEW_SCENE, look, frames)
        if not isinstance(inquiry, Inquiry):
            terms = self._opinions.terms
            return Opinion(
                terms.judge,
                ", ".join(terms.models),
                "unknown",
                problem=inquiry.value,
                prompt_version=terms.prompt_version,
            )
        return (await self._opinions.ask(inquiry)).opinion


def to_json(opinion: Opinion) -> Mapping[str, object]:
    """The opinion as the object that ``--json`` prints."""
    return {
        "name": opinion.judge,
        "model": opinion.model,
        "verdict": opinion.verdict,
        "reason": opinion.reason or opinion.problem,
        "latency_ms": round(opinion.latency_ms, 1),
        "tokens": opinion.tokens,
        "cost": opinion.cost,
        "prompt_version": opinion.prompt_version,
    }


def to_text(opinion: Opinion) -> str:
    """The opinion in one line."""
    spent = f"{opinion.latency_ms / 1000:.1f} s, {opinion.tokens} tokens"
    cost = "" if opinion.cost is None else f", cost {opinion.cost:.4f}"
    return f"  judge {opinion.judge}: {opinion.verdict}; {opinion.reason or opinion.problem} ({spent}{cost})"


def warn(source: str, opinion: Opinion) -> None:
    """Say on standard error that there is no verdict, and why."""
    if opinion.verdict == "unknown":
        problem = opinion.problem or "it does not know"
        click.echo(f"warning: {source}: no second opinion from {opinion.judge}: {problem}", err=True)


def _frames(path: Path, report: Report, count: int) -> tuple[Frame, ...]:
    """The picture, or the sharpest of each of ``count`` parts of the video's samples."""
    if not report.samples:
        return (_frame(ArrayPicture(load_rgb(path)), 0.0),)
    times_s = [sample.at_s for sample in report.samples]
    best: dict[int, tuple[float, float, Picture]] = {}
    wanted = iter(enumerate(times_s))
    index, next_s = next(wanted)
    for at_s, _, picture in decoded(path):
        if at_s + 1e-6 < next_s:
            continue
        part = index * count // len(times_s)
        sharp = sharpness(picture.luma())
        if part not in best or sharp > best[part][0]:
            best[part] = (sharp, at_s, picture)
        index, next_s = next(wanted, (index, float("inf")))
    return tuple(_frame(picture, at_s * 1000.0) for _, at_s, picture in best.values())


def _frame(picture: Picture, at_ms: float) -> Frame:
    return Frame("offline", 0, at_ms, CaptureClock.ARRIVAL, at_ms, picture)
