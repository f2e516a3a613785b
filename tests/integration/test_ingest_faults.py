"""What goes wrong with real senders, replayed over real WebRTC on this machine."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import socket
import threading
import time
from collections.abc import Callable

import psutil
import pytest

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.errors import MalformedOffer, NoCapacity
from arwarden.core.frame import Frame
from arwarden.ingest.sessions import OFFERS_AT_ONCE
from arwarden.ingest.signalling import Candidate
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
from tests.support.receiving import Held, LoopStalls, Receiver, on_uvloop, receiving, until

MARGIN_MS = 600.0
"""What a busy machine with two cores may add to a time."""


def numbers(frames: list[Frame]) -> list[int]:
    marks = [read_mark(frame.picture.luma()) for frame in frames]
    return [mark.number for mark in marks if mark is not None]


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


# A headset that dies, dozes or leaves -------------------------------------------------------------------


@on_uvloop
async def test_silent_peer_death_is_reported_and_frees_its_slot() -> None:
    config = IngestConfig(max_sessions=1)
    async with receiving(config) as receiver:
        process = await FeederProcess.start()
        other = Feeder()
        try:
            notes = await receiver.connect(process, "quest")
            await until(lambda: notes.frames, 5)
            process.signal(signal.SIGKILL)
            killed_ms = receiver.clock.now_ms()
            offer = await other.offer()
            with pytest.raises(NoCapacity):
                await receiver.open(offer, "other")
            await until(lambda: notes.state is SessionState.LOST, 8)
            stalled_ms, lost_ms = notes.first(SessionState.STALLED), notes.first(SessionState.LOST)
            assert stalled_ms is not None
            assert lost_ms is not None
            assert stalled_ms - killed_ms < 2000 + MARGIN_MS
            assert lost_ms - killed_ms < 5000 + MARGIN_MS
            answer = await receiver.open(offer, "other")
            assert receiver.manager.device_of(answer.session_id) == "other"
        finally:
            await process.end()
            await other.close()


@pytest.mark.parametrize("asleep_s", [3, 10])
@on_uvloop
async def test_suspended_headset_comes_back_without_old_pictures(asleep_s: int) -> None:
    async with receiving() as receiver:
        process = await FeederProcess.start("--codec", "H264")
        try:
            notes = await receiver.connect(process)
            await until(lambda: len(notes.frames) > 20, 5)
            process.signal(signal.SIGSTOP)
            await asyncio.sleep(asleep_s)
            assert (notes.first(SessionState.LOST) is not None) == (asleep_s > 5)
            seen = len(notes.frames)
            resumed_ms = receiver.clock.now_ms()
            process.signal(signal.SIGCONT)
            await until(lambda: len(notes.frames) > seen + 10, 3)
            first_fresh_ms = notes.shown_ms[seen]
            assert first_fresh_ms - resumed_ms < 1000
            assert notes.first(SessionState.STALLED) is not None
            assert notes.state not in (SessionState.STALLED, SessionState.LOST)
            info = receiver.manager.live()[0]
            assert info.counts.frames_stale >= 10 * asleep_s, "90 frames were caught up in a burst, or 300"
            # The sender draws late frames at the moment it sends them, so the number tells the backlog.
            after = numbers(notes.frames[seen:])
            assert after[0] - numbers(notes.frames[:seen])[-1] > 20 * asleep_s
        finally:
            await process.end()


def test_headset_that_slept_until_its_connection_was_given_up_is_let_in_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aioice.ice.CONSENT_INTERVAL", 0.25)
    asleep_until_given_up()


@on_uvloop
async def asleep_until_given_up() -> None:
    async with receiving(IngestConfig(max_sessions=1, stall_ms=300, release_ms=900)) as receiver:
        process, again = await FeederProcess.start(), Feeder()
        try:
            notes = await receiver.connect(process)
            await until(lambda: len(notes.frames) > 20, 5)
            process.signal(signal.SIGSTOP)
            await until(lambda: notes.closed, 20)
            assert notes.closed == "connection_lost"
            assert receiver.manager.live() == []
            process.signal(signal.SIGCONT)
            await asyncio.sleep(0.5)
            assert len(receiver.notes) == 1, "what it still sends to the closed connection is nobody's"
            before = time.monotonic()
            fresh = await receiver.connect(again)
            assert time.monotonic() - before < 1.0
            await until(lambda: len(fresh.frames) > 5, 5)
        finally:
            await process.end()
            await again.close()


@on_uvloop
async def test_media_clock_that_stood_still_is_believed_again_within_a_second() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        notes = await receiver.connect(feeder)
        await until(lambda: len(notes.frames) > 15, 5)
        feeder.track.paused.clear()
        await asyncio.sleep(1.2)
        feeder.track.shift_start(1.2)
        seen = len(notes.frames)
        feeder.track.paused.set()
        took_s = await until(lambda: len(notes.frames) > seen, 3)
        assert took_s < 1.0
        await feeder.close()


@on_uvloop
async def test_parked_session_comes_back_when_packets_do() -> None:
    config = IngestConfig(stall_ms=300, release_ms=600, max_sessions=1)
    async with receiving(config) as receiver:
        feeder = Feeder()
        notes = await receiver.connect(feeder)
        await until(lambda: notes.frames, 5)
        feeder.track.paused.clear()
        await until(lambda: notes.state is SessionState.LOST, 3)
        assert receiver.manager.device_of(notes.session_id) == "quest"
        seen = len(notes.frames)
        feeder.track.paused.set()
        await until(lambda: notes.state is not SessionState.LOST and len(notes.frames) > seen, 5)
        await feeder.close()


@on_uvloop
async def test_parked_session_waits_while_its_slot_is_taken() -> None:
    config = IngestConfig(stall_ms=300, release_ms=600, max_sessions=1)
    async with receiving(config) as receiver:
        feeder, other = Feeder(), Feeder()
        notes = await receiver.connect(feeder, "quest")
        await until(lambda: notes.frames, 5)
        feeder.track.paused.clear()
        await until(lambda: notes.state is SessionState.LOST, 3)
        theirs = await receiver.connect(other, "other")
        await until(lambda: theirs.frames, 5)
        seen = len(notes.frames)
        feeder.track.paused.set()
        await asyncio.sleep(0.5)
        assert len(notes.frames) == seen
        assert receiver.counters["ingest.packets_without_slot"] > 0
        await receiver.manager.close(theirs.session_id, "client_deleted")
        await until(lambda: len(notes.frames) > seen, 5)
        await feeder.close()
        await other.close()


@on_uvloop
async def test_clean_leave_closes_at_once() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        notes = await receiver.connect(feeder)
        await until(lambda: notes.frames, 5)
        await feeder.close()
        took_s = await until(lambda: notes.closed, 3)
        assert took_s < 1.5
        assert notes.states[-1][:2] == (SessionState.CLOSED, ("peer_left",))
        assert receiver.manager.live() == []


@on_uvloop
async def test_client_that_never_connects_is_closed() -> None:
    config = IngestConfig(connect_timeout_ms=300)
    async with receiving(config) as receiver:
        feeder = Feeder()
        await receiver.open(await feeder.offer())
        await until(lambda: receiver.notes[0].closed, 3)
        assert receiver.notes[0].closed == "connect_timeout"
        await feeder.close()


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


# Coming and going ---------------------------------------------------------------------------------------


@on_uvloop
async def test_returning_device_takes_over_at_once_and_leaks_nothing() -> None:
    async with receiving(IngestConfig(max_sessions=1)) as receiver:
        feeders: list[Feeder] = []
        held: list[Held] = []
        for turn in range(12):
            feeder = Feeder(fps=30)
            feeders.append(feeder)
            before = time.monotonic()
            notes = await receiver.connect(feeder, "quest")
            assert time.monotonic() - before < 1.0
            await until(lambda notes=notes: notes.frames, 5)  # type: ignore[misc]
            if len(feeders) > 1:
                # The one before still sends: it has lost its session all the same.
                await until(lambda: receiver.notes[-2].closed, 3)
                assert receiver.notes[-2].closed == "taken_over"
                await feeders[-2].close()
            assert len(receiver.manager.live()) == 1
            if turn == 3:
                await asyncio.sleep(0.2)
                held.append(Held.now())

        def is_back() -> bool:
            # On a busy machine the last decoder thread takes a moment to end.
            now = Held.now()
            return (
                now.threads <= held[0].threads
                and now.tasks <= held[0].tasks + 2
                and now.files <= held[0].files + 2
            )

        await until(is_back, 3)
        await feeders[-1].close()


@on_uvloop
async def test_connect_and_close_cycles_never_stop_the_loop() -> None:
    async with receiving() as receiver:
        first = Feeder()
        await receiver.connect(first)
        await asyncio.sleep(0.3)
        await first.close()
        await until(lambda: not receiver.manager.live(), 3)
        await asyncio.sleep(0.2)
        before = Held.now()
        stalls: list[float] = []
        for cycle in range(10):
            process_wide = Feeder(make=lambda number: marked_picture(number, 640, 480), codec="H264")
            notes = await receiver.connect(process_wide)
            await until(lambda notes=notes: notes.frames, 5)  # type: ignore[misc]
            if cycle % 3 == 0:
                fill_decoder(receiver)
            async with LoopStalls() as watch:
                await receiver.manager.close(notes.session_id, "client_deleted")
            stalls.append(watch.worst_ms)
            await process_wide.close()
        await asyncio.sleep(0.2)
        after = Held.now()
        assert sorted(stalls)[-2] < 100, stalls
        assert after.threads <= before.threads
        assert after.tasks <= before.tasks
        assert after.files <= before.files + 1


def fill_decoder(receiver: Receiver) -> None:
    """Give the only session's decoder as many large frames as it takes."""
    from arwarden.ingest.assembler import EncodedFrame
    from arwarden.ingest.decoder import BACKLOG_FRAMES, Work

    (session,) = receiver.manager._sessions.values()
    (data,) = vp8_packets([marked_picture(0, 1280, 960, seed=1)])
    frame = EncodedFrame("VP8", data, True, False, 0, 0, 0.0, 1)
    for number in range(BACKLOG_FRAMES):
        session.stream._decoder.submit(Work(1_000_000 + number, frame))


