"""Pictograms as another hand would draw them: outlined, in two tones, bolder, rounder, out of shape.

Unseen packages differ from the seen ones in style more than in idea, so the training split is widened by
what turns one style into another.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from models.scenes.art.element import Mask
from models.scenes.art.glyph import Glyph

LEVELS = ("battery", "toggle", "wifi", "thermometer", "light", "door", "window", "parking")
"""Classes that differ from others in what is filled: those are not outlined or filled anew."""
WARPED, STROKED, STYLED, RECOLOURED = 0.45, 0.3, 0.22, 0.3
"""How often each happens."""
GRID, BEND = 4, 0.022
"""Of the smooth distortion: points across the picture, and how far they go, in shares of its side."""
LEAST_INK = 0.45
"""Of the ink, what thinner lines may leave."""
FILLED = 0.34
"""Share of the box that is ink from which on a pictogram counts as filled."""
_Rng = np.random.Generator
_Pixels = npt.NDArray[np.uint8]


def redrawn(glyph: Glyph, cls: str, rng: _Rng) -> Glyph:
    """The same pictogram in another style, or as it is."""
    ink, colours = glyph.ink, glyph.colours
    if colours is not None and rng.random() < RECOLOURED:
        colours = _recoloured(colours, rng)
    if colours is None and rng.random() < STROKED:
        ink = _stroked(ink, rng)
    if colours is None and not cls.startswith(LEVELS) and rng.random() < STYLED:
        ink = _two_tone(ink, rng) if rng.random() < 0.5 else _outlined(ink, rng)
    if rng.random() < WARPED:
        bent = _bent(colours if colours is not None else ink[:, :, None], rng)
        ink = np.ascontiguousarray(bent[:, :, -1])
        colours = bent if colours is not None else None
    return Glyph(ink, colours, glyph.source)


def _stroked(ink: Mask, rng: _Rng) -> Mask:
    """Bolder or thinner, corners rounded."""
    reach = int(rng.integers(3, 9))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    if rng.random() < 0.5:
        return np.asarray(
            cv2.dilate(cv2.copyMakeBorder(ink, *(reach // 2,) * 4, cv2.BORDER_CONSTANT), kernel)
        )
    thin: Mask = np.asarray(cv2.erode(ink, kernel), np.uint8)
    return thin if float(thin.sum()) > LEAST_INK * float(ink.sum()) else ink


def _outlined(ink: Mask, rng: _Rng) -> Mask:
    """The edge of what is filled, as a line."""
    if float((ink > 127).mean()) < FILLED:
        return ink
    width = int(rng.integers(9, 15))
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (width, width))
    inner = np.asarray(cv2.erode(cv2.copyMakeBorder(ink, *(2,) * 4, cv2.BORDER_CONSTANT), kernel), np.uint8)
    return np.asarray(cv2.subtract(ink, np.ascontiguousarray(inner[2:-2, 2:-2])), np.uint8)


def _two_tone(ink: Mask, rng: _Rng) -> Mask:
    """A paler ground within the outer edge of the picture."""
    edges, _ = cv2.findContours((ink > 127).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    ground = np.zeros_like(ink)
    cv2.drawContours(ground, edges, -1, int(rng.integers(60, 130)), cv2.FILLED, cv2.LINE_AA)
    return np.asarray(np.maximum(ink, ground), np.uint8)


def _bent(picture: _Pixels, rng: _Rng) -> _Pixels:
    """Wider or higher, slanted, and smoothly out of place; (h, w, n) stays within a box of another size."""
    height, width = picture.shape[:2]
    stretch = float(np.exp(rng.normal(0, 0.12)))
    size = (max(8, round(width * stretch)), max(8, round(height / stretch)))
    rim = round(0.08 * max(size))
    inner = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    inner = inner.reshape(size[1], size[0], -1)
    padded = cv2.copyMakeBorder(inner, rim, rim, rim, rim, cv2.BORDER_CONSTANT)
    padded = np.asarray(padded, np.uint8).reshape(size[1] + 2 * rim, size[0] + 2 * rim, -1)
    rows, columns = padded.shape[:2]
    grid = rng.normal(0, BEND * max(size), (2, GRID, GRID)).astype(np.float32)
    off = [cv2.resize(one, (columns, rows), interpolation=cv2.INTER_CUBIC) for one in grid]
    y, x = np.mgrid[0:rows, 0:columns].astype(np.float32)
    slant = float(np.clip(rng.normal(0, 0.06), -0.12, 0.12))
    moved = cv2.remap(padded, x + off[0] + slant * (y - rows / 2), y + off[1], cv2.INTER_LINEAR)
    moved = np.asarray(moved, np.uint8).reshape(rows, columns, -1)
    x0, y0, across, down = cv2.boundingRect((moved[:, :, -1] > 8).astype(np.uint8))
    return np.ascontiguousarray(moved[y0 : y0 + down, x0 : x0 + across]) if across and down else picture


def _recoloured(colours: _Pixels, rng: _Rng) -> _Pixels:
    """An emoji in other colours, paler, or grey."""
    hsv = cv2.cvtColor(np.ascontiguousarray(colours[:, :, :3]), cv2.COLOR_RGB2HSV).astype(np.float32)
    hsv[:, :, 0] = (hsv[:, :, 0] + float(rng.normal(0, 25))) % 180
    hsv[:, :, 1] *= 0.0 if rng.random() < 0.25 else float(rng.uniform(0.5, 1.2))
    rgb = cv2.cvtColor(np.clip(hsv, 0, 255).astype(np.uint8), cv2.COLOR_HSV2RGB)
    return np.dstack([rgb, colours[:, :, 3]])
