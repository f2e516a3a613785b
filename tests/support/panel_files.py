"""Pictures and videos of a room with text panels in it, as files in every shape a user may have."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.headset.panels import PASTELS, Sprite, Style, panel_sprite
from arwarden.headset.room import draw_room

WIDTH_PX, HEIGHT_PX = 640, 360
FONT_PX = 26
FPS = 10
FRANCE = ("Made in France", 30, 40)
NETHERLANDS = ("Made in the Netherlands", 330, 200)
RECEPTION = ("Reception", 330, 200)

Panel = tuple[str, int, int]


@lru_cache
def room() -> ByteImage:
    """The empty room, to be copied."""
    return draw_room(WIDTH_PX + 64, HEIGHT_PX, 3)


def _sprite(panel: Panel, turn: int) -> Sprite:
    return panel_sprite(panel[0], FONT_PX, 280, Style(fill=PASTELS[turn % len(PASTELS)]))


def panel_box(panel: Panel, turn: int = 0) -> Box:
    """Where the panel lies in the picture."""
    sprite = _sprite(panel, turn)
    return Box(
        panel[1] / WIDTH_PX, panel[2] / HEIGHT_PX, sprite.width_px / WIDTH_PX, sprite.height_px / HEIGHT_PX
    )


def picture(*panels: Panel, shift_px: int = 0) -> ByteImage:
    """The room with panels; ``shift_px`` turns the head by that much, the panels stay."""
    rgb = room()[:, shift_px : shift_px + WIDTH_PX].copy()
    for turn, panel in enumerate(panels):
        _sprite(panel, turn).blend(rgb, panel[1], panel[2])
    return rgb


def save(path: Path, rgb: ByteImage, **options: Any) -> Path:
    Image.fromarray(rgb).save(path, **options)
    return path


def video(path: Path, frames: Iterable[ByteImage], *, codec: str = "mpeg4", fps: int = FPS) -> Path:
    """Write the pictures as a video, of good quality so that a codec hides nothing."""
    frames = list(frames)
    with av.open(str(path), "w") as out:
        stream = out.add_stream(codec, rate=fps)
        assert isinstance(stream, av.VideoStream)
        stream.pix_fmt, stream.bit_rate = "yuv420p", 6_000_000
        stream.height, stream.width = frames[0].shape[:2] if frames else (HEIGHT_PX, WIDTH_PX)
        for rgb in frames:
            out.mux(stream.encode(av.VideoFrame.from_ndarray(rgb, format="rgb24")))
        out.mux(stream.encode())
    return path


def film(seconds: float, panels_at: Callable[[float], tuple[Panel, ...]], fps: int = FPS) -> list[ByteImage]:
    """Pictures of a head that turns slowly, with the panels that are there at each time."""
    count = round(seconds * fps)
    return [picture(*panels_at(i / fps), shift_px=int(60 * i / max(1, count - 1))) for i in range(count)]


def black(width_px: int = WIDTH_PX, height_px: int = HEIGHT_PX) -> ByteImage:
    return np.zeros((height_px, width_px, 3), np.uint8)


def cut(path: Path, share: float = 0.5) -> Path:
    """The same file, of which only the beginning has arrived."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path