@on_uvloop
async def test_close_while_connectivity_checks_are_pending() -> None:
    async with receiving() as receiver:
        silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        silent.bind(("127.0.0.1", 0))
        for pause_s in (0.0, 0.01, 0.03, 0.1, 0.6):
            feeder = Feeder(clock_channel=True)
            answer = await receiver.open(await feeder.offer())
            port = silent.getsockname()[1]
            text = f"1 1 udp 2130706431 192.0.2.77 {port} typ host"
            await receiver.manager.add_candidates(answer.session_id, [Candidate(text, None, 0)])
            await asyncio.sleep(pause_s)
            await receiver.manager.close(answer.session_id, "client_deleted")
            await feeder.close()
        await asyncio.sleep(0.8)
        silent.close()


@on_uvloop
async def test_close_in_every_stage_of_connecting() -> None:
    async with receiving() as receiver:
        for pause_ms in (0, 2, 5, 10, 20, 40):
            feeder = Feeder(clock_channel=True)
            notes = await receiver.connect(feeder)
            await asyncio.sleep(pause_ms / 1000)
            await receiver.manager.close(notes.session_id, "client_deleted")
            assert notes.closed == "client_deleted"
            await feeder.close()
        assert receiver.manager.live() == []


def consent_checks_of_daemons() -> list[asyncio.Task[object]]:
    """Tasks of connections that were offered to, as ours are; the feeder's own aiortc is as it is."""
    found = []
    for task in asyncio.all_tasks():
        coroutine = task.get_coro()
        if getattr(coroutine, "__qualname__", "") == "Connection.query_consent":
            frame = getattr(coroutine, "cr_frame", None)
            if frame is not None and not frame.f_locals["self"].ice_controlling:
                found.append(task)
    return found


