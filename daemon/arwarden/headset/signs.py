"""Virtual arrows, signs and flags, drawn by plain geometry; no picture files and nobody's artwork is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from PIL import Image, ImageDraw

from arwarden.headset.panels import (
    OUTLINE_COLOUR,
    SUPERSAMPLING,
    TEXT_COLOUR,
    Colour,
    Sprite,
    set_text,
    sprite_of,
)

WHITE, RED, BLUE, GREEN = (255, 255, 255), (204, 24, 32), (20, 84, 168), (30, 140, 62)
BLACK, ORANGE = (22, 24, 28), (232, 120, 20)
FLAGS: Mapping[str, tuple[str, tuple[Colour, Colour, Colour]]] = {
    "FR": ("across", ((0, 38, 126), WHITE, (206, 17, 38))),
    "IT": ("across", ((0, 140, 69), WHITE, (205, 33, 42))),
    "IE": ("across", ((22, 155, 98), WHITE, (255, 136, 62))),
    "NL": ("down", ((174, 28, 40), WHITE, (33, 70, 139))),
    "DE": ("down", ((0, 0, 0), (221, 0, 0), (255, 206, 0))),
}
"""Country → stripes side by side (``across``) or one below the other (``down``), and their colours."""
ARROW_FILL: Colour = (64, 156, 255)
HEAD, SHAFT = 0.42, 0.62
"""Of a block arrow: length of the head as a share of the height, height of the shaft as a share of it."""

_Box = tuple[float, float, float, float]
_Draw = ImageDraw.ImageDraw


@lru_cache(maxsize=64)
def arrow_sprite(pointing: str, text: str, font_px: int, max_width_px: int, tilt: float = 0.0) -> Sprite:
    """A block arrow that points ``left``, ``right``, ``up`` or ``down``, with a text on its shaft."""
    lines, font = set_text(text, font_px * SUPERSAMPLING, max_width_px * SUPERSAMPLING)
    line_px = font.size * 1.22
    wide = max(font.getlength(line) for line in lines) + font.size * 1.2
    high = line_px * len(lines) + font.size * 0.8
    if pointing in ("left", "right"):
        height = high / SHAFT
        length = wide + height * HEAD * 1.15
        size = (length, height)
        middle = (length / 2 + height * HEAD * 0.4 * (1 if pointing == "left" else -1), height / 2)
    else:
        width = wide / SHAFT
        length = high + width * HEAD * 1.15
        size = (width, length)
        middle = (width / 2, length / 2 + width * HEAD * 0.4 * (1 if pointing == "up" else -1))
    edge = max(3.0, font.size * 0.09)
    image = Image.new("RGBA", (round(size[0] + 4 * edge), round(size[1] + 4 * edge)))
    draw = ImageDraw.Draw(image)
    corners = [(x + 2 * edge, y + 2 * edge) for x, y in _block_arrow(pointing, *size)]
    draw.polygon(corners, fill=ARROW_FILL, outline=WHITE, width=round(edge))
    top = middle[1] + 2 * edge - line_px * (len(lines) - 1) / 2
    for place, line in enumerate(lines):
        at = (middle[0] + 2 * edge, top + line_px * place)
        draw.text(at, line, font=font, fill=TEXT_COLOUR, anchor="mm", stroke_width=font.size / 45)
    return sprite_of(image, tilt)


def _block_arrow(pointing: str, width: float, height: float) -> list[tuple[float, float]]:
    along, across = (width, height) if pointing in ("left", "right") else (height, width)
    head = across * HEAD * 1.15
    low, high = across * (1 - SHAFT) / 2, across * (1 + SHAFT) / 2
    # Pointing right: from the tail along the upper side to the tip and back.
    shape = [
        (0.0, low), (along - head, low), (along - head, 0.0), (along, across / 2),
        (along - head, across), (along - head, high), (0.0, high),
    ]  # fmt: skip
    if pointing in ("left", "up"):
        shape = [(along - x, y) for x, y in shape]
    return shape if pointing in ("left", "right") else [(y, x) for x, y in shape]


@lru_cache(maxsize=64)
def flag_sprite(country: str, height_px: int, tilt: float = 0.0) -> Sprite:
    """The flag of a country of :data:`FLAGS`, in the proportions 2:3."""
    way, colours = FLAGS[country]
    height = height_px * SUPERSAMPLING
    width = height * 3 // 2
    image = Image.new("RGBA", (width, height), WHITE)
    draw = ImageDraw.Draw(image)
    for place, colour in enumerate(colours):
        first, last = place / 3, (place + 1) / 3
        stripe = (
            (first * width, 0, last * width, height)
            if way == "across"
            else (0, first * height, width, last * height)
        )
        draw.rectangle(stripe, fill=colour)
    edge = max(2, height // 60)
    draw.rectangle((0, 0, width - 1, height - 1), outline=OUTLINE_COLOUR, width=edge)
    return sprite_of(image, tilt)


@lru_cache(maxsize=64)
def sign_sprite(name: str, side_px: int, tilt: float = 0.0) -> Sprite:
    """A sign of :data:`SIGNS` on a white rounded square; prohibitions are discs of their own."""
    side = side_px * SUPERSAMPLING
    image = Image.new("RGBA", (side, side))
    draw = ImageDraw.Draw(image)
    if name not in _DISCS:
        edge = max(2, side // 40)
        draw.rounded_rectangle(
            (edge, edge, side - edge, side - edge),
            radius=side // 7,
            fill=WHITE,
            outline=OUTLINE_COLOUR,
            width=edge,
        )
    SIGNS[name](draw, side)
    return sprite_of(image, tilt)


def _at(side: float, left: float, top: float, right: float, bottom: float) -> _Box:
    return left * side, top * side, right * side, bottom * side


def _battery(draw: _Draw, side: float, level: float, colour: Colour) -> None:
    stroke = round(side * 0.045)
    draw.rounded_rectangle(_at(side, 0.16, 0.34, 0.78, 0.66), side * 0.04, outline=BLACK, width=stroke)
    draw.rounded_rectangle(_at(side, 0.79, 0.43, 0.85, 0.57), side * 0.02, fill=BLACK)
    if level > 0:
        draw.rectangle(_at(side, 0.22, 0.40, 0.22 + 0.50 * level, 0.60), fill=colour)


def _lock(draw: _Draw, side: float, *, shut: bool) -> None:
    stroke = round(side * 0.07)
    left = 0.34 if shut else 0.50
    draw.arc(_at(side, left, 0.16, left + 0.32, 0.56), 180, 360, fill=BLACK, width=stroke)
    for x, foot in ((left, 0.48), (left + 0.32, 0.48 if shut else 0.38)):
        inner = x + (stroke / side if x == left else -stroke / side)
        draw.rectangle(_at(side, min(x, inner), 0.35, max(x, inner), foot), fill=BLACK)
    draw.rounded_rectangle(_at(side, 0.26, 0.46, 0.74, 0.84), side * 0.05, fill=BLACK)
    draw.ellipse(_at(side, 0.455, 0.56, 0.545, 0.65), fill=WHITE)
    draw.rectangle(_at(side, 0.48, 0.62, 0.52, 0.74), fill=WHITE)


def _cigarette(draw: _Draw, side: float) -> None:
    draw.rectangle(_at(side, 0.22, 0.52, 0.62, 0.60), fill=BLACK)
    draw.rectangle(_at(side, 0.64, 0.52, 0.68, 0.60), fill=BLACK)
    draw.rectangle(_at(side, 0.70, 0.52, 0.76, 0.60), fill=ORANGE)
    stroke = round(side * 0.03)
    for left in (0.62, 0.70):
        draw.arc(_at(side, left, 0.34, left + 0.10, 0.50), 90, 300, fill=BLACK, width=stroke)


def _no_smoking(draw: _Draw, side: float) -> None:
    stroke = round(side * 0.095)
    draw.ellipse(_at(side, 0.02, 0.02, 0.98, 0.98), fill=WHITE)
    _cigarette(draw, side)
    draw.ellipse(_at(side, 0.02, 0.02, 0.98, 0.98), outline=RED, width=stroke)
    draw.line(_at(side, 0.19, 0.19, 0.81, 0.81), fill=RED, width=stroke)


def _no_entry(draw: _Draw, side: float) -> None:
    draw.ellipse(_at(side, 0.02, 0.02, 0.98, 0.98), fill=RED, outline=WHITE, width=round(side * 0.02))
    draw.rectangle(_at(side, 0.18, 0.41, 0.82, 0.59), fill=WHITE)


def _wifi(draw: _Draw, side: float, *, on: bool) -> None:
    stroke = round(side * 0.075)
    for radius in (0.44, 0.30, 0.16):
        draw.arc(
            _at(side, 0.5 - radius, 0.72 - radius, 0.5 + radius, 0.72 + radius),
            225,
            315,
            fill=BLACK,
            width=stroke,
        )
    draw.ellipse(_at(side, 0.455, 0.68, 0.545, 0.77), fill=BLACK)
    if not on:
        draw.line(_at(side, 0.22, 0.20, 0.80, 0.82), fill=WHITE, width=stroke * 2)
        draw.line(_at(side, 0.22, 0.20, 0.80, 0.82), fill=BLACK, width=stroke)


SIGNS: Mapping[str, Callable[[_Draw, float], None]] = {
    "battery_full": lambda draw, side: _battery(draw, side, 1.0, GREEN),
    "battery_empty": lambda draw, side: _battery(draw, side, 0.0, RED),
    "lock": lambda draw, side: _lock(draw, side, shut=True),
    "unlock": lambda draw, side: _lock(draw, side, shut=False),
    "no_smoking": _no_smoking,
    "no_entry": _no_entry,
    "wifi_on": lambda draw, side: _wifi(draw, side, on=True),
    "wifi_off": lambda draw, side: _wifi(draw, side, on=False),
}
"""Name → what draws it into a square; the names are those of the element classes."""
_DISCS = frozenset({"no_smoking", "no_entry"})
