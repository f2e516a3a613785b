"""Flags: flat, round, framed, waving or on a pole, by ISO country code."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import cv2
import numpy as np

from models.assets.library import AssetsMissing, Library, read_countries
from models.assets.sources import FETCH_COMMAND, Split
from models.scenes.art.canvas import Canvas, arc
from models.scenes.art.colours import BLACK, WHITE
from models.scenes.art.content import Carried
from models.scenes.art.element import Art, Rgba, trim
from models.scenes.art.glyphs import rasterise

FlagStyle = Literal["plain", "framed", "round", "waving", "pole"]
FLAG_STYLES: tuple[FlagStyle, ...] = ("plain", "framed", "round", "waving", "pole")
FLAG_PX = 200


def paint_flag(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    code: str,
    style: FlagStyle | None = None,
    height_px: float = 100,
) -> Art:
    """The flag of a country by its ISO 3166-1 alpha-2 code.

    Raises:
        KeyError: no flag of this country in `flags.csv`.
        AssetsMissing: the flag packages of the split are not fetched.
    """
    country = read_countries()[code]
    sources = [key for key in library.flag_sources(split) if key in country.icons]
    if not sources:
        raise AssetsMissing(f"no flag package of {split} is here; fetch them with: {FETCH_COMMAND}")
    source = sources[int(rng.integers(len(sources)))]
    flag = flag_picture(library, source, country.icons[source])
    if style is None:
        style = FLAG_STYLES[int(rng.choice(5, p=(0.4, 0.2, 0.14, 0.16, 0.1)))]
    height, width = flag.shape[:2]
    if abs(width - height) < 0.1 * height and style in ("round", "framed"):
        style = "plain"  # round already
    wide = height_px * width / height
    picture = _styled(flag, style, wide, height_px, rng)
    art = trim(Art(picture, "flag", code, source=f"{source}:{country.icons[source]}", styles=(style,)), 0)
    return art.with_(body_norm=(0.0, 0.0, 1.0, 1.0))


def carried_flag(code: str, rng: np.random.Generator, split: Split, library: Library) -> Carried:
    """A flag to be put on a panel, an arrow or a tag."""
    art = paint_flag(rng, split, library, code=code, height_px=110)
    return Carried("flag", code, art.rgba)


@lru_cache(maxsize=1024)
def flag_picture(library: Library, source: str, name: str) -> Rgba:
    """One flag as its package draws it."""
    return rasterise(library.svg(source, name), FLAG_PX)


def _styled(flag: Rgba, style: FlagStyle, width: float, height: float, rng: np.random.Generator) -> Rgba:
    if style == "waving":
        return _waving(_sized(flag, width, height), rng)
    if style == "pole":
        return _on_pole(flag, width, height, rng)
    canvas = Canvas(width + 6, height + 6)
    if style == "round":
        canvas = Canvas(height + 6, height + 6)
        side = min(flag.shape[:2])
        left = (flag.shape[1] - side) // 2
        square = np.ascontiguousarray(flag[:, left : left + side]).copy()
        disc = np.zeros(square.shape[:2], np.uint8)
        cv2.circle(disc, (side // 2, side // 2), side // 2 - 1, 255, -1, cv2.LINE_AA)
        square[:, :, 3] = cv2.min(np.ascontiguousarray(square[:, :, 3]), disc)
        canvas.picture(square, (3, 3, height, height))
        if rng.random() < 0.5:
            canvas.line(
                arc((3 + height / 2, 3 + height / 2), height / 2 - 1, 0, 360, steps=48),
                max(1.0, height * 0.03),
                WHITE,
                closed=True,
            )
        return canvas.finish()
    canvas.picture(flag, (3, 3, width, height))
    if style == "framed":
        edge = (WHITE, BLACK, (120, 120, 120))[int(rng.integers(3))]
        line = max(1.0, height * float(rng.uniform(0.015, 0.05)))
        canvas.line(
            [(3, 3), (3 + width, 3), (3 + width, 3 + height), (3, 3 + height)], line, edge, closed=True
        )
    return canvas.finish()


def _sized(flag: Rgba, width: float, height: float) -> Rgba:
    size = (max(4, round(width)), max(4, round(height)))
    return np.asarray(cv2.resize(flag, size, interpolation=cv2.INTER_AREA), np.uint8)


def _waving(flag: Rgba, rng: np.random.Generator) -> Rgba:
    height, width = flag.shape[:2]
    swing, waves, phase = (
        height * float(rng.uniform(0.04, 0.1)),
        float(rng.uniform(0.8, 1.6)),
        float(rng.uniform(0, 6.28)),
    )
    pad = int(swing) + 2
    columns, rows = np.meshgrid(
        np.arange(width, dtype=np.float32), np.arange(height + 2 * pad, dtype=np.float32)
    )
    angle = columns / width * waves * 2 * np.pi + phase
    shifted = rows - pad + np.sin(angle).astype(np.float32) * swing
    moved = cv2.remap(
        flag, columns, shifted.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
    )
    shade = 1 + 0.18 * np.cos(angle)[:, :, None]
    moved[:, :, :3] = np.clip(moved[:, :, :3] * shade, 0, 255).astype(np.uint8)
    return np.asarray(moved, np.uint8)


def _on_pole(flag: Rgba, width: float, height: float, rng: np.random.Generator) -> Rgba:
    tall = height * 0.6
    wide = width * 0.6
    canvas = Canvas(wide + height * 0.1 + 6, height + 6)
    pole = (3.0, 3.0, height * 0.05, height)
    grey = ((190, 190, 195), (120, 85, 50), (60, 60, 60))[int(rng.integers(3))]
    canvas.fill(
        [
            (pole[0], pole[1]),
            (pole[0] + pole[2], pole[1]),
            (pole[0] + pole[2], pole[1] + pole[3]),
            (pole[0], pole[1] + pole[3]),
        ],
        grey,
    )
    cloth = _waving(_sized(flag, wide, tall), rng)
    canvas.picture(cloth, (pole[0] + pole[2], height * 0.04 + 3, wide, cloth.shape[0] * 1.0))
    return canvas.finish()
