"""The package's WHIP client, run by mono, against the real daemon: offers of a real peer, real requests."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiortc import RTCDataChannel

from arwarden.core.frame import View
from tests.support.daemon import address_of, config_for, serving
from tests.support.feeder import Feeder, close_feeders
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import eventually
from tests.support.pipeline import ScriptedTier
from tests.unity.mono import build_console
from tests.unity.program import Program

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("unity")]

CANDIDATE = "candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0"


@pytest.fixture(scope="module")
def probe(build_folder: Path, package: dict[str, Path]) -> Path:
    return build_console(build_folder, "WhipProbe", package)


@pytest.fixture(autouse=True)
async def no_feeder_left() -> AsyncIterator[None]:
    yield
    await close_feeders()


@pytest.fixture
async def feeder(tmp_path: Path) -> Feeder:
    sender = Feeder()
    (tmp_path / "offer.sdp").write_text(await sender.offer(), encoding="utf-8", newline="")
    return sender


async def answer_of(client: Program) -> str:
    line = (await client.wait_for("answer "))[-1]
    return base64.b64decode(line.split()[1]).decode()


async def test_a_stream_from_offer_to_goodbye(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    tier = ScriptedTier()
    async with serving(config_for(broker), tier) as daemon:
        url = f"{address_of(daemon)}/whip"
        client = Program(
            probe, url=url, device="quest-1", view="passthrough", kbps=1500, offer=tmp_path / "offer.sdp"
        )
        async with client:
            answer = await answer_of(client)
            assert "b=TIAS:1500000\r\n" in answer
            assert (await client.wait_for("asked POST"))[0] == "asked POST 201"
            await client.wait_for("state Connecting VP8")
            await feeder.accept(answer)
            await client.say("connected")
            await client.wait_for("state Streaming VP8")
            await eventually(lambda: len(tier.frames) > 0)
            assert tier.contexts[0].device_id == "quest-1"
            assert tier.contexts[0].view is View.PASSTHROUGH
            await client.say(f"candidate {CANDIDATE}")
            assert await client.wait_for("asked PATCH") == ["asked PATCH 204"]
            await client.say("stop")
            assert await client.wait_for("asked DELETE") == ["asked DELETE 200"]
            assert not [line for line in client.lines if "refused" in line]


async def test_the_clocks_are_compared_over_the_data_channel(
    tmp_path: Path, broker: Mosquitto, probe: Path
) -> None:
    """Only the channel itself is aiortc's; what is said on it is the package's."""
    feeder = Feeder()
    channel = feeder.pc.createDataChannel("clock", ordered=False, maxRetransmits=0)
    offer = tmp_path / "offer.sdp"
    offer.write_text(await feeder.offer(), encoding="utf-8", newline="")
    async with serving(config_for(broker), ScriptedTier()) as daemon:
        async with Program(probe, url=f"{address_of(daemon)}/whip", device="quest-1", offer=offer) as client:
            await feeder.accept(await answer_of(client))
            await eventually(lambda: channel.readyState == "open")
            relay = asyncio.create_task(relay_between(channel, client))
            await client.say("connected")
            await client.say("open")
            await client.wait_for("say ", 25)
            await client.say("offset")
            [_, exchanges, offset_ms] = (await client.wait_for("offset "))[0].split()
            relay.cancel()
        hello = json.loads(next(line for line in client.lines if line.startswith("say "))[4:])
        assert hello == {"type": "hello", "view": "composited", "client": "probe"}
        assert int(exchanges) >= 8
        # Both clocks begin from this machine's; a busy machine is off by a few milliseconds.
        assert abs(float(offset_ms)) < 50
        assert any('"pong"' in line for line in client.lines), "the daemon asks too"
        assert daemon.counters["ingest.clock_messages_malformed"] == 0
        assert daemon.counters["ingest.clock_answers_unusable"] == 0


async def relay_between(channel: RTCDataChannel, client: Program) -> None:
    """Carry the channel's messages to the program and back."""
    heard: asyncio.Queue[str] = asyncio.Queue()
    channel.on("message", heard.put_nowait)
    sent = 0
    while True:
        said = [line for line in client.lines if line.startswith("say ")]
        for line in said[sent:]:
            channel.send(line[4:])
        sent = len(said)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.005):
                await client.say(f"heard {await heard.get()}")


