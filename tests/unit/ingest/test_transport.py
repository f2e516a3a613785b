"""Damage lasts until the next keyframe, loss for five seconds."""

from __future__ import annotations

import pytest

from arwarden.ingest.transport import (
    DECODER_ERROR,
    FRAMES_LOST,
    LOSS_WORTH_SAYING,
    PACKETS_LOST,
    WAITING_FOR_KEYFRAME,
    TransportMonitor,
)


def frame(
    monitor: TransportMonitor, sequence: int, *, keyframe: bool = False, late_ms: float = 0.0
) -> TransportMonitor:
    at_ms = sequence * 33.0
    monitor.frame(sequence=sequence, media_ms=at_ms, arrival_ms=at_ms + 20.0 + late_ms, keyframe=keyframe)
    return monitor


def test_waits_for_the_first_keyframe() -> None:
    monitor = TransportMonitor()
    assert monitor.health(0.0).reasons == (WAITING_FOR_KEYFRAME,)
    assert monitor.damaged
    frame(monitor, 0)
    assert monitor.damaged
    frame(monitor, 1, keyframe=True)
    assert monitor.health(0.0).reasons == ()
    assert not monitor.damaged


def test_damage_ends_with_the_next_keyframe() -> None:
    monitor = frame(TransportMonitor(), 0, keyframe=True)
    monitor.damage(FRAMES_LOST, sequence=5)
    monitor.damage(FRAMES_LOST, sequence=6)
    monitor.damage(DECODER_ERROR, sequence=6)
    assert monitor.health(0.0).reasons == (FRAMES_LOST, DECODER_ERROR)
    frame(monitor, 7)
    assert monitor.health(0.0).damaged
    frame(monitor, 8, keyframe=True)
    assert not monitor.health(0.0).damaged


def test_error_told_late_does_not_outlive_the_keyframe_after_it() -> None:
    monitor = frame(TransportMonitor(), 0, keyframe=True)
    frame(monitor, 9, keyframe=True)
    # The decoder tells of frame 8 only now.
    monitor.damage(DECODER_ERROR, sequence=8)
    assert not monitor.damaged
    monitor.damage(DECODER_ERROR, sequence=9)
    assert monitor.damaged, "the keyframe itself did not decode"


def test_loss_ratio_over_the_window() -> None:
    monitor = frame(TransportMonitor(), 0, keyframe=True)
    assert monitor.loss_ratio(0.0) == 0.0
    for step in range(100):
        monitor.packets(received=95, lost=5, now_ms=step * 50.0)
    assert monitor.loss_ratio(5_000.0) == pytest.approx(0.05)
    assert PACKETS_LOST in monitor.health(5_000.0).reasons
    assert not monitor.health(5_000.0).damaged, "lost packets that were frames lost are said by damage()"
    for step in range(100, 220):
        monitor.packets(received=100, lost=0, now_ms=step * 50.0)
    assert monitor.loss_ratio(11_000.0) == 0.0
    assert monitor.health(11_000.0).reasons == ()


def test_loss_is_forgotten_in_silence() -> None:
    monitor = TransportMonitor()
    monitor.packets(received=1, lost=1, now_ms=0.0)
    assert monitor.loss_ratio(100.0) == 0.5
    assert monitor.loss_ratio(60_000.0) == 0.0


def test_a_little_loss_is_not_worth_saying() -> None:
    monitor = frame(TransportMonitor(), 0, keyframe=True)
    monitor.packets(received=1000, lost=int(1000 * LOSS_WORTH_SAYING) - 1, now_ms=0.0)
    assert monitor.health(0.0).reasons == ()
    assert monitor.health(0.0).loss_ratio > 0


def test_jitter_follows_the_spread_of_arrivals() -> None:
    steady, rough = TransportMonitor(), TransportMonitor()
    for sequence in range(300):
        frame(steady, sequence)
        frame(rough, sequence, late_ms=40.0 if sequence % 2 else 0.0)
    assert steady.health(0.0).jitter_ms == pytest.approx(0.0, abs=1e-6)
    assert rough.health(0.0).jitter_ms == pytest.approx(40.0, abs=1.0)


def test_jump_of_the_media_clock_is_not_jitter() -> None:
    monitor = frame(TransportMonitor(), 0)
    monitor.frame(sequence=1, media_ms=4.7e7, arrival_ms=53.0, keyframe=False)
    monitor.frame(sequence=2, media_ms=4.7e7 + 33.0, arrival_ms=86.0, keyframe=False)
    assert monitor.health(0.0).jitter_ms < 1.0
