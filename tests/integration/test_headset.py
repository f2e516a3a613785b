"""The simulated headset over real WebRTC, and with a real broker."""

from __future__ import annotations

import asyncio
import itertools
import socket
import threading
import time
from typing import Any

import pytest

from arwarden.core.clock import SystemClock
from arwarden.core.errors import InputError, Refused
from arwarden.core.frame import ByteImage, View
from arwarden.headset import timecode, whip_client
from arwarden.headset.clip import ClipFeed, EncodedClip
from arwarden.headset.encoder import Codec, VideoEncoder
from arwarden.headset.feed import LiveFeed, StreamFormat
from arwarden.headset.headset import Headset, HeadsetOptions, HeadsetState
from arwarden.headset.pictures import PictureSize
from arwarden.headset.scene import ArScene
from arwarden.headset.situations import Situation, Timeline
from arwarden.headset.whip_client import StreamState
from tests.support.whip_receiver import Refusal, Session, WhipReceiver, luma_of, until, whip_receiver

SMALL = PictureSize(320, 240)
FORMAT = StreamFormat(size=SMALL, fps=15, codec=Codec.VP8, bitrate_kbps=400)
H264 = StreamFormat(size=SMALL, fps=15, codec=Codec.H264, bitrate_kbps=400)


class SkewedClock:
    """A headset whose clock is an hour and a bit off."""

    def __init__(self, ahead_ms: float) -> None:
        self._clock = SystemClock()
        self._ahead_ms = ahead_ms

    def now_ms(self) -> float:
        return self._clock.now_ms() + self._ahead_ms


def scene(stream: StreamFormat = FORMAT, *, static: bool = False) -> ArScene:
    return ArScene(
        stream.size,
        static=static,
        timecode_fps=stream.fps,
        timeline=Timeline.constant(Situation(("Made in France",))),
    )


def feed(stream: StreamFormat = FORMAT) -> LiveFeed:
    return LiveFeed(scene(stream), stream, SystemClock())


def options(receiver: WhipReceiver, **changes: object) -> HeadsetOptions:
    return HeadsetOptions(**{"whip_url": receiver.url, "device_id": "quest-1", **changes})  # type: ignore[arg-type]


def codes(session: Session) -> list[int | None]:
    return [timecode.read(luma_of(frame)) for frame in session.frames]


@pytest.mark.parametrize("stream", [FORMAT, H264], ids=["vp8", "h264"])
async def test_stream_arrives_in_order_with_its_own_timing(stream: StreamFormat) -> None:
    async with whip_receiver() as receiver:
        states: list[StreamState] = []
        headset = Headset(options(receiver), feed(stream), on_state=lambda state: states.append(state.stream))
        summary = await headset.run(seconds=2.0)
        session = receiver.sessions[0]
        numbers = [code for code in codes(session) if code is not None]
    assert len(numbers) >= 0.8 * len(session.frames) > 8
    assert numbers == sorted(set(numbers))
    assert (session.frames[0].width, session.frames[0].height) == SMALL
    # The RTP time stamps are the capture times: frame n is n/15 s after the first.
    first, last = session.frames[0], session.frames[-1]
    assert last.pts is not None
    assert first.pts is not None
    assert (last.pts - first.pts) == pytest.approx((numbers[-1] - numbers[0]) * 6000, abs=1)
    assert summary.frames_sent >= len(session.frames)
    assert summary.connections == 1
    assert states[-2:] == [StreamState.STREAMING, StreamState.CLOSED]
    assert receiver.deleted == [("/whip/1", None)]


async def test_request_says_view_device_and_token_and_prefers_the_codec() -> None:
    async with whip_receiver() as receiver:
        chosen = options(receiver, token="open-sesame", view=View.PASSTHROUGH)
        await Headset(chosen, feed(H264)).run(seconds=0.3)
        session = receiver.sessions[0]
    assert session.query == {"view": "passthrough", "device": "quest-1"}
    assert session.authorization == "Bearer open-sesame"
    assert receiver.deleted == [("/whip/1", "Bearer open-sesame")]
    assert "H264/90000" in session.offer
    assert "VP8/90000" not in session.offer
    assert "open-sesame" not in repr(chosen)


