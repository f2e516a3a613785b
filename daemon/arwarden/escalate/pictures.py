"""What is sent of a frame: cut out, made small, without metadata, and with the way back to the frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.escalate.questions import WHOLE, SentPicture

JPEG_QUALITY: Final = 85
BLUR_SHARE: Final = 0.35
"""Width of the blur, as a share of what is hidden: a face keeps no features at this width."""


def make_picture(
    rgb: ByteImage,
    *,
    max_side_px: int,
    crop: Box = WHOLE,
    hidden: Sequence[Box] = (),
    quality: int = JPEG_QUALITY,
) -> SentPicture:
    """A JPEG of the part ``crop`` of an RGB frame, its longer side at most ``max_side_px``.

    ``hidden`` parts (normalised in the frame, such as faces) are made unrecognisable. OpenCV writes no
    metadata. Raises ``ValueError`` where the crop shows nothing of the frame.
    """
    height, width = rgb.shape[:2]
    left, right = _span(crop.x_norm, crop.w_norm, width)
    top, bottom = _span(crop.y_norm, crop.h_norm, height)
    if right <= left or bottom <= top:
        msg = f"the crop {tuple(crop)} shows nothing of a {width}×{height} px frame"
        raise ValueError(msg)
    shown = rgb[top:bottom, left:right]
    if hidden:
        shown = _hide(rgb, hidden)[top:bottom, left:right]
    scale = min(1.0, max_side_px / max(shown.shape[:2]))
    if scale < 1.0:
        size = (max(1, round(shown.shape[1] * scale)), max(1, round(shown.shape[0] * scale)))
        shown = np.asarray(cv2.resize(shown, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    done, encoded = cv2.imencode(
        ".jpg", cv2.cvtColor(shown, cv2.COLOR_RGB2BGR), (cv2.IMWRITE_JPEG_QUALITY, quality)
    )
    if not done:
        msg = f"a picture of {shown.shape[1]}×{shown.shape[0]} px cannot be compressed as JPEG"
        raise ValueError(msg)
    exact = Box(left / width, top / height, (right - left) / width, (bottom - top) / height)
    return SentPicture(encoded.tobytes(), int(shown.shape[1]), int(shown.shape[0]), exact)


def _span(start_norm: float, length_norm: float, size_px: int) -> tuple[int, int]:
    start = min(max(round(start_norm * size_px), 0), size_px)
    return start, min(max(round((start_norm + length_norm) * size_px), 0), size_px)


def _hide(rgb: ByteImage, boxes: Sequence[Box]) -> ByteImage:
    """A copy in which the boxes are blurred beyond recognition."""
    copy = rgb.copy()
    height, width = rgb.shape[:2]
    for box in boxes:
        left, right = _span(box.x_norm, box.w_norm, width)
        top, bottom = _span(box.y_norm, box.h_norm, height)
        if right <= left or bottom <= top:
            continue
        sigma = max(1.0, BLUR_SHARE * max(right - left, bottom - top))
        part = copy[top:bottom, left:right]
        copy[top:bottom, left:right] = cv2.GaussianBlur(part, (0, 0), sigma)
    return copy
