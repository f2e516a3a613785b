"""Text panels, speech bubbles, banners, price tags and badges, with pictograms, flags and list rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from models.assets.library import Library
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas, Point, arc, rounded_box
from models.scenes.art.colours import BLACK, WHITE, ground, ink_on, jitter, mix
from models.scenes.art.content import Carried, Lettering, Side, fill, place, split_box, spoken
from models.scenes.art.element import Art, Colour, Part, trim
from models.scenes.art.typeface import Typeface, break_lines, typeface, write

PanelStyle = Literal["card", "sharp", "glass", "hologram", "bubble", "banner", "outline", "bare"]
PANEL_STYLES: tuple[PanelStyle, ...] = (
    "card",
    "sharp",
    "glass",
    "hologram",
    "bubble",
    "banner",
    "outline",
    "bare",
)


@dataclass(frozen=True)
class Sheet:
    """The ground of a panel and how text on it looks."""

    style: PanelStyle
    fill: Colour
    ink: Colour
    opacity: float
    radius: float
    edge: Colour | None
    shadow: bool
    face: Typeface
    align: str


def random_sheet(
    rng: np.random.Generator, split: Split, library: Library, style: PanelStyle | None = None
) -> Sheet:
    """A look as system dialogs, slides and AR toolkits have it."""
    if style is None:
        style = PANEL_STYLES[int(rng.choice(8, p=(0.34, 0.14, 0.16, 0.08, 0.09, 0.08, 0.07, 0.04)))]
    colour = ground(rng, loud=0.4)
    if rng.random() < 0.2:
        colour = jitter((160, 205, 255), rng, 0.05)  # the light blue of ContrAR's sample panels
    opacity, edge = 1.0, None
    if style == "glass":
        opacity = float(rng.uniform(0.5, 0.85))
    elif style == "hologram":
        colour, opacity = jitter((10, 60, 90), rng), float(rng.uniform(0.35, 0.6))
        edge = jitter((90, 230, 255), rng)
    elif style in ("outline", "bare"):
        opacity = 0.0 if style == "bare" else float(rng.uniform(0.0, 0.2))
    ink = ink_on(colour, rng)
    if style == "hologram":
        ink = mix((170, 245, 255), WHITE, float(rng.random()))
    if style in ("outline", "bare"):
        ink = WHITE if rng.random() < 0.6 else (BLACK if rng.random() < 0.5 else ground(rng, loud=1.0))
        edge = ink if style == "outline" else None
    elif edge is None and rng.random() < 0.35:
        edge = (mix(colour, BLACK, 0.5), WHITE, BLACK, (30, 90, 160))[int(rng.integers(4))]
    return Sheet(
        style=style,
        fill=colour,
        ink=ink,
        opacity=opacity,
        radius=0.0 if style in ("sharp", "banner") else float(rng.uniform(0.06, 0.3)),
        edge=edge,
        shadow=bool(style in ("card", "sharp") and rng.random() < 0.25),
        face=typeface(rng, split, library),
        align="left" if rng.random() < 0.25 else "centre",
    )


def paint_panel(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    text: str,
    header: str = "",
    rows: tuple[str, ...] = (),
    carried: Carried | None = None,
    side: Side | None = None,
    style: PanelStyle | None = None,
    height_px: float = 140,
    aspect: float | None = None,
) -> Art:
    """A panel with text, if wanted under a header, above list rows, beside a pictogram or flag.

    `aspect` is width by height; chosen to suit the text when left out. In the truth the header comes first,
    rows last.
    """
    sheet = random_sheet(rng, split, library, style)
    aspect = aspect or _aspect(text, header, sheet, rng, rows=rows, carried=carried)
    width = height_px * aspect
    extra = height_px * 0.16 if sheet.style == "bubble" else 0.0
    margin = 3 + (height_px * 0.08 if sheet.shadow else 0.0)
    canvas = Canvas(width + 2 * margin, height_px + 2 * margin)
    body: Box = (margin, margin, width, height_px - extra)
    _ground(canvas, body, extra, sheet, rng)
    pad = height_px * float(rng.uniform(0.06, 0.14))
    box: Box = (body[0] + pad, body[1] + pad * 0.8, body[2] - 2 * pad, body[3] - 1.6 * pad)
    parts: tuple[Part, ...] = ()
    if header:
        parts, box = _header(
            canvas, box, body, header, sheet=sheet, rng=rng, has_more=bool(text or rows or carried)
        )
    if rows:
        share = 0.42 if text else 0.0
        top, rest = split_box(box, "above", share, pad * 0.3) if text else (box, box)
        if text or carried:
            parts += _block(canvas, top, (text, carried), sheet, rng, side=side)
        parts += _rows(canvas, rest if text else box, rows, sheet)
    else:
        parts += _block(canvas, box, (text, carried), sheet, rng, side=side)
    art = Art(
        canvas.finish(),
        "panel",
        sheet.style,
        spoken(parts),
        None,
        parts,
        body_norm=canvas.norm((margin, margin, width, height_px)),
    )
    return trim(art) if sheet.shadow else trim(art).with_(body_norm=(0.0, 0.0, 1.0, 1.0))


def _aspect(
    text: str,
    header: str,
    sheet: Sheet,
    rng: np.random.Generator,
    *,
    rows: tuple[str, ...],
    carried: Carried | None,
) -> float:
    if rows:
        return float(rng.uniform(0.9, 1.6))
    if carried is not None and not text:
        return float(rng.uniform(1.2, 2.0)) if header else 1.2
    words = sheet.face.width(text or header)
    lines = 1 if words < 6 else (2 if words < 13 else 3)
    if sheet.style == "banner":
        lines = 1
    per_line = words / lines * (0.55 if lines == 1 else 0.36 if lines == 2 else 0.27)
    beside = 0.5 if carried is not None else 0.0
    return float(
        np.clip(
            per_line * rng.uniform(0.85, 1.25) + beside + 0.5, 1.0, 6.0 if sheet.style == "banner" else 4.2
        )
    )


def _ground(canvas: Canvas, body: Box, tail: float, sheet: Sheet, rng: np.random.Generator) -> None:
    x, y, width, height = body
    outline = rounded_box(body, sheet.radius * height)
    mask = canvas.polygon_mask(outline)
    if tail:
        at = x + width * float(rng.uniform(0.2, 0.8))
        tip: list[Point] = [
            (at - tail * 0.5, y + height - 1),
            (at + tail * 0.5, y + height - 1),
            (at - tail * 0.2, y + height + tail),
        ]
        mask = np.maximum(mask, canvas.polygon_mask(tip))
    if sheet.shadow:
        canvas.shadow(mask, height * 0.025, (height * 0.02, height * 0.035), BLACK, 0.4)
    if sheet.opacity > 0:
        if rng.random() < 0.15:
            canvas.gradient(
                mask, (mix(sheet.fill, WHITE, 0.2), mix(sheet.fill, BLACK, 0.12)), 270, sheet.opacity
            )
        else:
            canvas.lay(mask, sheet.fill, sheet.opacity)
    if sheet.edge is not None:
        line = max(1.0, height * 0.018)
        inset = line / 2
        canvas.line(
            rounded_box((x + inset, y + inset, width - line, height - line), sheet.radius * height),
            line,
            sheet.edge,
            closed=True,
        )
    if sheet.style == "hologram":
        inset = 2 + sheet.radius * height * 0.3
        for row in np.arange(y + inset, y + height - inset, max(3.0, height / 40)):
            canvas.line([(x + inset, float(row)), (x + width - inset, float(row))], 1, (120, 230, 255), 0.1)


def _header(
    canvas: Canvas,
    box: Box,
    body: Box,
    header: str,
    *,
    sheet: Sheet,
    rng: np.random.Generator,
    has_more: bool,
) -> tuple[tuple[Part, ...], Box]:
    share = float(rng.uniform(0.24, 0.36)) if has_more else 1.0
    top, rest = split_box(box, "above", share, body[3] * 0.05)
    ink = sheet.ink
    if has_more and rng.random() < 0.3 and sheet.style in ("card", "sharp"):
        bar = mix(sheet.fill, BLACK, 0.45) if rng.random() < 0.6 else ground(rng, loud=1.0)
        band = (body[0], body[1], body[2], top[1] + top[3] - body[1] + body[3] * 0.02)
        canvas.fill(rounded_box(band, sheet.radius * body[3] * 0.9), bar)
        ink = ink_on(bar, rng, faint=0.0)
    elif has_more and rng.random() < 0.3:
        y = top[1] + top[3] + body[3] * 0.025
        canvas.line([(box[0], y), (box[0] + box[2], y)], max(1.0, body[3] * 0.01), ink, 0.6)
    parts = write(canvas, header, top, sheet.face, ink, align=sheet.align, max_lines=1 if has_more else 3)
    return parts, rest


def _block(
    canvas: Canvas,
    box: Box,
    content: tuple[str, Carried | None],
    sheet: Sheet,
    rng: np.random.Generator,
    *,
    side: Side | None,
) -> tuple[Part, ...]:
    lettering = Lettering(
        sheet.face,
        sheet.ink,
        sheet.align,
        underline=bool(rng.random() < 0.04),
        max_size=box[3] * float(rng.uniform(0.35, 0.8)),
    )
    return fill(canvas, box, *content, lettering=lettering, rng=rng, side=side)


def _rows(canvas: Canvas, box: Box, rows: tuple[str, ...], sheet: Sheet) -> tuple[Part, ...]:
    step = box[3] / len(rows)
    fitting = (break_lines(row, sheet.face, box[2] * 0.92, step * 0.92, max_lines=1)[1] for row in rows)
    size = min(step * 0.7, *fitting)
    parts: tuple[Part, ...] = ()
    for index, row in enumerate(rows):
        y = box[1] + index * step
        dot = min(step, box[2] * 0.1) * 0.12
        canvas.fill(arc((box[0] + dot * 1.5, y + step / 2), dot, 0, 360), sheet.ink)
        line: Box = (box[0] + box[2] * 0.08, y, box[2] * 0.92, step)
        parts += write(canvas, row, line, sheet.face, sheet.ink, align="left", max_size=size, max_lines=1)
    return parts


def paint_tag(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    price: str,
    old_price: str = "",
    label: str = "",
    carried: Carried | None = None,
    height_px: float = 110,
) -> Art:
    """A price tag: a pierced label or a shelf edge card; an old price is struck through."""
    pierced = rng.random() < 0.55
    width = height_px * float(rng.uniform(1.4, 2.0)) + (height_px * 0.3 if pierced else 0)
    canvas = Canvas(width + 6, height_px + 6)
    colour = jitter(
        ((255, 221, 51), (244, 67, 54), WHITE, (255, 152, 0), (40, 40, 44))[int(rng.integers(5))], rng
    )
    ink = ink_on(colour, rng, faint=0.02)
    nose = height_px * 0.32 if pierced else 0.0
    x0, y0 = 3.0, 3.0
    if pierced:
        canvas.fill(
            [
                (x0, y0 + height_px / 2),
                (x0 + nose, y0),
                (x0 + width, y0),
                (x0 + width, y0 + height_px),
                (x0 + nose, y0 + height_px),
            ],
            colour,
        )
        canvas.fill(
            arc((x0 + nose * 0.75, y0 + height_px / 2), height_px * 0.06, 0, 360),
            WHITE if sum(colour) < 600 else (90, 90, 90),
        )
    else:
        canvas.fill(
            rounded_box((x0, y0, width, height_px), height_px * float(rng.choice([0.0, 0.08]))), colour
        )
    face = typeface(rng, split, library, bold=0.85)
    box: Box = (
        x0 + nose + height_px * 0.1,
        y0 + height_px * 0.08,
        width - nose - height_px * 0.2,
        height_px * 0.84,
    )
    parts: tuple[Part, ...] = ()
    if carried is not None:
        at, box = split_box(box, "right", 0.28, height_px * 0.05)
        parts += (place(canvas, carried, at, ink),)
    if label:
        top, box = split_box(box, "above", 0.28, 2)
        parts += write(canvas, label, top, face, ink, max_lines=1)
    if old_price:
        top, box = split_box(box, "above", 0.32, 2)
        struck = write(canvas, old_price, top, face, mix(ink, colour, 0.25), max_lines=1)
        for part in struck:
            bx, by, bw, bh = part.box_norm
            y = (by + bh * 0.5) * canvas.height
            canvas.line(
                [
                    (bx * canvas.width - 2, y + bh * canvas.height * 0.2),
                    ((bx + bw) * canvas.width + 2, y - bh * canvas.height * 0.2),
                ],
                max(1.5, height_px * 0.02),
                (220, 30, 30),
            )
        parts += struck
    parts += write(canvas, price, box, face, ink, max_lines=1)
    art = Art(canvas.finish(), "tag", "pierced" if pierced else "shelf", spoken(parts), None, parts)
    return trim(art).with_(body_norm=(0.0, 0.0, 1.0, 1.0))


def paint_badge(
    rng: np.random.Generator, split: Split, library: Library, *, text: str, height_px: float = 110
) -> Art:
    """A badge that shouts: star burst, disc or ribbon with a discount, NEW, SALE."""
    colour = jitter(
        ((244, 30, 40), (255, 111, 0), (233, 30, 99), (0, 150, 70), (255, 214, 0))[int(rng.integers(5))], rng
    )
    ink = ink_on(colour, rng, faint=0.0)
    style = ("burst", "disc", "ribbon")[int(rng.integers(3))]
    width = height_px * (1.0 if style != "ribbon" else float(rng.uniform(2.0, 3.0)))
    canvas = Canvas(width + 6, height_px + 6)
    centre: Point = (3 + width / 2, 3 + height_px / 2)
    if style == "burst":
        spikes, depth = int(rng.integers(10, 22)), float(rng.uniform(0.8, 0.9))
        points: list[Point] = []
        for index in range(spikes * 2):
            radius = height_px / 2 * (1.0 if index % 2 == 0 else depth)
            turn = math.pi * index / spikes
            points.append((centre[0] + radius * math.cos(turn), centre[1] + radius * math.sin(turn)))
        canvas.fill(points, colour)
    elif style == "disc":
        canvas.fill(arc(centre, height_px / 2, 0, 360, steps=64), colour)
        if rng.random() < 0.5:
            canvas.line(arc(centre, height_px * 0.45, 0, 360, steps=64), height_px * 0.02, ink, closed=True)
    else:
        cut = height_px * 0.25
        right, bottom = 3 + width, 3 + height_px
        canvas.fill(
            [
                (3, 3),
                (right, 3),
                (right - cut, centre[1]),
                (right, bottom),
                (3, bottom),
                (3 + cut, centre[1]),
            ],
            colour,
        )
    share = 0.64 if style != "ribbon" else 0.7
    box: Box = (centre[0] - width * share / 2, centre[1] - height_px * 0.29, width * share, height_px * 0.58)
    parts = write(canvas, text, box, typeface(rng, split, library, bold=0.9), ink, max_lines=3)
    art = Art(canvas.finish(), "badge", style, spoken(parts), None, parts)
    return trim(art).with_(body_norm=(0.0, 0.0, 1.0, 1.0))
