"""Finds virtual elements in a frame and says what they are: two small networks on onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.elements.crops import as_input, crop_input, detector_input, net_size_for
from arwarden.fast.elements.decode import TYPES, Detections, Floats, as_chances, decode, distinct
from arwarden.fast.elements.naming import Namer
from arwarden.fast.elements.weights import ElementWeights
from arwarden.fast.network import open_network
from arwarden.fast.ocr.base import ModelFile

CANDIDATE: Final = 0.35
"""Share of its type's threshold from which a box is a candidate, for the classifier to decide about: small
flags and signs get half the heat that large ones do."""
SMALL: Final = 0.5
"""Share of the network's input below which a frame is also looked at enlarged."""
MOST_ELEMENTS: Final = 48
"""Most elements of one frame, best first."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the classifier makes of one crop."""

    shares: Floats
    """(labels,), adding up to 1."""
    direction: Floats
    """(2,), cosine and sine of the direction, counter-clockwise from "to the right"; shorter in doubt."""


@dataclass(frozen=True, slots=True)
class Detected:
    """An element found in one frame."""

    type: str
    """One of ``decode.TYPES``."""
    box_px: tuple[float, float, float, float]
    """x0, y0, x1, y1 in pixels of the frame."""
    score: float
    """How likely it is there, 0..1."""


class ElementFinder(Protocol):
    """What finds elements. Both methods may be called from several threads at once."""

    @property
    def labels(self) -> Sequence[str]:
        """What the shares of ``Seen`` stand for."""
        ...

    def find(self, rgb: ByteImage) -> list[Detected]:
        """The elements of a frame, best first, at most ``MOST_ELEMENTS``."""
        ...

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        """What each of these boxes, all within the frame, shows."""
        ...

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights that were loaded."""
        ...


class ElementDetector:
    """Both networks, each on ``threads`` threads. Raises ``ModelError`` for files that are no networks."""

    def __init__(self, weights: ElementWeights, *, threads: int = 1) -> None:
        self._weights = weights
        detector, classifier = self._weights.files
        self._detector = open_network(self._weights.detector, detector, threads)
        self._classifier = open_network(self._weights.classifier, classifier, threads)
        outputs = self._classifier.get_outputs()[0].shape[-1]
        if outputs != len(self._weights.labels):
            msg = f"{classifier.path} has {outputs} outputs for {len(self._weights.labels)} labels"
            raise ModelError(msg)
        self._namer = Namer(self._classified, weights.naming)

    @property
    def labels(self) -> Sequence[str]:
        """Names in the order of the classifier's outputs."""
        return self._weights.labels

    def models_in_use(self) -> Sequence[ModelFile]:
        """The two files of weights, with their checksums."""
        return self._weights.files

    def warm_up(self) -> None:
        """Run both networks once."""
        blank = np.zeros((720, 1280, 3), np.uint8)
        self.find(blank)
        self.classify(blank, [(0.0, 0.0, 64.0, 64.0)])

    def find(self, rgb: ByteImage) -> list[Detected]:
        """The elements of a frame of shape ``(height, width, 3)`` and candidates for them, best first."""
        frame = (rgb.shape[1], rgb.shape[0])
        own, full = net_size_for(frame, self._weights.input_px), self._weights.input_px
        # A small frame costs little as it is; enlarged as well, its smallest pictures are found too.
        sizes = (own, full) if own[0] * own[1] <= SMALL * full[0] * full[1] else (own,)
        looks = [self._look(rgb, frame, size) for size in sizes]
        boxes = np.concatenate([one.boxes_px for one in looks])
        types = np.concatenate([one.types for one in looks])
        chances = as_chances(np.concatenate([one.scores for one in looks]), types, self._weights.fits)
        best = np.argsort(-chances, kind="stable")
        kept = best[distinct(boxes[best], types[best], limit=MOST_ELEMENTS)]
        return [Detected(TYPES[int(types[at])], _corners(boxes[at]), float(chances[at])) for at in kept]

    def _look(self, rgb: ByteImage, frame: tuple[int, int], net: tuple[int, int]) -> Detections:
        picture, place = detector_input(rgb, net)
        peaks, ltrb = self._detector.run(None, {"pictures": as_input(picture[None])})
        return decode(
            np.asarray(peaks, np.float32)[0],
            np.asarray(ltrb, np.float32)[0],
            place=place,
            frame_size=frame,
            thresholds=[CANDIDATE * value for value in self._weights.thresholds],
            limit=MOST_ELEMENTS,
        )

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        """What each box shows."""
        if not boxes_px:
            return []
        crops = np.stack([crop_input(rgb, box, self._weights.side_px) for box in boxes_px])
        shares, directions = self._namer.name(crops)
        return [Seen(share, way) for share, way in zip(shares, directions, strict=True)]

    def _classified(self, crops: Floats) -> tuple[Floats, Floats]:
        logits, directions = self._classifier.run(None, {"pictures": crops})
        return np.asarray(logits, np.float32), np.asarray(directions, np.float32)


def _corners(box: Floats) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (float(value) for value in box)
    return x0, y0, x1, y1
