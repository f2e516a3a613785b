"""What a pictogram is before it gets a colour and a place."""

from __future__ import annotations

from dataclasses import dataclass

from models.scenes.art.element import Mask, Rgba


@dataclass(frozen=True)
class Glyph:
    """One pictogram.

    Attributes:
        ink: (h, w) where a one-colour pictogram has ink; for an emoji, where it has anything.
        colours: (h, w, 4) of an emoji; None for one-colour pictograms.
        source: "package:name" or "drawn:class".
    """

    ink: Mask
    colours: Rgba | None
    source: str
