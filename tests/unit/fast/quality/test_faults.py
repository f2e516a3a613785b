from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from arwarden.config import AlertsConfig
from arwarden.core.errors import ModelError
from arwarden.core.findings import Finding, FindingKind, Measure, Severity
from arwarden.core.frame import ArrayPicture, ByteImage, TransportHealth
from arwarden.fast.quality import measures
from arwarden.fast.quality.faults import FAULTS, QualityJudge, Threshold, read_thresholds
from arwarden.fast.quality.measures import measure
from tests.support.requirements import shared_file
from tests.unit.fast.quality.scenes import blurred, flat, jpeg, lit, noisy, scene, smeared

HEALTHY = TransportHealth()
DAMAGED = TransportHealth(damaged=True, reasons=("packets_lost",), loss_ratio=0.04)
JUDGE = QualityJudge()


def found(rgb: ByteImage, *, size_settled: bool = True) -> dict[str, Finding]:
    findings = JUDGE.judge(measure(ArrayPicture(rgb)), HEALTHY, size_settled=size_settled)
    return {finding.attribute: finding for finding in findings}


FAULTY = {
    "black": flat(0),
    "underexposed": lit(scene(), 0.02),
    "overexposed": lit(blurred(scene(), 0.7), 60),
    "blur": blurred(scene(), 6.0),
    "noise": noisy(scene(), 22.0),
    "blockiness": jpeg(blurred(scene(), 0.7), 2),
}


@pytest.mark.parametrize("name", FAULTY)
def test_each_fault_is_found_alone_and_told_in_a_sentence(name: str) -> None:
    findings = found(FAULTY[name])
    assert list(findings) == [name]
    finding = findings[name]
    assert finding.kind is FindingKind.QUALITY
    assert finding.key == f"quality:{name}"
    assert finding.severity is Severity.WARNING
    assert finding.message.startswith("The picture ")
    assert finding.message.endswith(".")
    assert "{" not in finding.message
    assert finding.elements == ()


@pytest.mark.parametrize("name", FAULTY)
def test_no_single_sample_raises_an_alert(name: str) -> None:
    alerts = AlertsConfig()
    confidence = found(FAULTY[name])[name].confidence
    assert alerts.min_confidence <= confidence < alerts.instant_confidence


@pytest.mark.parametrize("name", FAULTY)
def test_damaged_transport_is_no_fault_of_the_picture(name: str) -> None:
    assert JUDGE.judge(measure(ArrayPicture(FAULTY[name])), DAMAGED) == ()


def test_changed_size_silences_what_a_scaled_stream_shows_and_nothing_else() -> None:
    heard = {name for name, picture in FAULTY.items() if name in found(picture, size_settled=False)}
    assert heard == {"black", "underexposed", "overexposed"}


def wall(level: float) -> ByteImage:
    slope = level + np.linspace(-20, 5, 640)[None, :, None] + np.zeros((360, 1, 3))
    return noisy(slope.clip(0, 255).astype(np.uint8), 1.0)


def night() -> ByteImage:
    picture = noisy(lit(scene(), 0.01), 1.5)
    for place in range(40, 640, 100):
        picture[100:112, place : place + 12] = 230
    return picture


def page() -> ByteImage:
    picture = scene(1280, 720)
    picture[100:620, 250:1030] = 255
    return picture


