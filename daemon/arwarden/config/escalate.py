"""When a judge is asked for a second opinion, what it is sent, and what it may cost."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from arwarden.config.base import PositiveMs, Section
from arwarden.config.judges import (
    FallbackJudgeConfig,
    JudgeConfig,
    OpenAiJudgeConfig,
    Price,
    RecordJudgeConfig,
)


class AskConfig(Section):
    """Which scenes a judge is asked about."""

    confirm_below: float = Field(
        0.95, ge=0, le=1.01, description="Alerts of findings less sure than this are put to the judge."
    )
    uncertain: bool = Field(
        True, description="Ask about findings that are not sure enough to warn by themselves."
    )
    uninterpreted_elements: int = Field(
        2,
        ge=0,
        le=100,
        description="Ask about scenes with so many virtual elements that the fast tier makes nothing of; "
        "0 never.",
    )
    new_scene: bool = Field(True, description="Ask about every new scene that holds virtual content.")
    periodic_ms: float = Field(
        0,
        ge=0,
        le=86_400_000,
        description="Ask this often whatever is in view, unless it was judged within cool_down_ms; 0 never.",
    )
    settle_ms: float = Field(
        700, ge=0, le=60_000, description="A scene without an alert must hold still this long first."
    )
    cool_down_ms: PositiveMs = Field(
        120_000, description="A scene that was judged is not asked about again for this long."
    )
    retry_ms: PositiveMs = Field(
        10_000, description="After a judge has failed, a session asks nothing for this long."
    )
    scene_bits: int = Field(
        36,
        ge=0,
        le=128,
        description="Views are one scene while at most so many of the 256 bits of their hashes differ.",
    )


class BudgetConfig(Section):
    """What judges may cost, over all sessions of the daemon."""

    calls_per_minute: int = Field(6, ge=1, le=10_000, description="Questions a minute at most.")
    tokens_per_hour: int = Field(
        200_000, ge=1000, le=1_000_000_000, description="Tokens an hour at most, sent and answered."
    )
    cost_per_hour: float | None = Field(
        None,
        gt=0,
        le=100_000,
        description="Money an hour at most, in the currency of the prices; needs a price for every model.",
    )
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$", description="Currency of the prices.")
    prices: dict[str, Price] = Field({}, description="What each model costs, by its name at the endpoint.")


class SendConfig(Section):
    """What leaves for the judge, and what never does."""

    max_side_px: int = Field(1024, ge=224, le=4096, description="Longer side of a picture that is sent.")
    jpeg_quality: int = Field(85, ge=30, le=100, description="JPEG quality of it.")
    crop: bool = Field(
        False, description="Send the part of the view that holds the virtual elements only, with a margin."
    )
    window_ms: PositiveMs = Field(
        2000, description="Pictures are the sharpest of the last samples within this time."
    )
    blur_faces: bool = Field(
        False, description="Blur faces before a picture is sent. Needs the extra faces, and misses some."
    )
    facts: bool = Field(
        True, description="Tell the judge, as quoted data, what the fast tier read and found."
    )


class EscalateConfig(Section):
    """A second opinion on what the fast tier sees, by a vision-language model."""

    judge: JudgeConfig | None = Field(None, description="Who is asked; nobody when absent. See Judges below.")
    never_upload: bool = Field(
        False,
        description="true: no client for any endpoint is ever made, so that no picture can leave this "
        "process; a configuration that names an endpoint is then refused.",
    )
    prompts: Path | None = Field(None, description="Folder of prompt files; the shipped ones when absent.")
    language: str = Field(
        "English",
        pattern=r"^[A-Za-z][A-Za-z ()-]{1,39}$",
        description="Language of the judge's explanations.",
    )
    deadline_ms: PositiveMs = Field(8000, description="Longest wait for an answer, everything included.")
    late: Literal["drop", "publish"] = Field(
        "drop", description="What happens to an alert of the judge about a scene that is gone by then."
    )
    retract: bool = Field(True, description="Let the judge take alerts of the fast tier back.")
    raise_alerts: bool = Field(True, description="Let the judge raise alerts that the fast tier has not.")
    replaces_fast: bool = Field(
        False,
        description="Ask the judge about every sample, in place of the fast tier. For a model in this "
        "process on a GPU that is fast enough.",
    )
    ask: AskConfig = Field(AskConfig(), description=AskConfig.__doc__)
    budget: BudgetConfig = Field(BudgetConfig(), description=BudgetConfig.__doc__)
    send: SendConfig = Field(SendConfig(), description=SendConfig.__doc__)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        asked = () if self.judge is None else asked_judges(self.judge)
        endpoints = [judge.base_url for judge in asked if isinstance(judge, OpenAiJudgeConfig)]
        if self.never_upload and endpoints:
            msg = (
                f"never_upload is set, yet the judge would send pictures to {endpoints[0]}; name a judge of "
                "kind qwen_vl or replay, or take never_upload out"
            )
            raise ValueError(msg)
        if self.replaces_fast and (endpoints or self.judge is None):
            msg = "replaces_fast needs a judge in this process (kind qwen_vl or replay)"
            raise ValueError(msg)
        unpriced = [
            judge.model
            for judge in asked
            if isinstance(judge, OpenAiJudgeConfig) and judge.model not in self.budget.prices
        ]
        if self.budget.cost_per_hour is not None and unpriced:
            msg = f"budget.cost_per_hour needs the price of {unpriced[0]}; add it to budget.prices"
            raise ValueError(msg)
        return self

    @property
    def uploads(self) -> bool:
        """Whether pictures leave this process."""
        asked = () if self.judge is None else asked_judges(self.judge)
        return any(isinstance(judge, OpenAiJudgeConfig) for judge in asked)


def asked_judges(judge: JudgeConfig) -> tuple[JudgeConfig, ...]:
    """The judges that answer themselves, behind fallbacks and recorders, in the order of asking."""
    if isinstance(judge, RecordJudgeConfig):
        return asked_judges(judge.judge)
    if isinstance(judge, FallbackJudgeConfig):
        return tuple(inner for attempt in judge.attempts for inner in asked_judges(attempt.judge))
    return (judge,)
