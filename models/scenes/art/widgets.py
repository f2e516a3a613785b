"""Status symbols with a value: batteries at any level, switches, padlocks, Wi-Fi, thermometers, lamps."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from models.assets.library import Library
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas, Point, arc, rounded_box
from models.scenes.art.colours import BLACK, LOUD, WHITE, contrast, ground, ink_on, jitter, mix
from models.scenes.art.content import spoken
from models.scenes.art.element import WHOLE, Art, Colour, Part, trim
from models.scenes.art.typeface import typeface, write

# Levels at which the lexicon's words hold; between them a picture is called by the nearer word.
EMPTY_UP_TO, LOW_UP_TO, FULL_FROM = 0.05, 0.32, 0.8
LEVELS: dict[str, tuple[float, float]] = {
    "battery_empty": (0.0, 0.03),
    "battery_low": (0.06, 0.26),
    "battery_half": (0.42, 0.62),
    "battery_full": (0.92, 1.0),
}
GREEN_ON, RED_ON, AMBER_ON = (52, 199, 89), (255, 59, 48), (255, 179, 0)
# Drawn looks differ by split as packages do: (upright, segments, rounding), segments 0 for one filled block.
BATTERY_LOOKS: dict[Split, tuple[tuple[bool, int, float], ...]] = {
    "train": (
        (False, 0, 0.16),
        (False, 4, 0.1),
        (True, 0, 0.14),
        (True, 5, 0.08),
        (False, 5, 0.2),
        (False, 0, 0.04),
    ),
    "validation": ((False, 3, 0.14), (True, 0, 0.24)),
    "test": ((False, 0, 0.28), (True, 4, 0.16), (False, 6, 0.06)),
}


def battery_class(level: float, *, charging: bool = False) -> str:
    """The class of a battery at a level 0..1."""
    if charging:
        return "battery_charging"
    if level <= EMPTY_UP_TO:
        return "battery_empty"
    if level <= LOW_UP_TO:
        return "battery_low"
    return "battery_full" if level >= FULL_FROM else "battery_half"


def symbol_colour(rng: np.random.Generator) -> Colour:
    """Ink of a symbol that stands free."""
    pool: tuple[Colour, ...] = (WHITE, WHITE, BLACK, (40, 44, 52), *LOUD[:6])
    return jitter(pool[int(rng.integers(len(pool)))], rng)


def paint_battery(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    level: float,
    charging: bool = False,
    percent_text: bool | None = None,
    coloured: bool | None = None,
    height_px: float = 100,
) -> Art:
    """A battery at a level 0..1; empty ones show no charge at all, not even a sliver."""
    looks = BATTERY_LOOKS[split]
    upright, segments, rounding = looks[int(rng.integers(len(looks)))]
    percent_text = rng.random() < 0.3 if percent_text is None else percent_text
    coloured = rng.random() < 0.65 if coloured is None else coloured
    ink = symbol_colour(rng)
    ratio = float(rng.uniform(1.7, 2.2))
    long, short = (
        (height_px, height_px / ratio) if upright else (height_px * 1.0 * ratio * 0.62, height_px * 0.62)
    )
    case_w, case_h = (short, long) if upright else (long, short)
    label = case_h * 0.9 if percent_text and not upright else case_w * 0.8
    width = case_w + (label * 1.5 if percent_text else 0) + 8
    canvas = Canvas(width, case_h + 8)
    case: Box = (4, 4, case_w, case_h)
    inner = _battery_case(canvas, case, ink, upright=upright, rounding=rounding)
    charge = _charge_colour(level, charging=charging) if coloured else ink
    shown = 0.0 if level <= EMPTY_UP_TO else level
    _battery_charge(canvas, inner, shown, charge, upright=upright, segments=segments)
    if charging:
        _bolt(
            canvas,
            case,
            WHITE if contrast(charge, WHITE) > 1.8 and shown > 0.4 else ink,
            outline=mix(ink, BLACK, 0.6),
        )
    parts: tuple[Part, ...] = ()
    if percent_text:
        box: Box = (case_w + 8, 4 + case_h * 0.2, width - case_w - 12, case_h * 0.6)
        parts = write(canvas, f"{round(level * 100)}%", box, typeface(rng, split, library), ink)
    art = Art(
        canvas.finish(), "pictogram", battery_class(level, charging=charging), spoken(parts), None, parts
    )
    return trim(art).with_(body_norm=WHOLE)


def _battery_case(canvas: Canvas, case: Box, ink: Colour, *, upright: bool, rounding: float) -> Box:
    x, y, width, height = case
    short = min(width, height)
    line = max(1.5, short * 0.09)
    knob = short * 0.12
    if upright:
        canvas.fill(rounded_box((x + width * 0.33, y, width * 0.34, knob * 1.2), knob * 0.3), ink)
        body: Box = (x, y + knob, width, height - knob)
    else:
        canvas.fill(
            rounded_box((x + width - knob * 1.2, y + height * 0.33, knob * 1.2, height * 0.34), knob * 0.3),
            ink,
        )
        body = (x, y, width - knob, height)
    half = line / 2
    frame: Box = (body[0] + half, body[1] + half, body[2] - line, body[3] - line)
    canvas.fill(rounded_box(frame, short * rounding), mix(BLACK, ink, 0.1), 0.25)
    canvas.line(rounded_box(frame, short * rounding), line, ink, closed=True)
    gap = line * 1.7
    return (body[0] + gap, body[1] + gap, body[2] - 2 * gap, body[3] - 2 * gap)


def _charge_colour(level: float, *, charging: bool) -> Colour:
    if level <= LOW_UP_TO and not charging:
        return RED_ON if level <= 0.2 else AMBER_ON
    return GREEN_ON


def _battery_charge(
    canvas: Canvas, inner: Box, level: float, colour: Colour, *, upright: bool, segments: int
) -> None:
    x, y, width, height = inner
    radius = min(width, height) * 0.08
    if level <= 0:
        return
    if segments == 0:
        if upright:
            canvas.fill(rounded_box((x, y + height * (1 - level), width, height * level), radius), colour)
        else:
            canvas.fill(rounded_box((x, y, width * level, height), radius), colour)
        return
    for index in range(max(1, round(level * segments))):
        share, pad = 1 / segments, 0.18 / segments
        if upright:
            box: Box = (x, y + height * (1 - (index + 1) * share + pad / 2), width, height * (share - pad))
        else:
            box = (x + width * (index * share + pad / 2), y, width * (share - pad), height)
        canvas.fill(rounded_box(box, radius * 0.5), colour)


def _bolt(canvas: Canvas, box: Box, colour: Colour, outline: Colour) -> None:
    x, y, width, height = box
    size = min(width, height) * 0.95
    cx, cy = x + width / 2, y + height / 2
    shape = ((0.12, -0.5), (-0.3, 0.08), (-0.02, 0.08), (-0.12, 0.5), (0.3, -0.1), (0.02, -0.1))
    points: list[Point] = [(cx + px * size, cy + py * size) for px, py in shape]
    canvas.line(points, size * 0.1, outline, closed=True)
    canvas.fill(points, colour)


def paint_toggle(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    on: bool,
    height_px: float = 60,
    word: bool | None = None,
) -> Art:
    """A slide switch: knob right and coloured is on."""
    word = rng.random() < 0.25 if word is None else word
    width = height_px * float(rng.uniform(1.7, 2.1))
    canvas = Canvas(width + 8 + (height_px * 1.3 if word else 0), height_px + 8)
    track: Box = (4, 4, width, height_px)
    colour = (
        jitter((GREEN_ON, (33, 150, 243), (0, 150, 136))[int(rng.integers(3))], rng)
        if on
        else jitter((150, 150, 155), rng)
    )
    outlined = not on and rng.random() < 0.3
    canvas.fill(rounded_box(track, height_px / 2), mix(colour, WHITE, 0.7) if outlined else colour)
    if outlined:
        inset = height_px * 0.04
        canvas.line(
            rounded_box((4 + inset, 4 + inset, width - 2 * inset, height_px - 2 * inset), height_px / 2),
            height_px * 0.07,
            colour,
            closed=True,
        )
    radius = height_px * float(rng.uniform(0.36, 0.44))
    x = 4 + (width - height_px / 2 if on else height_px / 2)
    canvas.fill(arc((x, 4 + height_px / 2), radius, 0, 360, steps=48), colour if outlined else WHITE)
    parts: tuple[Part, ...] = ()
    if word:
        box: Box = (width + 8, 4 + height_px * 0.15, height_px * 1.25, height_px * 0.7)
        parts = write(canvas, "ON" if on else "OFF", box, typeface(rng, split, library), symbol_colour(rng))
    art = Art(canvas.finish(), "pictogram", "toggle_on" if on else "toggle_off", spoken(parts), None, parts)
    return trim(art).with_(body_norm=WHOLE)


def paint_padlock(rng: np.random.Generator, *, is_open: bool, height_px: float = 110) -> Art:
    """A padlock; an open one has its shackle clearly out of the body, swung aside or lifted on one leg."""
    metal = jitter(
        ((255, 193, 7), (200, 200, 205), WHITE, (60, 60, 65), (244, 67, 54), GREEN_ON)[int(rng.integers(6))],
        rng,
    )
    steel = metal if rng.random() < 0.5 else mix(metal, (120, 120, 125), 0.6)
    width = height_px * float(rng.uniform(0.72, 0.85))
    swung = is_open and rng.random() < 0.5
    canvas = Canvas(width * (1.65 if swung else 1.0) + 8, height_px + 8)
    body_top = 4 + height_px * 0.46
    line = width * float(rng.uniform(0.11, 0.15))
    radius = width * 0.27
    centre = 4 + width / 2
    if swung:
        side = 1 if rng.random() < 0.5 else -1
        offset = width * 0.0 if side > 0 else width * 0.62
        centre += offset
        pivot = centre + side * radius
        bow = arc((pivot + side * radius, 4 + line / 2 + radius), radius, 180, 360, steps=24)
        ends: list[Point] = [(bow[0][0], body_top + line), *bow, (bow[-1][0], body_top - height_px * 0.1)]
        if side < 0:
            ends = [(bow[0][0], body_top - height_px * 0.1), *bow, (bow[-1][0], body_top + line)]
    else:
        lift = height_px * (0.0 if is_open else 0.06)
        bow = arc((centre, 4 + line / 2 + radius + lift), radius, 180, 360, steps=24)
        gap = height_px * 0.2 if is_open else -line
        ends = [(bow[0][0], body_top + line), *bow, (bow[-1][0], body_top - gap)]
        if is_open and rng.random() < 0.5:
            ends = [(2 * centre - px, py) for px, py in ends]
    canvas.line(ends, line, steel)
    left = centre - width / 2
    canvas.fill(
        rounded_box(
            (left, body_top, width, height_px + 4 - body_top), width * float(rng.uniform(0.05, 0.16))
        ),
        metal,
    )
    if rng.random() < 0.7:
        hole = ink_on(metal, rng, faint=0.0)
        canvas.fill(arc((centre, body_top + height_px * 0.2), width * 0.1, 0, 360), hole)
        canvas.fill(
            [
                (centre - width * 0.05, body_top + height_px * 0.2),
                (centre + width * 0.05, body_top + height_px * 0.2),
                (centre + width * 0.08, body_top + height_px * 0.4),
                (centre - width * 0.08, body_top + height_px * 0.4),
            ],
            hole,
        )
    art = Art(canvas.finish(), "pictogram", "unlock" if is_open else "lock")
    return trim(art).with_(body_norm=WHOLE)


def paint_wifi(rng: np.random.Generator, *, strength: int | None, height_px: float = 90) -> Art:
    """Wi-Fi arcs: strength 3 all, 1 only the inner (the others pale), None struck through."""
    ink = symbol_colour(rng)
    width = height_px * 1.35
    canvas = Canvas(width + 8, height_px + 8)
    foot: Point = (4 + width / 2, 4 + height_px * 0.9)
    line = height_px * float(rng.uniform(0.09, 0.13))
    pale = float(rng.uniform(0.0, 0.35))
    solid = 3 if strength is None else strength
    canvas.fill(arc(foot, height_px * 0.08, 0, 360), ink)
    for index in range(1, 4):
        radius = height_px * (0.04 + 0.27 * index)
        if index <= solid:
            canvas.line(arc(foot, radius, 225, 315, steps=30), line, ink)
        elif pale > 0.1:
            canvas.line(arc(foot, radius, 225, 315, steps=30), line, ink, pale)
    if strength is None:
        ends: list[Point] = [
            (4 + width * 0.18, 4 + height_px * 0.04),
            (4 + width * 0.82, 4 + height_px * 0.96),
        ]
        canvas.line(ends, line * 1.1, jitter(RED_ON, rng) if rng.random() < 0.5 else ink)
    cls = "wifi_off" if strength is None else ("wifi_weak" if strength <= 1 else "wifi_on")
    return trim(Art(canvas.finish(), "pictogram", cls)).with_(body_norm=WHOLE)


def paint_thermometer(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    hot: bool,
    celsius: float | None = None,
    height_px: float = 140,
) -> Art:
    """A thermometer: high and red, or low and blue; with the reading beside it where one is given."""
    width = height_px * float(rng.uniform(0.26, 0.34))
    label = height_px * 0.9 if celsius is not None else 0.0
    canvas = Canvas(width + label + 12, height_px + 8)
    ink = symbol_colour(rng)
    liquid = jitter(RED_ON if hot else (33, 140, 255), rng)
    bulb, tube = width * 0.5, width * 0.27
    cx, cy = 4 + width / 2, 4 + height_px - bulb
    top = 4 + tube
    angle = float(np.degrees(np.arcsin(min(1.0, tube / bulb))))
    glass: list[Point] = [
        *arc((cx, top), tube, 180, 360, steps=12),
        *arc((cx, cy), bulb * 0.96, -90 + angle, 270 - angle, steps=36),
    ]
    canvas.fill(glass, mix(WHITE, liquid, 0.05), 0.85)
    canvas.line(glass, width * 0.09, ink, closed=True)
    level = float(rng.uniform(0.75, 0.95) if hot else rng.uniform(0.05, 0.25))
    canvas.fill(arc((cx, cy), bulb * 0.66, 0, 360), liquid)
    reach = cy - (cy - top) * level
    canvas.line([(cx, cy), (cx, reach)], tube * 0.95, liquid)
    parts: tuple[Part, ...] = ()
    if celsius is not None:
        box: Box = (width + 10, 4 + height_px * 0.3, label, height_px * 0.4)
        parts = write(canvas, f"{celsius:g} °C", box, typeface(rng, split, library), ink)
    art = Art(
        canvas.finish(),
        "pictogram",
        "thermometer_hot" if hot else "thermometer_cold",
        spoken(parts),
        None,
        parts,
    )
    return trim(art).with_(body_norm=WHOLE)


def paint_light(rng: np.random.Generator, *, on: bool, height_px: float = 120) -> Art:
    """A light bulb: glowing with rays, or grey and dark."""
    width = height_px * 0.72
    pad = height_px * 0.24 if on else 4.0
    canvas = Canvas(width + 2 * pad, height_px + pad + 4)
    cx, cy, radius = pad + width / 2, pad + width / 2, width / 2
    glass = jitter((255, 213, 60), rng) if on else jitter((110, 112, 118), rng, 0.15)
    angle = 58.0
    shape: list[Point] = [*arc((cx, cy), radius, 90 + angle / 2, 450 - angle / 2, steps=40)]
    base_y = pad + height_px * 0.74
    shape += [(cx + radius * 0.42, base_y), (cx - radius * 0.42, base_y)]
    canvas.fill(shape, glass)
    if not on or rng.random() < 0.4:
        canvas.line(shape, width * 0.04, mix(glass, BLACK, 0.5), closed=True)
    socket = (150, 150, 155) if on else (80, 80, 84)
    for index in range(3):
        y = base_y + height_px * (0.03 + 0.08 * index)
        canvas.line([(cx - radius * 0.36, y), (cx + radius * 0.36, y)], height_px * 0.055, socket)
    if on:
        for turn in range(180, 361, 30):
            start, end = (
                arc((cx, cy), radius * 1.14, turn, turn, steps=1)[0],
                arc((cx, cy), radius * 1.4, turn, turn, steps=1)[0],
            )
            canvas.line([start, end], width * 0.05, mix(glass, WHITE, 0.2))
    return trim(Art(canvas.finish(), "pictogram", "light_on" if on else "light_off")).with_(body_norm=WHOLE)


def paint_traffic_light(rng: np.random.Generator, *, go: bool, height_px: float = 150) -> Art:
    """A traffic light, two or three lamps, one of them lit."""
    lamps = 3 if rng.random() < 0.7 else 2
    width = height_px / lamps * 1.0
    canvas = Canvas(width + 8, height_px + 8)
    canvas.fill(rounded_box((4, 4, width, height_px), width * 0.25), jitter((35, 35, 38), rng))
    colours = ((255, 45, 45), (255, 190, 0), (40, 230, 90)) if lamps == 3 else ((255, 45, 45), (40, 230, 90))
    lit = lamps - 1 if go else 0
    for index, colour in enumerate(colours):
        centre: Point = (4 + width / 2, 4 + height_px / lamps * (index + 0.5))
        shown = colour if index == lit else mix(colour, (40, 40, 42), 0.8)
        canvas.fill(arc(centre, width * 0.36, 0, 360, steps=40), shown)
    return trim(Art(canvas.finish(), "pictogram", "traffic_green" if go else "traffic_red")).with_(
        body_norm=WHOLE
    )


def paint_progress(
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    share: float,
    height_px: float = 90,
    text: str | None = None,
) -> Art:
    """A progress ring or bar at a share 0..1 with its percentage (or another text)."""
    colour = ground(rng, loud=1.0)
    label = f"{round(share * 100)}%" if text is None else text
    if rng.random() < 0.5:
        canvas = Canvas(height_px + 8, height_px + 8)
        centre: Point = (4 + height_px / 2, 4 + height_px / 2)
        canvas.fill(arc(centre, height_px / 2, 0, 360, steps=64), (24, 26, 30), 0.8)
        canvas.line(
            arc(centre, height_px * 0.43, 0, 360, steps=64), height_px * 0.07, (90, 92, 98), closed=True
        )
        if share > 0.01:
            canvas.line(
                arc(centre, height_px * 0.43, -90, -90 + 360 * share, steps=64), height_px * 0.09, colour
            )
        box: Box = (4 + height_px * 0.18, 4 + height_px * 0.3, height_px * 0.64, height_px * 0.4)
    else:
        width = height_px * 3
        canvas = Canvas(width + 8, height_px + 8)
        canvas.fill(rounded_box((4, 4, width, height_px), height_px * 0.2), (24, 26, 30), 0.85)
        track: Box = (4 + width * 0.05, 4 + height_px * 0.66, width * 0.9, height_px * 0.16)
        canvas.fill(rounded_box(track, track[3] / 2), (90, 92, 98))
        if share > 0.01:
            canvas.fill(rounded_box((track[0], track[1], track[2] * share, track[3]), track[3] / 2), colour)
        box = (4 + width * 0.05, 4 + height_px * 0.12, width * 0.9, height_px * 0.44)
    parts = write(canvas, label, box, typeface(rng, split, library), WHITE, max_lines=1)
    art = Art(canvas.finish(), "badge", "progress", spoken(parts), None, parts)
    return trim(art).with_(body_norm=WHOLE)


WidgetPainter = Callable[[np.random.Generator, Split, Library, float], Art]


def _battery(cls: str) -> WidgetPainter:
    def painter(rng: np.random.Generator, split: Split, library: Library, height_px: float) -> Art:
        charging = cls == "battery_charging"
        low, high = (0.1, 1.0) if charging else LEVELS[cls]
        level = float(rng.uniform(low, high))
        return paint_battery(rng, split, library, level=level, charging=charging, height_px=height_px)

    return painter


WIDGETS: dict[str, WidgetPainter] = {
    **{cls: _battery(cls) for cls in (*LEVELS, "battery_charging")},
    "toggle_on": lambda rng, split, library, px: paint_toggle(
        rng, split, library, on=True, height_px=px * 0.6
    ),
    "toggle_off": lambda rng, split, library, px: paint_toggle(
        rng, split, library, on=False, height_px=px * 0.6
    ),
    "lock": lambda rng, _split, _library, px: paint_padlock(rng, is_open=False, height_px=px),
    "unlock": lambda rng, _split, _library, px: paint_padlock(rng, is_open=True, height_px=px),
    "wifi_on": lambda rng, _split, _library, px: paint_wifi(rng, strength=3, height_px=px * 0.8),
    "wifi_weak": lambda rng, _split, _library, px: paint_wifi(rng, strength=1, height_px=px * 0.8),
    "wifi_off": lambda rng, _split, _library, px: paint_wifi(rng, strength=None, height_px=px * 0.8),
    "thermometer_hot": lambda rng, split, library, px: paint_thermometer(
        rng, split, library, hot=True, height_px=px
    ),
    "thermometer_cold": lambda rng, split, library, px: paint_thermometer(
        rng, split, library, hot=False, height_px=px
    ),
    "light_on": lambda rng, _split, _library, px: paint_light(rng, on=True, height_px=px),
    "light_off": lambda rng, _split, _library, px: paint_light(rng, on=False, height_px=px),
    "traffic_red": lambda rng, _split, _library, px: paint_traffic_light(rng, go=False, height_px=px),
    "traffic_green": lambda rng, _split, _library, px: paint_traffic_light(rng, go=True, height_px=px),
}
"""Classes that have a drawing with a value or with moving parts."""
