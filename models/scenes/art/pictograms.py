"""Pictograms as apps show them: bare, on a disc, a square or an app tile, in one colour or as an emoji."""

from __future__ import annotations

from typing import Literal

import numpy as np

from models.assets.library import Library
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas, arc, rounded_box
from models.scenes.art.colours import BLACK, LOUD, WHITE, contrast, ground, ink_on, jitter, mix
from models.scenes.art.content import Carried, place
from models.scenes.art.element import WHOLE, Art, Colour, solid_body, trim
from models.scenes.art.glyph import Glyph
from models.scenes.art.glyphs import crossed_glyph, glyph_of, icon_glyph

Backing = Literal["none", "disc", "square", "tile", "ring", "outline"]
BACKINGS: tuple[Backing, ...] = ("none", "disc", "square", "tile", "ring", "outline")


def paint_pictogram(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    cls: str,
    backing: Backing | None = None,
    colour: Colour | None = None,
    height_px: float = 120,
    glyph: Glyph | None = None,
) -> Art:
    """One pictogram. `glyph` overrides what is drawn; without it one of the class is chosen for the split."""
    if glyph is None:
        glyph = glyph_of(cls, rng, split, library, colour=backing is None and colour is None)
    if backing is None:
        share = (
            (0.42, 0.2, 0.08, 0.14, 0.08, 0.08)
            if glyph.colours is None
            else (0.8, 0.08, 0.04, 0.08, 0.0, 0.0)
        )
        backing = BACKINGS[int(rng.choice(len(BACKINGS), p=share))]
    shadow = backing != "none" and rng.random() < 0.2
    margin = 4.0 + (height_px * 0.08 if shadow else 0.0)
    height, width = glyph.ink.shape
    wide = height_px * width / height if backing == "none" and height > 0 else height_px
    wide = min(wide, height_px * 2.2)
    canvas = Canvas(wide + 2 * margin, height_px + 2 * margin)
    box: Box = (margin, margin, wide, height_px)
    if backing == "none":
        _bare(canvas, box, glyph, colour, rng)
    else:
        _backed(canvas, box, glyph, backing, colour=colour, rng=rng, shadow=shadow)
    art = trim(Art(canvas.finish(), "pictogram", cls, source=glyph.source, styles=(backing,)))
    return solid_body(art) if shadow else art.with_(body_norm=WHOLE)


def other_pictogram(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    source: str,
    name: str,
    crossed: bool = False,
    height_px: float = 120,
) -> Art:
    """Any picture of a package, for pictograms outside the classes; its class is "other" or "crossed"."""
    glyph = icon_glyph(library, source, name)
    if crossed:
        glyph = crossed_glyph(glyph, rng)
    cls = "crossed" if crossed else "other"
    return paint_pictogram(rng, split, library, cls=cls, height_px=height_px, glyph=glyph)


def carried_pictogram(
    cls: str, rng: np.random.Generator, split: Split, library: Library, *, colour: bool = True
) -> Carried:
    """A pictogram to be put on a panel, an arrow or a tag."""
    glyph = glyph_of(cls, rng, split, library, colour=colour)
    if glyph.colours is not None:
        return Carried("pictogram", cls, glyph.colours)
    if colour and rng.random() < 0.2:
        art = paint_pictogram(rng, split, library, cls=cls, backing="disc", height_px=140, glyph=glyph)
        return Carried("pictogram", cls, art.rgba)
    return Carried("pictogram", cls, glyph.ink)


def _bare(canvas: Canvas, box: Box, glyph: Glyph, colour: Colour | None, rng: np.random.Generator) -> None:
    if glyph.colours is not None:
        place(canvas, Carried("pictogram", "", glyph.colours), box, BLACK)
        return
    if colour is None:
        pool: tuple[Colour, ...] = (BLACK, WHITE, WHITE, *LOUD)
        colour = jitter(pool[int(rng.integers(len(pool)))], rng)
    if rng.random() < 0.25:  # a halo, so that it reads on any background
        halo = WHITE if contrast(colour, WHITE) > contrast(colour, BLACK) else BLACK
        reach = max(1.0, box[3] * 0.02)
        for dx, dy in ((reach, 0), (-reach, 0), (0, reach), (0, -reach)):
            place(
                canvas, Carried("pictogram", "", glyph.ink), (box[0] + dx, box[1] + dy, box[2], box[3]), halo
            )
    place(canvas, Carried("pictogram", "", glyph.ink), box, colour)


def _backed(
    canvas: Canvas,
    box: Box,
    glyph: Glyph,
    backing: Backing,
    *,
    colour: Colour | None,
    rng: np.random.Generator,
    shadow: bool,
) -> None:
    x, y, width, height = box
    fill_colour = colour or ground(rng, loud=0.7)
    ink = ink_on(fill_colour, rng, faint=0.02)
    radius = {
        "disc": height / 2,
        "ring": height / 2,
        "square": height * 0.06,
        "tile": height * 0.22,
        "outline": height * 0.12,
    }[backing]
    outline = (
        arc((x + width / 2, y + height / 2), height / 2, 0, 360, steps=64)
        if backing in ("disc", "ring")
        else rounded_box(box, radius)
    )
    mask = canvas.polygon_mask(outline)
    if shadow:
        canvas.shadow(mask, height * 0.03, (height * 0.02, height * 0.03), BLACK, 0.4)
    if backing in ("ring", "outline"):
        canvas.lay(mask, WHITE if rng.random() < 0.5 else mix(fill_colour, WHITE, 0.85))
        inset = height * 0.035
        inner = (
            arc((x + width / 2, y + height / 2), height / 2 - inset, 0, 360, steps=64)
            if backing == "ring"
            else rounded_box((x + inset, y + inset, width - 2 * inset, height - 2 * inset), radius)
        )
        ink = fill_colour if contrast(fill_colour, WHITE) > 2.5 else BLACK
        canvas.line(inner, height * 0.055, ink, closed=True)
    elif backing == "tile" and rng.random() < 0.6:
        canvas.gradient(mask, (mix(fill_colour, WHITE, 0.25), mix(fill_colour, BLACK, 0.15)), 270)
    else:
        canvas.lay(mask, fill_colour)
    share = float(rng.uniform(0.52, 0.66 if backing in ("disc", "ring") else 0.78))
    size = height * share
    inner_box: Box = (x + (width - size) / 2, y + (height - size) / 2, size, size)
    picture = glyph.ink if glyph.colours is None else glyph.colours
    place(canvas, Carried("pictogram", "", picture), inner_box, ink)
