"""A real Chromium at a real daemon: pictures to stream, a page to drive, and the README's picture of it.

``python -m tests.support.browser --screenshot docs/page.png`` makes that picture from the generated scene.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import io
import itertools
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from PIL import Image
from playwright.async_api import Browser, Locator, Page, async_playwright
from playwright.async_api import expect as playwright_expect

from arwarden.config import Config
from arwarden.core.findings import Box, Findings
from arwarden.core.frame import ByteImage, Frame
from arwarden.core.tier import SceneContext
from arwarden.daemon import Daemon
from arwarden.headset.panels import PASTELS, Style, panel_sprite
from arwarden.headset.pictures import PictureSize
from arwarden.headset.room import draw_room
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import Situation, Timeline
from arwarden.observe.logs import configure_logging
from tests.support.requirements import require_program

SIZE = PictureSize(1280, 720)
FPS = 15
WAIT_MS = 20_000.0
"""What a condition may take on a busy machine; each is waited for, none is slept for."""

PLOT_MS = 10_000.0
"""The picture for the README waits this long, so that the latency plot shows something."""

expect = playwright_expect
expect.set_options(timeout=WAIT_MS)


# Pictures -----------------------------------------------------------------------------------------


class Panels:
    """A room with text panels at known places: text → centre as shares of the view."""

    def __init__(self, places: dict[str, tuple[float, float]], size: PictureSize = SIZE) -> None:
        self.picture = draw_room(size.width_px, size.height_px, seed=3)
        self.boxes: dict[str, Box] = {}
        for turn, (text, (x, y)) in enumerate(places.items()):
            style = Style(fill=PASTELS[turn % len(PASTELS)])
            sprite = panel_sprite(text, round(size.height_px / 15), round(size.width_px * 0.45), style)
            left, top = (
                round(x * size.width_px - sprite.width_px / 2),
                round(y * size.height_px - sprite.height_px / 2),
            )
            sprite.blend(self.picture, left, top)
            self.boxes[text] = Box(
                left / size.width_px,
                top / size.height_px,
                sprite.width_px / size.width_px,
                sprite.height_px / size.height_px,
            )

    def frames(self, seconds: float, fps: int = FPS) -> Iterator[ByteImage]:
        """The picture at ``fps``; always the same, so that it costs little to encode and to watch."""
        return itertools.repeat(self.picture, round(seconds * fps))


def write_webm(path: Path, frames: Iterable[ByteImage], kbps: int = 4000, fps: int = FPS) -> Path:
    """A video file that every Chromium plays: VP8 in WebM."""
    with av.open(str(path), "w", format="webm") as container:
        stream = container.add_stream("libvpx", rate=fps, options={"deadline": "realtime", "cpu-used": "8"})
        stream.pix_fmt = "yuv420p"
        stream.bit_rate = kbps * 1000
        for index, rgb in enumerate(frames):
            if index == 0:
                stream.height, stream.width = rgb.shape[:2]
            frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
            frame.pts, frame.time_base = index, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def write_mjpeg(path: Path, frames: Iterable[ByteImage]) -> Path:
    """What Chromium takes for a camera."""
    with path.open("wb") as file:
        for rgb in frames:
            _, jpeg = cv2.imencode(
                ".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, 90]
            )
            file.write(jpeg.tobytes())
    return path


# The other ends -----------------------------------------------------------------------------------


class ScriptedTier:
    """Says ``findings`` of every frame, without looking: for tests that are not about reading."""

    name = "scripted"

    def __init__(self, findings: Findings | None = None) -> None:
        self.findings = findings or Findings()
        self.newest: Frame | None = None

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        del context, deadline_ms
        self.newest = frames[-1]
        return self.findings

    async def close(self) -> None:
        return


def config(**sections: Any) -> Config:
    """A daemon's configuration on a port of its own, with a broker that is not there unless given."""
    server = {"port": 0, "shutdown_grace_ms": 1000} | sections.pop("server", {})
    mqtt = sections.pop("mqtt", {"host": "127.0.0.1", "port": 1})
    return Config.model_validate({"server": server, "mqtt": mqtt, **sections})


