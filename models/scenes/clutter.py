"""Real things that are taken for virtual ones: papers, screens, keyboards, wheels, and hands before them.

All are drawn into the world before the camera spoils it, so they share its noise, light and blur.
"""

from __future__ import annotations

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.view import Vector, homography

_Rng = np.random.Generator
_Colour = tuple[int, int, int]

_REAL_TEXTS = (
    "NOTICE", "Room 204", "FIRE DOOR", "Canon", "Fragile goods", "EXIT", "Menu",
    "Reserved", "SONY", "Printer", "Staff", "Keep clear", "Lab 3", "Recycle",
    "PUSH", "hp", "Dell", "24h", "SALE", "Bus 12", "Monday",
)  # fmt: skip


def add_clutter(rgb: ByteImage, rng: _Rng) -> ByteImage:
    """One to three real things in the picture, as matte as the rest of it."""
    out = rgb.copy()
    things = (_paper, _screen, _keyboard, _wheel, _label)
    for place in rng.permutation(len(things))[: int(rng.integers(1, 3))]:
        _lay(out, things[int(place)](rng), rng)
    return out


def arm(size_px: tuple[int, int], rng: _Rng) -> tuple[ByteImage, ByteImage]:
    """A hand with a sleeve that reaches into the picture: RGB, and its mask of shape ``(height, width)``."""
    width_px, height_px = size_px
    scale = height_px / 720.0
    mask = np.zeros((height_px, width_px), dtype=np.uint8)
    rgb = np.zeros((height_px, width_px, 3), dtype=np.uint8)
    skin = ((198, 152, 124), (150, 106, 82), (224, 180, 152), (104, 72, 56))[int(rng.integers(4))]
    cloth: _Colour = tuple(int(part) for part in rng.integers(15, 140, 3))  # type: ignore[assignment]
    wrist = np.array([rng.uniform(0.2, 0.8) * width_px, rng.uniform(0.62, 0.85) * height_px])
    elbow = np.array([wrist[0] + rng.uniform(-0.3, 0.3) * width_px, height_px * 1.1])
    along = (wrist - elbow) / np.linalg.norm(wrist - elbow)
    across = np.array([-along[1], along[0]])
    thick = 44 * scale * float(rng.uniform(0.8, 1.3))
    _limb((rgb, mask), (elbow, wrist - along * thick), (thick * 1.25, thick * 1.05), cloth)
    palm = wrist + along * thick * 0.9
    _limb((rgb, mask), (wrist - along * thick, palm), (thick * 0.62, thick * 0.85), skin)
    spread = float(rng.uniform(0.12, 0.3))
    for finger in range(4):
        turn = (finger - 1.5) * spread
        ahead = along * np.cos(turn) + across * np.sin(turn)
        root = palm + across * (finger - 1.5) * thick * 0.42
        length = thick * float(rng.uniform(0.9, 1.6))
        _limb((rgb, mask), (root, root + ahead * length), (thick * 0.24, thick * 0.2), skin)
    side = 1 if rng.random() < 0.5 else -1
    thumb = palm + across * side * thick * 0.7
    _limb((rgb, mask), (palm, thumb + along * thick * 0.8), (thick * 0.3, thick * 0.22), skin)
    soft = cv2.GaussianBlur(rgb, (0, 0), max(0.6, 3 * scale))
    return np.asarray(soft, dtype=np.uint8), np.asarray(cv2.GaussianBlur(mask, (0, 0), max(0.5, scale)))


def _limb(
    canvases: tuple[ByteImage, ByteImage],
    ends: tuple[Vector, Vector],
    radii_px: tuple[float, float],
    colour: _Colour,
) -> None:
    """A tapered stroke with round ends, on the picture and on its mask."""
    (rgb, mask), (start, end), (start_px, end_px) = canvases, ends, radii_px
    along = (end - start) / max(1e-6, float(np.linalg.norm(end - start)))
    across = np.array([-along[1], along[0]])
    outline = np.stack(
        [start + across * start_px, end + across * end_px, end - across * end_px, start - across * start_px]
    )
    lit = tuple(min(255, int(part * 1.12)) for part in colour)
    for canvas, shade, bright in ((rgb, colour, lit), (mask, (255,), (255,))):
        cv2.fillPoly(canvas, [np.round(outline).astype(np.int32)], shade, cv2.LINE_AA)
        for point, radius in ((start, start_px), (end, end_px)):
            cv2.circle(canvas, (int(point[0]), int(point[1])), max(1, round(radius)), shade, -1, cv2.LINE_AA)
        middle = outline[[0, 1]] * 0.6 + np.stack([start, end]) * 0.4
        cv2.line(
            canvas,
            (int(middle[0][0]), int(middle[0][1])),
            (int(middle[1][0]), int(middle[1][1])),
            bright,
            max(1, round(min(start_px, end_px) * 0.5)),
            cv2.LINE_AA,
        )


