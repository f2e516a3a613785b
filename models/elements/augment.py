"""Crops and scenes as they might have been: boxed, lit, coloured, blurred, covered a little differently."""

from __future__ import annotations

import math

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.crops import FILL

Bytes = npt.NDArray[np.uint8]
_Rng = np.random.Generator
COLOUR_TELLS = ("traffic_red", "traffic_green", "no_entry", "stop_sign")
"""Pictograms, beside flags, of which the colour is a part of the meaning."""
ONE_WAY = (
    "parking", "no_parking", "percent", "stop_sign", "ce_mark", "check", "toggle_on", "toggle_off", "#tag",
)  # fmt: skip
"""Labels, beside flags, whose mirror image is nothing, or says something else."""
WARP_CELLS, WARP = 4, 0.028
"""Of the smooth distortion: grid points across the crop, and how far they go, in shares of its side."""
LEANT, NARROWEST, SHEAR = 0.3, 0.4, 0.4
"""How often a crop is seen from the side, how narrow it gets, and how far its edges lean."""
ZOOM = (0.75, 1.4)
"""Of whole scenes."""
SCALE, SHIFT, TURN_DEG = (0.84, 1.2), 0.07, 8.0


def varied(
    crops: Bytes,
    directions: npt.NDArray[np.float32],
    coloured: npt.NDArray[np.bool_],
    one_way: npt.NDArray[np.bool_],
    rng: _Rng,
) -> Bytes:
    """Crops (n, side, side, 3), each changed at random; ``directions`` (n,) in degrees change in place.

    Args:
        crops: RGB.
        directions: NaN where there is none.
        coloured: where colours must stay about what they are.
        one_way: where the mirror image would be wrong.
        rng: decides everything.
    """
    made = np.empty(crops.shape, np.uint8)
    for index, one in enumerate(crops):
        crop = np.asarray(one)
        if not one_way[index] and rng.random() < 0.5:
            crop = np.ascontiguousarray(crop[:, ::-1])
            directions[index] = 180 - directions[index]
        if np.isnan(directions[index]):
            crop = _drawn_otherwise(crop, rng)
        if rng.random() < LEANT:
            crop, directions[index] = _leant(crop, float(directions[index]), rng)
        turned, degrees = _boxed(crop, rng)
        directions[index] += degrees
        shaded = _lit(turned, rng, keep_colour=bool(coloured[index]))
        made[index] = _covered(_softened(shaded, rng), rng)
    return made


