"""A frame number in the picture, as black and white cells that survive compression.

One row of cells at the lower edge: two sync cells, 32 bits, 16 bits of checksum, two sync cells. It is
drawn in grey levels only, so it is read from the luma plane alone, without converting the frame. The
wide range between the sync cells gives the threshold; a cell that is not clearly on one side of it, or
a wrong checksum, means that the code was not read, never that a wrong number is.
"""

from __future__ import annotations

import binascii

import numpy as np

from arwarden.core.frame import ByteImage

VALUE_BITS, CHECK_BITS = 32, 16
CELLS = 2 + VALUE_BITS + CHECK_BITS + 2
WHITE, BLACK = 235, 16
MIN_CONTRAST = 60.0
MIN_DISTANCE = 0.15
"""Share of the contrast that every cell must be away from the threshold."""
MIN_WIDTH_PX = 4 * CELLS


def strip_height_px(height_px: int) -> int:
    """Height of the row of cells in a picture of this height: 16 pixels at 720."""
    return max(8, height_px // 45)


def draw(rgb: ByteImage, value: int) -> None:
    """Draw ``value`` (its lower 32 bits) over the lower edge of the picture.

    Raises ``ValueError`` where the picture is narrower than 4 pixels a cell.
    """
    if rgb.shape[1] < MIN_WIDTH_PX:
        msg = f"a time code needs a picture at least {MIN_WIDTH_PX} pixels wide, not {rgb.shape[1]}"
        raise ValueError(msg)
    levels = np.where(_cells(value), WHITE, BLACK).astype(np.uint8)
    columns = (np.arange(rgb.shape[1]) * CELLS) // rgb.shape[1]
    rgb[-strip_height_px(rgb.shape[0]) :] = levels[columns][np.newaxis, :, np.newaxis]


def read(luma: ByteImage) -> int | None:
    """The number in a luma plane of shape ``(height, width)``, or None where there is none to be read."""
    height_px, width_px = luma.shape
    strip_px = strip_height_px(height_px)
    if width_px < MIN_WIDTH_PX or height_px < strip_px:
        return None
    # The middle half of each cell: its edges are blurred by compression and scaling.
    rows = luma[height_px - strip_px + strip_px // 4 : height_px - strip_px // 4]
    profile = rows.mean(axis=0)
    edges = np.arange(CELLS + 1) * (width_px / CELLS)
    starts = np.ceil(edges[:-1] + width_px / CELLS / 4).astype(int)
    stops = np.maximum(starts + 1, np.floor(edges[1:] - width_px / CELLS / 4).astype(int))
    sums = np.concatenate(([0.0], np.cumsum(profile)))
    levels = (sums[stops] - sums[starts]) / (stops - starts)
    white, black = (levels[0] + levels[-1]) / 2, (levels[1] + levels[-2]) / 2
    contrast = white - black
    distance = levels - (white + black) / 2
    if contrast < MIN_CONTRAST or np.abs(distance).min() < MIN_DISTANCE * contrast:
        return None
    return _value(distance > 0)


def _cells(value: int) -> np.ndarray:
    payload = (value % 2**VALUE_BITS).to_bytes(4, "big")
    check = binascii.crc_hqx(payload, 0xFFFF).to_bytes(2, "big")
    bits = np.unpackbits(np.frombuffer(payload + check, dtype=np.uint8)).astype(bool)
    return np.concatenate(([True, False], bits, [False, True]))


def _value(cells: np.ndarray) -> int | None:
    if list(cells[:2]) != [True, False] or list(cells[-2:]) != [False, True]:
        return None
    packed = np.packbits(cells[2:-2]).tobytes()
    payload, check = packed[:4], packed[4:]
    if binascii.crc_hqx(payload, 0xFFFF) != int.from_bytes(check, "big"):
        return None
    return int.from_bytes(payload, "big")
