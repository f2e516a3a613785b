"""Files, folders and cameras as sources of pictures."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset import camera_source
from arwarden.headset.camera_source import CameraSource
from arwarden.headset.image_source import ImageSource
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.sources import frames, open_source
from arwarden.headset.video_source import VideoSource
from tests.support.requirements import shared_file
from tests.unit.headset.media import (
    BLUE,
    GREEN,
    HALF_TURN,
    QUARTER_TURN_CLOCKWISE,
    RED,
    WHITE,
    close_to,
    plain,
    quadrants,
    rotate_in_header,
    write_video,
)

SIZE = PictureSize(160, 96)
COLOURS = {"red": RED, "green": GREEN, "blue": BLUE, "white": WHITE}


def colour_of(rgb: ByteImage | None) -> str:
    if rgb is None:
        return "end"
    middle = rgb[rgb.shape[0] // 2, rgb.shape[1] // 2]
    return next((name for name, colour in COLOURS.items() if close_to(middle, colour)), "other")


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    """Red, green and blue, a tenth of a second each."""
    return write_video(tmp_path / "clip.mp4", [plain(colour) for colour in (RED, GREEN, BLUE)])


def test_video_is_read_by_time_and_loops(clip: Path) -> None:
    source = VideoSource(clip, SIZE)
    seen = [colour_of(source.read(t_s)) for t_s in (0.0, 0.05, 0.1, 0.15, 0.25, 0.3, 0.4, 0.5, 0.6)]
    assert seen == ["red", "red", "green", "green", "blue", "red", "green", "blue", "red"]
    source.close()
    source.close()


def test_video_without_loop_ends_after_its_last_frame(clip: Path) -> None:
    source = VideoSource(clip, SIZE, loop=False)
    assert [colour_of(source.read(t_s)) for t_s in (0.0, 0.25, 0.29, 0.31, 0.5)] == [
        "red",
        "blue",
        "blue",
        "end",
        "end",
    ]


def test_pictures_nobody_asked_for_are_skipped(clip: Path) -> None:
    source = VideoSource(clip, SIZE)
    assert colour_of(source.read(0.0)) == "red"
    assert colour_of(source.read(0.2)) == "blue"
    assert colour_of(source.read(1.0)) == "green"


def test_held_frame_is_converted_once(clip: Path) -> None:
    source = VideoSource(clip, SIZE)
    first = source.read(0.0)
    assert source.read(0.05) is first
    assert first is not None
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 0


def test_variable_frame_rate_keeps_its_times(tmp_path: Path) -> None:
    path = write_video(
        tmp_path / "vfr.mkv", [plain(RED), plain(GREEN), plain(BLUE), plain(RED)], [0.0, 0.04, 0.5, 0.52]
    )
    source = VideoSource(path, SIZE, loop=False)
    seen = [colour_of(source.read(t_s)) for t_s in (0.0, 0.05, 0.3, 0.49, 0.51, 0.53)]
    assert seen == ["red", "green", "green", "green", "blue", "red"]


def test_time_slips_where_decoding_falls_behind(tmp_path: Path) -> None:
    pictures = [plain(colour) for colour in (RED, GREEN, BLUE)] * 20
    source = VideoSource(write_video(tmp_path / "long.mp4", pictures, fps=30), SIZE, loop=False)
    source.read(0.0)
    assert source.read(1.9) is not None
    # 60 frames are 2 s; without slipping the file would be over by now.
    assert source.read(2.1) is not None
    later = [source.read(2.1 + tick / 30) for tick in range(60)]
    assert later[-1] is None


def test_quarter_turn_of_a_phone_is_undone(tmp_path: Path) -> None:
    path = write_video(tmp_path / "phone.mp4", [quadrants()] * 3)
    rotate_in_header(path, QUARTER_TURN_CLOCKWISE)
    rgb = VideoSource(path, PictureSize(96, 160)).read(0.0)
    assert rgb is not None
    assert rgb.shape == (160, 96, 3)
    # Turned clockwise, what was at the bottom left is at the top left.
    assert close_to(rgb[10, 10], BLUE)
    assert close_to(rgb[10, 86], RED)
    assert close_to(rgb[150, 86], GREEN)


def test_half_turn_is_undone(tmp_path: Path) -> None:
    path = write_video(tmp_path / "phone.mp4", [quadrants()] * 3)
    rotate_in_header(path, HALF_TURN)
    rgb = VideoSource(path, SIZE).read(0.0)
    assert rgb is not None
    assert close_to(rgb[10, 10], WHITE)
    assert close_to(rgb[86, 150], RED)


def test_oblong_pixels_are_stretched(tmp_path: Path) -> None:
    path = write_video(tmp_path / "anamorphic.mkv", [plain(GREEN, 96, 96)] * 2, aspect=Fraction(5, 3))
    rgb = VideoSource(path, SIZE).read(0.0)
    assert rgb is not None
    assert close_to(rgb[48, 3], GREEN)


def test_other_aspect_is_letterboxed(clip: Path) -> None:
    rgb = VideoSource(clip, PictureSize(160, 160)).read(0.0)
    assert rgb is not None
    assert not rgb[:30].any()
    assert colour_of(rgb) == "red"


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "the file is empty"), (b"no video at all" * 99, "not a readable video")]
)
def test_unreadable_video_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "broken.mp4"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        VideoSource(path, SIZE)
    assert caught.value.source == str(path)


def test_truncated_video_plays_what_is_there(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    noisy = [rng.integers(0, 255, (96, 160, 3), dtype=np.uint8) for _ in range(20)]
    path = write_video(tmp_path / "cut.mkv", noisy)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    source = VideoSource(path, SIZE, loop=False)
    assert source.read(0.2) is not None


def test_damaged_packets_are_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    noisy = [rng.integers(0, 255, (96, 160, 3), dtype=np.uint8) for _ in range(20)]
    path = write_video(tmp_path / "scratched.mkv", noisy)
    data = bytearray(path.read_bytes())
    middle = len(data) // 3
    data[middle : middle + len(data) // 3] = bytes(len(data) // 3)
    path.write_bytes(data)
    source = VideoSource(path, SIZE)
    assert all(source.read(t_s / 10) is not None for t_s in range(30))


def test_sound_alone_is_no_video(tmp_path: Path) -> None:
    import wave

    path = tmp_path / "sound.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(bytes(1600))
    with pytest.raises(InputError, match="holds no video"):
        VideoSource(path, SIZE)


def save(path: Path, colour: tuple[int, int, int]) -> None:
    Image.fromarray(plain(colour)).save(path)


def test_folder_is_shown_in_natural_order_and_loops(tmp_path: Path) -> None:
    save(tmp_path / "view10.png", BLUE)
    save(tmp_path / "view9.png", GREEN)
    save(tmp_path / "view1.jpg", RED)
    (tmp_path / "notes.txt").write_text("not a picture")
    (tmp_path / ".hidden.png").write_bytes(b"")
    source = ImageSource(tmp_path, SIZE, seconds_each=0.5)
    seen = [colour_of(source.read(t_s)) for t_s in (0.0, 0.4, 0.5, 1.1, 1.6, 2.0)]
    assert seen == ["red", "red", "green", "blue", "red", "green"]
    assert source.skipped == 0


def test_folder_without_loop_ends(tmp_path: Path) -> None:
    save(tmp_path / "1.png", RED)
    save(tmp_path / "2.png", GREEN)
    source = ImageSource(tmp_path, SIZE, seconds_each=1, loop=False)
    assert [colour_of(source.read(t_s)) for t_s in (0.0, 1.0, 2.0, 3.0)] == ["red", "green", "end", "end"]


def test_unreadable_images_are_skipped_and_counted(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(b"")
    save(tmp_path / "2.png", GREEN)
    (tmp_path / "3.png").write_bytes(b"junk")
    source = ImageSource(tmp_path, SIZE, seconds_each=1)
    assert [colour_of(source.read(t_s)) for t_s in (0.0, 1.0, 2.0)] == ["green"] * 3
    assert source.skipped >= 3


@pytest.mark.parametrize(
    ("names", "words"), [([], "holds no image"), (["a.png", "b.jpg"], "none of its 2 images can be read")]
)
def test_folder_without_a_readable_image_is_named(tmp_path: Path, names: list[str], words: str) -> None:
    for name in names:
        (tmp_path / name).write_bytes(b"junk")
    with pytest.raises(InputError, match=words) as caught:
        ImageSource(tmp_path, SIZE)
    assert caught.value.source == str(tmp_path)


def test_time_per_image_must_be_positive(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="above zero"):
        ImageSource(tmp_path, SIZE, seconds_each=0)


class FakeCamera:
    """What OpenCV's capture does, with pictures that are counted by their brightness."""

    opened = True
    pictures: int | None = None

    def __init__(self, index: int) -> None:
        self.index = index
        self.read_count = 0
        self.released = False

    def isOpened(self) -> bool:  # noqa: N802 - OpenCV's name
        return self.opened

    def set(self, _property: int, _value: float) -> bool:
        return True

    def read(self) -> tuple[bool, ByteImage | None]:
        if self.pictures is not None and self.read_count >= self.pictures:
            return False, None
        self.read_count += 1
        return True, plain((255, 0, 0), 160, 96)

    def release(self) -> None:
        self.released = True


