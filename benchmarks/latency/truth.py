"""From time codes to true times of capture, and from the clip to what was visible when. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.latency.clip import ClipEvent


@dataclass(frozen=True, slots=True)
class StreamTimes:
    """When which frame of a looping clip was captured, on the shared clock."""

    started_mono_ms: float
    fps: float
    loop_frames: int

    def captured_mono_ms(self, tick: int) -> float:
        """The time of capture of the stream's frame number ``tick``, counted from 0 over all loops."""
        return self.started_mono_ms + 1000.0 * tick / self.fps

    def tick_of(self, code: int, seen_mono_ms: float) -> int | None:
        """The frame that carries this time code and was seen at that time.

        It is the newest with this code that had been captured by then, so it is right as long as frames
        are seen less than a loop after their capture. None for a code that no frame carries, or where
        none had been captured yet.
        """
        if not 0 <= code < self.loop_frames:
            return None
        # Half a frame of slack: rounding must not take a frame that was seen at once for one of a loop ago.
        newest = int((seen_mono_ms - self.started_mono_ms) * self.fps / 1000.0 + 0.5)
        tick = newest - (newest - code) % self.loop_frames
        return tick if tick >= 0 else None

    def captured_of(self, code: int, seen_mono_ms: float) -> float | None:
        """The time of capture of the frame with this code that was seen at that time."""
        tick = self.tick_of(code, seen_mono_ms)
        return None if tick is None else self.captured_mono_ms(tick)


@dataclass(frozen=True, slots=True)
class VisibleEvent:
    """A contradiction in the stream: visible in frames captured from one time until before another."""

    visible_mono_ms: float
    hidden_mono_ms: float
    texts: tuple[str, ...]
    attribute: str


def visible_events(
    events: Sequence[ClipEvent], times: StreamTimes, until_mono_ms: float
) -> list[VisibleEvent]:
    """Every contradiction of the stream that appears before a moment, in order."""
    found = []
    base = 0
    while times.captured_mono_ms(base) < until_mono_ms:
        found += [
            VisibleEvent(
                times.captured_mono_ms(base + event.from_frame),
                times.captured_mono_ms(base + event.to_frame),
                event.texts,
                event.attribute,
            )
            for event in events
        ]
        base += times.loop_frames
    return [event for event in found if event.visible_mono_ms < until_mono_ms]
