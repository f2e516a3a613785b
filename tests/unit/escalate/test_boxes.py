from __future__ import annotations

import pytest

from arwarden.core.findings import Box
from arwarden.escalate.boxes import frame_box
from arwarden.escalate.lenient import Json
from arwarden.escalate.rendering import BoxUnit
from tests.unit.escalate.asking import picture

SENT = picture(200, 100)
WHERE = Box(0.1, 0.2, 0.2, 0.2)


@pytest.mark.parametrize(
    ("value", "unit"),
    [
        ([100, 200, 300, 400], BoxUnit.THOUSANDTHS),
        (["100", "200", "300", "400"], BoxUnit.THOUSANDTHS),
        ([[100, 200], [300, 400]], BoxUnit.THOUSANDTHS),
        ({"left": 100, "top": 200, "right": 300, "bottom": 400}, BoxUnit.THOUSANDTHS),
        ({"x1": 100, "y1": 200, "x2": 300, "y2": 400}, BoxUnit.THOUSANDTHS),
        ({"x_min": 100, "y_min": 200, "x_max": 300, "y_max": 400}, BoxUnit.THOUSANDTHS),
        ([20, 20, 60, 40], BoxUnit.PIXELS),
        ([0.1, 0.2, 0.3, 0.4], BoxUnit.FRACTIONS),
        ([0.1, 0.2, 0.3, 0.4], BoxUnit.THOUSANDTHS),
        ([0.1, 0.2, 0.3, 0.4], BoxUnit.PIXELS),
    ],
)
def test_units_and_forms(value: Json, unit: BoxUnit) -> None:
    assert frame_box(value, SENT, unit) == pytest.approx(WHERE)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "middle",
        [],
        [1, 2, 3],
        [1, 2, 3, 4, 5],
        [1, 2, 3, "x"],
        [1, 2, 3, float("nan")],
        [300, 400, 100, 200],
        [100, 200, 100, 400],
        [100, 200, 2000, 400],
        [-300, 0, 100, 100],
        {"left": 1},
    ],
)
def test_nonsense_is_no_box(value: Json) -> None:
    assert frame_box(value, SENT, BoxUnit.THOUSANDTHS) is None


def test_a_corner_just_outside_is_moved_to_the_edge() -> None:
    assert frame_box([900, -20, 1040, 500], SENT, BoxUnit.THOUSANDTHS) == pytest.approx(Box(0.9, 0, 0.1, 0.5))


def test_a_crop_is_mapped_back_and_forth() -> None:
    sent = picture(crop=Box(0.25, 0.5, 0.5, 0.25))
    box = frame_box([0, 0, 500, 1000], sent, BoxUnit.THOUSANDTHS)
    assert box == pytest.approx(Box(0.25, 0.5, 0.25, 0.25))
    assert box is not None
    assert sent.from_frame(box) == pytest.approx(Box(0, 0, 0.5, 1))
    assert sent.from_frame(Box(0, 0, 0.1, 0.1)) is None
