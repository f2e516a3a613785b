"""A frame of what the wearer sees, with everything known about its origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import cv2
import numpy as np
import numpy.typing as npt

ByteImage = npt.NDArray[np.uint8]


class View(StrEnum):
    """Which view a client streams. Only a composited view shows virtual content."""

    COMPOSITED = "composited"
    PASSTHROUGH = "passthrough"
    UNKNOWN = "unknown"


class CaptureClock(StrEnum):
    """Where a capture time comes from."""

    SYNCED = "synced"
    """The headset's own time stamp, converted with the measured clock offset."""
    ARRIVAL = "arrival"
    """The time of arrival here: the headset's clock is not known."""


@dataclass(frozen=True, slots=True)
class TransportHealth:
    """What the transport did to the picture lately."""

    damaged: bool = False
    """True while lost packets, a missing keyframe or a decoder error may have spoilt the picture."""
    reasons: tuple[str, ...] = ()
    """Names of what is wrong, for example ``packets_lost`` or ``waiting_for_keyframe``."""
    loss_ratio: float = 0.0
    """Share of packets lost for good over the last seconds, 0..1."""
    jitter_ms: float = 0.0


class Picture(Protocol):
    """Pixels that are converted only when somebody looks at them."""

    @property
    def width_px(self) -> int:
        """Width of the picture."""
        ...

    @property
    def height_px(self) -> int:
        """Height of the picture."""
        ...

    def luma(self) -> ByteImage:
        """The brightness plane, shape ``(height, width)``; a view where the source allows it."""
        ...

    def rgb(self) -> ByteImage:
        """The colour picture, shape ``(height, width, 3)``; converted on the first call, then kept."""
        ...


class ArrayPicture:
    """A picture that is already an RGB array of shape ``(height, width, 3)``, dtype uint8."""

    def __init__(self, rgb: ByteImage) -> None:
        if rgb.ndim != 3 or rgb.shape[2] != 3 or rgb.dtype != np.uint8 or 0 in rgb.shape:
            msg = f"an RGB picture has shape (height, width, 3) and dtype uint8, not {rgb.shape} {rgb.dtype}"
            raise ValueError(msg)
        self._rgb = rgb
        self._luma: ByteImage | None = None

    @property
    def width_px(self) -> int:
        """Width of the picture."""
        return int(self._rgb.shape[1])

    @property
    def height_px(self) -> int:
        """Height of the picture."""
        return int(self._rgb.shape[0])

    def luma(self) -> ByteImage:
        """The brightness plane, shape ``(height, width)``."""
        if self._luma is None:
            self._luma = np.asarray(cv2.cvtColor(self._rgb, cv2.COLOR_RGB2GRAY), dtype=np.uint8)
        return self._luma

    def rgb(self) -> ByteImage:
        """The colour picture, shape ``(height, width, 3)``."""
        return self._rgb


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture and where and when it comes from. Times are on the daemon's clock."""

    session_id: str
    sequence: int
    """Counts the frames received in this session, dropped ones included."""
    capture_ms: float
    capture_clock: CaptureClock
    arrival_ms: float
    picture: Picture
    transport: TransportHealth = field(default_factory=TransportHealth)

    def age_ms(self, now_ms: float) -> float:
        """How long ago this was captured."""
        return now_ms - self.capture_ms
