from __future__ import annotations

import cv2
import numpy as np
import pytest

from arwarden.core.frame import ByteImage
from arwarden.fast.ocr.base import FloatArray
from arwarden.fast.tracking import looks
from tests.unit.fast.drawing import Drawn, scene

AT = (300, 300)


def picture(
    text: str,
    height_px: int,
    *,
    shift: tuple[float, float] = (0, 0),
    degrees: float = 0.0,
    blur: float = 0.5,
    gain: float = 1.0,
    seed: int = 1,
) -> tuple[ByteImage, FloatArray]:
    """A panel seen by a moving camera, compressed; brightness, and the map from the still picture."""
    drawn = scene(1280, 720, Drawn(text, *AT, height_px))
    matrix = cv2.getRotationMatrix2D((640, 360), degrees, 1.01)
    matrix = matrix + np.array([[0, 0, shift[0]], [0, 0, shift[1]]])
    turned = cv2.warpAffine(drawn, matrix, (1280, 720), borderMode=cv2.BORDER_REFLECT)
    soft = cv2.GaussianBlur(turned, (0, 0), blur).astype(np.float32) * gain
    noisy = np.clip(soft + np.random.default_rng(seed).normal(0, 3, soft.shape), 0, 255).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", cv2.cvtColor(noisy, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 70])
    return (
        np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), dtype=np.uint8),
        np.asarray(matrix, dtype=np.float32),
    )


def corners_of(text: str, height_px: int) -> FloatArray:
    """Corners as the engine finds them: the letters and a third of their height around."""
    ink = np.argwhere(scene(1280, 720, Drawn(text, *AT, height_px)).max(axis=2) < 50)
    (top, left), (bottom, right) = ink.min(axis=0), ink.max(axis=0)
    room = 0.3 * height_px
    left, top, right, bottom = left - room, top - room, right + room, bottom + room
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], dtype=np.float32)


def through(matrix: FloatArray, corners: FloatArray) -> FloatArray:
    return np.asarray(cv2.transform(corners[None], matrix)[0], dtype=np.float32)


def likeness(before: str, now: str, height_px: int, *, off_px: float = 2.0) -> looks.Likeness:
    corners = corners_of(before, height_px)
    luma, matrix = picture(before, height_px)
    known = looks.look(luma, through(matrix, corners))
    luma, matrix = picture(
        now, height_px, shift=(21.3, -12.6), degrees=2.5, blur=0.4 + height_px / 60, gain=0.9, seed=2
    )
    return looks.compare(known, luma, through(matrix, corners) + off_px)


@pytest.mark.parametrize("height_px", [16, 24, 40])
@pytest.mark.parametrize("text", ["Door locked", "Gate 3", "Wheelchair Accessible", "Price 4.50"])
def test_the_same_line_seen_otherwise_is_the_same(text: str, height_px: int) -> None:
    found = likeness(text, text, height_px)
    assert found.same, found.difference


@pytest.mark.parametrize("height_px", [16, 24, 40])
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Door locked", "Door unlocked"),
        ("Gate 3", "Gate 8"),
        ("Room 101", "Room 107"),
        ("Turn left", "Turn right"),
        ("Price 4.50", "Price 4.90"),
        ("Door is now closed", "Door is not closed"),
        ("Battery 30%", "Battery 80%"),
        ("Door locked", ""),
    ],
)
def test_one_other_letter_is_a_change(before: str, now: str, height_px: int) -> None:
    found = likeness(before, now, height_px)
    assert not found.same
    assert found.difference > 1.2 * looks.CHANGED


def test_aligning_corrects_where_the_line_is() -> None:
    corners = corners_of("Door locked", 40)
    luma, matrix = picture("Door locked", 40)
    known = looks.look(luma, through(matrix, corners))
    found = looks.compare(known, luma, through(matrix, corners) + 4.0)
    assert found.move is not None
    corrected = looks.moved(through(matrix, corners) + 4.0, known, found.move)
    assert corrected == pytest.approx(through(matrix, corners), abs=0.6)


@pytest.mark.parametrize("value", [0, 128, 255])
def test_nothing_is_recognised_on_a_bare_ground(value: int) -> None:
    bare = np.full((720, 1280), value, np.uint8)
    corners = corners_of("Door locked", 40)
    found = looks.compare(looks.look(bare, corners), bare, corners)
    assert not found.same
    assert found.difference == float("inf")


def test_a_picture_of_noise_is_not_the_line() -> None:
    corners = corners_of("Door locked", 40)
    known = looks.look(picture("Door locked", 40)[0], corners)
    noise = np.random.default_rng(1).integers(0, 255, (720, 1280), dtype=np.uint8)
    assert not looks.compare(known, noise, corners).same


@pytest.mark.parametrize("corners", [[[0, 0]] * 4, [[-900, -900], [9000, -900], [9000, 9000], [-900, 9000]]])
def test_degenerate_corners_are_survived(corners: list[list[float]]) -> None:
    luma = picture("Door locked", 40)[0]
    quad = np.array(corners, dtype=np.float32)
    assert not looks.compare(looks.look(picture("Exit", 40)[0], corners_of("Exit", 40)), luma, quad).same
    seen = looks.look(luma, quad)
    assert seen.grey.shape[0] == looks.HEIGHT_PX
    assert seen.grey.shape[1] <= looks.WIDTHS_PX[1]


def test_sharper_lines_are_told_from_blurred_ones() -> None:
    corners = corners_of("Door locked", 40)
    crisp, soft = (looks.look(picture("Door locked", 40, blur=blur)[0], corners) for blur in (0.5, 4.0))
    assert looks.sharpness(crisp) > 1.5 * looks.sharpness(soft)
