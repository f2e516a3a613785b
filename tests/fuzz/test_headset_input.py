"""Whatever is given to the headset, or sent to it, is taken or refused with a reason."""

from __future__ import annotations

import contextlib

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.core.clock import VirtualClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError, Refused
from arwarden.core.offset import OffsetFilter
from arwarden.headset import timecode
from arwarden.headset.mqtt_address import MqttAddress
from arwarden.headset.overlay import Overlay
from arwarden.headset.pictures import PictureSize
from arwarden.headset.shown import MAX_SHOWN, Change, ShownAlerts
from tests.unit.headset.alerts import START_MS, make_alert

NUMBERS = st.floats() | st.floats(-1e5, 1e5)
PARTS = st.lists(st.text(max_size=8) | NUMBERS.map(str), max_size=6).map(",".join)


@given(st.text() | st.tuples(st.text(), PARTS).map("@".join))
def test_overlay_is_read_or_refused(spec: str) -> None:
    with contextlib.suppress(ConfigError):
        overlay = Overlay.parse(spec)
        assert overlay.text
        assert 0 <= overlay.left_norm <= 1
        assert 0 <= overlay.top_norm <= 1
        assert 0 <= overlay.from_s < overlay.to_s


@given(st.text() | st.from_regex(r"\d{1,6}x\d{1,6}"))
def test_size_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert all(side % 2 == 0 for side in PictureSize.parse(text))


@given(st.text() | st.text().map("mqtt://{}".format))
def test_broker_address_is_read_or_refused(url: str) -> None:
    with contextlib.suppress(Refused):
        address = MqttAddress.parse(url)
        assert address.host
        assert 0 <= address.port <= 65_535


@given(st.integers(0, 2**32 - 1), st.integers(208, 700), st.integers(16, 300), st.floats(0, 12))
@settings(max_examples=50)
def test_time_code_is_right_or_not_read(value: int, width_px: int, height_px: int, sigma: float) -> None:
    rng = np.random.default_rng(value)
    rgb = rng.integers(0, 255, (height_px, width_px, 3), dtype=np.uint8)
    timecode.draw(rgb, value)
    noisy = rgb[:, :, 1] + rng.normal(0, sigma, (height_px, width_px))
    assert timecode.read(np.clip(noisy, 0, 255).astype(np.uint8)) == value


@given(st.integers(0, 2**32 - 1), st.integers(1, 300), st.integers(1, 300))
@settings(max_examples=50)
def test_noise_is_no_time_code(seed: int, width_px: int, height_px: int) -> None:
    rng = np.random.default_rng(seed)
    assert timecode.read(rng.integers(0, 255, (height_px, width_px), dtype=np.uint8)) is None


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), max_size=40))
def test_offset_is_finite_whatever_is_answered(exchanges: list[tuple[float, float, float, float]]) -> None:
    offset = OffsetFilter()
    for exchange in exchanges:
        offset.add(*exchange)
    assert offset.offset_ms is None or np.isfinite(offset.offset_ms)
    assert offset.rtt_ms is None or offset.rtt_ms >= 0


MESSAGES = st.tuples(
    st.sampled_from(["a", "b", "c"]),
    st.integers(1, 5),
    st.sampled_from(["raised", "confirmed", "retracted", "cleared"]),
    st.sampled_from(["run-1", "run-1", "run-1", "run-2"]),
    st.integers(0, 4000),
    st.sampled_from([None, 0.0, -3_600_000.0]),
)


@given(st.lists(MESSAGES, max_size=40))
def test_view_follows_the_newest_revision(
    messages: list[tuple[str, int, str, str, int, float | None]],
) -> None:
    alerts = ShownAlerts(Counters())
    clock = VirtualClock(START_MS)
    epoch, newest = "", dict[str, int]()
    for alert_id, revision, state, run, pause_ms, offset_ms in messages:
        now_ms = clock.advance(pause_ms)
        alerts.expire(now_ms)
        if run != epoch:
            epoch, newest = run, {}
        times = {"published_ms": now_ms, "captured_ms": now_ms, "expires_ms": now_ms + 2000}
        alert = make_alert(alert_id=alert_id, revision=revision, state=state, epoch=run, **times)
        changes = alerts.take(alert, now_ms, offset_ms)
        is_new = revision > newest.get(alert_id, 0)
        newest[alert_id] = max(revision, newest.get(alert_id, 0))
        shown = {entry.alert.alert_id: entry for entry in alerts.shown}
        assert len(shown) == len(alerts.shown) <= MAX_SHOWN
        assert all(entry.expires_ms > now_ms and entry.alert.epoch == epoch for entry in shown.values())
        if not is_new:
            assert all(change.change is Change.ENDED for change in changes)
        elif state in ("retracted", "cleared"):
            assert alert_id not in shown
