"""The app's objects of the simulated headset, and what it reports of them, without broker or clock."""

from __future__ import annotations

import numpy as np
import pytest

from arwarden.contract.messages import Ack, AckAction
from arwarden.contract.objects import Adjustment
from arwarden.core.errors import ConfigError
from arwarden.core.findings import Box
from arwarden.core.frame import ByteImage
from arwarden.headset.drawn import DrawnObjects
from arwarden.headset.objects import SHORTEST_MS, AppObject, AppObjects
from arwarden.headset.reports import FULL_INTERVAL_MS, MIN_INTERVAL_MS, SceneReporter

NOW_MS = 1000.0


def asked(version: int, up_m: float = 0.0, scale: float = 1.0, **members: object) -> Adjustment:
    whole = {
        "epoch": "e1",
        "published_ms": NOW_MS,
        "adjustment_id": "j1",
        "version": version,
        "device_id": "quest",
        "session_id": "s1",
        "object_id": "cup",
        "move_m": (0.0, up_m, 0.0),
        "scale": scale,
        "captured_ms": NOW_MS,
        "expires_ms": NOW_MS + 5000,
        **members,
    }
    return Adjustment.model_validate(whole)


@pytest.fixture
def objects() -> AppObjects:
    return AppObjects((AppObject.parse("cup@0.4,0.4,0.1,0.1"),))


def said(acks: list[Ack]) -> list[tuple[int, AckAction, str]]:
    return [(ack.revision, ack.action, ack.reason) for ack in acks]


def test_it_goes_there_at_its_own_speed_and_says_so_once(objects: AppObjects) -> None:
    [cup] = objects.objects
    assert said(objects.take(asked(1, up_m=-0.25), NOW_MS, 0.0)) == [(1, AckAction.RECEIVED, "")]
    assert objects.step(NOW_MS + 500) == []
    assert cup.now.move_m == pytest.approx((0, -0.125, 0))
    assert cup.box.y_norm > 0.4, "downwards in the picture"
    assert said(objects.step(NOW_MS + 1000)) == [(1, AckAction.APPLIED, "")]
    assert objects.step(NOW_MS + 2000) == []
    objects.take(asked(2, action="revert"), NOW_MS + 2000, 0.0)
    objects.step(NOW_MS + 4000)
    assert cup.box == pytest.approx(cup.home)


def test_its_limits_hold(objects: AppObjects) -> None:
    [cup] = objects.objects
    objects.take(asked(1, up_m=9.0, scale=50.0), NOW_MS, 0.0)
    assert said(objects.step(NOW_MS + 60_000)) == [(1, AckAction.CLAMPED, "")]
    assert cup.now.move_m == pytest.approx((0, 0.5, 0))
    assert cup.now.scale == 2.0
    assert cup.box.w_norm == pytest.approx(0.2)


def test_versions_epochs_expiry_and_strangers(objects: AppObjects) -> None:
    objects.take(asked(5), NOW_MS, 0.0)
    assert objects.take(asked(5), NOW_MS, 0.0) == []
    assert objects.counters["adjustments.old"] == 1
    assert objects.take(asked(1, epoch="e2"), NOW_MS, 0.0)[0].action is AckAction.RECEIVED
    late = asked(9, epoch="e2")
    assert objects.take(late, NOW_MS + 6000, 0.0)[0].action is AckAction.EXPIRED
    assert objects.take(late, NOW_MS, 5000.0)[0].action is AckAction.EXPIRED
    assert objects.take(late, NOW_MS + 1e9, None)[0].action is AckAction.RECEIVED, "nothing else is known"
    unknown = objects.take(asked(10, epoch="e2", object_id="vase"), NOW_MS, 0.0)
    assert said(unknown) == [(10, AckAction.REFUSED, "unknown_object")]


def test_the_users_hand_comes_first(objects: AppObjects) -> None:
    [cup] = objects.objects
    objects.take(asked(1, up_m=-0.25), NOW_MS, 0.0)
    objects.step(NOW_MS + 500)
    assert said(objects.hold("cup", NOW_MS + 500)) == [(1, AckAction.REFUSED, "held_by_user")]
    assert objects.step(NOW_MS + 5000) == []
    assert said(objects.take(asked(2), NOW_MS, 0.0)) == [(2, AckAction.REFUSED, "held_by_user")]
    where = cup.box
    objects.release("cup")
    assert cup.box == pytest.approx(where)
    assert cup.now.move_m == (0.0, 0.0, 0.0)
    assert objects.hold("vase", NOW_MS) == []


@pytest.mark.parametrize(
    "spec", ["cup", "@0,0,0.1,0.1", "cup@0,0,0", "cup@0,0,0,0.1", "cup@a,0,1,1", "c@2,0,1,1"]
)
def test_a_wrong_object_is_named_with_the_form(spec: str) -> None:
    with pytest.raises(ConfigError, match="ID@x,y,w,h"):
        AppObject.parse(spec)


def test_two_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigError, match="id of its own"):
        AppObjects((AppObject.parse("a@0,0,1,1"), AppObject.parse("a@0,0,1,1")))


def test_reports_are_whole_at_first_and_then_differences(objects: AppObjects) -> None:
    reporter = SceneReporter(objects)
    first = reporter.report(NOW_MS)
    assert first is not None
    assert (first.version, first.base, first.objects[0].id) == (1, 0, "cup")
    assert first.objects[0].corrected_m == (0.0, 0.0, 0.0)
    assert reporter.report(NOW_MS + MIN_INTERVAL_MS) is None, "nothing is new"
    objects.take(asked(1, up_m=-0.1), NOW_MS, 0.0)
    objects.step(NOW_MS + SHORTEST_MS)
    assert reporter.report(NOW_MS + MIN_INTERVAL_MS - 1) is None, "too soon"
    second = reporter.report(NOW_MS + MIN_INTERVAL_MS)
    assert second is not None
    assert (second.version, second.base) == (2, 1)
    moved_m = second.objects[0].corrected_m
    assert moved_m is not None
    assert moved_m[1] < 0
    whole = reporter.report(NOW_MS + FULL_INTERVAL_MS)
    assert whole is not None
    assert (whole.version, whole.base) == (3, 0)
    reporter.restart()
    again = reporter.report(NOW_MS + FULL_INTERVAL_MS + MIN_INTERVAL_MS)
    assert again is not None
    assert again.base == 0


class Grey:
    name = "grey"
    closed = False

    def read(self, t_s: float) -> ByteImage | None:
        return np.full((100, 100, 3), 128, np.uint8) if t_s < 1 else None

    def close(self) -> None:
        self.closed = True


def test_objects_are_drawn_where_they_are() -> None:
    cup = AppObject("cup", Box(0.4, 0.4, 0.2, 0.2))
    grey = Grey()
    source = DrawnObjects(grey, AppObjects((cup,)))
    before = source.read(0)
    assert before is not None
    assert before[50, 50].tolist() != [128, 128, 128]
    assert before[80, 50].tolist() == [128, 128, 128]
    assert source.read(1) is None
    source.close()
    assert grey.closed
