"""Headsets that die, doze, leave, come back or crowd in, over real WebRTC on this machine."""

from __future__ import annotations

import asyncio
import signal
import socket
import time

import pytest

from arwarden.config import IngestConfig
from arwarden.contract.messages import SessionState
from arwarden.core.errors import MalformedOffer, NoCapacity
from arwarden.ingest.sessions import OFFERS_AT_ONCE
from arwarden.ingest.signalling import Candidate
from tests.support.feeder import (
    Feeder,
    FeederProcess,
    marked_picture,
    vp8_packets,
)
from tests.support.receiving import Held, LoopStalls, Receiver, numbers, on_uvloop, receiving, until

MARGIN_MS = 600.0
"""What a busy machine with two cores may add to a time."""


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
            # On a busy machine most are thrown away before they are decoded and seen to be old.
            counts = receiver.manager.live()[0].counts
            thrown_away = counts.frames_stale + counts.frames_undecoded
            assert thrown_away >= 10 * asleep_s, "90 frames were caught up in a burst, or 300"
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
