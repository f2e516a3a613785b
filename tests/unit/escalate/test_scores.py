"""Ratings, adjustments and pairs, as models have been seen to write them."""

from __future__ import annotations

import json

import pytest

from arwarden.escalate.answers import Adjustment, Judgement, ParseStatus, Verdict
from arwarden.escalate.questions import Scale, Task
from arwarden.escalate.reading import Written, read_answer
from arwarden.escalate.rendering import BoxUnit
from tests.unit.escalate.asking import question


def read(task: Task, text: str) -> Judgement:
    return read_answer(question(task), Written(text), BoxUnit.THOUSANDTHS)


def test_an_exact_rating() -> None:
    answer = {"content": "a microwave oven", "assessment": "It floats above the table.", "rating": 1}
    judgement = read(Task.PLACEMENT, json.dumps(answer))
    assert judgement.parse is ParseStatus.STRICT
    assert judgement.rating == 1
    assert judgement.reason == "It floats above the table."
    assert judgement.elements[0].text == "a microwave oven"
    assert judgement.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("text", "rating"),
    [
        ('{"rating": 4.5}', 4.5),
        ('{"rating": "4"}', 4),
        ('{"rating": "4/5"}', 4),
        ('{"rating": 4/5}', 4),
        ('{"rating": "4 out of 5"}', 4),
        ('{"rating": "3,5"}', 3.5),
        ('{"rating": 3,5}', 3.5),
        ('{"rating": 3,5, "assessment": "x"}', 3.5),
        ('{"rating": [4]}', 4),
        ('{"rating": {"score": 4, "of": 5}}', 4),
        ('{"score": 2}', 2),
        ('{"placement": 2}', 2),
        ('{"placement_score": 2, "score": 5}', 2),
        ('{"Bewertung": "2 von 5"}', 2),
        ("{'rating': 4, }", 4),
        ('{"assessment": "ok", "rating": 4', None),
        ('{"assessment": "ok", "rating": 4}', 4),
        ("It rests on the table.\nScore: 4", 4),
        ("It rests on the table. Score: 4.", 4),
        ("It rests. **Score: 4/5**", 4),
        ("It rests.\nScore: [4]", 4),
        ("It rests.\nScore: 3,5", 3.5),
        ("It rests.\nRating = 4 out of 5", 4),
        ("Er schwebt.\nBewertung: 2", 2),
        ("Flota.\nPuntuación: 2", 2),
        ("它漂浮在空中。\n评分：2", 2),
        ("At first I thought Score: 2 would do.\nBut the shadow fits.\nScore: 4", 4),
        ("Placement score: 4. Size score: 2. Shadow score: 5.", 4),
        ("I give it 4/5.", 4),
        ("I give it a 4.", 4),
        ("Score: 3-4", None),
        ("Score: 3 or 4", None),
        ("Score: 2. Hm. Score: 4. It is hard to say.", None),
        ('{"rating": [3, 4]}', None),
        ('{"rating": "3 to 4"}', None),
        ('{"rating": 0}', None),
        ('{"rating": 6}', None),
        ('{"rating": -3}', None),
        ('{"rating": "8/10"}', None),
        ('{"rating": "80%"}', None),
        ('{"rating": true}', None),
        ('{"rating": null}', None),
        ('{"rating": NaN}', None),
        ('{"rating": 1e999}', None),
        ("Score: 9", None),
        ("Score: 8/10", None),
        ("A good placement.", None),
        ("I counted 3 chairs and 2 tables.", None),
        ("I'm sorry, I can't help with that. Score: 1", None),
        ("I cannot see the image. Score: 1", None),
    ],
)
def test_ratings(text: str, rating: float | None) -> None:
    judgement = read(Task.PLACEMENT, text)
    assert judgement.rating == rating
    assert judgement.readable is (rating is not None)
    assert bool(judgement.problem) is (rating is None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Score: 3 or 4", "several_scores"),
        ('{"rating": [3, 4]}', "several_scores"),
        ("Score: 9", "score_out_of_range"),
        ("Fine.", "no_score"),
        ('{"assessment": "it fl', "cut_off"),
        ("I'm sorry, I can't help with that.", "refused"),
    ],
)
def test_problems_have_names(text: str, problem: str) -> None:
    assert read(Task.SIZE, text).problem == problem


