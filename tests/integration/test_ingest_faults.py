"""What goes wrong with real senders, replayed over real WebRTC on this machine."""

from __future__ import annotations

import asyncio
import ctypes
import os
import socket
import threading
import time
from collections.abc import Callable

import psutil
import pytest

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from tests.support.feeder import (
    Feeder,
    FeederProcess,
    SentPacket,
    loss_pattern,
    marked_picture,
    read_mark,
    vp8_packets,
    wall_mark_ms,
)
from tests.support.receiving import numbers, on_uvloop, receiving, until

# A slow or rude neighbour in this process --------------------------------------------------------------


@on_uvloop
async def test_slow_consumer_neither_ages_nor_grows_memory() -> None:
    async with receiving() as receiver:
        feeder = Feeder(make=lambda number: marked_picture(number, 640, 480), codec="H264")
        notes = await receiver.connect(feeder)
        notes.keep = 1
        await until(lambda: notes.frames, 5)
        before_bytes = psutil.Process().memory_info().rss
        ages_ms: list[int] = []
        for _ in range(10):
            await asyncio.sleep(0.3)
            mark = read_mark(notes.frames[-1].picture.luma())
            if mark is not None:
                ages_ms.append(wall_mark_ms() - mark.time_ms)
        grown_bytes = psutil.Process().memory_info().rss - before_bytes
        assert len(notes.shown_ms) > 45, "every frame is told of, however slow the consumer is"
        assert sorted(ages_ms)[len(ages_ms) // 2] < 250, ages_ms
        assert ages_ms[-1] < 500, ages_ms
        assert grown_bytes < 60e6
        await feeder.close()


@on_uvloop
async def test_thread_that_holds_the_interpreter_does_not_end_the_stream() -> None:
    async with receiving() as receiver:
        process = await FeederProcess.start("--fps", "20")
        try:
            notes = await receiver.connect(process)
            await until(lambda: len(notes.frames) > 5, 5)
            # PyDLL keeps the interpreter's lock while it sleeps: nothing else in this process runs.
            hold = threading.Thread(target=lambda: ctypes.PyDLL(None).usleep(2_300_000))
            hold.start()
            await asyncio.sleep(0.2)
            hold.join()
            seen = len(notes.frames)
            await until(lambda: len(notes.frames) > seen + 5, 2, "fresh frames after the pause")
            assert notes.first(SessionState.STALLED) is None, "the silence was ours, not the headset's"
            mark = read_mark(notes.frames[-1].picture.luma())
            assert mark is None or wall_mark_ms() - mark.time_ms < 1000
        finally:
            await process.end()


# Loss ---------------------------------------------------------------------------------------------------


def lose_first_frame() -> Callable[[SentPacket], bool]:
    first: list[int] = []

    def drop(packet: SentPacket) -> bool:
        if not first:
            first.append(packet.timestamp)
        return packet.timestamp == first[0]

    return drop


@pytest.mark.parametrize("codec", ["VP8", "H264"])
@on_uvloop
async def test_lost_first_keyframe_is_asked_for_again(codec: str) -> None:
    async with receiving() as receiver:
        feeder = Feeder(codec=codec, drop=lose_first_frame())
        notes = await receiver.connect(feeder)
        await until(lambda: notes.frames, 5)
        assert feeder.plis
        assert numbers(notes.frames)[0] > 0
        await until(lambda: notes.state is SessionState.OK, 3)
        assert not notes.frames[-1].transport.damaged
        await feeder.close()


@on_uvloop
async def test_sender_that_ignores_keyframe_requests_is_named() -> None:
    async with receiving() as receiver:
        feeder = Feeder(drop=lose_first_frame(), ignore_pli=True)
        notes = await receiver.connect(feeder)
        await until(lambda: "no_keyframe" in notes.reasons(), 6)
        assert notes.state is SessionState.DEGRADED
        assert not notes.frames, "nothing can be decoded"
        gaps_s = [later - earlier for earlier, later in zip(feeder.plis, feeder.plis[1:], strict=False)]
        assert all(gap_s > 0.9 for gap_s in gaps_s), gaps_s
        assert len(feeder.plis) <= 4
        await feeder.close()


@on_uvloop
async def test_lost_frame_marks_the_picture_until_the_next_keyframe() -> None:
    async with receiving() as receiver:
        feeder = Feeder(codec="VP8", rtx=False)
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) > 10, 5)
        lost: list[int] = []

        def drop_a_frame(packet: SentPacket) -> bool:
            """Lose one frame with all its retransmissions, and every keyframe for a while."""
            if not lost:
                lost.append(packet.timestamp)
            return packet.timestamp == lost[0]

        feeder.ignore_pli = True
        feeder.drop = drop_a_frame
        await until(lambda: notes.frames[-1].transport.damaged, 4)
        await until(lambda: notes.state is SessionState.DEGRADED, 2)
        assert "frames_lost" in notes.reasons()
        feeder.ignore_pli = False
        await until(lambda: not notes.frames[-1].transport.damaged, 6)
        await until(lambda: notes.state is SessionState.OK, 8)
        assert receiver.counters["ingest.packets_lost"] >= 1
        await feeder.close()


@on_uvloop
async def test_five_percent_loss_with_jitter() -> None:
    pattern = [index % 20 == 7 for index in range(20)]
    lose = loss_pattern(pattern)
    async with receiving() as receiver:
        feeder = Feeder(
            make=lambda number: marked_picture(number, 320, 240, seed=number % 8),
            fps=20,
            codec="H264",
            drop=lambda packet: lose(packet) if packet.number > 40 else False,
            delay_s=lambda packet: (packet.number * 37 % 100) / 1000.0,
        )
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) > 60, 12)
        assert feeder.nacked > 0
        order = [frame.sequence for frame in notes.frames]
        assert order == sorted(order)
        lost = receiver.counters["ingest.frames_lost"]
        flagged = sum(frame.transport.damaged for frame in notes.frames)
        assert lost == 0 or flagged > 0, "a lost frame shows in the health of those after it"
        assert notes.frames[-1].transport.jitter_ms > 1
        await feeder.close()


