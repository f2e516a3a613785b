"""The web page in a real Chromium at a real daemon: it shows what happens, and it is a headset."""

from __future__ import annotations

import asyncio
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from arwarden.core.clock import SystemClock
from arwarden.core.findings import (
    Box,
    Element,
    ElementType,
    Finding,
    FindingKind,
    Findings,
    Part,
    Severity,
)
from arwarden.daemon import Daemon
from arwarden.headset.pictures import PictureSize
from tests.support.browser import (
    SIZE,
    PageUnderTest,
    Panels,
    ScriptedTier,
    chromium,
    config,
    expect,
    write_mjpeg,
    write_webm,
)
from tests.support.judges import ScriptedJudge, answer, judged_config
from tests.support.mosquitto import free_port
from tests.support.mqtt_tap import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("browser"),
]

WARNING_COLOUR = "#ffb020"
BEHIND_MS = 90_000.0
HALF_S = 30
SLOW_FPS = 1
HOSTILE = "<img src=x onerror=\"document.title='taken'\"><b>bold</b>"

OpenPage = Callable[..., Awaitable[PageUnderTest]]


class SlowWallClock(SystemClock):
    """A daemon whose clock is a minute and a half behind the browser's."""

    def now_ms(self) -> float:
        return super().now_ms() - BEHIND_MS


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page")


@pytest.fixture(scope="module")
def camera_picture() -> np.ndarray:
    return Panels({"Door is locked": (0.3, 0.3), "Printer ready": (0.7, 0.7)}).picture


@pytest.fixture(scope="module")
def clip(folder: Path) -> Path:
    """A small video for tests in which nobody reads it."""
    panels = Panels({"Reception": (0.5, 0.5)}, PictureSize(480, 270))
    return write_webm(folder / "clip.webm", panels.frames(2), kbps=800)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(folder: Path, camera_picture: np.ndarray) -> AsyncIterator[Browser]:
    camera = write_mjpeg(folder / "camera.mjpeg", [camera_picture] * 10)
    async with chromium(camera) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(browser: Browser) -> AsyncIterator[OpenPage]:
    """Opens the page of a daemon; after the test no page may have had an error of its own."""
    contexts: list[BrowserContext] = []
    pages: list[PageUnderTest] = []

    async def open_page(port: int, **options: Any) -> PageUnderTest:
        context = await browser.new_context(**options)
        contexts.append(context)
        page = PageUnderTest(await context.new_page())
        pages.append(page)
        await page.page.goto(f"http://127.0.0.1:{port}/")
        return page

    yield open_page
    for context in contexts:
        await context.close()
    assert [page.faults for page in pages] == [[]] * len(pages)


def contradiction(text: str, other: str, message: str = "One of them is wrong.") -> Findings:
    elements = tuple(
        Element(ElementType.TEXT, box, words)
        for words, box in ((text, Box(0.10, 0.20, 0.30, 0.10)), (other, Box(0.55, 0.70, 0.35, 0.15)))
    )
    finding = Finding(FindingKind.CONTRADICTION, "key", "lock", Severity.WARNING, message, 1.0, elements)
    return Findings((finding,), elements)


