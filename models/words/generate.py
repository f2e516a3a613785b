"""Draw named icons as headsets show them: what the bank is made of and what its projection is trained on.

    python -m models.words.generate --split train --backgrounds PHOTOS
    python -m models.words.generate --split validation --backgrounds PHOTOS

Written into ``--out`` are shards of crops (``models.elements.store``), each entry with the package, the name
and the words of its icon. The same arguments give the same pictures; what is there already is kept.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from arwarden.fast.elements.crops import crop_input
from models.assets.library import Library
from models.assets.sources import Split as ArtSplit
from models.elements.collage import Collages
from models.elements.generate import CROP_PX, LEAST_VISIBILITY, shaken
from models.elements.store import write_shard
from models.elements.workers import make_shards
from models.scenes.art.element import Art
from models.scenes.art.glyphs import crossed_glyph, icon_glyph
from models.scenes.art.pictograms import paint_pictogram
from models.scenes.backdrop import Backdrops
from models.scenes.kinds import Split
from models.words.names import OFF, Named, named_icons

COLLAGES_PER_SHARD = 64
CROSSED_WORDS = 1
"""Only things of so many words are crossed out as well: "no camera", not "no camera add"."""
CROSSED_EVERY = 4
"""One in so many of those."""
_Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Order:
    """What every worker needs to know."""

    out: Path
    split: Split
    seed: int
    backgrounds: Path | None


@dataclass(frozen=True, slots=True)
class Shown:
    """An icon to be drawn, as it is or crossed out."""

    icon: Named
    crossed: bool = False


def to_draw(library: Library, split: ArtSplit) -> list[Shown]:
    """All named icons of a split in a fixed order without any, and some of them crossed out."""
    packages = {key: library.icon_names(key) for key in library.icon_packs(split)}
    # Few packages are left for validation, so a name of one of them counts there.
    icons = named_icons(packages, 2 if split == "train" else 1)
    plain = [icon for icon in icons if len(icon.words.split()) <= CROSSED_WORDS and icon.words not in OFF]
    crossed = [replace(icon, words=f"{icon.words} off") for icon in plain[::CROSSED_EVERY]]
    found = [Shown(icon) for icon in icons] + [Shown(icon, crossed=True) for icon in crossed]
    order = np.random.default_rng(0).permutation(len(found))
    return [found[int(place)] for place in order]


class Worker:
    """Makes shards, each by its number."""

    def __init__(self, order: Order) -> None:
        self._order = order

    @cached_property
    def _library(self) -> Library:
        return Library()

    @cached_property
    def _collages(self) -> Collages:
        order = self._order
        return Collages(order.split, order.seed, Backdrops(order.split, order.backgrounds), self._library)

    @cached_property
    def _shown(self) -> list[Shown]:
        return to_draw(self._library, self._order.split.value)

    def crops(self, shard: int) -> None:
        """One shard."""
        pictures, entries = [], []
        per_picture = Collages.PER_PICTURE
        for index in range(shard * COLLAGES_PER_SHARD, (shard + 1) * COLLAGES_PER_SHARD):
            rng = np.random.default_rng((self._order.seed, tuple(Split).index(self._order.split), 12, index))
            drawn = [
                (one, art)
                for one in self._shown[index * per_picture : (index + 1) * per_picture]
                if (art := self._art(one, rng)) is not None
            ]
            if not drawn:
                continue
            rgb, found = self._collages.composed(rng, [art for _, art in drawn])
            if len(found) != len(drawn):
                continue  # one of them cannot be seen, and which one is not told
            for (one, _), where in zip(drawn, found, strict=True):
                if where.visibility >= LEAST_VISIBILITY:
                    pictures.append(crop_input(rgb, shaken(where.box, rng), CROP_PX))
                    entries.append(asdict(one.icon) | {"crossed": one.crossed})
        write_shard(shard_path(self._order, shard), np.stack(pictures), entries)

    def _art(self, shown: Shown, rng: _Rng) -> Art | None:
        """None where a file cannot be drawn."""
        icon = shown.icon
        try:
            glyph = icon_glyph(self._library, icon.source, icon.name)
        except ValueError:
            return None
        if shown.crossed:
            glyph = crossed_glyph(glyph, rng)
        return paint_pictogram(
            rng, self._order.split.value, self._library, cls="other", glyph=glyph,
            height_px=float(rng.uniform(90, 170)),
        )  # fmt: skip


def shard_path(order: Order, shard: int) -> Path:
    """Where a shard lies, without suffix."""
    return order.out / f"words-{order.split}-{order.seed}-{shard:05}"


def missing(order: Order, count: int) -> list[int]:
    """The shards that are not there yet."""
    return [shard for shard in range(count) if not shard_path(order, shard).with_suffix(".json").exists()]


def _start(order: Order) -> Callable[[int], None]:
    return Worker(order).crops


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/words/data"))
    parser.add_argument("--split", type=Split, choices=(Split.TRAIN, Split.VALIDATION), required=True)
    parser.add_argument("--seed", type=int, default=1, help="another one draws them all once more")
    parser.add_argument("--backgrounds", type=Path, help="folder of photos; without it rooms are drawn")
    parser.add_argument("--processes", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    arguments = parser.parse_args(argv)
    library = Library()
    library.require()
    order = Order(arguments.out, arguments.split, arguments.seed, arguments.backgrounds)
    total = len(to_draw(library, arguments.split.value))
    tasks = missing(order, math.ceil(total / (COLLAGES_PER_SHARD * Collages.PER_PICTURE)))
    make_shards(partial(_start, order), tasks, arguments.processes, f"{arguments.split} shards")


if __name__ == "__main__":
    main()
