"""What is said about corrections before anything is started."""

from __future__ import annotations

from typing import Any

import pytest

from arwarden.cli.adjustments import adjustment_summary, adjustment_warnings
from arwarden.config import Config
from tests.support.judges import JUDGE


def config(adjust: dict[str, Any], **escalate: Any) -> Config:
    return Config.model_validate({"adjust": adjust, "escalate": {"judge": JUDGE, **escalate}})


def test_off_by_default() -> None:
    assert adjustment_summary(Config()) == ["corrects no objects"]
    assert adjustment_warnings(Config()) == []


def test_the_limits_are_said() -> None:
    said = " ".join(adjustment_summary(config({"enabled": True, "max_steps": 3, "max_move_m": 0.4})))
    for words in ("size, then placement", "3 in a row", "70%", "0.3 m", "0.4 m", "factor of 2", "12 s"):
        assert words in said
    assert adjustment_warnings(config({"enabled": True})) == []


@pytest.mark.parametrize(
    ("adjust", "escalate", "words"),
    [
        ({"max_age_ms": 8000}, {}, "not above escalate.deadline_ms (8000)"),
        ({}, {"budget": {"calls_per_minute": 2}}, "can take 4 questions"),
    ],
)
def test_what_would_hardly_work_is_warned_of(
    adjust: dict[str, Any], escalate: dict[str, Any], words: str
) -> None:
    [warning] = adjustment_warnings(config({"enabled": True, **adjust}, **escalate))
    assert words in warning


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"adjust": {"enabled": True}}, "adjust.enabled needs a judge"),
        ({"adjust": {"max_step_m": 0.9}}, "max_step_m (0.9) is more than max_move_m (0.5)"),
        ({"adjust": {"max_step_factor": 3}}, "max_step_factor (3) is more than max_factor (2)"),
        ({"adjust": {"factors": ["size", "size"]}}, "factors names one twice"),
        ({"adjust": {"max_move_m": 50}}, "less than or equal to 3"),
    ],
)
def test_what_makes_no_sense_is_refused(sections: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")):
        Config.model_validate(sections)
