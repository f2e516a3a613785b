import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

pytest.importorskip("onnxruntime")

from arwarden.fast.elements.decode import TYPES, Detections, softmax
from models.cards.marks import BEGIN, END, fill_card
from models.elements.card import numbers
from models.elements.evaluate import (
    Named,
    Seen,
    above,
    angle_report,
    best_temperature,
    best_thresholds,
    class_report,
    detection_report,
    draw_confusions,
    fits_of_scores,
    least_of_each,
    truths_of,
)
from models.elements.metrics import Truths
from models.scenes.truth import ElementTruth

FRAME = np.zeros((720, 1280, 3), np.uint8)


def element(kind: str, box: tuple[float, float, float, float], visibility: float = 1.0) -> ElementTruth:
    return ElementTruth(0, kind, "", "", box, (), visibility)


def seen(*found: tuple[float, int, float], there: tuple[tuple[float, int], ...]) -> Seen:
    """Boxes of 100 pixels at some x: found with type and score, there with type."""
    boxes = np.array([(x, 0, x + 100, 100) for x, _, _ in found], np.float32).reshape(-1, 4)
    detections = Detections(
        boxes, np.array([k for _, k, _ in found], np.int64), np.array([s for _, _, s in found], np.float32)
    )
    true = np.array([(x, 0, x + 100, 100) for x, _ in there], np.float32).reshape(-1, 4)
    truths = Truths(true, np.array([k for _, k in there], np.int64), np.zeros(len(there), bool))
    return Seen(FRAME, [], truths, detections)


def test_small_and_hidden_elements_do_not_count() -> None:
    elements = [
        element("panel", (0.1, 0.1, 0.2, 0.2)),
        element("sign", (0.5, 0.5, 0.01, 0.3)),
        element("flag", (0.5, 0.5, 0.2, 0.3), 0.1),
    ]
    truths = truths_of(elements, (1280, 720))
    assert truths.ignored.tolist() == [False, True, True]
    assert truths.boxes_px[0].tolist() == pytest.approx([128, 72, 384, 216])
    assert len(truths_of([], (1280, 720)).types) == 0


def test_thresholds_are_of_each_type() -> None:
    one = seen((0, 0, 0.5), (300, 1, 0.5), there=())
    kept = above(one.found, [0.6, 0.4, 0.4, 0.4, 0.4])
    assert kept.types.tolist() == [1]
    assert len(above(seen(there=()).found, [0.1] * 5)) == 0


def test_best_threshold_parts_right_from_wrong() -> None:
    frames = [seen((0, 0, 0.8), (300, 0, 0.4), there=((0, 0),)), seen((0, 0, 0.7), there=((0, 0),))]
    assert 0.4 < best_thresholds(frames * 10)["panel"] <= 0.7


def test_threshold_of_a_type_that_is_hardly_there_stays_usual() -> None:
    assert best_thresholds([seen((0, 0, 0.8), there=((0, 0),))])["panel"] == 0.35


def test_report_counts_by_type() -> None:
    report = detection_report(
        [seen((0, 0, 0.8), (300, 1, 0.9), there=((0, 0), (600, 1)))], [0.3] * len(TYPES)
    )
    assert report["types"]["panel"]["recall"] == 1
    assert report["types"]["arrow"] == {"precision": 0, "recall": 0, "elements": 1, "false": 1}
    assert report["overall"]["precision"] == 0.5


def test_scores_are_fitted_to_how_often_they_are_right() -> None:
    """Modest scores that are always right, and others that are right half the time."""
    frames = [seen((0, 0, 0.55), there=((0, 0),))] * 60
    frames += [seen((0, 0, 0.3), there=((0, 0),)), seen((0, 0, 0.3), there=())] * 30
    fits = fits_of_scores(frames)
    assert set(fits) == {"panel"}
    slope, offset = fits["panel"]
    chances = [1 / (1 + np.exp(-slope * np.log(s / (1 - s)) - offset)) for s in (0.55, 0.3)]
    assert chances[0] > 0.9
    assert chances[1] == pytest.approx(0.5, abs=0.1)


def test_overconfident_logits_get_a_high_temperature() -> None:
    rng = np.random.default_rng(1)
    logits = rng.normal(0, 1, (400, 5)).astype(np.float32)
    labels = np.array([rng.choice(5, p=row / row.sum()) for row in softmax(logits).astype(np.float64)])
    assert best_temperature(logits, labels) == pytest.approx(1, abs=0.25)
    assert best_temperature(logits * 2, labels) == pytest.approx(2, abs=0.5)


