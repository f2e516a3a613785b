"""Capture times: what the sender's reports and the clock channel make of an RTP time stamp."""

from __future__ import annotations

import pytest

from arwarden.contract.channel import Ping, Pong
from arwarden.core.frame import CaptureClock
from arwarden.ingest.clock_sync import (
    FIRST_REPORTS_IGNORED,
    NTP_TO_UNIX_S,
    PINGS_OPEN,
    REPORTS_NEEDED,
    Pings,
    SenderTimes,
    capture_time,
    ticks_between,
    unix_ms_from_ntp,
)

WALL_MS = 1_700_000_000_000.0


def ntp(unix_ms: float) -> int:
    return round((unix_ms / 1000.0 + NTP_TO_UNIX_S) * 2**32)


def reported(
    *, origin: int = 0, count: int = 6, every_ms: float = 500.0, error_ms: float = 0.0
) -> SenderTimes:
    """Reports of a sender whose RTP time stamp was ``origin`` at ``WALL_MS``; the first two are off."""
    times = SenderTimes()
    for index in range(count):
        at_ms = index * every_ms
        off_ms = (195.0, 73.0)[index] if index < 2 else error_ms * (-1) ** index
        times.add((origin + round(at_ms * 90)) & 0xFFFFFFFF, ntp(WALL_MS + at_ms + off_ms))
    return times


def test_ntp_time_stamps() -> None:
    assert unix_ms_from_ntp(NTP_TO_UNIX_S << 32) == 0.0
    assert unix_ms_from_ntp(ntp(WALL_MS + 0.25)) == pytest.approx(WALL_MS + 0.25, abs=1e-3)


@pytest.mark.parametrize(
    ("later", "earlier", "ticks"),
    [(10, 3, 7), (3, 10, -7), (5, 2**32 - 5, 10), (2**32 - 5, 5, -10), (2**31 - 1, 0, 2**31 - 1)],
)
def test_distance_of_time_stamps_across_the_wrap(later: int, earlier: int, ticks: int) -> None:
    assert ticks_between(later, earlier) == ticks


def test_first_reports_do_not_count() -> None:
    times = reported(count=FIRST_REPORTS_IGNORED + REPORTS_NEEDED - 1)
    assert not times.usable
    assert times.wall_ms(0) is None
    assert reported(count=FIRST_REPORTS_IGNORED + REPORTS_NEEDED).usable


@pytest.mark.parametrize("origin", [0, 2**32 - 100_000, 2**31 - 50_000])
def test_frames_are_dated_across_the_wrap(origin: int) -> None:
    times = reported(origin=origin)
    for at_ms in (0.0, 1_234.0, 9_000.0):
        stamp = (origin + round(at_ms * 90)) & 0xFFFFFFFF
        assert times.wall_ms(stamp) == pytest.approx(WALL_MS + at_ms, abs=0.01)


def test_reports_that_disagree_are_not_believed() -> None:
    assert reported(error_ms=10.0).wall_ms(0) == pytest.approx(WALL_MS, abs=11.0)
    assert reported(error_ms=40.0).wall_ms(0) is None


def test_sender_without_a_clock_reports_zero() -> None:
    times = SenderTimes()
    for _ in range(10):
        times.add(1, 0)
    assert times.wall_ms(1) is None


def test_restarted_media_clock_is_learnt_anew() -> None:
    times = reported()
    for index in range(REPORTS_NEEDED):
        times.add(77_000_000 + index * 45_000, ntp(WALL_MS + 10_000 + index * 500))
    assert times.wall_ms(77_000_000) == pytest.approx(WALL_MS + 10_000, abs=0.01)


def test_another_source_starts_from_nothing() -> None:
    times = reported()
    times.clear()
    assert not times.usable
    times.add(0, ntp(WALL_MS))
    times.add(1, ntp(WALL_MS))
    assert not times.usable


