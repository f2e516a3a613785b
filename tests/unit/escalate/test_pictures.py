from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import SentPicture


def halves(width_px: int = 400, height_px: int = 200) -> ByteImage:
    """Red to the left, blue to the right."""
    rgb = np.zeros((height_px, width_px, 3), np.uint8)
    rgb[:, : width_px // 2, 0] = 255
    rgb[:, width_px // 2 :, 2] = 255
    return rgb


def opened(sent: SentPicture) -> ByteImage:
    image = Image.open(io.BytesIO(sent.jpeg))
    assert image.format == "JPEG"
    return np.asarray(image)


def test_a_frame_is_made_small_and_keeps_its_colours() -> None:
    sent = make_picture(halves(), max_side_px=100)
    pixels = opened(sent)
    assert pixels.shape == (50, 100, 3)
    assert (sent.width_px, sent.height_px) == (100, 50)
    assert pixels[25, 10, 0] > 200
    assert pixels[25, 90, 2] > 200
    assert sent.crop == Box(0, 0, 1, 1)


def test_nothing_is_enlarged() -> None:
    assert make_picture(halves(40, 20), max_side_px=1000).width_px == 40


def test_a_crop_is_whole_pixels_and_says_which() -> None:
    sent = make_picture(halves(), max_side_px=1000, crop=Box(0.5001, 0.25, 0.25, 0.5))
    assert opened(sent).shape == (100, 100, 3)
    assert opened(sent)[50, 50, 2] > 200
    assert sent.crop == pytest.approx(Box(0.5, 0.25, 0.25, 0.5))
    assert sent.to_frame(Box(0, 0, 1, 1)) == pytest.approx(sent.crop)


def test_crops_beyond_the_edge_are_cut_and_empty_ones_refused() -> None:
    assert make_picture(halves(), max_side_px=999, crop=Box(-0.5, -0.5, 1, 1)).width_px == 200
    with pytest.raises(ValueError, match="shows nothing of a 400×200 px frame"):
        make_picture(halves(), max_side_px=999, crop=Box(0.5, 0.5, 0, 0))


def test_no_metadata_leaves() -> None:
    jpeg = make_picture(halves(), max_side_px=400).jpeg
    image = Image.open(io.BytesIO(jpeg))
    assert not image.getexif()
    assert b"Exif" not in jpeg
    assert b"http" not in jpeg
    assert set(image.info) <= {"jfif", "jfif_version", "jfif_unit", "jfif_density"}


def test_hidden_parts_are_unrecognisable_and_the_frame_is_left_alone() -> None:
    rng = np.random.default_rng(7)
    rgb = np.ascontiguousarray(
        np.repeat(np.repeat(rng.integers(0, 2, (30, 40, 3)) * 255, 8, 0), 8, 1), np.uint8
    )
    before = rgb.copy()
    hidden = Box(0.25, 0.25, 0.5, 0.5)
    shown = opened(make_picture(rgb, max_side_px=1000, hidden=(hidden, Box(2, 2, 1, 1)))).astype(float)
    inside, outside = shown[90:150, 120:200], shown[:50, :60]
    assert inside.std() < 40 < outside.std()
    assert np.array_equal(rgb, before)


def test_a_smaller_quality_is_a_smaller_file() -> None:
    rgb = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    assert len(make_picture(rgb, max_side_px=300, quality=40).jpeg) < len(
        make_picture(rgb, max_side_px=300).jpeg
    )
