from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arwarden.core.findings import Box, Claim, Element, ElementType, Finding, FindingKind, Severity
from arwarden.fast.calibration import FEATURES
from models.calibration.fit import CHANCE, LEAST_CERTAIN, Example, described, examples_in, fit, threshold
from models.scenes.truth import ElementTruth, SceneTruth

RULES = FEATURES.index("rules")


def example(rules: float, *, true: bool, **other: float) -> Example:
    known = {"one": 1.0, "rules": rules, **other}
    values = tuple(known.get(name, 0.0) for name in FEATURES)
    return Example(values, true, 1.0 / (1.0 + float(np.exp(-rules))))


def shown(index: int, x: float) -> ElementTruth:
    box = (x, 0.4, 0.2, 0.2)
    corners = ((x, 0.4), (x + 0.2, 0.4), (x + 0.2, 0.6), (x, 0.6))
    return ElementTruth(index, "panel", "panel", "words", box, corners, 1.0)


TRUTH = SceneTruth(
    id="s", split="validation", application="retail", contradictory=True, kind="origin", attribute="origin",
    recipe="contradiction", pair=(0, 1), elements=(shown(0, 0.1), shown(1, 0.6), shown(2, 0.35)),
    size_px=(1280, 720),
)  # fmt: skip


def element(x: float) -> Element:
    return Element(ElementType.PANEL, Box(x, 0.42, 0.18, 0.1), "words", (Claim("origin", "France"),))


def finding(*places: float) -> Finding:
    elements = tuple(element(x) for x in places)
    return Finding(FindingKind.CONTRADICTION, "k", "origin", Severity.INFO, "two", 0.9, elements)


@pytest.mark.parametrize(
    ("places", "true"), [((0.1, 0.6), True), ((0.6, 0.1), True), ((0.1, 0.35), False), ((0.1, 0.1), False)]
)
def test_a_finding_is_true_where_it_names_the_pair(places: tuple[float, float], *, true: bool) -> None:
    found = finding(*places)
    (one,) = examples_in(TRUTH, [found], found.elements)
    assert (one.true, one.confidence) == (true, 0.9)


def test_in_a_coherent_scene_no_finding_is_true() -> None:
    found = finding(0.1, 0.6)
    for truth in (replace(TRUTH, contradictory=False), replace(TRUTH, contradictory=False, pair=None)):
        assert [one.true for one in examples_in(truth, [found], ())] == [False]


def test_only_contradictions_are_examples() -> None:
    others = [replace(finding(0.1, 0.6), kind=FindingKind.QUALITY), finding(0.1)]
    assert list(examples_in(TRUTH, others, ())) == []


def test_few_examples_change_little_and_many_decide() -> None:
    few = fit([example(1.0, true=True)])
    assert few[RULES] == pytest.approx(1.0, abs=0.3)
    lies = [example(1.0, true=n % 2 == 0, both_bare=float(n % 2)) for n in range(200)]
    weights = dict(zip(FEATURES, fit(lies), strict=True))
    assert weights["both_bare"] < -2.0
    assert weights["pictured"] == 0.0


def test_the_fit_agrees_with_the_rates() -> None:
    examples = [example(0.0, true=n % 10 < 7) for n in range(1000)]
    weights = fit(examples, held=0.01)
    assert 1.0 / (1.0 + np.exp(-weights[FEATURES.index("one")])) == pytest.approx(0.7, abs=0.01)


def test_nothing_to_fit() -> None:
    with pytest.raises(ValueError, match="no contradiction was found"):
        fit([])


def test_the_threshold_is_the_least_with_enough_that_are_true() -> None:
    likely = np.array([0.9, 0.8, 0.7, 0.6])
    true = np.array([True, True, False, False])
    assert threshold(likely, true, 1.0) == 0.8
    assert threshold(likely, true, 0.6) == 0.7
    assert threshold(likely, ~np.ones(4, bool), 0.5) == 1.0


def test_what_goes_into_the_file() -> None:
    rng = np.random.default_rng(1)
    rules = rng.normal(0.5, 1.5, 400)
    values = described([example(r, true=rng.random() < 1 / (1 + np.exp(-2 * r))) for r in rules], "made up")
    assert (values["format"], values["findings"], values["origin"]) == (1, 400, "made up")
    assert values["error"]["fitted"] < values["error"]["rules"]
    assert 1.5 < values["weights"]["rules"] < 2.5
    assert LEAST_CERTAIN <= values["certain"] <= 0.9
    assert 0.1 <= values["least"] <= CHANCE
