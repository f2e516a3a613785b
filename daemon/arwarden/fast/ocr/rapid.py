"""The default engine: RapidOCR's PP-OCRv6 models on onnxruntime, with everything chosen.

Lines are looked for in a downscaled picture and read from the full one: finding costs by the pixel,
reading by the line. Why these models and limits: ``docs/decisions/ocr.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import onnxruntime

from arwarden.core.counters import Counters
from arwarden.core.errors import ModelError
from arwarden.core.frame import ByteImage
from arwarden.fast.ocr import linecrop
from arwarden.fast.ocr.base import (
    CLOSER,
    FloatArray,
    ModelFile,
    Quad,
    TextLine,
    quad_from_pixels,
    tidy,
)
from arwarden.fast.ocr.textmap import find_quads
from arwarden.fast.ocr.weights import Weights, load_weights

GRID_PX: Final = 32
"""The detector takes sides that are multiples of this."""
MAX_UPSCALE: Final = 1.6
"""Small pictures gain from enlargement up to about here (302 px read best at 480 px)."""
MAX_WORKING_SIDE_PX: Final = 2560
"""Larger pictures are reduced first, so that an 8k frame costs no more than this one."""
MAX_LINES: Final = 32
"""Most lines read in one picture, tallest first: reading costs about 20 ms a line."""
MIN_LINE_PX: Final = 5
"""Lines lower than this in the picture cannot be read."""
TURN_BACK_BELOW: Final = 0.9
"""A line that runs downwards is also tried upwards when it was read with less confidence than this."""


class RapidReader:
    """Finds and reads lines of text. Threads share one set of weights; ``read`` may run in several.

    Raises ``ModelError`` when a model file is missing, damaged or not the pinned one.
    """

    def __init__(
        self,
        *,
        side_px: int,
        threads: int,
        counters: Counters | None = None,
        package_folder: Path | None = None,
    ) -> None:
        self._side_px = side_px
        self._counters = counters if counters is not None else Counters()
        detection = load_weights("detection", package_folder)
        recognition = load_weights("recognition", package_folder)
        self._models = (detection.file, recognition.file)
        self._detector = _open_session(detection, threads)
        self._recogniser = _open_session(recognition, threads)
        self._alphabet = _alphabet_of(self._recogniser, recognition.file)

    @property
    def name(self) -> str:
        """The engine's name in the configuration."""
        return "rapidocr"

    def models_in_use(self) -> Sequence[ModelFile]:
        """The two files of weights, with their checksums."""
        return self._models

    def warm_up(self) -> None:
        """Run both networks once."""
        self.read(np.zeros((720, 1280, 3), dtype=np.uint8))
        self._recognise(np.zeros((linecrop.ROW_HEIGHT_PX, 160, 3), dtype=np.uint8))

    def close(self) -> None:
        """Nothing to let go of: the weights are freed with the object."""

    def read(self, rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        """All lines of text, top to bottom. Lines beyond ``MAX_LINES`` are counted: ``ocr.lines_skipped``."""
        working = _bounded(rgb)
        read = (
            self._read_line(working, corners_px)
            for corners_px in self._find(working, self._side(closely=closely))
        )
        return sorted(
            (line for line in read if line.text), key=lambda line: (line.box.y_norm, line.box.x_norm)
        )

    def find(self, rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        """Where lines of text are, in no particular order; the first half of ``read``."""
        working = _bounded(rgb)
        height_px, width_px = working.shape[:2]
        found = self._find(working, self._side(closely=closely))
        return [quad_from_pixels(corners_px, width_px, height_px) for corners_px in found]

    def read_lines(self, rgb: ByteImage, quads: Sequence[Quad]) -> list[TextLine]:
        """What these lines say, in the order given; the text is empty where nothing is legible."""
        working = _bounded(rgb)
        size = np.array([working.shape[1], working.shape[0]], dtype=np.float32)
        return [self._read_line(working, np.asarray(quad, dtype=np.float32) * size) for quad in quads]

    def _read_line(self, working: ByteImage, corners_px: FloatArray) -> TextLine:
        height_px, width_px = working.shape[:2]
        cut = linecrop.cut_line(working, corners_px)
        text, confidence = self._recognise_tall(cut) if linecrop.is_tall(cut) else self._recognise(cut)
        return TextLine(tidy(text), confidence, quad_from_pixels(corners_px, width_px, height_px))

    def _side(self, *, closely: bool) -> float:
        return self._side_px * (CLOSER if closely else 1.0)

    def _find(self, rgb: ByteImage, side_px: float) -> list[FloatArray]:
        height_px, width_px = rgb.shape[:2]
        longer = max(height_px, width_px)
        ratio = min(side_px / longer, MAX_UPSCALE)
        size = (_on_grid(width_px * ratio), _on_grid(height_px * ratio))
        small = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA if ratio < 1 else cv2.INTER_LINEAR)
        blob = np.ascontiguousarray(linecrop.to_planes(np.asarray(small, dtype=np.uint8))[None])
        probability = np.asarray(self._detector.run(None, {"x": blob})[0], dtype=np.float32)[0, 0]
        quads = [q for q in find_quads(probability, width_px, height_px) if _height_px(q) >= MIN_LINE_PX]
        if len(quads) > MAX_LINES:
            self._counters.add("ocr.lines_skipped", len(quads) - MAX_LINES)
            quads = sorted(quads, key=_height_px, reverse=True)[:MAX_LINES]
        return quads

    def _recognise(self, line: ByteImage) -> tuple[str, float]:
        answer = self._recogniser.run(None, {"x": linecrop.to_input(line)})[0]
        return linecrop.decode(np.asarray(answer, dtype=np.float32)[0], self._alphabet)

    def _recognise_tall(self, line: ByteImage) -> tuple[str, float]:
        down = self._recognise(np.ascontiguousarray(np.rot90(line)))
        if down[1] >= TURN_BACK_BELOW:
            return down
        up = self._recognise(np.ascontiguousarray(np.rot90(line, 3)))
        return max(down, up, key=lambda reading: reading[1])


def _open_session(weights: Weights, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Waiting threads must sleep: spinning ones take the core that decodes the video.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(
            weights.content, sess_options=options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime raises pybind types without a public base class
        msg = f"onnxruntime {onnxruntime.__version__} cannot load {weights.file.path}: {error}"
        raise ModelError(msg) from error


def _alphabet_of(session: onnxruntime.InferenceSession, file: ModelFile) -> list[str]:
    """Blank first, then the characters that the model file lists, then the space."""
    listed = session.get_modelmeta().custom_metadata_map.get("character", "").splitlines()
    alphabet = ["", *listed, " "]
    classes = session.get_outputs()[0].shape[-1]
    if len(alphabet) != classes:
        msg = (
            f"{file.path} lists {len(listed)} characters for {classes} outputs; it is not a PP-OCR recogniser"
        )
        raise ModelError(msg)
    return alphabet


def _bounded(rgb: ByteImage) -> ByteImage:
    height_px, width_px = rgb.shape[:2]
    ratio = MAX_WORKING_SIDE_PX / max(height_px, width_px)
    if ratio >= 1:
        return rgb
    size = (max(1, round(width_px * ratio)), max(1, round(height_px * ratio)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _on_grid(side_px: float) -> int:
    return max(1, round(side_px / GRID_PX)) * GRID_PX


def _height_px(corners_px: FloatArray) -> float:
    return float(
        min(np.linalg.norm(corners_px[0] - corners_px[3]), np.linalg.norm(corners_px[0] - corners_px[1]))
    )
