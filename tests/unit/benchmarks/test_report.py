from __future__ import annotations

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from benchmarks.latency.analysis import naive_outcome, stream_result
from benchmarks.latency.records import NaiveResult
from benchmarks.latency.report import Result, Settings, print_report
from benchmarks.latency.targets import StaticResult
from benchmarks.machine import Machine
from benchmarks.statistics import Summary
from tests.unit.benchmarks.records import CLIP, alert, captured_ms, judged, phase_log, sender

BARE = Summary(48, 100.0, 120.0, 130.0, 140.0)


@pytest.fixture
def result() -> Result:
    frame = judged(25)
    naive = sender(naive=(NaiveResult(20, captured_ms(20) + 1230.0),))
    return Result(
        machine=Machine(cores=2, cpu="a processor", python="3.11.7", load_average=0.5),
        load_average_end=1.0,
        settings=Settings(1, "1280x720", 30.0, "vp8", 10.0, "mosquitto"),
        bare_pass_ms=BARE,
        stream=stream_result(phase_log((frame,), sender(alert(frame))), CLIP),
        static=StaticResult(6.0, 5.0, 2),
        naive=naive_outcome(phase_log((), naive), CLIP),
    )


def printed(result: Result) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    print_report(result, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_limits_follow_from_the_median_bare_pass(result: Result) -> None:
    limits = {target.name: target.limit for target in result.targets()}
    assert limits["capture to headset, p95"] == pytest.approx(1.3 * (100.0 + 1000.0 / 30.0 + 40.0))
    assert limits["visible to headset, p95"] == pytest.approx(500.0)
    assert limits["static scene, CPU"] == 1.25


def test_target_is_met_up_to_its_limit(result: Result) -> None:
    met = {target.name: target.met for target in result.targets()}
    assert met == {
        "capture to headset, p95": True,
        "visible to headset, p95": False,
        "memory growth, second half": True,
        "static scene, CPU": True,
    }
    assert not replace(result.targets()[0], measured=None).met


def test_ratio_compares_the_naive_ages_with_ours(result: Result) -> None:
    assert result.naive_ratio == pytest.approx(10.0)
    assert replace(result, stream=None).naive_ratio is None
    assert replace(result, naive=naive_outcome(phase_log(), CLIP)).naive_ratio is None


def test_report_says_what_was_measured(result: Result) -> None:
    text = printed(result)
    for said in (
        "capture to headset",
        "contradictions: 1 visible, 1 alerted",
        "median 100 ms",
        "ratio 1.20",
        "10 times arwarden's",
        "missed",
    ):
        assert said in text
    assert "upper bound" not in text


def test_busy_machine_is_owned_up_to(result: Result) -> None:
    assert "upper bound" in printed(replace(result, load_average_end=2.5))


def test_parts_that_were_left_out_are_not_reported(result: Result) -> None:
    text = printed(replace(result, stream=None, static=None, naive=None))
    assert "naive" not in text
    assert "static" not in text
    assert "latency, ms" not in text


def test_missed_and_false_alerts_are_named(result: Result) -> None:
    frame = judged(60)
    stream = stream_result(phase_log((frame,), sender(alert(frame, texts=("Exit", "Closed")))), CLIP)
    text = printed(replace(result, stream=stream, naive=naive_outcome(phase_log(), CLIP)))
    assert "missed: lock" in text
    assert "false alert: Exit / Closed" in text
    assert "no result reached the headset" in text


def test_json_holds_every_figure(result: Result) -> None:
    found = json.loads(json.dumps(result.to_json()))
    assert found["stream"]["latency_ms"]["capture to headset"]["p95"] == pytest.approx(123.0)
    assert found["stream"]["events"]["visible"] == 1
    assert found["static"]["ratio"] == pytest.approx(1.2)
    assert found["naive_ratio"] == pytest.approx(10.0)
    assert [target["met"] for target in found["targets"]] == [True, False, True, True]
    assert found["bare_pass_ms"]["p50"] == 100.0