SOUND = {
    "scene": scene(),
    "large scene": scene(1280, 720),
    "odd scene": scene(639, 361),
    "tall scene": scene(360, 640),
    "grey scene": np.repeat(scene()[:, :, :1], 3, axis=2),
    "white wall": wall(225),
    "sky": wall(180) // np.array([2, 1, 1], dtype=np.uint8),
    "dark room": noisy(lit(scene(), 0.12), 2.0),
    "night with lamps": night(),
    "white virtual page": page(),
    "turn of the head to the side": smeared(scene(), 20),
    "upscaled by two": np.repeat(np.repeat(scene(), 2, axis=0), 2, axis=1),
    "JPEG 60": jpeg(scene(), 60),
    "one tone": flat(128),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_picture_raises_nothing(name: str) -> None:
    assert not found(SOUND[name])


@pytest.mark.parametrize("size", [(1, 1), (1, 40), (40, 1), (8, 8), (33, 17)])
def test_tiny_picture_has_a_defined_answer(size: tuple[int, int]) -> None:
    assert not found(scene(*size))
    assert list(found(flat(0, *size))) == ["black"]


def test_confidence_grows_with_the_distance_to_the_threshold() -> None:
    high, low = Threshold(4.0, 8.0), Threshold(60.0, -5.0)
    assert high.confidence(4.0) == low.confidence(60.0) == 0.5
    assert (
        high.confidence(2.0) < 0.1 < high.confidence(3.8) < 0.5 < high.confidence(4.2) < high.confidence(9.0)
    )
    assert low.confidence(0.0) > low.confidence(50.0) > 0.5 > low.confidence(70.0)
    assert Threshold(1.0, 1e6).confidence(0.0) == pytest.approx(0.0)
    assert Threshold(1.0, 1e6).confidence(1e12) == pytest.approx(1.0)


def test_borderline_value_stays_below_what_raises_an_alert() -> None:
    thresholds = read_thresholds()
    just_over = Measure(measures.EDGE_WIDTH, thresholds["blur"].value * 1.01, "px")
    finding = JUDGE.judge([just_over], HEALTHY)[0]
    assert 0.5 <= finding.confidence < AlertsConfig().min_confidence


def test_missing_and_useless_values_are_not_judged() -> None:
    assert JUDGE.judge([], HEALTHY) == ()
    assert JUDGE.judge([Measure(measures.NOISE, math.nan, "levels")], HEALTHY) == ()
    assert JUDGE.judge([Measure("sparkle", 1e9, "px")], HEALTHY) == ()


def test_shipped_thresholds_cover_every_fault_in_its_direction() -> None:
    thresholds = read_thresholds()
    assert set(thresholds) == {fault.name for fault in FAULTS}
    assert {name for name, threshold in thresholds.items() if threshold.slope < 0} == {
        "black",
        "underexposed",
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda faults: faults.pop("blur"), "'blur' is missing"),
        (lambda faults: faults["blur"].pop("slope"), "'slope' is missing"),
        (lambda faults: faults["noise"].update(threshold="many"), "not a file of thresholds"),
        (lambda faults: faults["noise"].update(threshold=-1), "noise is out of range"),
        (lambda faults: faults["noise"].update(slope=0), "noise is out of range"),
        (lambda faults: faults["noise"].update(slope=float("nan")), "noise is out of range"),
    ],
)
def test_damaged_thresholds_are_named(tmp_path: Path, change: object, says: str) -> None:
    assert callable(change)
    entries = {fault.name: {"threshold": 1.0, "slope": 2.0} for fault in FAULTS}
    change(entries)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"faults": entries}), encoding="utf-8")
    with pytest.raises(ModelError, match=says) as raised:
        read_thresholds(path)
    assert "mine.json" in str(raised.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"faults": 3}', "\xff"])
def test_files_that_hold_no_thresholds_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ModelError, match=r"mine\.json"):
        read_thresholds(path)
    with pytest.raises(ModelError, match="cannot be read"):
        read_thresholds(tmp_path / "none.json")


@pytest.mark.shared
def test_real_recording_raises_nothing_but_its_black_first_frame() -> None:
    import av

    names: list[tuple[str, ...]] = []
    with av.open(str(shared_file("data/contrar/smart_retail_contradictory.mp4"))) as container:
        for index, frame in enumerate(container.decode(video=0)):
            if index % 8 == 0:
                rgb = np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
                names.append(tuple(found(rgb)))
    assert names[0] == ("black",)
    assert set(names[1:]) == {()}