# Odd pictures -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packets", [127, 128, 129, 400, 700])
@on_uvloop
async def test_keyframe_of_many_packets_comes_out_whole(packets: int) -> None:
    frames = vp8_packets([marked_picture(number, 160, 120) for number in range(20)], keyframe_packets=packets)
    async with receiving() as receiver:
        feeder = Feeder(make=lambda number: frames[number % len(frames)], fps=20)
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) >= 3, 5)
        # The very first packets may pass before the receiver has started: then the next keyframe counts.
        first = numbers(notes.frames)[0]
        assert first == 0
        assert not notes.frames[0].transport.damaged
        assert receiver.counters["ingest.decoder_errors"] == 0
        await feeder.close()


@pytest.mark.parametrize("codec", ["VP8", "H264"])
@on_uvloop
async def test_resolution_changes_within_the_stream(codec: str) -> None:
    sizes = [(640, 480), (320, 240), (960, 720)]
    async with receiving() as receiver:
        feeder = Feeder(make=lambda number: marked_picture(number, *sizes[number // 8 % 3]), codec=codec)
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) >= 24, 8)
        shapes = [(frame.picture.width_px, frame.picture.height_px) for frame in notes.frames]
        assert set(shapes) == set(sizes)
        for frame in notes.frames[::6]:
            width, height = frame.picture.width_px, frame.picture.height_px
            assert frame.picture.luma().shape == (height, width)
            assert frame.picture.rgb().shape == (height, width, 3)
        assert receiver.counters["ingest.decoder_errors"] == 0
        assert len(numbers(notes.frames)) > len(notes.frames) // 2, "marks are where they were drawn"
        await feeder.close()


@pytest.mark.parametrize("size", [(641, 479), (1, 1), (1279, 959)])
@on_uvloop
async def test_odd_sizes(size: tuple[int, int]) -> None:
    width, height = size
    async with receiving() as receiver:
        feeder = Feeder(make=lambda number: marked_picture(number, width, height), codec="VP8", fps=15)
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) >= 3, 6)
        picture = notes.frames[-1].picture
        luma, rgb = picture.luma(), picture.rgb()
        assert luma.shape == (height, width)
        assert rgb.shape == (height, width, 3)
        assert 60 < luma[-1, -1] < 140, "the last column is picture, not padding"
        assert 60 < rgb[-1, -1].mean() < 140
        await feeder.close()


@on_uvloop
async def test_media_time_that_jumps_by_hours_harms_nothing() -> None:
    # Packets, because encoders refuse media times that go back.
    frames = vp8_packets(marked_picture(number, 160, 120) for number in range(4))
    async with receiving() as receiver:
        feeder = Feeder(make=lambda number: frames[number % len(frames)])
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) > 10, 5)
        for jump in (-90_000 * 3600 * 6, 90_000 * 3600 * 6):
            feeder.track.ticks_offset += jump
            seen = len(notes.frames)
            await until(lambda seen=seen: len(notes.frames) > seen + 5, 3)  # type: ignore[misc]
        assert receiver.counters["ingest.frames_stale"] < 20
        await feeder.close()


# The network --------------------------------------------------------------------------------------------


@on_uvloop
async def test_hidden_addresses_do_not_delay_the_answer() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        hidden = offer.replace("a=end-of-candidates\r\n", "")
        line = next(line for line in hidden.splitlines() if line.startswith("a=candidate") and "." in line)
        address = line.split()[4]
        hidden = hidden.replace(f" {address} ", " 5c1d2bb6-1111-2222-3333-444455556666.local ")
        before = time.monotonic()
        answer = await receiver.open(hidden)
        assert time.monotonic() - before < 0.5
        await feeder.accept(answer.sdp)
        await until(lambda: receiver.notes[0].frames, 5)
        await feeder.close()


@on_uvloop
async def test_silent_stun_server_delays_the_answer_no_longer_than_configured() -> None:
    silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    silent.bind(("127.0.0.1", 0))
    config = IngestConfig(
        ice_servers=(f"stun:127.0.0.1:{silent.getsockname()[1]}",), ice_gather_timeout_ms=300
    )
    async with receiving(config) as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        before = time.monotonic()
        answer = await receiver.open(offer)
        assert time.monotonic() - before < 1.3
        assert "a=candidate" in answer.sdp, "host candidates are kept"
        await feeder.accept(answer.sdp)
        await until(lambda: receiver.notes[0].frames, 5)
        await feeder.close()
    silent.close()


@on_uvloop
async def test_empty_and_random_datagrams_do_not_end_the_session() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        answer = await receiver.open(offer)
        await feeder.accept(answer.sdp)
        notes = receiver.notes[0]
        await until(lambda: notes.frames, 5)
        candidates = [line.split() for line in answer.sdp.splitlines() if line.startswith("a=candidate")]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for bits in candidates:
                if ":" not in bits[4]:
                    for data in (b"", b"\x80", b"\x14", os.urandom(64), b"\x90" + os.urandom(40)):
                        stranger.sendto(data, (bits[4], int(bits[5])))
        seen = len(notes.frames)
        await until(lambda: len(notes.frames) > seen + 10, 3)
        assert receiver.counters["ingest.unreadable_datagrams"] >= 1
        await feeder.close()
