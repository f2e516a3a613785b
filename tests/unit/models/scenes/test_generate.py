from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from models.scenes.compose import NoRoomError
from models.scenes.generate import Order, generate
from models.scenes.kinds import KindFilter, Split
from models.scenes.scene import Scene, SceneMaker
from models.scenes.sheet import drawn_over, sheet
from models.scenes.truth import scene_from_json
from tests.unit.models.scenes.fake_painter import FakePainter


def order(out: Path, **changes: object) -> Order:
    return replace(
        Order(out, Split.TEST, count=4, seed=3, negatives=1, size_px=(320, 180), clip_s=(0.4, 0.5)),
        **changes,  # type: ignore[arg-type]
    )


def run(what: Order) -> None:
    generate(what, painter=FakePainter(), quiet=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_pictures_clips_and_truth_are_written(tmp_path: Path) -> None:
    run(order(tmp_path, videos=1))
    assert sorted(contents(tmp_path)) == [
        "images/000000.jpg",
        "images/000001.jpg",
        "images/000002.jpg",
        "images/000003.jpg",
        "images/n000000.jpg",
        "manifest.json",
        "truth.jsonl",
        "videos/00000.json",
        "videos/00000.mp4",
    ]
    truths = [
        scene_from_json(json.loads(line)) for line in (tmp_path / "truth.jsonl").read_text().splitlines()
    ]
    assert [truth.file for truth in truths] == [f"images/00000{n}.jpg" for n in range(4)] + [
        "images/n000000.jpg"
    ]
    assert [truth.contradictory for truth in truths] == [False, True, False, True, False]
    for truth in truths:
        picture = cv2.imread(str(tmp_path / truth.file))
        assert picture is not None
        assert picture.shape == (180, 320, 3)


def test_a_stopped_run_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    run(order(whole))
    run(order(stopped, count=2, negatives=0))
    with (stopped / "truth.jsonl").open("a") as lines:
        lines.write('{"format": 1, "file": "images/0000')
    (stopped / "images" / "000001.jpg").unlink()
    kept = (stopped / "images" / "000000.jpg").stat().st_mtime_ns
    run(order(stopped))
    assert contents(stopped) == contents(whole)
    assert (stopped / "images" / "000000.jpg").stat().st_mtime_ns == kept


def test_a_scene_without_room_is_left_out_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SceneMaker.scene

    def sometimes(maker: SceneMaker, index: int) -> Scene:
        if index == 1:
            raise NoRoomError
        return scene(maker, index)

    monkeypatch.setattr(SceneMaker, "scene", sometimes)
    assert generate(order(tmp_path), painter=FakePainter(), quiet=True) == 1
    lines = (tmp_path / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["file"][7:] for line in lines] == [
        "000000.jpg", "000002.jpg", "000003.jpg", "n000000.jpg",
    ]  # fmt: skip
    assert not (tmp_path / "images/000001.jpg").exists()


@pytest.mark.parametrize(
    ("changes", "named"),
    [({"seed": 4}, "seed"), ({"split": Split.TRAIN}, "split"), ({"kinds": KindFilter.HELD_OUT}, "kinds")],
)
def test_a_folder_made_with_other_arguments_is_refused(
    tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    run(order(tmp_path, count=1, negatives=0))
    with pytest.raises(ValueError, match=f"another {named};"):
        run(order(tmp_path, **changes))


def test_png_is_written_without_loss(tmp_path: Path) -> None:
    run(order(tmp_path, count=1, negatives=0, suffix=".png"))
    picture = cv2.imread(str(tmp_path / "images" / "000000.png"))
    assert picture is not None
    expected = SceneMaker(Split.TEST, 3, painter=FakePainter(), size_px=(320, 180)).scene(0).rgb
    assert np.array_equal(picture[:, :, ::-1], expected)


def test_a_contact_sheet_shows_all_with_their_truth() -> None:
    maker = SceneMaker(Split.TEST, 3, painter=FakePainter(), size_px=(320, 180))
    found = [maker.scene(index) for index in range(3)]
    pictures = [drawn_over(scene.rgb, scene.truth) for scene in found]
    assert all(not np.array_equal(picture, scene.rgb) for picture, scene in zip(pictures, found, strict=True))
    assert sheet(pictures, columns=2, tile_width_px=160).shape == (180, 320, 3)
