"""Runs whose questions are asked by workers of a Ray cluster of two nodes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from rich.console import Console

from benchmarks.runs import cluster
from benchmarks.runs.calls import Row
from benchmarks.runs.options import Engine
from benchmarks.runs.plan import perform
from tests.support.llm_server import KEY, status
from tests.support.llm_thread import LlmThread
from tests.support.ray_nodes import Nodes
from tests.support.toy_run import Toy, plan
from tests.unit.benchmarks.suites.made import contrar_set

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.timeout(300)]

PATIENCE_S = 200.0
"""For a run that is a process of its own. One that takes longer shows the stacks of its threads."""

CONFIG = """
mqtt: {{password: {{value: "mqtt-password-of-the-daemon"}}}}
escalate:
  judge:
    {{kind: openai, model: slow, base_url: "{url}", api_key: {{env: {variable}}}, limits: {{concurrent: 1}}}}
  budget: {{prices: {{slow: {{input_per_million: 1.0, output_per_million: 2.0}}}}}}
"""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both workers are waited for, however busy the machine is."""
    monkeypatch.setattr(cluster, "GATHER_S", 120.0)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("KEY_OF_SLOW", KEY)
        with Nodes(2) as made:
            yield made


def ask(toy: Toy, nodes: Nodes, **changes: Any) -> tuple[list[Row], str]:
    said = io.StringIO()
    options = toy.options(ray_address=nodes.address, **changes)
    rows = perform(Console(file=said, width=200), options, plan(options, toy=toy))
    assert rows is not None
    return rows, said.getvalue()


def without_times(rows: list[Row]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.as_json().items() if name != "latency_ms"} for row in rows]


def wait_for(what: Callable[[], bool], seconds: float = 120.0) -> None:
    until_s = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until_s
        time.sleep(0.02)


def test_engines_take_turns_and_limits_hold_over_both_nodes(tmp_path: Path, nodes: Nodes) -> None:
    apart, alone = Toy(tmp_path / "a", 16), Toy(tmp_path / "b", 16)
    for toy in (apart, alone):
        toy.folder.mkdir()
    expected, _ = ask(alone, nodes, engine=Engine.PROCESS)
    ask(Toy(apart.folder, 2), nodes, engine=Engine.PROCESS)
    begun_s = time.monotonic()
    ask(Toy(apart.folder, 14), nodes, concurrency=3, calls_per_minute=600)
    rows, said = ask(apart, nodes, engine=Engine.PROCESS)
    assert without_times(rows) == without_times(expected)
    assert set(apart.asked().values()) == {1}
    assert "2 asked, 14 were answered before, 0 failed, cost 1.0000" in said
    assert len({entry["pid"] for entry in apart.entries("begin")}) == 3
    assert apart.most_open() <= 3
    starts = [entry["at_s"] - begun_s for entry in apart.entries("begin")]
    paced = sorted(at_s for at_s in starts if at_s > 0)[:12]
    assert all(at_s >= 0.1 * place - 0.01 for place, at_s in enumerate(paced))


def test_lost_workers_and_nodes_lose_nothing_and_only_what_was_open_is_asked_again(
    tmp_path: Path, nodes: Nodes
) -> None:
    toy = Toy(tmp_path, samples=24, takes_s=0.2)

    def lose() -> None:
        wait_for(lambda: len(toy.entries("end")) >= 4)
        os.kill(toy.entries("end")[-1]["pid"], signal.SIGKILL)
        wait_for(lambda: len(toy.entries("end")) >= 10)
        nodes.remove_one()

    thread = threading.Thread(target=lose, daemon=True)
    thread.start()
    rows, said = ask(toy, nodes, concurrency=4)
    thread.join()
    nodes.add_one()
    assert [row.given.problem for row in rows] == [""] * 24
    again = [sample for sample, times in toy.asked().items() if times > 1]
    assert len(again) <= 4 * 2
    assert max(toy.asked().values()) <= 3
    assert "24 asked, 0 were answered before, 0 failed, cost 12.0000" in said
    assert "workers were lost; others answered what was open" in said


def test_a_question_that_ends_its_workers_fails_alone(tmp_path: Path, nodes: Nodes) -> None:
    toy = Toy(tmp_path, samples=12)
    toy.kills(6, times=5)
    rows, said = ask(toy, nodes, concurrency=4)
    assert [row.given.problem for row in rows] == [*[""] * 6, "worker_lost", *[""] * 5]
    assert toy.asked()[6] == 3
    again = [sample for sample, times in toy.asked().items() if times > 1]
    assert len(again) <= 1 + 3 * 3
    assert max(toy.asked().values()) <= 3
    assert "12 asked, 0 were answered before, 1 failed (asked again by --resume), cost 5.5000" in said
    assert "workers were lost; others answered what was open" in said


