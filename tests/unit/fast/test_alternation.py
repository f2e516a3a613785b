from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arwarden.core.findings import Box, Claim, Element, ElementType, Finding, FindingKind, Severity
from arwarden.fast.alternation import MOST_CUES, REMEMBERED_MS, Alternation
from arwarden.fast.tracking.follower import Step
from arwarden.fast.tracking.novelty import Motion

PLACE = Box(0.4, 0.4, 0.2, 0.1)
STILL = np.eye(3, dtype=np.float32)
STEP_MS = 250.0


def element(value: str, box: Box = PLACE, *, subject: str = "cheese", strength: float = 0.9) -> Element:
    claim = Claim("origin", value, subject, strength=strength)
    return Element(ElementType.PANEL, box, f"{subject}: {value}", (claim,), 0.9)


def differing(elements: Sequence[Element]) -> tuple[Finding, ...]:
    """Two origins of one thing contradict each other."""
    one, other = (element.claims[0] for element in elements)
    if one.subject != other.subject or one.value == other.value:
        return ()
    key = f"origin:{'|'.join(sorted((one.value, other.value)))}"
    kind = FindingKind.CONTRADICTION
    return (Finding(kind, key, "origin", Severity.WARNING, "Made in two", 0.9, tuple(elements)),)


FRANCE, ITALY = element("France"), element("Italy")


class Stream:
    """Frames 250 ms apart."""

    def __init__(self) -> None:
        self.turns = Alternation(differing)
        self.now_ms = 1000.0

    def show(
        self,
        *elements: Element,
        samples: int = 1,
        moved: np.ndarray[tuple[int, int], np.dtype[np.float32]] | None = STILL,
        step_ms: float = STEP_MS,
    ) -> list[str]:
        found: tuple[Finding, ...] = ()
        for _ in range(samples):
            self.now_ms += step_ms
            motion = None if moved is None else Motion(moved, np.zeros((22, 40), np.bool_), 0.0)
            found = self.turns.observe(elements, Step(self.now_ms, motion, step_ms))
        return [finding.key for finding in found]


@pytest.fixture
def stream() -> Stream:
    shown = Stream()
    shown.show(moved=None)
    return shown


BOTH = ["origin:France|Italy"]


def test_cues_that_take_turns_in_one_place_contradict_each_other(stream: Stream) -> None:
    assert stream.show(FRANCE, samples=4) == []
    assert stream.show(ITALY, samples=4) == []
    assert stream.show(FRANCE) == BOTH
    assert stream.show(samples=2) == BOTH, "while neither is shown both are remembered"


def test_what_is_found_says_that_they_take_turns_and_names_both(stream: Stream) -> None:
    for shown in (FRANCE, ITALY, FRANCE):
        stream.show(shown, samples=3)
    stream.now_ms += STEP_MS
    (finding,) = stream.turns.observe(
        (ITALY,), Step(stream.now_ms, Motion(STILL, np.zeros((1, 1), bool), 0), 250)
    )
    assert finding.message == "Made in two; they take turns in one place"
    assert 0.8 < finding.confidence < 0.9
    assert {one.text for one in finding.elements} == {"cheese: France", "cheese: Italy"}


def test_with_a_gap_between_them_they_take_turns_too(stream: Stream) -> None:
    for shown in (FRANCE, ITALY):
        stream.show(shown, samples=2)
        stream.show(samples=2)
    assert stream.show(FRANCE) == BOTH


def test_what_is_replaced_for_good_is_a_change(stream: Stream) -> None:
    stream.show(FRANCE, samples=6)
    assert stream.show(ITALY, samples=12) == []


def test_a_countdown_is_quiet(stream: Stream) -> None:
    for number in range(10, 0, -1):
        assert stream.show(element(str(number)), samples=2) == []


def test_a_gap_in_what_is_read_is_no_turn(stream: Stream) -> None:
    for _ in range(5):
        stream.show(FRANCE)
        assert stream.show() == []
    stream.show(ITALY, samples=2)
    assert stream.show(samples=3) == []


def test_one_misreading_takes_no_turns(stream: Stream) -> None:
    stream.show(FRANCE, samples=4)
    stream.show(ITALY)
    assert stream.show(FRANCE, samples=4) == []


def test_an_unsure_cue_is_none(stream: Stream) -> None:
    for shown in (FRANCE, element("Italy", strength=0.3), FRANCE):
        assert stream.show(shown, samples=3) == []


def test_what_comes_back_after_long_is_not_remembered(stream: Stream) -> None:
    stream.show(FRANCE, samples=3)
    stream.show(ITALY, samples=round(REMEMBERED_MS / STEP_MS) + 1)
    assert stream.show(FRANCE, samples=3) == []


def worded(text: str) -> Element:
    """A text of which the rules read nothing."""
    return Element(ElementType.PANEL, PLACE, text, (), 0.9)


def sentences_differ(elements: Sequence[Element]) -> tuple[Finding, ...]:
    """As a judge of sentences: what plays is not on strike."""
    texts = {" ".join(element.text.casefold().split()) for element in elements}
    if texts != {"the orchestra plays", "the orchestra is on strike"}:
        return ()
    kind = FindingKind.CONTRADICTION
    return (Finding(kind, "strike", "statement", Severity.WARNING, "Plays or not", 0.9, tuple(elements)),)


def test_texts_that_claim_nothing_are_cues_by_their_words(stream: Stream) -> None:
    stream.turns = Alternation(sentences_differ)
    stream.show(moved=None)
    plays, strikes = worded("The orchestra plays"), worded("The orchestra is on strike")
    stream.show(plays, samples=3)
    stream.show(strikes, samples=3)
    assert stream.show(worded("THE ORCHESTRA  plays"), samples=2) == ["strike"]


