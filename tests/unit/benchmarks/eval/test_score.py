from __future__ import annotations

from dataclasses import replace

from benchmarks.eval.causes import Cause
from benchmarks.eval.judge import Named
from benchmarks.eval.material import Part
from benchmarks.eval.report import TARGETS, Setting, markdown, value_at
from benchmarks.eval.score import Evaluation, by_fault, by_stage
from benchmarks.machine import Machine
from tests.unit.benchmarks.eval.cases import COHERENT, ORIGIN, record

SETTING = Setting("validation", "drawn rooms", "weights", Machine(2, "a processor", "3.11", 0.5), 0.4)
HOME = replace(ORIGIN, application="smart_apartment", kind="lock")


def mixed() -> Evaluation:
    result = Evaluation()
    result.records = [
        record(),
        record(named=Named(pair_right=False, attribute_right=None)),
        record(raised=False, cause=Cause("claims", ("words / words",))),
        record(truth=HOME, raised=False),
        record(truth=COHERENT, raised=False),
        record(truth=COHERENT, raised=True),
        record(part=Part.CLIPS, s_to_alert=0.4),
        record(part=Part.CLIPS, s_to_alert=0.8),
        record(part=Part.CLIPS, raised=False, judged=False),
        record(part=Part.HELD_OUT, raised=False),
        record(part=Part.NEGATIVES, truth=COHERENT, raised=False),
        record(part=Part.RECORDINGS, truth=COHERENT, raised=True),
    ]
    return result


def test_the_keys_are_the_agreed_ones() -> None:
    values = mixed().as_json()
    assert {name: set(part) if isinstance(part, dict) else None for name, part in values.items()} == {
        "frames": {"accuracy", "false_alarm_rate", "by_application"},
        "clips": {"accuracy", "median_s_to_alert"},
        "held_out_kinds": {"accuracy", "false_alarm_rate"},
        "pair_accuracy": None,
        "elements": {"precision", "recall", "worst_class"},
        "negatives": {"raised_rate"},
        "latency_ms": {"elements", "steady_p50", "steady_p95", "first_look"},
    }


def test_rates() -> None:
    values = mixed().as_json()
    assert values["frames"]["accuracy"] == 0.5
    assert values["frames"]["false_alarm_rate"] == 0.5
    assert values["frames"]["by_application"] == {"smart_apartment": 0.0, "smart_retail": 0.6}
    assert values["clips"] == {"accuracy": 1.0, "median_s_to_alert": 0.6}
    assert values["held_out_kinds"] == {"accuracy": 0.0, "false_alarm_rate": None}
    assert values["pair_accuracy"] == 0.75
    assert values["negatives"]["raised_rate"] == 0.5
    assert values["latency_ms"]["first_look"] == 300.0
    assert values["latency_ms"]["steady_p50"] == 80.0


def test_nothing_measured_is_no_number() -> None:
    values = Evaluation().as_json()
    assert values["frames"]["accuracy"] is None
    assert values["elements"] == {"precision": None, "recall": None, "worst_class": None}
    assert all(value_at(values, target) is None for target in TARGETS)
    assert "| - |" in markdown(Evaluation(), SETTING)


def test_causes_are_counted_once_each() -> None:
    frames = mixed().of(Part.FRAMES)
    assert by_stage(frames) == {
        ("missed", "claims"): 1, ("missed", "perception"): 1, ("false alarm", "perception"): 1,
    }  # fmt: skip
    twice = record(raised=False, cause=Cause("perception", ("x", "x", "y")))
    assert by_fault([twice]) == {("missed", "perception", "x"): 1, ("missed", "perception", "y"): 1}


def test_the_worst_application_is_held_against_the_target() -> None:
    values = mixed().as_json()
    target = next(one for one in TARGETS if one.path == ("frames", "by_application"))
    assert value_at(values, target) == 0.0
    assert target.met(0.0) is False
    assert target.met(0.85) is True
    alarms = next(one for one in TARGETS if one.path == ("frames", "false_alarm_rate"))
    assert alarms.met(0.03) is True
    assert alarms.met(0.031) is False


def test_the_report_says_what_was_measured_and_lost() -> None:
    result = mixed()
    result.without_room, result.not_reached = 2, 7
    text = markdown(result, SETTING)
    assert "1 clips whose pair can never be read, 2 items without room" in text
    assert "Ended early: 7" in text
    assert "| missed | claims | words / words | 1 |" in text
    assert "smart_retail/made_in" in text
    assert "busy" not in text
    assert "busy" in markdown(result, replace(SETTING, load_after=9.0))


def test_kinds_are_not_shown_for_the_test_split() -> None:
    assert "smart_retail/made_in" not in markdown(mixed(), replace(SETTING, split="test"))
