from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.config import SamplingConfig
from arwarden.core.frame import ByteImage
from arwarden.sampling import Sample, Sampler, SampleReason
from tests.unit.sampling.scenes import frame_of, room, smeared, with_panel

FRAME_MS = 1000 / 30
PANEL_BOX = (300, 200, 80, 26)
SMALL = (640, 360)


def small_room(seed: int = 1) -> ByteImage:
    return room(seed, *SMALL)


def panel(text: str) -> ByteImage:
    return with_panel(small_room(), text, PANEL_BOX)


class Stream:
    """Feeds a sampler at 30 fps in virtual time and runs a tier of a fixed cost."""

    def __init__(self, cost_ms: float = 100.0, config: SamplingConfig | None = None) -> None:
        self.config = config or SamplingConfig()
        self.sampler = Sampler(self.config)
        self.cost_ms = cost_ms
        self.now_ms = 1000.0
        self.sequence = 0
        self.samples: list[tuple[float, Sample]] = []
        self._free_ms: float | None = None

    def feed(self, plane: ByteImage, *, damaged: bool = False) -> None:
        """One frame, then the time until the next one."""
        self.sequence += 1
        self.sampler.offer(frame_of(plane, self.sequence, self.now_ms, damaged=damaged), self.now_ms)
        self.run_for(FRAME_MS)

    def run_for(self, span_ms: float) -> None:
        until_ms = self.now_ms + span_ms
        while True:
            self._step()
            due = [at for at in (self.sampler.next_due_ms(self.now_ms), self._free_ms) if at is not None]
            if not due or min(due) >= until_ms:
                break
            assert min(due) > self.now_ms or not self.samples, "asked to wake in the past"
            self.now_ms = max(self.now_ms, min(due))
        self.now_ms = until_ms

    def _step(self) -> None:
        if self._free_ms is not None and self.now_ms >= self._free_ms:
            self._free_ms = None
            self.sampler.finished(self.cost_ms, self.now_ms)
        sample = self.sampler.take(self.now_ms)
        if sample is not None:
            self.samples.append((self.now_ms, sample))
            self._free_ms = self.now_ms + self.cost_ms

    @property
    def reasons(self) -> list[str]:
        return [sample.reason.value for _, sample in self.samples]


def test_a_static_scene_is_analysed_at_once_then_once_more_closely_and_no_more() -> None:
    stream = Stream()
    for _ in range(60):
        stream.feed(small_room())
    assert stream.reasons == ["first", "settled"]
    assert [sample.changed for _, sample in stream.samples] == [True, False]
    assert [at_ms for at_ms, _ in stream.samples] == pytest.approx([1000.0, 1250.0], abs=FRAME_MS + 1)
    assert stream.sampler.static
    assert stream.sampler.counters["sampling.static"] >= 55


def test_a_static_scene_is_refreshed() -> None:
    stream = Stream(config=SamplingConfig(refresh_ms=5000))
    for _ in range(int(11_000 / FRAME_MS)):
        stream.feed(small_room())
    assert stream.reasons == ["first", "settled", "refresh", "refresh"]
    times = [at for at, _ in stream.samples]
    assert times[2] - times[1] == pytest.approx(5000, abs=FRAME_MS + 1)
    assert [sample.at_rest for _, sample in stream.samples] == [False, True, False, False]


def test_every_change_that_comes_to_rest_gets_its_closer_look() -> None:
    stream = Stream()
    for picture in (small_room(), panel("EXIT"), small_room()):
        for _ in range(30):
            stream.feed(picture)
    assert stream.reasons == ["first", "settled", "changed", "settled", "changed", "settled"]


def test_a_scene_that_keeps_moving_is_never_called_settled() -> None:
    stream = Stream()
    for step in range(60):
        stream.feed(np.roll(small_room(), 12 * step, axis=1))
    assert set(stream.reasons) == {"first", "changed"}


def test_urgent_evidence_does_not_wait_for_the_rate() -> None:
    gaps_ms = {}
    for urgent in (False, True):
        stream = Stream(cost_ms=100.0)
        stream.feed(small_room())
        stream.sampler.request_sample(urgent=urgent)
        for _ in range(20):
            stream.feed(small_room())
        assert stream.reasons == ["first", "evidence"]
        (first_ms, _), (second_ms, _) = stream.samples
        gaps_ms[urgent] = second_ms - first_ms
    assert gaps_ms[False] == pytest.approx(250.0, abs=FRAME_MS + 1)
    assert gaps_ms[True] == pytest.approx(100.0, abs=FRAME_MS + 1)