def contrar(tmp_path: Path, config: Path, out: str, server: LlmThread, *more: str) -> tuple[int, str]:
    """A run as a user starts it; returns its exit code and what it said."""
    data = tmp_path / "data"
    command = [
        sys.executable, "-X", "faulthandler", "-m", "benchmarks",
        "contrar", "--data", str(data if data.exists() else contrar_set(data)), "--config", str(config),
        "--judge", "configured", "--judge", f"openai:tiny@{server.base_url}", "--runs", "2",
        "--protocol", "single", "--concurrency", "4", "--out", str(tmp_path / out), *more,
    ]  # fmt: skip
    said = tmp_path / f"{out}.txt"
    with said.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        try:
            code = process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)
            code = process.wait()
    return code, said.read_text(encoding="utf-8")


def answers(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [{k: v for k, v in json.loads(line).items() if k != "latency_ms"} for line in lines]
    return sorted(rows, key=lambda row: (row["sample"], row["method"], row["repetition"]))


def holds(folder: Path, secret: str) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return [path for path in files if secret.encode() in path.read_bytes()]


def test_a_suite_asks_an_endpoint_from_two_nodes_as_from_one_process(
    tmp_path: Path, nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("KEY_OF_SLOW", KEY)
    config = tmp_path / "config.yaml"
    with LlmThread(first=[status(429, retry_after="1")]) as server:
        config.write_text(CONFIG.format(url=server.base_url, variable="KEY_OF_SLOW"), encoding="utf-8")
        code, said = contrar(tmp_path, config, "a", server, "--engine", "ray", "--ray-address", nodes.address)
        assert code == 0, said
        assert len(server.requests) == 16 + 1
        assert server.most_open["slow"] == 1
        assert server.most_open["tiny"] <= 4
        code, said = contrar(tmp_path, config, "b", server)
        assert code == 0, said
    apart, alone = answers(tmp_path / "a"), answers(tmp_path / "b")
    assert apart == alone
    assert {row["parse"] for row in apart} <= {"strict", "tolerant"}
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {KEY}"}
    assert holds(tmp_path / "a", KEY) == []
    assert holds(nodes.session, KEY) == []
    assert holds(nodes.session, "mqtt-password-of-the-daemon") == []


def test_a_key_that_the_nodes_lack_is_named(
    tmp_path: Path, nodes: Nodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_KEY", KEY)
    config = tmp_path / "config.yaml"
    with LlmThread() as server:
        config.write_text(CONFIG.format(url=server.base_url, variable="OTHER_KEY"), encoding="utf-8")
        code, said = contrar(tmp_path, config, "a", server, "--engine", "ray", "--ray-address", nodes.address)
        assert code == 2, said
        assert "OTHER_KEY is not in the environment of Ray here" in said
        assert "Traceback" not in said
        assert server.requests == []


@pytest.fixture
def _hears_ctrl_c() -> Iterator[None]:
    """What is started hears Ctrl-C, also where a shell runs the tests in its background and ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_hears_ctrl_c")
def test_ctrl_c_ends_a_cluster_of_its_own_and_a_run_without_one_goes_on(tmp_path: Path) -> None:
    data, out = contrar_set(tmp_path / "data"), tmp_path / "out"
    # Slow, so that the run is still on when its processes have been looked at.
    with LlmThread(takes_s=3.0) as server:
        command = [
            sys.executable, "-m", "benchmarks", "contrar", "--data", str(data), "--out", str(out),
            "--judge", f"openai:tiny@{server.base_url}", "--runs", "3", "--resume",
        ]  # fmt: skip
        with subprocess.Popen([*command, "--engine", "ray"], stderr=subprocess.PIPE, text=True) as process:
            rows = out / "rows.jsonl"
            wait_for(
                lambda: (
                    process.poll() is not None
                    or (rows.exists() and rows.read_text(encoding="utf-8").count("\n") > 2)
                )
            )
            assert process.poll() is None, process.communicate()[1]
            children = psutil.Process(process.pid).children(recursive=True)
            connections = {
                (one.laddr.ip, one.status)
                for child in children
                for one in child.net_connections("inet")
                if one.status == psutil.CONN_LISTEN
            }
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
        assert process.returncode == 1
        assert "Aborted!" in said
        assert "Traceback" not in said
        assert {ip.removeprefix("::ffff:") for ip, _ in connections} == {"127.0.0.1"}
        _, alive = psutil.wait_procs(children, timeout=30)
        assert alive == []
        answered = rows.read_text(encoding="utf-8").count("\n")
        asked = len(server.requests)
        server.takes_s = 0.1
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        assert len(server.requests) - asked == 24 - answered