def varied_scene(
    picture: Bytes, boxes: npt.NDArray[np.float32], rng: _Rng
) -> tuple[Bytes, npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """A picture for the detector, mirrored, moved, zoomed and lit at random.

    Args:
        picture: (height, width, 3), RGB.
        boxes: (n, 4), x0, y0, x1, y1 in pixels.
        rng: decides everything.

    Returns:
        The picture, what is left of the boxes in it, and how much of each that is, 0..1.
    """
    height, width = picture.shape[:2]
    zoom = float(np.exp(rng.uniform(*np.log(ZOOM)))) if rng.random() < 0.7 else 1.0
    room = np.array([width, height]) * (1 - zoom)
    shift = np.sort(np.stack([room, np.zeros(2)]), axis=0)
    x, y = rng.uniform(shift[0], shift[1])
    mirror = rng.random() < 0.5
    matrix = np.array([[-zoom if mirror else zoom, 0, width - x if mirror else x], [0, zoom, y]], np.float32)
    fill = tuple(float(value) for value in rng.integers(0, 256, 3))
    moved = np.asarray(
        cv2.warpAffine(picture, matrix, (width, height), flags=cv2.INTER_LINEAR, borderValue=fill), np.uint8
    )
    left = boxes.reshape(-1, 4) * np.array([matrix[0, 0], zoom] * 2) + np.array([matrix[0, 2], y] * 2)
    whole = np.concatenate(
        [np.minimum(left[:, :2], left[:, 2:]), np.maximum(left[:, :2], left[:, 2:])], axis=1
    )
    kept = np.clip(whole, 0, np.array([width, height] * 2)).astype(np.float32)
    areas = [np.prod(part[:, 2:] - part[:, :2], axis=1) for part in (kept, whole)]
    shares = (areas[0] / np.maximum(areas[1], 1e-6)).astype(np.float32)
    return _scene_lit(moved, rng), kept, shares


def _scene_lit(picture: Bytes, rng: _Rng) -> Bytes:
    gains = (rng.uniform(0.75, 1.2) * rng.uniform(0.92, 1.08, 3)).astype(np.float32)
    offset = float(rng.uniform(-20, 20))
    lit = cv2.transform(picture, np.array([[*np.diag(gains)[row], offset] for row in range(3)], np.float32))
    if rng.random() < 0.15:
        lit = lit[:, :, rng.permutation(3)]
    if rng.random() < 0.2:
        lit = cv2.GaussianBlur(lit, (0, 0), float(rng.uniform(0.4, 1.1)))
    return np.asarray(lit, np.uint8)


def _drawn_otherwise(crop: Bytes, rng: _Rng) -> Bytes:
    """As another hand would draw it: lines thicker or thinner, shapes smoothly out of place."""
    side = crop.shape[0]
    if rng.random() < 0.25:
        change = cv2.dilate if rng.random() < 0.5 else cv2.erode
        reach = int(rng.integers(2, 4))
        crop = np.asarray(change(crop, np.ones((reach, reach), np.uint8)), np.uint8)
    if rng.random() < 0.35:
        grid = rng.normal(0, WARP * side, (2, WARP_CELLS, WARP_CELLS)).astype(np.float32)
        off = [cv2.resize(one, (side, side), interpolation=cv2.INTER_CUBIC) for one in grid]
        y, x = np.mgrid[0:side, 0:side].astype(np.float32)
        crop = np.asarray(
            cv2.remap(crop, x + off[0], y + off[1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
            np.uint8,
        )
    return crop


def _leant(crop: Bytes, degrees: float, rng: _Rng) -> tuple[Bytes, float]:
    """Seen from the side or from below, and the direction of its arrow then; fitted into the crop again."""
    side = crop.shape[0]
    narrow = float(np.exp(rng.uniform(math.log(NARROWEST), 0.0)))
    lean = float(np.clip(rng.normal(0, SHEAR / 2), -SHEAR, SHEAR))
    turned = np.array([[narrow, 0.0], [lean * narrow, 1.0]])
    if rng.random() < 0.3:
        turned = turned[::-1, ::-1]
    turned = turned / np.abs(turned).sum(axis=1).max()
    middle = np.full(2, (side - 1) / 2)
    matrix = np.column_stack([turned, middle - turned @ middle])
    # Of the world around it, or nothing, as in crops that do not fill their input.
    border = cv2.BORDER_REFLECT_101 if rng.random() < 0.6 else cv2.BORDER_CONSTANT
    made = cv2.warpAffine(
        crop, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=border, borderValue=(FILL,) * 3
    )
    way = turned @ (math.cos(math.radians(degrees)), -math.sin(math.radians(degrees)))
    return np.asarray(made, np.uint8), math.degrees(math.atan2(-way[1], way[0]))


def _boxed(crop: Bytes, rng: _Rng) -> tuple[Bytes, float]:
    """Another box around the same element; turned counter-clockwise by the returned degrees."""
    if rng.random() < 0.2:
        return crop, 0.0
    side = crop.shape[0]
    degrees = float(rng.uniform(-TURN_DEG, TURN_DEG))
    matrix = cv2.getRotationMatrix2D((side / 2, side / 2), degrees, float(rng.uniform(*SCALE)))
    matrix[0, 0] *= float(stretch := rng.uniform(0.88, 1.14))
    matrix[0, 1] *= stretch
    matrix[:, 2] += rng.uniform(-SHIFT, SHIFT, 2) * side
    turned = cv2.warpAffine(crop, matrix, (side, side), flags=cv2.INTER_LINEAR, borderValue=(FILL,) * 3)
    return np.asarray(turned, np.uint8), degrees


def _lit(crop: Bytes, rng: _Rng, *, keep_colour: bool) -> Bytes:
    """Brightness, contrast and tint; where colours tell nothing also another hue, none, or a negative."""
    values = crop.astype(np.float32)
    if not keep_colour:
        way = rng.random()
        if way < 0.12:
            values = np.repeat(values.mean(axis=2, keepdims=True), 3, axis=2)
        elif way < 0.32:
            values = values[:, :, rng.permutation(3)]
        elif way < 0.42:
            values = 255 - values
    middle = float(values.mean())
    gains = (rng.uniform(0.7, 1.25) * rng.uniform(0.92, 1.08, 3)).astype(np.float32)
    values = (values - middle) * gains + middle * float(rng.uniform(0.65, 1.2)) + float(rng.uniform(-18, 18))
    return np.asarray(np.clip(values, 0, 255), np.uint8)


def _softened(crop: Bytes, rng: _Rng) -> Bytes:
    """Fewer pixels, noise, and marks of coding, each sometimes."""
    side = crop.shape[0]
    if rng.random() < 0.3:
        fewer = int(rng.integers(side // 4, side * 3 // 4))
        crop = np.asarray(cv2.resize(crop, (fewer, fewer), interpolation=cv2.INTER_AREA), np.uint8)
        crop = np.asarray(cv2.resize(crop, (side, side), interpolation=cv2.INTER_LINEAR), np.uint8)
    if rng.random() < 0.2:
        noisy = crop + rng.normal(0, rng.uniform(2, 9), crop.shape).astype(np.float32)
        crop = np.asarray(np.clip(noisy, 0, 255), np.uint8)
    if rng.random() < 0.15:
        quality = int(rng.integers(12, 55))
        _, coded = cv2.imencode(".jpg", crop, (int(cv2.IMWRITE_JPEG_QUALITY), quality))
        crop = np.asarray(cv2.imdecode(coded, cv2.IMREAD_UNCHANGED), np.uint8)
    return crop


def _covered(crop: Bytes, rng: _Rng) -> Bytes:
    """A bar of one colour over an edge or the middle, one crop in eight."""
    if rng.random() > 0.125:
        return crop
    side = crop.shape[0]
    across, down = (max(2, int(side * value)) for value in rng.uniform(0.08, 0.38, 2))
    x, y = int(rng.integers(side - across)), int(rng.integers(side - down))
    crop = crop.copy()
    crop[y : y + down, x : x + across] = rng.integers(0, 256, 3)
    return crop