def test_urgency_is_spent_with_its_sample() -> None:
    stream = Stream(cost_ms=50.0)
    stream.feed(small_room())
    stream.sampler.request_sample(urgent=True)
    for _ in range(4):
        stream.feed(small_room())
    stream.sampler.request_sample()
    for _ in range(20):
        stream.feed(small_room())
    times = [at_ms for at_ms, _ in stream.samples]
    assert len(times) == 3
    assert times[2] - times[1] == pytest.approx(250.0, abs=FRAME_MS + 1)


def test_a_panel_in_an_idle_scene_is_sampled_with_its_first_frame() -> None:
    stream = Stream()
    for _ in range(30):
        stream.feed(small_room())
    appears_ms = stream.now_ms
    stream.feed(panel("EXIT"))
    at_ms, sample = stream.samples[-1]
    assert (sample.reason, at_ms) == (SampleReason.CHANGED, appears_ms)
    assert sample.frame.sequence == stream.sequence
    assert sample.changed
    assert sample.waited_ms == 0
    assert not stream.sampler.static


def test_after_a_pass_the_newest_changed_frame_is_taken_at_once() -> None:
    stream = Stream(cost_ms=400.0)
    stream.feed(small_room())
    stream.feed(panel("A"))
    while stream.now_ms < 1400:
        stream.feed(panel("B"))
    at_ms, sample = stream.samples[-1]
    assert at_ms == pytest.approx(1400)
    assert at_ms - sample.frame.arrival_ms <= FRAME_MS
    assert np.array_equal(sample.frame.picture.luma(), panel("B"))


def test_the_rate_is_limited_and_adapts_to_a_slow_tier() -> None:
    for cost_ms, expected_ms in ((50.0, 250.0), (700.0, 700.0)):
        stream = Stream(cost_ms)
        for index in range(150):
            stream.feed(np.roll(small_room(), 9 * index, axis=1))
        gaps = np.diff([at for at, _ in stream.samples])
        assert gaps.min() >= expected_ms - 1e-6
        assert np.median(gaps) <= expected_ms + FRAME_MS
        ages = [at - sample.frame.arrival_ms for at, sample in stream.samples]
        assert max(ages) <= FRAME_MS + 1e-6


def test_a_blurred_frame_after_idleness_waits_for_a_sharp_one() -> None:
    stream = Stream()
    for _ in range(30):
        stream.feed(small_room())
    moved = np.roll(small_room(), 40, axis=1)
    stream.feed(smeared(moved, 15))
    assert len(stream.samples) == 2
    stream.feed(moved)
    assert stream.samples[-1][1].frame.sequence == stream.sequence


def test_where_all_are_blurred_the_window_ends_the_wait_with_the_sharpest() -> None:
    stream = Stream()
    for _ in range(30):
        stream.feed(small_room())
    moved = np.roll(small_room(), 40, axis=1)
    since_ms = stream.now_ms
    for length in (21, 9, 15, 21, 21):
        stream.feed(smeared(moved, length))
    at_ms, sample = stream.samples[2]
    assert at_ms - since_ms == pytest.approx(stream.config.window_ms)
    assert np.array_equal(sample.frame.picture.luma(), smeared(moved, 9))


def test_behind_a_busy_tier_the_wait_for_sharpness_is_over_already() -> None:
    stream = Stream(cost_ms=400.0)
    stream.feed(small_room())
    moved = np.roll(small_room(), 40, axis=1)
    while stream.now_ms < 1401:
        stream.feed(smeared(moved, 15))
    at_ms, sample = stream.samples[1]
    assert at_ms == pytest.approx(1400)
    assert sample.frame.sequence >= stream.sequence - 3


def test_a_transient_that_is_gone_is_not_analysed() -> None:
    stream = Stream(cost_ms=200.0)
    stream.feed(small_room())
    stream.feed(panel("A"))
    for _ in range(20):
        stream.feed(small_room())
    assert stream.reasons == ["first", "settled"]
    assert stream.sampler.counters["sampling.superseded"] == 1


def test_slow_drift_adds_up_against_the_last_analysed_frame() -> None:
    stream = Stream()
    faint = panel("EXIT").astype(np.float32) - small_room()
    for step in range(61):
        stream.feed(np.clip(small_room() + faint * step / 60, 0, 255).astype(np.uint8))
    assert len(stream.samples) >= 2


def test_requested_evidence_gets_one_new_sample_of_a_static_scene() -> None:
    stream = Stream()
    for _ in range(30):
        stream.feed(small_room())
    stream.sampler.request_sample()
    for _ in range(30):
        stream.feed(small_room())
    assert stream.reasons == ["first", "settled", "evidence"]
    assert not stream.samples[2][1].changed
    first, second, third = (sample.frame.sequence for _, sample in stream.samples)
    assert first < second < third


def test_evidence_needs_a_frame_that_was_not_analysed_yet() -> None:
    stream = Stream()
    stream.feed(small_room())
    stream.sampler.request_sample()
    stream.run_for(1500)
    assert stream.reasons == ["first"]
    stream.feed(small_room())
    assert stream.reasons == ["first", "evidence"]