def test_words_alone_that_are_out_of_view_are_left_alone(stream: Stream) -> None:
    stream.turns = Alternation(sentences_differ)
    stream.show(moved=None)
    stream.show(worded("The orchestra plays"), samples=2)
    stream.show(moved=TURN)
    assert stream.show(worded("The orchestra is on strike"), samples=3) == []


@pytest.mark.parametrize(
    "texts", [("Welcome", "Goodbye"), ("Fresh bread", "New cheese"), ("", "Fresh bread")]
)
def test_pages_that_turn_are_quiet(stream: Stream, texts: tuple[str, str]) -> None:
    stream.turns = Alternation(sentences_differ)
    stream.show(moved=None)
    for turn in range(4):
        assert stream.show(worded(texts[turn % 2]), samples=3) == []


def test_two_places_are_two_things(stream: Stream) -> None:
    there = element("Italy", Box(0.7, 0.4, 0.2, 0.1))
    for shown in (FRANCE, there, FRANCE, there):
        assert stream.show(shown, samples=3) == []


def test_two_subjects_in_one_place_may_take_turns(stream: Stream) -> None:
    wine = element("Italy", subject="wine")
    for shown in (FRANCE, wine, FRANCE, wine):
        assert stream.show(shown, samples=3) == []


def test_what_is_shown_together_is_left_to_the_frame(stream: Stream) -> None:
    stream.show(FRANCE, ITALY, samples=4)
    stream.show(FRANCE, samples=2)
    stream.show(ITALY, samples=2)
    assert stream.show(FRANCE) == []


def test_both_may_show_for_a_moment_while_they_cross_fade(stream: Stream) -> None:
    for first, second in ((FRANCE, ITALY), (ITALY, FRANCE)):
        stream.show(first, samples=3)
        stream.show(first, second)
    assert stream.show(FRANCE, samples=2) == BOTH


def test_places_move_with_the_picture(stream: Stream) -> None:
    shift = np.array([[1, 0, 0.04], [0, 1, -0.02], [0, 0, 1]], np.float32)
    x, y = PLACE.x_norm, PLACE.y_norm
    found: list[str] = []
    for count in range(10):
        x, y = x + 0.04, y - 0.02
        value = "France" if count // 2 % 2 == 0 else "Italy"
        found = stream.show(element(value, Box(x, y, 0.2, 0.1)), moved=shift)
    assert found == BOTH
    stream.show(samples=1)
    stayed = Stream()
    stayed.show(moved=None)
    for count in range(10):
        value = "France" if count // 2 % 2 == 0 else "Italy"
        found = stayed.show(element(value, Box(0.4 + 0.25 * (count // 2 % 2), 0.4, 0.2, 0.1)))
    assert found == []


TURN = np.array([[1, 0, -0.3], [0, 1, 0], [0, 0, 1]], np.float32)
THERE = element("Italy", Box(0.7, 0.4, 0.2, 0.1))


def test_what_the_camera_has_turned_away_from_is_still_there(stream: Stream) -> None:
    stream.show(FRANCE, samples=2)
    assert stream.show(moved=TURN) == []
    assert stream.show(THERE, moved=TURN) == []
    assert stream.show(THERE) == BOTH
    stream.now_ms += STEP_MS
    motion = Motion(STILL, np.zeros((1, 1), np.bool_), 0.0)
    (finding,) = stream.turns.observe((THERE,), Step(stream.now_ms, motion, STEP_MS))
    assert finding.message == "Made in two; one of them is out of view now"
    assert finding.confidence == pytest.approx(0.81)
    boxes = {one.text: one.box for one in finding.elements}
    assert boxes["cheese: France"] == pytest.approx((0.0, 0.4, 0.2, 0.1)), "at the edge it is beyond"
    assert boxes["cheese: Italy"] == THERE.box


def test_one_sample_of_what_is_out_of_view_is_not_enough(stream: Stream) -> None:
    stream.show(FRANCE)
    stream.show(moved=TURN)
    assert stream.show(THERE, moved=TURN) == stream.show(THERE, samples=3) == []


def test_what_has_vanished_in_view_is_not_there(stream: Stream) -> None:
    stream.show(FRANCE, samples=3)
    assert stream.show(THERE, samples=4) == []


def test_what_is_out_of_view_is_forgotten(stream: Stream) -> None:
    stream.show(FRANCE, samples=2)
    stream.show(moved=TURN)
    stream.show(THERE, moved=TURN)
    assert stream.show(THERE, samples=round(REMEMBERED_MS / STEP_MS)) == []


def test_another_scene_has_other_places(stream: Stream) -> None:
    for shown in (FRANCE, ITALY):
        stream.show(shown, samples=3)
    stream.show(moved=None)
    assert stream.show(FRANCE, samples=2) == []


def test_a_still_scene_that_is_seldom_sampled_is_remembered(stream: Stream) -> None:
    for shown in (FRANCE, ITALY, FRANCE):
        stream.show(shown)
        found = stream.show(shown, step_ms=1400.0)
    assert found == BOTH


def test_memory_and_time_are_bounded(stream: Stream) -> None:
    crowd = [element(f"land {n}", Box(n % 25 / 25, n // 25 / 20, 0.03, 0.04)) for n in range(500)]
    for _ in range(4):
        assert stream.show(*crowd) == []
    assert len(stream.turns._cues) <= MOST_CUES
