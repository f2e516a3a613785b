"""Evidence by itself, and the numbers behind the defaults (``docs/decisions/evidence.md``)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.core.findings import Box
from arwarden.decide.evidence import MAX_SAMPLES, Evidence, reread
from tests.unit.decide.script import FRANCE, ITALY, NETHERLANDS, element, moved
from tests.unit.decide.simulation import Outcome, simulate


def test_one_sample_is_as_sure_as_itself() -> None:
    evidence = Evidence(1000)
    assert (evidence.balance, evidence.confidence, evidence.first_captured_ms) == (0, 0.0, None)
    evidence.agree(5, 0.8)
    assert evidence.confidence == pytest.approx(0.8)
    assert (evidence.balance, evidence.first_captured_ms) == (1, 5)


def test_two_samples_are_surer_than_one_and_less_than_independent_ones() -> None:
    evidence = Evidence(1000)
    evidence.agree(0, 0.8)
    evidence.agree(1, 0.8)
    assert 0.8 < evidence.confidence < 1 - 0.2**2


def test_disagreement_lowers_balance_and_confidence() -> None:
    evidence = Evidence(1000)
    evidence.disagree(0)
    assert evidence.balance == 0
    evidence.agree(1, 0.8)
    assert evidence.balance == 1
    evidence.disagree(2)
    assert evidence.balance == 0
    assert evidence.confidence == pytest.approx(0.8 / 3)


def test_capture_times_that_step_back_leave_the_first_one_first() -> None:
    evidence = Evidence(1000)
    evidence.agree(5000, 0.8)
    evidence.agree(4200, 0.8)
    assert evidence.first_captured_ms == 4200


def test_old_samples_are_forgotten() -> None:
    evidence = Evidence(1000)
    evidence.agree(0, 0.8)
    evidence.agree(1001, 0.6)
    assert (evidence.balance, evidence.first_captured_ms) == (1, 1001)
    evidence.forget_before(2002)
    assert evidence.balance == 0


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=100))
def test_confidence_stays_a_probability_and_balance_within_the_votes(votes: list[float | None]) -> None:
    evidence = Evidence(1e9)
    for at_ms, vote in enumerate(votes):
        if vote is None:
            evidence.disagree(at_ms)
        else:
            evidence.agree(at_ms, vote)
    assert 0.0 <= evidence.confidence <= 1.0
    agreeing = sum(vote is not None for vote in votes[-MAX_SAMPLES:])
    assert 0 <= evidence.balance <= agreeing


def test_read_again_means_every_element_in_its_place() -> None:
    before = (NETHERLANDS, FRANCE)
    assert reread(before, (ITALY, NETHERLANDS))
    assert reread(before, moved(before, 0.02))
    assert not reread(before, (NETHERLANDS,))
    assert not reread(before, moved(before, 0.3))
    assert not reread((), before)
    narrower = element("France", Box(FRANCE.box.x_norm, FRANCE.box.y_norm, 0.08, FRANCE.box.h_norm))
    assert reread((FRANCE,), (narrower,))


# The numbers behind the defaults ------------------------------------------------------------------


@pytest.fixture(scope="module")
def outcomes() -> dict[tuple[int, float], Outcome]:
    return {
        (needed, misread): simulate(needed, misread, recall=0.9, runs=250, seed=5)
        for needed in (1, 2, 3)
        for misread in (0.01, 0.05)
    }


def test_a_second_sample_removes_most_false_alerts(outcomes: dict[tuple[int, float], Outcome]) -> None:
    for misread in (0.01, 0.05):
        one, two, three = (outcomes[needed, misread].false_raise for needed in (1, 2, 3))
        assert two <= one / 3
        assert three <= two
    assert outcomes[2, 0.01].false_raise <= 0.01


def test_each_further_sample_costs_about_one_interval(outcomes: dict[tuple[int, float], Outcome]) -> None:
    delays = [outcomes[needed, 0.01].delay_ms for needed in (1, 2, 3)]
    assert np.all(np.diff(delays) > 200)
    assert np.all(np.diff(delays) < 400)
    assert all(outcome.missed <= 0.01 for outcome in outcomes.values())


def test_true_alerts_are_rarely_retracted(outcomes: dict[tuple[int, float], Outcome]) -> None:
    assert outcomes[2, 0.01].false_retraction <= 0.06
    assert outcomes[3, 0.01].false_retraction <= outcomes[2, 0.01].false_retraction
