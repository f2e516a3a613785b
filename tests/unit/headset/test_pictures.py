"""Pictures of every kind become upright RGB of one size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from arwarden.core.errors import ConfigError, InputError
from arwarden.headset.pictures import PictureSize, fitted, letterboxed, load_rgb, natural_order
from tests.unit.headset.media import BLUE, GREEN, RED, WHITE, close_to, plain, quadrants


@pytest.mark.parametrize(("text", "size"), [("1280x720", (1280, 720)), (" 64×64 ", (64, 64))])
def test_size_is_read(text: str, size: tuple[int, int]) -> None:
    assert PictureSize.parse(text) == size


@pytest.mark.parametrize("text", ["", "1280", "1280x", "x720", "1280*720", "-2x4", "1280x720x3", "1e3x720"])
def test_size_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="WIDTHxHEIGHT, for example 1280x720"):
        PictureSize.parse(text)


@pytest.mark.parametrize("text", ["1281x720", "1280x721", "0x0", "62x64", "4098x720"])
def test_size_that_cannot_be_streamed_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="even sides of 64 to 4096"):
        PictureSize.parse(text)


def test_natural_order_counts() -> None:
    names = ["b10.png", "B9.png", "a.png", "b1.png", "10.png", "9.png", "b010.png"]
    ordered = sorted(map(Path, names), key=natural_order)
    assert [path.name for path in ordered] == [
        "9.png",
        "10.png",
        "a.png",
        "b1.png",
        "B9.png",
        "b10.png",
        "b010.png",
    ]


@pytest.mark.parametrize(
    ("source", "inner"),
    [((640, 480), (160, 120)), ((1920, 1080), (160, 90)), ((10, 1000), (1, 120)), ((1, 1), (120, 120))],
)
def test_aspect_is_kept(source: tuple[int, int], inner: tuple[int, int]) -> None:
    assert fitted(PictureSize(160, 120), *source) == inner


def test_letterbox_puts_the_picture_in_the_middle_of_black() -> None:
    boxed = letterboxed(plain(GREEN, 100, 200), PictureSize(200, 100))
    assert boxed.shape == (100, 200, 3)
    assert not boxed[:, :74].any()
    assert not boxed[:, 126:].any()
    assert close_to(boxed[50, 100], GREEN, 2)
    assert close_to(boxed[0, 76], GREEN, 2)


def test_picture_of_the_right_size_is_not_touched() -> None:
    rgb = quadrants(160, 96)
    assert letterboxed(rgb, PictureSize(160, 96)) is rgb


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int) -> None:
    upright = Image.fromarray(quadrants())
    undo = {
        1: None,
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }[orientation]
    stored = upright if undo is None else upright.transpose(undo)
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored.save(tmp_path / "photo.jpg", exif=exif, quality=95)
    rgb = load_rgb(tmp_path / "photo.jpg")
    assert rgb.shape == (96, 160, 3)
    assert close_to(rgb[10, 10], RED)
    assert close_to(rgb[10, 150], GREEN)
    assert close_to(rgb[86, 10], BLUE)


def test_grey_palette_and_transparent_pictures(tmp_path: Path) -> None:
    Image.fromarray(np.full((8, 8), 77, np.uint8)).save(tmp_path / "grey.png")
    Image.fromarray(plain(RED, 8, 8)).convert("P").save(tmp_path / "palette.png")
    clear = np.zeros((8, 8, 4), np.uint8)
    clear[:4] = (*BLUE, 255)
    Image.fromarray(clear).save(tmp_path / "clear.png")
    assert (load_rgb(tmp_path / "grey.png") == 77).all()
    assert close_to(load_rgb(tmp_path / "palette.png")[0, 0], RED)
    on_white = load_rgb(tmp_path / "clear.png")
    assert close_to(on_white[0, 0], BLUE, 1)
    assert close_to(on_white[7, 0], (255, 255, 255), 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([[0, 65535], [32768, 256]], np.uint16), [[0, 255], [128, 1]]),
        (np.array([[0, 65535], [32768, 255]], np.int32), [[0, 255], [127, 0]]),
        (np.array([[0, 255], [100, 1]], np.float32), [[0, 255], [100, 1]]),
        (np.array([[np.nan, 1e9], [-5, 0]], np.float32), [[0, 255], [0, 0]]),
    ],
    ids=["16-bit", "32-bit", "float", "float-beyond-everything"],
)
def test_deep_pictures_become_eight_bits(
    tmp_path: Path, values: np.ndarray, expected: list[list[int]]
) -> None:
    path = tmp_path / "deep.tiff"
    Image.fromarray(values).save(path)
    rgb = load_rgb(path)
    assert rgb.dtype == np.uint8
    assert rgb[:, :, 1].tolist() == expected


def test_sixteen_bit_png(tmp_path: Path) -> None:
    path = tmp_path / "deep.png"
    Image.fromarray(np.full((4, 4), 40_000, np.uint16)).save(path)
    assert (load_rgb(path) == 156).all()


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"not an image", b"\xff\xd8\xff\xe0"]
)
def test_unreadable_picture_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.png"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"broken\.png: not a readable picture"):
        load_rgb(path)


def test_truncated_picture_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "half.png"
    noise = np.random.default_rng(1).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(noise).save(path)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(InputError, match=r"half\.png"):
        load_rgb(path)


def test_white_is_not_mistaken(tmp_path: Path) -> None:
    Image.fromarray(plain(WHITE, 8, 8)).save(tmp_path / "white.webp", lossless=True)
    assert close_to(load_rgb(tmp_path / "white.webp")[0, 0], WHITE, 1)
