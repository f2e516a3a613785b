"""From the networks' outputs to elements: boxes, types, classes, directions. Plain numpy, bounded time.

Pictures are in pixels of the frame, origin top left; boxes are ``(x0, y0, x1, y1)``. The detector
sees the frame letterboxed: scaled to fit its input, centred, the rest filled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

TYPES: Final = ("panel", "arrow", "sign", "flag", "tag")
"""What the detector tells apart, in the order of its output channels. Pictograms are signs, badges tags."""
STRIDE: Final = 8
"""Network pixels from one cell of the detector's output to the next."""
MOST_PEAKS: Final = 300
"""No more than this many cells are looked at, best first, however crowded the picture is."""
SAME_TYPE_IOU: Final = 0.5
OTHER_TYPE_IOU: Final = 0.8
"""Two boxes of different types that agree so well are one element seen as two."""
CARRIED_SHARE: Final = 0.85
"""So much of an element lies within the one that carries it."""
CARRIED_AREA: Final = 0.75
"""And its box is at most so large a share of the carrier's."""
OVERRULING: Final = 0.6
"""From this confidence on the classifier's label decides about the type."""
USUAL_LEAST: Final = 0.5
"""Share from which a label is said, unless validation asked for more."""
OTHER: Final = "#other"
"""The label of a pictogram that belongs to no class, or of which the class cannot be told reliably."""
CROSSED: Final = "#crossed"
"""A picture of no class, crossed out or on a prohibition sign: what it shows is off or not allowed."""
MANDATORY: Final = "#mandatory"
"""A mandatory sign of no class: what it shows is required."""
NAMELESS: Final = frozenset({OTHER, CROSSED, MANDATORY})
"""The labels of pictures that no class fits: words are sought for them."""
FAINT: Final = 0.3
"""Chance of a detection below which only a picture that the classifier knows makes it an element."""
ARROW: Final = "#arrow"
"""What the labels of arrows begin with."""
NO_ELEMENT: Final = "#background"
"""The label of a crop that shows nothing virtual."""


def is_picture(label: str) -> bool:
    """Whether a label is a pictogram's or a flag's; those of everything else begin with #."""
    return not label.startswith("#")


@dataclass(frozen=True, slots=True)
class Letterbox:
    """How a frame lies in the network's input: ``network = frame * scale + pad``."""

    scale: float
    pad_x: int
    pad_y: int
    width: int
    height: int
    """Size of the scaled frame, in network pixels, without the padding."""


