"""From what the processes wrote down to the figures of the report. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmarks.latency.clip import Clip
from benchmarks.latency.matching import Matches, TimedAlert, match
from benchmarks.latency.phases import PhaseLog
from benchmarks.latency.records import JudgedFrame, SeenAlert, SenderLog
from benchmarks.latency.truth import StreamTimes, visible_events
from benchmarks.latency.usage import MemoryUse, memory_use
from benchmarks.statistics import Summary, summary

CAPTURE_TO_JUDGED = "capture to judged"
CAPTURE_TO_PUBLISH = "capture to publish"
CAPTURE_TO_HEADSET = "capture to headset"
VISIBLE_TO_HEADSET = "visible to headset"
DAEMON_STAGES = (
    "sampling",
    "queue",
    "motion",
    "elements",
    "ocr",
    "panels",
    "claims",
    "turns",
    "orientation",
    "quality",
)
"""What the daemon itself says about a sample; sampling is from arrival to the start of the pass."""
STAGES = ("sender", "transport", *DAEMON_STAGES, "publish", "delivery")
TOTALS = (CAPTURE_TO_JUDGED, CAPTURE_TO_PUBLISH, CAPTURE_TO_HEADSET, VISIBLE_TO_HEADSET)
AFTER_THE_END_MS = 60_000.0
DROP_COUNTERS: Mapping[str, str] = {
    "unchanged": "sampling.static",
    "not compared": "sampling.not_compared",
    "superseded": "sampling.superseded",
    "overdue": "sampling.overdue",
    "stale": "ingest.frames_stale",
    "lost": "ingest.frames_lost",
    "not decoded": "ingest.frames_undecoded",
    "decoded in vain": "ingest.frames_superseded",
    "past the deadline": "samples.past_deadline",
    "failed": "samples.failed",
}


@dataclass(frozen=True, slots=True)
class EventCounts:
    """What became of the contradictions that were visible."""

    visible: int
    alerted: int
    missed: tuple[str, ...]
    """On what the texts of those disagree that no alert came for."""
    false_alerts: tuple[str, ...]
    """The texts of alerts about something that was not visible."""


@dataclass(frozen=True, slots=True)
class FrameCounts:
    """What became of the frames while it was measured."""

    sent: int
    received: int
    judged: int
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class StreamResult:
    """The daemon on a moving scene."""

    latency_ms: Mapping[str, Summary | None]
    """By stage, then in total; see docs/benchmarks.md."""
    events: EventCounts
    frames: FrameCounts
    cpu_s_per_stream_minute: float
    memory: MemoryUse
    clock_error_ms: Summary | None
    """Absolute difference between what the daemon takes for a frame's capture time and the true one."""
    unsynced_frames: int
    """Judged frames whose capture time was that of their arrival."""
    loop_lag_p95_ms: float | None


@dataclass(frozen=True, slots=True)
class NaiveOutcome:
    """The naive design on the same moving scene."""

    age_ms: Summary | None
    """From the capture of a frame to the arrival of what it shows at the headset."""
    judged: int
    seconds: float
    cpu_s_per_stream_minute: float
    memory: MemoryUse


@dataclass(slots=True)
class _Collected:
    """Values of all headsets together."""

    latency_ms: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    clock_error_ms: list[float] = field(default_factory=list)
    matches: list[Matches] = field(default_factory=list)
    sent: int = 0
    judged: int = 0
    unsynced: int = 0


