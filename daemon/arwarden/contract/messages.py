"""The MQTT messages. JSON Schemas and the AsyncAPI document are generated from these models.

Times are Unix epoch milliseconds on the daemon's clock. Boxes are ``[x, y, w, h]``, normalised,
origin top left. A consumer ignores members it does not know; a member never changes its meaning
within ``v1``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from arwarden.contract.topics import DEVICE_ID_PATTERN

Ratio = Annotated[float, Field(ge=0.0, le=1.0)]
EpochMs = Annotated[float, Field(ge=0.0, description="Unix epoch milliseconds on the daemon's clock.")]
DurationMs = Annotated[float, Field(ge=0.0, description="Milliseconds.")]
DeviceId = Annotated[str, Field(pattern=DEVICE_ID_PATTERN)]
BoxNorm = Annotated[
    tuple[float, float, float, float],
    Field(description="[x, y, w, h], normalised image coordinates, origin top left."),
]


class Message(BaseModel):
    """What every message from the daemon carries."""

    model_config = ConfigDict(frozen=True, extra="ignore", ser_json_inf_nan="null")

    epoch: str = Field(description="Random id of the daemon's run: a change means the daemon restarted.")
    published_ms: EpochMs


class AlertState(StrEnum):
    """Life cycle: raised → (confirmed | retracted) → cleared."""

    RAISED = "raised"
    CONFIRMED = "confirmed"
    RETRACTED = "retracted"
    CLEARED = "cleared"


class JudgeOpinion(BaseModel):
    """What a vision-language model said about an alert."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="null")

    name: str = Field(description="The configured name of the judge.")
    model: str
    verdict: Literal["yes", "no", "unknown"] = Field(
        description="Whether virtual content contradicts itself; unknown where nobody answered readably."
    )
    reason: str = Field("", description="The judge's explanation, in its own words.")
    problem: str = Field("", description="Why the verdict is unknown, as a name, for example deadline.")
    latency_ms: DurationMs = Field(0.0, description="From the question to the answer.")
    tokens: int = Field(0, ge=0, description="Sent and answered; 0 where the endpoint does not say.")
    cost: float | None = Field(None, description="In the currency of the daemon's price table.")
    prompt_version: str = ""


class ClaimMessage(BaseModel):
    """One thing an element says."""

    model_config = ConfigDict(frozen=True)

    subject: str = Field(description="What it is about; empty where the element does not say.")
    attribute: str
    value: str
    polarity: bool = Field(description="False where the element denies it.")


class ElementMessage(BaseModel):
    """A piece of virtual content that is part of an alert."""

    model_config = ConfigDict(frozen=True)

    type: str
    text: str
    box: BoxNorm
    claim: ClaimMessage | None = None
    label: str = Field(
        "",
        description="The class of the pictogram or flag that it shows, if any; word:... where it has none.",
    )
    direction_deg: float | None = Field(
        None,
        description="Where an arrow points in the picture, counter-clockwise from right; null in doubt.",
    )
    object_id: str = Field(
        "", description="The app's own object that it is, where the app reports one there."
    )


class Alert(Message):
    """Topic ``{prefix}/{device}/alerts``: something the wearer should know about, and its later life.

    Never retained. While it lasts it is told again, as a higher revision with a later expiry, once less than
    half of its time is left: whoever subscribes after it was raised learns of it then.
    """

    schema_: Literal["arwarden/alert/1"] = Field("arwarden/alert/1", alias="schema")
    alert_id: str = Field(description="The same through the whole life of the alert.")
    revision: int = Field(ge=1, description="Grows with every message about this alert.")
    state: AlertState
    reason: str = Field("", description="Why the state changed, where it is not plain from the state.")
    device_id: DeviceId
    session_id: str
    kind: str = Field(description="contradiction, quality, or injection: text that gives orders to a judge.")
    attribute: str = Field(description="On what the elements disagree, or which measure is out of range.")
    severity: Literal["info", "warning", "critical"]
    message: str = Field(description="One sentence for the wearer.")
    elements: tuple[ElementMessage, ...] = ()
    confidence: Ratio
    tier: str = Field(description="Which tier judged.")
    confirmation: Literal["none", "pending", "confirmed", "rejected", "unverified"] = Field(
        "none",
        description="Whether a second opinion was asked for, and what it is. pending: an answer is awaited; "
        "unverified: there was none.",
    )
    judge: JudgeOpinion | None = Field(None, description="The second opinion, where there is one.")
    first_captured_ms: EpochMs = Field(description="Capture time of the first frame that showed it.")
    captured_ms: EpochMs = Field(description="Capture time of the frame this message was computed from.")
    capture_clock: Literal["synced", "arrival"]
    expires_ms: EpochMs = Field(description="Do not show it after this time.")
    budget_ms: DurationMs = Field(description="Capture to publish, as configured.")
    age_ms: DurationMs = Field(description="Capture to publish, as happened.")
    late: bool = Field(description="True when age_ms is above budget_ms.")
    stages_ms: dict[str, float] = Field(default_factory=dict, description="Time spent per stage.")

    model_config = ConfigDict(
        frozen=True, extra="ignore", ser_json_inf_nan="null", populate_by_name=True, serialize_by_alias=True
    )


