"""What the daemon may do to the app's own objects, and how far."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from arwarden.config.base import PositiveMs, Section

Factor = Literal["size", "placement", "shadow"]


class AdjustConfig(Section):
    """Corrections of the app's own objects, by what a judge says about their size and placement."""

    enabled: bool = Field(
        False, description="Ask the judge about the app's objects and send corrections. Needs escalate.judge."
    )
    name_objects: bool = Field(
        True, description="Name the app's own object in alerts, where the app reports one at that place."
    )
    factors: tuple[Factor, ...] = Field(
        ("size", "placement"),
        min_length=1,
        max_length=3,
        description="What is judged, in this order, with one question each. A shadow is only rated: no "
        "message corrects one.",
    )
    below: float = Field(4.0, gt=1, le=5, description="What is rated below this, of 1 to 5, is corrected.")
    max_steps: int = Field(
        2, ge=1, le=5, description="Corrections of one object and factor in a row at most."
    )
    gain: float = Field(
        0.7, ge=0.1, le=1, description="The share of what the judge asks for that one correction carries out."
    )
    max_step_m: float = Field(0.3, ge=0.01, le=1, description="Metres that one correction moves at most.")
    max_move_m: float = Field(
        0.5, ge=0.01, le=3, description="Metres from where the app placed an object at most."
    )
    max_step_factor: float = Field(
        1.5, gt=1, le=4, description="Factor by which one correction enlarges or shrinks at most."
    )
    max_factor: float = Field(
        2.0, gt=1, le=10, description="Factor from the size that the app gave an object at most, either way."
    )
    settle_ms: PositiveMs = Field(
        1500,
        description="An object must stand still in view this long before it is judged, also after a "
        "correction.",
    )
    max_age_ms: PositiveMs = Field(
        12_000,
        description="A correction expires this long after the capture of the picture that it was computed "
        "from; an answer that comes later is dropped.",
    )
    ack_timeout_ms: PositiveMs = Field(
        5000, description="The headset's word is awaited this long beyond a correction's expiry."
    )
    rejudge_ms: PositiveMs = Field(
        30_000,
        description="A corrected object that cannot be judged again within this time is left as it is.",
    )
    cool_down_ms: PositiveMs = Field(
        120_000, description="An object that was judged is not judged again for this long."
    )
    held_pause_ms: PositiveMs = Field(
        20_000, description="After the user has held an object it is left alone for this long."
    )
    scene_expiry_ms: PositiveMs = Field(
        25_000, description="What the app draws is unknown when it has said nothing for this long."
    )
    least_view_share: float = Field(
        0.004, ge=0, le=0.5, description="Objects that cover less of the view are not judged."
    )

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len(set(self.factors)) != len(self.factors):
            msg = "factors names one twice; name each once"
            raise ValueError(msg)
        if self.max_step_m > self.max_move_m:
            msg = f"max_step_m ({self.max_step_m:g}) is more than max_move_m ({self.max_move_m:g}); lower it"
            raise ValueError(msg)
        if self.max_step_factor > self.max_factor:
            msg = (
                f"max_step_factor ({self.max_step_factor:g}) is more than max_factor ({self.max_factor:g}); "
                "lower it"
            )
            raise ValueError(msg)
        return self
