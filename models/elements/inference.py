"""The exported networks on onnxruntime, for calibration and evaluation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnxruntime

from arwarden.core.frame import ByteImage
from arwarden.fast.elements.crops import as_input, crop_input, detector_input, net_size_for
from arwarden.fast.elements.decode import Detections, Reading, decode, read_crops, type_thresholds
from arwarden.fast.elements.naming import Namer, Naming


@dataclass(frozen=True, slots=True)
class Model:
    """What ``elements.json`` says."""

    folder: Path
    input_px: tuple[int, int]
    thresholds: dict[str, float]
    side_px: int
    temperature: float
    labels: tuple[str, ...]
    least: dict[str, float]
    same: dict[str, str]
    sha256: dict[str, str]


def read_model(folder: Path) -> Model:
    """Read ``elements.json``.

    Raises:
        SystemExit: it or a network is missing, or a network is another one than was described.
    """
    path = folder / "elements.json"
    if not path.exists():
        raise SystemExit(f"{path} is not there; make it: python -m models.elements.export")
    values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for name, wanted in values["sha256"].items():
        found = (
            hashlib.sha256((folder / name).read_bytes()).hexdigest()
            if (folder / name).exists()
            else "no file"
        )
        if found != wanted:
            raise SystemExit(
                f"{folder / name} is not the network that {path} describes ({found[:12]}): export again"
            )
    detector, classifier = values["detector"], values["classifier"]
    return Model(
        folder=folder,
        input_px=(detector["input_px"][0], detector["input_px"][1]),
        thresholds=dict(detector["thresholds"]),
        side_px=classifier["side_px"],
        temperature=classifier["temperature"],
        labels=tuple(classifier["labels"]),
        least=dict(classifier.get("least", {})),
        same=dict(classifier.get("same", {})),
        sha256=dict(values["sha256"]),
    )


class Networks:
    """Both networks, each on ``threads`` threads."""

    def __init__(self, model: Model, threads: int = 1) -> None:
        self.model = model
        self._detector = _session(model.folder / "detector.onnx", threads)
        self._classifier = _session(model.folder / "classifier.onnx", threads)
        self.namer = Namer(
            lambda crops: self._classifier.run(None, {"pictures": crops}),
            Naming(model.labels, model.temperature, model.least, model.same),
        )

    def find(self, rgb: ByteImage, thresholds: Sequence[float] | None = None) -> Detections:
        """The elements of a frame; with ``thresholds`` instead of the model's."""
        size = (rgb.shape[1], rgb.shape[0])
        picture, place = detector_input(rgb, net_size_for(size, self.model.input_px))
        peaks, ltrb = self._detector.run(None, {"pictures": as_input(picture[None])})
        return decode(
            peaks[0],
            ltrb[0],
            place=place,
            frame_size=size,
            thresholds=thresholds or type_thresholds(self.model.thresholds),
        )

    def read(self, rgb: ByteImage, boxes: npt.NDArray[np.float32]) -> list[Reading]:
        """What each box of a frame shows."""
        if not len(boxes):
            return []
        side = self.model.side_px
        crops = np.stack(
            [crop_input(rgb, (float(b[0]), float(b[1]), float(b[2]), float(b[3])), side) for b in boxes]
        )
        return self.readings(crops)

    def readings(self, crops: npt.NDArray[np.uint8]) -> list[Reading]:
        """What crops (n, side, side, 3) show."""
        shares, directions = self.namer.name(crops)
        return read_crops(shares, directions, self.model.labels)


def _session(path: Path, threads: int) -> Any:  # noqa: ANN401 - onnxruntime has no types
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
