"""Images as a stream: one file, or a folder shown one after the other."""

from __future__ import annotations

from pathlib import Path

import structlog

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.headset.pictures import IMAGE_SUFFIXES, PictureSize, letterboxed, load_rgb, natural_order

log = structlog.get_logger(__name__)


class ImageSource:
    """Shows each readable image for a time, in natural order; unreadable ones are skipped with a warning."""

    def __init__(
        self, path: Path, size: PictureSize, *, seconds_each: float = 2.0, loop: bool = True
    ) -> None:
        if seconds_each <= 0:
            raise InputError(str(path), "the time per image must be above zero")
        self.name = str(path)
        self.skipped = 0
        self._size = size
        self._seconds_each = seconds_each
        self._loop = loop
        self._files = sorted(_images_in(path), key=natural_order) if path.is_dir() else [path]
        self._turn = -1
        self._slot = -1
        self._shown = self._advance()

    def read(self, t_s: float) -> ByteImage | None:
        """The picture of the time slot that ``t_s`` lies in."""
        slot = int(t_s / self._seconds_each)
        if self._slot < 0:
            self._slot = slot
        elif slot > self._slot and self._shown is not None:
            self._slot = slot
            self._shown = self._advance()
        return self._shown

    def close(self) -> None:
        """Nothing is held open."""

    def _advance(self) -> ByteImage | None:
        for _ in range(len(self._files)):
            self._turn += 1
            if self._turn >= len(self._files):
                if not self._loop:
                    return None
                self._turn = 0
            file = self._files[self._turn]
            try:
                rgb = letterboxed(load_rgb(file), self._size)
            except InputError as error:
                self.skipped += 1
                log.warning("image_skipped", file=str(file), reason=error.reason)
                continue
            rgb.flags.writeable = False
            return rgb
        raise InputError(self.name, f"none of its {len(self._files)} images can be read")


def _images_in(folder: Path) -> list[Path]:
    files = [
        path
        for path in folder.iterdir()
        if path.suffix.lower() in IMAGE_SUFFIXES and not path.name.startswith(".") and path.is_file()
    ]
    if not files:
        kinds = ", ".join(sorted(IMAGE_SUFFIXES))
        raise InputError(str(folder), f"the folder holds no image ({kinds})")
    return files