async def test_both_ends_learn_each_others_clock() -> None:
    ahead_ms = 3_661_000.0
    async with whip_receiver() as receiver:
        skewed = SkewedClock(ahead_ms)
        headset = Headset(options(receiver), LiveFeed(scene(), FORMAT, skewed), clock=skewed)
        running = asyncio.create_task(headset.run(seconds=30))
        await until(lambda: receiver.sessions and receiver.sessions[0].hellos, what="hello")
        session = receiver.sessions[0]
        for number in range(5):
            receiver.ping(session, number)
            await asyncio.sleep(0.1)
        await until(lambda: len(session.pongs) >= 3 and headset.offset.exchanges >= 5, what="pongs")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert session.hellos[0].view == "composited"
    assert session.hellos[0].client.startswith("arwarden-headset/")
    offset = headset.offset.offset_ms
    assert offset is not None
    assert abs(offset + ahead_ms) < 50
    pong, arrived_ms = min(session.pongs, key=lambda entry: entry[1] - entry[0].t0_ms)
    assert abs(pong.t1_ms - ahead_ms - pong.t0_ms) < 1000
    assert pong.t1_ms <= pong.t2_ms
    assert arrived_ms >= pong.t0_ms


async def test_sender_reports_carry_capture_times_of_the_headsets_clock() -> None:
    ahead_ms = -7_200_000.0
    async with whip_receiver() as receiver:
        skewed = SkewedClock(ahead_ms)
        live = LiveFeed(scene(), FORMAT, skewed)
        headset = Headset(options(receiver), live, clock=skewed)
        running = asyncio.create_task(headset.run(seconds=30))
        await until(lambda: receiver.sessions and len(receiver.sessions[0].reports) >= 4, what="reports")
        session = receiver.sessions[0]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert live.started_ms is not None
    # All reports but those in the middle of a frame's packets agree on one mapping, to a millisecond.
    origins = sorted(
        (ntp / 2**32 - 2_208_988_800) * 1000.0 - rtp / 90.0 for rtp, ntp in session.reports[1:] if ntp >> 32
    )
    agreeing = max(sum(abs(other - origin) < 1.0 for other in origins) for origin in origins)
    assert agreeing >= len(origins) - 1
    ntp = session.reports[-1][1]
    unix_ms = (ntp / 2**32 - 2_208_988_800) * 1000.0
    frames_after_start = (unix_ms - live.started_ms) * FORMAT.fps / 1000.0
    assert frames_after_start == pytest.approx(round(frames_after_start), abs=0.05)


async def test_keyframe_request_brings_a_keyframe() -> None:
    async with whip_receiver() as receiver:
        # H264: the VP8 decoder does not say which frames are keyframes.
        headset = Headset(options(receiver), feed(H264))
        running = asyncio.create_task(headset.run(seconds=30))
        await until(lambda: receiver.sessions and receiver.sessions[0].ssrcs, what="a sender report")
        session = receiver.sessions[0]
        await until(lambda: len(session.frames) > 3, what="frames")
        seen = len(session.frames)
        assert not any(frame.key_frame for frame in session.frames[1:])
        await session.connection.getReceivers()[0]._send_rtcp_pli(next(iter(session.ssrcs)))
        await until(lambda: any(frame.key_frame for frame in session.frames[seen:]), what="a keyframe")
        number = next(index for index, frame in enumerate(session.frames) if index and frame.key_frame)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert number < 140, "the periodic keyframe is frame 150"


