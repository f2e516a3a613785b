"""Places the elements of a situation before a camera and makes the picture with its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from arwarden.core.frame import ByteImage
from models.scenes.art.element import Art
from models.scenes.capture import Wear, seen_by_camera, sent
from models.scenes.clutter import arm
from models.scenes.overlay import Mask, Seen, Shown, common_area, inside_share, overlay, quad_of
from models.scenes.situation import Design
from models.scenes.truth import ElementTruth
from models.scenes.view import Camera, Pose, Vector, direction_seen, homography

_Rng = np.random.Generator

FULL_HEIGHT_PX = 720
"""Sizes below are for a picture this high and scale with it."""
LEAST_LINE_PX = 13.0
"""Height of a line of text in the pair, ascender to descender: smaller ones do not survive the codec."""
MOST_TURN_DEG = 32.0
"""An arrow that perspective turns further no longer says what it is meant to."""
LEAST_FORESHORTENING = 0.42
"""A panel of the pair that is seen more edge-on than this cannot be read, by people either."""
TRUNCATED = 0.3
"""Share of the elements that the edge of the picture cuts."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A drawn element with its place in the world."""

    design: Design
    art: Art
    pose: Pose
    opacity: float
    matters: bool
    """True for the two elements of the pair: what they say must be recognisable."""

    def quad_px(self, camera: Camera) -> Vector:
        """The corners of its picture as the camera sees them."""
        return camera.project(self.pose.corners())

    def shown(self, camera: Camera) -> Shown:
        """As it is drawn."""
        return Shown(self.art, self.quad_px(camera), self.opacity)


class NoRoomError(ValueError):
    """The first two elements fit nowhere together, which is so for one scene in some hundreds."""

    def __init__(self) -> None:
        super().__init__("there is no room in the picture for two elements; make it larger")