def named() -> tuple[Named, list[str]]:
    pairs = (
        [("lock", "lock")] * 4
        + [("lock", "unlock")] * 2
        + [("unlock", "unlock")] * 6
        + [("flag:FR", "flag:FR")]
    )
    return Named(pairs, [True] * len(pairs), [2.0, 90.0]), ["40-64"] * 6 + ["260+"] * 7


def test_classes_are_reported_with_what_they_are_taken_for() -> None:
    report = class_report(*named())
    assert report["classes"]["lock"]["recall"] == pytest.approx(0.6667)
    assert report["classes"]["unlock"]["precision"] == 0.75
    assert report["groups"] == {"flags": 1.0, "pictograms": pytest.approx(0.8333)}
    assert report["worst"][0] == "lock"
    assert report["mixed_up"] == [["lock", "unlock", 2]]
    assert list(report["sizes"]) == ["40-64", "260+"]
    assert report["arrow_angle"]["over_45_share"] == 0.5
    assert angle_report([]) == {"arrows": 0}


def test_what_is_not_said_is_neither_right_nor_wrong() -> None:
    pairs = [("lock", "lock"), ("lock", "lock"), ("lock", "unlock"), ("lock", "unlock"), ("#other", "unlock")]
    report = class_report(Named(pairs, [True, False, True, False, False]), ["40-64"] * 5)
    assert report["accuracy"] == 0.4
    assert (report["said"]["precision"], report["said"]["recall"]) == (0.5, 0.25)
    assert report["said_groups"]["pictograms"]["false"] == 1
    assert report["classes"]["lock"]["recall"] == 0.25


def test_labels_are_said_from_the_share_on_that_makes_them_right() -> None:
    names = ("#other", "lock", "unlock", "key", "door")
    shares = np.full((240, 5), 0.05, np.float32)
    labels = np.zeros(240, np.int64)
    for start, name, taken, share in (
        (0, 1, 1, 0.8), (40, 1, 1, 0.6),  # locks, always right
        (80, 2, 2, 0.9), (120, 1, 2, 0.55), (160, 3, 2, 0.55),  # "unlock" is right only where sure
        (200, 3, 4, 0.95),  # keys taken for doors
    ):  # fmt: skip
        labels[start : start + 40] = name
        shares[start : start + 40, taken] = share
    least = least_of_each(shares, labels, names)
    assert set(least) == {"unlock", "key", "door"}
    assert 0.55 < least["unlock"] <= 0.9
    assert least["key"] > 1
    assert least["door"] > 1


def test_confusions_are_drawn(tmp_path: Path) -> None:
    draw_confusions(named()[0], tmp_path / "c.png")
    picture = cv2.imread(str(tmp_path / "c.png"))
    assert picture is not None
    assert (picture != 255).any()


def result() -> dict[str, Any]:
    detector = detection_report([seen((0, 0, 0.8), there=((0, 0),))], [0.3] * len(TYPES))
    return {
        "split": "test", "seed": 77, "detector": detector, "detector_own_scenes": detector,
        "detector_and_classifier": {
            "overall": detector["overall"],
            "arrow_angle": angle_report([3.0]),
            "types": detector["types"],
            "found": detector["overall"],
        },
        "classifier": class_report(*named()),
        "negatives": {"photos": 10, "with_any_detection": 0.1, "detections_per_photo": 0.1},
        "latency_ms": dict.fromkeys(
            ("detector_min", "detector_median", "eight_crops_min", "eight_crops_median"), 7.0
        ),
    }  # fmt: skip


def test_card_takes_the_numbers_between_its_marks(tmp_path: Path) -> None:
    card = tmp_path / "MODEL_CARD.md"
    card.write_text(f"# Card\n{BEGIN}\nold\n{END}\nrest\n")
    for _ in range(2):
        fill_card(card, numbers(json.loads(json.dumps(result()))))
    text = card.read_text()
    assert text.startswith("# Card\n")
    assert text.endswith(f"{END}\nrest\n")
    assert "old" not in text
    assert text.count("| lock | 1.000 | 0.667 | 6 |") == 1


def test_card_without_marks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "MODEL_CARD.md").write_text("# Card\n")
    with pytest.raises(ValueError, match="numbers: begin"):
        fill_card(tmp_path / "MODEL_CARD.md", numbers(result()))
    fill_card(tmp_path / "none.md", numbers(result()))
