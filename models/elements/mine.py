"""What a trained detector finds in photos without elements: crops that the classifier learns to refuse.

    python -m models.elements.mine --weights build/elements/full --backgrounds PHOTOS --photos 1500

Writes shards ``cuts-train-SEED-NUMBER`` beside the generated ones, all labelled ``#background``. Only photos
of the training split are looked at, as the generator shows them: cropped, blurred, compressed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from rich.progress import track

from arwarden.core.frame import ByteImage
from arwarden.fast.elements.crops import crop_input
from arwarden.fast.elements.decode import TYPES
from models.elements.generate import CROP_PX, shaken
from models.elements.inference import Networks, read_model
from models.elements.labels import BACKGROUND
from models.elements.store import write_shard
from models.scenes.kinds import Split
from models.scenes.scene import SceneMaker

LOWEST = 0.12
"""Scores from here on: candidates at run time, about which the classifier decides, begin at 0.14."""
LEAST_SIDE_PX = 12.0
CROPS_PER_SHARD = 512
Crop = tuple[ByteImage, dict[str, Any]]


def mined(networks: Networks, rgb: ByteImage, rng: np.random.Generator) -> Iterator[Crop]:
    """The crops of all that is found in one frame without virtual content."""
    for box in networks.find(rgb, (LOWEST,) * len(TYPES)).boxes_px:
        if min(box[2] - box[0], box[3] - box[1]) < LEAST_SIDE_PX:
            continue
        side = float(np.sqrt((box[2] - box[0]) * (box[3] - box[1])))
        place = shaken((float(box[0]), float(box[1]), float(box[2]), float(box[3])), rng)
        yield (
            crop_input(rgb, place, CROP_PX),
            {"label": BACKGROUND, "direction": None, "side": round(side, 1)},
        )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--weights", type=Path, required=True, help="folder that export has written")
    parser.add_argument("--data", type=Path, default=Path("build/elements/data"))
    parser.add_argument("--backgrounds", type=Path, required=True)
    parser.add_argument("--photos", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=8)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    networks = Networks(read_model(arguments.weights))
    maker = SceneMaker(Split.TRAIN, arguments.seed, backgrounds=arguments.backgrounds)
    made: list[Crop] = []
    for index in track(range(arguments.photos), description="photos"):
        made += mined(networks, maker.negative(index).rgb, np.random.default_rng((arguments.seed, index)))
    for start in range(0, len(made), CROPS_PER_SHARD):
        chunk = made[start : start + CROPS_PER_SHARD]
        path = arguments.data / f"cuts-train-{arguments.seed}-{start // CROPS_PER_SHARD:05}"
        write_shard(path, np.stack([picture for picture, _ in chunk]), [entry for _, entry in chunk])
    print(f"{len(made)} crops from {arguments.photos} photos")  # noqa: T201


if __name__ == "__main__":
    main()
