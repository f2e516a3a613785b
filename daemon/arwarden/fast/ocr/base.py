"""What an OCR engine is to the rest of the daemon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage

FloatArray = npt.NDArray[np.float32]


class Point(NamedTuple):
    """A point in normalised image coordinates: origin top left, x right, y down."""

    x_norm: float
    y_norm: float


Quad = tuple[Point, Point, Point, Point]
"""Corners of a line as it is read: start and end of its top edge, end and start of its bottom edge."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """One line of text as an engine read it."""

    text: str
    confidence: float
    """Mean over the characters, 0..1."""
    quad: Quad

    @property
    def box(self) -> Box:
        """The upright rectangle around the line, cut to the picture."""
        xs = [min(max(point.x_norm, 0.0), 1.0) for point in self.quad]
        ys = [min(max(point.y_norm, 0.0), 1.0) for point in self.quad]
        left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
        return Box(left, top, right - left, bottom - top)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file of weights in use, as ``arwarden doctor`` shows it."""

    name: str
    path: Path
    sha256: str
    licence: str


CLOSER = 1.5
"""At 640 px about one readable line in a hundred is not found, and in a picture that stands still it is
missed every time; at 960 px those are found. Reading itself is done at full size either way."""


class TextReader(Protocol):
    """An OCR engine. ``read`` may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The engine's name in the configuration."""
        ...

    def read(self, rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        """All lines of text in a picture of shape ``(height, width, 3)``, top to bottom.

        ``closely`` looks for them at ``CLOSER`` times the configured side, at about twice the cost. Raises
        whatever the engine raises; the fast tier turns that into ``TierError``.
        """
        ...

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights that were loaded."""
        ...

    def warm_up(self) -> None:
        """Run once, so that the first real picture does not pay for lazy allocation."""
        ...

    def close(self) -> None:
        """Let go of the engine. It is not used afterwards."""
        ...


def quad_from_pixels(corners_px: FloatArray, width_px: int, height_px: int) -> Quad:
    """Normalise four corners of shape ``(4, 2)`` given in pixels of a picture of this size."""
    points = [Point(float(x) / width_px, float(y) / height_px) for x, y in corners_px]
    return points[0], points[1], points[2], points[3]


def tidy(text: str) -> str:
    """The text as one line: control characters removed, runs of white space made one space."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
