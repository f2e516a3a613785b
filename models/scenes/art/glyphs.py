"""Pictograms as pictures, from the icon packages of a split or drawn by ourselves, cached."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO

import cv2
import numpy as np
import resvg_py
from PIL import Image

from models.assets.library import AssetsMissing, Library, read_classes
from models.assets.sources import Split
from models.scenes.art.drawings import DRAWINGS, read_designs, svg_of
from models.scenes.art.element import Mask, Rgba
from models.scenes.art.glyph import Glyph
from models.scenes.art.redraw import redrawn

LEAST_COLOURFUL = 0.01
"""Share of a drawing's pixels with a colour from which on it has colours of its own."""
GLYPH_PX = 176
"""Longer side of a cached pictogram: elements reach 400 px, their pictograms seldom half of that."""

WIDTHS: dict[Split, tuple[float, ...]] = {
    "train": (5.0, 6.5, 9.0),
    "validation": (5.8, 8.2),
    "test": (5.4, 7.4),
}


def glyph_of(
    cls: str,
    rng: np.random.Generator,
    split: Split,
    library: Library,
    *,
    colour: bool = True,
    drawn: float = 0.25,
) -> Glyph:
    """A pictogram of a class: `drawn` is the share of our own drawings where packages have some as well.

    For training there are designs of our own beside the packages' icons, each as likely as an icon. Both are
    redrawn now and then, as another hand would: the styles of a few packages are not all.

    Raises:
        AssetsMissing: neither a package that is here nor a drawing shows the class.
        KeyError: no such class.
    """
    meaning = read_classes()[cls]
    icons = [icon for icon in library.icons(cls, split) if colour or not library.is_coloured(icon.source)]
    own = DRAWINGS.get(cls, ())
    # A class with few icons is crossed out or drawn more often: one test icon must not stand for a class.
    share = drawn if len(icons) >= 4 else 0.6
    can_cross = meaning.crossed and can_show(meaning.crossed, split, library)
    if split == "train":
        designs = read_designs().get(cls, ())
        if designs and rng.random() < len(designs) / (len(designs) + len(icons)):
            number = int(rng.integers(len(designs)))
            # One width each: there are thousands, and every width is a picture to draw and to keep.
            glyph = drawn_glyph(cls, designs[number], WIDTHS[split][number % len(WIDTHS[split])])
            if colour or glyph.colours is None:
                return redrawn(glyph, cls, rng)
    if icons and not ((own or can_cross) and rng.random() < share):
        icon = icons[int(rng.integers(len(icons)))]
        glyph = icon_glyph(library, icon.source, icon.name)
        return redrawn(glyph, cls, rng) if split == "train" else glyph
    if own:
        glyph = drawn_glyph(cls, own[int(rng.integers(len(own)))], float(rng.choice(WIDTHS[split])))
        return redrawn(glyph, cls, rng) if split == "train" else glyph
    if cls == "no_phone":
        return crossed_glyph(drawn_glyph("phone", DRAWINGS["phone"][0], 7.0), rng)
    if can_cross:
        base = glyph_of(meaning.crossed, rng, split, library, colour=False, drawn=drawn)
        return crossed_glyph(base, rng)
    raise AssetsMissing(
        f"no pictogram of {cls} for {split}; fetch the packages: python -m models.assets.fetch"
    )


def can_show(cls: str, split: Split, library: Library) -> bool:
    """Whether `glyph_of` has something for a class in a split."""
    meaning = read_classes()[cls]
    return bool(
        cls in DRAWINGS
        or (split == "train" and cls in read_designs())
        or cls == "no_phone"
        or library.icons(cls, split)
        or (meaning.crossed and can_show(meaning.crossed, split, library))
    )


@lru_cache(maxsize=4096)
def icon_glyph(library: Library, source: str, name: str) -> Glyph:
    """One picture of one package."""
    pixels = rasterise(library.svg(source, name))
    coloured = library.is_coloured(source)
    return Glyph(_ink(pixels, keep_white=coloured), pixels if coloured else None, f"{source}:{name}")


