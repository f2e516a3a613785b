"""When a frame was captured, on the daemon's clock.

Two measurements make it: RTCP sender reports say which wall-clock time of the *headset* belongs to an
RTP time stamp (RFC 3550, section 6.4.1), and the ``clock`` data channel says how far the headset's clock
is from ours. Where either is missing or says something impossible, the time of arrival is used and the
frame says so.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from arwarden.contract.channel import Ping, Pong
from arwarden.core.frame import CaptureClock
from arwarden.core.offset import OffsetFilter

VIDEO_TICKS_PER_MS = 90.0
NTP_TO_UNIX_S = 2_208_988_800
"""Seconds from the NTP epoch (1900) to the Unix epoch (1970)."""

FIRST_REPORTS_IGNORED = 2
"""Measured with Chromium: its first two reports are 195 and 73 ms off, later ones agree to 1 ms."""
REPORTS_NEEDED = 2
REPORTS_KEPT = 8
REPORT_SPREAD_MS = 50.0
"""Reports that disagree by more than this are not believed."""
REPORT_STEP_MS = 1_000.0
"""A report this far from the others starts a new mapping: the sender restarted its media clock."""
FUTURE_SLACK_MS = 50.0
OLDEST_MS = 2_000.0
"""What a sender may take between capture and the last packet, beyond the round trip: encoders and pacers
take up to half a second. A headset whose two clocks disagree by more (its system clock was set while the
app ran) would date every frame past its use, and no alert would ever be raised."""

FAST_PINGS_MS = 3_000.0
FAST_INTERVAL_MS = 200.0
SLOW_INTERVAL_MS = 1_000.0
PINGS_OPEN = 16


def unix_ms_from_ntp(ntp: int) -> float:
    """A 64-bit NTP time stamp (32.32 fixed point seconds since 1900) as Unix epoch milliseconds."""
    return ((ntp >> 32) - NTP_TO_UNIX_S) * 1000.0 + (ntp & 0xFFFFFFFF) * 1000.0 / 2**32


def ticks_between(later: int, earlier: int) -> int:
    """The signed distance of two 32-bit RTP time stamps, right across a wrap."""
    return ((later - earlier + 0x80000000) & 0xFFFFFFFF) - 0x80000000


class _Report(NamedTuple):
    rtp_timestamp: int
    wall_ms: float


class SenderTimes:
    """Maps RTP time stamps of one source to the sender's wall clock, by its sender reports."""

    def __init__(self) -> None:
        self._reports: deque[_Report] = deque(maxlen=REPORTS_KEPT)
        self._ignored = 0

    def add(self, rtp_timestamp: int, ntp: int) -> None:
        """Take a sender report."""
        if ntp == 0:
            # RFC 3550: a sender without a wall clock reports zero.
            return
        if self._ignored < FIRST_REPORTS_IGNORED:
            self._ignored += 1
            return
        report = _Report(rtp_timestamp, unix_ms_from_ntp(ntp))
        if self._reports and abs(self._map(report.rtp_timestamp) - report.wall_ms) > REPORT_STEP_MS:
            self._reports.clear()
        self._reports.append(report)

    def clear(self) -> None:
        """Forget everything: another source sends now."""
        self._reports.clear()
        self._ignored = 0

    @property
    def usable(self) -> bool:
        """Whether there are enough reports and they agree."""
        if len(self._reports) < REPORTS_NEEDED:
            return False
        walls = self._predictions(self._reports[-1].rtp_timestamp)
        return max(walls) - min(walls) <= REPORT_SPREAD_MS

    def wall_ms(self, rtp_timestamp: int) -> float | None:
        """The sender's wall clock at an RTP time stamp, in Unix epoch milliseconds, where it is known."""
        return self._map(rtp_timestamp) if self.usable else None

    def _map(self, rtp_timestamp: int) -> float:
        return median(self._predictions(rtp_timestamp))

    def _predictions(self, rtp_timestamp: int) -> list[float]:
        return [
            report.wall_ms + ticks_between(rtp_timestamp, report.rtp_timestamp) / VIDEO_TICKS_PER_MS
            for report in self._reports
        ]


class Capture(NamedTuple):
    """A capture time on the daemon's clock and where it comes from."""

    ms: float
    clock: CaptureClock


def capture_time(
    *,
    wall_ms: float | None,
    offset_ms: float | None,
    rtt_ms: float | None,
    arrival_ms: float,
    lateness_ms: float,
) -> Capture:
    """The capture time of a frame.

    ``wall_ms`` is the headset's wall clock at capture, ``offset_ms`` headset clock minus daemon clock,
    ``rtt_ms`` the shortest round trip to it, ``lateness_ms`` how much later than its neighbours the frame
    arrived. A time in the future, or more than two seconds before what arrival suggests, cannot be true:
    such a headset reports another clock than the one it answers pings with.
    """
    if wall_ms is None or offset_ms is None:
        return Capture(arrival_ms, CaptureClock.ARRIVAL)
    capture_ms = wall_ms - offset_ms
    oldest_ms = arrival_ms - lateness_ms - (rtt_ms or 0.0) - OLDEST_MS
    if not oldest_ms <= capture_ms <= arrival_ms + FUTURE_SLACK_MS:
        return Capture(arrival_ms, CaptureClock.ARRIVAL)
    return Capture(min(capture_ms, arrival_ms), CaptureClock.SYNCED)


@dataclass(slots=True)
class _OpenPing:
    id: int
    t0_ms: float


class Pings:
    """Asks the headset for its time: five times a second for three seconds, then once a second."""

    def __init__(self, now_ms: float) -> None:
        self._started_ms = now_ms
        self._next_ms = now_ms
        self._next_id = 0
        self._open: deque[_OpenPing] = deque(maxlen=PINGS_OPEN)
        self.offset = OffsetFilter()

    def due(self, now_ms: float) -> Ping | None:
        """The ping to send now, if one is due."""
        if now_ms < self._next_ms:
            return None
        fast = now_ms - self._started_ms < FAST_PINGS_MS
        self._next_ms = now_ms + (FAST_INTERVAL_MS if fast else SLOW_INTERVAL_MS)
        ping = Ping(id=self._next_id, t0_ms=now_ms)
        self._next_id = (self._next_id + 1) % 2**32
        self._open.append(_OpenPing(ping.id, now_ms))
        return ping

    def answered(self, pong: Pong, now_ms: float) -> bool:
        """Take an answer; False where it belongs to no open ping or cannot be true."""
        for ping in self._open:
            if ping.id == pong.id:
                self._open.remove(ping)
                # Our own time of asking counts, whatever the answer says it was.
                return self.offset.add(ping.t0_ms, pong.t1_ms, pong.t2_ms, now_ms)
        return False
