"""Which alert is about which contradiction of the stream. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from benchmarks.latency.records import SeenAlert
from benchmarks.latency.truth import VisibleEvent

ALIKE = 0.8
"""Texts this similar are the same one, read with a mistake."""


@dataclass(frozen=True, slots=True)
class TimedAlert:
    """An alert with the true time of capture of the frame it was computed from."""

    alert: SeenAlert
    captured_mono_ms: float


@dataclass(frozen=True, slots=True)
class Matches:
    """What became of the events of one stream."""

    alerted: Mapping[VisibleEvent, TimedAlert]
    missed: tuple[VisibleEvent, ...]
    false: tuple[TimedAlert, ...]
    """Shown to the wearer about something that was not visible."""

    def within(self, from_mono_ms: float, to_mono_ms: float) -> Matches:
        """Only the events that appear and leave between two moments, and the false alerts between them."""

        def inside(event: VisibleEvent) -> bool:
            return from_mono_ms <= event.visible_mono_ms and event.hidden_mono_ms <= to_mono_ms

        return Matches(
            {event: timed for event, timed in self.alerted.items() if inside(event)},
            tuple(event for event in self.missed if inside(event)),
            tuple(timed for timed in self.false if from_mono_ms <= timed.alert.arrived_mono_ms <= to_mono_ms),
        )

    def visible_to_headset_ms(self) -> list[float]:
        """Per event that was alerted: from the first frame that shows it to the alert's arrival."""
        return [timed.alert.arrived_mono_ms - event.visible_mono_ms for event, timed in self.alerted.items()]


def match(events: Sequence[VisibleEvent], shown: Sequence[TimedAlert]) -> Matches:
    """Give each event the first alert that was computed from a frame in which it is visible.

    ``shown`` are the alerts about contradictions as the wearer first saw them. An alert belongs to an
    event only if it names the event's own texts; a second one about it is neither an answer nor false.
    """
    alerted: dict[VisibleEvent, TimedAlert] = {}
    false = []
    for timed in sorted(shown, key=lambda each: each.alert.arrived_mono_ms):
        event = next((each for each in events if _is_about(timed, each)), None)
        if event is None:
            false.append(timed)
        else:
            alerted.setdefault(event, timed)
    return Matches(alerted, tuple(event for event in events if event not in alerted), tuple(false))


def _is_about(timed: TimedAlert, event: VisibleEvent) -> bool:
    # A thousandth of a millisecond for rounding: frames are 10 ms and more apart.
    visible = event.visible_mono_ms - 0.001 <= timed.captured_mono_ms < event.hidden_mono_ms - 0.001
    return visible and all(any(_alike(text, other) for other in event.texts) for text in timed.alert.texts)


def _alike(text: str, other: str) -> bool:
    first, second = _plain(text), _plain(other)
    return first == second or SequenceMatcher(None, first, second).ratio() >= ALIKE


def _plain(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())
