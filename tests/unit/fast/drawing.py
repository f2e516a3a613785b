"""Pictures with panels of text, drawn with the font that Pillow carries."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import Point, TextLine

MINT = (160, 245, 180)
SKY = (150, 200, 235)
INK = (15, 20, 40)


@dataclass(frozen=True)
class Drawn:
    """A panel: lines of text with a margin of one text height around."""

    text: str
    x_px: int
    y_px: int
    height_px: int = 40
    ground: tuple[int, int, int] = MINT
    ink: tuple[int, int, int] = INK


def scene(width_px: int = 1280, height_px: int = 720, *panels: Drawn, seed: int = 7) -> ByteImage:
    """A noisy grey room with panels in it; shape ``(height, width, 3)``."""
    noise = np.random.default_rng(seed).integers(0, 60, (height_px // 8 + 1, width_px // 8 + 1, 3))
    room = cv2.resize((noise + 60).astype(np.uint8), (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    picture = Image.fromarray(room)
    for panel in panels:
        draw(picture, panel)
    return np.asarray(picture, dtype=np.uint8).copy()


def draw(picture: Image.Image, panel: Drawn) -> None:
    font = ImageFont.load_default(size=panel.height_px)
    painter = ImageDraw.Draw(picture)
    left, top, right, bottom = painter.multiline_textbbox((0, 0), panel.text, font=font)
    margin = panel.height_px * 0.7
    x, y = panel.x_px, panel.y_px
    painter.rectangle((x, y, x + right - left + 2 * margin, y + bottom - top + 2 * margin), fill=panel.ground)
    painter.multiline_text((x + margin - left, y + margin - top), panel.text, fill=panel.ink, font=font)


def turned(picture: ByteImage, degrees: float) -> ByteImage:
    """The picture turned about its middle, counter-clockwise."""
    height, width = picture.shape[:2]
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    return np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), borderMode=cv2.BORDER_REFLECT), dtype=np.uint8
    )


def text_line(
    text: str,
    x_px: float,
    y_px: float,
    width_px: float,
    height_px: float,
    *,
    degrees: float = 0.0,
    picture: tuple[int, int] = (1280, 720),
    confidence: float = 0.99,
) -> TextLine:
    """A line whose top left corner is at x, y, turned clockwise about it; all in pixels of a picture."""
    turn = np.radians(degrees)
    along, down = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    start = np.array([x_px, y_px])
    corners = (
        start,
        start + along * width_px,
        start + along * width_px + down * height_px,
        start + down * height_px,
    )
    points = [Point(float(c[0]) / picture[0], float(c[1]) / picture[1]) for c in corners]
    return TextLine(text, confidence, (points[0], points[1], points[2], points[3]))


def box_px(box: Box, picture: ByteImage) -> tuple[float, float, float, float]:
    """Left, top, right and bottom in pixels."""
    height, width = picture.shape[:2]
    left, top = box.x_norm * width, box.y_norm * height
    return left, top, left + box.w_norm * width, top + box.h_norm * height
