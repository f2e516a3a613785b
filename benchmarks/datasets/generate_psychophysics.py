"""Renderings of drawn rooms or photos by seven known operators, and z-scores that are simulated.

An operator changes contrast and saturation by known factors. The simulated scale values are the logarithms
of these with a little noise; overall preference weighs them as the paper found people to (0.59 and 0.16).
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from benchmarks.datasets.drawing import write_picture
from benchmarks.datasets.origin import mark
from benchmarks.datasets.psychophysics import COLUMNS, HUMAN, HUMAN_COLUMNS, TABLE
from benchmarks.protocols.data import Floats
from models.scenes.backdrop import Backdrops
from models.scenes.kinds import PROPORTIONS, Split

HOW: Final = "seven drawn operators, simulated people"
OPERATORS: Final = {
    "flat": (0.55, 0.9), "soft": (0.75, 0.6), "plain": (1.0, 1.0), "vivid": (1.0, 1.6), "grey": (1.1, 0.35),
    "hard": (1.5, 0.8), "loud": (1.35, 1.5),
}  # fmt: skip
"""Name → factors of contrast and of saturation."""
WEIGHTS: Final = {"contrast": 0.16, "colourfulness": 0.59}
NOISE: Final = 0.15


def generate_psychophysics(
    out: Path,
    scenes: int,
    *,
    seed: int,
    size_px: tuple[int, int],
    backgrounds: Path | None = None,
    step: Callable[[], None] = lambda: None,
) -> None:
    """Write a picture of every scene by every operator, and z-scores.

    Raises:
        InputError: the folder holds something else.
    """
    arguments = {
        "set": "psychophysics", "seed": seed, "count": scenes, "size_px": list(size_px),
        "backgrounds": None if backgrounds is None else backgrounds.name,
    }  # fmt: skip
    mark(out, HOW, arguments)
    rng = np.random.default_rng((seed, 2))
    backdrops = Backdrops(Split.TEST, backgrounds)
    rooms = tuple(PROPORTIONS)
    pictures: list[tuple[str, str, str]] = []
    scores: list[tuple[str, str, str, str]] = []
    for index in range(scenes):
        name = f"scene_{index:02}"
        (out / name).mkdir(exist_ok=True)
        world, _ = backdrops.picture(rooms[index % len(rooms)], size_px, rng)
        for operator, (contrast, saturation) in OPERATORS.items():
            file = f"{name}/{operator}.png"
            write_picture(out / file, rendered(world, contrast, saturation))
            pictures.append((name, operator, file))
        for scale, z in simulated(rng).items():
            scores += [(scale, name, one, f"{value:.3f}") for one, value in zip(OPERATORS, z, strict=True)]
        step()
    for path, heading, rows in ((TABLE, COLUMNS, pictures), (HUMAN, HUMAN_COLUMNS, scores)):
        with (out / path).open("w", encoding="utf-8", newline="") as file_:
            writer = csv.writer(file_)
            writer.writerow(heading)
            writer.writerows(rows)


def rendered(rgb: ByteImage, contrast: float, saturation: float) -> ByteImage:
    """The picture with its lightness spread and its colours multiplied, in CIE L*a*b*."""
    lab = cv2.cvtColor(rgb.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)
    middle = float(lab[..., 0].mean())
    lab[..., 0] = np.clip(middle + contrast * (lab[..., 0] - middle), 0, 100)
    lab[..., 1:] = lab[..., 1:] * saturation
    back = cv2.cvtColor(lab, cv2.COLOR_LAB2RGB)
    return np.asarray(np.clip(255 * back, 0, 255).round(), dtype=np.uint8)


def simulated(rng: np.random.Generator) -> dict[str, Floats]:
    """Scale values of one scene, in the order of ``OPERATORS``, each scale with mean 0."""
    logs = np.log(np.array(list(OPERATORS.values())))
    z = {"contrast": logs[:, 0] / logs[:, 0].std(), "colourfulness": logs[:, 1] / logs[:, 1].std()}
    z["overall"] = sum((weight * z[name] for name, weight in WEIGHTS.items()), np.zeros(len(OPERATORS)))
    noisy = {name: values + rng.normal(0, NOISE, len(values)) for name, values in z.items()}
    return {name: values - values.mean() for name, values in noisy.items()}
