import numpy as np
import pytest

from arwarden.fast.elements.crops import FILL, as_input, crop_input, detector_input, net_size_for


def test_wide_frame_fills_the_input() -> None:
    frame = np.full((720, 1280, 3), 200, np.uint8)
    picture, place = detector_input(frame, (512, 288))
    assert picture.shape == (288, 512, 3)
    assert place.scale == pytest.approx(0.4)
    assert (picture == 200).all()


def test_square_frame_is_centred_on_grey() -> None:
    picture, place = detector_input(np.full((100, 100, 3), 10, np.uint8), (512, 288))
    assert (place.pad_x, place.width) == (112, 288)
    assert (picture[:, 0] == FILL).all()
    assert (picture[:, 256] == 10).all()


def test_frame_of_the_right_size_is_not_copied() -> None:
    frame = np.zeros((288, 512, 3), np.uint8)
    assert detector_input(frame, (512, 288))[0] is frame


def test_crop_keeps_the_shape_of_the_element() -> None:
    frame = np.zeros((200, 200, 3), np.uint8)
    frame[80:120, 20:180] = 255
    crop = crop_input(frame, (20, 80, 180, 120), 64)
    rows = np.flatnonzero((crop[:, 32] == 255).all(axis=1))
    assert 12 <= len(rows) <= 16
    assert (crop[0, 32] == FILL).all()


def test_crop_shows_a_margin() -> None:
    frame = np.zeros((200, 200, 3), np.uint8)
    frame[50:150, 50:150] = 255
    crop = crop_input(frame, (50, 50, 150, 150), 64)
    assert crop[0, 32].max() == 0
    assert crop[32, 32].min() == 255


def test_crop_at_the_edge_ends_there() -> None:
    crop = crop_input(np.full((100, 100, 3), 7, np.uint8), (-20, 90, 30, 130), 64)
    assert crop.shape == (64, 64, 3)


def test_box_outside_of_the_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="100x100"):
        crop_input(np.zeros((100, 100, 3), np.uint8), (120, 10, 160, 40), 64)


def test_one_pixel_is_enough() -> None:
    assert crop_input(np.zeros((1, 1, 3), np.uint8), (0, 0, 1, 1), 64).shape == (64, 64, 3)


def test_input_is_centred_on_zero_with_channels_first() -> None:
    values = as_input(np.array([[[[127, 255, 0]]]], np.uint8))
    assert values.shape == (1, 3, 1, 1)
    assert values.ravel().tolist() == pytest.approx([0, 1, -0.9921875])


@pytest.mark.parametrize(
    ("frame", "net"),
    [
        ((1280, 720), (640, 384)),
        ((640, 360), (640, 384)),
        ((302, 276), (320, 288)),
        ((4000, 100), (640, 128)),
        ((1, 1), (32, 32)),
    ],
)
def test_small_frames_are_not_enlarged(frame: tuple[int, int], net: tuple[int, int]) -> None:
    assert net_size_for(frame, (640, 384)) == net
    picture, _ = detector_input(np.zeros((frame[1], frame[0], 3), np.uint8), net)
    assert picture.shape == (net[1], net[0], 3)
