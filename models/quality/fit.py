"""Fit the thresholds of the picture quality measures on photos with known faults.

    python -m models.quality.fit --photos DIR --out daemon/arwarden/fast/quality/thresholds.json

Half of the photos are used for the fit, the other half for the table that is printed at the end.
With ``--check FILE`` nothing is fitted: the table is for the thresholds of that file. ``--skip 150``
leaves out the photos that a fit with the same seed has seen.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.config import AlertsConfig
from arwarden.core.findings import Finding, Measure
from arwarden.core.frame import ArrayPicture, ByteImage, TransportHealth
from arwarden.fast.quality.faults import FAULTS, QualityJudge, Threshold, Thresholds, read_thresholds
from arwarden.fast.quality.measures import measure
from models.quality.degrade import Case, Kind, cases, cover

SIZES_PX = ((1280, 720), (960, 540), (640, 360))
SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
FALSE_ALARMS = 0.01
"""Share of the pictures of any one sound case that a measure may call faulty."""
NATIVE = Case("clean", "photo as filed", lambda rgb, _random: rgb)

_Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured on one changed photo."""

    case: Case
    measured: tuple[Measure, ...]

    def value(self, name: str) -> float:
        """The value of a measure; NaN where it could not be taken."""
        return next((one.value for one in self.measured if one.name == name), math.nan)


def find_photos(folder: Path, count: int, random: np.random.Generator, skip: int = 0) -> list[Path]:
    """``count`` photos of the folder and below, in random order, after the first ``skip``."""
    found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if len(found) - skip < 10:
        msg = f"{folder} holds {len(found)} photos ({', '.join(sorted(SUFFIXES))}); {skip + 10} are needed"
        raise SystemExit(msg)
    return [found[index] for index in random.permutation(len(found))[skip : skip + count]]


def read_photo(path: Path) -> ByteImage:
    """The photo as RGB, shape ``(height, width, 3)``."""
    bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if bgr is None:
        msg = f"{path} cannot be read as a picture; remove it from the folder"
        raise SystemExit(msg)
    return np.ascontiguousarray(bgr[:, :, ::-1], dtype=np.uint8)


def measure_photos(photos: Sequence[Path], seed: int, fit_count: int) -> Iterable[list[Sample]]:
    """The cases of each photo, in one of three stream sizes. Says on stderr how far it is.

    Cases that are only shown take no part in the fit, so the first ``fit_count`` photos do without.
    """
    every = cases()
    fitted = [case for case in every if case.kind is not Kind.SHOWN]
    for index, path in enumerate(photos):
        changes = fitted if index < fit_count else every
        random = np.random.default_rng([seed, index])
        photo = read_photo(path)
        sized = cover(photo, *SIZES_PX[index % len(SIZES_PX)])
        samples = [Sample(NATIVE, measure(ArrayPicture(photo)))]
        samples += [Sample(case, measure(ArrayPicture(case.change(sized, random)))) for case in changes]
        sys.stderr.write(f"\r{index + 1}/{len(photos)} photos")
        sys.stderr.flush()
        yield samples
    sys.stderr.write("\n")


def fit(samples: Sequence[Sample]) -> Thresholds:
    """A threshold and a slope for each fault."""
    return {fault.name: _fit_one(samples, fault.name, fault.measure) for fault in FAULTS}


def _fit_one(samples: Sequence[Sample], fault: str, name: str) -> Threshold:
    """Logistic curve over log1p of the measure, moved so that sound pictures stay below it.

    Sound pictures count as 0, strong faults as 1, bearable ones as one half; the three groups weigh
    the same. Targets are softened as in Platt, "Probabilistic outputs for support vector machines",
    1999, so that the slope stays finite where the groups do not overlap.
    """
    sound = _values(samples, name, Kind.SOUND, "")
    bearable = _values(samples, name, Kind.MILD, fault)
    faulty = _values(samples, name, Kind.FAULT, fault)
    groups = [(sound, 1 / (sound.size + 2)), (bearable, 0.5), (faulty, (faulty.size + 1) / (faulty.size + 2))]
    inputs = np.concatenate([values for values, _ in groups])
    targets = np.concatenate([np.full(values.size, target) for values, target in groups])
    weights = np.concatenate([np.full(values.size, 1 / max(1, values.size)) for values, _ in groups])
    slope, offset = _logistic(inputs, targets, weights)
    sign = 1.0 if slope > 0 else -1.0
    sound_cases = dict.fromkeys(sample.case for sample in samples if sample.case.kind is Kind.SOUND)
    limits = [
        float(np.quantile(sign * values, 1 - FALSE_ALARMS))
        for case in sound_cases
        if (values := _values([s for s in samples if s.case is case], name, Kind.SOUND, "")).size
    ]
    middle = sign * max(-sign * offset / slope, *limits)
    return Threshold(round(math.expm1(middle), 4), round(slope, 3))


