"""Virtual text panels as AR apps draw them: pastel shapes with dark text, cached as sprites."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from arwarden.core.frame import ByteImage

Colour = tuple[int, int, int]

PASTELS: tuple[Colour, ...] = (
    (183, 214, 244),
    (94, 190, 150),
    (178, 255, 255),
    (250, 226, 160),
    (244, 190, 196),
    (205, 196, 240),
    (200, 230, 180),
)
TEXT_COLOUR: Colour = (18, 24, 32)
OUTLINE_COLOUR: Colour = (52, 92, 152)
SUPERSAMPLING = 2
MIN_FONT_PX = 10


class Shape(StrEnum):
    """Outlines that say nothing by themselves, so that only the text can contradict."""

    PANEL = "panel"
    CALLOUT = "callout"
    """A panel with a small tip at the bottom, as a label of a thing below it."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a panel looks."""

    fill: Colour = PASTELS[0]
    shape: Shape = Shape.PANEL
    tilt: float = 0.0
    """Perspective: by how much of its height the right edge is taller than the left, -0.3 to 0.3."""


@dataclass(frozen=True, slots=True)
class Sprite:
    """A drawn panel: colour multiplied by opacity, and the light it lets through (255: all of it)."""

    premultiplied: ByteImage
    through: ByteImage

    @property
    def width_px(self) -> int:
        """Width, transparent margin included."""
        return int(self.through.shape[1])

    @property
    def height_px(self) -> int:
        """Height, transparent margin included."""
        return int(self.through.shape[0])

    def blend(self, rgb: ByteImage, left_px: int, top_px: int) -> None:
        """Draw into ``rgb`` with the sprite's top left there; what lies outside is cut off."""
        x0, y0 = max(0, left_px), max(0, top_px)
        x1 = min(rgb.shape[1], left_px + self.width_px)
        y1 = min(rgb.shape[0], top_px + self.height_px)
        if x1 <= x0 or y1 <= y0:
            return
        inside = (slice(y0 - top_px, y1 - top_px), slice(x0 - left_px, x1 - left_px))
        region = rgb[y0:y1, x0:x1]
        dimmed = cv2.multiply(region, self.through[inside], scale=1 / 255)
        region[:] = cv2.add(dimmed, self.premultiplied[inside])


@lru_cache(maxsize=128)
def panel_sprite(text: str, font_px: int, max_width_px: int, style: Style) -> Sprite:
    """Draw the text on its panel; lines are broken at spaces to stay within ``max_width_px``.

    The font shrinks where a single word is wider than that.
    """
    lines, font = set_text(text, font_px * SUPERSAMPLING, max_width_px * SUPERSAMPLING)
    return sprite_of(_drawn(lines, font, style), style.tilt)


def sprite_of(image: Image.Image, tilt: float = 0.0) -> Sprite:
    """An RGBA picture drawn :data:`SUPERSAMPLING` times too large, seen from the side by ``tilt``."""
    rgba = np.array(image, dtype=np.uint8)
    if tilt:
        rgba = _tilted(rgba, tilt)
    size = (max(1, rgba.shape[1] // SUPERSAMPLING), max(1, rgba.shape[0] // SUPERSAMPLING))
    alpha = rgba[:, :, 3:].astype(np.float32) / 255.0
    premultiplied = (rgba[:, :, :3] * alpha).astype(np.uint8)
    small = cv2.resize(premultiplied, size, interpolation=cv2.INTER_AREA)
    opacity = cv2.resize(rgba[:, :, 3], size, interpolation=cv2.INTER_AREA)
    through = np.repeat(255 - np.asarray(opacity)[:, :, np.newaxis], 3, axis=2)
    return Sprite(np.asarray(small, dtype=np.uint8), through.astype(np.uint8))


def set_text(text: str, font_px: int, max_width_px: int) -> tuple[list[str], ImageFont.FreeTypeFont]:
    """Lines no wider than ``max_width_px``, and the font; it shrinks where a word would not fit."""
    words = text.split() or [" "]
    while True:
        font = _font(font_px)
        room_px = max_width_px - 2 * _padding_px(font)
        if font_px <= MIN_FONT_PX or max(font.getlength(word) for word in words) <= room_px:
            return _broken(words, font, room_px), font
        font_px = max(MIN_FONT_PX, font_px * 9 // 10)


@lru_cache(maxsize=32)
def _font(font_px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(font_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        msg = "this Pillow was built without FreeType and cannot draw scalable text"
        raise TypeError(msg)
    return font


def _broken(words: list[str], font: ImageFont.FreeTypeFont, room_px: float) -> list[str]:
    lines = [words[0]]
    for word in words[1:]:
        longer = f"{lines[-1]} {word}"
        if font.getlength(longer) <= room_px:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _padding_px(font: ImageFont.FreeTypeFont) -> int:
    return int(font.size * 0.75)


def _drawn(lines: list[str], font: ImageFont.FreeTypeFont, style: Style) -> Image.Image:
    padding = _padding_px(font)
    line_px = int(font.size * 1.22)
    text_width = max(int(font.getlength(line)) for line in lines)
    width, height = text_width + 2 * padding, line_px * len(lines) + 2 * padding * 3 // 4
    tip = int(font.size * 0.6) if style.shape is Shape.CALLOUT else 0
    edge = max(2, int(font.size * 0.06))
    image = Image.new("RGBA", (width + 2 * edge, height + tip + 2 * edge))
    draw = ImageDraw.Draw(image)
    box = (edge, edge, edge + width - 1, edge + height - 1)
    middle = edge + width // 2
    if tip:
        corners = [(middle - tip, box[3] - edge), (middle + tip, box[3] - edge), (middle, box[3] + tip)]
        draw.polygon(corners, fill=style.fill, outline=OUTLINE_COLOUR, width=edge)
    draw.rounded_rectangle(box, radius=padding * 2 // 3, fill=style.fill, outline=OUTLINE_COLOUR, width=edge)
    if tip:
        inner = [(middle - tip + 2 * edge, box[3] - 2 * edge), (middle + tip - 2 * edge, box[3] - 2 * edge)]
        draw.polygon([*inner, (middle, box[3] + tip - 2 * edge)], fill=style.fill)
    for index, line in enumerate(lines):
        at = (edge + width / 2, edge + padding * 3 / 4 + line_px * (index + 0.5))
        draw.text(at, line, font=font, fill=TEXT_COLOUR, anchor="mm", stroke_width=font.size / 45)
    return image


def _tilted(rgba: ByteImage, tilt: float) -> ByteImage:
    """The sprite seen from the side, one edge nearer than the other."""
    height, width = rgba.shape[:2]
    near, far = height, height * (1 - abs(tilt))
    left, right = (far, near) if tilt > 0 else (near, far)
    narrowed = width * (1 - abs(tilt) / 3)
    source = np.array([(0, 0), (width, 0), (width, height), (0, height)], dtype=np.float32)
    target = np.array(
        [
            (0, (height - left) / 2),
            (narrowed, (height - right) / 2),
            (narrowed, (height + right) / 2),
            (0, (height + left) / 2),
        ],
        dtype=np.float32,
    )
    matrix = cv2.getPerspectiveTransform(source, target)
    size = (int(np.ceil(narrowed)), height)
    return np.asarray(cv2.warpPerspective(rgba, matrix, size, flags=cv2.INTER_AREA), dtype=np.uint8)
