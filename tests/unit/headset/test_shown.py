"""What the wearer sees, in virtual time."""

from __future__ import annotations

import pytest

from arwarden.contract.messages import AckAction
from arwarden.core.counters import Counters
from arwarden.headset.headset import HeadsetSummary
from arwarden.headset.shown import MAX_SHOWN, Change, ShownAlerts
from tests.unit.headset.alerts import START_MS, make_alert

AHEAD_MS = 3_600_000.0
"""The headset's clock is this much before the daemon's."""
NOW_MS = START_MS - AHEAD_MS + 40


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def alerts(counters: Counters) -> ShownAlerts:
    return ShownAlerts(counters)


def test_new_alert_is_shown_with_its_latencies(alerts: ShownAlerts) -> None:
    (change,) = alerts.take(make_alert(), NOW_MS, AHEAD_MS)
    assert change.change is Change.SHOWN
    assert change.capture_to_shown_ms == pytest.approx(240)
    assert change.publish_to_shown_ms == pytest.approx(40)
    assert change.expires_ms == pytest.approx(START_MS + 3000 - AHEAD_MS)
    assert change.acks == (AckAction.RECEIVED, AckAction.SHOWN)
    assert alerts.shown == (change,)


def test_unknown_clock_shows_without_latencies_for_as_long_as_it_is_useful(alerts: ShownAlerts) -> None:
    (change,) = alerts.take(make_alert(), NOW_MS, None)
    assert change.capture_to_shown_ms is None
    assert change.publish_to_shown_ms is None
    assert change.expires_ms == NOW_MS + 3000


def test_newer_revision_replaces_and_older_is_ignored(alerts: ShownAlerts, counters: Counters) -> None:
    alerts.take(make_alert(revision=2), NOW_MS, AHEAD_MS)
    (update,) = alerts.take(make_alert(revision=3, state="confirmed"), NOW_MS, AHEAD_MS)
    assert update.change is Change.UPDATED
    assert alerts.take(make_alert(revision=3), NOW_MS, AHEAD_MS) == []
    assert alerts.take(make_alert(revision=1, message="old"), NOW_MS, AHEAD_MS) == []
    assert counters["alerts.old_revision"] == 2
    assert [entry.alert.revision for entry in alerts.shown] == [3]


@pytest.mark.parametrize("state", ["cleared", "retracted"])
def test_end_takes_it_down_and_it_stays_down(alerts: ShownAlerts, state: str) -> None:
    alerts.take(make_alert(), NOW_MS, AHEAD_MS)
    (end,) = alerts.take(make_alert(revision=2, state=state, reason="unseen"), NOW_MS + 10, AHEAD_MS)
    assert end.change is Change.ENDED
    assert end.reason == "unseen"
    assert end.acks == (AckAction.RECEIVED,)
    assert alerts.shown == ()
    assert alerts.take(make_alert(revision=1), NOW_MS + 20, AHEAD_MS) == []


def test_end_without_a_beginning_shows_nothing(alerts: ShownAlerts, counters: Counters) -> None:
    (end,) = alerts.take(make_alert(revision=4, state="cleared"), NOW_MS, AHEAD_MS)
    assert end.change is Change.ENDED
    assert alerts.shown == ()
    assert counters["alerts.ended_unseen"] == 1


def test_end_counts_even_when_it_comes_late(alerts: ShownAlerts) -> None:
    alerts.take(make_alert(expires_ms=START_MS + 60_000), NOW_MS, AHEAD_MS)
    (end,) = alerts.take(make_alert(revision=2, state="cleared"), NOW_MS + 10_000, AHEAD_MS)
    assert end.change is Change.ENDED


def test_expired_on_arrival_is_never_shown(alerts: ShownAlerts, counters: Counters) -> None:
    (change,) = alerts.take(make_alert(), NOW_MS + 3000, AHEAD_MS)
    assert change.change is Change.EXPIRED
    assert change.acks == (AckAction.EXPIRED,)
    assert alerts.shown == ()
    assert counters["alerts.expired_on_arrival"] == 1


