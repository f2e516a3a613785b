from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from models.scenes.kinds import Split
from models.scenes.scene import SceneMaker
from models.scenes.truth import ClipTruth, clip_from_json, to_json
from models.scenes.video import PATTERNS, Clip, ClipMaker, _schedule, write_clip
from tests.unit.models.scenes.fake_painter import FakePainter

SIZE = (320, 180)


def clips(seed: int = 1) -> ClipMaker:
    scenes = SceneMaker(Split.TRAIN, seed, painter=FakePainter(), size_px=SIZE)
    return ClipMaker(scenes, duration_s=(2.0, 2.4), fps=(10, 12))


def drawn(pattern: str) -> tuple[Clip, ClipTruth, list[np.ndarray]]:
    maker = clips()
    for index in range(60):
        clip = maker.clip(index)
        if clip.pattern == pattern:
            frames = list(maker.frames(clip))
            return clip, maker.truth(index, clip, [truth for _, truth in frames]), [rgb for rgb, _ in frames]
    pytest.fail(f"no clip of 60 is {pattern}")


def seen_at(truth: ClipTruth, index: int) -> list[float]:
    return [frame.t_s for frame in truth.frames if any(one.index == index for one in frame.elements)]


@pytest.mark.parametrize("pattern", [*PATTERNS, "replaced"])
def test_frames_and_truth_go_together(pattern: str) -> None:
    clip, truth, pictures = drawn(pattern)
    assert len(pictures) == len(truth.frames) == clip.frame_count
    assert {picture.shape for picture in pictures} == {(180, 320, 3)}
    assert [frame.t_s for frame in truth.frames] == pytest.approx(np.arange(clip.frame_count) / clip.fps)
    assert truth.pattern == pattern
    indices = {one.index: (one.kind, one.text, one.carried_by) for one in truth.scene.elements}
    for frame in truth.frames:
        for one in frame.elements:
            assert indices[one.index] == (one.kind, one.text, one.carried_by)
            assert 0.05 <= one.visibility <= 1.0
            assert one.opacity >= 0.3 * 0.8


def test_alternating_elements_are_never_seen_together_and_hang_in_one_place() -> None:
    clip, truth, _ = drawn("alternating")
    first, second = set(seen_at(truth, 0)), set(seen_at(truth, 1))
    assert first
    assert second
    assert not first & second
    assert clip.placed[0].pose.centre_m == clip.placed[1].pose.centre_m
    assert truth.evident_from_s is not None
    assert min(second) <= truth.evident_from_s <= max(second)


def test_what_is_replaced_is_no_contradiction_and_does_not_come_back() -> None:
    clip, truth, _ = drawn("replaced")
    assert not truth.scene.contradictory
    assert truth.scene.recipe == "replaced"
    first, second = seen_at(truth, 0), seen_at(truth, 1)
    assert first
    assert second
    assert max(first) < min(second)
    assert clip.placed[0].pose.centre_m == clip.placed[1].pose.centre_m


def test_an_appearing_element_is_evident_after_it_appears() -> None:
    clip, truth, _ = drawn("appearing")
    begins = clip.shown_s[1][0][0]
    assert min(seen_at(truth, 1)) >= begins
    if truth.evident_from_s is not None:
        assert truth.evident_from_s >= begins


def test_a_leaving_element_is_gone_at_the_end() -> None:
    clip, truth, _ = drawn("leaving")
    assert max(seen_at(truth, 1)) < clip.shown_s[1][0][1]
    assert truth.frames[-1].t_s > clip.shown_s[1][0][1]


def test_what_is_shown_together_is_evident_at_once() -> None:
    _, truth, _ = drawn("together")
    assert truth.evident_from_s is not None
    assert truth.evident_from_s < 0.5


def test_the_camera_moves_and_boxes_move_with_the_picture() -> None:
    _, truth, pictures = drawn("together")
    assert np.abs(pictures[0].astype(int) - pictures[-1]).mean() > 0.5
    boxes = [one.box for frame in truth.frames for one in frame.elements if one.index == 0]
    assert np.ptp(np.array(boxes), axis=0).max() > 0.001


def test_clips_are_deterministic() -> None:
    first, second = clips(), clips()
    one, other = first.clip(3), second.clip(3)
    for (rgb, truth), (again, same) in zip(first.frames(one), second.frames(other), strict=True):
        assert np.array_equal(rgb, again)
        assert truth == same
        if truth.t_s > 0.4:
            break


def test_a_written_clip_can_be_read_and_its_truth_too(tmp_path: Path) -> None:
    truth = write_clip(tmp_path / "clip.mp4", clips(), 2)
    with av.open(str(tmp_path / "clip.mp4")) as container:
        assert container.streams.video[0].codec_context.name == "h264"
        count = sum(1 for _ in container.decode(video=0))
    assert count == len(truth.frames)
    assert truth.scene.file == "clip.mp4"
    assert [path.name for path in tmp_path.iterdir()] == ["clip.mp4"]
    back = clip_from_json(json.loads(json.dumps(to_json(truth))))
    assert to_json(back) == to_json(truth)


@pytest.mark.parametrize("seed", range(20))
def test_taking_turns_leaves_no_gap_and_no_overlap(seed: int) -> None:
    first, second = _schedule("alternating", 2, 6.0, np.random.default_rng(seed))
    spans = sorted([*first, *second])
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(spans))
    assert spans[-1][1] >= 6.0
    assert all(0.59 <= end - start <= 2.01 for start, end in spans)