async def test_a_loss_is_followed_by_a_new_session(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    async with serving(config_for(broker), ScriptedTier()) as daemon:
        url = f"{address_of(daemon)}/whip"
        async with Program(probe, url=url, device="quest-1", offer=tmp_path / "offer.sdp") as client:
            await answer_of(client)
            await client.say("lost")
            await client.wait_for("asked DELETE 200")
            await client.wait_for("asked POST 201", 2)
            await client.say("stop")
            await client.wait_for("asked DELETE 200", 2)


async def test_a_token_is_needed_and_said_to_be(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    ingest = {"anonymous": "never", "devices": [{"id": "quest-1", "token": {"value": "right"}}]}
    tier = ScriptedTier()
    async with serving(config_for(broker, ingest=ingest), tier) as daemon:
        options = {"url": f"{address_of(daemon)}/whip", "offer": tmp_path / "offer.sdp"}
        async with Program(probe, token="wrong", **options) as client:
            await client.wait_for("asked POST 401")
            await client.wait_for("state Refused no device has this token")
        async with Program(probe, **options) as client:
            await client.wait_for("state Refused no token; send the device's own")
        async with Program(probe, token="right", **options) as client:
            await feeder.accept(await answer_of(client))
            await eventually(lambda: len(tier.frames) > 0)
            assert tier.contexts[0].device_id == "quest-1"
            await client.say("stop")
            await client.wait_for("asked DELETE 200")


async def test_a_wrong_address_is_said(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    wrong = {"/nothing": "there is nothing at '/nothing'", "/metrics": "'POST' is not possible here"}
    async with serving(config_for(broker), ScriptedTier()) as daemon:
        for path, said in wrong.items():
            url = f"{address_of(daemon)}{path}"
            async with Program(probe, url=url, offer=tmp_path / "offer.sdp") as client:
                await client.wait_for(f"state Refused {said}")


async def test_an_address_without_tls_is_told_where_the_daemon_has_it(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    server = {"port": 0, "tls": "auto", "state_folder": str(tmp_path / "state")}
    async with serving(config_for(broker, server=server), ScriptedTier()) as daemon:
        url = f"http://127.0.0.1:{daemon.http_port}/whip"
        async with Program(probe, url=url, offer=tmp_path / "offer.sdp") as client:
            said = (await client.wait_for("state Waiting the daemon cannot be reached"))[0]
            assert said.endswith("; where it speaks TLS the address begins with https")


async def test_what_is_no_offer_is_refused_in_words(tmp_path: Path, broker: Mosquitto, probe: Path) -> None:
    (tmp_path / "offer.sdp").write_text("v=0\r\n", encoding="utf-8", newline="")
    async with serving(config_for(broker), ScriptedTier()) as daemon:
        url = f"{address_of(daemon)}/whip"
        async with Program(probe, url=url, offer=tmp_path / "offer.sdp") as client:
            await client.wait_for("asked POST 400")
            await client.wait_for("state Refused the offer has no media section")


async def test_a_daemon_that_is_not_there_is_tried_again(
    tmp_path: Path, broker: Mosquitto, probe: Path, feeder: Feeder
) -> None:
    async with serving(config_for(broker), ScriptedTier()) as daemon:
        url = f"{address_of(daemon)}/whip"
    async with Program(probe, url=url, offer=tmp_path / "offer.sdp") as client:
        await client.wait_for("state Waiting the daemon cannot be reached")
        await client.wait_for("asked POST 0", 3)