def test_shown_alert_expires_on_the_daemons_clock(alerts: ShownAlerts) -> None:
    alerts.take(make_alert(), NOW_MS, AHEAD_MS)
    assert alerts.expire(NOW_MS + 2959) == []
    (change,) = alerts.expire(NOW_MS + 2960)
    assert change.change is Change.EXPIRED
    assert change.reason == "expired"
    assert alerts.shown == ()
    assert alerts.expire(NOW_MS + 9999) == []


def test_restarted_daemon_ends_what_the_last_run_showed(alerts: ShownAlerts) -> None:
    alerts.take(make_alert(revision=7), NOW_MS, AHEAD_MS)
    changes = alerts.take(make_alert(epoch="run-2", revision=1), NOW_MS, AHEAD_MS)
    assert [change.change for change in changes] == [Change.ENDED, Change.SHOWN]
    assert changes[0].reason == "daemon_restarted"
    assert [entry.alert.epoch for entry in alerts.shown] == ["run-2"]


def test_same_epoch_changes_nothing(alerts: ShownAlerts) -> None:
    alerts.take(make_alert(), NOW_MS, AHEAD_MS)
    assert alerts.new_epoch("run-1", NOW_MS) == []
    assert len(alerts.shown) == 1


def test_view_is_bounded_and_the_least_severe_gives_way(alerts: ShownAlerts) -> None:
    for index in range(MAX_SHOWN):
        alerts.take(make_alert(alert_id=f"w{index}"), NOW_MS + index, AHEAD_MS)
    shown, refused = alerts.take(make_alert(alert_id="c", severity="critical"), NOW_MS + 50, AHEAD_MS)
    assert (shown.change, refused.change) == (Change.SHOWN, Change.REFUSED)
    assert refused.alert.alert_id == "w0"
    (refused,) = alerts.take(make_alert(alert_id="i", severity="info"), NOW_MS + 60, AHEAD_MS)
    assert refused.change is Change.REFUSED
    assert refused.acks == (AckAction.REFUSED,)
    assert refused.alert.alert_id == "i"
    assert len(alerts.shown) == MAX_SHOWN


def test_most_severe_comes_first_then_newest(alerts: ShownAlerts) -> None:
    for turn, (name, severity) in enumerate([("a", "info"), ("b", "critical"), ("c", "info")]):
        alerts.take(make_alert(alert_id=name, severity=severity), NOW_MS + turn, AHEAD_MS)
    assert [entry.alert.alert_id for entry in alerts.shown] == ["b", "c", "a"]


def test_memory_of_revisions_is_bounded(alerts: ShownAlerts) -> None:
    for index in range(3000):
        alerts.take(make_alert(alert_id=f"x{index}", state="cleared"), NOW_MS, AHEAD_MS)
    assert len(alerts._revisions) == 1024


def test_alert_that_expired_and_came_back_is_raised_once(alerts: ShownAlerts) -> None:
    later = {"expires_ms": START_MS + 6000}
    changes = alerts.take(make_alert(), NOW_MS, AHEAD_MS)
    changes += alerts.take(make_alert(revision=2, state="cleared", reason="expired"), NOW_MS + 3100, AHEAD_MS)
    changes += alerts.take(make_alert(revision=3, **later), NOW_MS + 3200, AHEAD_MS)
    changes += alerts.take(make_alert(alert_id="another", **later), NOW_MS + 3300, AHEAD_MS)
    assert [change.change for change in changes].count(Change.SHOWN) == 3
    summary = HeadsetSummary(4.0, 40, 0, 1, tuple(changes), AHEAD_MS, 1.0, {})
    assert summary.raised == (changes[0], changes[-1])
    assert summary.latency_ms(0.5) == changes[0].capture_to_shown_ms