@pytest.fixture
def camera(monkeypatch: pytest.MonkeyPatch) -> type[FakeCamera]:
    class Camera(FakeCamera):
        pass

    monkeypatch.setattr(cv2, "VideoCapture", Camera)
    monkeypatch.setattr(camera_source, "is_missing", lambda _index: False)
    monkeypatch.setattr(camera_source, "FIRST_PICTURE_TIMEOUT_S", 2.0)
    return Camera


def test_camera_pictures_are_rgb(camera: type[FakeCamera]) -> None:
    source = CameraSource("camera:1", SIZE)
    rgb = source.read(0.0)
    source.close()
    assert rgb is not None
    assert close_to(rgb[0, 0], (0, 0, 255), 1)
    assert source._capture.index == 1  # type: ignore[attr-defined]
    assert source._capture.released  # type: ignore[attr-defined]


def test_unplugged_camera_is_an_error_not_a_still(camera: type[FakeCamera]) -> None:
    camera.pictures = 1
    source = CameraSource("camera", SIZE)
    source.read(0.0)
    with pytest.raises(InputError, match="no picture any more"):
        source.read(0.1)
    source.close()


def test_camera_in_use_says_so(camera: type[FakeCamera]) -> None:
    camera.opened = False
    with pytest.raises(InputError, match="another program may be using it"):
        CameraSource("camera", SIZE)