def test_a_pass_without_an_answer_leaves_its_frame_unanalysed() -> None:
    sampler = Sampler(SamplingConfig())
    sampler.offer(frame_of(small_room(), 1, 1000), 1000)
    assert sampler.take(1000) is not None
    sampler.finished(100, 1100, judged=False)
    sampler.offer(frame_of(small_room(), 2, 1300), 1300)
    assert not sampler.static
    sample = sampler.take(1300)
    assert sample is not None
    assert sample.reason is SampleReason.FIRST


def test_damaged_frames_are_sampled_and_keep_their_flag() -> None:
    stream = Stream()
    stream.feed(small_room(), damaged=True)
    assert stream.samples[0][1].frame.transport.damaged


def test_nothing_is_taken_while_busy_or_in_flight() -> None:
    sampler = Sampler(SamplingConfig())
    assert sampler.take(0) is None
    sampler.offer(frame_of(small_room(), 1, 1000), 1000)
    assert sampler.due(1000)
    assert sampler.take(1000, busy=True) is None
    assert sampler.take(1000) is not None
    sampler.offer(frame_of(panel("A"), 2, 1400), 1400)
    assert not sampler.due(1400)
    assert sampler.take(1400) is None
    assert sampler.next_due_ms(1400) is None
    assert not sampler.static
    sampler.finished(300, 1500)
    assert sampler.cost_ms == 300
    assert sampler.take(1500) is not None
    sampler.finished(800, 2300)
    assert sampler.cost_ms == pytest.approx(400)


def test_leftovers_from_before_a_stall_are_dropped_and_counted() -> None:
    sampler = Sampler(SamplingConfig())
    sampler.offer(frame_of(small_room(), 1, 1000), 1000)
    assert not sampler.due(4000)
    assert sampler.take(4000) is None
    assert sampler.counters["sampling.overdue"] == 1
    sampler.offer(frame_of(small_room(), 2, 4001), 4001)
    assert sampler.take(4001) is not None


def test_frames_out_of_order_are_refused() -> None:
    sampler = Sampler(SamplingConfig())
    sampler.offer(frame_of(small_room(), 5, 1000), 1000)
    sampler.offer(frame_of(panel("old"), 4, 1010), 1010)
    sample = sampler.take(1010)
    assert sample is not None
    assert sample.frame.sequence == 5
    assert sampler.counters["sampling.out_of_order"] == 1


def test_a_change_of_size_is_looked_at() -> None:
    stream = Stream()
    stream.feed(small_room())
    stream.run_for(1000)
    stream.feed(room(1, 320, 240))
    assert stream.reasons == ["first", "changed"]


SCENES = [small_room(), panel("A"), panel("B"), smeared(small_room(), 15), room(2, 320, 240)]
ACTION = st.one_of(
    st.tuples(st.just("frame"), st.integers(0, len(SCENES) - 1)),
    st.tuples(st.just("pause"), st.integers(1, 2500)),
    st.tuples(st.just("take"), st.booleans()),
    st.tuples(st.just("finish"), st.booleans()),
    st.tuples(st.just("evidence"), st.booleans()),
)


@given(st.lists(ACTION, max_size=60))
@settings(max_examples=60, deadline=None)
def test_every_frame_is_accounted_for_and_samples_only_move_forward(actions: list[tuple[str, int]]) -> None:
    config = SamplingConfig()
    sampler = Sampler(config)
    now_ms, sequence, in_flight = 1000.0, 0, False
    taken: list[tuple[float, int]] = []
    for kind, value in actions:
        now_ms += 5
        if kind == "frame":
            sequence += 1
            sampler.offer(frame_of(SCENES[value], sequence, now_ms), now_ms)
        elif kind == "pause":
            now_ms += value
        elif kind == "evidence":
            sampler.request_sample()
        elif kind == "finish":
            sampler.finished(50, now_ms, judged=bool(value))
            in_flight = False
        else:
            due = sampler.due(now_ms)
            sample = sampler.take(now_ms, busy=bool(value))
            assert (sample is not None) == (due and not value)
            if sample is not None:
                assert not in_flight
                in_flight = True
                assert sample.waited_ms <= config.max_wait_ms
                taken.append((now_ms, sample.frame.sequence))
        wake_ms = sampler.next_due_ms(now_ms)
        if wake_ms is not None and wake_ms > now_ms:
            assert not sampler.due(now_ms)
        counted = sum(
            sampler.counters[f"sampling.{name}"] for name in ("taken", "static", "superseded", "overdue")
        )
        assert 0 <= sequence - counted <= 8
    for (earlier_ms, earlier), (later_ms, later) in pairwise(taken):
        assert later > earlier
        assert later_ms - earlier_ms >= 1000 / config.max_rate_hz - 1e-6