async def test_encoded_clip_loops_with_growing_time_stamps() -> None:
    clip = EncodedClip.render(scene(), seconds=0.6, stream=FORMAT)
    assert len(clip.packets) == 9
    async with whip_receiver() as receiver:
        summary = await Headset(options(receiver), ClipFeed(clip, SystemClock())).run(seconds=2.0)
        session = receiver.sessions[0]
    numbers = codes(session)
    assert len(numbers) > 12
    # Every number of the clip, in a circle, none missing.
    assert all(
        after == (before + 1) % 9
        for before, after in itertools.pairwise(numbers)
        if before is not None and after is not None
    )
    times = [frame.pts for frame in session.frames if frame.pts is not None]
    assert all(after - before == 6000 for before, after in itertools.pairwise(times))
    assert summary.frames_skipped == 0


async def test_source_that_ends_ends_the_run() -> None:
    class Short(ArScene):
        def read(self, t_s: float) -> ByteImage:
            return super().read(t_s) if t_s < 0.5 else None  # type: ignore[return-value]

    async with whip_receiver() as receiver:
        live = LiveFeed(Short(SMALL, timecode_fps=15), FORMAT, SystemClock())
        summary = await Headset(options(receiver), live).run()
        assert receiver.deleted
    assert 1 <= summary.frames_sent <= 8


async def test_source_that_breaks_ends_the_run_with_its_error() -> None:
    class Unplugged(ArScene):
        def read(self, t_s: float) -> ByteImage:
            if t_s > 0.3:
                raise InputError("camera", "the camera sends no picture any more")
            return super().read(t_s)

    async with whip_receiver() as receiver:
        live = LiveFeed(Unplugged(SMALL, timecode_fps=15), FORMAT, SystemClock())
        with pytest.raises(InputError, match="no picture any more"):
            await Headset(options(receiver), live).run()
        assert len(receiver.deleted) == 1


async def test_cancelled_run_deletes_the_session_and_closes_the_source() -> None:
    closed: list[bool] = []

    class Watched(ArScene):
        def close(self) -> None:
            closed.append(True)

    async with whip_receiver() as receiver:
        live = LiveFeed(Watched(SMALL, timecode_fps=15), FORMAT, SystemClock())
        running = asyncio.create_task(Headset(options(receiver), live).run())
        await until(lambda: receiver.sessions and receiver.sessions[0].frames, what="frames")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert receiver.deleted == [("/whip/1", None)]
    assert closed == [True]


async def test_connection_closed_by_the_daemon_is_made_again() -> None:
    states: list[HeadsetState] = []
    async with whip_receiver() as receiver:
        headset = Headset(options(receiver), feed(), on_state=states.append)
        running = asyncio.create_task(headset.run())
        await until(lambda: receiver.sessions and receiver.sessions[0].frames, what="frames")
        await receiver.sessions[0].connection.close()
        await until(lambda: len(receiver.sessions) == 2 and receiver.sessions[1].frames, what="new frames")
        numbers = [codes(session) for session in receiver.sessions]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert StreamState.LOST in [state.stream for state in states]
    last, first = numbers[0][-1], numbers[1][0]
    assert last is not None
    assert first is not None
    assert first > last, "time goes on through a reconnection"


async def test_silent_daemon_is_noticed_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whip_client, "SILENCE_S", 1.0)
    async with whip_receiver() as receiver:
        headset = Headset(options(receiver), feed())
        running = asyncio.create_task(headset.run())
        await until(lambda: headset.offset.exchanges >= 3, what="answered pings")
        receiver.answers_pings = False
        await until(lambda: len(receiver.sessions) == 2, what="a second connection")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert "not answered" in headset.state.stream_reason


