"""How a headset sees a flat element: a pinhole camera, a panel somewhere before it, the homography.

Camera coordinates in metres: x right, y down, z ahead. Picture coordinates in pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the camera stands and looks, and how wide it sees. Angles in degrees."""

    width_px: int
    height_px: int
    focal_px: float
    position_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    yaw_deg: float = 0.0
    pitch_deg: float = 0.0
    roll_deg: float = 0.0

    def project(self, points_m: Vector) -> Vector:
        """Points of shape ``(n, 3)`` in the world to pixels of shape ``(n, 2)``.

        Points behind the camera come out far outside of the picture.
        """
        rotation = rotation_of(self.yaw_deg, self.pitch_deg, self.roll_deg)
        seen = (points_m - np.asarray(self.position_m)) @ rotation
        depth = np.maximum(seen[:, 2:3], 0.05)
        middle = np.array([self.width_px / 2, self.height_px / 2])
        return np.asarray(seen[:, :2] / depth * self.focal_px + middle)

    def ray(self, x_px: float, y_px: float) -> Vector:
        """The direction of a pixel with the camera at rest, with length one along z."""
        x_m = (x_px - self.width_px / 2) / self.focal_px
        y_m = (y_px - self.height_px / 2) / self.focal_px
        return np.array([x_m, y_m, 1.0])


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a flat element hangs and how it is turned; its size in metres."""

    centre_m: tuple[float, float, float]
    width_m: float
    height_m: float
    yaw_deg: float = 0.0
    pitch_deg: float = 0.0
    roll_deg: float = 0.0

    def corners(self) -> Vector:
        """Top left, top right, bottom right, bottom left in the world, shape ``(4, 3)``."""
        half = np.array([self.width_m, self.height_m]) / 2
        flat = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], dtype=np.float64)
        flat[:, :2] *= half
        turned = flat @ rotation_of(self.yaw_deg, self.pitch_deg, self.roll_deg).T
        return np.asarray(turned + np.asarray(self.centre_m))

    def moved(self, centre_m: Vector) -> Pose:
        """The same at another place."""
        return replace(self, centre_m=(float(centre_m[0]), float(centre_m[1]), float(centre_m[2])))


def rotation_of(yaw_deg: float, pitch_deg: float, roll_deg: float) -> Matrix:
    """Turn about the vertical, then about the horizontal, then in the plane; shape ``(3, 3)``."""
    yaw, pitch, roll = math.radians(yaw_deg), math.radians(pitch_deg), math.radians(roll_deg)
    about_y = np.array([[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]])
    about_x = np.array(
        [[1, 0, 0], [0, math.cos(pitch), -math.sin(pitch)], [0, math.sin(pitch), math.cos(pitch)]]
    )
    about_z = np.array([[math.cos(roll), -math.sin(roll), 0], [math.sin(roll), math.cos(roll), 0], [0, 0, 1]])
    return np.asarray(about_y @ about_x @ about_z)


def homography(width_px: int, height_px: int, quad_px: Vector) -> Matrix:
    """From the pixels of an element's own picture to those of the view."""
    own = np.array([[0, 0], [width_px, 0], [width_px, height_px], [0, height_px]], dtype=np.float32)
    return np.asarray(cv2.getPerspectiveTransform(own, quad_px.astype(np.float32)), dtype=np.float64)


def mapped(matrix: Matrix, points_px: Vector) -> Vector:
    """Points of shape ``(n, 2)`` through a homography."""
    ahead = np.hstack([points_px, np.ones((len(points_px), 1))]) @ matrix.T
    return np.asarray(ahead[:, :2] / ahead[:, 2:3])


def direction_seen(matrix: Matrix, size_px: tuple[int, int], direction_deg: float) -> float:
    """The direction in the view of something that points ``direction_deg`` in its own picture, 0..360."""
    width_px, height_px = size_px
    reach = 0.35 * min(width_px, height_px)
    angle = math.radians(direction_deg)
    step = np.array([math.cos(angle), -math.sin(angle)]) * reach
    middle = np.array([width_px / 2, height_px / 2])
    tail, tip = mapped(matrix, np.stack([middle - step, middle + step]))
    return math.degrees(math.atan2(-(tip[1] - tail[1]), tip[0] - tail[0])) % 360.0
