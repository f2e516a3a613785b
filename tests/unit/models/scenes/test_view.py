from __future__ import annotations

import numpy as np
import pytest

from models.scenes.view import Camera, Pose, direction_seen, homography, mapped

CAMERA = Camera(640, 360, focal_px=400.0)


def pose(**turns: float) -> Pose:
    return Pose(centre_m=(0.0, 0.0, 2.0), width_m=1.0, height_m=0.5, **turns)


def test_a_panel_straight_ahead_is_a_rectangle_of_the_right_size() -> None:
    quad = CAMERA.project(pose().corners())
    assert quad == pytest.approx(np.array([[220, 130], [420, 130], [420, 230], [220, 230]]))


def test_the_far_side_of_a_turned_panel_is_shorter() -> None:
    quad = CAMERA.project(pose(yaw_deg=40.0).corners())
    left, right = np.linalg.norm(quad[3] - quad[0]), np.linalg.norm(quad[2] - quad[1])
    assert right > 1.2 * left


def test_a_lying_panel_is_shorter_at_the_top() -> None:
    quad = CAMERA.project(pose(pitch_deg=-50.0).corners())
    top, bottom = np.linalg.norm(quad[1] - quad[0]), np.linalg.norm(quad[2] - quad[3])
    assert bottom > 1.1 * top


def test_the_camera_that_looks_right_sees_things_further_left() -> None:
    turned = Camera(640, 360, focal_px=400.0, yaw_deg=10.0)
    assert turned.project(pose().corners())[:, 0].mean() < 260


def test_points_behind_the_camera_are_far_out_of_the_picture() -> None:
    seen = CAMERA.project(np.array([[0.5, 0.0, -1.0]]))
    assert abs(seen[0, 0]) > 3000


def test_a_ray_hits_its_own_pixel() -> None:
    point = CAMERA.ray(100.0, 300.0) * 1.7
    assert CAMERA.project(point[np.newaxis])[0] == pytest.approx([100.0, 300.0])


@pytest.mark.parametrize("direction", [0.0, 37.0, 90.0, 180.0, 270.0, 359.0])
def test_a_direction_stays_without_perspective(direction: float) -> None:
    matrix = homography(200, 100, np.array([[10, 20], [210, 20], [210, 120], [10, 120]], dtype=float))
    assert direction_seen(matrix, (200, 100), direction) == pytest.approx(direction, abs=0.01)


@pytest.mark.parametrize(("roll", "seen"), [(10.0, 350.0), (-25.0, 25.0)])
def test_a_direction_turns_with_the_panel(roll: float, seen: float) -> None:
    quad = CAMERA.project(pose(roll_deg=roll).corners())
    assert direction_seen(homography(200, 100, quad), (200, 100), 0.0) == pytest.approx(seen, abs=0.5)


def test_left_stays_left_and_up_stays_up_at_steep_angles() -> None:
    for yaw, steep in ((-45.0, 25.0), (-15.0, -60.0), (0.0, -60.0), (15.0, -60.0), (45.0, 25.0)):
        for pitch in (steep, 0.0):
            quad = CAMERA.project(pose(yaw_deg=yaw, pitch_deg=pitch).corners())
            matrix = homography(200, 100, quad)
            assert abs(direction_seen(matrix, (200, 100), 180.0) - 180.0) < 40
            assert abs(direction_seen(matrix, (200, 100), 90.0) - 90.0) < 40


def test_the_homography_takes_corners_to_corners() -> None:
    quad = CAMERA.project(pose(yaw_deg=30.0, pitch_deg=12.0, roll_deg=5.0).corners())
    own = np.array([[0, 0], [300, 0], [300, 150], [0, 150]], dtype=float)
    assert mapped(homography(300, 150, quad), own) == pytest.approx(quad, abs=1e-3)
