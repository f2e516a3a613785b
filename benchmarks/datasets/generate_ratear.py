"""Pictures and videos in RateAR's layout: a drawn basketball, and annotators who are simulated.

What is known of each is how far the ball floats or is sunk, how much too large or small it is, and how wrong
its shadow is. Every simulated annotator sees these with errors and a leniency of its own. So the set shows
whether a method measures these three things, and says nothing about people.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.datasets.ball import Ball, Faults, Truth, frames_of, picture_of, single_fault, write_truth
from benchmarks.datasets.drawing import FPS, write_picture, write_video
from benchmarks.datasets.origin import mark
from benchmarks.datasets.ratear import COLUMNS, EXAMPLE_COLUMNS, EXAMPLES, TABLE
from benchmarks.protocols.data import Floats
from benchmarks.published.tables import FACTORS

HOW: Final = "a drawn basketball, simulated annotators"
ANNOTATORS: Final = 5
NOISE: Final = 0.45
"""Standard deviation of an annotator's error, in points of the scale of 1 to 5."""
LENIENCY: Final = 0.3
EXAMPLE_RATINGS: Final = (1, 5, 3)
"""In the order in which the paper shows them."""
CLIP_S: Final = 2.0

Step = Callable[[], None]


@dataclass(slots=True)
class SimulatedPeople:
    """Annotators who see how wrong a scene is, with errors of their own; the same for the same seed."""

    seed: int
    leniency: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.leniency = np.random.default_rng((self.seed, 2)).normal(0.0, LENIENCY, ANNOTATORS)

    def scores(self, fault: float, rng: np.random.Generator) -> list[int]:
        """1 to 5 of each, for a fault of 0 to 1."""
        seen = 5.0 - 4.0 * fault + self.leniency + rng.normal(0.0, NOISE, ANNOTATORS)
        return [int(one) for one in np.clip(np.rint(seen), 1, 5)]


def generate_ratear(
    out: Path,
    count: int,
    *,
    seed: int,
    size_px: tuple[int, int],
    media: str = "images",
    step: Step = lambda: None,
) -> None:
    """Write ``images`` or ``videos``, scores, few-shot examples, and what is known of every scene.

    Raises:
        InputError: the folder holds something else.
    """
    mark(out, HOW, {"set": f"ratear-{media}", "seed": seed, "count": count, "size_px": list(size_px)})
    (out / media).mkdir(exist_ok=True)
    (out / "images").mkdir(exist_ok=True)
    rng = np.random.default_rng((seed, 1))
    people = SimulatedPeople(seed)
    rows: list[tuple[str, str, str, str, int]] = []
    balls: dict[str, Ball] = {}
    for index in range(count):
        name = f"ball_{index:04}"
        ball = Ball.drawn(rng, Faults(*(float(one) for one in rng.uniform(0, 1, 3) ** 1.5)))
        balls[name] = ball
        file = f"{media}/{name}.{'jpg' if media == 'images' else 'mp4'}"
        write_scene(out / file, ball, size_px)
        for factor in FACTORS:
            scores = people.scores(getattr(ball.faults, factor), rng)
            rows += [(name, file, factor, f"a{who + 1}", score) for who, score in enumerate(scores)]
        step()
    _write(out / TABLE, COLUMNS, rows)
    write_truth(out, Truth(seed, balls))
    _examples(out, size_px, rng)


def write_scene(path: Path, ball: Ball, size_px: tuple[int, int]) -> None:
    """Write a scene as the file's ending says: a picture, or a video of ``CLIP_S`` seconds."""
    if path.suffix == ".mp4":
        write_video(path, frames_of(ball, size_px, round(FPS * CLIP_S)), size_px)
    else:
        write_picture(path, picture_of(ball, size_px))


def _examples(out: Path, size_px: tuple[int, int], rng: np.random.Generator) -> None:
    rows = []
    for factor in FACTORS:
        for rating in EXAMPLE_RATINGS:
            ball = Ball.drawn(rng, single_fault(factor, (5 - rating) / 4))
            file = f"images/example_{factor}_{rating}.jpg"
            write_scene(out / file, ball, size_px)
            rows.append((factor, file, "a basketball", rating))
    _write(out / EXAMPLES, EXAMPLE_COLUMNS, rows)


def _write(path: Path, heading: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows(rows)
