"""The page as a headset in a real Chromium: over HTTPS with the daemon's certificate, alerts by MQTT."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from arwarden.config import Config
from arwarden.core.findings import Box, Element, ElementType, Finding, FindingKind, Findings, Severity
from arwarden.daemon import Daemon
from arwarden.headset.objects import AppObject, AppObjects, Limits
from arwarden.web.certificates import ensure_certificate
from tests.support.adjusting import WELL, adjusting, judge, low
from tests.support.browser import PageUnderTest, Panels, ScriptedTier, chromium, expect, write_mjpeg
from tests.support.daemon import scene, wearing
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.mqtt_tap import eventually, tapping

pytestmark = [
    pytest.mark.browser,
    pytest.mark.broker,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.xdist_group("browser"),
]

TOKEN = "quest-secret"
HOSTILE = "<b>mug</b>"
WARNING_COLOUR = "#ffb020"
NAME = "quest.lan"
"""A name for this machine that only the browser knows: to it, the page comes from another machine."""
NAMES = [NAME, "localhost", "127.0.0.1"]
ALERTS, ACKS = "arwarden/v1/quest-1/alerts", "arwarden/v1/quest-1/acks"

OpenPage = Callable[..., Awaitable[PageUnderTest]]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the certificate of a first start."""
    folder = tmp_path_factory.mktemp("state")
    ensure_certificate(folder / "tls", NAMES, dt.datetime.now(dt.UTC))
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser(state: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """It accepts one unknown certificate: that whose key has the pin which the daemon prints."""
    camera = write_mjpeg(
        tmp_path_factory.mktemp("camera") / "camera.mjpeg",
        [Panels({"Door is locked": (0.3, 0.3), "Door is open": (0.7, 0.7)}).picture] * 10,
    )
    known = ensure_certificate(state / "tls", NAMES, dt.datetime.now(dt.UTC))
    arguments = (
        "--use-fake-device-for-media-stream=device-count=2",
        f"--ignore-certificate-errors-spki-list={known.key_pin}",
        f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
    )
    async with chromium(camera, *arguments) as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(browser: Browser) -> AsyncIterator[OpenPage]:
    """Opens the page of a daemon; after the test no page may have had an error of its own."""
    contexts: list[BrowserContext] = []
    pages: list[PageUnderTest] = []

    async def open_page(daemon: Daemon, script: str = "", **options: Any) -> PageUnderTest:
        context = await browser.new_context(**options)
        contexts.append(context)
        if script:
            await context.add_init_script(script)
        page = PageUnderTest(await context.new_page())
        pages.append(page)
        scheme = "https" if daemon.config.server.secure else "http"
        await page.page.goto(f"{scheme}://{NAME}:{daemon.http_port}/")
        return page

    yield open_page
    for context in contexts:
        await context.close()
    assert [page.faults for page in pages] == [[]] * len(pages)


@pytest_asyncio.fixture(loop_scope="module")
async def mosquitto(tmp_path: Path) -> AsyncIterator[Mosquitto]:
    broker = Mosquitto(tmp_path / "broker")
    await broker.start()
    yield broker
    await broker.stop()


def settings(broker: Mosquitto, state: Path | None, **mqtt: Any) -> Config:
    """Of a daemon for headsets: each has its token, and the live view has another that nobody is told."""
    server: dict[str, Any] = {
        "port": free_port(),
        "shutdown_grace_ms": 2000,
        "viewer_token": {"value": "look"},
    }
    if state is not None:
        server |= {"tls": "auto", "state_folder": str(state), "tls_names": NAMES}
    return Config.model_validate(
        {
            "server": server,
            "ingest": {"devices": [{"id": "quest-1", "token": {"value": TOKEN}}], "anonymous": "never"},
            "alerts": {"usefulness_ms": 60_000},
            # A fake camera may show too little that is new for what a tier says later to be asked for.
            "sampling": {"refresh_ms": 500},
            "mqtt": broker.config(**mqtt).model_dump(exclude_none=True),
        }
    )


def findings(message: str = "A door is locked and open.", severity: Severity = Severity.WARNING) -> Findings:
    elements = (
        Element(ElementType.TEXT, Box(0.1, 0.2, 0.3, 0.1), "Door is locked"),
        Element(ElementType.TEXT, Box(0.55, 0.7, 0.35, 0.15), "Door is open"),
    )
    finding = Finding(FindingKind.CONTRADICTION, "key", "lock", severity, message, 1.0, elements)
    return Findings((finding,), elements)


async def stream(page: PageUnderTest) -> None:
    await page["#device-token"].fill(TOKEN)
    await page["#use-camera"].click()
    await expect(page["#headset-state"]).to_contain_text("Streaming.")


# Over HTTPS ---------------------------------------------------------------------------------------


async def test_headset_needs_its_token_alone_to_stream_be_warned_and_answer(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    config = settings(mosquitto, state)
    async with Daemon(config, tier=ScriptedTier(findings())) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        assert await page.page.evaluate("isSecureContext && location.protocol === 'https:'")
        await expect(page["#missing li"]).to_have_count(0)
        await expect(page["#daemon-state"]).to_contain_text("needs the viewer token")
        await stream(page)
        warning = page["#warnings li.warning"]
        await expect(warning).to_contain_text("A door is locked and open.")
        await expect(page["#link-facts"]).to_contain_text("Alerts by MQTT")
        await expect(page["#link-facts"]).to_contain_text("monitor ok")
        await expect(page["#link-facts"]).to_have_text(re.compile(r"last warning shown \d+ ms after capture"))
        await expect(page["#headset-state"]).to_have_text("Streaming.")
        await expect(page["#headset-facts"]).to_contain_text("clock known to ±")
        await expect(page["#alerts li"]).to_contain_text("quest-1")
        assert (await page.marks(WARNING_COLOUR)).any()
        await eventually(lambda: bool(daemon.counters["acks.received"] and daemon.counters["acks.shown"]))
        await page["#warnings .dismiss"].click()
        await expect(warning).to_have_count(0)
        assert not (await page.marks(WARNING_COLOUR)).any()
        await eventually(lambda: daemon.counters["acks.dismissed"] == 1)
        await page["#stop"].click()
        await expect(page["#link-facts"]).to_have_text("")
        assert daemon.counters["acks.malformed"] == daemon.counters["acks.unknown"] == 0
        assert daemon.counters["relay.denied"] == daemon.counters["relay.malformed"] == 0


async def test_what_was_dismissed_comes_back_only_where_it_is_worse(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    async with (
        Daemon(settings(mosquitto, state), tier=ScriptedTier(findings())) as daemon,
        tapping(mosquitto.host, mosquitto.port, ALERTS) as tap,
        aiomqtt.Client(mosquitto.host, mosquitto.port) as client,
    ):
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
        await page["#warnings .dismiss"].click()
        await eventually(lambda: daemon.counters["acks.dismissed"] == 1)
        for turn, (severity, count) in enumerate(
            (("info", 0), ("warning", 0), ("critical", 1), ("warning", 1)), 1
        ):
            newest = tap.received[-1].json
            changed = {
                "revision": 100 * turn,  # whatever the daemon says of it in between
                "severity": severity,
                "message": f"Now {severity}.",
            }
            await client.publish(ALERTS, json.dumps(newest | changed), qos=1)
            await expect(page["#alerts li"]).to_contain_text(f"Now {severity}.")
            await expect(page["#warnings li"]).to_have_count(count)


async def test_broker_and_daemon_may_go_and_come_back(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    config = settings(mosquitto, state)
    # Whoever was away when an alert was told hears of it with its refresh, after half of that time.
    config = config.model_copy(update={"alerts": config.alerts.model_copy(update={"usefulness_ms": 3000.0})})
    link, stage = "#link-facts", "#headset-state"
    async with Daemon(config, tier=ScriptedTier(findings())) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
        await expect(page[link]).to_have_attribute("data-state", "live")
        await mosquitto.kill()
        await expect(page[link]).to_have_attribute("data-state", "away")
        await expect(page[link]).to_contain_text("the daemon does not reach its broker")
        await expect(page[stage]).to_contain_text("cannot be shown here")
        await mosquitto.start()
        await expect(page[link]).to_have_attribute("data-state", "live")
        await expect(page["#warnings li.warning"]).to_be_visible()
    await expect(page[stage]).to_contain_text("Connecting again")
    await expect(page["#warnings li"]).to_have_count(0)
    await expect(page[link]).to_have_attribute("data-state", "away")
    async with Daemon(config, tier=ScriptedTier(findings())) as daemon:
        await expect(page[stage]).to_have_text("Streaming.")
        await expect(page[link]).to_have_attribute("data-state", "live")
        await expect(page["#warnings li.warning"]).to_be_visible()
        await eventually(lambda: bool(daemon.counters["acks.shown"]))


async def test_acknowledgements_wait_for_the_broker(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    async with Daemon(settings(mosquitto, state), tier=ScriptedTier(findings())) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
        await expect(page["#warnings .dismiss"]).to_be_visible()
        await mosquitto.kill()
        await page["#warnings .dismiss"].click()
        await expect(page["#link-facts"]).to_have_attribute("data-state", "away")
        assert daemon.counters["acks.dismissed"] == 0
        await mosquitto.start()
        await eventually(lambda: daemon.counters["acks.dismissed"] == 1, 20)


async def test_alert_whose_end_is_not_heard_ends_by_the_daemons_clock(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    config = settings(mosquitto, state)
    config = config.model_copy(update={"alerts": config.alerts.model_copy(update={"usefulness_ms": 3000.0})})
    async with Daemon(config, tier=ScriptedTier(findings())) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
        await expect(page["#warnings li.warning"]).to_be_visible()
        await mosquitto.kill()
        await expect(page["#warnings li"]).to_have_count(0)
        await expect(page["#alerts li"]).to_have_attribute("data-state", "expired")
        await mosquitto.start()
        await eventually(lambda: daemon.counters["acks.expired"] >= 1, 20)


async def test_page_without_the_live_view_streams_again_once_its_link_is_back(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    config = settings(mosquitto, state)
    async with Daemon(config, tier=ScriptedTier()) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
    await expect(page["#headset-state"]).to_contain_text("Connecting again")
    # Each attempt that fails doubles the pause before the next: without the link's word this would take long.
    for _ in range(3):
        async with page.page.expect_event("requestfailed", lambda request: "/whip" in request.url):
            pass
    async with Daemon(config, tier=ScriptedTier()):
        await expect(page["#link-facts"]).to_have_attribute("data-state", "live")
        await expect(page["#headset-state"]).to_contain_text("Streaming.")


async def test_messages_for_it_stay_below_60_kb(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    wordy = "Ω" * 4000
    elements = tuple(
        Element(ElementType.TEXT, Box(0.01 * (turn % 90), 0.01 * (turn // 6), 0.1, 0.05), f"{wordy} {turn}")
        for turn in range(500)
    )
    finding = Finding(FindingKind.CONTRADICTION, "key", "lock", Severity.WARNING, wordy, 1.0, elements[:30])
    config = settings(mosquitto, state, max_payload_bytes=60_000)
    frames: list[int] = []
    tier = ScriptedTier()
    async with (
        Daemon(config, tier=tier) as daemon,
        tapping(mosquitto.host, mosquitto.port, "arwarden/v1/#") as tap,
    ):
        page = await open_page(daemon, permissions=["camera"])
        page.page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda data: frames.append(len(data))),
        )
        await page["#viewer-token"].fill("look")
        await page["#viewer-token"].press("Enter")
        await stream(page)
        # The live view tells of alerts too: what is measured is said once the link is there to bring it.
        await expect(page["#link-facts"]).to_have_attribute("data-state", "live")
        tier.findings = Findings((finding,), elements)
        await expect(page["#warnings li.warning"]).to_contain_text("ΩΩΩ")
        await expect(page["#alerts li"]).to_contain_text("ΩΩΩ")
        await eventually(lambda: daemon.counters["acks.shown"] >= 1)
        await eventually(lambda: max(frames) > 10_000)
        await eventually(lambda: any(len(message.payload) > 10_000 for message in tap.received))
        sizes = [len(message.payload) for message in tap.received]
        assert max(sizes) <= 60_000
        assert max(frames) < 61_440
        assert daemon.counters["events.too_large"] == 0


async def test_what_others_write_there_shows_nothing(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    async with Daemon(settings(mosquitto, state), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await stream(page)
        await expect(page["#link-facts"]).to_have_attribute("data-state", "live")
        async with aiomqtt.Client(mosquitto.host, mosquitto.port) as client:
            for payload in (
                b"",
                b"no json",
                b"\xff\xfe",
                b"[]",
                b"null",
                b'{"alert_id":1}',
                b'{"alert_id":"a"}',
            ):
                await client.publish(ALERTS, payload, qos=1)
                await client.publish("arwarden/v1/quest-1/health", payload, qos=1)
                await client.publish("arwarden/v1/daemon/status", payload, qos=1)
            await client.publish("arwarden/v1/daemon/status", b'{"state":"resting"}', qos=1)
        # Messages come in order, so all before this one have been taken.
        await expect(page["#link-facts"]).to_contain_text("the daemon is resting")
        await expect(page["#warnings li"]).to_have_count(0)
        await expect(page["#alerts li"]).to_have_count(0)
        assert daemon.counters["relay.opened"] == 1, "none of it ended the connection"


# What is missing ----------------------------------------------------------------------------------


async def test_page_over_plain_http_says_why_there_is_no_camera(
    open_page: OpenPage, mosquitto: Mosquitto
) -> None:
    async with Daemon(settings(mosquitto, None), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon)
        await expect(page["#missing li"]).to_contain_text("plain HTTP")
        await expect(page["#missing li"]).to_contain_text("--tls auto")
        await expect(page["#use-camera"]).to_be_disabled()
        await expect(page["#file"]).to_be_enabled()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("delete window.RTCPeerConnection;", ("has no WebRTC", [])),
        ("delete Navigator.prototype.mediaDevices;", ("gives pages no camera", ["#file"])),
        (
            "navigator.permissions.query = async () => ({ state: 'denied' });",
            ("The camera is blocked for this page", ["#use-camera", "#file"]),
        ),
        (
            "navigator.permissions.query = async () => { throw new TypeError(); };",
            ("", ["#use-camera", "#file"]),
        ),
    ],
)
async def test_what_the_browser_lacks_is_said_before_anybody_tries(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path, script: str, expected: tuple[str, list[str]]
) -> None:
    words, usable = expected
    async with Daemon(settings(mosquitto, state), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon, script)
        if words:
            await expect(page["#missing li"]).to_contain_text(words)
        for button in ("#use-camera", "#file"):
            await expect(page[button]).to_be_enabled(enabled=button in usable)


QUEST = "Mozilla/5.0 (X11; Linux x86_64; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/36.0"


async def test_on_a_quest_it_says_what_its_camera_shows(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    async with Daemon(settings(mosquitto, state), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon, user_agent=QUEST, permissions=["camera"])
        await expect(page["#missing li"]).to_contain_text("shows the room without what its apps draw")
        await expect(page["#view"]).to_have_value("passthrough")
        await stream(page)
        await expect(page["#link-facts"]).to_contain_text("passthrough has no virtual content")


async def test_one_of_several_cameras_can_be_chosen(mosquitto: Mosquitto) -> None:
    config = settings(mosquitto, None)
    async with (
        Daemon(config, tier=ScriptedTier()) as daemon,
        chromium(None, "--use-fake-device-for-media-stream=device-count=2") as browser,
    ):
        context = await browser.new_context(permissions=["camera"])
        page = PageUnderTest(await context.new_page())
        await page.page.goto(f"http://localhost:{daemon.http_port}/")
        await stream(page)
        await page["#stop"].click()
        await expect(page["#camera-choice"]).to_be_visible()
        await expect(page["#camera option"]).to_have_count(3)
        second = await page["#camera option"].nth(2).get_attribute("value")
        await page["#camera"].select_option(second)
        await stream(page)
        used = "document.querySelector('#picture').srcObject.getVideoTracks()[0].getSettings().deviceId"
        assert await page.page.evaluate(used) == second
        assert page.faults == []


async def test_wrong_token_is_said_by_both_ways(
    open_page: OpenPage, mosquitto: Mosquitto, state: Path
) -> None:
    async with Daemon(settings(mosquitto, state), tier=ScriptedTier()) as daemon:
        page = await open_page(daemon, permissions=["camera"])
        await page["#device-token"].fill("wrong")
        await page["#use-camera"].click()
        await expect(page["#headset-state"]).to_contain_text("no device has this token")
        await expect(page["#use-camera"]).to_be_visible()


# What is corrected --------------------------------------------------------------------------------


async def test_corrections_are_told_calmly_beside_the_alerts(
    open_page: OpenPage, mosquitto: Mosquitto
) -> None:
    cups = AppObjects(
        (AppObject.parse("cup@0.4,0.3,0.1,0.12"), AppObject.parse(f"{HOSTILE}@0.6,0.3,0.08,0.08")),
        Limits(max_move_m=0.3),
    )
    told = judge(low(2, right_m=0.9, scale=1.2), WELL, low(3, up_m=0.2), low(1))
    config = adjusting(mosquitto, cool_down_ms=100)
    async with Daemon(config, tier=ScriptedTier(), judge=told) as daemon:
        page = await open_page(daemon)
        assert await page["#device-token"].get_attribute("placeholder") == "as in ingest.devices"
        await page.page.goto(f"http://127.0.0.1:{daemon.http_port}/")
        assert await page["#device-token"].get_attribute("placeholder") == "none, unless configured"
        await expect(page["#daemon-state"]).to_have_attribute("data-state", "live")
        await expect(page["#corrections-part"]).to_be_hidden()
        async with wearing(daemon, scene("Cups"), objects=cups):
            better, worse = page["#corrections li"].nth(1), page["#corrections li"].nth(0)
            await expect(worse).to_contain_text("taken back")
        await expect(better).to_contain_text(
            "placement rated 2 of 5 → asked for 0.90 m to the right, 1.20 times the size"
            " → applied as far as the headset allows → placement rated 5 of 5 → better"
        )
        await expect(better).to_contain_text("well")
        await expect(worse).to_contain_text(
            "placement rated 3 of 5 → asked for 0.20 m up → applied → placement rated 1 of 5 → worse"
            " → asked to put it back → applied"
        )
        await expect(worse).to_contain_text(HOSTILE)
        await expect(page["#no-alerts"]).to_be_visible()
