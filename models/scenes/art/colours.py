"""Colours as AR apps use them: pairs of ground and ink, mostly easy to read, sometimes not."""

from __future__ import annotations

import colorsys

import numpy as np

from models.scenes.art.element import Colour

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
# ISO 3864 safety colours in sRGB
YELLOW: Colour = (249, 168, 0)
RED: Colour = (155, 36, 35)
BLUE: Colour = (0, 83, 135)
GREEN: Colour = (35, 127, 82)

LOUD: tuple[Colour, ...] = (
    (33, 150, 243),
    (3, 169, 244),
    (0, 188, 212),
    (127, 255, 255),
    (82, 183, 136),
    (76, 175, 80),
    (139, 195, 74),
    (255, 193, 7),
    (255, 235, 59),
    (255, 152, 0),
    (244, 67, 54),
    (233, 30, 99),
    (156, 39, 176),
    (63, 81, 181),
    (0, 122, 255),
    (52, 199, 89),
    (255, 59, 48),
    (90, 200, 250),
    (0, 60, 120),
    (200, 230, 201),
    (187, 222, 251),
)
QUIET: tuple[Colour, ...] = (
    (255, 255, 255),
    (245, 245, 245),
    (224, 224, 224),
    (33, 33, 33),
    (18, 18, 20),
    (44, 62, 80),
    (38, 50, 56),
    (250, 243, 224),
    (227, 242, 253),
    (232, 245, 233),
    (255, 248, 225),
    (252, 228, 236),
    (66, 66, 66),
    (16, 30, 60),
)


def luminance(colour: Colour) -> float:
    """Relative luminance, WCAG 2.2."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: Colour, other: Colour) -> float:
    """Contrast ratio 1..21, WCAG 2.2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def jitter(colour: Colour, rng: np.random.Generator, amount: float = 0.08) -> Colour:
    """A near colour: hue, saturation and value moved a little."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(c / 255 for c in colour))
    moves = rng.uniform(-amount, amount, 3)
    red, green, blue = colorsys.hsv_to_rgb(
        (hue + moves[0] * 0.4) % 1.0,
        float(np.clip(saturation * (1 + moves[1] * 2), 0, 1)),
        float(np.clip(value * (1 + moves[2]), 0, 1)),
    )
    return (round(red * 255), round(green * 255), round(blue * 255))


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """`share` of the other colour in the one."""
    red, green, blue = (round(a * (1 - share) + b * share) for a, b in zip(one, other, strict=True))
    return (red, green, blue)


def ground(rng: np.random.Generator, *, loud: float = 0.5) -> Colour:
    """A background colour; `loud` is the share of saturated ones."""
    pool = LOUD if rng.random() < loud else QUIET
    return jitter(pool[int(rng.integers(len(pool)))], rng)


def ink_on(background: Colour, rng: np.random.Generator, *, faint: float = 0.06) -> Colour:
    """An ink for a background: readable, but for a `faint` share that is hard to read as in careless apps."""
    if rng.random() < faint:
        pole = BLACK if luminance(background) > 0.3 else WHITE
        return mix(background, pole, float(rng.uniform(0.3, 0.5)))
    dark = contrast(background, BLACK) > contrast(background, WHITE)
    if rng.random() < 0.25:
        candidates = [c for c in LOUD if contrast(c, background) > 4.0]
        if candidates:
            return candidates[int(rng.integers(len(candidates)))]
    if not dark and contrast(background, BLACK) > 5 and rng.random() < 0.3:
        dark = True
    shade = float(rng.uniform(0.0, 0.18))
    return mix(BLACK, background, shade) if dark else mix(WHITE, background, shade * 0.5)
