"""What the wearer sees: the newest revision of each alert, until it ends or expires."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum

from arwarden.contract.messages import AckAction, Alert, AlertState
from arwarden.core.counters import Counters

MAX_SHOWN = 32
IDS_REMEMBERED = 1024
SEVERITIES = ("info", "warning", "critical")
ENDS = frozenset({AlertState.CLEARED, AlertState.RETRACTED})


class Change(StrEnum):
    """What happened to an alert in the wearer's view."""

    SHOWN = "shown"
    UPDATED = "updated"
    ENDED = "ended"
    EXPIRED = "expired"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ShownAlert:
    """An alert and what became of it here. Times are on the headset's clock."""

    alert: Alert
    change: Change
    at_ms: float
    expires_ms: float
    capture_to_shown_ms: float | None = None
    """From the capture of the frame it was computed from; None where the daemon's clock is not known."""
    publish_to_shown_ms: float | None = None
    reason: str = ""

    @property
    def acks(self) -> tuple[AckAction, ...]:
        """What the daemon is told about it."""
        match self.change:
            case Change.SHOWN | Change.UPDATED:
                return (AckAction.RECEIVED, AckAction.SHOWN)
            case Change.ENDED:
                return (AckAction.RECEIVED,)
            case Change.EXPIRED:
                return (AckAction.EXPIRED,)
            case Change.REFUSED:
                return (AckAction.REFUSED,)


class ShownAlerts:
    """The list itself. Pure: takes messages and the time, returns what changes for the wearer."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._shown: dict[str, ShownAlert] = {}
        self._revisions: OrderedDict[str, int] = OrderedDict()
        self._epoch: str | None = None

    @property
    def shown(self) -> tuple[ShownAlert, ...]:
        """What is in view, most severe first, then newest."""
        return tuple(sorted(self._shown.values(), key=lambda entry: (-_rank(entry), -entry.at_ms)))

    def new_epoch(self, epoch: str, now_ms: float) -> list[ShownAlert]:
        """The daemon's run, as its messages name it: with another run, the alerts of the last end."""
        if epoch == self._epoch:
            return []
        self._epoch = epoch
        self._revisions.clear()
        ended = [
            self._left(entry, Change.ENDED, now_ms, "daemon_restarted") for entry in self._shown.values()
        ]
        self._shown.clear()
        return ended

    def take(self, alert: Alert, now_ms: float, offset_ms: float | None) -> list[ShownAlert]:
        """Take a message that arrived at ``now_ms``; ``offset_ms`` is daemon's clock minus headset's."""
        changes = self.new_epoch(alert.epoch, now_ms)
        if alert.revision <= self._revisions.get(alert.alert_id, 0):
            self._counters.add("alerts.old_revision")
            return changes
        self._remember(alert)
        shown_before = self._shown.pop(alert.alert_id, None)
        entry = _entry(alert, now_ms, offset_ms, Change.SHOWN if shown_before is None else Change.UPDATED)
        if alert.state in ENDS:
            if shown_before is None:
                self._counters.add("alerts.ended_unseen")
            return [*changes, self._left(entry, Change.ENDED, now_ms, alert.reason or alert.state.value)]
        if entry.expires_ms <= now_ms:
            self._counters.add("alerts.expired_on_arrival")
            return [*changes, self._left(entry, Change.EXPIRED, now_ms, "expired_on_arrival")]
        self._shown[alert.alert_id] = entry
        return [*changes, *self._make_room(entry, now_ms)]

    def expire(self, now_ms: float) -> list[ShownAlert]:
        """Take down what has expired by now."""
        over = [entry for entry in self._shown.values() if entry.expires_ms <= now_ms]
        for entry in over:
            del self._shown[entry.alert.alert_id]
        return [self._left(entry, Change.EXPIRED, now_ms, "expired") for entry in over]

    def _make_room(self, entry: ShownAlert, now_ms: float) -> list[ShownAlert]:
        if len(self._shown) <= MAX_SHOWN:
            return [entry]
        least = self.shown[-1]
        del self._shown[least.alert.alert_id]
        refused = self._left(least, Change.REFUSED, now_ms, "too_many_alerts")
        return [refused] if least is entry else [entry, refused]

    def _remember(self, alert: Alert) -> None:
        self._revisions[alert.alert_id] = alert.revision
        self._revisions.move_to_end(alert.alert_id)
        while len(self._revisions) > IDS_REMEMBERED:
            self._revisions.popitem(last=False)

    def _left(self, entry: ShownAlert, change: Change, now_ms: float, reason: str) -> ShownAlert:
        return ShownAlert(entry.alert, change, now_ms, entry.expires_ms, reason=reason)


def _entry(alert: Alert, now_ms: float, offset_ms: float | None, change: Change) -> ShownAlert:
    if offset_ms is None:
        # Without the daemon's clock the message counts as published now: shown too long by the time
        # it travelled, rather than not at all on a headset whose clock is an hour off.
        expires_ms = now_ms + alert.expires_ms - alert.published_ms
        return ShownAlert(alert, change, now_ms, expires_ms)
    daemon_now_ms = now_ms + offset_ms
    return ShownAlert(
        alert,
        change,
        now_ms,
        alert.expires_ms - offset_ms,
        capture_to_shown_ms=daemon_now_ms - alert.captured_ms,
        publish_to_shown_ms=daemon_now_ms - alert.published_ms,
    )


def _rank(entry: ShownAlert) -> int:
    return SEVERITIES.index(entry.alert.severity)
