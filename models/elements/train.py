"""Train one of the two networks on what ``models.elements.generate`` has written.

    python -m models.elements.train detector --out build/elements/detector --minutes 60
    python -m models.elements.train classifier --out build/elements/classifier --minutes 30

Shards that are completed while this runs join in, so generating and training can go on side by side.
Without a GPU the first blocks of the trunk stay as they are and their outputs are kept, on disk (detector)
or in memory: an hour on one core gets a useful detector. With a GPU all blocks learn. Stop it whenever
you like; ``--resume`` goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from arwarden.fast.elements.decode import decode, letterbox
from models.elements.backbone import STRIDE_8_BLOCK, STRIDE_16_BLOCK, load_pretrained
from models.elements.data import CropBatch, CropData, DetectorBatch, DetectorData, maps_of_block, truths_of
from models.elements.labels import Labels, read_labels, trained_labels
from models.elements.losses import (
    BOX_WEIGHT,
    DIRECTION_WEIGHT,
    box_loss,
    direction_loss,
    heat_loss,
    label_loss,
)
from models.elements.metrics import angle_error, score
from models.elements.networks import Classifier, Detector
from models.elements.training import Run, device_of, optimiser_of

CHECK_THRESHOLD = 0.3
COLOURS = 3
NEW_SHARDS_EVERY, AT_FIRST, ALL = 8, 8, 1_000_000
"""Training begins with so many shards, and takes in one more each few steps: it never waits long for maps."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says."""

    data: Path
    out: Path
    minutes: float
    resume: bool
    seed: int
    device: torch.device
    batch: int
    rate: float
    frozen_to: int
    side: int
    check_minutes: float
    vary: bool = False


