from __future__ import annotations

import pytest
from click.testing import CliRunner

from arwarden.config import Config
from benchmarks.__main__ import BENCHMARKS, main
from benchmarks.broker import running_broker
from benchmarks.latency import command
from benchmarks.machine import Machine


def test_help_lists_every_benchmark() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for name in BENCHMARKS:
        assert name in shown.output


RESULTS_IN_A_FOLDER = {"eval", "contrar", "ratear", "psychophysics", "tradeoff"}


@pytest.mark.parametrize("name", sorted(set(BENCHMARKS) - {"data"}))
def test_every_benchmark_explains_itself(name: str) -> None:
    shown = CliRunner().invoke(main, [name, "--help"])
    assert shown.exit_code == 0
    assert ("--out" if name in RESULTS_IN_A_FOLDER else "--json") in shown.output


def test_sets_of_data_are_checked_and_generated() -> None:
    shown = CliRunner().invoke(main, ["data", "--help"])
    assert shown.exit_code == 0
    assert "check" in shown.output
    assert "generate" in shown.output


def test_unknown_benchmark_and_unknown_part_are_refused_by_name() -> None:
    assert "No such command 'speed'" in CliRunner().invoke(main, ["speed"]).output
    refused = CliRunner().invoke(main, ["latency", "--parts", "stream,nap"])
    assert refused.exit_code == 2
    assert "'nap'" in refused.output
    assert "stream, static, naive" in refused.output


def test_static_scene_is_measured_for_whole_periods_of_its_refresh() -> None:
    periods = command.static_s() / (Config().sampling.refresh_ms / 1000.0)
    assert periods == round(periods) >= 1
    assert command.static_s() >= command.SHORTEST_STATIC_S


def test_machine_is_named() -> None:
    machine = Machine.now()
    assert machine.cores >= 1
    assert machine.cpu
    assert machine.load_average >= 0.0


async def test_embedded_broker_steps_in_where_mosquitto_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.broker.shutil.which", lambda *_args, **_kwargs: None)
    async with running_broker() as broker:
        assert broker.name == "embedded"
        assert broker.url == f"mqtt://{broker.host}:{broker.port}"
