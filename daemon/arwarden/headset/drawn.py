"""The app's own objects, drawn over any source where they are at the moment."""

from __future__ import annotations

from typing import Final

import cv2

from arwarden.core.frame import ByteImage
from arwarden.headset.objects import AppObject, AppObjects
from arwarden.headset.panels import OUTLINE_COLOUR, PASTELS
from arwarden.headset.sources import FrameSource

SHADOW: Final = (40, 40, 40)


class DrawnObjects:
    """Another source with coloured blocks over it."""

    def __init__(self, source: FrameSource, objects: AppObjects) -> None:
        self.name = source.name
        self._source = source
        self._objects = objects

    def read(self, t_s: float) -> ByteImage | None:
        """The other source's picture with the objects in it."""
        rgb = self._source.read(t_s)
        if rgb is None:
            return None
        rgb = rgb.copy()
        for turn, one in enumerate(self._objects.objects):
            _draw(rgb, one, turn)
        return rgb

    def close(self) -> None:
        """Close the other source."""
        self._source.close()


def _draw(rgb: ByteImage, one: AppObject, turn: int) -> None:
    height_px, width_px = rgb.shape[:2]
    box = one.box
    left, top = round(box.x_norm * width_px), round(box.y_norm * height_px)
    right = round((box.x_norm + box.w_norm) * width_px)
    bottom = round((box.y_norm + box.h_norm) * height_px)
    cv2.rectangle(rgb, (left, top), (right, bottom), PASTELS[turn % len(PASTELS)], -1)
    cv2.rectangle(rgb, (left, top), (right, bottom), SHADOW if one.held else OUTLINE_COLOUR, 2)
