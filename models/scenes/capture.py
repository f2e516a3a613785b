"""What camera, renderer and transport do to the picture: noise, blur, light, codecs.

The passthrough camera spoils only the real world; virtual content is drawn afterwards and shares the
blur of fast head turns and the codec with it. That difference is one of the few cues there are.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from functools import lru_cache

import av
import cv2
import numpy as np

from arwarden.core.frame import ByteImage

_Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Wear:
    """How far the picture is spoilt on its way. Lengths are in pixels of a picture 720 lines high."""

    gamma: float = 1.0
    gains: tuple[float, float, float] = (1.0, 1.0, 1.0)
    contrast: float = 1.0
    noise: float = 0.0
    camera_blur_px: float = 0.0
    vignette: float = 0.0
    motion_px: float = 0.0
    motion_deg: float = 0.0
    defocus_px: float = 0.0
    shrink: float = 1.0
    codec: str = "none"
    """``none``, ``jpeg`` or ``h264``."""
    quality: int = 90
    """JPEG quality, or the constant rate factor of H264."""

    def sparing(self, line_px: float | None, lines: float) -> Wear:
        """The same with no more blur than a text that high can take.

        ``line_px`` is the height of its lines (None: no text), ``lines`` that of the picture by 720.
        """
        most = 0.34 * line_px / lines if line_px is not None else 14.0
        return replace(self, motion_px=min(self.motion_px, most), defocus_px=min(self.defocus_px, most / 4.5))

    @classmethod
    def drawn(cls, rng: _Rng, *, video: bool = False) -> Wear:
        """A random one; most are mild. Videos are encoded as such, so they take no codec here."""
        warm = rng.normal(0.0, 0.05)
        moving = rng.random() < 0.3
        codec = "none" if video else ("jpeg", "h264", "none")[int(np.searchsorted((0.6, 0.84), rng.random()))]
        return cls(
            gamma=float(np.exp(rng.normal(0.0, 0.22))),
            gains=(float(1 + warm), float(1 + rng.normal(0, 0.015)), float(1 - warm)),
            contrast=float(rng.uniform(0.78, 1.05)),
            noise=float(min(6.0 if video else 14.0, rng.exponential(3.5))),
            camera_blur_px=float(rng.uniform(0.3, 1.5)),
            vignette=float(rng.uniform(0.0, 0.45)),
            motion_px=float(rng.gamma(2.0, 2.2)) if moving else 0.0,
            motion_deg=float(rng.uniform(0, 180)),
            defocus_px=float(rng.uniform(0.3, 0.9)) if rng.random() < 0.25 else 0.0,
            shrink=float(rng.uniform(0.6, 0.95)) if rng.random() < 0.35 else 1.0,
            codec=codec,
            quality=int(rng.integers(45, 95)) if codec == "jpeg" else int(rng.integers(20, 33)),
        )


def seen_by_camera(rgb: ByteImage, wear: Wear, rng: _Rng) -> ByteImage:
    """The real world as the passthrough shows it."""
    lines = rgb.shape[0] / 720.0
    if wear.camera_blur_px * lines > 0.25:
        rgb = np.asarray(cv2.GaussianBlur(rgb, (0, 0), wear.camera_blur_px * lines), dtype=np.uint8)
    rgb = np.asarray(cv2.LUT(rgb, _tone(wear)), dtype=np.uint8)
    if wear.vignette > 0.02:
        shade = _vignette(rgb.shape[1], rgb.shape[0], round(wear.vignette, 1))
        rgb = np.asarray(cv2.multiply(rgb, shade, scale=1 / 255), dtype=np.uint8)
    if wear.noise > 0.3:
        rgb = _noisy(rgb, wear.noise, rng)
    return rgb


def sent(rgb: ByteImage, wear: Wear) -> ByteImage:
    """The composited picture after motion, scaling and the codec; same size."""
    height_px, width_px = rgb.shape[:2]
    lines = height_px / 720.0
    if wear.motion_px * lines >= 1.5:
        kernel = _motion_kernel(round(wear.motion_px * lines), round(wear.motion_deg / 10) * 10)
        rgb = np.asarray(cv2.filter2D(rgb, -1, kernel), dtype=np.uint8)
    if wear.defocus_px * lines > 0.25:
        rgb = np.asarray(cv2.GaussianBlur(rgb, (0, 0), wear.defocus_px * lines), dtype=np.uint8)
    if wear.shrink < 0.99:
        small = (
            max(16, round(width_px * wear.shrink)) // 2 * 2,
            max(16, round(height_px * wear.shrink)) // 2 * 2,
        )
        rgb = np.asarray(cv2.resize(rgb, small, interpolation=cv2.INTER_AREA), dtype=np.uint8)
    if wear.codec == "jpeg":
        rgb = _jpeg(rgb, wear.quality)
    elif wear.codec == "h264":
        rgb = _h264(rgb, wear.quality)
    if rgb.shape[:2] != (height_px, width_px):
        rgb = np.asarray(
            cv2.resize(rgb, (width_px, height_px), interpolation=cv2.INTER_LINEAR), dtype=np.uint8
        )
    return rgb


def _tone(wear: Wear) -> ByteImage:
    level = np.linspace(0.0, 1.0, 256)[:, np.newaxis] ** wear.gamma
    level = (level - 0.5) * wear.contrast + 0.5
    table = np.clip(level * np.asarray(wear.gains) * 255.0, 0, 255)
    return np.asarray(table.astype(np.uint8)[np.newaxis])


@lru_cache(maxsize=12)
def _vignette(width_px: int, height_px: int, strength: float) -> ByteImage:
    y, x = np.mgrid[0:height_px, 0:width_px].astype(np.float32)
    radius = np.hypot((x / width_px - 0.5) * 1.3, y / height_px - 0.5) / 0.82
    shade = 255.0 * (1.0 - strength * np.clip(radius, 0, 1) ** 2.5)
    return np.repeat(shade.astype(np.uint8)[:, :, np.newaxis], 3, axis=2)


@lru_cache(maxsize=4)
def _noise_tile(width_px: int, height_px: int) -> ByteImage:
    """Grain around 128 with a spread of 24: fine in brightness, coarser in colour, as after a denoiser."""
    rng = np.random.default_rng(20_26)
    grain = rng.normal(0, 21, (height_px, width_px, 1)).astype(np.float32)
    coarse = rng.normal(0, 26, (height_px // 2 + 1, width_px // 2 + 1, 3)).astype(np.float32)
    colour = cv2.resize(coarse, (width_px, height_px), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip(128 + grain + 0.6 * colour, 0, 255).astype(np.uint8))


def _noisy(rgb: ByteImage, noise: float, rng: _Rng) -> ByteImage:
    height_px, width_px = rgb.shape[:2]
    tile = _noise_tile(width_px + 96, height_px + 96)
    top, left = (int(rng.integers(96)) for _ in range(2))
    part = tile[top : top + height_px, left : left + width_px]
    if rng.random() < 0.5:
        part = part[:, ::-1]
    strength = noise / 24.0
    return np.asarray(
        cv2.addWeighted(rgb, 1.0, np.ascontiguousarray(part), strength, -128.0 * strength), dtype=np.uint8
    )


@lru_cache(maxsize=256)
def _motion_kernel(length_px: int, angle_deg: int) -> np.ndarray:
    size = max(3, length_px | 1)
    kernel = np.zeros((size, size), dtype=np.float32)
    kernel[size // 2, :] = 1.0
    turn = cv2.getRotationMatrix2D(((size - 1) / 2, (size - 1) / 2), float(angle_deg), 1.0)
    kernel = np.asarray(cv2.warpAffine(kernel, turn, (size, size)))
    return np.asarray(kernel / kernel.sum())


def _jpeg(rgb: ByteImage, quality: int) -> ByteImage:
    done, data = cv2.imencode(".jpg", rgb[:, :, ::-1], (cv2.IMWRITE_JPEG_QUALITY, quality))
    if not done:
        msg = f"OpenCV could not write a JPEG of shape {rgb.shape}"
        raise RuntimeError(msg)
    back = cv2.imdecode(data, cv2.IMREAD_COLOR)
    if back is None:
        msg = "OpenCV could not read the JPEG it wrote"
        raise RuntimeError(msg)
    return np.asarray(cv2.cvtColor(back, cv2.COLOR_BGR2RGB), dtype=np.uint8)


def _h264(rgb: ByteImage, rate_factor: int) -> ByteImage:
    """The second of two frames, the first of which is slightly moved, so that prediction leaves its marks."""
    height_px, width_px = rgb.shape[0] // 2 * 2, rgb.shape[1] // 2 * 2
    before = np.roll(rgb, (1, 2), axis=(0, 1))
    file = io.BytesIO()
    with av.open(file, "w", format="h264") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = width_px, height_px, "yuv420p"
        stream.options = {
            "preset": "ultrafast",
            "tune": "zerolatency",
            "crf": str(rate_factor),
            "threads": "1",
        }
        for picture in (before, rgb):
            frame = av.VideoFrame.from_ndarray(
                np.ascontiguousarray(picture[:height_px, :width_px]), format="rgb24"
            )
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    file.seek(0)
    with av.open(file, "r", format="h264") as container:
        frames = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    out = rgb.copy()
    out[:height_px, :width_px] = frames[-1]
    return out