def test_missing_camera_is_named() -> None:
    with pytest.raises(InputError, match="there is no camera /dev/video97"):
        CameraSource("camera:97", SIZE)


@pytest.mark.parametrize("what", ["camera:", "camera:x", "camera:-1", "camera:100"])
def test_camera_number_must_be_one(what: str) -> None:
    with pytest.raises(InputError, match="camera:N for the camera number N"):
        open_source(what, SIZE)


def test_open_source_knows_every_kind(tmp_path: Path, clip: Path, camera: type[FakeCamera]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    save(folder / "one.PNG", RED)
    kinds = {
        "scene": ArScene,
        "camera": CameraSource,
        str(folder): ImageSource,
        str(folder / "one.PNG"): ImageSource,
        str(clip): VideoSource,
    }
    for what, kind in kinds.items():
        source = open_source(what, SIZE)
        assert isinstance(source, kind)
        rgb = source.read(0.0)
        assert rgb is not None
        assert rgb.shape == (96, 160, 3)
        assert source.name == what
        source.close()


def test_missing_file_says_what_can_be_given() -> None:
    with pytest.raises(InputError, match=r"nowhere\.mp4: there is no such file; give a file, a folder"):
        open_source("nowhere.mp4", SIZE)


def test_frames_are_evenly_spaced_and_stop_with_the_source(clip: Path) -> None:
    taken = list(frames(VideoSource(clip, SIZE, loop=False), fps=20, seconds=10))
    assert [round(t_s, 3) for _, t_s in taken] == [0.0, 0.05, 0.1, 0.15, 0.2, 0.25]


def test_real_quest_recording_plays_and_loops(tmp_path: Path) -> None:
    original = shared_file("data/contrar/smart_retail_contradictory.mp4")
    path = tmp_path / "quest.mp4"
    shutil.copy(original, path)
    source = VideoSource(path, PictureSize(640, 360))
    pictures = [source.read(t_s) for t_s in (0.5, 1.0, 9.0)]
    assert all(rgb is not None and rgb.shape == (360, 640, 3) and rgb.std() > 20 for rgb in pictures)
    assert source.damaged_packets == 0
