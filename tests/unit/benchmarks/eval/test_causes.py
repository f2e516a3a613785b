from __future__ import annotations

from collections.abc import Sequence

from arwarden.fast.claims import PairRelation, PairVerdict
from benchmarks.eval.causes import CLAIMS, PERCEPTION, TOGETHER, Engine, alarmed, missed
from benchmarks.eval.sight import shown
from tests.unit.benchmarks.eval.cases import (
    ALERT,
    FRANCE,
    ITALY,
    LEFT,
    RIGHT,
    SEEN,
    engine,
    finding,
    lexicon,
    said,
    truth_of,
)

PAIR = shown((FRANCE, ITALY))
ELSEWHERE = (0.3, 0.8, 0.2, 0.1)


def test_a_miss_with_everything_seen_is_one_of_the_claims() -> None:
    pair = shown((truth_of(0, LEFT, text="Lorem ipsum"), truth_of(1, RIGHT, text="Dolor sit amet")))
    cause = missed(pair, [], engine(), {})
    assert (cause.stage, cause.faults) == (CLAIMS, ("words / words",))


def test_what_the_judge_of_sentences_sees_is_not_lost_by_the_claims() -> None:
    class Judge:
        def judge(self, pairs: Sequence[tuple[str, str]]) -> Sequence[PairVerdict]:
            return [PairVerdict(PairRelation.CONTRADICTORY, 0.95)] * len(pairs)

    pair = shown(
        (
            truth_of(0, LEFT, text="The orchestra plays Brahms"),
            truth_of(1, RIGHT, text="The orchestra is on strike"),
        )
    )
    assert missed(pair, [], Engine(lexicon(), ALERT, Judge()), {}).stage == PERCEPTION


def test_only_the_element_that_mattered_is_blamed() -> None:
    cause = missed(PAIR, [SEEN[0], said("Made in It", RIGHT)], engine(), {})
    assert cause.stage == PERCEPTION
    assert cause.faults == ("words read in part",)
    cause = missed(PAIR, [], engine(), {})
    assert cause.faults == ("words: nothing found", "words: nothing found")


def test_a_misreading_that_changes_nothing_is_not_blamed() -> None:
    cause = missed(PAIR, [said("Made  in France !", LEFT), SEEN[1]], engine(), {})
    assert cause.stage == TOGETHER


def test_a_false_alarm_of_phantoms_is_one_of_the_eye() -> None:
    pair = shown((FRANCE, truth_of(1, RIGHT, text="Sale")))
    wrong = said("Made in Italy", ELSEWHERE)
    cause = alarmed(pair, [SEEN[0], wrong], finding(elements=(SEEN[0], wrong)), engine(), "same_value")
    assert (cause.stage, cause.faults) == (PERCEPTION, ("text with words where nothing is",))


def test_a_false_alarm_on_what_is_there_is_one_of_the_claims() -> None:
    cause = alarmed(PAIR, SEEN, finding(), engine(), "other_time")
    assert (cause.stage, cause.faults) == (CLAIMS, ("other_time",))


def test_an_alarm_where_nothing_is_names_what_was_found() -> None:
    cause = alarmed([], SEEN, finding(), engine(), "negative")
    assert cause.faults == ("text with words where nothing is",) * 2
