"""A stream that works: real senders, real WebRTC over this machine's addresses."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable

import pytest
import uvloop

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.errors import UnsupportedMedia
from arwarden.core.frame import CaptureClock, View
from arwarden.ingest.signalling import Candidate
from tests.support.feeder import Feeder, FeederProcess, marked_picture, read_mark, wall_mark_ms
from tests.support.receiving import Held, on_uvloop, receiving, until

LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]


@pytest.mark.parametrize("codec", ["VP8", "H264"])
@pytest.mark.parametrize("new_loop", LOOPS, ids=["asyncio", "uvloop"])
def test_pictures_arrive_young_whole_and_in_order(
    codec: str, new_loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    async def stream() -> None:
        async with receiving() as receiver:
            feeder = Feeder(make=lambda number: marked_picture(number, 320, 240), codec=codec)
            notes = await receiver.connect(feeder)
            ages_ms: list[int] = []

            def measure(_frame: object) -> None:
                mark = read_mark(notes.frames[-1].picture.luma())
                if mark is not None:
                    ages_ms.append(wall_mark_ms() - mark.time_ms)

            notes.work = measure
            await until(lambda: len(ages_ms) >= 20, 5)
            assert sorted(ages_ms)[10] < 100, ages_ms
            sequences = [frame.sequence for frame in notes.frames]
            assert sequences == sorted(set(sequences))
            frame = notes.frames[-1]
            assert frame.session_id == notes.session_id
            assert frame.capture_clock is CaptureClock.ARRIVAL
            assert frame.capture_ms == frame.arrival_ms
            assert frame.arrival_ms <= notes.shown_ms[-1]
            assert not frame.transport.damaged
            assert (frame.picture.width_px, frame.picture.height_px) == (320, 240)
            (info,) = receiver.manager.live()
            assert info.state is SessionState.OK
            assert (info.codec, info.width_px, info.height_px) == (codec, 320, 240)
            assert info.device_id == "quest"
            assert info.received_fps > 5
            assert info.counts.frames_received >= info.counts.frames_decoded > 0
            await feeder.close()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(stream())


@on_uvloop
async def test_last_frame_before_a_pause_arrives_without_the_next_one() -> None:
    async with receiving() as receiver:
        feeder = Feeder(fps=5, codec="H264")
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) >= 3, 5)
        feeder.track.paused.clear()
        await asyncio.sleep(0.4)
        mark = read_mark(notes.frames[-1].picture.luma())
        assert mark is not None
        assert mark.number == feeder.track.number - 1
        await feeder.close()


@on_uvloop
async def test_answer_carries_bitrates_for_every_codec_and_the_ice_tag() -> None:
    config = IngestConfig(start_bitrate_kbps=1700, min_bitrate_kbps=900, max_bitrate_kbps=3300)
    async with receiving(config) as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        answer = await receiver.open(offer)
        video_types = [
            line.split(":")[1].split()[0]
            for line in answer.sdp.splitlines()
            if line.startswith("a=rtpmap:") and ("VP8/" in line or "H264/" in line)
        ]
        assert video_types
        for payload_type in video_types:
            (line,) = [line for line in answer.sdp.splitlines() if line.startswith(f"a=fmtp:{payload_type} ")]
            assert "x-google-start-bitrate=1700" in line
            assert "x-google-min-bitrate=900" in line
            assert "x-google-max-bitrate=3300" in line
        assert f"a=ice-ufrag:{answer.ice_tag}" in answer.sdp
        assert receiver.manager.ice_tag_of(answer.session_id) == answer.ice_tag
        assert receiver.manager.device_of(answer.session_id) == "quest"
        assert receiver.manager.device_of("unknown") is None
        assert receiver.manager.ice_tag_of("unknown") is None
        await receiver.manager.close("unknown", "whatever")
        await feeder.close()


@on_uvloop
async def test_no_server_outside_is_asked_by_default() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        answer = await receiver.open(await feeder.offer())
        assert "typ srflx" not in answer.sdp
        (session,) = receiver.manager._sessions.values()
        (transceiver,) = session._peer._pc.getTransceivers()
        assert transceiver.receiver.transport.transport._connection.stun_server is None
        await feeder.close()


@on_uvloop
async def test_codec_that_cannot_be_received_is_refused() -> None:
    async with receiving() as receiver:
        feeder = Feeder(codec="VP8", rtx=False)
        offer = (await feeder.offer()).replace("VP8/90000", "AV1/90000")
        with pytest.raises(UnsupportedMedia):
            await receiver.open(offer)
        assert receiver.manager.live() == []
        await feeder.close()


@on_uvloop
async def test_trickled_candidates() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        candidates = [
            line.removeprefix("a=candidate:") for line in offer.splitlines() if line.startswith("a=candidate")
        ]
        bare = "\r\n".join(
            line for line in offer.splitlines() if not line.startswith(("a=candidate", "a=end-of-candidates"))
        )
        answer = await receiver.open(bare + "\r\n")
        await feeder.accept(answer.sdp)
        bad = ["garbage", "1 1 tcp 1 10.0.0.1 9 typ host tcptype active", "1 1 udp 1 nowhere x typ host"]
        await receiver.manager.add_candidates(
            answer.session_id,
            [Candidate(text, "0", None) for text in bad]
            + [Candidate(f"candidate:{candidates[0]}", "0", None)]
            + [Candidate(text, None, None) for text in candidates[1:]],
        )
        assert receiver.counters["ingest.candidates_dropped"] == len(bad)
        await receiver.manager.add_candidates(answer.session_id, [Candidate("", None, None)])
        await receiver.manager.add_candidates(answer.session_id, [Candidate(candidates[0], "0", None)])
        await receiver.manager.add_candidates("unknown", [Candidate(candidates[0], "0", None)])
        await until(lambda: receiver.notes[0].frames, 5)
        await feeder.close()


@on_uvloop
async def test_capture_time_of_a_headset_whose_clock_is_ahead() -> None:
    skew_ms = 7_200_000.0
    async with receiving() as receiver:
        process = await FeederProcess.start(
            "--clock-channel", "--skew-ms", str(skew_ms), "--fps", "20", "--codec", "H264"
        )
        try:
            notes = await receiver.connect(process)
            await until(lambda: notes.frames, 5)
            assert notes.frames[0].capture_clock is CaptureClock.ARRIVAL
            await until(lambda: notes.frames[-1].capture_clock is CaptureClock.SYNCED, 8)
            await asyncio.sleep(0.3)
            frame = notes.frames[-1]
            assert frame.capture_clock is CaptureClock.SYNCED
            assert 0 <= frame.arrival_ms - frame.capture_ms < 150
            offset_ms = notes.offsets[-1]
            assert offset_ms is not None
            wall_step_ms = receiver.clock.wall_step_ms()
            assert abs(offset_ms - wall_step_ms - skew_ms) < 20
            assert notes.views == [View.COMPOSITED]
            (info,) = receiver.manager.live()
            assert info.clock_offset_ms == offset_ms
            assert info.capture_clock is CaptureClock.SYNCED
            assert info.view is View.COMPOSITED
        finally:
            await process.end()


@on_uvloop
async def test_clock_channel_answers_and_survives_nonsense() -> None:
    async with receiving() as receiver:
        feeder = Feeder(clock_channel=True, hello_view="passthrough")
        notes = await receiver.connect(feeder)
        await until(lambda: notes.views, 5)
        assert notes.views == [View.PASSTHROUGH]
        await until(lambda: feeder.answered_pings >= 3, 3)
        answers: list[str] = []
        feeder.channel.on("message", answers.append)
        sent_ms = receiver.clock.now_ms()
        feeder.channel.send(json.dumps({"type": "ping", "id": 7, "t0_ms": 123.5}))
        await until(lambda: any('"pong"' in answer for answer in answers), 3)
        pong = next(json.loads(answer) for answer in answers if '"pong"' in answer)
        assert (pong["id"], pong["t0_ms"]) == (7, 123.5)
        assert sent_ms - 1 <= pong["t1_ms"] <= pong["t2_ms"] <= receiver.clock.now_ms()
        for nonsense in ("", "null", '{"type":"ping"}', b"\xff\xfe", "x" * 2000):
            feeder.channel.send(nonsense)
        for _ in range(120):
            feeder.channel.send('{"type":"nothing"}')
        await until(lambda: receiver.counters["ingest.clock_messages_flooding"], 3)
        assert receiver.counters["ingest.clock_messages_oversize"] == 1
        assert receiver.counters["ingest.clock_messages_malformed"] >= 4
        seen = len(notes.frames)
        await until(lambda: len(notes.frames) > seen, 3)
        await feeder.close()


@on_uvloop
async def test_other_data_channels_are_refused() -> None:
    async with receiving() as receiver:
        feeder = Feeder(clock_channel=True)
        other = feeder.pc.createDataChannel("chat")
        await receiver.connect(feeder)
        await until(lambda: receiver.counters["ingest.channels_refused"], 5)
        await until(lambda: other.readyState == "closed", 5)
        await feeder.close()


@on_uvloop
async def test_close_leaves_nothing_behind() -> None:
    async with receiving() as receiver:
        await one_session(receiver_until_frames=True, receiver=receiver)
        await asyncio.sleep(0.2)
        before = Held.now()
        for _ in range(3):
            await one_session(receiver_until_frames=True, receiver=receiver)
        await asyncio.sleep(0.2)
        after = Held.now()
        assert after.threads <= before.threads
        assert after.tasks <= before.tasks
        assert after.files <= before.files


async def one_session(*, receiver_until_frames: bool, receiver: object) -> None:
    from tests.support.receiving import Receiver

    assert isinstance(receiver, Receiver)
    feeder = Feeder(clock_channel=True)
    notes = await receiver.connect(feeder)
    if receiver_until_frames:
        await until(lambda: notes.frames, 5)
    before = time.monotonic()
    await receiver.manager.close(notes.session_id, "client_deleted")
    assert time.monotonic() - before < 2
    assert notes.closed == "client_deleted"
    assert notes.states[-1][0] is SessionState.CLOSED
    assert receiver.manager.live() == []
    await feeder.close()


@on_uvloop
async def test_close_all_ends_every_session_and_lets_nobody_in() -> None:
    from arwarden.core.errors import NoCapacity

    async with receiving() as receiver:
        feeders = [Feeder(fps=10) for _ in range(3)]
        for index, feeder in enumerate(feeders):
            await receiver.connect(feeder, f"quest-{index}")
        await until(lambda: all(notes.frames for notes in receiver.notes), 5)
        assert await receiver.manager.close_all(5)
        assert [notes.closed for notes in receiver.notes] == ["daemon_stopping"] * 3
        late = Feeder()
        with pytest.raises(NoCapacity):
            await receiver.open(await late.offer())
        for feeder in [*feeders, late]:
            await feeder.close()
