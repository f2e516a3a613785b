"""A painter that needs no assets: plain shapes with the parts and directions that real ones have."""

from __future__ import annotations

import cv2
import numpy as np

from models.scenes.art.element import Art, BoxNorm, Part
from models.scenes.kinds import applications, pictogram_classes
from models.scenes.situation import Design

DIRECTIONS = {"right": 0.0, "up": 90.0, "left": 180.0, "down": 270.0, "uturn": None}
TIPS = {"right": (299, 150), "left": (0, 150), "up": (150, 0), "down": (150, 299), "uturn": (150, 299)}
LINE: BoxNorm = (0.1, 0.35, 0.8, 0.2)


class FakePainter:
    """Draws any class: panels and signs as full rectangles, arrows as triangles that point the right way."""

    def classes(self) -> frozenset[str]:
        kinds = (kind for one in applications() for kind in one.kinds)
        return pictogram_classes(kinds) | {"restroom", "elevator"}

    def paint(self, design: Design, rng: np.random.Generator) -> Art:
        colour = tuple(int(part) for part in rng.integers(60, 255, 3))
        if design.carrier == "arrow":
            return self._arrow(design, colour)
        height = 200 if design.carrier == "panel" else 300
        rgba = np.zeros((height, 300, 4), dtype=np.uint8)
        rgba[:, :] = (*colour, 255)
        parts = [Part("text", "", LINE, design.text)] if design.text else []
        if design.text:
            cv2.putText(rgba, design.text[:16], (30, 105), 0, 0.9, (0, 0, 0, 255), 2, cv2.LINE_AA)
        if design.picture is not None and design.carrier == "panel":
            flag = design.picture.is_flag
            parts.append(Part("flag" if flag else "pictogram", design.picture.cls, (0.4, 0.6, 0.2, 0.3)))
            rgba[120:180, 120:180] = (200, 30, 30, 255)
        kind = {"panel": "panel", "sign": "sign", "flag": "flag"}[design.carrier]
        cls = design.picture.cls if design.picture is not None and design.carrier != "panel" else "plain"
        return Art(rgba, kind, cls, design.text, None, tuple(parts))  # type: ignore[arg-type]

    def _arrow(self, design: Design, colour: tuple[int, ...]) -> Art:
        rgba = np.zeros((300, 300, 4), dtype=np.uint8)
        tip = np.array(TIPS[design.pointing])
        back = 299 - tip
        across = np.array([0, 140]) if design.pointing in {"left", "right"} else np.array([140, 0])
        corners = np.array([tip, back + across, back - across])
        cv2.fillPoly(rgba, [corners.astype(np.int32)], (*colour, 255))
        parts = (Part("text", "", LINE, design.text),) if design.text else ()
        return Art(rgba, "arrow", "block", design.text, DIRECTIONS[design.pointing], parts)