def test_a_placement_is_turned_from_the_papers_signs_to_ours() -> None:
    answer = {"content": "a desk", "assessment": "It hangs.", "rating": 2, "num1": -0.25, "num2": 0.5}
    judgement = read(Task.PLACEMENT_ADJUSTMENT, json.dumps(answer))
    assert judgement.parse is ParseStatus.STRICT
    # The paper: negative is left, negative is up. Here: right and up are positive.
    assert judgement.adjustment == Adjustment(right_m=-0.25, up_m=-0.5)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"rating": 2, "num1": 0.5, "num2": -0.5}', Adjustment(right_m=0.5, up_m=0.5)),
        ('{"rating": 2, "num1": "-0,5 m", "num2": "0,25"}', Adjustment(right_m=-0.5, up_m=-0.25)),
        ('{"rating": 2, "num1": -0,5, "num2": 0,25}', Adjustment(right_m=-0.5, up_m=-0.25)),
        ('{"rating": 2, "num1": 7, "num2": -7}', Adjustment(right_m=1, up_m=1, clamped=True)),
        ('{"rating": 5}', Adjustment()),
        ('{"rating": 5, "num1": 0, "num2": 0}', Adjustment()),
        ("Score: 2\n{'num1': -0.5, 'num2': 0.5}", Adjustment(right_m=-0.5, up_m=-0.5)),
        ("It floats. Score: 2. Move it.\n‘num1’: -0.5, ‘num2’: 0.5", Adjustment(right_m=-0.5, up_m=-0.5)),
        ('Score: 2\n```json\n{"num1": 0.0, "num2": 0.3}\n```', Adjustment(up_m=-0.3)),
        ("Score: 2, num1 = −0.5, num2 = .5", Adjustment(right_m=-0.5, up_m=-0.5)),
        ('{"rating": 2, "num1": 0.5}', None),
        ('{"rating": 2, "num1": "a little", "num2": 0}', None),
        ('{"rating": 2, "num1": NaN, "num2": 0}', None),
        ('{"rating": 2, "num1": 1e999, "num2": 0}', None),
        ("Score: 2. Move it down.", None),
    ],
)
def test_placements(text: str, expected: Adjustment | None) -> None:
    judgement = read(Task.PLACEMENT_ADJUSTMENT, text)
    assert judgement.adjustment == expected
    assert judgement.readable is (expected is not None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"rating": 3, "num1": 0.5}', Adjustment(scale=0.5)),
        ('{"rating": 3, "num1": "1.5x"}', Adjustment(scale=1.5)),
        ('{"rating": 3, "scale": 0.8}', Adjustment(scale=0.8)),
        ('{"rating": 1, "num1": 30}', Adjustment(scale=2.0, clamped=True)),
        ('{"rating": 1, "num1": 0}', Adjustment(scale=0.01, clamped=True)),
        ('{"rating": 1, "num1": -2}', Adjustment(scale=0.01, clamped=True)),
        ("Score: 5", Adjustment()),
        ("Too large. Score: 2\n‘num1’: 0.4", Adjustment(scale=0.4)),
        ('Too large. Score: 2\n{"num1": 0.4}', Adjustment(scale=0.4)),
        ('{"rating": 3}', None),
    ],
)
def test_sizes(text: str, expected: Adjustment | None) -> None:
    assert read(Task.SIZE_ADJUSTMENT, text).adjustment == expected


def test_a_rating_without_its_adjustment_is_kept_and_named() -> None:
    judgement = read(Task.SIZE_ADJUSTMENT, '{"rating": 3}')
    assert (judgement.rating, judgement.problem, judgement.readable) == (3, "no_adjustment", False)


def letters(judgement: Judgement) -> str:
    chosen = {comparison.scale: comparison.choice for comparison in judgement.comparisons}
    return "".join(chosen.get(scale, "-") for scale in Scale)


def test_an_exact_pair() -> None:
    answer = {scale.value: {"reason": "deeper blacks", "selection": "B"} for scale in Scale}
    judgement = read(Task.PAIRWISE, json.dumps(answer))
    assert judgement.parse is ParseStatus.STRICT
    assert letters(judgement) == "BBB"
    assert judgement.comparisons[0].reason == "deeper blacks"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        (
            '{"Contrast": {"selection": "A"}, "Colorfulness": {"selection": "B"}, "Overall": "A"}',
            "ABA",
        ),
        ('{"contrast": "Image A", "colourfulness": "image B", "overall": "The second"}', "ABB"),
        ('{"contrast": "first", "colorfulness": 2, "Overall image quality": {"choice": "b"}}', "ABB"),
        ("- Contrast: A\n- Colorfulness: **B**\n- Overall image quality: A (sharper)", "ABA"),
        ("Contrast: A - deeper\nColourfulness: B\nOverall: B", "ABB"),
        ('{"contrast": "A", "colourfulness": "B"}', "AB-"),
        ('{"contrast": "A or B", "colourfulness": "both", "overall": "tie"}', "---"),
        ("Both look the same.", "---"),
        ("Contrast: A or B\nColourfulness: A\nOverall: B", "-AB"),
        ("I cannot see the images.\nContrast: A\nColourfulness: A\nOverall: A", "---"),
    ],
)
def test_pairs(text: str, chosen: str) -> None:
    judgement = read(Task.PAIRWISE, text)
    assert letters(judgement) == chosen
    assert judgement.readable is ("-" not in chosen)
