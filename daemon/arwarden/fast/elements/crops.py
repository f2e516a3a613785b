"""The pictures that the two networks see, made from a frame. Training makes them with the same functions."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ByteImage
from arwarden.fast.elements.decode import Letterbox, letterbox

GRID = 32
"""The networks take sizes that this divides."""
FILL = 114
"""Grey around what does not fill the input."""
MARGIN = 0.06
"""A crop shows this much of the element's longer side around it."""
Box = tuple[float, float, float, float]


def net_size_for(frame_size: tuple[int, int], most: tuple[int, int]) -> tuple[int, int]:
    """The ``(width, height)`` of the network's input for a frame: at most ``most``, no larger than needed.

    A small frame is not enlarged: its elements would be blurred and larger than any in training. In pictures
    of 300 pixels, arrows that fill half of one are found with scores of 0.8 instead of 0.5.
    """
    width, height = (
        min(limit, -(-side // GRID) * GRID) for side, limit in zip(frame_size, most, strict=True)
    )
    return width, height


def detector_input(rgb: ByteImage, net_size: tuple[int, int]) -> tuple[ByteImage, Letterbox]:
    """The frame scaled and centred in a ``(width, height)`` picture, and where it lies there."""
    height, width = rgb.shape[:2]
    place = letterbox((width, height), net_size)
    if (width, height) == net_size:
        return rgb, place
    shrinks = place.scale < 1
    # The cheap linear filter would alias below half the size, where area sampling costs no more.
    filter_ = cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    scaled = cv2.resize(rgb, (place.width, place.height), interpolation=filter_)
    if (place.width, place.height) == net_size:
        return np.asarray(scaled, np.uint8), place
    filled = np.full((net_size[1], net_size[0], 3), FILL, np.uint8)
    filled[place.pad_y : place.pad_y + place.height, place.pad_x : place.pad_x + place.width] = scaled
    return filled, place


def crop_input(rgb: ByteImage, box: Box, side: int) -> ByteImage:
    """What a box ``(x0, y0, x1, y1)`` of the frame shows, shape kept, centred in ``side`` x ``side`` pixels.

    Raises:
        ValueError: the box lies outside the frame.
    """
    height, width = rgb.shape[:2]
    margin = MARGIN * max(box[2] - box[0], box[3] - box[1])
    x0, y0 = max(0, round(box[0] - margin)), max(0, round(box[1] - margin))
    x1, y1 = min(width, round(box[2] + margin)), min(height, round(box[3] + margin))
    if x1 <= x0 or y1 <= y0:
        msg = f"the box {box} holds nothing of a frame of {width}x{height} pixels"
        raise ValueError(msg)
    return detector_input(rgb[y0:y1, x0:x1], (side, side))[0]


def as_input(pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """(n, height, width, 3) bytes as (n, 3, height, width) numbers of -1..1, as the trunk was trained."""
    numbers: npt.NDArray[np.float32] = (pictures.astype(np.float32) - 127.0) / 128.0
    return np.ascontiguousarray(numbers.transpose(0, 3, 1, 2))