def _lay(rgb: ByteImage, own: ByteImage, rng: _Rng) -> None:
    """Put a flat RGBA thing into the world with perspective, lit like the place it is at."""
    height_px, width_px = rgb.shape[:2]
    size = height_px * float(rng.uniform(0.08, 0.4))
    wide, high = size, size * own.shape[0] / own.shape[1]
    centre = np.array([rng.uniform(0.05, 0.95) * width_px, rng.uniform(0.1, 0.95) * height_px])
    flat = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64) * np.array([wide, high]) / 2
    lean = float(rng.uniform(-0.35, 0.35))
    flat[:, 1] *= 1 + lean * np.sign(flat[:, 0])
    flat[:, 0] += flat[:, 1] * float(rng.uniform(-0.4, 0.4))
    quad = flat + centre
    left, top = np.floor(quad.min(axis=0)).astype(int)
    right, bottom = np.ceil(quad.max(axis=0)).astype(int)
    left, top, right, bottom = max(0, left), max(0, top), min(width_px, right), min(height_px, bottom)
    if right - left < 4 or bottom - top < 4:
        return
    matrix = homography(own.shape[1], own.shape[0], quad - np.array([left, top]))
    warped = cv2.warpPerspective(own, matrix, (right - left, bottom - top), flags=cv2.INTER_AREA)
    place = rgb[top:bottom, left:right]
    # Paper is not brighter than the wall it hangs on.
    light = 0.35 + 0.65 * float(place.mean()) / 160.0
    alpha = warped[:, :, 3:4].astype(np.float32) / 255.0 * 0.97
    colour = np.clip(warped[:, :, :3].astype(np.float32) * min(1.1, light), 0, 255)
    place[:] = (place * (1 - alpha) + colour * alpha).astype(np.uint8)


def _sheet(width_px: int, height_px: int, colour: _Colour) -> ByteImage:
    own = np.zeros((height_px, width_px, 4), dtype=np.uint8)
    own[:, :, :3] = colour
    own[:, :, 3] = 255
    return own


def _paper(rng: _Rng) -> ByteImage:
    """A sheet with a heading and lines too small to read."""
    white = int(rng.integers(205, 250))
    own = _sheet(140, 190, (white, white, int(white * rng.uniform(0.88, 1.0))))
    ink: _Colour = tuple(int(part) for part in rng.integers(10, 110, 3))  # type: ignore[assignment]
    cv2.rectangle(own, (0, 0), (139, 189), (*[int(white * 0.8)] * 3, 255), 1)
    if rng.random() < 0.7:
        text = _REAL_TEXTS[int(rng.integers(len(_REAL_TEXTS)))]
        cv2.putText(own, text, (10, 32), cv2.FONT_HERSHEY_DUPLEX, 0.72, (*ink, 255), 2, cv2.LINE_AA)
    if rng.random() < 0.4:
        cv2.rectangle(own, (20, 46), (118, 100), (*[int(part) for part in rng.integers(40, 220, 3)], 255), -1)
    for top in range(112, 180, 8):
        end = int(rng.integers(60, 130))
        cv2.line(own, (12, top), (end, top), (*ink, 255), 2)
    return own


def _screen(rng: _Rng) -> ByteImage:
    """A monitor or a television with a dark frame."""
    own = _sheet(220, 134, (28, 28, 32))
    lit = np.linspace(0.5, 1.0, 204)[np.newaxis, :, np.newaxis] * rng.uniform(60, 235, 3)
    own[8:118, 8:212, :3] = np.broadcast_to(lit, (110, 204, 3)).astype(np.uint8)
    for _ in range(int(rng.integers(0, 5))):
        left, top = int(rng.integers(12, 150)), int(rng.integers(12, 90))
        colour = (*[int(part) for part in rng.integers(30, 250, 3)], 255)
        cv2.rectangle(
            own, (left, top), (left + int(rng.integers(15, 60)), top + int(rng.integers(5, 26))), colour, -1
        )
    return own


def _keyboard(rng: _Rng) -> ByteImage:
    base = int(rng.integers(25, 190))
    own = _sheet(240, 84, (base, base, base))
    for row in range(5):
        for column in range(14):
            left, top = 5 + column * 16 + row * 2, 5 + row * 15
            key = int(np.clip(base + rng.integers(18, 42), 0, 255))
            cv2.rectangle(own, (left, top), (left + 13, top + 12), (key, key, key, 255), -1)
            cv2.putText(
                own, chr(65 + int(rng.integers(26))), (left + 3, top + 9), 0, 0.28, (230, 230, 230, 255), 1
            )
    return own


def _wheel(rng: _Rng) -> ByteImage:
    """A tyre with a rim: a dark ring that looks like a prohibition sign from afar."""
    own = np.zeros((160, 160, 4), dtype=np.uint8)
    cv2.circle(own, (80, 80), 78, (24, 24, 26, 255), -1, cv2.LINE_AA)
    rim = int(rng.integers(110, 220))
    cv2.circle(own, (80, 80), 54, (rim, rim, rim, 255), -1, cv2.LINE_AA)
    spokes = int(rng.integers(5, 9))
    for spoke in range(spokes):
        angle = 2 * np.pi * spoke / spokes
        end = (int(80 + 50 * np.cos(angle)), int(80 + 50 * np.sin(angle)))
        cv2.line(own, (80, 80), end, (50, 50, 54, 255), int(rng.integers(5, 13)), cv2.LINE_AA)
    cv2.circle(own, (80, 80), 12, (80, 80, 84, 255), -1, cv2.LINE_AA)
    return own


def _label(rng: _Rng) -> ByteImage:
    """A sticker or a door plate with one word on it."""
    # Never as bright and plain as a virtual panel: metal, paper, dull plastic.
    grey = int(rng.integers(50, 215))
    red, green, blue = (int(np.clip(grey + part, 0, 255)) for part in rng.normal(0, 9, 3))
    colour = (red, green, blue)
    own = _sheet(180, 56, colour)
    ink = 20 if sum(colour) > 360 else 235
    text = _REAL_TEXTS[int(rng.integers(len(_REAL_TEXTS)))]
    cv2.putText(own, text, (10, 38), cv2.FONT_HERSHEY_SIMPLEX, 0.85, (ink, ink, ink, 255), 2, cv2.LINE_AA)
    return own
