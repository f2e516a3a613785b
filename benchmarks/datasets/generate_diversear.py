"""Pictures in DiverseAR+'s layout: a drawn room without and with a ball, which is more or less wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.datasets.ball import Ball, Faults, picture_of
from benchmarks.datasets.drawing import write_picture
from benchmarks.datasets.origin import mark

HOW: Final = "drawn rooms without and with a basketball"
DEVICES: Final = ("android", "iOS", "AVP")
OBJECT: Final = "Basketball"


def generate_diversear(
    out: Path, count: int, *, seed: int, size_px: tuple[int, int], step: Callable[[], None] = lambda: None
) -> None:
    """Write ``count`` pairs, spread over the devices, which draw alike.

    Raises:
        InputError: the folder holds something else.
    """
    mark(out, HOW, {"set": "diversear", "seed": seed, "count": count, "size_px": list(size_px)})
    rng = np.random.default_rng((seed, 4))
    for index in range(count):
        device = DEVICES[index % len(DEVICES)]
        folder = out / device / f"{device}_{OBJECT}"
        folder.mkdir(parents=True, exist_ok=True)
        ball = Ball.drawn(rng, Faults(*(float(one) for one in rng.uniform(0, 1, 3) ** 2)))
        name = f"{device}_{OBJECT}_{index // len(DEVICES) + 1}"
        write_picture(folder / f"{name}_ar.png", picture_of(ball, size_px))
        write_picture(folder / f"{name}_raw.png", picture_of(ball, size_px, empty=True))
        step()
