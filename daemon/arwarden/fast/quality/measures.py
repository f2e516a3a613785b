"""Cheap classical measures of one picture. Each has a name and a unit; none needs a reference picture.

Two grids are used. Sharpness is measured on a picture of at most 640 px, because what matters is how
wide an edge looks, and because a sender that scales its picture up or down by a little must not
change the answer. Noise and coding blocks exist on the received grid only; they are measured there,
on a few strips of full width, which hold enough of both.

A measure that has nothing to stand on (no edge, no tile that is neither black nor white, a picture
of a few pixels) is left out of the answer, so every value is a finite number.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.findings import Measure
from arwarden.core.frame import ByteImage, Picture

EDGE_WIDTH = "edge_width"
NOISE = "noise"
BLOCKINESS = "blockiness"
MEAN_LUMA = "mean_luma"
HIGHLIGHT = "highlight"
CLIPPED_SHARE = "clipped_share"
CONTRAST = "contrast"
COLOURFULNESS = "colourfulness"

WORK_SIDE_PX = 640
"""Longer side of the picture that sharpness is measured on."""
STATISTICS_SIDE_PX = 320
"""Longer side of the grid of pixels that brightness and colour are measured on."""
STRIPS = 6
STRIP_PX = 32
"""Six strips of 32 rows are 27 % of a 720-row picture: a quarter of the cost, the same median."""
BLOCK_PX = 8
"""Coding blocks of JPEG, MPEG-4 and VP8 transforms; larger blocks share their borders."""
CELL_PX = 8
"""A third of the line piece an edge must fit in; blur beyond about 8 px is as wide as it gets."""
MIN_EDGE_RANGE = 32
"""Grey levels a line piece of 24 px must span to count as an edge: above noise, below any printed letter."""
MIN_EDGE_SHARE = 0.005
"""Share of line pieces that must hold an edge: a soft shadow on a bare wall is not evidence of blur."""
SHARPEST_SHARE = 0.1
TILE_PX = 16
MIN_TILE_SHARE = 0.1
"""Of a picture that is nearly all black or white, the little that is left says nothing about the rest."""
CLIPPED_LEVEL = 250
HIGHLIGHT_PERCENTILE = 99.8
"""The brightest 0.2 %: a few lamps at night reach it, a status light in a black picture does not."""

_NOISE_KERNEL = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], dtype=np.float32)


def measure(picture: Picture) -> tuple[Measure, ...]:
    """All measures that this picture gives ground for. About 4 ms at 1280x720 on one thread."""
    luma = picture.luma()
    strips = _strips(luma)
    found = [
        Measure(EDGE_WIDTH, edge_width_px(luma), "px"),
        Measure(NOISE, noise_levels(strips), "levels"),
        Measure(BLOCKINESS, blockiness(strips), "ratio"),
        *_light_and_colour(picture.rgb()),
    ]
    return tuple(one for one in found if math.isfinite(one.value))


def edge_width_px(luma: ByteImage) -> float:
    """Width of the sharpest tenth of the edges, in pixels of a picture of at most 640 px; NaN without edges.

    The width of an edge is the range of grey levels along a line piece over the largest step between
    two neighbours on it: 1 for a step, about ``2.5 sigma`` after a Gaussian blur (the marker of
    Marziliano et al., "A no-reference perceptual blur metric", ICIP 2002, without following each edge).
    Four directions are measured and the sharpest counts: a head turn smears edges along one
    direction and leaves those across it, lost focus and a dirty lens take them all.
    """
    small = _shrink(luma, WORK_SIDE_PX)
    turned = np.ascontiguousarray(small.T)
    widths = [
        _directed_width(small, 0),
        _directed_width(turned, 0),
        math.sqrt(2) * _directed_width(small, 1),
        math.sqrt(2) * _directed_width(small, -1),
    ]
    finite = [width for width in widths if math.isfinite(width)]
    return min(finite) if finite else math.nan


def noise_levels(strips: list[ByteImage]) -> float:
    """Standard deviation of the noise in grey levels; NaN where nine tiles in ten are black or white.

    Immerkaer, "Fast noise variance estimation", CVIU 64(2), 1996: the mean absolute response to the
    difference of two Laplacians. Taken per tile, and the quietest fifth of the tiles counts, because
    texture answers like noise but is seldom everywhere.
    """
    seen = 0
    quiet: list[npt.NDArray[np.float64]] = []
    for strip in strips:
        rows, columns = (strip.shape[0] - 2) // TILE_PX, (strip.shape[1] - 2) // TILE_PX
        if rows < 1 or columns < 1:
            continue
        seen += rows * columns
        inside = (slice(1, 1 + rows * TILE_PX), slice(1, 1 + columns * TILE_PX))
        response = np.abs(cv2.filter2D(strip, cv2.CV_32F, _NOISE_KERNEL)[inside])
        level = cv2.resize(strip[inside], (columns, rows), interpolation=cv2.INTER_AREA)
        sigma = cv2.resize(response, (columns, rows), interpolation=cv2.INTER_AREA) * (
            math.sqrt(math.pi / 2) / 6
        )
        quiet.append(sigma[(level >= 20) & (level <= 230)].astype(np.float64))
    tiles = np.concatenate(quiet) if quiet else np.empty(0)
    if tiles.size == 0 or tiles.size < MIN_TILE_SHARE * seen:
        return math.nan
    return float(np.percentile(tiles, 20))


def blockiness(strips: list[ByteImage]) -> float:
    """Step across the borders of 8x8 blocks over the step elsewhere; 1 without blocks, NaN if too small.

    After Wang, Sheikh and Bovik, "No-reference perceptual quality assessment of JPEG compressed
    images", ICIP 2002. Steps are capped, so that a few real edges do not decide; both directions must
    show the grid, so the smaller counts; and one grey level is added, so that a flat picture gives 1.
    """
    ratios = [min(_grid_ratio(strip), _grid_ratio(strip.T)) for strip in strips]
    finite = [ratio for ratio in ratios if math.isfinite(ratio)]
    return float(np.median(finite)) if finite else math.nan


def _light_and_colour(rgb: ByteImage) -> list[Measure]:
    """Brightness, contrast and colour from a grid of pixels.

    Contrast is the RMS contrast of Peli, "Contrast in complex images", JOSA A 7(10), 1990: the standard
    deviation of luminance on a scale of 0..1. Colourfulness is M3 of Hasler and Suesstrunk, "Measuring
    colourfulness in natural images", SPIE 5007, 2003: 0 for grey, 33 moderate, above 80 strong.
    """
    step = max(1, math.ceil(max(rgb.shape[:2]) / STATISTICS_SIDE_PX))
    pixels = np.ascontiguousarray(rgb[::step, ::step])
    luma = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
    red, green, blue = (pixels[:, :, channel].astype(np.float32) for channel in range(3))
    red_green, yellow_blue = red - green, (red + green) / 2 - blue
    spread = math.hypot(float(red_green.std()), float(yellow_blue.std()))
    offset = math.hypot(float(red_green.mean()), float(yellow_blue.mean()))
    return [
        Measure(MEAN_LUMA, float(luma.mean()), "levels"),
        Measure(HIGHLIGHT, float(np.percentile(luma, HIGHLIGHT_PERCENTILE)), "levels"),
        Measure(CLIPPED_SHARE, float((luma >= CLIPPED_LEVEL).mean()), "ratio"),
        Measure(CONTRAST, float(luma.std()) / 255.0, "ratio"),
        Measure(COLOURFULNESS, spread + 0.3 * offset, "M3"),
    ]


def _shrink(luma: ByteImage, side_px: int) -> ByteImage:
    """The picture with its longer side at most ``side_px``, averaged, contiguous."""
    height, width = luma.shape
    longer = max(height, width)
    if longer <= side_px:
        return np.ascontiguousarray(luma)
    size = (max(1, round(width * side_px / longer)), max(1, round(height * side_px / longer)))
    return np.asarray(cv2.resize(luma, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _strips(luma: ByteImage) -> list[ByteImage]:
    """Up to six strips of 32 rows and full width, evenly spread, starting on rows divisible by 8."""
    height = luma.shape[0]
    count = min(STRIPS, max(1, height // STRIP_PX))
    last = max(0, height - STRIP_PX)
    starts = sorted({round(last * (index + 0.5) / count) // BLOCK_PX * BLOCK_PX for index in range(count)})
    return [np.ascontiguousarray(luma[start : start + STRIP_PX]) for start in starts]


def _directed_width(luma: ByteImage, shift: int) -> float:
    """Edge width along columns (``shift`` 0) or along a diagonal (1 or -1), in rows.

    Each line is cut into cells of 8. The steepest step of a cell is held against the range over that
    cell and its two neighbours, and counts only where the neighbours hold no steeper one, so that an
    edge is seen whole wherever it lies.
    """
    height, width = luma.shape
    margin = (CELL_PX + 1) * abs(shift)
    count, columns = (height - 1) // CELL_PX, width - margin
    if count < 3 or columns <= 2 * CELL_PX:
        return math.nan
    row, pixel = luma.strides
    pieces = np.lib.stride_tricks.as_strided(
        luma[:, margin:] if shift < 0 else luma,
        shape=(count, CELL_PX + 1, columns),
        strides=(row * CELL_PX, row + shift * pixel, pixel),
        writeable=False,
    )
    upper, lower = pieces[:, :-1], pieces[:, 1:]
    before, steepest, after = _along((np.maximum(upper, lower) - np.minimum(upper, lower)).max(axis=1), shift)
    span = np.maximum.reduce(_along(pieces.max(axis=1), shift))
    span -= np.minimum.reduce(_along(pieces.min(axis=1), shift))
    edges = (span >= MIN_EDGE_RANGE) & (steepest >= before) & (steepest >= after)
    if edges.mean() < MIN_EDGE_SHARE:
        return math.nan
    return float(np.quantile(span[edges].astype(np.float32) / steepest[edges], SHARPEST_SHARE))


def _along(cells: ByteImage, shift: int) -> tuple[ByteImage, ByteImage, ByteImage]:
    """The cell before, the cell itself and the cell after, along lines that move ``shift`` columns a row."""
    move = CELL_PX * shift
    reach = abs(move)
    last = cells.shape[1] - reach
    return (
        cells[:-2, reach - move : last - move],
        cells[1:-1, reach:last],
        cells[2:, reach + move : last + move],
    )


def _grid_ratio(strip: ByteImage) -> float:
    """Mean step across block borders between columns over the mean of all other steps."""
    blocks = strip.shape[1] // BLOCK_PX
    if blocks < 2 or strip.shape[0] < 1:
        return math.nan
    steps = np.minimum(
        cv2.absdiff(np.ascontiguousarray(strip[:, 1:]), np.ascontiguousarray(strip[:, :-1])), 24
    )
    columns = steps.mean(axis=0, dtype=np.float32)[: blocks * BLOCK_PX - 1]
    on_border = np.arange(1, columns.size + 1) % BLOCK_PX == 0
    return float((columns[on_border].mean() + 1.0) / (columns[~on_border].mean() + 1.0))
