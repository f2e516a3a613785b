"""Pictures for the sampling tests: a room with detail, panels drawn into it, noise, blur, a codec."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import lru_cache

import av
import cv2
import numpy as np
import numpy.typing as npt

from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, TransportHealth

WIDTH_PX, HEIGHT_PX = 1280, 720


@lru_cache
def room(seed: int = 1, width_px: int = WIDTH_PX, height_px: int = HEIGHT_PX) -> ByteImage:
    """A brightness plane with edges, gradients and texture, as a real room has; not to be written to."""
    rng = np.random.default_rng(seed)
    image = np.linspace(70, 150, width_px)[None, :] + np.linspace(-20, 20, height_px)[:, None]
    for _ in range(60):
        x, y = int(rng.integers(0, width_px)), int(rng.integers(0, height_px))
        w, h = int(rng.integers(10, width_px // 4)), int(rng.integers(10, height_px // 4))
        image[y : y + h, x : x + w] += rng.uniform(-35, 35)
    image += cv2.GaussianBlur(rng.normal(0, 12, (height_px, width_px)), (0, 0), 2)
    plane = np.clip(image, 16, 235).astype(np.uint8)
    plane.setflags(write=False)
    return plane


def with_panel(
    plane: ByteImage,
    text: str,
    box_px: tuple[int, int, int, int],
    *,
    alpha: float = 0.8,
    paper: int = 225,
    ink: int = 25,
    scale: float = 0.45,
) -> ByteImage:
    """A translucent panel ``(x, y, w, h)`` with text."""
    x, y, w, h = box_px
    drawn = plane.copy()
    cv2.rectangle(drawn, (x, y), (x + w - 1, y + h - 1), paper, -1)
    cv2.putText(drawn, text, (x + 4, y + h // 2 + 5), cv2.FONT_HERSHEY_SIMPLEX, scale, ink, 1, cv2.LINE_AA)
    return np.asarray(cv2.addWeighted(drawn, alpha, plane, 1 - alpha, 0), dtype=np.uint8)


def noisy(plane: ByteImage, sigma: float, rng: np.random.Generator) -> ByteImage:
    noise: npt.NDArray[np.float32] = rng.standard_normal(plane.shape, dtype=np.float32) * sigma
    return np.asarray(np.clip(plane + noise, 0, 255), dtype=np.uint8)


def smeared(plane: ByteImage, length_px: int) -> ByteImage:
    """Motion blur along x."""
    return np.asarray(cv2.blur(plane, (length_px, 1)), dtype=np.uint8)


def through_codec(planes: Sequence[ByteImage], *, kbps: int) -> Iterator[ByteImage]:
    """Encode as a live H.264 sender does and decode again."""
    stored = io.BytesIO()
    with av.open(stored, "w", format="matroska") as out:
        stream = out.add_stream("libx264", rate=30, options={"preset": "superfast", "tune": "zerolatency"})
        stream.height, stream.width = planes[0].shape
        stream.pix_fmt, stream.bit_rate, stream.gop_size = "yuv420p", kbps * 1000, 3000
        for plane in planes:
            picture = av.VideoFrame.from_ndarray(plane, format="gray").reformat(format="yuv420p")
            out.mux(stream.encode(picture))
        out.mux(stream.encode())
    stored.seek(0)
    with av.open(stored, "r") as source:
        for decoded in source.decode(video=0):
            yield luma_of(decoded)


def luma_of(decoded: av.VideoFrame) -> ByteImage:
    return np.asarray(decoded.to_ndarray(format="yuv420p")[: decoded.height], dtype=np.uint8)


class LumaPicture(ArrayPicture):
    """A picture of which only the brightness is known, as a view; colour must not be asked for."""

    def __init__(self, plane: ByteImage) -> None:
        super().__init__(np.zeros((1, 1, 3), np.uint8))
        self._luma = plane

    def rgb(self) -> ByteImage:
        msg = "sampling must not convert to colour"
        raise AssertionError(msg)


def frame_of(plane: ByteImage, sequence: int, now_ms: float, *, damaged: bool = False) -> Frame:
    return Frame(
        session_id="s",
        sequence=sequence,
        capture_ms=now_ms - 20,
        capture_clock=CaptureClock.ARRIVAL,
        arrival_ms=now_ms,
        picture=LumaPicture(plane),
        transport=TransportHealth(damaged=damaged),
    )
