"""Contact sheets of everything that can be painted, to be looked at.

python -m models.scenes.art.sheet --out build/art
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from models.assets.library import Library, read_classes, read_countries
from models.assets.sources import SPLITS, Split
from models.scenes.art.colours import QUIET
from models.scenes.art.element import Art
from models.scenes.art.outlines import ARROW_SHAPES
from models.scenes.art.painter import carry, default_library, paint, paintable
from models.scenes.art.panels import PANEL_STYLES
from models.scenes.art.widgets import paint_progress

CELL_PX = 100
ROWS_PER_SHEET = 18
WORDS = (
    "Wheelchair Not Accessible",
    "Made in the Netherlands",
    "Exit",
    "The door has been locked!",
    "Turn right",
    "Room 204",
)
Paint = Callable[[np.random.Generator, Split], Art]


def lines_of(library: Library) -> list[tuple[str, Paint]]:
    """(label, painter) of every row of the sheets."""

    def row(what: str, **fixed: Any) -> Paint:  # noqa: ANN401 (handed on to paint)
        return lambda rng, split: paint(what, rng, split, library=library, **fixed)

    def worded(what: str, *, pictogram: bool = False, **fixed: Any) -> Paint:  # noqa: ANN401 (handed on to paint)
        def painter(rng: np.random.Generator, split: Split) -> Art:
            if not pictogram:
                return paint(what, rng, split, text=_words(rng), library=library, **fixed)
            carried = carry(_class(rng, split, library), rng, split, library=library)
            return paint(what, rng, split, text=_words(rng), library=library, carried=carried, **fixed)

        return painter

    def origin(rng: np.random.Generator, split: Split) -> Art:
        flag = carry(_country(rng), rng, split, library=library)
        return paint("panel", rng, split, header="Origin", carried=flag, library=library)

    def progress(rng: np.random.Generator, split: Split) -> Art:
        return paint_progress(rng, split, library, share=float(rng.random()))

    flags = [
        ("panel + flag", origin),
        ("flag", lambda rng, split: paint(_country(rng), rng, split, library=library)),
    ]
    return [
        *((f"arrow {shape}", row("arrow", shape=shape)) for shape in ARROW_SHAPES),
        ("arrow + text", worded("arrow")),
        ("arrow + text + pictogram", worded("arrow", pictogram=True)),
        *((f"panel {style}", worded("panel", style=style)) for style in PANEL_STYLES),
        ("panel + header", worded("panel", header="Notice")),
        ("panel + rows", row("panel", text="Menu", rows=("Soup €4.50", "Pasta €9", "Tea €2"))),
        ("panel + pictogram", worded("panel", pictogram=True)),
        *(flags if library.flag_sources("train") else []),
        ("tag", row("tag", text="€4.99", old_price="€7.50")),
        ("badge", row("badge", text="-20%")),
        ("progress", progress),
        *((cls, row(cls)) for cls in read_classes()),
    ]


def _words(rng: np.random.Generator) -> str:
    return WORDS[int(rng.integers(len(WORDS)))]


def _class(rng: np.random.Generator, split: Split, library: Library) -> str:
    classes = paintable(split, library)
    return classes[int(rng.integers(len(classes)))]


def _country(rng: np.random.Generator) -> str:
    codes = tuple(read_countries())
    return codes[int(rng.integers(len(codes)))]


def draw_sheet(rows: list[tuple[str, Paint]], per_split: int, seed: int) -> Image.Image:
    """Rows of examples, first of train, then validation, then test; dark and light grounds alternate."""
    columns = per_split * len(SPLITS)
    sheet = Image.new("RGB", (130 + columns * (CELL_PX + 6), len(rows) * (CELL_PX + 6)), (235, 235, 235))
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(12)
    for index, (label, painter) in enumerate(rows):
        top = index * (CELL_PX + 6)
        draw.text((3, top + 40), label, fill="black", font=font)
        for column in range(columns):
            split = SPLITS[column // per_split]
            left = 130 + column * (CELL_PX + 6)
            back = ((120, 125, 130), (180, 175, 165), (70, 72, 70), *QUIET[:1])[column % 4]
            draw.rectangle((left, top, left + CELL_PX, top + CELL_PX), fill=back)
            rng = np.random.default_rng([seed, index, column])
            try:
                _paste(sheet, painter(rng, split), left, top)
            except (ValueError, KeyError, RuntimeError) as error:
                draw.text((left + 2, top + 40), str(error)[:16], fill="red", font=font)
    return sheet


def _paste(sheet: Image.Image, art: Art, left: int, top: int) -> None:
    picture = Image.fromarray(art.rgba, "RGBA")
    draw = ImageDraw.Draw(picture)
    for part in art.parts:
        x, y, width, height = part.box_norm
        corners = (
            x * picture.width,
            y * picture.height,
            (x + width) * picture.width,
            (y + height) * picture.height,
        )
        draw.rectangle(corners, outline=(255, 0, 255, 255))
    picture.thumbnail((CELL_PX, CELL_PX))
    sheet.paste(
        picture, (left + (CELL_PX - picture.width) // 2, top + (CELL_PX - picture.height) // 2), picture
    )
    if art.direction_deg is not None:
        ImageDraw.Draw(sheet).text((left + 2, top + 2), f"{art.direction_deg:.0f}", fill=(255, 0, 0))


def main(arguments: list[str] | None = None) -> int:
    """Command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m models.scenes.art.sheet", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/art"), help="folder for the pictures")
    parser.add_argument("--per-split", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    rows = lines_of(default_library())
    for number, start in enumerate(range(0, len(rows), ROWS_PER_SHEET)):
        path = chosen.out / f"sheet_{number:02d}.png"
        draw_sheet(rows[start : start + ROWS_PER_SHEET], chosen.per_split, chosen.seed).save(path)
        print(path)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
