"""Generated pictures with sharp edges, texture and colour, so that the tests need no photos."""

from __future__ import annotations

import cv2
import numpy as np

from arwarden.core.frame import ByteImage


def scene(width_px: int = 640, height_px: int = 360, seed: int = 1) -> ByteImage:
    """A room-like picture: soft background, coloured boxes, a few lines of print, a little texture."""
    random = np.random.default_rng(seed)
    coarse = random.integers(60, 190, (5, 8, 3)).astype(np.uint8)
    smooth = cv2.resize(coarse, (width_px, height_px), interpolation=cv2.INTER_CUBIC)
    picture = np.asarray(smooth, dtype=np.uint8)
    for _ in range(25):
        left, top = int(random.integers(width_px)), int(random.integers(height_px))
        right, bottom = left + int(random.integers(20, 120)), top + int(random.integers(20, 120))
        colour = tuple(int(value) for value in random.integers(0, 256, 3))
        cv2.rectangle(picture, (left, top), (right, bottom), colour, -1)
    for line in range(6):
        place = (width_px // 10, height_px * (line + 1) // 7)
        cv2.putText(picture, "Made in the Netherlands", place, 0, 0.8, (10, 10, 10), 2, cv2.LINE_AA)
    return noisy(picture, 1.5, seed)


def noisy(picture: ByteImage, sigma_levels: float, seed: int = 2) -> ByteImage:
    """The picture with Gaussian noise."""
    noise = np.random.default_rng(seed).normal(0, sigma_levels, picture.shape[:2])
    shaped = noise[:, :, None] if picture.ndim == 3 else noise
    return np.clip(np.rint(picture + shaped), 0, 255).astype(np.uint8)


def blurred(picture: ByteImage, sigma_px: float) -> ByteImage:
    """The picture out of focus."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma_px), dtype=np.uint8)


def smeared(picture: ByteImage, length_px: int) -> ByteImage:
    """The picture during a turn of the head to the side."""
    return np.asarray(cv2.blur(picture, (length_px, 1)), dtype=np.uint8)


def jpeg(picture: ByteImage, quality: int) -> ByteImage:
    """The picture coded as JPEG."""
    data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8)


def lit(picture: ByteImage, gain: float) -> ByteImage:
    """The picture with its light multiplied (gamma 2.2)."""
    return np.rint(255 * np.clip((picture / 255.0) ** 2.2 * gain, 0, 1) ** (1 / 2.2)).astype(np.uint8)


def flat(level: int, width_px: int = 640, height_px: int = 360) -> ByteImage:
    """One tone."""
    return np.full((height_px, width_px, 3), level, dtype=np.uint8)
