"""Signs: ISO 7010 shapes, a few road signs, door plates, and restroom signs as buildings have them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from models.assets.library import Form, Library, read_classes
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas, Point, arc, rounded_box, rounded_polygon
from models.scenes.art.colours import BLACK, BLUE, GREEN, LOUD, QUIET, RED, WHITE, YELLOW, ink_on, jitter
from models.scenes.art.content import Carried, place, spoken
from models.scenes.art.drawings import DRAWINGS
from models.scenes.art.element import WHOLE, Art, Colour, Part, trim
from models.scenes.art.glyph import Glyph
from models.scenes.art.glyphs import can_show, drawn_glyph, glyph_of
from models.scenes.art.kit import Kit
from models.scenes.art.typeface import typeface, write

# ISO 3864-1: band of a warning triangle about 0.06 of its side, ring 0.1 and bar 0.08 of a disc's diameter.
TRIANGLE_BAND = 0.06
RING, BAR = 0.1, 0.08

SIGN_FORMS: tuple[Form, ...] = (
    "warning", "prohibition", "mandatory", "safe", "fire", "notice", "plate", "ghs", "traffic",
)  # fmt: skip


ACCESSIBLE_RESTROOM = "restroom_accessible"
"""Figures and a wheelchair on one sign: too small to be found each by itself, so the sign has a class."""
ACCESSIBLE_RESTROOM_NEEDS = "wheelchair"


SAID_BY_SHAPE: Mapping[Form, str] = MappingProxyType(
    {"prohibition": "crossed", "mandatory": "mandatory", "warning": "warning"}
)
"""What the shape of a sign says whatever is on it (ISO 3864-1), as the class of a sign of no class."""


def sign_forms(cls: str) -> tuple[Form, ...]:
    """The sign shapes a class comes in; empty for classes that are no signs."""
    return tuple(form for form in read_classes()[cls].forms if form in SIGN_FORMS)


def paint_sign(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    cls: str,
    form: Form | None = None,
    text: str = "",
    height_px: float = 160,
) -> Art:
    """One sign; `text` goes on a strip below it.

    Raises:
        ValueError: the class has no such sign.
    """
    forms = sign_forms(cls)
    if form is None and forms:
        form = forms[int(rng.integers(len(forms)))]
    if form is None or form not in forms:
        raise ValueError(
            f"{cls} has no {form or 'sign'} form; classes.yaml lists {', '.join(forms) or 'none'}"
        )
    kit = Kit(rng, split, library)
    side = height_px if not text else height_px * float(rng.uniform(0.62, 0.74))
    width = side * (1.0 if not text else float(rng.uniform(1.0, 1.5)))
    canvas = Canvas(width + 4, height_px + 4)
    whole: Box = (2, 2, width, height_px)
    backed = bool(text) or rng.random() < 0.15
    if backed:
        backing = jitter(WHITE, rng, 0.05) if rng.random() < 0.7 else QUIET[int(rng.integers(len(QUIET)))]
        canvas.fill(rounded_box(whole, float(rng.choice([0.0, 0.06])) * side), backing)
    inset = side * 0.05 if backed else 0.0
    box: Box = (2 + (width - side) / 2 + inset, 2 + inset, side - 2 * inset, side - 2 * inset)
    if cls == "restroom" and form == "plate" and rng.random() < 0.4:
        parts, source = _restroom_disc(canvas, box, kit)
        cls = ACCESSIBLE_RESTROOM if any(part.cls == "wheelchair" for part in parts) else cls
    elif cls == ACCESSIBLE_RESTROOM:
        parts, source = _accessible_restroom(canvas, box, form, kit)
    else:
        parts, source = _shape(canvas, box, cls, form, kit)
    if text:
        strip: Box = (2 + width * 0.05, 2 + side, width * 0.9, height_px - side - height_px * 0.03)
        ink = ink_on(backing, rng, faint=0.0)
        parts = (*parts, *write(canvas, text, strip, typeface(rng, split, library), ink, max_lines=2))
    art = Art(canvas.finish(), "sign", cls, spoken(parts), None, parts, source=source, styles=(form,))
    return trim(art).with_(body_norm=WHOLE)


def paint_other_sign(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    glyph: Glyph,
    form: Form,
    height_px: float = 160,
) -> Art:
    """A sign with any picture on it; its class is what its shape says (``SAID_BY_SHAPE``).

    Raises:
        KeyError: the shape says nothing by itself.
    """
    cls = SAID_BY_SHAPE[form]
    kit = Kit(rng, split, library)
    canvas = Canvas(height_px + 4, height_px + 4)
    box: Box = (2, 2, height_px, height_px)
    _around(canvas, box, form, glyph, kit)
    art = Art(canvas.finish(), "sign", cls, source=glyph.source, styles=(form,))
    return trim(art).with_(body_norm=WHOLE)


def _shape(canvas: Canvas, box: Box, cls: str, form: Form, kit: Kit) -> tuple[tuple[Part, ...], str]:
    if form == "traffic":
        return _traffic(canvas, box, cls, kit)
    if form == "prohibition":
        glyph = _to_cross_out(cls, kit)
        _around(canvas, box, form, glyph, kit)
        return (), f"crossed:{glyph.source}"
    # Most packages' warning icons are triangles themselves: the exclamation mark in a triangle is ours.
    mark = cls == "warning"
    glyph = (
        drawn_glyph(cls, DRAWINGS[cls][0], 6.0)
        if mark
        else glyph_of(cls, kit.rng, kit.split, kit.library, colour=False, drawn=0.5)
    )
    _around(canvas, box, form, glyph, kit)
    return (), glyph.source


def _around(canvas: Canvas, box: Box, form: Form, glyph: Glyph, kit: Kit) -> None:
    """The shape of a sign with a picture on it."""
    if form == "prohibition":
        _prohibition(canvas, box, glyph, kit)
    elif form == "warning":
        _warning(canvas, box, glyph, kit)
    elif form == "ghs":
        _diamond(canvas, box, glyph)
    else:
        _tile(canvas, box, form, glyph, kit)


def _shrunk(box: Box, share: float) -> Box:
    x, y, width, height = box
    return (x + width * (1 - share) / 2, y + height * (1 - share) / 2, width * share, height * share)


def _put(canvas: Canvas, glyph: Glyph, box: Box, ink: Colour) -> None:
    place(canvas, Carried("pictogram", "", glyph.ink), box, ink)


def _disc(canvas: Canvas, box: Box, colour: Colour, share: float = 1.0) -> None:
    x, y, width, height = box
    canvas.fill(arc((x + width / 2, y + height / 2), width / 2 * share, 0, 360, steps=64), colour)


def _warning(canvas: Canvas, box: Box, glyph: Glyph, kit: Kit) -> None:
    x, y, side, _ = box
    rise = side * math.sqrt(3) / 2
    top = y + (side - rise) / 2
    corners: list[Point] = [(x + side / 2, top), (x + side, top + rise), (x, top + rise)]
    yellow = jitter(YELLOW, kit.rng, 0.06)
    if kit.rng.random() < 0.6:
        yellow = jitter((255, 204, 0), kit.rng, 0.05)
    centre = (x + side / 2, top + rise * 2 / 3)

    def scaled(share: float) -> list[Point]:
        return [
            (centre[0] + (px - centre[0]) * share, centre[1] + (py - centre[1]) * share) for px, py in corners
        ]

    edge_yellow = kit.rng.random() < 0.3
    canvas.fill(rounded_polygon(corners, side * 0.09), yellow if edge_yellow else BLACK)
    if edge_yellow:
        canvas.fill(rounded_polygon(scaled(0.94), side * 0.085), BLACK)
    inner = 1 - TRIANGLE_BAND * 2 * math.sqrt(3) * float(kit.rng.uniform(0.85, 1.2))
    canvas.fill(rounded_polygon(scaled(inner), side * 0.05), yellow)
    # The largest upright box that stays clear of the band is about 0.46 of the side wide.
    _put(canvas, glyph, (x + side * 0.29, top + rise * 0.37, side * 0.42, rise * 0.5), BLACK)


def _diamond(canvas: Canvas, box: Box, glyph: Glyph) -> None:
    x, y, side, _ = box
    middle = (x + side / 2, y + side / 2)
    for share, colour in ((1.0, (220, 30, 35)), (0.84, WHITE)):
        half = side / 2 * share
        points = [(middle[0], middle[1] - half), (middle[0] + half, middle[1])]
        canvas.fill([*points, (middle[0], middle[1] + half), (middle[0] - half, middle[1])], colour)
    _put(canvas, glyph, _shrunk(box, 0.44), BLACK)


def _tile(canvas: Canvas, box: Box, form: Form, glyph: Glyph, kit: Kit) -> None:
    x, y, side, _ = box
    round_corner = side * float(kit.rng.choice([0.0, 0.06, 0.12]))
    colours: dict[Form, Colour] = {"mandatory": BLUE, "safe": GREEN, "fire": RED, "notice": BLUE}
    colour = jitter(colours.get(form, BLUE), kit.rng, 0.06)
    if form in ("mandatory", "notice") and kit.rng.random() < 0.4:
        colour = jitter((0, 91, 172), kit.rng, 0.06)
    if form == "safe" and kit.rng.random() < 0.4:
        colour = jitter((0, 150, 80), kit.rng, 0.05)
    if form == "fire" and kit.rng.random() < 0.5:
        colour = jitter((205, 25, 30), kit.rng, 0.05)
    if form == "plate":
        pool = LOUD if kit.rng.random() < 0.4 else QUIET
        colour = jitter(pool[int(kit.rng.integers(len(pool)))], kit.rng)
    ink = ink_on(colour, kit.rng, faint=0.0) if form == "plate" else WHITE
    if form == "mandatory":
        _disc(canvas, box, colour)
        _put(canvas, glyph, _shrunk(box, 0.62), WHITE)
        return
    canvas.fill(rounded_box(box, round_corner), colour)
    if kit.rng.random() < 0.3:
        inset = side * 0.03
        inner: Box = (x + inset, y + inset, side - 2 * inset, side - 2 * inset)
        canvas.line(rounded_box(inner, round_corner), side * 0.018, ink, closed=True)
    _put(canvas, glyph, _shrunk(box, float(kit.rng.uniform(0.62, 0.8))), ink)


def _to_cross_out(cls: str, kit: Kit) -> Glyph:
    base = read_classes()[cls].crossed
    if cls == "no_phone":
        return drawn_glyph("phone", DRAWINGS["phone"][0], 7.0)
    if base and can_show(base, kit.split, kit.library):
        return glyph_of(base, kit.rng, kit.split, kit.library, colour=False)
    raise ValueError(f"{cls} names no class to cross out")


def _prohibition(canvas: Canvas, box: Box, glyph: Glyph, kit: Kit) -> None:
    red = jitter((200, 25, 35) if kit.rng.random() < 0.6 else RED, kit.rng, 0.05)
    under = kit.rng.random() < 0.8
    _disc(canvas, box, red)
    _disc(canvas, box, WHITE, 1 - 2 * RING)
    if under:
        _put(canvas, glyph, _shrunk(box, 0.54), BLACK)
    _bar(canvas, box, red)
    if not under:
        _put(canvas, glyph, _shrunk(box, 0.54), BLACK)


def _bar(canvas: Canvas, box: Box, red: Colour, *, both: bool = False) -> None:
    x, y, side, _ = box
    reach = side * (0.5 - RING / 2) * math.sqrt(0.5)
    middle = (x + side / 2, y + side / 2)
    for sign in (1, -1) if both else (1,):
        ends = [(middle[0] - reach * sign, middle[1] - reach), (middle[0] + reach * sign, middle[1] + reach)]
        canvas.line(ends, side * BAR, red)


def _traffic(canvas: Canvas, box: Box, cls: str, kit: Kit) -> tuple[tuple[Part, ...], str]:
    x, y, side, _ = box
    blue, red = jitter((0, 80, 160), kit.rng, 0.06), jitter((200, 20, 30), kit.rng, 0.05)
    if cls == "no_entry":
        _disc(canvas, box, red)
        if kit.rng.random() < 0.4:
            canvas.line(arc((x + side / 2, y + side / 2), side * 0.47, 0, 360, steps=64), side * 0.02, WHITE)
        canvas.fill(
            rounded_box((x + side * 0.14, y + side * 0.41, side * 0.72, side * 0.18), side * 0.02), WHITE
        )
        return (), "drawn:no_entry"
    if cls == "stop_sign":
        corners = arc((x + side / 2, y + side / 2), side * 0.54, 22.5, 337.5, steps=7)
        canvas.fill(corners, red)
        canvas.line(
            [
                (x + side / 2 + (px - x - side / 2) * 0.92, y + side / 2 + (py - y - side / 2) * 0.92)
                for px, py in corners
            ],
            side * 0.025,
            WHITE,
            closed=True,
        )
        word = (x + side * 0.1, y + side * 0.3, side * 0.8, side * 0.4)
        return write(
            canvas, "STOP", word, typeface(kit.rng, kit.split, kit.library, bold=1.0), WHITE
        ), "drawn:stop_sign"
    if cls == "parking":
        canvas.fill(rounded_box(box, side * float(kit.rng.choice([0.0, 0.08, 0.16]))), blue)
        _letter(canvas, _shrunk(box, 0.7), WHITE, kit)
        return (), "drawn:parking"
    if (
        kit.rng.random() < 0.5
    ):  # Vienna: blue disc, red ring and bar, no letter; some countries cross it twice
        _disc(canvas, box, red)
        _disc(canvas, box, blue, 1 - 2 * RING)
        lettered = kit.rng.random() < 0.4
        if lettered:
            _letter(canvas, _shrunk(box, 0.5), WHITE, kit)
        _bar(canvas, box, red, both=not lettered and kit.rng.random() < 0.25)
    else:
        _disc(canvas, box, red)
        _disc(canvas, box, WHITE, 1 - 2 * RING)
        _letter(canvas, _shrunk(box, 0.56), BLACK, kit)
        _bar(canvas, box, red)
    return (), "drawn:no_parking"


def _letter(canvas: Canvas, box: Box, ink: Colour, kit: Kit) -> None:
    """A P; not reported as text: it is the pictogram itself."""
    if kit.rng.random() < 0.3:
        _put(canvas, drawn_glyph("parking", DRAWINGS["parking"][0], 6.0), box, ink)
    else:
        write(
            canvas,
            "P",
            (box[0], box[1] - box[3] * 0.12, box[2], box[3] * 1.24),
            typeface(kit.rng, kit.split, kit.library, bold=1.0),
            ink,
        )


def _accessible_restroom(canvas: Canvas, box: Box, form: Form, kit: Kit) -> tuple[tuple[Part, ...], str]:
    """The disc with a wheelchair, or figures and a wheelchair side by side or one above the other."""
    if form == "plate" and kit.rng.random() < 0.45:
        return _restroom_disc(canvas, box, kit, chair=True)
    x, y, side, _ = box
    blue = form == "notice" or kit.rng.random() < 0.4
    colour = jitter(BLUE if blue else QUIET[int(kit.rng.integers(len(QUIET)))], kit.rng, 0.08)
    ink = ink_on(colour, kit.rng, faint=0.0)
    canvas.fill(rounded_box(box, side * float(kit.rng.choice([0.0, 0.06, 0.12]))), colour)
    people = (("restroom",), ("restroom",), ("men", "women"), ("women", "men"))[int(kit.rng.integers(4))]
    glyphs = [glyph_of(one, kit.rng, kit.split, kit.library, colour=False) for one in people]
    chair = glyph_of("wheelchair", kit.rng, kit.split, kit.library, colour=False)
    gap = side * 0.05
    if kit.rng.random() < 0.7:
        share = float(kit.rng.uniform(0.28, 0.42))
        each = (side * 0.9 - gap) * (1 - share) / len(glyphs)
        row = (x + side * 0.05, y + side * 0.2, side * 0.6)
        chair_box: Box = (
            x + side * 0.95 - side * 0.86 * share,
            y + side * 0.22,
            side * 0.86 * share,
            side * 0.58,
        )
    else:
        each = side * 0.7 / len(glyphs)
        row = (x + side * 0.15, y + side * 0.06, side * 0.5)
        chair_box = (x + side * 0.3, y + side * 0.6, side * 0.4, side * 0.34)
    for number, glyph in enumerate(glyphs):
        _put(canvas, glyph, (row[0] + each * number, row[1], each * 0.94, row[2]), ink)
    part = place(canvas, Carried("pictogram", "wheelchair", chair.ink), chair_box, ink)
    return (part,), chair.source


def _restroom_disc(
    canvas: Canvas, box: Box, kit: Kit, *, chair: bool = False
) -> tuple[tuple[Part, ...], str]:
    """White plate, blue disc, white triangle with two figures, the word below, often a wheelchair beside."""
    x, y, side, _ = box
    if kit.rng.random() < 0.7:
        canvas.fill(rounded_box(box, side * 0.02), WHITE)
    blue = jitter((35, 65, 190), kit.rng, 0.12)
    _disc(canvas, _shrunk(box, 0.97), blue)
    canvas.fill(
        [
            (x + side * 0.47, y + side * 0.06),
            (x + side * 0.86, y + side * 0.75),
            (x + side * 0.08, y + side * 0.75),
        ],
        WHITE,
    )
    variants = DRAWINGS["restroom"]
    glyph = drawn_glyph("restroom", variants[int(kit.rng.integers(len(variants)))], 6.0)
    _put(canvas, glyph, (x + side * 0.28, y + side * 0.3, side * 0.38, side * 0.42), blue)
    parts: tuple[Part, ...] = ()
    if (chair or kit.rng.random() < 0.6) and can_show("wheelchair", kit.split, kit.library):
        picture = glyph_of("wheelchair", kit.rng, kit.split, kit.library, colour=False)
        at: Box = (x + side * 0.73, y + side * 0.36, side * 0.17, side * 0.2)
        parts = (place(canvas, Carried("pictogram", "wheelchair", picture.ink), at, WHITE),)
    word = ("RESTROOM", "TOILET", "WC", "RESTROOMS", "TOILETS")[int(kit.rng.integers(5))]
    line: Box = (x + side * 0.22, y + side * 0.77, side * 0.56, side * 0.12)
    return (
        *parts,
        *write(canvas, word, line, typeface(kit.rng, kit.split, kit.library, bold=0.8), WHITE),
    ), glyph.source
