"""The life of a session in virtual time."""

from __future__ import annotations

import pytest

from arwarden.core.clock import VirtualClock
from arwarden.ingest.liveness import FORGET_MS, Liveness, Phase

TICK_MS = 50.0


class Life:
    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.liveness = Liveness(
            connect_timeout_ms=10_000, stall_ms=2_000, release_ms=5_000, now_ms=clock.now_ms()
        )
        self.changes: list[tuple[Phase, float]] = []
        self.start_ms = clock.now_ms()

    def phase(self) -> Phase:
        return self.liveness.phase

    def run(self, for_ms: float, *, packets: bool = False, slot_free: bool = True) -> None:
        for _ in range(int(for_ms / TICK_MS)):
            now_ms = self.clock.advance(TICK_MS)
            before = self.liveness.phase
            if packets:
                self.liveness.packet(now_ms, slot_free=slot_free)
            self.liveness.tick(now_ms)
            if self.liveness.phase is not before:
                self.changes.append((self.liveness.phase, now_ms - self.start_ms))


@pytest.fixture
def life(clock: VirtualClock) -> Life:
    return Life(clock)


def test_session_that_never_connects_is_closed(life: Life) -> None:
    life.run(9_900)
    assert life.phase() is Phase.CONNECTING
    assert life.liveness.holds_slot
    life.run(200)
    assert life.phase() is Phase.CLOSED
    assert life.liveness.reason == "connect_timeout"
    assert not life.liveness.holds_slot


def test_first_packet_makes_it_live(life: Life) -> None:
    life.run(1_000)
    life.run(60_000, packets=True)
    assert life.changes == [(Phase.LIVE, 1_050.0)]


def test_silence_stalls_parks_and_closes_in_time(life: Life) -> None:
    life.run(1_000, packets=True)
    life.run(70_000)
    assert life.changes == [
        (Phase.LIVE, 50.0),
        (Phase.STALLED, 3_000.0),
        (Phase.PARKED, 6_000.0),
        (Phase.CLOSED, 6_000.0 + FORGET_MS),
    ]
    assert life.liveness.reason == "silent"


@pytest.mark.parametrize(
    ("pause_ms", "phase"), [(3_000, Phase.STALLED), (10_000, Phase.PARKED), (40_000, Phase.PARKED)]
)
def test_packets_after_a_pause_resume(life: Life, pause_ms: float, phase: Phase) -> None:
    life.run(1_000, packets=True)
    life.run(pause_ms)
    assert life.phase() is phase
    assert life.liveness.holds_slot is (phase is Phase.STALLED)
    life.run(TICK_MS, packets=True)
    assert life.phase() is Phase.LIVE
    assert life.liveness.holds_slot


def test_parked_session_waits_for_a_slot(life: Life) -> None:
    life.run(1_000, packets=True)
    life.run(6_000)
    life.run(1_000, packets=True, slot_free=False)
    assert life.phase() is Phase.PARKED
    life.run(TICK_MS, packets=True, slot_free=True)
    assert life.phase() is Phase.LIVE


def test_parked_session_without_a_slot_is_not_kept_for_ever(life: Life) -> None:
    life.run(1_000, packets=True)
    life.run(6_000)
    life.run(FORGET_MS, packets=True, slot_free=False)
    assert life.phase() is Phase.CLOSED


def test_stalled_session_needs_no_free_slot(life: Life) -> None:
    life.run(1_000, packets=True)
    life.run(3_000)
    life.run(TICK_MS, packets=True, slot_free=False)
    # It still holds its own; the caller says so for sessions that are not parked.
    assert life.phase() is Phase.LIVE


@pytest.mark.parametrize("pause_ms", [600, 3_000, 20_000])
def test_own_pause_is_not_the_headsets(life: Life, pause_ms: float) -> None:
    life.run(1_000, packets=True)
    life.liveness.tick(life.clock.advance(pause_ms))
    assert life.phase() is Phase.LIVE
    life.run(1_900)
    assert life.phase() is Phase.LIVE
    life.run(200)
    assert life.phase() is Phase.STALLED


def test_own_pause_counts_no_silence_twice(life: Life) -> None:
    life.run(1_000, packets=True)
    life.run(1_500)
    now_ms = life.clock.advance(5_000)
    life.liveness.tick(now_ms)
    assert life.liveness.silence_ms(now_ms) == pytest.approx(1_500)


def test_closed_stays_closed_and_keeps_its_reason(life: Life) -> None:
    life.liveness.close("taken_over")
    life.liveness.close("client_deleted")
    life.run(1_000, packets=True)
    assert life.phase() is Phase.CLOSED
    assert life.liveness.reason == "taken_over"