def capture(
    wall_ms: float | None, offset_ms: float | None, *, lateness_ms: float = 0.0, rtt_ms: float | None = 5.0
) -> tuple[float, CaptureClock]:
    return capture_time(
        wall_ms=wall_ms, offset_ms=offset_ms, rtt_ms=rtt_ms, arrival_ms=WALL_MS, lateness_ms=lateness_ms
    )


def test_capture_time_is_the_headsets_less_its_offset() -> None:
    assert capture(WALL_MS + 5_000 - 80, 5_000.0) == (WALL_MS - 80, CaptureClock.SYNCED)


@pytest.mark.parametrize(
    ("wall_ms", "offset_ms", "why"),
    [
        (None, 0.0, "no reports"),
        (WALL_MS, None, "no clock channel"),
        (WALL_MS + 60.0, 0.0, "in the future"),
        (WALL_MS - 2_006.0, 0.0, "older than two seconds and the round trip"),
        (WALL_MS, 9_000.0, "its system clock was set nine seconds ahead while the app ran"),
        (WALL_MS, 86_400_000.0, "a day off"),
        (WALL_MS, -86_400_000.0, "a day off the other way"),
        (WALL_MS, 1e300, "no time at all"),
        (12_345.0, 0.0, "another clock: milliseconds since the app's start"),
    ],
)
def test_impossible_or_missing_times_fall_back_to_arrival(
    wall_ms: float | None, offset_ms: float | None, why: str
) -> None:
    assert capture(wall_ms, offset_ms) == (WALL_MS, CaptureClock.ARRIVAL), why


def test_small_error_into_the_future_becomes_arrival() -> None:
    assert capture(WALL_MS + 20.0, 0.0) == (WALL_MS, CaptureClock.SYNCED)


def test_frame_known_to_be_late_may_be_old() -> None:
    assert capture(WALL_MS - 7_500.0, 0.0, lateness_ms=6_000.0)[1] is CaptureClock.SYNCED


def test_path_known_to_be_long_may_make_it_old() -> None:
    assert capture(WALL_MS - 3_500.0, 0.0, rtt_ms=1_600.0)[1] is CaptureClock.SYNCED
    assert capture(WALL_MS - 3_500.0, 0.0, rtt_ms=None)[1] is CaptureClock.ARRIVAL


def test_pings_come_fast_first_and_slow_later() -> None:
    pings = Pings(0.0)
    times = [now_ms for now_ms in range(0, 10_000, 50) if pings.due(now_ms) is not None]
    assert sum(time < 3_000 for time in times) == 15
    assert sum(time >= 3_000 for time in times) in (7, 8)


def answer(ping: Ping, *, offset_ms: float, at_ms: float) -> Pong:
    return Pong(id=ping.id, t0_ms=ping.t0_ms, t1_ms=at_ms + offset_ms, t2_ms=at_ms + offset_ms)


def test_answers_make_an_offset() -> None:
    pings = Pings(0.0)
    ping = pings.due(0.0)
    assert ping is not None
    assert pings.answered(answer(ping, offset_ms=7_000.0, at_ms=10.0), 20.0)
    assert pings.offset.offset_ms == pytest.approx(7_000.0)
    assert not pings.answered(answer(ping, offset_ms=0.0, at_ms=10.0), 20.0), "each is answered once"


def test_answer_cannot_choose_when_it_was_asked() -> None:
    pings = Pings(0.0)
    ping = pings.due(0.0)
    assert ping is not None
    lie = Pong(id=ping.id, t0_ms=-1e9, t1_ms=10.0, t2_ms=10.0)
    assert pings.answered(lie, 20.0)
    assert pings.offset.rtt_ms == pytest.approx(20.0)


def test_unknown_and_forgotten_answers_are_refused() -> None:
    pings = Pings(0.0)
    first = pings.due(0.0)
    assert first is not None
    for index in range(1, PINGS_OPEN + 1):
        assert pings.due(index * 1_000.0) is not None
    assert not pings.answered(answer(first, offset_ms=0.0, at_ms=0.0), 1.0)
    assert not pings.answered(Pong(id=4_000_000, t0_ms=0.0, t1_ms=0.0, t2_ms=0.0), 1.0)
