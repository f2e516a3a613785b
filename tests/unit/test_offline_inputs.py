"""Every shape of picture and video files: judged as what they show, or refused with file and fix named."""

from __future__ import annotations

import resource
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import av
import numpy as np
import pytest
from PIL import Image

from arwarden.config import Config
from arwarden.core.errors import InputError
from arwarden.core.findings import Findings
from arwarden.core.frame import ByteImage, Frame
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from arwarden.headset import pictures
from arwarden.offline import OfflineAnalyser, Report
from tests.support.panel_files import cut, video

RED, GREY = (230, 20, 20), (128, 128, 128)


class SeeingTier:
    """In the fast tier's place: keeps what it is shown."""

    name = "fast"

    def __init__(self) -> None:
        self.seen: list[ByteImage] = []
        self.times_s: list[float] = []

    def analyse_now(self, frame: Frame, _context: SceneContext) -> Findings:
        self.seen.append(frame.picture.rgb())
        self.times_s.append(frame.capture_ms / 1000.0)
        return Findings()


def shown(path: Path) -> tuple[Report, SeeingTier]:
    tier = SeeingTier()
    return OfflineAnalyser(Config(), cast("FastTier", tier)).analyse(path), tier


def corner(width_px: int = 96, height_px: int = 64) -> ByteImage:
    """Grey with a red quarter at the top left."""
    rgb = np.full((height_px, width_px, 3), GREY, np.uint8)
    rgb[: height_px // 2, : width_px // 2] = RED
    return rgb


def is_red(pixel: np.ndarray) -> bool:
    red, green, blue = (int(value) for value in pixel)
    return red > 180 and green < 90 and blue < 90


def red_corner(rgb: ByteImage) -> str:
    """Where the red quarter lies."""
    height, width = rgb.shape[:2]
    rows, columns = (
        {"top": height // 4, "bottom": 3 * height // 4},
        {"left": width // 4, "right": 3 * width // 4},
    )
    found = [f"{r} {c}" for r, y in rows.items() for c, x in columns.items() if is_red(rgb[y, x])]
    return ", ".join(found)


def saved(path: Path, image: Image.Image, **options: Any) -> Path:
    image.save(path, **options)
    return path


def oriented(path: Path, orientation: int) -> Path:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(path, Image.fromarray(corner()), exif=exif, quality=95)


def transparent(path: Path) -> Path:
    rgba = np.dstack([corner(), np.full((64, 96), 255, np.uint8)])
    rgba[32:, 48:, 3] = 0
    return saved(path, Image.fromarray(rgba))


def deep(path: Path) -> Path:
    """A 16-bit colour PNG, which Pillow cannot write: one white row of red above."""
    rgb = corner().astype(np.uint16) * 257
    raw = b"".join(b"\0" + row.astype(">u2").tobytes() for row in rgb)
    path.write_bytes(png(96, 64, raw, depth=16, colour=2))
    return path


def png(width_px: int, height_px: int, raw: bytes, *, depth: int, colour: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width_px, height_px, depth, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PICTURES: dict[str, Callable[[Path], Path]] = {
    "png": lambda folder: saved(folder / "a.png", Image.fromarray(corner())),
    "jpeg": lambda folder: saved(folder / "a.jpg", Image.fromarray(corner()), quality=95),
    "palette": lambda folder: saved(folder / "a.png", Image.fromarray(corner()).quantize(8)),
    "palette gif": lambda folder: saved(folder / "a.gif", Image.fromarray(corner()).quantize(8)),
    "16-bit colour": lambda folder: deep(folder / "a.png"),
    "cmyk": lambda folder: saved(folder / "a.jpg", Image.fromarray(corner()).convert("CMYK"), quality=95),
    "transparent": lambda folder: transparent(folder / "a.png"),
    "webp": lambda folder: saved(folder / "a.webp", Image.fromarray(corner()), lossless=True),
    "tiff": lambda folder: saved(folder / "a.tif", Image.fromarray(corner())),
    "bmp": lambda folder: saved(folder / "a.bmp", Image.fromarray(corner())),
    "upper case": lambda folder: saved(folder / "A.PNG", Image.fromarray(corner())),
    "wrong ending": lambda folder: saved(folder / "a.txt", Image.fromarray(corner()), format="PNG"),
    "video's ending": lambda folder: saved(folder / "a.mp4", Image.fromarray(corner()), format="JPEG"),
    "no ending": lambda folder: saved(folder / "a", Image.fromarray(corner()), format="WEBP", lossless=True),
    "other picture's ending": lambda folder: saved(folder / "a.jpg", Image.fromarray(corner()), format="PNG"),
    "strange name": lambda folder: saved(folder / "ü 中 %s{}.png", Image.fromarray(corner())),
    "upright": lambda folder: oriented(folder / "a.jpg", 1),
}


@pytest.mark.parametrize("make", PICTURES.values(), ids=PICTURES.keys())
def test_picture_is_shown_as_it_is(make: Callable[[Path], Path], tmp_path: Path) -> None:
    report, tier = shown(make(tmp_path))
    assert report.duration_s is None
    assert [rgb.shape for rgb in tier.seen] == [(64, 96, 3)]
    assert red_corner(tier.seen[0]) == "top left"


@pytest.mark.parametrize(
    ("orientation", "where"),
    [
        (2, "top right"),
        (3, "bottom right"),
        (4, "bottom left"),
        (5, "top left"),
        (6, "top right"),
        (8, "bottom left"),
    ],
)
def test_exif_orientation_is_applied(orientation: int, where: str, tmp_path: Path) -> None:
    _, tier = shown(oriented(tmp_path / "a.jpg", orientation))
    assert red_corner(tier.seen[0]) == where
    assert tier.seen[0].shape == ((64, 96, 3) if orientation < 5 else (96, 64, 3))


@pytest.mark.parametrize(
    ("mode", "level"), [("L", 77), ("1", 255), ("I;16", 77 * 257), ("LA", (77, 255)), ("F", 77.0)]
)
def test_grey_pictures(mode: str, level: Any, tmp_path: Path) -> None:
    ending = "tif" if mode == "F" else "png"
    _, tier = shown(saved(tmp_path / f"a.{ending}", Image.new(mode, (20, 10), level)))
    assert tier.seen[0].shape == (10, 20, 3)
    assert np.ptp(tier.seen[0]) == 0
    assert tier.seen[0][0, 0, 0] == (255 if mode == "1" else 77)


@pytest.mark.parametrize("size", [(1, 1), (1, 3000), (3000, 1), (2, 2)])
def test_tiny_and_narrow_pictures(size: tuple[int, int], tmp_path: Path) -> None:
    _, tier = shown(saved(tmp_path / "a.png", Image.new("RGB", size, RED)))
    assert tier.seen[0].shape == (size[1], size[0], 3)


# Large ----------------------------------------------------------------------------------------------------


def bomb(path: Path, width_px: int, height_px: int) -> Path:
    """A black one-bit PNG of that size: kilobytes on the disk."""
    row = bytes(1 + width_px // 8)
    path.write_bytes(png(width_px, height_px, row * height_px, depth=1, colour=0))
    return path


@pytest.mark.parametrize("size", [(12_000, 9_000), (40_000, 10_000), (200_000, 400)])
def test_picture_that_would_fill_the_memory_is_refused(size: tuple[int, int], tmp_path: Path) -> None:
    path = bomb(tmp_path / "bomb.png", *size)
    assert path.stat().st_size < 1_000_000
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(InputError, match=r"bomb\.png.*at most 50 million are read.*scale it down"):
        shown(path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 50_000


def test_large_jpeg_is_decoded_smaller(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.jpg", Image.fromarray(corner()).resize((9600, 6400), Image.Resampling.NEAREST))
    _, tier = shown(path)
    assert max(tier.seen[0].shape) <= pictures.MAX_SIDE_PX
    assert red_corner(tier.seen[0]) == "top left"


def test_large_picture_is_reduced(tmp_path: Path) -> None:
    _, tier = shown(saved(tmp_path / "a.png", Image.fromarray(corner()).resize((6000, 4000))))
    assert tier.seen[0].shape == (2731, 4096, 3)
    assert red_corner(tier.seen[0]) == "top left"


def test_header_that_promises_too_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "liar.png"
    path.write_bytes(png(2_000_000_000, 2_000_000_000, b"\0", depth=8, colour=2))
    with pytest.raises(InputError, match=r"liar\.png"):
        shown(path)


# Moving ---------------------------------------------------------------------------------------------------


def moving(path: Path, durations_ms: list[int], **options: Any) -> Path:
    frames = [Image.fromarray(np.roll(corner(), 8 * index, axis=1)) for index in range(len(durations_ms))]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=durations_ms, loop=0, **options)
    return path


@pytest.mark.parametrize("ending", ["gif", "webp", "png"])
def test_animation_is_judged_as_a_video(ending: str, tmp_path: Path) -> None:
    report, tier = shown(moving(tmp_path / f"a.{ending}", [200] * 10))
    assert report.duration_s == pytest.approx(1.8)
    assert len(tier.seen) > 1
    assert {rgb.shape for rgb in tier.seen} == {(64, 96, 3)}
    assert red_corner(tier.seen[0]) == "top left"


def test_animation_without_durations_runs_at_ten_a_second(tmp_path: Path) -> None:
    report, _ = shown(moving(tmp_path / "a.gif", [0] * 11))
    assert report.duration_s == pytest.approx(1.0)


def test_animation_that_never_ends_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MAX_FRAMES", 5)
    with pytest.raises(InputError, match=r"a\.gif: the animation has 6 pictures; at most 5"):
        shown(moving(tmp_path / "a.gif", [100] * 6))


def test_truncated_animation_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.webp"):
        shown(cut(moving(tmp_path / "a.webp", [100] * 6, lossless=True), 0.4))


def turned(path: Path) -> Path:
    """A video whose track says: show me a quarter turn clockwise, as phones write it."""
    video(path, [corner()] * 6)
    data = bytearray(path.read_bytes())
    at = data.index(b"tkhd") + 4 + 40
    matrix = (0, 1 << 16, 0, -(1 << 16), 0, 0, 64 << 16, 0, 1 << 30)
    data[at : at + 36] = struct.pack(">9i", *matrix)
    path.write_bytes(bytes(data))
    return path


def test_rotation_of_a_video_is_applied(tmp_path: Path) -> None:
    _, tier = shown(turned(tmp_path / "phone.mp4"))
    assert tier.seen[0].shape == (96, 64, 3)
    assert red_corner(tier.seen[0]) == "top right"


def test_video_with_a_pictures_ending(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", [corner()] * 6).rename(tmp_path / "a.png")
    report, tier = shown(path)
    assert report.duration_s is not None
    assert red_corner(tier.seen[0]) == "top left"


def test_video_whose_size_changes(tmp_path: Path) -> None:
    """Two MPEG-TS recordings one after the other: the second half has another size."""
    parts = [
        video(tmp_path / f"{w}.ts", [corner(w, h)] * 20, codec="mpeg2video") for w, h in ((96, 64), (160, 96))
    ]
    path = tmp_path / "both.ts"
    path.write_bytes(b"".join(part.read_bytes() for part in parts))
    _, tier = shown(path)
    assert {(64, 96, 3), (96, 160, 3)} <= {rgb.shape for rgb in tier.seen}
    assert {red_corner(rgb) for rgb in tier.seen} == {"top left"}


def test_video_of_enormous_frames_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arwarden.offline.MAX_PIXELS", 1000)
    with pytest.raises(InputError, match=r"a\.mp4: its frames have 96x64 pixels; scale it down"):
        shown(video(tmp_path / "a.mp4", [corner()] * 3))


# None at all ----------------------------------------------------------------------------------------------


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


BROKEN: dict[str, tuple[Callable[[Path], Path], str]] = {
    "zero bytes": (lambda folder: written(folder / "a.png", b""), "the file is empty"),
    "text": (lambda folder: written(folder / "a.png", b"no picture at all"), "give a picture"),
    "noise": (lambda folder: written(folder / "a.mp4", bytes(range(256)) * 40), "give a picture"),
    "only a signature": (lambda folder: written(folder / "a.png", b"\x89PNG\r\n\x1a\n"), "a.png"),
    "truncated jpeg": (
        lambda folder: cut(saved(folder / "a.jpg", Image.fromarray(corner(640, 480)))),
        "truncated.*copied or downloaded",
    ),
    "truncated png": (
        lambda folder: cut(saved(folder / "a.png", Image.effect_noise((200, 200), 60))),
        "a.png",
    ),
    "pdf": (lambda folder: written(folder / "a.pdf", b"%PDF-1.4\n1 0 obj\nendobj\n"), "give a picture"),
    "svg": (
        lambda folder: written(folder / "a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        "give a picture",
    ),
    "no such file": (lambda folder: folder / "gone.jpg", "gone.jpg"),
    "folder": (lambda folder: folder, "folder|directory"),
}


@pytest.mark.parametrize(("make", "told"), BROKEN.values(), ids=BROKEN.keys())
def test_file_that_is_none_is_named_with_a_fix(
    make: Callable[[Path], Path], told: str, tmp_path: Path
) -> None:
    path = make(tmp_path)
    with pytest.raises(InputError, match=told) as raised:
        shown(path)
    assert raised.value.source == str(path)
    assert "\n" not in str(raised.value)


def test_video_without_pictures(tmp_path: Path) -> None:
    path = tmp_path / "a.mkv"
    with av.open(str(path), "w") as out:
        out.add_stream("mpeg4", rate=10, width=64, height=64, pix_fmt="yuv420p")
        out.start_encoding()
    with pytest.raises(InputError, match=r"a\.mkv"):
        shown(path)