@dataclass(frozen=True, slots=True)
class Detections:
    """Elements of one frame, best score first."""

    boxes_px: Floats
    """(n, 4), in frame pixels, within the frame."""
    types: Integers
    """(n,), index into ``TYPES``."""
    scores: Floats
    """(n,), 0..1."""

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the classifier takes one crop for."""

    label: str
    confidence: float
    """0..1, after the temperature that the validation split gave."""
    runner_up: str
    runner_up_confidence: float
    direction_deg: float
    """Counter-clockwise from "to the right"; only meaningful for arrows."""
    direction_confidence: float
    """0..1: the length of the predicted direction vector."""


def letterbox(frame_size: tuple[int, int], net_size: tuple[int, int]) -> Letterbox:
    """The place of a ``(width, height)`` frame in a network input of ``(width, height)``.

    Raises:
        ValueError: a size is not positive.
    """
    if min(*frame_size, *net_size) < 1:
        msg = f"sizes must be positive, not frame {frame_size} and input {net_size}"
        raise ValueError(msg)
    scale = min(net_size[0] / frame_size[0], net_size[1] / frame_size[1])
    width = max(1, min(net_size[0], round(frame_size[0] * scale)))
    height = max(1, min(net_size[1], round(frame_size[1] * scale)))
    return Letterbox(scale, (net_size[0] - width) // 2, (net_size[1] - height) // 2, width, height)


def decode(
    peaks: Floats,
    ltrb: Floats,
    *,
    place: Letterbox,
    frame_size: tuple[int, int],
    thresholds: Sequence[float],
    limit: int = 64,
) -> Detections:
    """Elements from the detector's two outputs for one frame.

    Args:
        peaks: (types, rows, columns), score where a cell is a local maximum, else 0.
        ltrb: (types, 4, rows, columns), distances to left, top, right and bottom in network pixels.
        place: where the frame lay in the input.
        frame_size: (width, height) in pixels.
        thresholds: the least score of each type.
        limit: at most so many elements, best first.
    """
    least = np.asarray(thresholds, np.float32)[:, None, None]
    kinds, rows, columns = np.nonzero(peaks >= np.maximum(least, 1e-6))
    scores = peaks[kinds, rows, columns]
    best = np.argsort(-scores, kind="stable")[:MOST_PEAKS]
    kinds, rows, columns, scores = kinds[best], rows[best], columns[best], scores[best]
    reach = ltrb[kinds, :, rows, columns]
    x, y = (columns + 0.5) * STRIDE, (rows + 0.5) * STRIDE
    boxes = np.stack([x - reach[:, 0], y - reach[:, 1], x + reach[:, 2], y + reach[:, 3]], axis=1)
    boxes = (boxes - np.array([place.pad_x, place.pad_y] * 2)) / place.scale
    boxes = np.clip(boxes, 0, np.array([*frame_size, *frame_size])).astype(np.float32)
    solid = (boxes[:, 2] - boxes[:, 0] >= 1) & (boxes[:, 3] - boxes[:, 1] >= 1)
    boxes, kinds, scores = boxes[solid], kinds[solid], scores[solid]
    kept = distinct(boxes, kinds.astype(np.int64), limit=limit)
    return Detections(boxes[kept], kinds[kept].astype(np.int64), scores[kept].astype(np.float32))


def distinct(boxes: Floats, kinds: Integers, *, limit: int) -> Integers:
    """Indices of boxes, given best first, that no better one has already found."""
    kept: list[int] = []
    dropped = np.zeros(len(boxes), bool)
    for index in range(len(boxes)):
        if dropped[index]:
            continue
        kept.append(index)
        if len(kept) == limit:
            break
        overlap = iou(boxes[index : index + 1], boxes)[0]
        dropped |= overlap > np.where(kinds == kinds[index], SAME_TYPE_IOU, OTHER_TYPE_IOU)
    return np.asarray(kept, np.int64)


def iou(some: Floats, others: Floats) -> Floats:
    """Intersection over union of every box of ``some`` (n, 4) with every one of ``others`` (m, 4): (n, m)."""
    inside = _intersection(some, others)
    union = _area(some)[:, None] + _area(others)[None, :] - inside
    shares: Floats = (inside / np.maximum(union, 1e-6)).astype(np.float32)
    return shares


def carriers(boxes: Floats) -> list[int | None]:
    """For each box the index of the smallest one that it lies on, or None."""
    inside = _intersection(boxes, boxes)
    areas = _area(boxes)
    within = inside / np.maximum(areas[:, None], 1e-6) >= CARRIED_SHARE
    within &= areas[:, None] <= CARRIED_AREA * areas[None, :]
    sizes = np.where(within, areas[None, :], np.inf)
    return [int(row.argmin()) if len(row) and np.isfinite(row.min()) else None for row in sizes]


def as_chances(scores: Floats, types: Integers, fits: Sequence[tuple[float, float]]) -> Floats:
    """How likely detections with these scores are right: heat is no probability, mostly it is too modest.

    Args:
        scores: (n,), 0..1.
        types: (n,), index into ``TYPES``.
        fits: slope and offset of each type, on the logarithm of the odds (Platt 1999).
    """
    slopes, offsets = np.array(fits, np.float64).reshape(-1, 2)[types].T
    inner = np.clip(scores.astype(np.float64), 1e-4, 1 - 1e-4)
    odds = slopes * np.log(inner / (1 - inner)) + offsets
    return np.asarray(1 / (1 + np.exp(-odds)), np.float32)


def type_fits(values: Mapping[str, Sequence[float]]) -> tuple[tuple[float, float], ...]:
    """Slopes and offsets in the order of ``TYPES``; scores stay as they are for a type that is not named."""
    pairs = [values.get(name, (1.0, 0.0)) for name in TYPES]
    return tuple((float(slope), float(offset)) for slope, offset in pairs)


def reliable(shares: Floats, least: Floats, other: int) -> Floats:
    """Shares (n, labels) on one scale: a label is to be said from ``USUAL_LEAST`` on.

    Args:
        shares: adding up to 1 in each row.
        least: (labels,), the share from which validation found each label right often enough; above 1 for
            a label that is never to be said.
        other: index of the label that gets what the likeliest one loses. What a likeliest one gains, all
            others lose in proportion.
    """
    rows = np.arange(len(shares))
    best = shares.argmax(axis=1)
    share, limit = shares[rows, best], least[best]
    below = USUAL_LEAST * share / limit
    above = USUAL_LEAST + (1 - USUAL_LEAST) * (share - limit) / np.maximum(1 - limit, 1e-6)
    scaled = np.where(share < limit, below, above)
    gains = limit < USUAL_LEAST
    result = np.where(gains[:, None], shares * ((1 - scaled) / np.maximum(1 - share, 1e-6))[:, None], shares)
    result[rows, best] = scaled
    result[rows[~gains], other] += (share - scaled)[~gains]
    return np.asarray(result, np.float32)


def least_shares(values: Mapping[str, float], labels: Sequence[str]) -> Floats:
    """For ``reliable``, from the limits by name that the description of the weights holds."""
    return np.array([float(values.get(name, USUAL_LEAST)) for name in labels], np.float32)


def read_crops(shares: Floats, directions: Floats, labels: Sequence[str]) -> list[Reading]:
    """What the classifier says of each crop.

    Args:
        shares: (n, labels), as ``naming.Naming`` makes them.
        directions: (n, 2), cosine and sine of the direction, shorter where it is in doubt.
        labels: names in the order of the outputs.

    Raises:
        ValueError: fewer than two labels, or not as many as there are shares.
    """
    if len(labels) < 2 or shares.shape[1] != len(labels):
        msg = (
            f"{len(labels)} labels for {shares.shape[1]} outputs: weights and labels are of different models"
        )
        raise ValueError(msg)
    order = np.argsort(-shares, axis=1)[:, :2]
    angles = np.rad2deg(np.arctan2(directions[:, 1], directions[:, 0])) % 360
    lengths = np.minimum(1.0, np.hypot(directions[:, 0], directions[:, 1]))
    return [
        Reading(
            label=labels[int(first)],
            confidence=float(share[first]),
            runner_up=labels[int(second)],
            runner_up_confidence=float(share[second]),
            direction_deg=float(angle),
            direction_confidence=float(length),
        )
        for (first, second), share, angle, length in zip(order, shares, angles, lengths, strict=True)
    ]


def softmax(logits: Floats) -> Floats:
    """Shares that add up to 1 along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: Floats = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float32)
    return shares