class Placer:
    """Finds places for elements: sizes, distances, turns, some cut by the edge, the pair recognisable."""

    def __init__(
        self, camera: Camera, rng: _Rng, *, truncated: float = TRUNCATED, drawn_scale: float = 1.0
    ) -> None:
        """``drawn_scale``: at which share of the full size the elements were drawn."""
        self._camera = camera
        self._rng = rng
        self._truncated = truncated
        self._drawn_scale = drawn_scale
        self._scale = camera.height_px / FULL_HEIGHT_PX
        self._size = (camera.width_px, camera.height_px)

    def place(self, drawn: Sequence[tuple[Design, Art]], pair: int = 2) -> tuple[Placed, ...]:
        """Place all elements, the first ``pair`` of them in any case; others only where there is room.

        Raises ``NoRoomError``.
        """
        for smaller in (1.0, 0.85, 0.7, 0.55, 0.4):
            placed: list[Placed] = []
            for index, (design, art) in enumerate(drawn):
                one = self._placed(design, art, placed, matters=index < pair, smaller=smaller)
                if one is not None:
                    placed.append(one)
                elif index < pair:
                    break
            if len(placed) >= pair:
                return tuple(placed)
        raise NoRoomError

    def _placed(
        self, design: Design, art: Art, others: Sequence[Placed], *, matters: bool, smaller: float
    ) -> Placed | None:
        rng = self._rng
        cut = bool(rng.random() < self._truncated)
        for attempt in range(36):
            width_px = self._width_px(art, matters=matters) * smaller * 0.97**attempt
            pose = self._pose(art, width_px, cut=cut and attempt < 24)
            opacity = 1.0 if rng.random() < 0.75 else float(rng.uniform(0.82, 1.0))
            one = Placed(design, art, pose, opacity, matters)
            if self._fits(one, others, cut=cut and attempt < 24, smaller=smaller):
                return one
        return None

    def _width_px(self, art: Art, *, matters: bool) -> float:
        """The wanted width: of texts so that they can be read, of pictures 40 to 400 pixels."""
        height_px, width_px = art.rgba.shape[:2]
        lines = [part.box_norm[3] * height_px for part in art.parts if part.kind == "text" and part.text]
        # Drawn elements are not blown up much: no headset shows virtual content that blurred.
        most = min(520.0, 1.3 * width_px / self._drawn_scale)
        if not lines:
            low, high = (64.0, 340.0) if matters else (40.0, 300.0)
            extent = float(np.exp(self._rng.uniform(np.log(low), np.log(high))))
            return float(np.clip(extent * width_px / max(width_px, height_px), 40.0, most)) * self._scale
        low, high = (LEAST_LINE_PX * 1.2, 54.0) if matters else (11.0, 46.0)
        line_px = float(self._rng.uniform(low, high))
        if self._rng.random() < 0.5:
            line_px = low * (high / low) ** float(self._rng.random())
        readable = low * width_px / float(min(lines))
        wanted = line_px * width_px / float(np.median(lines))
        return float(np.clip(wanted, max(40.0, readable), max(most, readable))) * self._scale

    def _pose(self, art: Art, width_px: float, *, cut: bool) -> Pose:
        rng, camera = self._rng, self._camera
        aspect = art.rgba.shape[0] / art.rgba.shape[1]
        half = np.array([width_px, width_px * aspect]) / 2
        middle = rng.uniform(half * 0.95, np.maximum(half * 0.95 + 1, np.array(self._size) - half * 0.95))
        if cut:
            side = int(rng.integers(4))
            over = float(rng.uniform(-0.1, 0.75))
            middle[side % 2] = (
                (half * over)[side % 2] if side < 2 else self._size[side % 2] - (half * over)[side % 2]
            )
        depth_m = float(rng.uniform(0.7, 3.5))
        lying = rng.random() < 0.14
        steep = float(rng.normal(-52.0, 8.0)) if lying else float(np.clip(rng.normal(0.0, 10.0), -28, 28))
        return Pose(
            centre_m=tuple(float(part) for part in camera.ray(middle[0], middle[1]) * depth_m),  # type: ignore[arg-type]
            width_m=width_px / camera.focal_px * depth_m,
            height_m=width_px * aspect / camera.focal_px * depth_m,
            yaw_deg=float(np.clip(rng.normal(0.0, 17.0), -46, 46)) * (0.4 if lying else 1.0),
            pitch_deg=steep,
            roll_deg=float(np.clip(rng.normal(0.0, 3.5), -10, 10)),
        )

    def _fits(self, one: Placed, others: Sequence[Placed], *, cut: bool, smaller: float) -> bool:
        quad = one.quad_px(self._camera)
        height_px, width_px = one.art.rgba.shape[:2]
        matrix = homography(width_px, height_px, quad)
        body = quad_of(matrix, one.art.body_norm, one.art)
        share = inside_share(body, self._size)
        low, high = (0.72, 0.97) if one.matters else (0.35, 0.97)
        if not (low <= share <= high if cut else share > 0.995):
            return False
        if one.matters and not self._recognisable(one, matrix, smaller):
            return False
        if one.art.direction_deg is not None:
            seen = direction_seen(matrix, (width_px, height_px), one.art.direction_deg)
            if abs((seen - one.art.direction_deg + 180.0) % 360.0 - 180.0) > MOST_TURN_DEG:
                return False
        room = 0.0 if one.matters or self._rng.random() < 0.9 else 0.3
        area = max(1.0, float(cv2.contourArea(body.astype(np.float32))))
        for other in others:
            beside = other.quad_px(self._camera)
            shared = common_area(body, beside)
            if shared > (0.0 if other.matters else room) * area:
                return False
        return True

    def _recognisable(self, one: Placed, matrix: Vector, smaller: float) -> bool:
        least_px = LEAST_LINE_PX * self._scale * min(1.0, smaller + 0.15)
        if _foreshortening(quad_of(matrix, (0.0, 0.0, 1.0, 1.0), one.art), one.art) < LEAST_FORESHORTENING:
            return False
        for part in one.art.parts:
            quad = quad_of(matrix, part.box_norm, one.art)
            share = inside_share(quad, self._size)
            if part.kind == "text":
                height_px = min(np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1]))
                if share < 0.98 or height_px < least_px:
                    return False
            elif share < 0.55:
                return False
        return True


