"""Finished scenes: a picture and the truth about it, the same for the same seed.

for scene in scenes(Split.TRAIN, seed=1, backgrounds=Path("photos")):
    train_on(scene.rgb, scene.truth)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.art.element import Art
from models.scenes.backdrop import Backdrops
from models.scenes.capture import Wear
from models.scenes.compose import Placer, draw_scene, element_truths, smallest_line_px
from models.scenes.kinds import PROPORTIONS, KindFilter, Split
from models.scenes.painter import Painter
from models.scenes.situation import Author, Design, Programme, Situation
from models.scenes.truth import ElementTruth, SceneTruth
from models.scenes.view import Camera

_Rng = np.random.Generator
_LEGIBLE_ALPHA = 190.0
FULL_SIZE_PX = (1280, 720)
SMALL_SIZE_PX = (640, 360)
"""For training a detector: a quarter of the work. Texts are too small to be read."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture, RGB of shape ``(height, width, 3)``, and the truth about it."""

    rgb: ByteImage
    truth: SceneTruth


class SceneMaker:
    """Makes the scenes of one split and seed, each by its number, in any order."""

    def __init__(
        self,
        split: Split,
        seed: int,
        *,
        painter: Painter | None = None,
        backgrounds: Path | None = None,
        kinds: KindFilter = KindFilter.SEEN,
        size_px: tuple[int, int] = FULL_SIZE_PX,
    ) -> None:
        """Without ``painter`` the project's own art is used, without ``backgrounds`` drawn rooms."""
        self.split, self.seed, self.size_px = split, seed, size_px
        self.scale = size_px[1] / FULL_SIZE_PX[1]
        """Size of the pictures as a share of full size."""
        self.painter = painter or _own_painter(split, self.scale)
        self.backdrops = Backdrops(split, backgrounds)
        self.author = Author(split, kinds, drawable=self.painter.classes())
        self._programme = Programme(seed)

    def rng(self, index: int, purpose: int = 0) -> _Rng:
        """The random numbers of one scene: they depend on nothing but seed, split and number."""
        return np.random.default_rng((self.seed, tuple(Split).index(self.split), purpose, index))

    def situation(self, index: int, rng: _Rng) -> Situation:
        """What the scene with this number says."""
        application, contradictory = self._programme.at(index)
        return self.author.situation(application, rng, contradictory=contradictory)

    def drawn(self, situation: Situation, rng: _Rng) -> list[tuple[Design, Art]]:
        """The elements of a situation, those of the pair on grounds on which they can be read."""
        return [
            (design, self._legible(design, rng) if place < 2 else self.painter.paint(design, rng))
            for place, design in enumerate(situation.elements)
        ]

    def _legible(self, design: Design, rng: _Rng) -> Art:
        """Texts on glass or on nothing drown in a busy world; beside the pair they may."""
        art = self.painter.paint(design, rng)
        for _ in range(5):
            if _ground_alpha(art) >= _LEGIBLE_ALPHA:
                break
            art = self.painter.paint(design, rng)
        return art

    def scene(self, index: int) -> Scene:
        """The scene with this number."""
        rng = self.rng(index)
        situation = self.situation(index, rng)
        camera = camera_of(self.size_px, rng)
        placed = Placer(camera, rng, drawn_scale=self.scale).place(self.drawn(situation, rng))
        world, background = self.backdrops.picture(situation.application, self.size_px, rng)
        wear = Wear.drawn(rng).sparing(smallest_line_px(placed, camera), self.scale)
        rgb, seen = draw_scene(world, placed, camera, wear, rng)
        truth = scene_truth(
            f"{self.split}-{self.seed}-{index:06}", self.split, situation, self.size_px, background
        )
        return Scene(rgb, _with_elements(truth, element_truths(placed, seen)))

    def negative(self, index: int) -> Scene:
        """A picture without virtual content."""
        rng = self.rng(index, purpose=1)
        names = tuple(PROPORTIONS)
        application = names[int(rng.integers(len(names)))]
        world, background = self.backdrops.picture(application, self.size_px, rng)
        rgb, _ = draw_scene(world, (), camera_of(self.size_px, rng), Wear.drawn(rng), rng)
        truth = SceneTruth(
            id=f"{self.split}-{self.seed}-n{index:06}", split=self.split, application=application,
            contradictory=False, kind="", attribute="", recipe="negative", pair=None, elements=(),
            size_px=self.size_px, background=background,
        )  # fmt: skip
        return Scene(rgb, truth)


def scenes(
    split: Split,
    seed: int,
    *,
    painter: Painter | None = None,
    backgrounds: Path | None = None,
    kinds: KindFilter = KindFilter.SEEN,
    size_px: tuple[int, int] = FULL_SIZE_PX,
    start: int = 0,
) -> Iterator[Scene]:
    """Scenes without end, in the published proportions, labels alternating; nothing is written to disk."""
    maker = SceneMaker(split, seed, painter=painter, backgrounds=backgrounds, kinds=kinds, size_px=size_px)
    index = start
    while True:
        yield maker.scene(index)
        index += 1


def camera_of(size_px: tuple[int, int], rng: _Rng) -> Camera:
    """A camera that sees 60 to 95 degrees wide, as recordings of headsets do."""
    width_px, height_px = size_px
    return Camera(width_px, height_px, focal_px=float(rng.uniform(0.46, 0.86)) * width_px)


def scene_truth(
    scene_id: str, split: Split, situation: Situation, size_px: tuple[int, int], background: str
) -> SceneTruth:
    """What is known before anything is drawn."""
    return SceneTruth(
        id=scene_id,
        split=split.value,
        application=situation.application,
        contradictory=situation.contradictory,
        kind=situation.kind.name,
        attribute=situation.kind.attribute,
        recipe=situation.recipe,
        pair=(0, 1),
        elements=(),
        size_px=size_px,
        background=background,
        held_out_kind=situation.kind.held_out,
    )


def _ground_alpha(art: Art) -> float:
    """How solid the ground of the texts is, 0..255; of elements without text full."""
    height_px, width_px = art.rgba.shape[:2]
    shares = [255.0]
    for part in art.parts:
        if part.kind != "text":
            continue
        x, y, width, height = part.box_norm
        rows = slice(int(y * height_px), max(int(y * height_px) + 1, int((y + height) * height_px)))
        columns = slice(int(x * width_px), max(int(x * width_px) + 1, int((x + width) * width_px)))
        shares.append(float(art.rgba[rows, columns, 3].mean()))
    return min(shares)


def _with_elements(truth: SceneTruth, elements: tuple[ElementTruth, ...]) -> SceneTruth:
    return replace(truth, elements=elements)


def _own_painter(split: Split, scale: float) -> Painter:
    from models.scenes.art_painter import ArtPainter  # noqa: PLC0415 - tests run without the fetched assets

    return ArtPainter(split, scale=scale)
