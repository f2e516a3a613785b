"""Scenes as the generator makes them, with more pictures: its own are mostly panels with text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from models.elements.collage import Collages
from models.scenes.capture import Wear
from models.scenes.compose import NoRoomError, Placer, draw_scene, element_truths
from models.scenes.kinds import Split
from models.scenes.scene import Scene, SceneMaker, camera_of, scene_truth
from models.scenes.situation import Design

MORE = (0.12, 0.2, 0.24, 0.2, 0.14, 0.1)
"""Chance of 0, 1, 2, ... further pictures in a scene."""

TRIES = 3


class CrowdedScenes:
    """Makes scenes of one split and seed, each by its number."""

    def __init__(
        self, split: Split, seed: int, backgrounds: Path | None, collages: Collages, size_px: tuple[int, int]
    ) -> None:
        self._maker = SceneMaker(split, seed, backgrounds=backgrounds, size_px=size_px)
        self._collages = collages

    def negative(self, index: int) -> Scene:
        """A picture without virtual content."""
        return self._maker.negative(index)

    def crowded(self, index: int) -> Scene:
        """A scene of the generator with further pictures beside its own elements."""
        for attempt in range(TRIES):
            try:
                return self._scene(index, self._maker.rng(index, purpose=20 + attempt))
            except NoRoomError:
                continue
        return self.negative(index)

    def _scene(self, index: int, rng: np.random.Generator) -> Scene:
        maker = self._maker
        situation = maker.situation(index, rng)
        camera = camera_of(maker.size_px, rng)
        drawn = [(design, maker.painter.paint(design, rng)) for design in situation.elements]
        more = int(np.searchsorted(np.cumsum(MORE), rng.random() * 0.999))
        drawn += [(Design("sign"), self._collages.scene_art(rng)) for _ in range(more)]
        placed = Placer(camera, rng).place(drawn)
        world, background = maker.backdrops.picture(situation.application, maker.size_px, rng)
        rgb, seen = draw_scene(world, placed, camera, Wear.drawn(rng), rng)
        truth = scene_truth(
            f"{maker.split}-{maker.seed}-c{index:06}", maker.split, situation, maker.size_px, background
        )
        return Scene(rgb, replace(truth, elements=element_truths(placed, seen)))