@lru_cache(maxsize=8192)
def drawn_glyph(cls: str, body: str, line_width: float) -> Glyph:
    """One of our own drawings; those with colours keep them, like an emoji."""
    pixels = rasterise(svg_of(body, line_width))
    coloured = _colourfulness(pixels) > LEAST_COLOURFUL
    return Glyph(_ink(pixels, keep_white=coloured), pixels if coloured else None, f"drawn:{cls}")


def crossed_glyph(base: Glyph, rng: np.random.Generator) -> Glyph:
    """The base struck through with a bar that keeps a gap to it, sometimes in a ring."""
    ring = rng.random() < 0.35
    size = GLYPH_PX
    mask = np.zeros((size, size), np.uint8)
    inner = size * (0.56 if ring else 0.92)
    height, width = base.ink.shape
    scale = inner / max(height, width)
    small = cv2.resize(
        base.ink, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA
    )
    top, left = (size - small.shape[0]) // 2, (size - small.shape[1]) // 2
    mask[top : top + small.shape[0], left : left + small.shape[1]] = small
    bar = max(5, round(size * float(rng.uniform(0.055, 0.1))))
    reach = size * (0.31 if ring else 0.46)
    ends = [
        (round(size / 2 - reach), round(size / 2 - reach)),
        (round(size / 2 + reach), round(size / 2 + reach)),
    ]
    if rng.random() < 0.2:
        ends = [(ends[0][0], ends[1][1]), (ends[1][0], ends[0][1])]
    cv2.line(mask, ends[0], ends[1], 0, bar * 3 if rng.random() < 0.7 else bar * 2, cv2.LINE_AA)
    cv2.line(mask, ends[0], ends[1], 255, bar, cv2.LINE_AA)
    if ring:
        cv2.circle(mask, (size // 2, size // 2), round(size / 2 - bar), 255, bar, cv2.LINE_AA)
    return Glyph(mask, None, f"crossed:{base.source}")


def rasterise(svg: str, longer_px: int = GLYPH_PX) -> Rgba:
    """SVG to (h, w, 4) straight alpha, cut to what is visible, the longer side `longer_px`.

    Raises:
        ValueError: the text is no SVG, or nothing of it is visible.
    """
    pixels = _render(svg, longer_px)
    box = cv2.boundingRect((pixels[:, :, 3] > 8).astype(np.uint8))
    if box[2] == 0 or box[3] == 0:
        raise ValueError("nothing visible in this SVG")
    filled = max(box[2] / pixels.shape[1], box[3] / pixels.shape[0])
    if filled < 0.7:  # a small picture in a large box: draw it again, larger
        pixels = _render(svg, min(1024, round(longer_px / filled)))
        box = cv2.boundingRect((pixels[:, :, 3] > 8).astype(np.uint8))
    x, y, width, height = box
    return np.ascontiguousarray(pixels[y : y + height, x : x + width])


def _render(svg: str, width_px: int) -> Rgba:
    encoded = resvg_py.svg_to_bytes(svg_string=svg, width=width_px, skip_system_fonts=True)
    with Image.open(BytesIO(bytes(encoded))) as picture:
        return np.asarray(picture.convert("RGBA")).copy()


def _colourfulness(pixels: Rgba) -> float:
    rgb = pixels[:, :, :3].astype(np.int16)
    return float(((rgb.max(axis=2) - rgb.min(axis=2) > 40) & (pixels[:, :, 3] > 128)).mean())


def _ink(pixels: Rgba, *, keep_white: bool) -> Mask:
    alpha: Mask = pixels[:, :, 3]
    if keep_white:
        return alpha
    # White shapes over black ones are holes: keyholes of our drawings, figures on AIGA's black squares.
    dark = 255 - cv2.cvtColor(np.ascontiguousarray(pixels[:, :, :3]), cv2.COLOR_RGB2GRAY)
    return (alpha.astype(np.uint16) * dark // 255).astype(np.uint8)