def _foreshortening(quad: Vector, art: Art) -> float:
    """How much narrower, or flatter, an element is than seen from the front: 1 not at all, 0 edge-on."""
    across = np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])
    down = np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])
    ratio: float = float(across / down) * art.rgba.shape[0] / art.rgba.shape[1]
    return min(ratio, 1.0 / ratio)


def smallest_line_px(placed: Sequence[Placed], camera: Camera) -> float | None:
    """Height in the picture of the smallest line of text of the pair; None where it shows no text."""
    heights = []
    for one in placed:
        matrix = homography(one.art.rgba.shape[1], one.art.rgba.shape[0], one.quad_px(camera))
        for part in one.art.parts:
            if one.matters and part.kind == "text":
                quad = quad_of(matrix, part.box_norm, one.art)
                heights.append(float(np.linalg.norm(quad[3] - quad[0])))
    return min(heights, default=None)


def draw_scene(
    world: ByteImage, placed: Sequence[Placed], camera: Camera, wear: Wear, rng: _Rng
) -> tuple[ByteImage, tuple[Seen, ...]]:
    """The picture that is sent, and what is to be seen of each element, in the order of ``placed``."""
    world, covering = with_arm(world, rng)
    real = seen_by_camera(world, wear, rng)
    shown = [one.shown(camera) for one in reversed(placed)]
    # The pair comes first in ``placed``, so it is drawn last: on top.
    rgb, seen = overlay(real, shown)
    if covering is not None:
        partly, left = overlay(real, shown, covering)
        if all(
            _still_clear(before, after)
            for one, before, after in zip(reversed(placed), seen, left, strict=True)
            if one.matters
        ):
            rgb, seen = partly, left
    return sent(rgb, wear), tuple(reversed(seen))


def _still_clear(before: Seen, after: Seen) -> bool:
    """Whether what covers a part of an element leaves enough of it to be recognised."""
    return after.visibility >= 0.7 * before.visibility and all(
        part.visibility
        >= (0.98 if part.part is not None and part.part.kind == "text" else 0.8) * free.visibility
        for free, part in zip(before.parts, after.parts, strict=True)
    )


def with_arm(world: ByteImage, rng: _Rng) -> tuple[ByteImage, Mask | None]:
    """Sometimes the wearer's arm, and its mask where it is nearer than the virtual content."""
    chance = rng.random()
    if chance > 0.2:
        return world, None
    size_px = (world.shape[1], world.shape[0])
    drawn, mask = arm(size_px, rng)
    share = cv2.merge([mask] * 3)
    out = cv2.add(
        cv2.multiply(world, cv2.bitwise_not(share), scale=1 / 255), cv2.multiply(drawn, share, scale=1 / 255)
    )
    # Most headsets draw over the hands; those with depth occlusion do not.
    return np.asarray(out, dtype=np.uint8), mask if chance < 0.09 else None


def element_truths(
    placed: Sequence[Placed], seen: Sequence[Seen], *, least: float = 0.08
) -> tuple[ElementTruth, ...]:
    """The elements in view, carriers first in their order, then what they carry."""
    carriers: list[ElementTruth] = []
    carried: list[tuple[int, Seen]] = []
    for one, what in zip(placed, seen, strict=True):
        if what.visibility < least:
            continue
        index = len(carriers)
        art = one.art
        carriers.append(
            ElementTruth(
                index,
                art.kind,
                art.cls,
                art.text,
                what.box,
                what.quad,
                what.visibility,
                what.direction_deg,
                None,
                one.design.claims,
                one.opacity,
            )
        )
        carried += [(index, part) for part in what.parts if part.visibility >= least]
    parts = [
        ElementTruth(
            len(carriers) + place,
            part.part.kind,
            part.part.cls,
            part.part.text,
            part.box,
            part.quad,
            part.visibility,
            part.direction_deg,
            carrier,
            (),
            carriers[carrier].opacity,
        )
        for place, (carrier, part) in enumerate(carried)
        if part.part is not None
    ]
    return (*carriers, *parts)
