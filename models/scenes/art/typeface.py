"""Text: fonts by split, lines broken to fill a box, and the box of every line as truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from models.assets.library import Library
from models.assets.sources import Split
from models.scenes.art.canvas import Box, Canvas
from models.scenes.art.element import Colour, Part

_MEASURE_PX = 100
LINE_SPACING = 1.18


@dataclass(frozen=True)
class Typeface:
    """A font file; the empty path is the one font Pillow carries, for drawing without any package."""

    path: str

    def at(self, size_px: int) -> ImageFont.FreeTypeFont:
        """The font at a size."""
        return _font(self.path, size_px)

    def width(self, text: str) -> float:
        """Advance width of a line at one pixel of size."""
        return _width(self.path, text)


@lru_cache(maxsize=512)
def _font(path: str, size_px: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(path, size_px) if path else ImageFont.load_default(size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("Pillow was built without FreeType; install the wheel from PyPI")
    return font


@lru_cache(maxsize=8192)
def _width(path: str, text: str) -> float:
    return _font(path, _MEASURE_PX).getlength(text) / _MEASURE_PX


def typeface(rng: np.random.Generator, split: Split, library: Library, *, bold: float = 0.55) -> Typeface:
    """A font of a split; `bold` is the share of bold ones. Calibri's twin is favoured: samples use it."""
    families = library.fonts(split)
    if not families:
        return Typeface("")
    index = int(rng.integers(len(families)))
    if split == "train" and rng.random() < 0.2:
        index = next((i for i, pair in enumerate(families) if "carlito" in pair[0].name), index)
    regular, heavy = families[index]
    return Typeface(str(heavy if rng.random() < bold else regular))


def break_lines(
    text: str, face: Typeface, width: float, height: float, *, max_lines: int = 5
) -> tuple[list[str], float]:
    """The line breaks that let text be largest in a box, and its size in pixels; newlines are kept."""
    given = [line for line in text.split("\n") if line.strip()]
    best: tuple[list[str], float] = ([text], 0.0)
    for count in range(1, max(max_lines, len(given)) + 1):
        lines = given if len(given) > 1 else _balanced(text.split(), count, face)
        widest = max((face.width(line) for line in lines), default=0.0)
        size = min(width / max(widest, 1e-6), height / (len(lines) * LINE_SPACING))
        if size > best[1]:
            best = (lines, size)
        if len(given) > 1 or len(lines) < count:
            break
    return best


def _balanced(words: list[str], count: int, face: Typeface) -> list[str]:
    """Words in `count` lines of about the same width: a break where the running width passes its share."""
    if count <= 1 or len(words) <= 1:
        return [" ".join(words)]
    widths = [face.width(word) + 0.25 for word in words]
    total = sum(widths)
    cuts, running = [0], 0.0
    for index, width in enumerate(widths[:-1]):
        running += width
        due = total * len(cuts) / count
        if len(cuts) < count and running + widths[index + 1] / 2 > due:
            cuts.append(index + 1)
    return [" ".join(words[a:b]) for a, b in pairwise([*cuts, len(words)])]


def write(
    canvas: Canvas,
    text: str,
    box: Box,
    face: Typeface,
    colour: Colour,
    *,
    align: str = "centre",
    max_size: float = 1e6,
    max_lines: int = 5,
    underline: bool = False,
    opacity: float = 1.0,
) -> tuple[Part, ...]:
    """Write text as large as fits into a box, at most `max_size`; one part per line, boxed by its ink."""
    if not text.strip() or box[2] < 2 or box[3] < 2:
        return ()
    lines, size = break_lines(text, face, box[2], box[3], max_lines=max_lines)
    size = max(4.0, min(size, max_size))
    font = face.at(max(4, round(size * canvas.scale)))
    step = size * LINE_SPACING
    top = box[1] + (box[3] - step * len(lines)) / 2
    parts: list[Part] = []
    for index, line in enumerate(lines):
        x0, y0, x1, y1 = font.getbbox(line)
        width, height = int(x1 - x0) + 2, int(y1 - y0) + 2
        inked = Image.new("L", (max(1, width), max(1, height)), 0)
        ImageDraw.Draw(inked).text((1 - x0, 1 - y0), line, font=font, fill=255)
        shown = (width / canvas.scale, height / canvas.scale)
        left = box[0] + {"left": 0.0, "centre": (box[2] - shown[0]) / 2, "right": box[2] - shown[0]}[align]
        ascent, descent = font.getmetrics()
        baseline_top = top + index * step + (step - (ascent + descent) / canvas.scale) / 2
        line_box = (left, baseline_top + y0 / canvas.scale, shown[0], shown[1])
        canvas.tinted(np.asarray(inked), line_box, colour, opacity)
        if underline:
            below = baseline_top + (ascent + 0.12 * size * canvas.scale) / canvas.scale
            canvas.line([(left, below), (left + shown[0], below)], max(1.0, size * 0.06), colour, opacity)
        parts.append(Part("text", "", canvas.norm(line_box), line))
    return tuple(parts)
