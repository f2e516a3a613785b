from __future__ import annotations

import pytest

from arwarden.adjust.scene import MAX_DEVICES, SceneBook, SceneModel
from arwarden.contract.objects import MAX_OBJECTS
from arwarden.core.counters import Counters
from tests.support.app_objects import report, seen, thing

EXPIRY_MS = 1000.0


@pytest.fixture
def counters() -> Counters:
    return Counters()


@pytest.fixture
def scene(counters: Counters) -> SceneModel:
    return SceneModel(counters)


def ids(scene: SceneModel, now_ms: float = 0.0) -> set[str]:
    return set(scene.objects(now_ms, EXPIRY_MS))


def test_differences_build_on_the_whole_report(scene: SceneModel) -> None:
    scene.take(report(1, thing("a"), thing("b")), 0, retained=False)
    scene.take(report(2, thing("c"), base=1, removed=("a", "unknown")), 1, retained=False)
    assert ids(scene) == {"b", "c"}
    scene.take(report(3, thing("b", label="B"), base=2), 2, retained=False)
    assert scene.objects(2, EXPIRY_MS)["b"].item.label == "B"
    scene.take(report(4, thing("z")), 3, retained=False)
    assert ids(scene) == {"z"}, "a whole report replaces all that is known"


def test_after_a_gap_nothing_is_known_until_the_next_whole_report(
    scene: SceneModel, counters: Counters
) -> None:
    scene.take(report(1, thing("a")), 0, retained=False)
    scene.take(report(3, thing("b"), base=2), 1, retained=False)
    assert ids(scene) == set()
    scene.take(report(4, thing("c"), base=3), 2, retained=False)
    assert not scene.complete
    assert (counters["scene.gap"], counters["scene.unusable"]) == (1, 1)
    scene.take(report(5, thing("d")), 3, retained=False)
    assert ids(scene) == {"d"}


def test_old_reports_change_nothing(scene: SceneModel, counters: Counters) -> None:
    scene.take(report(4, thing("a")), 0, retained=False)
    scene.take(report(5, thing("b"), base=4), 0, retained=False)
    scene.take(report(5, thing("x"), base=4), 0, retained=False)
    scene.take(report(3, thing("y"), base=2), 0, retained=False)
    scene.take(report(4, thing("z")), 0, retained=True)
    assert ids(scene) == {"a", "b"}
    assert counters["scene.old"] == 3
    scene.take(report(1, thing("fresh")), 0, retained=False)
    assert ids(scene) == {"fresh"}, "the app has started again and counts from the beginning"


def test_a_retained_report_is_something_to_build_on_and_no_sign_of_life(scene: SceneModel) -> None:
    scene.take(report(7, thing("a")), 0, retained=True)
    assert ids(scene) == set(), "it may be from yesterday"
    scene.take(report(8, thing("b"), base=7), 0, retained=False)
    assert ids(scene) == {"a", "b"}


def test_what_was_not_confirmed_expires(scene: SceneModel) -> None:
    scene.take(report(1, thing("a")), 0, retained=False)
    assert ids(scene, EXPIRY_MS - 1) == {"a"}
    assert ids(scene, EXPIRY_MS) == set()
    scene.take(report(2, base=1), EXPIRY_MS, retained=False)
    assert ids(scene, EXPIRY_MS + 1) == {"a"}


def test_objects_and_devices_are_bounded(scene: SceneModel, counters: Counters) -> None:
    scene.take(report(1, *(thing(f"a{n}") for n in range(MAX_OBJECTS))), 0, retained=False)
    scene.take(report(2, thing("one-more"), base=1), 0, retained=False)
    assert len(ids(scene)) == MAX_OBJECTS
    assert counters["scene.overflow"] == 1
    book = SceneBook(counters)
    for number in range(MAX_DEVICES + 1):
        book.take(f"d{number}", report(1, thing()), 0, retained=False)
    assert book.objects("d0", 0, EXPIRY_MS) == {}
    assert set(book.objects("d1", 0, EXPIRY_MS)) == {"cup"}
    assert counters["scene.devices_overflow"] == 1
    book.take("d1", None, 0, retained=True)
    assert book.objects("d1", 0, EXPIRY_MS) == {}, "what was said was taken back"


def test_a_head_that_trembles_does_not_unsettle_an_object(scene: SceneModel) -> None:
    scene.take(report(1, thing()), 0, retained=False)
    for version, x in enumerate((0.42, 0.38, 0.43), start=2):
        moved = thing(box=(x, 0.4, 0.1, 0.1))
        scene.take(report(version, moved, base=version - 1), version * 100, retained=False)
    assert scene.objects(500, EXPIRY_MS)["cup"].steady_since_ms == 0
    scene.take(report(5, thing(box=(0.46, 0.4, 0.1, 0.1)), base=4), 600, retained=False)
    assert scene.objects(700, EXPIRY_MS)["cup"].steady_since_ms == 600
    scene.take(report(6, thing(box=(0.46, 0.4, 0.12, 0.12)), base=5), 700, retained=False)
    assert scene.objects(700, EXPIRY_MS)["cup"].steady_since_ms == 700, "it grows"
    assert scene.objects(700, EXPIRY_MS)["cup"].moved_ms == 0


def test_motion_in_the_apps_space_is_noted(scene: SceneModel) -> None:
    scene.take(report(1, thing()), 0, retained=False)
    scene.take(report(2, thing(position_m=(0.02, 0, 1.0)), base=1), 100, retained=False)
    assert scene.objects(100, EXPIRY_MS)["cup"].moved_ms == 0
    scene.take(report(3, thing(position_m=(0.04, 0, 1.0)), base=2), 200, retained=False)
    assert scene.objects(200, EXPIRY_MS)["cup"].moved_ms == 200


@pytest.mark.parametrize(
    ("box", "area", "in_view"),
    [
        ((0.1, 0.1, 0.2, 0.5), 0.1, True),
        ((-0.1, 0.0, 0.2, 0.5), 0.05, False),
        ((0.9, 0.9, 0.12, 0.12), 0.01, True),
        ((1.5, 0.0, 0.2, 0.5), 0.0, False),
        ((0.5, 0.5, 0.0, 0.0), 0.0, False),
    ],
)
def test_how_much_is_in_view(box: tuple[float, ...], area: float, in_view: bool) -> None:
    one = seen(box=box)
    assert one.area == pytest.approx(area)
    assert one.in_view is in_view
