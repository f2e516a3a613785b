"""Messages about the app's own objects: what it draws, and how one of them should be moved or scaled.

Metres are in the camera's view at the time of capture: x to the wearer's right, y up, z away from the
wearer. An adjustment is the whole correction against where the app placed the object, not a step, so a
lost or repeated message does no harm. The app says in its reports which correction is in force, in the view
of the report, so that the daemon builds on that and not on what it believes.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from arwarden.contract.messages import BoxNorm, DeviceId, EpochMs, Message

MAX_OBJECTS = 64
LARGEST_SCALE = 1000.0
MetresXyz = Annotated[tuple[float, float, float], Field(description="[x, y, z] in metres.")]
ObjectId = Annotated[str, Field(min_length=1, max_length=64)]


class Adjustment(Message):
    """Topic ``{prefix}/{device}/adjustments``: a correction of one object."""

    schema_: Literal["arwarden/adjustment/1"] = Field("arwarden/adjustment/1", alias="schema")
    adjustment_id: ObjectId
    version: int = Field(ge=1, le=2**31, description="Grows with every correction of the same object.")
    device_id: DeviceId
    session_id: str
    object_id: ObjectId
    action: Literal["apply", "revert"] = Field(
        "apply", description="revert: back to where the app placed it."
    )
    move_m: MetresXyz = (0.0, 0.0, 0.0)
    scale: float = Field(1.0, ge=1 / LARGEST_SCALE, le=LARGEST_SCALE, description="A factor; 1 keeps.")
    message: str = Field("", description="One sentence for the wearer.")
    captured_ms: EpochMs = Field(description="Capture time of the frame this message was computed from.")
    expires_ms: EpochMs = Field(description="Not to be begun after this time.")

    model_config = ConfigDict(
        frozen=True, extra="ignore", ser_json_inf_nan="null", populate_by_name=True, serialize_by_alias=True
    )


class SceneObject(BaseModel):
    """One object that the app draws."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)

    id: ObjectId
    class_: str = Field(alias="class", max_length=100)
    label: str = Field("", max_length=100)
    box: BoxNorm
    position_m: MetresXyz = Field(description="In the app's own space.")
    rotation: tuple[float, float, float, float] = Field(description="A quaternion [x, y, z, w].")
    expected_size_m: MetresXyz | None = Field(None, description="How large a real one is.")
    held: bool = Field(False, description="The user holds it: nothing else may move it.")
    corrected_m: MetresXyz | None = Field(
        None,
        description="The move in force by an adjustment, in the camera's view at headset_ms; null where the "
        "app does not say.",
    )
    corrected_scale: float = Field(
        1.0, ge=1 / LARGEST_SCALE, le=LARGEST_SCALE, description="The factor in force by an adjustment."
    )


class SceneReport(BaseModel):
    """Topic ``{prefix}/{device}/scene``: what the app draws, whole or as a difference."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True, serialize_by_alias=True)

    schema_: Literal["arwarden/scene/1"] = Field("arwarden/scene/1", alias="schema")
    version: int = Field(ge=1, le=2**53)
    base: int = Field(
        ge=0,
        le=2**53,
        description="The version that this one changes; 0: it replaces all that is known, and is retained.",
    )
    headset_ms: EpochMs = Field(description="When it was so, on the headset's clock.")
    objects: tuple[SceneObject, ...] = Field((), max_length=MAX_OBJECTS, description="New or changed ones.")
    removed: tuple[ObjectId, ...] = Field((), max_length=MAX_OBJECTS, description="Those no longer drawn.")
