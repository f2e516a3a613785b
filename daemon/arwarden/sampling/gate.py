"""The change gate: has anything to read changed since the picture that was analysed last?

The brightness plane is halved until its longer side is at most 480 px ("cells", 4 x 4 px each at
1280 x 720) and compared with the reference cell by cell. The root-mean-square difference over a tile of
4 x 4 cells decides: a changed letter moves a few strokes inside a tile, which a mean of tiles, or a mean
of differences, drowns in camera noise. Measured numbers are in ``docs/decisions/sampling.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ByteImage

FloatImage = npt.NDArray[np.float32]

MAX_SIDE_CELLS = 480
TILE_CELLS = 4
NOISE_SHARE = 0.9
NOISE_FACTOR = 2.5
"""Camera noise lifts all tiles together: after a video codec the strongest is at most about 2.5 times
the one that 9 of 10 stay below."""
NOISE_CEILING = 8.0
"""The threshold is not raised above this: what differs more is motion, which must not hide itself."""
GAIN_LIMITS = (0.75, 1.0 / 0.75)
"""Brightness changes beyond these are looked at: the light went on or off."""


@dataclass(frozen=True, slots=True)
class Glance:
    """What is kept of a picture to compare it later, about 60 kB at 720p."""

    cells: ByteImage
    """Shrunk brightness, longer side at most 480."""
    sharpness: float
    """Mean squared gradient of the brightness at twice the cells' resolution; comparable between
    pictures of one size. A blur over 5 px leaves about 0.6 of it, one over 9 px 0.4."""


@dataclass(frozen=True, slots=True)
class Change:
    """How two pictures differ."""

    changed: bool
    strongest: float
    """Root-mean-square grey-level difference of the tile that differs most; infinite for different sizes."""
    threshold: float
    """What ``strongest`` was compared with, noise considered."""


def glance(luma: ByteImage) -> Glance:
    """Shrink a brightness plane of shape ``(height, width)``; the plane is only read."""
    finer = cells = luma
    while max(cells.shape) > MAX_SIDE_CELLS:
        finer, cells = cells, _halved(cells)
    return Glance(np.ascontiguousarray(cells), _sharpness(finer))


def compare(reference: Glance, current: Glance, threshold: float) -> Change:
    """Whether ``current`` shows something else than ``reference``.

    ``threshold`` is the root-mean-square grey-level difference of a tile that counts; it is raised while
    the whole picture is noisy. A change of brightness of the whole picture is taken out before the judgement.
    """
    before, now = reference.cells, current.cells
    if before.shape != now.shape:
        return Change(changed=True, strongest=float("inf"), threshold=threshold)
    change = _judge(before, now, threshold)
    if not change.changed:
        return change
    exposed = _with_exposure_of(now, before)
    return change if exposed is None else _judge(exposed, now, threshold)


def _judge(before: ByteImage, now: ByteImage, threshold: float) -> Change:
    tiles = _tile_energy(cv2.absdiff(before, now)).ravel()
    strongest = math.sqrt(tiles.max())
    if strongest <= threshold:
        return Change(changed=False, strongest=strongest, threshold=threshold)
    rank = int(NOISE_SHARE * tiles.size)
    usual = math.sqrt(np.partition(tiles, rank)[rank])
    raised = max(threshold, min(NOISE_FACTOR * usual, NOISE_CEILING))
    return Change(changed=strongest > raised, strongest=strongest, threshold=raised)


def _tile_energy(difference: npt.NDArray[np.generic]) -> FloatImage:
    """Mean squares over tiles of 4 x 4 cells; tiles are a little smaller where they do not fit."""
    height, width = difference.shape
    size = (-(-width // TILE_CELLS), -(-height // TILE_CELLS))
    square = np.square(difference, dtype=np.float32)
    return np.asarray(cv2.resize(square, size, interpolation=cv2.INTER_AREA), dtype=np.float32)


def _with_exposure_of(now: ByteImage, before: ByteImage) -> ByteImage | None:
    """``before`` as it would look under the exposure of ``now``; None where no plausible one fits.

    A gain and an offset are fitted to coarse means twice, the second time without the half that fits
    worse, so that a panel that appeared does not pull the fit towards itself.
    """
    x, y = _coarse(before), _coarse(now)
    fit = _line(x, y)
    if fit is None:
        return None
    residual = np.abs(y - (fit[0] * x + fit[1]))
    kept = residual <= np.partition(residual, residual.size // 2)[residual.size // 2]
    fit = _line(x[kept], y[kept])
    if fit is None or not GAIN_LIMITS[0] <= fit[0] <= GAIN_LIMITS[1]:
        return None
    table = np.clip(np.rint(fit[0] * np.arange(256) + fit[1]), 0, 255).astype(np.uint8)
    return np.asarray(cv2.LUT(before, table), dtype=np.uint8)


def _coarse(cells: ByteImage) -> npt.NDArray[np.float32]:
    return _halved(_halved(_halved(cells))).ravel().astype(np.float32)


def _line(x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]) -> tuple[float, float] | None:
    """Least-squares gain and offset; None for a picture without contrast."""
    x_mean, y_mean = float(x.mean()), float(y.mean())
    spread = x - x_mean
    variance = float(spread @ spread)
    if variance < x.size:
        return None
    gain = float(spread @ (y - y_mean)) / variance
    return gain, y_mean - gain * x_mean


def _halved(image: ByteImage) -> ByteImage:
    """Half the size by means of 2 x 2 px, which OpenCV has a fast path for (4 x 4 px costs three times that).

    An odd last row or column is left out.
    """
    height, width = image.shape
    even = image[: (height & ~1) or 1, : (width & ~1) or 1]
    size = (max(1, width // 2), max(1, height // 2))
    return np.asarray(cv2.resize(even, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _sharpness(image: ByteImage) -> float:
    """Geometric mean over both directions: motion blurs one of them and spares the other."""
    height, width = image.shape
    if width < 2 or height < 2:
        return 0.0
    across = float(cv2.norm(image[:, 1:], image[:, :-1], cv2.NORM_L2SQR))
    down = float(cv2.norm(image[1:], image[:-1], cv2.NORM_L2SQR))
    return float(math.sqrt(across * down) / (height * width))
