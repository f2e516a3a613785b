"""Pictures out of files: a picture as it is, of a video the frames that a protocol names."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import av

from arwarden.core.errors import InputError
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame
from arwarden.headset.pictures import is_picture, load_rgb
from arwarden.offline import decoded

CHECKSUM_DIGITS: Final = 12
REMEMBERED = 6
"""Files whose frames are kept: methods are asked about one sample after the other."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame of a file and its time from the first, in seconds; 0 for pictures."""

    picture: ArrayPicture
    at_s: float

    def frame(self, session: str, sequence: int) -> Frame:
        """The same for a tier."""
        at_ms = self.at_s * 1000.0
        return Frame(session, sequence, at_ms, CaptureClock.SYNCED, at_ms, self.picture)


@lru_cache(maxsize=REMEMBERED)
def shots(path: Path, count: int) -> tuple[Shot, ...]:
    """``count`` frames spread over a video: 1 is the exact middle, 3 are the first, the middle and the last.

    Of an even number of frames the middle is the later of the two. A picture is one shot, a video with fewer
    frames than asked for gives each once.

    Raises:
        InputError: the file cannot be read; names it and says why.
    """
    if _is_picture(path):
        return (Shot(ArrayPicture(load_rgb(path)), 0.0),)
    total = _frames_in(path)
    spread = {round(i * (total - 1) / max(1, count - 1)) for i in range(count)}
    wanted = {1: {total // 2}, 3: {0, total // 2, total - 1}}.get(count, spread)
    found = [
        Shot(ArrayPicture(picture.rgb()), at_s)
        for index, (at_s, _, picture) in enumerate(decoded(path))
        if index in wanted
    ]
    if not found:
        raise InputError(str(path), "none of its frames can be decoded")
    return tuple(found)


def _is_picture(path: Path) -> bool:
    try:
        return is_picture(path)
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error}") from None


def _frames_in(path: Path) -> int:
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(str(path), "the file holds no video")
            total = sum(packet.size > 0 for packet in container.demux(container.streams.video[0]))
    except (av.FFmpegError, OSError) as error:
        raise InputError(str(path), f"cannot be read as a video: {error}") from None
    if total == 0:
        raise InputError(str(path), "the video holds no frame")
    return total


def checksum_of(*paths: Path) -> str:
    """What files hold, as a few digits for each; a file that has not changed since is not read again.

    Raises:
        InputError: one cannot be read; names it.
    """
    try:
        found = [(path, path.stat()) for path in paths]
        return "+".join(_checksum(path, seen.st_size, seen.st_mtime_ns) for path, seen in found)
    except OSError as error:
        raise InputError(str(error.filename), f"cannot be read: {error.strerror}") from None


@lru_cache(maxsize=65536)
def _checksum(path: Path, _size: int, _changed_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:CHECKSUM_DIGITS]


def problem_of(path: Path, *, thoroughly: bool) -> str:
    """Why a file cannot be used; empty where it can. ``thoroughly`` decodes it, else its head is read."""
    if not path.is_file():
        return "there is no such file"
    if path.stat().st_size == 0:
        return "the file is empty"
    try:
        if thoroughly:
            shots(path, 3)
        elif _is_picture(path):
            load_rgb(path)
        else:
            _frames_in(path)
    except InputError as error:
        return error.reason
    return ""
