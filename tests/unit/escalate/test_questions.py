from __future__ import annotations

import pytest

from arwarden.escalate.questions import Example, Form, Question, Task
from tests.unit.escalate.asking import picture

NUMBERED = tuple(picture(grey=20 * i) for i in range(6))
EXAMPLE = Example(picture(), "a ball", 1)


@pytest.mark.parametrize(
    ("have", "wanted", "chosen"),
    [
        (6, 1, [3]),
        (6, 3, [0, 2, 5]),
        (5, 3, [0, 2, 4]),
        (3, 1, [1]),
        (6, 2, [0, 5]),
        (2, 3, [0, 1]),
        (1, 1, [0]),
    ],
)
def test_pictures_are_spread_over_the_window(have: int, wanted: int, chosen: list[int]) -> None:
    limited = Question(Task.CONTRADICTION, NUMBERED[:have]).limited(wanted)
    assert limited.pictures == tuple(NUMBERED[i] for i in chosen)


def test_a_pair_stays_a_pair() -> None:
    assert len(Question(Task.PAIRWISE, NUMBERED[:2]).limited(1).pictures) == 2


@pytest.mark.parametrize(
    ("task", "count", "form", "examples", "fault"),
    [
        (Task.PAIRWISE, 1, Form.CONTEXTUAL, (), "two pictures"),
        (Task.PAIRWISE, 3, Form.CONTEXTUAL, (), "two pictures"),
        (Task.SIZE, 0, Form.CONTEXTUAL, (), "1 to 8 pictures"),
        (Task.SIZE, 1, Form.FEW_SHOT, (), "needs examples"),
        (Task.SIZE, 1, Form.PRIMITIVE, (EXAMPLE,), "only that form"),
        (Task.CONTRADICTION, 1, Form.FEW_SHOT, (EXAMPLE,), "no few-shot form"),
        (Task.SIZE_ADJUSTMENT, 1, Form.FEW_SHOT, (EXAMPLE,), "no few-shot form"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    task: Task, count: int, form: Form, examples: tuple[Example, ...], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        Question(task, NUMBERED[:count], form=form, examples=examples)


def test_too_many_pictures() -> None:
    with pytest.raises(ValueError, match="not 9"):
        Question(Task.SIZE, (picture(),) * 9)


def test_a_contradiction_may_be_asked_about_by_facts_alone() -> None:
    assert Question(Task.CONTRADICTION, ()).limited(3).pictures == ()


def test_what_tasks_ask_for() -> None:
    assert {task for task in Task if task.rated} == set(Task) - {Task.CONTRADICTION, Task.PAIRWISE}
    assert {task for task in Task if task.adjusts} == {Task.PLACEMENT_ADJUSTMENT, Task.SIZE_ADJUSTMENT}
