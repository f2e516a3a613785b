from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.eval.material import Material, Part
from benchmarks.eval.sheets import write_sheets
from models.scenes.compose import NoRoomError
from models.scenes.kinds import Split, held_out_classes
from models.scenes.scene import SceneMaker
from tests.unit.benchmarks.eval.cases import record
from tests.unit.models.scenes.fake_painter import FakePainter


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return small(tmp_path_factory.mktemp("material"))


def small(root: Path, seed: int = 1) -> Material:
    return Material(
        root, Split.VALIDATION, seed=seed, painter=FakePainter(), size_px=(640, 360), clip_s=(0.4, 0.6)
    )


def test_a_picture_is_drawn_once_and_then_read(material: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    first = material.still(Part.FRAMES, 0)
    assert first is not None
    assert first.rgb().shape == (360, 640, 3)
    monkeypatch.setattr(material, "_makers", {})
    again = material.still(Part.FRAMES, 0)
    assert again == first


def test_held_out_kinds_are_kept_apart(material: Material) -> None:
    seen, held_out = material.still(Part.FRAMES, 1), material.still(Part.HELD_OUT, 1)
    assert seen is not None
    assert held_out is not None
    assert not seen.truth.held_out_kind
    assert held_out.truth.held_out_kind
    assert not {one.cls for one in seen.truth.elements} & held_out_classes()


def test_negatives_and_recordings_show_nothing(material: Material) -> None:
    photo, recording = material.still(Part.NEGATIVES, 0), material.moving(Part.RECORDINGS, 0)
    assert photo is not None
    assert recording is not None
    assert photo.truth.elements == recording.truth.scene.elements == ()
    assert not recording.truth.scene.contradictory
    assert all(frame.elements == () for frame in recording.truth.frames)
    assert recording.path.stat().st_size > 1000


def test_clips_are_kept_with_their_truth(material: Material) -> None:
    clip = material.moving(Part.CLIPS, 0)
    assert clip is not None
    assert clip.truth.frames
    assert material.moving(Part.CLIPS, 0) == clip


def test_where_there_is_no_room_there_is_no_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: SceneMaker, _index: int) -> None:
        raise NoRoomError

    monkeypatch.setattr(SceneMaker, "scene", full)
    assert small(tmp_path).still(Part.FRAMES, 0) is None


def test_other_arguments_fill_another_folder(tmp_path: Path) -> None:
    assert small(tmp_path).folder != small(tmp_path, seed=2).folder
    assert small(tmp_path).folder == small(tmp_path).folder


def test_wrong_verdicts_become_sheets(material: Material, tmp_path: Path) -> None:
    still = material.still(Part.FRAMES, 0)
    clip = material.moving(Part.CLIPS, 0)
    assert still is not None
    assert clip is not None
    (tmp_path / "missed-07.jpg").write_bytes(b"of an earlier run")
    wrong = [record(raised=False), record(raised=False, part=Part.CLIPS), record()]
    written = write_sheets(wrong, material.folder, tmp_path)
    assert [path.name for path in written] == ["missed-00.jpg"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["missed-00.jpg"]
    assert np.fromfile(written[0], np.uint8).size > 10_000
