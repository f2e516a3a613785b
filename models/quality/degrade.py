"""Pictures with a known fault, made from real photos, and sound pictures that look like faulty ones."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import av
import cv2
import numpy as np

from arwarden.core.frame import ByteImage

Generator = np.random.Generator
FRAMES = 6
"""Frames coded for each streamed picture: enough for the rate control to act."""
Change = Callable[[ByteImage, Generator], ByteImage]


class Kind(StrEnum):
    """What a person would say of the picture, and so what the fit does with it."""

    SOUND = "sound"
    """No fault: a finding is a false alarm."""
    MILD = "mild"
    """The fault is there but bearable: counts as half a fault in the fit."""
    FAULT = "fault"
    """The fault must be found."""
    SHOWN = "shown"
    """Only printed: takes no part in the fit."""


@dataclass(frozen=True, slots=True)
class Case:
    """One way to change a picture, and what a person would say afterwards."""

    group: str
    level: str
    change: Change
    kind: Kind = Kind.SOUND
    of: str = ""
    """The fault this is a strong or weak form of; empty for sound pictures."""


def cover(photo: ByteImage, width_px: int, height_px: int) -> ByteImage:
    """The middle of the photo, scaled to fill the given size."""
    scale = max(width_px / photo.shape[1], height_px / photo.shape[0])
    size = (max(width_px, round(photo.shape[1] * scale)), max(height_px, round(photo.shape[0] * scale)))
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    scaled = cv2.resize(photo, size, interpolation=method)
    left, top = (size[0] - width_px) // 2, (size[1] - height_px) // 2
    return np.ascontiguousarray(scaled[top : top + height_px, left : left + width_px], dtype=np.uint8)


def blurred(sigma_px: float) -> Change:
    """Out of focus; ``sigma_px`` as in a picture 640 px wide."""

    def change(rgb: ByteImage, _random: Generator) -> ByteImage:
        return _bytes(cv2.GaussianBlur(rgb, (0, 0), sigma_px * max(rgb.shape[:2]) / 640))

    return change


def smeared(length_px: float) -> Change:
    """A head turn: a straight smear at any angle; ``length_px`` as in a picture 640 px wide."""

    def change(rgb: ByteImage, random: Generator) -> ByteImage:
        length = max(3, round(length_px * max(rgb.shape[:2]) / 640))
        kernel = np.zeros((length, length), dtype=np.float32)
        angle = random.uniform(0, np.pi)
        middle = (length - 1) / 2
        reach = np.array([np.cos(angle), np.sin(angle)]) * middle
        start, end = np.round(middle - reach).astype(int), np.round(middle + reach).astype(int)
        cv2.line(kernel, (int(start[0]), int(start[1])), (int(end[0]), int(end[1])), 1.0, 1)
        return _bytes(cv2.filter2D(rgb, -1, kernel / kernel.sum()))

    return change


def noisy(sigma_levels: float) -> Change:
    """Noise of a sensor in the dark: independent in every pixel, the same in the three channels."""

    def change(rgb: ByteImage, random: Generator) -> ByteImage:
        noise = random.standard_normal(rgb.shape[:2], dtype=np.float32)[:, :, None] * np.float32(sigma_levels)
        return _bytes(rgb + noise)

    return change


def exposed(gain: float) -> Change:
    """Too little or too much light: linear light times ``gain``, clipped, back to gamma 2.2."""
    curve = _bytes(255 * np.clip((np.arange(256) / 255) ** 2.2 * gain, 0, 1) ** (1 / 2.2))

    def change(rgb: ByteImage, _random: Generator) -> ByteImage:
        return curve[rgb]

    return change


def covered(level: float) -> Change:
    """A hand or a case over the lens: dark, smooth, a little noise."""

    def change(rgb: ByteImage, random: Generator) -> ByteImage:
        height, width = rgb.shape[:2]
        glow = np.linspace(0.2, 1.0, width)[None, :, None] * level * np.array([1.0, 0.7, 0.6])
        return _bytes(np.broadcast_to(glow, (height, width, 3)) + random.normal(0, 1.5, (height, width, 1)))

    return change


def jpeg(quality: int) -> Change:
    """Coded as JPEG."""

    def change(rgb: ByteImage, _random: Generator) -> ByteImage:
        done, data = cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, quality])
        decoded = cv2.imdecode(data, cv2.IMREAD_COLOR) if done else None
        if decoded is None:
            msg = "the picture cannot be coded as JPEG"
            raise RuntimeError(msg)
        return _bytes(decoded[:, :, ::-1])

    return change


def as_it_is(rgb: ByteImage, _random: Generator) -> ByteImage:
    """No change."""
    return rgb


def streamed(codec: str, kbps_720p: int, fault: Change = as_it_is) -> Change:
    """Sent as live video while the camera pans slowly; the last decoded frame.

    ``fault`` is applied to each frame before it is coded. The bitrate is scaled with the size.
    """

    def change(rgb: ByteImage, random: Generator) -> ByteImage:
        height, width = (side // 2 * 2 for side in rgb.shape[:2])
        step = int(random.integers(1, 3))
        wide = cv2.copyMakeBorder(rgb[:height, :width], 0, 0, 0, step * FRAMES, cv2.BORDER_REFLECT)
        shots = [fault(_bytes(wide[:, step * i : step * i + width]), random) for i in range(FRAMES)]
        return _through_codec(shots, codec, kbps_720p * 1000 * width * height // (1280 * 720))

    return change


def dark_room(rgb: ByteImage, random: Generator) -> ByteImage:
    """Little light, a camera that turns up its gain a little, and the noise that brings."""
    return noisy(2.0)(exposed(float(random.uniform(0.08, 0.2)))(rgb, random), random)


def night(rgb: ByteImage, random: Generator) -> ByteImage:
    """Dark all over, with a few lamps."""
    dark = exposed(float(random.uniform(0.005, 0.03)))(rgb, random)
    height, width = dark.shape[:2]
    for _ in range(12):
        centre = (int(random.integers(width)), int(random.integers(height)))
        tint = tuple(int(value) for value in random.integers(180, 256, 3))
        cv2.circle(
            dark, centre, max(2, round(width * float(random.uniform(0.005, 0.03)))), tint, -1, cv2.LINE_AA
        )
    return _bytes(dark + random.normal(0, 1.5, dark.shape))


def bare_wall(rgb: ByteImage, random: Generator) -> ByteImage:
    """A white wall or an empty sky: one bright tone with a slow gradient and no edge."""
    height, width = rgb.shape[:2]
    light, tint = random.uniform(150, 240), random.uniform(0.75, 1.0, 3)
    slope = np.linspace(0, random.uniform(-40, 10), width)[None, :] + np.linspace(0, -15, height)[:, None]
    return _bytes((light + slope)[:, :, None] * tint + random.normal(0, 1.0, (height, width, 1)))


def white_panel(rgb: ByteImage, random: Generator) -> ByteImage:
    """A virtual white page with text in front of the scene, on up to 60 % of the picture."""
    shown = rgb.copy()
    height, width = rgb.shape[:2]
    share = float(random.uniform(0.5, 0.78))
    w, h = round(width * share), round(height * share)
    left, top = (width - w) // 2, (height - h) // 2
    cv2.rectangle(shown, (left, top), (left + w, top + h), (255, 255, 255), -1)
    for line in range(1, 8):
        place = (left + w // 20, top + h * line // 9)
        cv2.putText(shown, "Made in the Netherlands", place, 0, h / 700, (30, 30, 30), 2, cv2.LINE_AA)
    return _bytes(shown)


def cases() -> list[Case]:
    """Every change that the thresholds are fitted and tested on."""
    return [*_sound(), *_faulty(), *_shown()]


def _sound() -> list[Case]:
    """Pictures of which nobody would complain."""
    return [
        Case("clean", "as it is", as_it_is),
        *(Case("H264", f"{kbps} kbit/s", streamed("libx264", kbps)) for kbps in (1250, 2500)),
        *(Case("VP8", f"{kbps} kbit/s", streamed("libvpx", kbps)) for kbps in (1250, 2500)),
        *(Case("JPEG", f"quality {quality}", jpeg(quality)) for quality in (85, 60, 40)),
        Case("look-alike", "dark room", dark_room),
        Case("look-alike", "night with lamps", night),
        Case("look-alike", "bare wall or sky", bare_wall),
        Case("look-alike", "white virtual page", white_panel),
        Case("look-alike", "head turn, 8 px", smeared(8)),
        Case("look-alike", "head turn, 16 px", smeared(16)),
        Case("blur", "sigma 1 px", blurred(1)),
        Case("noise", "sigma 3", noisy(3)),
        Case("too dark", "light x0.2", exposed(0.2)),
        Case("too bright", "light x2", exposed(2)),
    ]


def _faulty() -> list[Case]:
    """Weak and strong forms of each fault."""
    fault, mild = Kind.FAULT, Kind.MILD
    return [
        Case("blur", "sigma 2.5 px", blurred(2.5), mild, "blur"),
        *(Case("blur", f"sigma {sigma} px", blurred(sigma), fault, "blur") for sigma in (3.5, 5, 8)),
        Case("noise", "sigma 9", noisy(9), mild, "noise"),
        *(Case("noise", f"sigma {sigma}", noisy(sigma), fault, "noise") for sigma in (14, 20, 30)),
        Case("too dark", "light x0.05", exposed(0.05), mild, "underexposed"),
        *(Case("too dark", f"light x{gain}", exposed(gain), fault, "underexposed") for gain in (0.03, 0.02)),
        Case("black", "light x0.01", exposed(0.01), mild, "black"),
        Case("black", "light x0.002", exposed(0.002), fault, "black"),
        Case("black", "all 0", exposed(0), fault, "black"),
        *(Case("black", f"covered, up to {level}", covered(level), fault, "black") for level in (6, 16)),
        Case("too bright", "light x4", exposed(4), mild, "overexposed"),
        *(Case("too bright", f"light x{gain}", exposed(gain), fault, "overexposed") for gain in (16, 40)),
        Case("blocks", "JPEG quality 20", jpeg(20), mild, "blockiness"),
        *(Case("blocks", f"JPEG quality {q}", jpeg(q), fault, "blockiness") for q in (10, 5)),
    ]


def _shown() -> list[Case]:
    """Mixed cases: what a live stream leaves of a fault, and streams with far too few bits."""
    shown = Kind.SHOWN
    return [
        Case("blur", "sigma 1.5 px", blurred(1.5), shown, "blur"),
        Case("then VP8", "blur, sigma 5 px", streamed("libvpx", 2500, blurred(5)), shown, "blur"),
        Case("then VP8", "noise, sigma 20", streamed("libvpx", 2500, noisy(20)), shown, "noise"),
        Case("then VP8", "JPEG quality 5", streamed("libvpx", 2500, jpeg(5)), shown, "blockiness"),
        Case("blocks", "JPEG quality 30", jpeg(30), shown, "blockiness"),
        Case("black", "covered, up to 40", covered(40), shown, "underexposed"),
        Case("starved", "H264, 150 kbit/s", streamed("libx264", 150), shown, "blockiness"),
        Case("starved", "VP8, 150 kbit/s", streamed("libvpx", 150), shown, "blockiness"),
    ]


_LIVE_OPTIONS = {
    "libx264": {"preset": "ultrafast", "tune": "zerolatency", "profile": "baseline"},
    "libvpx": {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0"},
}
_CONTAINER = {"libx264": "mpegts", "libvpx": "webm"}


def _through_codec(shots: list[ByteImage], codec: str, bits_per_second: int) -> ByteImage:
    """Code the frames as a live sender would, decode them, return the last as RGB."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=_CONTAINER[codec]) as written:
        stream = written.add_stream(codec, rate=30, options=_LIVE_OPTIONS[codec])
        if not isinstance(stream, av.VideoStream):
            msg = f"{codec} is not a video codec"
            raise TypeError(msg)
        stream.height, stream.width = shots[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = bits_per_second
        stream.time_base = Fraction(1, 30)
        for shot in shots:
            written.mux(stream.encode(av.VideoFrame.from_ndarray(shot, format="rgb24")))
        written.mux(stream.encode())
    buffer.seek(0)
    with av.open(buffer, "r") as read:
        decoded = list(read.decode(video=0))
    return _bytes(decoded[-1].to_ndarray(format="rgb24"))


def _bytes(values: object) -> ByteImage:
    """Rounded and clipped to bytes."""
    array = np.asarray(values)
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    clipped: ByteImage = np.clip(np.rint(array), 0, 255).astype(np.uint8)
    return clipped