def type_thresholds(values: Mapping[str, float], fallback: float = 0.35) -> tuple[float, ...]:
    """Thresholds in the order of ``TYPES`` from a mapping by name."""
    return tuple(float(values.get(name, fallback)) for name in TYPES)


def _area(boxes: Floats) -> Floats:
    sides = np.maximum(boxes[:, 2:] - boxes[:, :2], 0)
    areas: Floats = sides[:, 0] * sides[:, 1]
    return areas


def _intersection(some: Floats, others: Floats) -> Floats:
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum(some[:, None, 2:], others[None, :, 2:])
    sides = np.maximum(high - low, 0)
    areas: Floats = sides[..., 0] * sides[..., 1]
    return areas


def judged(kind: str, label: str, confidence: float) -> str | None:
    """The type of an element that the detector takes for ``kind``; None where it is no element.

    The classifier sees more pixels: where it is sure, it takes out what is no element and changes the type.
    """
    if confidence < OVERRULING:
        return kind
    if label == NO_ELEMENT:
        return None
    if label.startswith("flag:"):
        return "flag"
    if label.startswith(ARROW):
        return "arrow"
    if not is_picture(label):
        return {"#panel": "panel", "#tag": "tag", CROSSED: "sign", MANDATORY: "sign"}.get(label, kind)
    return "sign"


class Presence:
    """How likely a box shows an element: by the detector's chance and by what the classifier sees in it.

    One of the two networks being right is enough. The classifier sees three times the detector's pixels and
    hardly ever takes a piece of the world for a certain picture, so a picture it knows counts however faint
    the detector's answer; that something is a panel, an arrow or a tag only helps where the detector thinks
    so too, since parts of them look like the whole.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self._pictures = np.array([is_picture(label) for label in labels], bool)
        self._nothing = np.array([label == NO_ELEMENT for label in labels], bool)

    def of(self, chance: float, shares: Floats) -> float:
        """From the detector's chance and the classifier's shares, of shape (labels,): 0..1."""
        counted = ~self._nothing if chance >= FAINT else self._pictures
        shown = float(shares[counted].max(initial=0.0))
        nothing = float(shares[self._nothing].sum())
        return (1.0 - (1.0 - chance) * (1.0 - shown)) * (1.0 - nothing)


def settled(found: Detections, readings: Sequence[Reading]) -> tuple[Detections, list[Reading]]:
    """What is left when detector and classifier are heard together.

    Types as ``judged``; and a panel that lies on an arrow is the arrow's inscription, found twice.
    """
    types = found.types.copy()
    kept = np.ones(len(found), bool)
    for index, reading in enumerate(readings):
        kind = judged(TYPES[int(types[index])], reading.label, reading.confidence)
        kept[index] = kind is not None
        types[index] = types[index] if kind is None else TYPES.index(kind)
    on = carriers(found.boxes_px)
    for index, carrier in enumerate(on):
        if carrier is not None and kept[carrier] and types[carrier] == TYPES.index("arrow"):
            kept[index] &= types[index] not in (TYPES.index("panel"), TYPES.index("arrow"))
    kept &= _first_of_each(found.boxes_px, types, kept)
    left = Detections(found.boxes_px[kept], types[kept], found.scores[kept])
    return left, [reading for reading, stays in zip(readings, kept, strict=True) if stays]


def _first_of_each(boxes: Floats, types: Integers, kept: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """A changed type can make two boxes alike: only the better one stays."""
    places = np.flatnonzero(kept)
    stays = np.zeros(len(kept), bool)
    stays[places[distinct(boxes[places], types[places], limit=len(places) + 1)]] = True
    return stays