def _values(samples: Sequence[Sample], name: str, kind: Kind, fault: str) -> _Vector:
    values = [s.value(name) for s in samples if s.case.kind is kind and s.case.of == fault]
    return np.log1p(np.array([value for value in values if math.isfinite(value)], dtype=np.float64))


def _logistic(inputs: _Vector, targets: _Vector, weights: _Vector) -> tuple[float, float]:
    """Slope and offset with the least weighted cross entropy, by damped Newton steps."""
    centre, spread = float(inputs.mean()), float(inputs.std())
    design = np.stack([(inputs - centre) / spread, np.ones_like(inputs)], axis=1)
    theta = np.zeros(2)
    for _ in range(200):
        predicted = 1 / (1 + np.exp(-np.clip(design @ theta, -50, 50)))
        gradient = design.T @ (weights * (predicted - targets))
        curvature = (design.T * (weights * predicted * (1 - predicted))) @ design + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        theta -= step * min(1.0, 2.0 / float(np.abs(step).max() + 1e-12))
    slope = float(theta[0]) / spread
    return slope, float(theta[1]) - slope * centre


def table(samples: Sequence[Sample], thresholds: Thresholds) -> str:
    """One row per case: how often its fault and how often any other was found, as Markdown.

    Each rate is given twice: found at all (confidence 0.5), and sure enough for an alert
    (``alerts.min_confidence`` by default).
    """
    judge = QualityJudge(thresholds)
    rows = [
        "| change | level | meant as | found / alert | other faults found / alert |",
        "|---|---|---|---|---|",
    ]
    for case in dict.fromkeys(sample.case for sample in samples):
        judged = [judge.judge(one.measured, TransportHealth()) for one in samples if one.case == case]
        names = {finding.attribute for findings in judged for finding in findings} - {case.of}
        told = ", ".join(f"{name} {_rates(judged, name)}" for name in sorted(names)) or "none"
        hits = _rates(judged, case.of) if case.of else "-"
        rows.append(f"| {case.group} | {case.level} | {f'{case.kind} {case.of}'.strip()} | {hits} | {told} |")
    return "\n".join(rows)


def _rates(judged: Sequence[Sequence[Finding]], fault: str) -> str:
    """Share of pictures in which the fault was found, and in which it could raise an alert."""
    sure = [max((f.confidence for f in found if f.attribute == fault), default=0.0) for found in judged]
    alert = AlertsConfig().min_confidence
    shares = [sum(one >= least for one in sure) / len(sure) for least in (0.5, alert)]
    return " / ".join(f"{share:.1%}" for share in shares)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, fit and write (or only check), print the table."""
    parser = argparse.ArgumentParser(prog="python -m models.quality.fit", description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder of photos without faults")
    goal = parser.add_mutually_exclusive_group(required=True)
    goal.add_argument("--out", type=Path, help="fit, and write the thresholds to this file")
    goal.add_argument("--check", type=Path, help="fit nothing; print the rates of this file's thresholds")
    parser.add_argument("--count", type=int, default=150, help="how many photos to use (default 150)")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many photos first (default 0)")
    parser.add_argument("--seed", type=int, default=7, help="choice of photos and random changes (default 7)")
    options = parser.parse_args(arguments)
    os.nice(10)
    cv2.setNumThreads(1)
    photos = find_photos(options.photos, options.count, np.random.default_rng(options.seed), options.skip)
    half = 0 if options.check else len(photos) // 2
    thresholds = read_thresholds(options.check) if options.check else {}
    per_photo = list(measure_photos(photos, options.seed, half))
    if options.out:
        thresholds = fit([sample for samples in per_photo[:half] for sample in samples])
        write(
            options.out, thresholds, {"fitted_on": half, "held_out": len(photos) - half, "seed": options.seed}
        )
    rates = table([sample for samples in per_photo[half:] for sample in samples], thresholds)
    told = f"thresholds: {options.out or options.check}\n\nrates on {len(photos) - half} other photos:\n\n"
    sys.stdout.write(f"{told}{rates}\n")


def write(path: Path, thresholds: Thresholds, photos: dict[str, int]) -> None:
    """The file that ``read_thresholds`` reads."""
    faults = {
        fault.name: {
            "measure": fault.measure,
            "threshold": thresholds[fault.name].value,
            "slope": thresholds[fault.name].slope,
        }
        for fault in FAULTS
    }
    document = {"written_by": "python -m models.quality.fit", "photos": photos, "faults": faults}
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
