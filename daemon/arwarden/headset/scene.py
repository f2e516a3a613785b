"""A generated AR scene: a room seen by a moving head, with panels, arrows, signs and flags fixed in it."""

from __future__ import annotations

import math

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from arwarden.headset import timecode
from arwarden.headset.panels import PASTELS, Shape, Sprite, Style, panel_sprite
from arwarden.headset.pictures import PictureSize
from arwarden.headset.room import draw_room
from arwarden.headset.signs import arrow_sprite, flag_sprite, sign_sprite
from arwarden.headset.situations import DEFAULT_SEED, SceneTruth, Shown, Timeline

MARGIN = 0.06
"""How much larger than the view the room is drawn, to each side, so that the head can turn."""
SWAYS: tuple[tuple[float, float, float], ...] = ((0.030, 9.1, 0.3), (0.012, 4.3, 1.9), (0.0012, 0.83, 0.0))
"""Head movement as sines: amplitude as a share of the view, period in seconds, phase."""
NEARNESS = 1.15
"""Panels hang in front of the wall, so they move this much more than it does."""
NOISE_LEVELS = 5
NOISE_SPARE_PX = 64
SLOTS: tuple[tuple[float, float], ...] = ((0.27, 0.36), (0.72, 0.44), (0.48, 0.76))
"""Centres of the first, second and third panel as shares of the view."""


class ArScene:
    """Frames of the scene by time. The same seed, size and time give the same situation and room.

    ``static`` stops head movement and camera noise, so that frames differ only where the situation
    changes (and not at all with ``Timeline.constant``). ``fps`` switches on a time code at the lower
    edge: the frame's number at that rate, see :mod:`arwarden.headset.timecode`.
    """

    def __init__(
        self,
        size: PictureSize,
        *,
        seed: int = DEFAULT_SEED,
        static: bool = False,
        timeline: Timeline | None = None,
        timecode_fps: float | None = None,
    ) -> None:
        self.name = "scene"
        self.timeline = timeline if timeline is not None else Timeline(seed)
        self._size = size
        self._seed = seed
        self._static = static
        self._timecode_fps = timecode_fps
        self._margin = (math.ceil(size.width_px * MARGIN), math.ceil(size.height_px * MARGIN))
        self._rooms = _half_pixel_phases(
            draw_room(size.width_px + 2 * self._margin[0], size.height_px + 2 * self._margin[1], seed)
        )
        self._rng = np.random.default_rng(seed)
        self._noise = self._rng.integers(
            0,
            NOISE_LEVELS,
            (size.height_px + NOISE_SPARE_PX, size.width_px + NOISE_SPARE_PX, 3),
            dtype=np.uint8,
        )
        self._drawn_index = -1
        self._panels: list[tuple[Sprite, float, float]] = []

    def read(self, t_s: float) -> ByteImage:
        """The picture ``t_s`` seconds after the start."""
        sway_x, sway_y = (0.0, 0.0) if self._static else _sway(t_s)
        rgb = self._room(sway_x, sway_y)
        self._place_panels(t_s)
        for sprite, left, top in self._panels:
            x = left - sway_x * NEARNESS * self._size.width_px
            y = top - sway_y * NEARNESS * self._size.height_px
            sprite.blend(rgb, round(x), round(y))
        if self._timecode_fps is not None:
            timecode.draw(rgb, round(t_s * self._timecode_fps))
        return rgb

    def truth(self, until_s: float) -> list[SceneTruth]:
        """Everything that comes into view before ``until_s``, in order."""
        return self.timeline.truth(until_s)

    def truth_at(self, t_s: float) -> SceneTruth:
        """What is in view at ``t_s``."""
        return self.timeline.truth_at(t_s)

    def close(self) -> None:
        """Nothing is held open."""

    def _room(self, sway_x: float, sway_y: float) -> ByteImage:
        """The view into the room, moved in half pixels, with fresh camera noise."""
        width_px, height_px = self._size
        x2 = round(2 * (self._margin[0] + sway_x * width_px))
        y2 = round(2 * (self._margin[1] + sway_y * height_px))
        room = self._rooms[y2 % 2][x2 % 2]
        view = room[y2 // 2 : y2 // 2 + height_px, x2 // 2 : x2 // 2 + width_px]
        if self._static:
            return view.copy()
        left, top = self._rng.integers(0, NOISE_SPARE_PX, 2)
        noise = self._noise[top : top + height_px, left : left + width_px]
        return np.asarray(cv2.add(view, noise), dtype=np.uint8)

    def _place_panels(self, t_s: float) -> None:
        index = self.timeline.index_at(t_s)
        if index == self._drawn_index:
            return
        self._drawn_index = index
        rng = np.random.default_rng((self._seed, index))
        fills = rng.permutation(len(PASTELS))
        width_px, height_px = self._size
        self._panels = []
        for turn, element in enumerate(self.timeline.situation(index).elements):
            centre_x, centre_y = SLOTS[turn % len(SLOTS)]
            style = Style(
                fill=PASTELS[fills[turn % len(fills)]],
                shape=Shape.CALLOUT if rng.random() < 0.4 else Shape.PANEL,
                tilt=round(float(rng.uniform(0.06, 0.16)) * (1 if centre_x < 0.5 else -1), 2),
            )
            sprite = _sprite(element, style, self._size)
            left = width_px * (centre_x + rng.uniform(-0.02, 0.02)) - sprite.width_px / 2
            top = height_px * (centre_y + rng.uniform(-0.06, 0.06)) - sprite.height_px / 2
            self._panels.append((sprite, left, top))


def _sprite(element: str | Shown, style: Style, size: PictureSize) -> Sprite:
    """The element in a size that suits the view."""
    font_px, room_px = round(min(size.height_px / 15, size.width_px / 24)), round(size.width_px * 0.36)
    if isinstance(element, str):
        return panel_sprite(element, font_px, room_px, style)
    if element.arrow:
        return arrow_sprite(element.arrow, element.text, font_px, room_px, style.tilt)
    name, _, country = element.picture.partition(":")
    if country:
        return flag_sprite(country, max(8, round(font_px * 2.8)), style.tilt)
    return sign_sprite(name, max(8, round(font_px * 3.2)), style.tilt)


def _sway(t_s: float) -> tuple[float, float]:
    x = sum(size * math.sin(2 * math.pi * t_s / period + phase) for size, period, phase in SWAYS)
    y = sum(size * math.sin(2 * math.pi * t_s / (1.37 * period) + 2 * phase) for size, period, phase in SWAYS)
    return x, y


def _half_pixel_phases(room: ByteImage) -> tuple[tuple[ByteImage, ByteImage], tuple[ByteImage, ByteImage]]:
    """The room at the four half-pixel positions: a crop then costs 0.1 ms instead of 5 ms for a warp."""
    right, down = np.roll(room, -1, axis=1), np.roll(room, -1, axis=0)
    both = np.roll(right, -1, axis=0)

    def mean(first: ByteImage, second: ByteImage) -> ByteImage:
        return np.asarray(cv2.addWeighted(first, 0.5, second, 0.5, 0), dtype=np.uint8)

    return (room, mean(room, right)), (mean(room, down), mean(mean(room, down), mean(right, both)))