async def test_busy_daemon_is_asked_again_after_the_time_it_names() -> None:
    async with whip_receiver() as receiver:
        receiver.refusals = [Refusal(503, headers={"Retry-After": "1"})]
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        summary = await Headset(options(receiver), feed()).run(seconds=0.2)
        assert loop.time() - began_s >= 1.2
    assert summary.connections == 1
    assert summary.counters["whip.lost"] == 1


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        (
            Refusal(401, '{"title": "Unauthorized", "detail": "the token is not known"}'),
            "401 Unauthorized: Unauthorized: the token is not known",
        ),
        (Refusal(406, "<html>\n no such codec </html>"), "406 Not Acceptable: <html> no such codec </html>"),
        (Refusal(404, ""), "404 Not Found"),
        (Refusal(201, "not sdp"), "its answer cannot be used"),
        (Refusal(200, "hello"), "200 OK: hello"),
    ],
    ids=["token", "codec", "path", "no-sdp", "no-whip"],
)
async def test_refusal_ends_the_run_with_the_daemons_words(refusal: Refusal, words: str) -> None:
    async with whip_receiver() as receiver:
        receiver.refusals = [refusal]
        with pytest.raises(Refused) as caught:
            await Headset(options(receiver), feed()).run(seconds=5)
    assert words in str(caught.value)
    assert receiver.url in str(caught.value)


async def test_nobody_there_fails_after_the_connect_timeout(unused_tcp_port: int) -> None:
    alone = HeadsetOptions(whip_url=f"http://127.0.0.1:{unused_tcp_port}/whip", connect_timeout_s=1.0)
    with pytest.raises(Refused, match="no stream within 1 s: no answer from"):
        await Headset(alone, feed()).run(seconds=5)


@pytest.mark.parametrize("silent", [False, True], ids=["closed", "silent"])
async def test_short_run_does_not_wait_long_for_a_daemon_that_is_not_there(
    unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch, silent: bool
) -> None:
    monkeypatch.setattr("arwarden.headset.headset.CONNECT_MARGIN_S", 0.5)
    with socket.socket() as listener:
        port = unused_tcp_port
        if silent:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
        alone = HeadsetOptions(whip_url=f"http://127.0.0.1:{port}/whip")
        async with asyncio.timeout(20):
            with pytest.raises(Refused, match=r"no stream within 0\.7 s"):
                await Headset(alone, feed()).run(seconds=0.2)


@pytest.mark.parametrize("url", ["127.0.0.1:8080/whip", "ftp://host/whip", "http:///whip", "whip"])
async def test_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(Refused, match="http://HOST:PORT/whip"):
        await Headset(HeadsetOptions(whip_url=url), feed()).run(seconds=1)


async def test_token_is_not_sent_to_a_session_elsewhere() -> None:
    async with whip_receiver() as receiver, whip_receiver() as elsewhere:
        receiver.location = f"{elsewhere.url}/1"
        await Headset(options(receiver, token="secret"), feed()).run(seconds=0.2)
    assert elsewhere.deleted == []


async def test_source_and_encoder_never_run_on_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()
    encode = VideoEncoder.encode

    class Slow(ArScene):
        def read(self, t_s: float) -> ByteImage:
            threads.add(threading.get_ident())
            time.sleep(0.25)
            return super().read(t_s)

    def watched(self: VideoEncoder, rgb: ByteImage, pts: int, *, keyframe: bool = False) -> Any:
        threads.add(threading.get_ident())
        return encode(self, rgb, pts, keyframe=keyframe)

    monkeypatch.setattr(VideoEncoder, "encode", watched)
    async with whip_receiver() as receiver:
        headset = Headset(options(receiver), LiveFeed(Slow(SMALL), FORMAT, SystemClock()))
        running = asyncio.create_task(headset.run())
        await until(lambda: receiver.sessions and len(receiver.sessions[0].frames) > 1, what="frames")
        turns = 0
        end_s = asyncio.get_running_loop().time() + 1.5
        while asyncio.get_running_loop().time() < end_s:
            await asyncio.sleep(0.005)
            turns += 1
        headset.stop()
        summary = await running
    # A loop that waits for the source turns about six times in 1.5 s.
    assert turns > 30
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    assert summary.frames_skipped > 0
    assert len(receiver.deleted) == 1