class _Headset:
    """One headset's notes, beside what the daemon wrote down about its session."""

    def __init__(self, log: PhaseLog, sender: SenderLog, clip: Clip) -> None:
        self._anchor_ms = log.anchor_ms
        self._from_ms, self._to_ms = log.usage.from_mono_ms, log.usage.to_mono_ms
        self._sender = sender
        self._clip = clip
        self._times = StreamTimes(sender.started_mono_ms, clip.fps, clip.frames)
        judged = [frame for frame in log.receiver.judged if frame.session_id in sender.session_ids]
        self._true_ms = {frame.captured_daemon_ms: self._true_capture_ms(frame) for frame in judged}
        self._judged = [frame for frame in judged if self._measured(self._mono(frame.judged_daemon_ms))]

    def add_to(self, collected: _Collected) -> None:
        """Add everything that happened while it was measured."""
        self._add_sent(collected)
        for frame in self._judged:
            self._add_judged(frame, collected)
        for alert in self._sender.alerts:
            self._add_alert(alert, collected)
        matches = self._matches()
        collected.matches.append(matches)
        collected.latency_ms[VISIBLE_TO_HEADSET] += matches.visible_to_headset_ms()

    def _add_sent(self, collected: _Collected) -> None:
        for tick, lateness_ms in enumerate(self._sender.lateness_ms):
            if self._measured(self._times.captured_mono_ms(tick)):
                collected.sent += 1
                collected.latency_ms["sender"].append(lateness_ms)

    def _add_judged(self, frame: JudgedFrame, collected: _Collected) -> None:
        latency_ms = collected.latency_ms
        for stage in DAEMON_STAGES:
            if stage in frame.stages_ms:
                latency_ms[stage].append(frame.stages_ms[stage])
        collected.judged += 1
        collected.unsynced += not frame.synced
        true_ms = self._true_ms[frame.captured_daemon_ms]
        if true_ms is not None:
            latency_ms["transport"].append(self._mono(frame.arrival_daemon_ms) - true_ms)
            latency_ms[CAPTURE_TO_JUDGED].append(self._mono(frame.judged_daemon_ms) - true_ms)
            if frame.synced:
                collected.clock_error_ms.append(abs(self._mono(frame.captured_daemon_ms) - true_ms))

    def _add_alert(self, alert: SeenAlert, collected: _Collected) -> None:
        """Take the times of a message that a sample caused; what passing time caused has no capture."""
        true_ms = self._true_ms.get(alert.captured_daemon_ms)
        if true_ms is None or "sampling" not in alert.stages_ms or not self._measured(alert.arrived_mono_ms):
            return
        published_ms = self._mono(alert.published_daemon_ms)
        collected.latency_ms["publish"].append(alert.stages_ms.get("publish", 0.0))
        collected.latency_ms["delivery"].append(alert.arrived_mono_ms - published_ms)
        collected.latency_ms[CAPTURE_TO_PUBLISH].append(published_ms - true_ms)
        collected.latency_ms[CAPTURE_TO_HEADSET].append(alert.arrived_mono_ms - true_ms)

    def _matches(self) -> Matches:
        # All of the stream: an alert about a contradiction that the window cuts off is no false one.
        events = visible_events(self._clip.events, self._times, self._to_ms + AFTER_THE_END_MS)
        shown = []
        for alert in self._sender.alerts:
            true_ms = self._true_ms.get(alert.captured_daemon_ms)
            if alert.shown and alert.kind == "contradiction" and true_ms is not None:
                shown.append(TimedAlert(alert, true_ms))
        return match(events, shown).within(self._from_ms, self._to_ms)

    def _true_capture_ms(self, frame: JudgedFrame) -> float | None:
        if frame.code is None:
            return None
        return self._times.captured_of(frame.code, self._mono(frame.arrival_daemon_ms))

    def _mono(self, daemon_ms: float) -> float:
        return daemon_ms - self._anchor_ms

    def _measured(self, at_mono_ms: float) -> bool:
        return self._from_ms <= at_mono_ms <= self._to_ms


def stream_result(log: PhaseLog, clip: Clip) -> StreamResult:
    """What the daemon did with the moving scene."""
    collected = _Collected()
    for sender in log.senders:
        _Headset(log, sender, clip).add_to(collected)
    matches = collected.matches
    return StreamResult(
        latency_ms={stage: summary(collected.latency_ms[stage]) for stage in (*STAGES, *TOTALS)},
        events=EventCounts(
            visible=sum(len(each.alerted) + len(each.missed) for each in matches),
            alerted=sum(len(each.alerted) for each in matches),
            missed=tuple(event.attribute for each in matches for event in each.missed),
            false_alerts=tuple(" / ".join(timed.alert.texts) for each in matches for timed in each.false),
        ),
        frames=FrameCounts(
            sent=collected.sent,
            received=log.counted("ingest.frames_received"),
            judged=collected.judged,
            dropped={name: log.counted(counter) for name, counter in DROP_COUNTERS.items()},
        ),
        cpu_s_per_stream_minute=log.cpu_s_per_stream_minute,
        memory=memory_use(log.usage.memory),
        clock_error_ms=summary(collected.clock_error_ms),
        unsynced_frames=collected.unsynced,
        loop_lag_p95_ms=log.after.loop_lag_p95_ms,
    )


def naive_outcome(log: PhaseLog, clip: Clip) -> NaiveOutcome:
    """How old the naive design's results were when they reached the headset."""
    ages_ms = []
    for sender in log.senders:
        times = StreamTimes(sender.started_mono_ms, clip.fps, clip.frames)
        for result in sender.naive:
            captured_ms = times.captured_of(result.code, result.arrived_mono_ms)
            if captured_ms is not None and result.arrived_mono_ms >= log.usage.from_mono_ms:
                ages_ms.append(result.arrived_mono_ms - captured_ms)
    return NaiveOutcome(
        age_ms=summary(ages_ms),
        judged=log.counted("naive.judged"),
        seconds=log.usage.seconds,
        cpu_s_per_stream_minute=log.cpu_s_per_stream_minute,
        memory=memory_use(log.usage.memory),
    )