class SessionState(StrEnum):
    """How a headset's stream is doing."""

    CONNECTING = "connecting"
    OK = "ok"
    DEGRADED = "degraded"
    STALLED = "stalled"
    LOST = "lost"
    CLOSED = "closed"


class Percentiles(BaseModel):
    """A latency over the last minute."""

    model_config = ConfigDict(frozen=True)

    p50: DurationMs
    p95: DurationMs


class SecondOpinionHealth(BaseModel):
    """What second opinions did for a session so far."""

    model_config = ConfigDict(frozen=True, ser_json_inf_nan="null")

    judge: str = Field(description="The configured name of the judge that is asked.")
    pending: bool = Field(description="Whether an answer is awaited.")
    asked: int = Field(0, ge=0)
    confirmed: int = Field(0, ge=0)
    rejected: int = Field(0, ge=0)
    raised: int = Field(0, ge=0)
    unverified: int = Field(0, ge=0, description="Questions that were not answered, or not readably.")
    late: int = Field(0, ge=0, description="Answers about scenes that were gone.")
    tokens: int = Field(0, ge=0)
    cost: float = Field(0.0, ge=0, description="In the currency of the daemon's price table.")
    saved_calls: int = Field(0, ge=0, description="Questions that were spared: the scene was known.")
    saved_cost: float = Field(0.0, ge=0, description="What they would have cost at most.")
    held_back: str = Field(
        "", description="What keeps the judge from being asked now: a limit, or what it lacks."
    )


class Health(Message):
    """Topic ``{prefix}/{device}/health``, retained: how the monitoring of this headset is doing."""

    schema_: Literal["arwarden/health/1"] = Field("arwarden/health/1", alias="schema")
    device_id: DeviceId
    session_id: str
    state: SessionState
    reasons: tuple[str, ...] = Field(
        (), description="Why it is not ok, for example passthrough_has_no_virtual_content."
    )
    view: Literal["composited", "passthrough", "unknown"]
    capture_clock: Literal["synced", "arrival"]
    clock_offset_ms: float | None = Field(None, description="Headset clock minus daemon clock.")
    received_fps: float = Field(ge=0)
    analysed_fps: float = Field(ge=0)
    frames_received: int = Field(ge=0)
    frames_analysed: int = Field(ge=0)
    frames_dropped: int = Field(ge=0)
    width_px: int = Field(ge=0)
    height_px: int = Field(ge=0)
    loss_ratio: Ratio
    capture_to_publish_ms: Percentiles | None = None
    second_opinion: SecondOpinionHealth | None = Field(
        None, description="Absent where no judge is configured."
    )

    model_config = ConfigDict(
        frozen=True, extra="ignore", ser_json_inf_nan="null", populate_by_name=True, serialize_by_alias=True
    )


class DaemonStatus(Message):
    """Topic ``{prefix}/daemon/status``, retained; also the last will."""

    schema_: Literal["arwarden/status/1"] = Field("arwarden/status/1", alias="schema")
    state: Literal["online", "offline", "stopped"] = Field(
        description="offline is the last will; stopped is a clean end."
    )
    version: str

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)


class AckAction(StrEnum):
    """What the headset did with an alert or an adjustment."""

    RECEIVED = "received"
    SHOWN = "shown"
    DISMISSED = "dismissed"
    APPLIED = "applied"
    CLAMPED = "clamped"
    EXPIRED = "expired"
    REFUSED = "refused"


class Ack(BaseModel):
    """Topic ``{prefix}/{device}/acks``: from the headset, so everything in it is checked and bounded."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)

    schema_: Literal["arwarden/ack/1"] = Field("arwarden/ack/1", alias="schema")
    alert_id: str = Field(min_length=1, max_length=64, description="Of the alert or the adjustment.")
    revision: int = Field(ge=1, le=2**31, description="The alert's revision or the adjustment's version.")
    action: AckAction
    headset_ms: EpochMs = Field(description="When it happened, on the headset's clock.")
    reason: str = Field("", max_length=200)
