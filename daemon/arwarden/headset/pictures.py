"""Pictures of any kind and shape, made into upright RGB pictures of one size."""

from __future__ import annotations

import re
import struct
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

import cv2
import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from arwarden.core.errors import ConfigError, InputError
from arwarden.core.frame import ByteImage

IMAGE_SUFFIXES = frozenset({".bmp", ".gif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"})
MIN_SIDE_PX, MAX_SIDE_PX = 64, 4096
FORMATS = ("BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
"""Formats that are decoded, whatever a file is called."""
ANIMATED_FORMATS = frozenset({"GIF", "PNG", "WEBP"})
MAX_PIXELS = 50_000_000
"""Larger pictures are refused: a file of 100 kB can hold gigabytes. 150 MB as RGB."""
MAX_JPEG_PIXELS = 200_000_000
"""JPEG is decoded at an eighth of its size where it must be."""
MAX_FRAMES = 10_000
SHORTEST_S, USUAL_S = 0.02, 0.1
"""Browsers show a frame that asks for less than the first for the second."""
_SIZE = re.compile(r"(\d{1,5})[x×](\d{1,5})")
_DIGITS = re.compile(r"(\d+)")
_SCALE_DOWN = (
    f"at most {MAX_PIXELS // 1_000_000} million are read (JPEG: {MAX_JPEG_PIXELS // 1_000_000}); "
    f"scale it down first"
)


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
    """An image file as upright RGB, shape ``(height, width, 3)``, of an animation the first picture.

    EXIF orientation is applied; grey, palette, 16-bit, CMYK and transparent pictures are converted
    (transparent ones on white). One with a side of more than ``MAX_SIDE_PX`` is reduced to that. Raises
    ``InputError`` where the file is not a readable picture, or one of more than ``MAX_PIXELS``.
    """
    with _opened(path) as file:
        scale = min(1.0, MAX_SIDE_PX / max(file.size))
        file.draft("RGB", (round(file.size[0] * scale), round(file.size[1] * scale)))
        _check_size(path, file, MAX_PIXELS)
        file.load()
        return _reduced(_rgb_of(ImageOps.exif_transpose(file)))


def is_picture(path: Path) -> bool:
    """Whether the file's content, not its name, is in one of ``FORMATS``. Raises ``OSError``."""
    try:
        with _quietly(), Image.open(path, formats=FORMATS):
            return True
    except Image.DecompressionBombError:
        return True
    except (UnidentifiedImageError, SyntaxError, ValueError, struct.error):
        return False


def is_animated(path: Path) -> bool:
    """Whether it is a picture that moves (GIF, WebP, APNG). Raises ``InputError`` where it is none."""
    with _opened(path) as file:
        return file.format in ANIMATED_FORMATS and getattr(file, "n_frames", 1) > 1


def animation(path: Path) -> Iterator[tuple[float, float, ByteImage]]:
    """Time in seconds, share done (0..1) and upright RGB of every picture of an animation, in order.

    Raises ``InputError`` as ``load_rgb`` does, and past ``MAX_FRAMES``.
    """
    with _opened(path) as file:
        _check_size(path, file, MAX_PIXELS)
        count = getattr(file, "n_frames", 1)
        if count > MAX_FRAMES:
            raise InputError(str(path), f"the animation has {count} pictures; at most {MAX_FRAMES} are read")
        at_s = 0.0
        for index in range(count):
            file.seek(index)
            yield at_s, (index + 1) / count, _reduced(_rgb_of(file.copy()))
            asked_s = float(file.info.get("duration", 0)) / 1000.0
            at_s += asked_s if asked_s >= SHORTEST_S else USUAL_S


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    try:
        with _quietly():
            image = Image.open(path, formats=FORMATS)
        with image as file:
            _check_size(path, file, MAX_JPEG_PIXELS)
            yield file
    except Image.DecompressionBombError as error:
        raise InputError(str(path), f"the picture is too large: {_SCALE_DOWN}") from error
    except UnidentifiedImageError as error:
        known = ", ".join(sorted(FORMATS))
        fix = f"its content is in none of the formats {known}; convert it to PNG or JPEG"
        raise InputError(str(path), f"not a readable picture: {fix}") from error
    except (OSError, ValueError, SyntaxError, EOFError, struct.error) as error:
        # Pillow lets parser errors of single formats through, SyntaxError (PNG) among them.
        fix = "if it was copied or downloaded, do so again"
        raise InputError(str(path), f"not a readable picture: {error}; {fix}") from error


@contextmanager
def _quietly() -> Iterator[None]:
    """Without Pillow's warning of large pictures: sizes are checked here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        yield


def _check_size(path: Path, file: Image.Image, most: int) -> None:
    width_px, height_px = file.size
    if width_px * height_px > most:
        fault = f"the picture has {width_px}x{height_px} pixels: {_SCALE_DOWN}"
        raise InputError(str(path), fault)


def _reduced(rgb: ByteImage) -> ByteImage:
    """The picture with no side longer than ``MAX_SIDE_PX``. Places in it are told as shares: they stay."""
    height_px, width_px = rgb.shape[:2]
    scale = MAX_SIDE_PX / max(height_px, width_px)
    if scale >= 1:
        return rgb
    size = (max(1, round(width_px * scale)), max(1, round(height_px * scale)))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


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
