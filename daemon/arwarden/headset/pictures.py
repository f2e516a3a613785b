"""Pictures of any kind and shape, made into upright RGB pictures of one size."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple, Self

import cv2
import numpy as np
from PIL import Image, ImageOps

from arwarden.core.errors import ConfigError, InputError
from arwarden.core.frame import ByteImage

IMAGE_SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
MIN_SIDE_PX, MAX_SIDE_PX = 64, 4096
_SIZE = re.compile(r"(\d{1,5})[x×](\d{1,5})")
_DIGITS = re.compile(r"(\d+)")


class PictureSize(NamedTuple):
    """The size of a stream. Both sides are even: chroma is halved on the wire."""

    width_px: int
    height_px: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``1280x720``. Raises ``ConfigError`` that says what is wrong."""
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            raise ConfigError("size", [f"{text!r} is not of the form WIDTHxHEIGHT, for example 1280x720"])
        return cls.checked(int(match[1]), int(match[2]))

    @classmethod
    def checked(cls, width_px: int, height_px: int) -> Self:
        """The size, where it can be streamed. Raises ``ConfigError`` where not."""
        sides = (width_px, height_px)
        if any(side % 2 or not MIN_SIDE_PX <= side <= MAX_SIDE_PX for side in sides):
            fault = f"{width_px}x{height_px} cannot be streamed; give even sides of 64 to 4096 pixels"
            raise ConfigError("size", [fault])
        return cls(width_px, height_px)


DEFAULT_SIZE = PictureSize(1280, 720)


def natural_order(path: Path) -> tuple[tuple[int, int, str], ...]:
    """A sort key that puts ``frame2`` before ``frame10``."""
    parts = _DIGITS.split(path.name.casefold())
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part)


def fitted(size: PictureSize, width_px: float, height_px: float) -> tuple[int, int]:
    """The largest width and height with the picture's aspect that fit into ``size``."""
    scale = min(size.width_px / width_px, size.height_px / height_px)
    return (
        max(1, min(size.width_px, round(width_px * scale))),
        max(1, min(size.height_px, round(height_px * scale))),
    )


def on_black(rgb: ByteImage, size: PictureSize) -> ByteImage:
    """The picture in the middle of a black one of ``size``; it must not be larger than that."""
    height_px, width_px = rgb.shape[:2]
    if (width_px, height_px) == size:
        return rgb
    canvas = np.zeros((size.height_px, size.width_px, 3), dtype=np.uint8)
    top, left = (size.height_px - height_px) // 2, (size.width_px - width_px) // 2
    canvas[top : top + height_px, left : left + width_px] = rgb
    return canvas


def letterboxed(rgb: ByteImage, size: PictureSize) -> ByteImage:
    """The whole picture, scaled into ``size`` with its aspect kept and black beside it."""
    height_px, width_px = rgb.shape[:2]
    inner = fitted(size, width_px, height_px)
    if inner != (width_px, height_px):
        method = cv2.INTER_AREA if inner[0] < width_px else cv2.INTER_LINEAR
        rgb = np.asarray(cv2.resize(rgb, inner, interpolation=method), dtype=np.uint8)
    return on_black(rgb, size)


def load_rgb(path: Path) -> ByteImage:
    """An image file as upright RGB, shape ``(height, width, 3)``.

    EXIF orientation is applied; grey, palette, 16-bit and transparent pictures are converted
    (transparent ones on white). Raises ``InputError`` where the file is not a readable picture.
    """
    try:
        with Image.open(path) as file:
            file.load()
            image = ImageOps.exif_transpose(file)
            return _rgb_of(image)
    except (OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError) as error:
        # Pillow lets parser errors of single formats through, SyntaxError (PNG) among them.
        raise InputError(str(path), f"not a readable picture: {error}") from error


def _rgb_of(image: Image.Image) -> ByteImage:
    if image.mode.startswith("I") or image.mode == "F":
        grey = _to_eight_bits(np.asarray(image))
        return np.repeat(grey[:, :, np.newaxis], 3, axis=2)
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
    return np.array(image.convert("RGB"), dtype=np.uint8)


def _to_eight_bits(values: np.ndarray) -> ByteImage:
    if values.dtype == np.uint16:
        return (values >> 8).astype(np.uint8)
    finite = np.nan_to_num(values.astype(np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    top = float(finite.max(initial=0.0))
    full_scale = 255.0 if top <= 255.0 else max(65535.0, top)
    return np.clip(finite * (255.0 / full_scale), 0, 255).astype(np.uint8)
