"""The closed loop in virtual time: no judge, no broker, no headset."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import pytest

from arwarden.adjust.draft import AdjustmentDraft, stamp
from arwarden.adjust.episode import Note, Phase, Rated, Target
from arwarden.adjust.loop import HELD_BACK_MS, RESEND_MS, SILENT_OBJECTS, UNDO_TRIES, AdjustLoop
from arwarden.adjust.records import RETRY_MS
from arwarden.adjust.scene import Seen
from arwarden.adjust.steps import AS_PLACED, Correction, Wish
from arwarden.config import AdjustConfig
from arwarden.contract.messages import Ack, AckAction
from arwarden.core.counters import Counters
from tests.support.app_objects import by_id, seen

PLACEMENT: dict[str, Any] = {"factors": ("placement",), "gain": 1.0}
LOW = Rated(2, Wish(up_m=-0.2))
JUDGE_MS = 4000.0


class Bench:
    """The loop with a scene that the test changes and a clock that it moves."""

    def __init__(self, **config: Any) -> None:
        self.config = AdjustConfig.model_validate({**PLACEMENT, **config})
        self.counters = Counters()
        self.notes: list[Note] = []
        self.loop = AdjustLoop(
            self.config,
            "quest",
            "s1",
            (f"j{n}" for n in itertools.count(1)).__next__,
            itertools.count(1),
            self.counters,
            self.notes.append,
        )
        self.scene: Mapping[str, Seen] = by_id(seen())
        self.now_ms = 10_000.0

    def wait(self, ms: float) -> AdjustmentDraft | None:
        self.now_ms += ms
        return self.loop.tick(self.scene, self.now_ms)

    def wanted(self) -> Target | None:
        return self.loop.wanted(self.scene, self.now_ms)

    def ask(self) -> Target:
        target = self.wanted()
        assert target is not None
        self.loop.begun(target, self.now_ms - 100, self.now_ms)
        return target

    def judge(self, rated: Rated | None, took_ms: float = JUDGE_MS) -> AdjustmentDraft | None:
        """Ask now, and have the answer ``took_ms`` later."""
        self.ask()
        self.now_ms += took_ms
        return self.loop.answered(rated, self.scene, self.now_ms)

    def correct(self, rated: Rated = LOW) -> AdjustmentDraft:
        draft = self.judge(rated)
        assert draft is not None
        return draft

    def ack(self, draft: AdjustmentDraft, action: AckAction = AckAction.APPLIED, reason: str = "") -> bool:
        ack = Ack(
            alert_id=draft.adjustment_id,
            revision=draft.version,
            action=action,
            headset_ms=self.now_ms,
            reason=reason,
        )
        return self.loop.acknowledged(ack, self.now_ms)

    def corrected(self, rated: Rated = LOW) -> AdjustmentDraft:
        """Corrected, acknowledged and settled."""
        draft = self.correct(rated)
        self.ack(draft)
        self.wait(self.config.settle_ms)
        return draft

    @property
    def ended(self) -> list[str]:
        return [note.detail for note in self.notes if note.what == "ended"]


def test_corrected_and_better_is_done() -> None:
    bench = Bench()
    draft = bench.correct()
    assert draft.correction == Correction((0.0, -0.2, 0.0))
    assert (draft.version, draft.object_id, draft.session_id) == (1, "cup", "s1")
    assert draft.captured_ms == 9900
    assert draft.expires_ms == 9900 + bench.config.max_age_ms
    bench.ack(draft, AckAction.RECEIVED)
    assert bench.loop.phase is Phase.SENT
    bench.ack(draft)
    assert bench.wanted() is None, "it has to settle first"
    bench.wait(bench.config.settle_ms)
    assert bench.judge(Rated(5, Wish())) is None
    assert bench.ended == ["good"]
    assert bench.counters["adjust.effect.improved"] == 1
    assert [note.what for note in bench.notes] == [
        "rated",
        "sent",
        "acknowledged",
        "acknowledged",
        "rated",
        "effect",
        "ended",
    ]


def test_what_is_rated_well_is_left_alone_and_not_asked_about_again() -> None:
    bench = Bench(cool_down_ms=60_000)
    assert bench.judge(Rated(4)) is None
    assert bench.ended == ["good"]
    bench.wait(600_000)
    assert bench.wanted() is None, "nothing has changed"
    bench.scene = by_id(seen(moved_ms=bench.now_ms, steady_ms=bench.now_ms))
    bench.wait(bench.config.settle_ms)
    assert bench.wanted() is not None, "it stands elsewhere now"


def test_worse_is_taken_back() -> None:
    bench = Bench()
    first = bench.corrected()
    undo = bench.judge(Rated(1, Wish(up_m=-0.5)))
    assert undo is not None
    assert undo.reverts
    assert undo.version > first.version
    assert stamp(undo, bench.now_ms, "e").action == "revert"
    assert undo.expires_ms > bench.now_ms
    assert bench.wanted() is None
    bench.ack(undo)
    assert bench.ended == ["worse"]
    assert bench.counters["adjust.effect.worse"] == 1
    assert bench.loop.phase is None


def test_steps_build_on_each_other_until_they_are_used_up() -> None:
    bench = Bench(max_steps=2, max_step_m=0.2)
    bench.corrected(Rated(1, Wish(up_m=-0.9)))
    second = bench.judge(Rated(2, Wish(right_m=0.1, up_m=-0.1)))
    assert second is not None
    assert second.correction.move_m == pytest.approx((0.1, -0.3, 0.0)), "the whole, not the step"
    bench.ack(second)
    bench.wait(bench.config.settle_ms)
    assert bench.judge(Rated(3, Wish(up_m=-0.1))) is None
    assert bench.ended == ["improved"]


def test_a_second_step_that_harms_goes_back_to_the_first() -> None:
    bench = Bench()
    first = bench.corrected(Rated(1, Wish(up_m=-0.2)))
    second = bench.judge(Rated(3, Wish(up_m=-0.1)))
    assert second is not None
    bench.ack(second)
    bench.wait(bench.config.settle_ms)
    undo = bench.judge(Rated(2, Wish()))
    assert undo is not None
    assert undo.correction == first.correction
    assert undo.captured_ms == first.captured_ms, "in whose view it is expressed"
    assert not undo.reverts
    assert stamp(undo, bench.now_ms, "e").action == "apply"


def test_what_changes_nothing_is_taken_back_at_the_end() -> None:
    bench = Bench(max_steps=1)
    bench.corrected()
    undo = bench.judge(LOW)
    assert undo is not None
    assert undo.reverts
    bench.ack(undo)
    assert bench.ended == ["no_better"]
    assert bench.counters["adjust.effect.unchanged"] == 1


def test_clamped_is_the_last_step() -> None:
    bench = Bench(max_steps=5)
    draft = bench.correct()
    bench.ack(draft, AckAction.CLAMPED)
    bench.wait(bench.config.settle_ms)
    assert bench.judge(Rated(3, Wish(up_m=-0.3))) is None
    assert bench.ended == ["improved"]


@pytest.mark.parametrize(
    ("rated", "config", "end"),
    [
        (Rated(2, Wish()), {}, "no_wish"),
        (Rated(2), {}, "no_wish"),
        (Rated(1), {"factors": ("shadow",)}, "rated_only"),
        (None, {}, "failed"),
    ],
)
def test_answers_without_a_correction(rated: Rated | None, config: dict[str, Any], end: str) -> None:
    bench = Bench(**config)
    assert bench.judge(rated) is None
    assert bench.ended == [end]


def test_the_limit_of_the_whole_is_the_apps_own_report_of_it() -> None:
    bench = Bench(max_move_m=0.5)
    bench.scene = by_id(seen(corrected_m=(0.0, -0.5, 0.0)))
    assert bench.judge(LOW) is None
    assert bench.ended == ["at_limit"]


def test_what_the_app_says_is_in_force_is_built_on() -> None:
    bench = Bench(factors=("size",), gain=1.0)
    bench.scene = by_id(seen(corrected_m=(0.1, 0.0, 0.0), corrected_scale=1.2))
    draft = bench.correct(Rated(2, Wish(scale=0.8)))
    assert draft.correction.move_m == (0.1, 0.0, 0.0)
    assert draft.correction.scale == pytest.approx(0.96)


# Whom to ask about, and when -----------------------------------------------------------------------------


def test_only_what_stands_still_in_view_and_is_not_held_is_judged() -> None:
    bench = Bench()
    for members in (
        {"held": True},
        {"box": (0.95, 0.4, 0.1, 0.1)},
        {"box": (0.4, 0.4, 0.02, 0.02)},
        {"steady_ms": bench.now_ms - 100},
    ):
        bench.scene = by_id(seen("other", **members))
        assert bench.wanted() is None, members
    bench.scene = {}
    assert bench.wanted() is None


def test_the_largest_first_and_factor_by_factor() -> None:
    bench = Bench(factors=("size", "placement"))
    bench.scene = by_id(seen("small"), seen("large", box=(0.1, 0.1, 0.3, 0.3)))
    order = []
    for _ in range(4):
        target = bench.ask()
        order.append((target.object_id, target.factor))
        bench.loop.answered(Rated(5), bench.scene, bench.now_ms)
    assert order == [("large", "size"), ("large", "placement"), ("small", "size"), ("small", "placement")]
    assert bench.wanted() is None


def test_one_question_and_one_correction_at_a_time() -> None:
    bench = Bench()
    bench.scene = by_id(seen("a"), seen("b"))
    bench.ask()
    assert bench.wanted() is None
    draft = bench.loop.answered(LOW, bench.scene, bench.now_ms)
    assert draft is not None
    assert bench.wanted() is None
    assert bench.loop.answered(LOW, bench.scene, bench.now_ms) is None, "nobody asked"
    bench.ack(draft)
    assert bench.wanted() is None


def test_a_limit_of_the_judge_is_waited_for() -> None:
    bench = Bench()
    assert bench.wanted() is not None
    bench.loop.held_back(bench.now_ms)
    assert bench.wanted() is None
    bench.wait(HELD_BACK_MS)
    assert bench.wanted() is not None


def test_after_a_failure_it_is_asked_about_again_later() -> None:
    bench = Bench()
    bench.judge(None)
    bench.wait(RETRY_MS - 1)
    assert bench.wanted() is None
    bench.wait(1)
    assert bench.wanted() is not None


# The user's hand -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("scene", [seen(held=True), seen(moved_ms=11_000.0), seen("other")])
def test_an_answer_about_what_was_touched_meanwhile_is_dropped(scene: Seen) -> None:
    bench = Bench()
    bench.ask()
    bench.now_ms += JUDGE_MS
    bench.scene = by_id(scene)
    assert bench.loop.answered(LOW, bench.scene, bench.now_ms) is None
    assert bench.ended == ["outdated"]


def test_refused_while_held_leaves_the_object_alone() -> None:
    bench = Bench(held_pause_ms=20_000, cool_down_ms=1000)
    draft = bench.correct()
    bench.ack(draft, AckAction.REFUSED, "held_by_user")
    assert bench.ended == ["held"]
    bench.wait(19_999)
    assert bench.wanted() is None
    bench.wait(1)
    assert bench.wanted() is not None


def test_what_was_held_is_left_alone_for_a_while() -> None:
    bench = Bench(held_pause_ms=20_000)
    bench.scene = by_id(seen(held=True))
    assert bench.wanted() is None
    bench.scene = by_id(seen())
    bench.wait(19_000)
    assert bench.wanted() is None
    bench.wait(1000)
    assert bench.wanted() is not None


@pytest.mark.parametrize(
    ("scene", "end"),
    [(seen(held=True), "held"), (seen(moved_ms=20_000.0), "moved"), (seen("x"), "unverified")],
)
def test_touched_or_gone_before_it_could_be_judged_again(scene: Seen, end: str) -> None:
    bench = Bench()
    bench.ack(bench.correct())
    bench.scene = by_id(scene)
    bench.wait(bench.config.rejudge_ms)
    assert bench.ended == [end]
    assert bench.loop.phase is None


def test_a_second_judgement_that_fails_is_tried_again() -> None:
    bench = Bench()
    bench.corrected()
    assert bench.judge(None) is None
    assert bench.loop.phase is Phase.SETTLING
    bench.wait(HELD_BACK_MS)
    assert bench.judge(Rated(5)) is None
    assert bench.ended == ["good"]


def test_refused_by_an_app_that_has_no_such_object() -> None:
    bench = Bench(cool_down_ms=1000)
    bench.ack(bench.correct(), AckAction.REFUSED, "unknown_object")
    bench.wait(1_000_000)
    assert bench.wanted() is None


# Time ----------------------------------------------------------------------------------------------------


def test_an_answer_past_the_expiry_is_never_sent() -> None:
    bench = Bench(max_age_ms=3000)
    assert bench.judge(LOW, took_ms=2900) is None
    assert bench.ended == ["late"]
    assert bench.counters["adjust.sent.step"] == 0


def test_a_correction_is_withdrawn_when_it_expires_or_is_replaced() -> None:
    bench = Bench()
    draft = bench.correct()
    assert bench.loop.current(draft, draft.expires_ms - 1)
    assert not bench.loop.current(draft, draft.expires_ms)
    bench.now_ms = draft.expires_ms
    undo = bench.wait(bench.config.ack_timeout_ms)
    assert undo is not None
    assert undo.reverts
    assert not bench.loop.current(draft, 0)
    assert bench.loop.current(undo, bench.now_ms)


def test_a_correction_that_nobody_answers_is_taken_back_and_given_up() -> None:
    bench = Bench()
    bench.correct()
    sent = []
    while bench.loop.phase is not None:
        draft = bench.wait(500)
        if draft is not None and draft not in sent:
            sent.append(draft)
    assert [draft.reverts for draft in sent] == [False] + [True] * UNDO_TRIES
    assert len({draft.version for draft in sent}) == 1 + UNDO_TRIES
    assert bench.ended == ["unanswered"]


def test_what_nobody_says_to_have_received_is_sent_again_under_its_version() -> None:
    bench = Bench()
    draft = bench.correct()
    assert bench.wait(RESEND_MS - 1) is None
    assert bench.wait(1) is draft
    assert bench.wait(1) is None
    bench.ack(draft, AckAction.RECEIVED)
    assert bench.wait(RESEND_MS) is None
    assert bench.counters["adjust.resent"] == 1


def test_a_headset_that_never_answers_is_hardly_asked_any_more() -> None:
    bench = Bench(cool_down_ms=100_000)
    bench.scene = by_id(*(seen(f"o{n}") for n in range(6)))
    for _ in range(SILENT_OBJECTS):
        bench.correct()
        while bench.loop.phase is not None:
            bench.wait(1000)
    assert bench.wanted() is None
    bench.wait(bench.config.cool_down_ms)
    assert bench.wanted() is not None


def test_expired_on_its_way_changes_nothing() -> None:
    bench = Bench()
    bench.ack(bench.correct(), AckAction.EXPIRED)
    assert bench.ended == ["expired"]
    bench = Bench()
    bench.corrected()
    undo = bench.judge(Rated(1))
    assert undo is not None
    bench.ack(undo, AckAction.EXPIRED)
    again = bench.wait(0)
    assert again is not None
    assert again.version > undo.version


def test_a_way_back_that_is_refused_goes_to_where_the_app_placed_it() -> None:
    bench = Bench()
    bench.corrected(Rated(1, Wish(up_m=-0.2)))
    second = bench.judge(Rated(3, Wish(up_m=-0.1)))
    assert second is not None
    bench.ack(second)
    bench.wait(bench.config.settle_ms)
    undo = bench.judge(Rated(2))
    assert undo is not None
    bench.ack(undo, AckAction.REFUSED, "unknown_view")
    back = bench.wait(0)
    assert back is not None
    assert back.reverts
    bench.ack(back, AckAction.REFUSED, "no")
    assert bench.ended == ["refused"]


# Acknowledgements ----------------------------------------------------------------------------------------


def test_acknowledgements_are_idempotent() -> None:
    bench = Bench()
    draft = bench.correct()
    assert bench.ack(draft)
    since_ms = bench.now_ms
    bench.wait(1000)
    assert bench.ack(draft)
    assert bench.ack(draft, AckAction.REFUSED, "held_by_user"), "a correction ends once"
    assert bench.counters["adjust.acks.repeated"] == 2
    bench.now_ms = since_ms + bench.config.settle_ms
    assert bench.wanted() is not None, "the repeated one did not start the settling anew"


def test_acknowledgements_of_others_are_not_ours() -> None:
    bench = Bench()
    draft = bench.correct()
    foreign = Ack(alert_id="a1", revision=1, action=AckAction.APPLIED, headset_ms=0)
    assert not bench.loop.acknowledged(foreign, bench.now_ms)
    old = Ack(alert_id="j1", revision=draft.version + 1, action=AckAction.APPLIED, headset_ms=0)
    assert bench.loop.acknowledged(old, bench.now_ms)
    assert bench.loop.phase is Phase.SENT


def test_the_end_of_the_session_drops_everything() -> None:
    bench = Bench()
    draft = bench.correct()
    bench.loop.drop()
    assert not bench.loop.current(draft, bench.now_ms)
    assert bench.loop.tick(bench.scene, bench.now_ms + 1e6) is None
    assert bench.counters["adjust.dropped"] == 1
    bench.ack(draft)
    assert bench.loop.phase is None
    assert bench.wanted() is not None, "a stream may come back within its session"


def test_the_message_is_of_the_contract() -> None:
    bench = Bench()
    draft = bench.correct()
    message = stamp(draft, 12_345.0, "epoch")
    assert (message.action, message.scale, message.published_ms) == ("apply", 1.0, 12_345.0)
    assert message.message == "cup: placement corrected"
    assert draft.correction != AS_PLACED
