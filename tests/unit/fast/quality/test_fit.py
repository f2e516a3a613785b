from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from arwarden.core.findings import Measure
from arwarden.fast.quality.faults import FAULTS, read_thresholds
from models.quality import fit
from models.quality.degrade import Case, Kind, as_it_is, cases, cover
from tests.unit.fast.quality.scenes import scene


def samples(kind: Kind, of: str, values: dict[str, list[float]]) -> list[fit.Sample]:
    case = Case(str(kind), of or "sound", as_it_is, kind, of)
    return [
        fit.Sample(case, tuple(Measure(name, one, "-") for name, one in zip(values, row, strict=True)))
        for row in zip(*values.values(), strict=True)
    ]


def spread(middle: float) -> list[float]:
    return list(np.linspace(middle * 0.9, middle * 1.1, 21))


LOW_IS_BAD = {"black": (30.0, 10.0), "underexposed": (120.0, 80.0)}
"""Mild and faulty values where sound is 200; the other faults rise from 1 over 3 to 5."""


def separable() -> list[fit.Sample]:
    names = [fault.measure for fault in FAULTS]
    made = samples(Kind.SOUND, "", {n: spread(200.0 if n == "highlight" else 1.0) for n in names})
    for fault in FAULTS:
        mild, faulty = LOW_IS_BAD.get(fault.name, (3.0, 5.0))
        made += samples(Kind.MILD, fault.name, {fault.measure: spread(mild)})
        made += samples(Kind.FAULT, fault.name, {fault.measure: spread(faulty)})
    return made


def test_threshold_lies_between_sound_and_faulty_in_either_direction() -> None:
    thresholds = fit.fit(separable())
    assert 1.1 < thresholds["blur"].value < 4.5
    assert thresholds["blur"].slope > 0
    assert 88 < thresholds["underexposed"].value < 180
    assert 11 < thresholds["black"].value < 88
    assert thresholds["underexposed"].slope < 0


def test_rare_sound_pictures_move_the_threshold_beyond_them() -> None:
    look_alike = Case("look-alike", "4", as_it_is)
    extra = [fit.Sample(look_alike, (Measure("noise", 4.0, "-"),)) for _ in range(10)]
    assert fit.fit([*separable(), *extra])["noise"].value >= 3.999


def test_table_counts_what_was_found_and_what_else() -> None:
    made = separable()
    rows = fit.table(made, fit.fit(made)).splitlines()
    assert "| sound | sound | sound | - | none |" in rows
    assert "| fault | blur | fault blur | 100.0% / 100.0% | none |" in rows
    assert len(rows) == 2 + 1 + 2 * len(FAULTS)


def test_written_thresholds_are_read_back(tmp_path: Path) -> None:
    thresholds = fit.fit(separable())
    fit.write(tmp_path / "thresholds.json", thresholds, {"fitted_on": 1, "held_out": 1, "seed": 7})
    assert read_thresholds(tmp_path / "thresholds.json") == thresholds


def test_photos_are_chosen_by_seed_and_too_few_are_refused(tmp_path: Path) -> None:
    for index in range(12):
        (tmp_path / f"{index}.JPG").touch()
    (tmp_path / "notes.txt").touch()
    chosen = [fit.find_photos(tmp_path, 5, np.random.default_rng(3)) for _ in range(2)]
    assert chosen[0] == chosen[1]
    assert len(set(chosen[0])) == 5
    assert not set(fit.find_photos(tmp_path, 5, np.random.default_rng(3), skip=2)) & set(chosen[0][:2])
    (tmp_path / "empty").mkdir()
    with pytest.raises(SystemExit, match="holds 0 photos"):
        fit.find_photos(tmp_path / "empty", 5, np.random.default_rng(3))
    with pytest.raises(SystemExit, match=r"\.JPG cannot be read as a picture"):
        fit.read_photo(chosen[0][0])


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.group} {case.level}")
def test_every_change_keeps_size_and_type(case: Case) -> None:
    before = scene(320, 180)
    after = case.change(before.copy(), np.random.default_rng(1))
    assert after.shape == before.shape
    assert after.dtype == np.uint8
    assert after.flags.c_contiguous
    if case.change is not as_it_is:
        assert not np.array_equal(after, before)


@pytest.mark.parametrize("size", [(64, 36), (100, 100), (36, 64), (500, 20)])
def test_photo_is_cut_to_the_size_without_distortion(size: tuple[int, int]) -> None:
    photo = scene(300, 200)
    cv2.circle(photo, (150, 100), 60, (255, 0, 255), -1)
    assert cover(photo, *size).shape == (size[1], size[0], 3)


def test_command_fits_writes_and_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for index in range(10):
        cv2.imwrite(str(tmp_path / f"{index}.png"), scene(320, 180, seed=index))
    few = [case for case in cases() if case.group not in {"H264", "VP8", "then VP8", "starved"}]
    monkeypatch.setattr(fit, "cases", lambda: few)
    monkeypatch.setattr(fit, "SIZES_PX", ((320, 180),))
    monkeypatch.setattr("os.nice", lambda _by: 0)
    fit.main(["--photos", str(tmp_path), "--out", str(tmp_path / "out.json"), "--count", "10", "--seed", "1"])
    printed = capsys.readouterr()
    assert "rates on 5 other photos" in printed.out
    assert "10/10 photos" in printed.err
    assert set(read_thresholds(tmp_path / "out.json")) == {fault.name for fault in FAULTS}
    before = (tmp_path / "out.json").read_bytes()
    fit.main(
        ["--photos", str(tmp_path), "--check", str(tmp_path / "out.json"), "--count", "10", "--seed", "1"]
    )
    assert "rates on 10 other photos" in capsys.readouterr().out
    assert (tmp_path / "out.json").read_bytes() == before
