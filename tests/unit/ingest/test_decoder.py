"""The decoder's thread: bounded, in order, and gone when told."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator

import pytest

from arwarden.ingest.assembler import EncodedFrame
from arwarden.ingest.decoder import (
    BACKLOG_FRAMES,
    OUTBOX_FRAMES,
    Decoded,
    Decoder,
    Work,
    decode,
    open_decoder,
)
from tests.support.feeder import marked_picture, vp8_packets
from tests.support.receiving import until


def encoded(data: bytes, *, keyframe: bool = False, codec: str = "VP8") -> EncodedFrame:
    return EncodedFrame(codec, data, keyframe, False, 0, 0, 0.0, 1)


@pytest.fixture(scope="module")
def clip() -> list[bytes]:
    return vp8_packets(marked_picture(number, 320, 240, seed=number) for number in range(10))


class Bench:
    def __init__(self) -> None:
        self.out: list[Decoded] = []
        self.decoder = Decoder(asyncio.get_running_loop(), self.out.extend)

    def submit(self, sequence: int, data: bytes, *, keyframe: bool = False) -> int:
        return self.decoder.submit(Work(sequence, encoded(data, keyframe=keyframe)))


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    bench = Bench()
    yield bench
    assert await bench.decoder.stop(5)


async def test_frames_come_out_in_order(bench: Bench, clip: list[bytes]) -> None:
    for number, data in enumerate(clip):
        assert bench.submit(number, data, keyframe=number == 0) == 0
        await until(lambda number=number: len(bench.out) > number, 5)  # type: ignore[misc]
    assert [decoded.sequence for decoded in bench.out] == list(range(10))
    assert all(decoded.picture is not None and not decoded.error for decoded in bench.out)


async def test_damaged_data_is_reported_and_the_next_keyframe_decodes(
    bench: Bench, clip: list[bytes]
) -> None:
    for number, data in enumerate([clip[1], b"\x01", b"\x10\x00\x00", clip[0]]):
        bench.submit(number, data)
    await until(lambda: len(bench.out) == 4, 5)
    assert [bool(decoded.error) for decoded in bench.out] == [True, True, True, False]
    assert bench.out[3].picture is not None


def hold(bench: Bench) -> threading.Lock:
    """Make the decoder thread wait until the lock is released."""
    lock = threading.Lock()
    lock.acquire()
    deliver = bench.decoder._put

    def wait_and_put(decoded: Decoded) -> None:
        with lock:
            deliver(decoded)

    bench.decoder._put = wait_and_put  # type: ignore[method-assign]
    return lock


async def test_full_backlog_keeps_what_follows_the_newest_keyframe(bench: Bench, clip: list[bytes]) -> None:
    lock = hold(bench)
    bench.submit(0, clip[0], keyframe=True)
    await until(lambda: bench.decoder.backlog == 0, 5)
    dropped = 0
    for number in range(1, BACKLOG_FRAMES + 2):
        dropped += bench.submit(number, clip[number % 9 + 1], keyframe=number == 50)
    assert dropped == 49
    assert bench.decoder.backlog == BACKLOG_FRAMES + 1 - 49
    lock.release()


async def test_full_backlog_without_a_keyframe_is_thrown_away(bench: Bench, clip: list[bytes]) -> None:
    lock = hold(bench)
    bench.submit(0, clip[0], keyframe=True)
    await until(lambda: bench.decoder.backlog == 0, 5)
    dropped = [bench.submit(number, clip[1]) for number in range(1, BACKLOG_FRAMES + 2)]
    assert dropped[:-1] == [0] * BACKLOG_FRAMES
    assert dropped[-1] == BACKLOG_FRAMES + 1
    assert bench.decoder.backlog == 0
    lock.release()


async def test_backlog_of_only_newer_frames_than_its_keyframe_is_bounded(
    bench: Bench, clip: list[bytes]
) -> None:
    lock = hold(bench)
    bench.submit(0, clip[0], keyframe=True)
    await until(lambda: bench.decoder.backlog == 0, 5)
    for number in range(1, 3 * BACKLOG_FRAMES):
        bench.submit(number, clip[1], keyframe=number == 1)
        assert bench.decoder.backlog <= BACKLOG_FRAMES
    lock.release()


async def test_blocked_loop_keeps_only_the_newest_pictures(bench: Bench, clip: list[bytes]) -> None:
    for number in range(40):
        bench.submit(number, clip[number % 10], keyframe=number % 10 == 0)
    deadline = time.monotonic() + 10
    while bench.decoder.backlog and time.monotonic() < deadline:
        time.sleep(0.01)  # noqa: ASYNC251 - the point is that the loop is blocked
    time.sleep(0.05)  # noqa: ASYNC251 - the last one is being decoded
    await until(lambda: bench.out, 5)
    assert len(bench.out) <= OUTBOX_FRAMES
    assert bench.out[-1].sequence == 39
    assert bench.decoder.superseded == 40 - len(bench.out)


async def test_stop_ends_the_thread_without_waiting_for_the_backlog(clip: list[bytes]) -> None:
    bench = Bench()
    large = vp8_packets([marked_picture(0, 1280, 960, seed=1)])[0]
    for number in range(BACKLOG_FRAMES):
        bench.submit(number, large, keyframe=True)
    before = time.monotonic()
    assert await bench.decoder.stop(5)
    assert time.monotonic() - before < 1
    seen = len(bench.out)
    await asyncio.sleep(0.05)
    assert len(bench.out) == seen
    assert bench.submit(99, large) == 1, "nothing is taken after the end"
    await until(lambda: not any(t.name == "arwarden-decoder" for t in threading.enumerate()), 2)


async def test_stop_before_the_first_frame() -> None:
    assert await Bench().decoder.stop(1)


def test_thread_outlives_its_loop_quietly(clip: list[bytes]) -> None:
    async def abandon() -> Decoder:
        bench = Bench()
        for number in range(BACKLOG_FRAMES):
            bench.submit(number, clip[0], keyframe=True)
        return bench.decoder

    decoder = asyncio.run(abandon())
    assert decoder._thread is not None
    decoder._thread.join(5)
    assert not decoder._thread.is_alive()


def test_picture_that_claims_to_be_huge_is_refused(clip: list[bytes]) -> None:
    # RFC 6386, section 9.1: after the three-byte frame tag and the start code come width and height.
    huge = bytearray(clip[0])
    huge[6:10] = (0x3FFF).to_bytes(2, "little") * 2
    decoded = decode(open_decoder("VP8"), Work(0, encoded(bytes(huge))))
    assert decoded.picture is None
    assert decoded.error


def test_h264_is_decoded_without_delay() -> None:
    import fractions

    from aiortc.codecs import depayload
    from aiortc.codecs.h264 import H264Encoder
    from aiortc.rtcrtpparameters import RTCRtpCodecParameters

    codec = RTCRtpCodecParameters(mimeType="video/H264", clockRate=90_000, payloadType=97)
    encoder, context = H264Encoder(), open_decoder("H264")
    for number in range(5):
        picture = marked_picture(number, 160, 120)
        picture.pts, picture.time_base = number * 3000, fractions.Fraction(1, 90_000)
        payloads, _ = encoder.encode(picture)
        data = b"".join(depayload(codec, payload) for payload in payloads)
        decoded = decode(context, Work(number, encoded(data, codec="H264")))
        assert decoded.picture is not None, number
