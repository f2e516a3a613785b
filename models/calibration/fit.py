r"""Fit the map from what is known about a contradiction to how likely it is true.

    python -m models.scenes.generate --out build/scenes/validation --split validation --seed 53 \
        --count 600 --negatives 200 --backgrounds PHOTOS
    python -m models.calibration.fit --scenes build/scenes/validation \
        --out daemon/arwarden/fast/calibration.json

Every picture of the folder is judged by the fast tier with its element networks, without a map. A finding
is true where the scene contradicts itself and both elements of the finding lie on the pair that does. The
logistic map is fitted by Newton's method; its weights are held near those that leave the rules' confidence
as it is, so that what was seldom seen changes little.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Element, Finding, FindingKind
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast.calibration import FEATURES, FORMAT, features
from arwarden.fast.tier import FastTier
from arwarden.headset.pictures import load_rgb
from models.calibration.logistic import Numbers, calibration_error, held_fit, logistic
from models.scenes.truth import SceneTruth, scene_from_json

PRIOR: Final = {name: float(name == "rules") for name in FEATURES}
"""The weights that leave the rules' confidence as it is."""
HELD: Final = 1.0
"""How strongly the weights are held there: as by so many findings that say nothing else."""
PRECISION: Final = 0.95
"""Of the findings that may warn so large a share has to be true."""
LEAST_CERTAIN: Final = 0.6
"""Less likely findings never warn, however well they do on few pictures."""
CHANCE: Final = 0.5
"""Of the findings that are kept at all, so large a share should be true."""
FIFTHS: Final = 5
"""Parts of 0..1 over which the calibration error is taken: some 250 findings fill no more."""
NEAR_NORM: Final = 0.02
"""A finding's element may reach so far beyond the true one."""


@dataclass(frozen=True, slots=True)
class Example:
    """One finding, what is known about it, and whether it is true."""

    values: tuple[float, ...]
    true: bool
    confidence: float


def examples_in(
    truth: SceneTruth, findings: Sequence[Finding], elements: Sequence[Element]
) -> Iterator[Example]:
    """The contradictions that were found in a picture, with what they turned out to be."""
    for finding in findings:
        if finding.kind is FindingKind.CONTRADICTION and len(finding.elements) == 2:
            known = features(finding, elements)
            true = truth.contradictory and _on_the_pair(truth, finding)
            yield Example(tuple(known[name] for name in FEATURES), true, finding.confidence)


def fit(examples: Sequence[Example], *, held: float = HELD) -> Numbers:
    """The weights, in the order of ``FEATURES``. Raises ``ValueError`` without an example."""
    if not examples:
        msg = "no contradiction was found in any picture: nothing to fit"
        raise ValueError(msg)
    x = np.asarray([one.values for one in examples])
    true = np.asarray([one.true for one in examples])
    return held_fit(x, true, np.asarray([PRIOR[name] for name in FEATURES]), held)


def threshold(likely: Numbers, true: npt.NDArray[np.bool_], share: float) -> float:
    """The least probability from which at least this share of the findings is true; 1 where none is."""
    order = np.argsort(-likely)
    shares = np.cumsum(true[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(shares >= share)
    return float(likely[order][enough[-1]]) if len(enough) else 1.0


def described(examples: Sequence[Example], origin: str) -> dict[str, Any]:
    """What goes into the data file."""
    weights = fit(examples)
    x = np.asarray([one.values for one in examples])
    true = np.asarray([one.true for one in examples])
    likely = logistic(x @ weights)
    before = np.asarray([one.confidence for one in examples])
    certain = min(max(threshold(likely, true, PRECISION), LEAST_CERTAIN), 0.9)
    least = min(threshold(likely, true, CHANCE), certain)
    return {
        "format": FORMAT,
        "origin": origin,
        "findings": len(examples),
        "true": int(true.sum()),
        "error": {
            "rules": round(calibration_error(before, true, FIFTHS), 4),
            "fitted": round(calibration_error(likely, true, FIFTHS), 4),
        },
        "weights": {name: round(float(value), 4) for name, value in zip(FEATURES, weights, strict=True)},
        "certain": round(certain, 3),
        "least": round(min(max(least, 0.1), 0.5), 3),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m models.calibration.fit", description=__doc__)
    parser.add_argument("--scenes", type=Path, required=True, help="folder made by models.scenes.generate")
    parser.add_argument("--out", type=Path, required=True, help="where the data file goes")
    parser.add_argument("--most", type=int, default=None, help="pictures to judge, from the first on")
    chosen = parser.parse_args(arguments)
    examples, pictures = _judged(chosen.scenes, chosen.most)
    manifest = json.loads((chosen.scenes / "manifest.json").read_text(encoding="utf-8"))
    origin = f"{pictures} generated pictures, split {manifest['split']}, seed {manifest['seed']}"
    values = described(examples, f"{origin}; python -m models.calibration.fit")
    chosen.out.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(json.dumps(values, indent=1) + "\n")
    return 0


def _judged(folder: Path, most: int | None) -> tuple[list[Example], int]:
    lines = (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()[:most]
    tier = FastTier(FastConfig(elements=True, quality=False), SystemClock(), calibrate=False)
    context = SceneContext("calibration", View.COMPOSITED, closely=True)
    examples: list[Example] = []
    try:
        for count, line in enumerate(lines):
            truth = scene_from_json(json.loads(line))
            picture = ArrayPicture(load_rgb(folder / truth.file))
            frame = Frame(f"picture {count}", 1, 0.0, CaptureClock.ARRIVAL, 0.0, picture)
            judged = tier.analyse_now(frame, context)
            examples += examples_in(truth, judged.findings, judged.elements)
    finally:
        tier.close_now()
    return examples, len(lines)


def _on_the_pair(truth: SceneTruth, finding: Finding) -> bool:
    """Whether the two elements lie on the two of the pair, each on another one."""
    if truth.pair is None:
        return False
    boxes = {one.index: one.box for one in truth.elements}
    pair = [boxes[index] for index in truth.pair if index in boxes]
    if len(pair) != 2:
        return False
    one, other = finding.elements
    straight = _within(one, pair[0]) and _within(other, pair[1])
    return straight or (_within(one, pair[1]) and _within(other, pair[0]))


def _within(element: Element, box: tuple[float, float, float, float]) -> bool:
    x = element.box.x_norm + element.box.w_norm / 2
    y = element.box.y_norm + element.box.h_norm / 2
    left, top, width, height = box
    return (
        left - NEAR_NORM <= x <= left + width + NEAR_NORM and top - NEAR_NORM <= y <= top + height + NEAR_NORM
    )


if __name__ == "__main__":
    sys.exit(main())