def rectangles(marks: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Left, top, right and bottom of every connected group of marks, from left to right."""
    # Antialiasing leaves gaps of a pixel between a box and its label.
    joined = cv2.dilate(marks.astype(np.uint8), np.ones((3, 3), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    found = [(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, area in stats[1:] if area > 50]
    return sorted(found)


# The way from the picture to the warning ----------------------------------------------------------


async def test_a_video_file_is_streamed_and_its_contradiction_is_drawn_over_it(
    open_page: OpenPage, folder: Path
) -> None:
    places = {"Made in France": (0.28, 0.3), "Made in the Netherlands": (0.68, 0.6)}
    wrong = Panels(places)
    right = Panels({"Made in France": (0.28, 0.3), "Contents: 500 g": (0.68, 0.6)})
    # Long and slow, so that a busy machine has time to see it; the test itself turns to the second half.
    halves = chain(wrong.frames(HALF_S, SLOW_FPS), right.frames(HALF_S, SLOW_FPS))
    video = write_webm(folder / "panels.webm", halves, fps=SLOW_FPS)
    async with Daemon(config(mqtt={}), embedded_broker=True, broker_port=0, clock=SlowWallClock()) as daemon:
        page = await open_page(daemon.http_port)
        await expect(page["#daemon-state"]).to_have_text("live")
        await expect(page["#no-sessions"]).to_be_visible()
        await page.stream_file(video)
        cells = page["#sessions tbody td"]
        await expect(cells.nth(0)).to_have_text("browser (this page)")
        await expect(cells.nth(1)).to_have_text("ok")
        await expect(cells.nth(2)).to_have_text("1280×720, composited")
        # The video stands still, which is an alert of its own.
        warning, alert = (
            page[f"{place} li.warning"].filter(has_text="origin") for place in ("#warnings", "#alerts")
        )
        await expect(warning).to_contain_text("Made in the Netherlands")
        await assert_boxes_at(page, wrong)
        await expect(alert).to_contain_text("Made in France")
        await expect(cells.nth(5)).to_have_text("synced")
        await expect(cells.nth(6)).to_contain_text("p95")
        # The right panels come: the alert ends in both places, and its boxes with it.
        await page["#picture"].evaluate("(video, second) => { video.currentTime = second; }", HALF_S + 1)
        await expect(alert).to_have_attribute("data-state", re.compile("cleared|retracted"))
        await expect(warning).to_have_count(0)
        await eventually_async(lambda: no_marks(page))
        await page["#stop"].click()
        await expect(page["#headset-state"]).to_have_text("Not streaming.")
        await expect(page["#no-sessions"]).to_be_visible()
        assert daemon.counters["ingest.sessions_closed"] == 1


async def assert_boxes_at(page: PageUnderTest, panels: Panels) -> None:
    """Around the text of each panel lies a box: on the panel, and at least half as wide.

    It may be the text's box or the panel's: the latter comes from the detector, which on a picture as a
    busy encoder sends it is off by up to a tenth of the panel.
    """
    stage = await page["#stage"].bounding_box()
    assert stage is not None
    found: list[tuple[int, int, int, int]] = []

    async def drawn() -> bool:
        found[:] = rectangles(await page.marks(WARNING_COLOUR))
        if len(found) != len(panels.boxes):
            return False
        for box, (left, _, right, bottom) in zip(sorted(panels.boxes.values()), found, strict=True):
            x, y, w, h = (
                share * side for share, side in zip(box, (stage["width"], stage["height"]) * 2, strict=True)
            )
            dx, dy = w * 0.12 + 3, h * 0.12 + 3
            inside = x - dx <= left and right <= x + w + dx and y < bottom <= y + h + dy
            if not inside or right - left < w / 2:
                return False
        return True

    try:
        await eventually_async(drawn)
    except TimeoutError:
        pytest.fail(f"boxes drawn at {found} px of {stage}, wanted on {panels.boxes}")


async def no_marks(page: PageUnderTest) -> bool:
    return not (await page.marks(WARNING_COLOUR)).any()


async def eventually_async(condition: Callable[[], Awaitable[bool]], timeout_s: float = 20.0) -> None:
    async with asyncio.timeout(timeout_s):
        while not await condition():  # noqa: ASYNC110 - what a canvas shows has no event
            await asyncio.sleep(0.05)


async def test_the_camera_is_streamed(open_page: OpenPage, camera_picture: np.ndarray) -> None:
    tier = ScriptedTier()

    def full_size() -> bool:
        return tier.newest is not None and tier.newest.picture.width_px == SIZE.width_px

    async with Daemon(config(), tier=tier) as daemon:
        page = await open_page(daemon.http_port, permissions=["camera"])
        await page["#device"].fill("tablet-7")
        await page["#view"].select_option("passthrough")
        await page["#use-camera"].click()
        cells = page["#sessions tbody td"]
        await expect(cells.nth(0)).to_have_text("tablet-7 (this page)")
        await expect(cells.nth(1)).to_have_text("degraded: passthrough has no virtual content")
        await expect(cells.nth(2)).to_have_text("1280×720, passthrough")
        await eventually(full_size)
        assert tier.newest is not None
        difference = cv2.absdiff(np.asarray(tier.newest.picture.rgb()), camera_picture)
        assert difference.mean() < 12
        await expect(page["#headset-facts"]).to_contain_text("1280×720")
        await page.page.close(run_before_unload=True)
        await eventually(lambda: daemon.counters["ingest.sessions_closed"] == 1)


@pytest.mark.parametrize("size", [PictureSize(270, 480), PictureSize(640, 182)])
async def test_boxes_lie_right_in_upright_and_wide_pictures_and_follow_the_window(
    open_page: OpenPage, folder: Path, size: PictureSize
) -> None:
    video = write_webm(folder / f"{size.width_px}.webm", Panels({"A": (0.5, 0.5)}, size).frames(2), kbps=500)
    findings = contradiction("left", "right")
    async with Daemon(config(), tier=ScriptedTier(findings)) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(video)
        await expect(page["#warnings li.warning"]).to_be_visible()
        for window in ((1280, 720), (500, 800)):
            await page.page.set_viewport_size({"width": window[0], "height": window[1]})
            await eventually_async(lambda: boxes_are_at(page, size, findings))


async def boxes_are_at(page: PageUnderTest, size: PictureSize, findings: Findings) -> bool:
    stage = await page["#stage"].bounding_box()
    assert stage is not None
    scale = min(stage["width"] / size.width_px, stage["height"] / size.height_px)
    width, height = size.width_px * scale, size.height_px * scale
    x0, y0 = (stage["width"] - width) / 2, (stage["height"] - height) / 2
    marks = await page.marks(WARNING_COLOUR)
    if marks.shape != (round(stage["height"]), round(stage["width"])):
        return False
    for element in findings.elements:
        x, y, w, h = element.box
        left, right = round(x0 + x * width), round(x0 + (x + w) * width)
        bottom = round(y0 + (y + h) * height)
        # Both lower corners and the middle of the lower edge are drawn, the inside is not.
        corners = [
            marks[bottom - 1 : bottom + 2, at - 1 : at + 2].any() for at in (left, (left + right) // 2, right)
        ]
        inside = marks[round(y0 + (y + h * 0.6) * height), (left + right) // 2]
        if not all(corners) or inside:
            return False
    return True


# Who may do what ----------------------------------------------------------------------------------


async def test_tokens_decide_who_streams_and_who_watches(open_page: OpenPage, clip: Path) -> None:
    settings = config(
        server={"port": 0, "viewer_token": {"value": "look"}},
        ingest={"devices": [{"id": "quest-1", "token": {"value": "quest"}}]},
    )
    async with Daemon(settings, tier=ScriptedTier()) as daemon:
        page = await open_page(daemon.http_port)
        await expect(page["#daemon-state"]).to_contain_text("needs the viewer token")
        await expect(page["#viewer-token"]).to_be_visible()
        await page["#device-token"].fill("wrong")
        await page.stream_file(clip)
        await expect(page["#headset-state"]).to_contain_text("no device has this token")
        await expect(page["#stop"]).to_be_hidden()
        await page["#device-token"].fill("quest")
        await page.stream_file(clip)
        await expect(page["#headset-state"]).to_contain_text("cannot be shown here without the viewer token")
        await page["#viewer-token"].fill("not it")
        await page["#viewer-token"].press("Enter")
        await expect(page["#daemon-state"]).to_contain_text("not the viewer token")
        await page["#viewer-token"].fill("look")
        await page["#save-token"].click()
        await expect(page["#daemon-state"]).to_have_text("live")
        await expect(page["#viewer-token"]).to_be_hidden()
        await expect(page["#sessions tbody td"].first).to_have_text("quest-1 (this page)")
        await expect(page["#headset-state"]).to_have_text("Streaming.")


async def test_sources_that_cannot_be_used_say_why(open_page: OpenPage, folder: Path) -> None:
    no_video = folder / "notes.mp4"
    no_video.write_text("this is not a video")
    async with Daemon(config(), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(no_video)
        await expect(page["#headset-state"]).to_have_text("This browser cannot play notes.mp4.")
        await page["#use-camera"].click()
        await expect(page["#headset-state"]).to_contain_text("The camera was not allowed")
        await expect(page["#stage-hint"]).to_be_visible()


# Loss and return ----------------------------------------------------------------------------------


async def test_a_restarted_daemon_gets_its_view_and_its_stream_back(open_page: OpenPage, clip: Path) -> None:
    settings = config(server={"port": free_port()})
    alert = contradiction("open", "closed")
    async with Daemon(settings, tier=ScriptedTier(alert), clock=SlowWallClock()) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(clip)
        await expect(page["#sessions tbody td"].nth(1)).to_have_text("ok")
        await expect(page["#warnings li"]).to_be_visible()
        await expect(page["#alerts li"]).to_have_attribute("data-state", re.compile("raised|confirmed"))
    await expect(page["#daemon-state"]).to_contain_text("trying again")
    await expect(page["#headset-state"]).to_contain_text("Connecting again")
    await expect(page["#badge"]).to_have_text("connecting again")
    await expect(page["#warnings li"]).to_have_count(0)
    await expect(page["#no-sessions"]).to_be_visible()
    # Nobody can tell any more that the alert has ended: it does so by the clock of the daemon that is gone.
    await expect(page["#alerts li"]).to_have_attribute("data-state", "expired")
    async with Daemon(settings, tier=ScriptedTier()):
        await expect(page["#daemon-state"]).to_have_text("live")
        await expect(page["#headset-state"]).to_have_text("Streaming.")
        await expect(page["#sessions tbody td"].first).to_have_text("browser (this page)")
        await expect(page["#sessions tbody td"].nth(1)).to_have_text("ok")
        await page["#stop"].click()
        await expect(page["#headset-state"]).to_have_text("Not streaming.")


async def test_the_silent_death_of_the_daemon_is_noticed(open_page: OpenPage, clip: Path) -> None:
    port = free_port()
    serve = (sys.executable, "-m", "tests.support.browser", "--serve", str(port))
    first = await asyncio.create_subprocess_exec(*serve, stdout=asyncio.subprocess.PIPE)
    assert first.stdout is not None
    assert await first.stdout.readline() == b"ready\n"
    page = await open_page(port)
    await page.stream_file(clip)
    await expect(page["#sessions tbody td"].nth(1)).to_have_text("ok")
    first.send_signal(signal.SIGKILL)
    await first.wait()
    second = await asyncio.create_subprocess_exec(*serve, stdout=asyncio.subprocess.PIPE)
    try:
        await expect(page["#headset-state"]).to_contain_text("Connecting again")
        await expect(page["#headset-state"]).to_have_text("Streaming.")
        await expect(page["#sessions tbody td"].nth(1)).to_have_text("ok")
    finally:
        second.kill()
        await second.wait()


async def test_a_stream_that_is_taken_over_is_not_fought_for(open_page: OpenPage, clip: Path) -> None:
    async with Daemon(config(), tier=ScriptedTier()) as daemon:
        first, second = await open_page(daemon.http_port), await open_page(daemon.http_port)
        await first.stream_file(clip)
        await expect(first["#headset-state"]).to_have_text("Streaming.")
        await second.stream_file(clip)
        await expect(first["#headset-state"]).to_contain_text("another client may now stream as this device")
        await expect(second["#headset-state"]).to_have_text("Streaming.")
        await expect(first["#sessions tbody tr"]).to_have_count(1)
        assert daemon.counters["ingest.takeovers"] == 1


async def test_a_picture_that_stands_still_is_said(open_page: OpenPage, clip: Path) -> None:
    async with Daemon(config(), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(clip)
        await expect(page["#headset-state"]).to_have_text("Streaming.")
        await page.page.evaluate(HIDE, arg=True)
        await expect(page["#headset-state"]).to_contain_text("This tab is hidden")
        await page["#picture"].evaluate("(video) => video.pause()")
        await expect(page["#headset-state"]).to_contain_text("has paused the video")
        await page.page.evaluate(HIDE, arg=False)
        await expect(page["#headset-state"]).to_have_text("Streaming.")


HIDE = """(hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


# What is shown ------------------------------------------------------------------------------------


async def test_pictures_and_arrows_are_named_with_what_they_disagree_on(
    open_page: OpenPage, clip: Path
) -> None:
    (finding,) = contradiction("Exit", "").findings
    arrow, flag = finding.elements
    elements = (
        replace(arrow, type=ElementType.ARROW, direction_deg=178.0),
        replace(flag, type=ElementType.FLAG, parts=(Part("flag:FR", 0.9),)),
    )
    findings = Findings((replace(finding, elements=elements),), elements)
    async with Daemon(config(), tier=ScriptedTier(findings)) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(clip)
        await expect(page["#alerts li .pair"]).to_have_text("arrow ← “Exit” ↔ flag FR, on lock")


async def test_second_opinion_is_told_beside_the_alert(open_page: OpenPage, clip: Path) -> None:
    judged = config().model_copy(update={"escalate": judged_config(ask={"confirm_below": 1.01}).escalate})
    judge = ScriptedJudge(answer(reason="One of the two is wrong."), after_s=0.5)
    async with Daemon(judged, tier=ScriptedTier(contradiction("Exit", "No exit")), judge=judge) as daemon:
        page = await open_page(daemon.http_port)
        await page.stream_file(clip)
        await expect(page["#alerts li .opinion"]).to_have_text("cloud confirms: One of the two is wrong.")
        await expect(page["#warnings li"]).to_contain_text("cloud confirms")
        await expect(page["#sessions tbody td"].nth(4)).to_contain_text("1 second opinions")


async def test_hostile_text_is_only_text(open_page: OpenPage, clip: Path) -> None:
    findings = contradiction(HOSTILE, HOSTILE * 20, message=f"{HOSTILE} contradicts {HOSTILE * 20}")
    async with Daemon(config(), tier=ScriptedTier(findings)) as daemon:
        page = await open_page(daemon.http_port, viewport={"width": 390, "height": 844})
        await page["#device"].fill("d" * 64)
        await page.stream_file(clip)
        for place in ("#warnings li", "#alerts li"):
            await expect(page[place]).to_contain_text(HOSTILE)
        await expect(page["#sessions tbody td"].first).to_contain_text("d" * 64)
        assert await page["img, b, script:not([src])"].count() == 0
        assert await page.page.title() == "arwarden"
        wide = await page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, "the page can be scrolled sideways on a phone"


async def test_alerts_of_other_devices_are_only_listed(open_page: OpenPage, clip: Path) -> None:
    findings = contradiction("open", "closed")
    async with Daemon(config(), tier=ScriptedTier(findings)) as daemon:
        watcher, *others = [await open_page(daemon.http_port) for _ in range(3)]
        for turn, page in enumerate(others):
            await page["#device"].fill(f"quest-{turn}")
            await page.stream_file(clip)
        rows = watcher["#sessions tbody tr"]
        await expect(rows).to_have_count(2)
        await expect(watcher["#alerts li"]).to_have_count(2)
        await expect(watcher["#warnings li"]).to_have_count(0)
        for turn, page in enumerate(others):
            await expect(page["#warnings li"]).to_have_count(1)
            await expect(rows.filter(has_text=f"quest-{turn}")).to_contain_text("480×270")
        await others[0]["#stop"].click()
        await expect(rows).to_have_count(1)
        ended = watcher["#alerts li"].filter(has_text="quest-0")
        await expect(ended).to_have_attribute("data-state", "cleared")


async def test_the_page_can_be_used_by_keyboard_and_by_ear(open_page: OpenPage) -> None:
    async with Daemon(config(), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon.http_port)
        await page["#access summary"].focus()
        reached = []
        for _ in range(5):
            await page.page.keyboard.press("Tab")
            reached.append(await page.page.evaluate("document.activeElement.id"))
        assert reached == ["use-camera", "file", "device", "device-token", "view"]
        for name in ("Device", "Device token", "Video file", "Viewer token"):
            assert await page.page.get_by_label(name, exact=True).count() == 1, name
        assert await page.page.get_by_role("combobox", name="The picture shows").count() == 1
        assert await page["#warnings"].get_attribute("aria-live") == "assertive"
        assert await page["[role=status]"].count() == 2
