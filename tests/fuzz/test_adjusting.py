"""Whatever apps report, judges say and headsets acknowledge: counted, bounded, never beyond the limits."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from arwarden.adjust.draft import AdjustmentDraft, stamp
from arwarden.adjust.episode import Phase, Rated
from arwarden.adjust.loop import AdjustLoop
from arwarden.adjust.scene import SceneModel, Seen
from arwarden.adjust.steps import Wish
from arwarden.config import AdjustConfig
from arwarden.contract.messages import Ack, AckAction
from arwarden.contract.objects import MAX_OBJECTS
from arwarden.contract.topics import Topics
from arwarden.core.counters import Counters
from arwarden.publish.scenes import SceneReader
from tests.contract.golden import EXAMPLES
from tests.fuzz.test_mqtt_inbound import JSON
from tests.support.app_objects import by_id, report, seen, thing

TOPIC = "arwarden/v1/quest/scene"
OBJECT = EXAMPLES["scenereport"]["objects"][0]
NUMBERS = st.floats() | st.integers() | JSON
SCENE_LIKE = st.fixed_dictionaries(
    {
        "schema": st.just("arwarden/scene/1") | JSON,
        "version": st.integers(-5, 2**60) | JSON,
        "base": st.integers(-5, 2**60) | JSON,
        "headset_ms": NUMBERS,
        "objects": st.lists(
            st.fixed_dictionaries({}, optional={name: NUMBERS | st.text(max_size=70) for name in OBJECT}).map(
                lambda changed: OBJECT | changed
            ),
            max_size=4,
        )
        | JSON,
    }
)


@settings(deadline=None)
@given(payload=st.binary(max_size=3000) | (JSON | SCENE_LIKE).map(lambda value: json.dumps(value).encode()))
def test_any_report_is_counted_exactly_once_and_can_be_reckoned_with(payload: bytes) -> None:
    counters = Counters()
    got = SceneReader(Topics(), counters).read(TOPIC, payload, retained=False)
    assert sum(counters.snapshot().values()) == 1
    assert (got is None) == (not counters["scene.accepted"] and not counters["scene.cleared"])
    if got is None or got.report is None:
        return
    scene = SceneModel(counters)
    scene.take(got.report, 0.0, retained=False)
    for one in scene.objects(1.0, 1000.0).values():
        assert 0.0 <= one.area <= 1.0
        assert all(math.isfinite(side) for side in one.box)


@given(
    reports=st.lists(
        st.tuples(
            st.integers(1, 8),
            st.integers(0, 8),
            st.lists(st.integers(0, 90), max_size=64, unique=True),
            st.lists(st.integers(0, 90), max_size=64),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_a_scene_is_bounded_whatever_order_reports_come_in(reports: list[Any]) -> None:
    scene = SceneModel(Counters())
    for now_ms, (version, base, objects, removed, retained) in enumerate(reports):
        names = tuple(f"o{number}" for number in removed)
        one = report(version, *(thing(f"o{number}") for number in objects), base=base, removed=names)
        scene.take(one, float(now_ms), retained=retained)
        assert len(scene.objects(float(now_ms), 1e9)) <= MAX_OBJECTS


CONFIG = AdjustConfig(
    factors=("size", "placement"), settle_ms=100, max_age_ms=3000, cool_down_ms=500, held_pause_ms=300
)
WISHES = st.none() | st.builds(Wish, st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 2))
MOVES = st.tuples(*[st.floats(-1, 1)] * 3)
STEPS = st.one_of(
    st.tuples(st.just("wait"), st.floats(0, 5000)),
    st.tuples(st.just("answer"), st.none() | st.builds(Rated, st.integers(1, 5).map(float), WISHES)),
    st.tuples(st.just("ack"), st.tuples(st.sampled_from(AckAction), st.integers(0, 3))),
    st.tuples(st.just("held"), st.booleans()),
    st.tuples(st.just("told"), st.none() | MOVES),
    st.tuples(st.just("gone"), st.booleans()),
    st.tuples(st.just("drop"), st.none()),
)


class Story:
    """A loop that is treated in any way there is, and what must hold at every moment."""

    def __init__(self) -> None:
        self.now_ms = 1000.0
        self.drafts: list[AdjustmentDraft] = []
        self.members: dict[str, Any] = {}
        self.gone = False
        ids = (f"j{number}" for number in itertools.count())
        versions = itertools.count(1)
        self.loop = AdjustLoop(CONFIG, "quest", "s", ids.__next__, versions, Counters(), lambda _: None)

    @property
    def scene(self) -> dict[str, Seen]:
        return {} if self.gone else dict(by_id(seen(**self.members)))

    def take(self, draft: AdjustmentDraft | None) -> None:
        if draft is None:
            return
        assert self.loop.phase in (Phase.SENT, Phase.UNDOING)
        assert self.now_ms < draft.expires_ms
        message = stamp(draft, self.now_ms, "e")
        if not draft.undoes:
            assert math.hypot(*message.move_m) <= CONFIG.max_move_m + 1e-6
            assert 1 / CONFIG.max_factor <= message.scale <= CONFIG.max_factor
        if draft not in self.drafts:
            assert draft.version > max((one.version for one in self.drafts), default=0)
            self.drafts.append(draft)
        assert sum(self.loop.current(one, self.now_ms) for one in self.drafts) == 1

    def go_on(self, what: str, value: Any) -> None:
        if what == "wait":
            self.now_ms += value
            self.take(self.loop.tick(self.scene, self.now_ms))
        elif what == "answer":
            self.take(self.loop.answered(value, self.scene, self.now_ms))
        elif what == "ack" and self.drafts:
            action, back = value
            draft = self.drafts[max(0, len(self.drafts) - 1 - back)]
            ack = Ack(alert_id=draft.adjustment_id, revision=draft.version, action=action, headset_ms=0)
            assert self.loop.acknowledged(ack, self.now_ms)
        elif what == "held":
            self.members["held"] = value
        elif what == "told":
            self.members["corrected_m"] = value
        elif what == "gone":
            self.gone = value
        elif what == "drop":
            self.loop.drop()
        target = self.loop.wanted(self.scene, self.now_ms)
        if target is not None:
            assert not target.seen.item.held
            assert self.loop.phase in (None, Phase.SETTLING)
            self.loop.begun(target, self.now_ms - 50, self.now_ms)


@settings(deadline=None)
@given(steps=st.lists(STEPS, max_size=40))
def test_no_order_of_events_breaks_the_rules(steps: list[tuple[str, Any]]) -> None:
    story = Story()
    for what, value in steps:
        story.go_on(what, value)