@on_uvloop
async def test_client_that_leaves_while_it_connects_leaves_no_consent_checks_behind() -> None:
    async with receiving() as receiver:
        most = 0
        for pause_ms in range(0, 50, 2):
            feeder = Feeder()
            notes = await receiver.connect(feeder)
            await asyncio.sleep(pause_ms / 1000)
            most = max(most, len(consent_checks_of_daemons()))
            await receiver.manager.close(notes.session_id, "client_deleted")
            await feeder.close()
        await asyncio.sleep(0.1)
        assert most, "some connected"
        assert consent_checks_of_daemons() == []


@on_uvloop
async def test_all_slots_taken() -> None:
    async with receiving(IngestConfig(max_sessions=1)) as receiver:
        feeder, other = Feeder(), Feeder()
        await receiver.connect(feeder, "quest")
        with pytest.raises(NoCapacity):
            await receiver.open(await other.offer(), "other")
        assert len(receiver.notes) == 1
        assert receiver.counters["ingest.no_capacity"] == 1
        await feeder.close()
        await other.close()


@on_uvloop
async def test_burst_of_offers_of_one_device_neither_stops_the_loop_nor_takes_all_sockets() -> None:
    async with receiving(IngestConfig(max_sessions=1)) as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        await receiver.open(offer)  # the first one loads what is loaded once
        before = Held.now()
        most_files = 0

        async def watch_files() -> None:
            nonlocal most_files
            while True:
                most_files = max(most_files, Held.now().files)
                await asyncio.sleep(0.01)

        watching = asyncio.create_task(watch_files())
        results = await asyncio.gather(*(receiver.open(offer) for _ in range(100)), return_exceptions=True)
        watching.cancel()
        answered = [result for result in results if not isinstance(result, BaseException)]
        assert answered, "whoever sends many is not shut out altogether"
        assert len(answered) <= OFFERS_AT_ONCE
        assert receiver.counters["ingest.offers_at_once"] >= 100 - OFFERS_AT_ONCE
        assert most_files < before.files + 20
        assert len(receiver.manager.live()) == 1
        again = await receiver.open(offer)
        assert receiver.manager.device_of(again.session_id) == "quest"
        await feeder.close()


@on_uvloop
async def test_offer_that_fails_leaves_the_running_session_alone() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        notes = await receiver.connect(feeder)
        await until(lambda: notes.frames, 5)
        before = Held.now()
        for offer in ("", "garbage", "v=0\r\n", feeder.pc.localDescription.sdp.replace("a=ice-ufrag", "a=x")):
            with pytest.raises(MalformedOffer):
                await receiver.open(offer, "quest")
        await asyncio.sleep(0.1)
        assert Held.now().files <= before.files
        assert notes.closed is None
        assert len(receiver.notes) == 1, "no handler is made for an offer that fails"
        await feeder.close()


@on_uvloop
async def test_missing_fingerprint_is_no_unhandled_error() -> None:
    async with receiving() as receiver:
        feeder = Feeder()
        offer = await feeder.offer()
        lines = [line for line in offer.splitlines() if not line.startswith("a=fingerprint")]
        answer = await receiver.open("\r\n".join(lines) + "\r\n")
        try:
            await feeder.accept(answer.sdp)
            await until(lambda: receiver.counters["ingest.connect_errors"], 5)
            await until(lambda: receiver.notes[0].closed, 3)
        finally:
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