def train_detector(settings: Settings) -> Run:
    """Train until the time box is full; the result is in the run's folder."""
    torch.manual_seed(settings.seed)
    detector = Detector(settings.frozen_to)
    load_pretrained(detector.backbone)
    kept = settings.frozen_to >= STRIDE_8_BLOCK
    cached = kept and not settings.vary
    detector.to(settings.device).to(memory_format=torch.channels_last)
    # Before the maps are made: they are of the trunk as it is when training begins.
    run = _run(detector, detector.backbone, settings)
    detector.eval()
    train = DetectorData(
        settings.data, "scenes-train", detector,
        cached=cached, seed=settings.seed, at_first=AT_FIRST if cached else ALL, vary=settings.vary,
    )  # fmt: skip
    held = DetectorData(settings.data, "scenes-validation", detector, cached=kept, seed=settings.seed)
    _need(len(train), len(held), settings)
    run.say(f"{len(train)} scenes to train on, {len(held)} to check with")

    def forward(model: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
        placed = [part.to(settings.device, memory_format=torch.channels_last) for part in inputs]
        with torch.autocast(
            settings.device.type, dtype=torch.bfloat16, enabled=settings.device.type == "cuda"
        ):
            whole = placed[0].shape[1] == COLOURS
            return model(placed[0]) if whole else model.from_kept(*placed)  # type: ignore[no-any-return]

    def loss_of(batch: DetectorBatch) -> tuple[Tensor, Mapping[str, float]]:
        heat, reach = forward(detector, batch.inputs)
        wanted = [part.to(settings.device) for part in (batch.heat, batch.counts, batch.boxes, batch.weights)]
        seen = heat_loss(heat, wanted[0], wanted[1])
        boxes = box_loss(reach, wanted[2], wanted[3])
        return seen + BOX_WEIGHT * boxes, {"heat": float(seen.detach()), "box": float(boxes.detach())}

    def check() -> Mapping[str, Any]:
        return check_detector(lambda inputs: forward(run.average, inputs), held)

    batches = refreshing(train, settings.batch)
    run.loop(batches, loss_of, check, settings.check_minutes * 60, settings.batch)
    return run


def check_detector(
    forward: Callable[[tuple[Tensor, ...]], tuple[Tensor, Tensor]], held: DetectorData
) -> dict[str, Any]:
    """Precision and recall on the validation scenes."""
    size = held.net_size
    place = letterbox(size, size)
    frames = []
    with torch.no_grad():
        for inputs, wanted in held.all(16):
            heat, reach = forward(inputs)
            scores = torch.sigmoid(heat.float())
            peaks = scores * (scores == functional.max_pool2d(scores, 3, 1, 1))
            for index, elements in enumerate(wanted):
                found = decode(
                    peaks[index].cpu().numpy(),
                    reach[index].float().cpu().numpy(),
                    place=place,
                    frame_size=size,
                    thresholds=(CHECK_THRESHOLD,) * scores.shape[1],
                )
                frames.append((found, truths_of(elements), float(size[1])))
    result = score(frames).as_dict()
    return {"overall": result["overall"], "types": result["types"]}


def train_classifier(settings: Settings) -> Run:
    """Train until the time box is full; the result is in the run's folder."""
    torch.manual_seed(settings.seed)
    # A run that goes on keeps its labels, whatever has been added to the classes since.
    kept_labels = settings.out / "labels.json"
    labels = read_labels(kept_labels) if settings.resume and kept_labels.exists() else trained_labels()
    classifier = Classifier(len(labels.names), settings.frozen_to)
    load_pretrained(classifier.backbone)
    classifier.to(settings.device).to(memory_format=torch.channels_last)
    run = _run(classifier, classifier.backbone, settings)
    classifier.eval()
    cached = settings.frozen_to >= STRIDE_8_BLOCK and not settings.vary
    maps = maps_of_block(classifier, settings.frozen_to, settings.side) if cached else None
    common: dict[str, Any] = {"side": settings.side, "seed": settings.seed, "maps": maps}
    train = CropData(
        settings.data, ("crops-train", "cuts-train"), labels,
        at_first=AT_FIRST if cached else ALL, vary=settings.vary, **common,
    )  # fmt: skip
    held = CropData(settings.data, ("crops-validation", "cuts-validation"), labels, **common)
    _need(len(train), len(held), settings)
    labels.write(kept_labels)
    run.say(f"{len(train)} crops to train on, {len(held)} to check with, {len(labels.names)} labels")

    def forward(model: nn.Module, inputs: Tensor) -> tuple[Tensor, Tensor]:
        placed = inputs.to(settings.device, memory_format=torch.channels_last)
        with torch.autocast(
            settings.device.type, dtype=torch.bfloat16, enabled=settings.device.type == "cuda"
        ):
            return model.from_maps(placed, settings.frozen_to) if cached else model(placed)  # type: ignore[no-any-return]

    def loss_of(batch: CropBatch) -> tuple[Tensor, Mapping[str, float]]:
        return crop_loss(*forward(classifier, batch.inputs), batch)

    def check() -> Mapping[str, Any]:
        return check_classifier(lambda inputs: forward(run.average, inputs), held, labels)

    run.loop(refreshing(train, settings.batch), loss_of, check, settings.check_minutes * 60, settings.batch)
    return run


def crop_loss(logits: Tensor, directions: Tensor, batch: CropBatch) -> tuple[Tensor, Mapping[str, float]]:
    """The loss of the classifier's answers to a batch, and its parts by name."""
    named = label_loss(logits, batch.labels.to(logits.device))
    turned = direction_loss(directions, batch.directions.to(directions.device))
    parts = {"label": float(named.detach()), "direction": float(turned.detach())}
    return named + DIRECTION_WEIGHT * turned, parts


def check_classifier(
    forward: Callable[[Tensor], tuple[Tensor, Tensor]], held: CropData, labels: Labels
) -> dict[str, Any]:
    """Accuracy on the validation crops by group of labels, and the error of arrows' directions."""
    guesses, errors = [], []
    with torch.no_grad():
        for batch in held.all(256):
            logits, directions = forward(batch.inputs)
            guesses.append(logits.argmax(dim=1).cpu().numpy())
            angles = torch.rad2deg(torch.atan2(directions[:, 1], directions[:, 0])).float().cpu().numpy()
            known = ~torch.isnan(batch.directions).numpy()
            errors += [
                angle_error(float(found), float(true))
                for found, true in zip(angles[known], batch.directions.numpy()[known], strict=True)
            ]
    right = np.concatenate(guesses) == held.labels
    groups = np.array([_group(name) for name in labels.names])[held.labels]
    result: dict[str, Any] = {"accuracy": round(float(right.mean()), 4)}
    for group in ("pictogram", "flag", "#"):
        if (groups == group).any():
            result[group] = round(float(right[groups == group].mean()), 4)
    if errors:
        result["angle_median_deg"] = round(float(np.median(errors)), 1)
        result["angle_over_45"] = round(float((np.array(errors) > 45).mean()), 4)
    return result


def _group(name: str) -> str:
    return "#" if name.startswith("#") else "flag" if name.startswith("flag:") else "pictogram"


def refreshing(data: Any, size: int) -> Callable[[], Any]:  # noqa: ANN401 - either kind of data
    """Gives batches, and takes in what has been completed since every few of them."""
    steps = 0

    def batch() -> Any:  # noqa: ANN401
        nonlocal steps
        steps += 1
        if steps % NEW_SHARDS_EVERY == 0:
            data.refresh(1)
        return data.batch(size)

    return batch


def _need(train: int, held: int, settings: Settings) -> None:
    if not train or not held:
        raise SystemExit(
            f"{settings.data} has {train} pictures to train on and {held} to check with; "
            "make both: python -m models.elements.generate --split train (and validation)"
        )


def _run(model: nn.Module, backbone: nn.Module, settings: Settings) -> Run:
    share = 0.3 if settings.device.type == "cpu" else 0.2
    run = Run(
        settings.out,
        model,
        optimiser_of(model, backbone, settings.rate, share),
        settings.minutes * 60,
        settings.seed,
    )
    if settings.resume:
        run.resume()
    return run


def _settings(arguments: argparse.Namespace) -> Settings:
    device = device_of(arguments.device)
    fast = device.type != "cpu"
    detector = arguments.network == "detector"
    frozen = arguments.frozen_to if arguments.frozen_to is not None else -1 if fast else STRIDE_16_BLOCK
    usual = {True: (64 if fast else 16), False: (512 if fast else 96)}[detector]
    return Settings(
        data=arguments.data, out=arguments.out, minutes=arguments.minutes, resume=arguments.resume,
        seed=arguments.seed, device=device, batch=arguments.batch or usual, rate=arguments.rate,
        frozen_to=frozen, side=arguments.side, check_minutes=arguments.check_minutes,
        vary=arguments.vary,
    )  # fmt: skip


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("network", choices=("detector", "classifier"))
    parser.add_argument("--data", type=Path, default=Path("build/elements/data"))
    parser.add_argument("--out", type=Path, required=True, help="folder of checkpoint and log")
    parser.add_argument("--minutes", type=float, default=60, help="time box of this run")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda")
    parser.add_argument("--threads", type=int, default=1, help="CPU threads")
    parser.add_argument("--batch", type=int, default=0)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument(
        "--frozen-to", type=int, default=None, help="last frozen block of the trunk; -1 for none"
    )
    parser.add_argument("--side", type=int, default=96, help="pixels of the classifier's crops")
    parser.add_argument(
        "--vary", action="store_true", help="change each picture at random instead of keeping maps"
    )
    parser.add_argument("--check-minutes", type=float, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    settings = _settings(arguments)
    (train_detector if arguments.network == "detector" else train_classifier)(settings)


if __name__ == "__main__":
    main()
