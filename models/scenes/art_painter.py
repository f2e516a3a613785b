"""Draws designs with the project's art: which shape, sign or panel a design becomes."""

from __future__ import annotations

from typing import Final

import numpy as np

from models.assets.library import Library
from models.assets.sources import Split as ArtSplit
from models.scenes.art.arrows import arrow_carried
from models.scenes.art.content import Carried, Side
from models.scenes.art.element import Art
from models.scenes.art.painter import carry, default_library, paint, paintable
from models.scenes.chance import happens, one_of
from models.scenes.kinds import Split
from models.scenes.situation import Design, Picture

_Rng = np.random.Generator
_HEIGHTS_PX = (105.0, 240.0)
"""Drawn at about the size it is shown at in a full picture: larger costs time."""
_JITTER_DEG = 13.0
"""Arrows of a design stay this near to straight left, right, up or down; perspective adds to it."""
DIRECTIONS_DEG: Final = {"right": 0.0, "up": 90.0, "left": 180.0, "down": 270.0, "uturn": 270.0}
_BESIDE: tuple[Side, ...] = ("left", "right", "above", "below")


class ArtPainter:
    """The art of one split. Raises ``AssetsMissing`` with the command where assets are not fetched."""

    def __init__(self, split: Split, library: Library | None = None, *, scale: float = 1.0) -> None:
        """``scale``: 0.5 draws for pictures of half the size."""
        self._scale = scale
        self._split: ArtSplit = split.value
        self._library = library or default_library()

    def classes(self) -> frozenset[str]:
        """Pictogram classes that can be drawn with what is here."""
        return frozenset(paintable(self._split, self._library))

    def paint(self, design: Design, rng: _Rng) -> Art:
        """Draw the design as seen from the front."""
        if design.carrier == "arrow":
            return self._arrow(design, rng)
        if design.picture is not None and design.carrier != "panel":
            return self._alone(design.picture, rng)
        return self._panel(design, rng)

    def _height_px(self, rng: _Rng) -> float:
        low, high = _HEIGHTS_PX
        return float(np.exp(rng.uniform(np.log(low), np.log(high)))) * self._scale

    def _alone(self, picture: Picture, rng: _Rng) -> Art:
        height_px = 0.9 * self._height_px(rng)
        if picture.is_flag:
            code = picture.cls.removeprefix("flag:")
            return paint("flag", rng, self._split, height_px=height_px, library=self._library, code=code)
        return paint(picture.cls, rng, self._split, height_px=height_px, library=self._library)

    def _arrow(self, design: Design, rng: _Rng) -> Art:
        turn = float(np.clip(rng.normal(0.0, 6.0), -_JITTER_DEG, _JITTER_DEG))
        direction = (DIRECTIONS_DEG[design.pointing] + turn) % 360.0
        if design.pointing == "uturn":
            return paint(
                "arrow", rng, self._split, library=self._library, shape="u_turn", direction_deg=direction
            )
        named = design.speaks_of_way and design.text and design.picture is None
        if named and happens(0.3, rng):
            small = arrow_carried(direction, rng)
            return paint(
                "panel",
                rng,
                self._split,
                text=design.text,
                height_px=self._height_px(rng),
                library=self._library,
                carried=small,
            )
        carried = None if design.picture is None else self._carried(design.picture, rng)
        return paint(
            "arrow",
            rng,
            self._split,
            text=design.text,
            height_px=1.1 * self._height_px(rng),
            library=self._library,
            direction_deg=direction,
            carried=carried,
        )

    def _panel(self, design: Design, rng: _Rng) -> Art:
        attributes = {claim.attribute for claim in design.claims}
        if design.picture is None:
            short = len(design.text) <= 22
            kind = "panel"
            if short and attributes & {"price"} and happens(0.4, rng):
                kind = "tag"
            elif short and attributes & {"discount", "diet", "rating"} and happens(0.35, rng):
                kind = "badge"
            return paint(
                kind,
                rng,
                self._split,
                text=design.text,
                height_px=self._height_px(rng),
                library=self._library,
            )
        carried = self._carried(design.picture, rng)
        if design.text and happens(0.3, rng):
            return paint(
                "panel",
                rng,
                self._split,
                height_px=1.2 * self._height_px(rng),
                library=self._library,
                header=design.text,
                carried=carried,
            )
        return paint(
            "panel",
            rng,
            self._split,
            text=design.text,
            height_px=1.1 * self._height_px(rng),
            library=self._library,
            carried=carried,
            side=one_of(_BESIDE, rng),
        )

    def _carried(self, picture: Picture, rng: _Rng) -> Carried:
        return carry(picture.cls.removeprefix("flag:"), rng, self._split, library=self._library)