@contextlib.asynccontextmanager
async def chromium(camera: Path | None = None, *more: str) -> AsyncIterator[Browser]:
    """Debian's Chromium without a window; ``camera`` is an MJPEG file that plays the camera.

    ``more`` are further arguments for it.
    """
    program = require_program("chromium", debian="chromium")
    arguments = [
        "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync",
        *(more or ("--use-fake-device-for-media-stream",)),
    ]  # fmt: skip
    if camera is not None:
        arguments.append(f"--use-file-for-fake-video-capture={camera}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


class PageUnderTest:
    """The page with what goes wrong in it: errors of scripts and whatever the policy blocked."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self._note(message.type, message.text))

    def __getitem__(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def _note(self, kind: str, text: str) -> None:
        # A request or WebSocket that is refused or fails is logged as an error too: part of the tests.
        expected = ("Failed to load resource", "WebSocket connection to")
        if kind == "error" and not text.startswith(expected):
            self.faults.append(text)

    async def stream_file(self, path: Path) -> None:
        await self["#file"].set_input_files(path)

    async def marks(self, colour: str) -> np.ndarray:
        """Which pixels of the overlay have the colour ``#rrggbb``, shape ``(height, width)``."""
        url = await self["#overlay"].evaluate("(canvas) => canvas.toDataURL('image/png')")
        png = np.frombuffer(base64.b64decode(url.partition(",")[2]), dtype=np.uint8)
        bgra = np.asarray(cv2.imdecode(png, cv2.IMREAD_UNCHANGED))
        blue, green, red = (int(colour[at : at + 2], 16) for at in (5, 3, 1))
        return np.asarray(np.all(bgra == (blue, green, red, 255), axis=2))


# The README's picture -----------------------------------------------------------------------------


async def _screenshot(out: Path, size: tuple[int, int], *, dark: bool) -> None:
    situation = Situation(("Made in France", "Made in the Netherlands"), "origin")
    scene = ArScene(SIZE, timeline=Timeline.constant(situation))
    with tempfile.TemporaryDirectory() as folder:
        video = write_webm(Path(folder) / "scene.webm", (scene.read(at / FPS) for at in range(12 * FPS)))
        async with (
            chromium() as browser,
            Daemon(config(mqtt={}), embedded_broker=True, broker_port=0) as daemon,
        ):
            page = await browser.new_page(
                viewport={"width": size[0], "height": size[1]},
                color_scheme="dark" if dark else "light",
            )
            await page.goto(f"http://127.0.0.1:{daemon.http_port}/")
            await page.locator("#file").set_input_files(video)
            await expect(page.locator("#warnings li.warning")).to_be_visible()
            await expect(page.locator("#sessions td").nth(5)).to_have_text("synced")
            await expect(page.locator("#sessions td").nth(4)).to_have_text(re.compile(r"^[2-4]\."))
            await page.wait_for_timeout(PLOT_MS)
            _shrink(await page.screenshot(), out)


def _shrink(png: bytes, out: Path) -> None:
    """Drop the two lowest bits, in which only noise is left: two thirds of the size."""
    with Image.open(io.BytesIO(png)) as image:
        coarse = image.convert("RGB").point(
            [level if level > 250 else level & 0xFC for level in range(256)] * 3
        )
        coarse.save(out, optimize=True)


async def _serve(port: int) -> None:
    settings = config(server={"port": port})
    configure_logging(settings.logging)
    async with Daemon(settings, tier=ScriptedTier()):
        print("ready", flush=True)  # noqa: T201 - what the test waits for
        await asyncio.Event().wait()


def main(arguments: Sequence[str]) -> None:
    """Make the picture, or run a daemon that a test can kill."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.browser", description=main.__doc__)
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--screenshot", type=Path, metavar="FILE")
    wanted.add_argument("--serve", type=int, metavar="PORT")
    parser.add_argument("--size", default="1280x810", help="of the window")
    parser.add_argument("--dark", action="store_true")
    given = parser.parse_args(arguments)
    if given.serve is not None:
        asyncio.run(_serve(given.serve))
        return
    width, height = (int(side) for side in given.size.split("x"))
    asyncio.run(_screenshot(given.screenshot, (width, height), dark=given.dark))


if __name__ == "__main__":
    main(sys.argv[1:])
