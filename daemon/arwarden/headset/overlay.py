"""Further virtual panels drawn over any source, as another app would draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from arwarden.core.errors import ConfigError
from arwarden.core.frame import ByteImage
from arwarden.headset.panels import PASTELS, Style, panel_sprite
from arwarden.headset.pictures import PictureSize
from arwarden.headset.sources import FrameSource

FORM = 'TEXT@x,y,from,to, for example "Made in France@0.55,0.2,2,-"'
MAX_TEXT = 200


@dataclass(frozen=True, slots=True)
class Overlay:
    """A text panel at a fixed place of the view for a time."""

    text: str
    left_norm: float
    top_norm: float
    from_s: float
    to_s: float
    """``math.inf`` where it stays."""

    @classmethod
    def parse(cls, spec: str) -> Self:
        """Read ``TEXT@x,y,from,to``: the panel's top left, 0 to 1, and seconds of the run; ``-`` stays.

        The last ``@`` splits, so the text may hold ``@`` and commas. Raises ``ConfigError`` that names
        the part at fault.
        """
        text, at, place = spec.rpartition("@")
        parts = [part.strip() for part in place.split(",")]
        if not at or len(parts) != 4:
            raise _fault(spec, "it needs a text, an @ and four values after it")
        if not text.strip() or len(text) > MAX_TEXT:
            raise _fault(spec, f"the text before the last @ must have 1 to {MAX_TEXT} characters")
        left_norm = _number(spec, "x", parts[0], 0.0, 1.0)
        top_norm = _number(spec, "y", parts[1], 0.0, 1.0)
        from_s = _number(spec, "from", parts[2], 0.0, None)
        to_s = math.inf if parts[3] == "-" else _number(spec, "to", parts[3], 0.0, None)
        if to_s <= from_s:
            raise _fault(spec, f"to ({parts[3]}) must be later than from ({parts[2]})")
        return cls(text.strip(), left_norm, top_norm, from_s, to_s)

    def visible_at(self, t_s: float) -> bool:
        """Whether it is in view then."""
        return self.from_s <= t_s < self.to_s


def _number(spec: str, name: str, text: str, least: float, most: float | None) -> float:
    try:
        value = float(text)
    except ValueError:
        raise _fault(spec, f"{name} is {text!r}, not a number") from None
    if not math.isfinite(value) or value < least or (most is not None and value > most):
        limits = f"{least:g} or more" if most is None else f"{least:g} to {most:g}"
        raise _fault(spec, f"{name} is {text}, it must be {limits}")
    return value


def _fault(spec: str, what: str) -> ConfigError:
    return ConfigError(f"overlay {spec!r}", [f"{what}; the form is {FORM}"])


class OverlaidSource:
    """Another source with panels drawn over it."""

    def __init__(self, source: FrameSource, overlays: Sequence[Overlay], size: PictureSize) -> None:
        self.name = source.name
        self._source = source
        self._overlays = tuple(overlays)
        self._size = size

    def read(self, t_s: float) -> ByteImage | None:
        """The other source's picture with the panels that are in view at ``t_s``."""
        rgb = self._source.read(t_s)
        if rgb is None:
            return None
        visible = [turn for turn, overlay in enumerate(self._overlays) if overlay.visible_at(t_s)]
        if visible:
            rgb = rgb.copy()
        for turn in visible:
            self._draw(rgb, turn)
        return rgb

    def close(self) -> None:
        """Close the other source."""
        self._source.close()

    def _draw(self, rgb: ByteImage, turn: int) -> None:
        overlay = self._overlays[turn]
        width_px, height_px = self._size
        left_px, top_px = round(overlay.left_norm * width_px), round(overlay.top_norm * height_px)
        font_px = round(min(height_px / 15, width_px / 24))
        # A panel near the right edge is broken into more lines rather than cut off.
        room_px = min(round(width_px * 0.4), width_px - left_px)
        style = Style(fill=PASTELS[turn % len(PASTELS)])
        panel_sprite(overlay.text, font_px, max(room_px, round(width_px * 0.1)), style).blend(
            rgb, left_px, top_px
        )
