"""Where the simulated headset's pictures come from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset.camera_source import CameraSource
from arwarden.headset.image_source import ImageSource
from arwarden.headset.pictures import IMAGE_SUFFIXES, PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import DEFAULT_SEED
from arwarden.headset.video_source import VideoSource

CAMERA, SCENE = "camera", "scene"


class FrameSource(Protocol):
    """Pictures by time. Blocking, so it is read in a worker thread; one reader at a time.

    A source is asked for the picture at a time rather than for the next one: frame rates are
    converted, and pictures that nobody had time for are skipped, by asking for the times one wants.
    """

    @property
    def name(self) -> str:
        """What it is called in messages and logs."""
        ...

    def read(self, t_s: float) -> ByteImage | None:
        """The RGB picture ``t_s`` seconds after the start, or None once the source has ended.

        ``t_s`` never decreases from call to call. The picture must not be written to: a source may
        return the same one again. Raises ``InputError`` where the source is lost.
        """
        ...

    def close(self) -> None:
        """Let go of files and devices. May be called twice."""
        ...


def frames(source: FrameSource, *, fps: float, seconds: float) -> Iterator[tuple[ByteImage, float]]:
    """Pictures and their times in seconds, ``fps`` per second, as fast as they are taken."""
    for index in range(round(fps * seconds)):
        t_s = index / fps
        rgb = source.read(t_s)
        if rgb is None:
            return
        yield rgb, t_s


def open_source(
    what: str,
    size: PictureSize,
    *,
    loop: bool = True,
    seconds_per_image: float = 2.0,
    seed: int = DEFAULT_SEED,
) -> FrameSource:
    """Open a video file, an image, a folder of images, ``camera`` (or ``camera:N``) or ``scene``.

    Raises ``InputError`` that names ``what`` where no picture can be had from it.
    """
    if what == SCENE:
        return ArScene(size, seed=seed)
    if what == CAMERA or what.startswith(f"{CAMERA}:"):
        return CameraSource(what, size)
    path = Path(what)
    if path.is_dir():
        return ImageSource(path, size, loop=loop, seconds_each=seconds_per_image)
    if not path.exists():
        raise InputError(what, "there is no such file; give a file, a folder, camera or scene")
    if path.suffix.lower() in IMAGE_SUFFIXES:
        return ImageSource(path, size, loop=loop, seconds_each=seconds_per_image)
    return VideoSource(path, size, loop=loop)
