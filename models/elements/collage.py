"""Single elements side by side on a piece of background: many crops for little work, every label as often.

A collage is a window of 640x360 pixels of a frame 720 lines high, so lengths of blur count double in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ByteImage
from models.assets.library import Library, read_classes, read_countries
from models.assets.sources import Split as ArtSplit
from models.elements.labels import trained_labels
from models.scenes.art.content import Carried
from models.scenes.art.element import Art
from models.scenes.art.glyphs import icon_glyph
from models.scenes.art.painter import carry, paint, paintable
from models.scenes.art.pictograms import other_pictogram
from models.scenes.art.signs import SAID_BY_SHAPE, paint_other_sign
from models.scenes.backdrop import Backdrops
from models.scenes.capture import Wear, seen_by_camera, sent
from models.scenes.kinds import PROPORTIONS, Split
from models.scenes.overlay import Seen, Shown, overlay
from models.scenes.quantities import amounts

_Rng = np.random.Generator
SIZE_PX = (640, 360)
CELLS = (4, 2)
EXTENT_PX = (30.0, 165.0)
"""Longer side of an element. Below 40 pixels of 720 lines nothing is promised; a little of it is learnt."""
KINDS = {
    "pictogram": 0.49, "flag": 0.15, "arrow": 0.11, "carrier": 0.13, "other": 0.06,
    "tag": 0.03, "badge": 0.03,
}  # fmt: skip
"""A carrier is a panel with a text and a picture on it."""
TRAINING_KINDS = {**KINDS, "pictogram": 0.45, "flag": 0.13, "carrier": 0.12, "other": 0.13}
"""To learn from: what belongs to no class looks like anything, so it takes more of it."""
SCENE_KINDS = {
    "pictogram": 0.34, "flag": 0.16, "arrow": 0.2, "carrier": 0.16, "other": 0.02, "tag": 0.08, "badge": 0.04,
}  # fmt: skip
"""For whole scenes, where the generator itself brings pictograms and panels but few arrows, flags, tags."""
_ON_ARROWS = ("floor", "room", "gate", "metres", "minutes", "kilometres", "street", "weekday", "clock")
"""Quantities that are written on arrows in whole scenes."""
ARROWS_WITH_TEXT = 0.1
_WRITTEN = {"tag": ("money", ()), "badge": ("percent", ("NEW", "SALE", "TOP", "1+1", "2 for 1", "BIO"))}
_OTHER_TRIES = 12
_OTHERS = {"plain": 0.7, "crossed": 0.12, "prohibition": 0.08, "mandatory": 0.05, "warning": 0.05}
"""How a pictogram of no class is shown: by itself, crossed out, or on a sign, whose shape says something."""
_TRAINING_OTHERS = {"plain": 0.4, "crossed": 0.25, "prohibition": 0.15, "mandatory": 0.1, "warning": 0.1}
_CROSSED = {"off", "slash", "slashed", "crossed", "no", "not", "mute", "muted", "ban", "forbid", "disabled"}
"""Words in names of icons that are crossed out already."""
_POINTING = {"arrow", "arrows", "chevron", "caret", "direction", "turn", "location", "map", "marker", "alert"}


@dataclass(frozen=True, slots=True)
class Found:
    """An element in a picture. ``box`` is (x0, y0, x1, y1) in pixels."""

    kind: str
    cls: str
    box: tuple[float, float, float, float]
    visibility: float
    direction_deg: float | None = None


class Collages:
    """Makes the collages of one split and seed, each by its number."""

    PER_PICTURE: ClassVar[int] = CELLS[0] * CELLS[1]

    def __init__(self, split: Split, seed: int, backdrops: Backdrops, library: Library | None = None) -> None:
        self._split, self._seed, self._backdrops = split, seed, backdrops
        self._art_split: ArtSplit = split.value
        self._kinds = TRAINING_KINDS if split is Split.TRAIN else KINDS
        self._library = library or Library()
        self._library.require()
        known = trained_labels().names
        self._classes = [name for name in paintable(self._art_split, self._library) if name in known]
        self._countries = [code for code, country in read_countries().items() if not country.same_as]
        self._own = {
            (icon.source, icon.name)
            for cls in read_classes()
            for one in ("train", "validation", "test")
            for icon in self._library.icons(cls, one)
        }
        # A pictogram named like a class may well show it; of held-out classes nothing at all is to be learnt.
        self._sayings = [
            word for cls in read_classes().values() for word in (cls.name.replace("_", " "), *cls.words)
        ]
        words = {word.lower() for one in self._sayings for word in one.split()}
        self._telling = {word for word in words if len(word) > 2} | _POINTING | _CROSSED
        self._packs = self._library.icon_packs(split.value)

    def collage(self, index: int) -> tuple[ByteImage, list[Found]]:
        """The collage with this number: RGB, and the elements with the pictures they carry."""
        rng = np.random.default_rng((self._seed, tuple(Split).index(self._split), 7, index))
        return self.composed(rng, (self.art(rng) for _ in range(self.PER_PICTURE)))

    def composed(self, rng: _Rng, arts: Iterable[Art]) -> tuple[ByteImage, list[Found]]:
        """At most ``PER_PICTURE`` elements on a background, and where they and their pictures are."""
        names = tuple(PROPORTIONS)
        world, _ = self._backdrops.picture(names[int(rng.integers(len(names)))], SIZE_PX, rng)
        wear = _doubled(Wear.drawn(rng, video=True))
        shown = [
            Shown(
                art,
                _quad(art, cell, rng),
                1.0 if rng.random() < 0.75 else float(rng.uniform(0.8, 1)),
            )
            for cell, art in enumerate(arts)
        ]
        rgb, seen = overlay(seen_by_camera(world, wear, rng), shown)
        if rng.random() < 0.7:
            wear = replace(wear, codec="jpeg", quality=int(rng.integers(40, 92)))
        rgb = sent(rgb, wear)
        found = []
        for one, what in zip(shown, seen, strict=True):
            found.append(_found(one.art.kind, one.art.cls, what))
            if one.art.kind not in {"sign", "pictogram"}:
                found += [
                    _found(part.part.kind, part.part.cls, part)
                    for part in what.parts
                    if part.part is not None
                ]
        return rgb, [one for one in found if one.visibility > 0]

    def art(self, rng: _Rng, kinds: Mapping[str, float] | None = None) -> Art:
        """A random element: pictogram, sign, flag or arrow without text, or a tag or badge."""
        kind = _drawn(kinds or self._kinds, rng)
        height_px = float(rng.uniform(90, 170))
        if kind == "flag":
            return self._paint("flag", rng, height_px, code=self._country(rng))
        if kind == "arrow":
            carried = self._carried(rng) if rng.random() < 0.3 else None
            degrees = float(rng.uniform(0, 360))
            if rng.random() < 0.5:
                degrees = 90.0 * int(rng.integers(4)) + float(rng.normal(0, 8))
            return self._paint("arrow", rng, height_px, direction_deg=degrees, carried=carried)
        if kind == "carrier":
            text = "" if rng.random() < 0.15 else self._short_text(rng)
            return self._paint("panel", rng, height_px, text=text, carried=self._carried(rng))
        if kind == "other":
            return self._other(rng, height_px)
        if kind in _WRITTEN:
            quantity, more = _WRITTEN[kind]
            texts = (*amounts(quantity, 1, rng)[0].forms, *more)
            return self._paint(kind, rng, height_px, text=texts[int(rng.integers(len(texts)))])
        return self._paint(self._classes[int(rng.integers(len(self._classes)))], rng, height_px)

    def scene_art(self, rng: _Rng) -> Art:
        """The same as a whole scene needs it: more arrows and tags, and arrows with text on them."""
        if rng.random() < ARROWS_WITH_TEXT:
            written = amounts(_ON_ARROWS[int(rng.integers(len(_ON_ARROWS)))], 1, rng)[0].forms
            text = written[int(rng.integers(len(written)))]
            degrees = 180.0 * int(rng.integers(2)) + float(rng.normal(0, 25))
            return self._paint("arrow", rng, float(rng.uniform(90, 170)), direction_deg=degrees, text=text)
        return self.art(rng, SCENE_KINDS)

    def _short_text(self, rng: _Rng) -> str:
        """What panels say beside a picture: a name of some class, or a quantity."""
        if rng.random() < 0.5:
            return self._sayings[int(rng.integers(len(self._sayings)))].capitalize()
        written = amounts(_ON_ARROWS[int(rng.integers(len(_ON_ARROWS)))], 1, rng)[0].forms
        return written[int(rng.integers(len(written)))]

    def _paint(self, what: str, rng: _Rng, height_px: float, **explicit: Any) -> Art:  # noqa: ANN401 - handed on
        return paint(what, rng, self._art_split, height_px=height_px, library=self._library, **explicit)

    def _carried(self, rng: _Rng) -> Carried:
        cls = self._classes[int(rng.integers(len(self._classes)))]
        what = self._country(rng) if rng.random() < 0.4 else cls
        return carry(what, rng, self._art_split, library=self._library)

    def _country(self, rng: _Rng) -> str:
        return self._countries[int(rng.integers(len(self._countries)))]

    def _other(self, rng: _Rng, height_px: float) -> Art:
        """A pictogram or sign of no class; some files cannot be drawn, so a few are tried."""
        how = _drawn(_TRAINING_OTHERS if self._split is Split.TRAIN else _OTHERS, rng)
        for _ in range(_OTHER_TRIES):
            source = self._packs[int(rng.integers(len(self._packs)))]
            names = self._library.icon_names(source)
            name = names[int(rng.integers(len(names)))]
            if (source, name) in self._own or self._telling & set(re.split(r"[^a-z]+", name.lower())):
                continue
            try:
                return self._shown(how, source, name, rng, height_px)
            except ValueError:
                continue
        return self._paint("flag", rng, height_px, code=self._country(rng))

    def _shown(self, how: str, source: str, name: str, rng: _Rng, height_px: float) -> Art:
        kit = (rng, self._art_split, self._library)
        for form in SAID_BY_SHAPE:
            if how == form:
                glyph = icon_glyph(self._library, source, name)
                return paint_other_sign(*kit, glyph=glyph, form=form, height_px=height_px)
        return other_pictogram(*kit, source=source, name=name, crossed=how == "crossed", height_px=height_px)


def _drawn(shares: Mapping[str, float], rng: _Rng) -> str:
    return tuple(shares)[int(np.searchsorted(np.cumsum(list(shares.values())), rng.random() * 0.999))]


def _found(kind: str, cls: str, seen: Seen) -> Found:
    x, y, width, height = seen.box
    box = (x * SIZE_PX[0], y * SIZE_PX[1], (x + width) * SIZE_PX[0], (y + height) * SIZE_PX[1])
    return Found(kind, cls, box, seen.visibility, seen.direction_deg)


def _quad(art: Art, cell: int, rng: _Rng) -> npt.NDArray[np.float64]:
    """Corners in the cell: any size, turned and tilted a little, sometimes half out of the picture."""
    height, width = art.rgba.shape[:2]
    room = np.array([SIZE_PX[0] / CELLS[0], SIZE_PX[1] / CELLS[1]])
    extent = float(np.exp(rng.uniform(*np.log(EXTENT_PX))))
    scale = min(extent / max(width, height), *(room / (width, height)))
    if width > 2 * height:
        scale = min(scale * 1.4, 1.3 * room[0] / width)
    half = np.array([width, height]) * scale / 2
    middle = (np.array([cell % CELLS[0], cell // CELLS[0]]) + 0.5) * room + rng.normal(0, 6, 2)
    if rng.random() < 0.18:
        middle[1] = half[1] * float(rng.uniform(0.1, 0.9))
        middle[1] = middle[1] if cell < CELLS[0] else SIZE_PX[1] - middle[1]
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64) * half
    corners *= (float(rng.uniform(0.65, 1)) if rng.random() < 0.35 else 1.0, 1.0)
    slope = float(np.clip(rng.normal(0, 0.08), -0.2, 0.2))
    corners[:, 1] *= 1 + slope * np.sign(corners[:, 0])
    lean = float(rng.uniform(0, 0.2)) if rng.random() < 0.2 else 0.0
    corners[:, 0] *= 1 + lean * np.sign(corners[:, 1])
    turn = math.radians(float(rng.normal(0, 5)))
    rotation = np.array([[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]])
    return np.asarray(corners @ rotation.T + middle)


def _doubled(wear: Wear) -> Wear:
    return replace(
        wear,
        camera_blur_px=wear.camera_blur_px * 2,
        motion_px=wear.motion_px * 2,
        defocus_px=wear.defocus_px * 2,
    )
