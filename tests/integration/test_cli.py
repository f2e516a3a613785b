"""Commands as a shell runs them: real processes, signals, and what is left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arwarden.cli import demo
from arwarden.contract.messages import Alert
from tests.integration.conftest import Maker
from tests.support.daemon import (
    Command,
    Wearer,
    address_of,
    config_for,
    mqtt_of,
    run_command,
    scene,
    serving,
    write_config,
)
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import eventually, tapping
from tests.support.panel_files import FRANCE, NETHERLANDS, picture, save
from tests.support.pipeline import CONTRADICTORY, ScriptedTier
from tests.unit.cli.conftest import Run, run  # noqa: F401 - a fixture

pytestmark = [pytest.mark.xdist_group("daemon"), pytest.mark.timeout(180)]

PATIENCE_S = 40.0
GRACE_MS = 3000
MARGIN_S = 6.0
"""What the interpreter's end and a busy machine may add to the grace period."""


async def nothing_left_of(command: Command) -> None:
    await eventually(lambda: not command.family(), PATIENCE_S)


def contradictory_picture(folder: Path) -> Path:
    return save(folder / "shop.png", picture(FRANCE, NETHERLANDS))


# demo -------------------------------------------------------------------------------------------------


async def test_demo_shows_what_comes_back_and_sums_up(tmp_path: Path) -> None:
    result_file = tmp_path / "result.json"
    async with Command("demo", "--seconds", "10", "--json", str(result_file), cwd=tmp_path) as command:
        watch = await command.says("streaming scene; watch it at http://")
        assert "127.0.0.1" in watch or "localhost" in watch
        await command.says("  sees ")
        assert await command.ends() == 0, command.output
        await nothing_left_of(command)
    result = json.loads(result_file.read_text(encoding="utf-8"))
    assert set(result) == {"alerts", "latency_ms", "frames"}
    assert set(result["latency_ms"]) == {"p50", "p95"}
    frames = result["frames"]
    assert set(frames) == {"received", "analysed", "dropped"}
    assert frames["received"] > frames["analysed"] > 0
    assert frames["dropped"] == frames["received"] - frames["analysed"]
    contradictions = [alert for alert in result["alerts"] if alert["kind"] == "contradiction"]
    assert [alert["attribute"] for alert in contradictions] == ["origin"]
    assert [alert["kind"] for alert in result["alerts"]] == ["contradiction"], "no fault of the picture"
    alert = contradictions[0]
    assert alert["capture_to_shown_ms"] > 0
    assert 0 < result["latency_ms"]["p50"] <= result["latency_ms"]["p95"]
    Alert.model_validate({name: value for name, value in alert.items() if name != "capture_to_shown_ms"})
    shown = [line for line in command.stdout if "▲ shown" in line]
    assert len(shown) == len(result["alerts"])
    assert "ms after capture" in shown[0]
    assert f"{len(shown)} alert(s) shown by the headset" in command.output
    assert "frames: " in command.stdout[-1]
    assert not [line for line in command.stderr if "daemon:" in line], command.output


async def test_ctrl_c_ends_the_demo_early_with_its_summary(tmp_path: Path) -> None:
    source, result_file = contradictory_picture(tmp_path), tmp_path / "result.json"
    async with Command(
        "demo", "--source", str(source), "--seconds", "600", "--json", str(result_file)
    ) as command:
        await command.says("▲ shown")
        assert len(command.family()) >= 3, "the demo, its daemon, and the daemon's broker"
        command.signal(signal.SIGINT, group=True)
        assert await command.ends() == 0, command.output
        await nothing_left_of(command)
    assert "1 alert(s) shown by the headset" in command.output
    assert "Traceback" not in command.output
    assert len(json.loads(result_file.read_text(encoding="utf-8"))["alerts"]) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signal_while_the_demo_starts_leaves_nothing_behind(number: signal.Signals) -> None:
    async with Command("demo") as command:
        await command.says("starting broker and daemon")
        await eventually(lambda: len(command.family()) >= 2, PATIENCE_S)
        command.signal(number, group=True)
        assert await command.ends() == 1
        await nothing_left_of(command)
    assert "Traceback" not in command.output


async def test_demo_says_that_its_daemon_has_died(tmp_path: Path) -> None:
    async with Command("demo", "--source", str(contradictory_picture(tmp_path))) as command:
        await command.says("streaming ")
        (daemon,) = command.family(running="run")
        os.kill(daemon, signal.SIGKILL)
        assert await command.ends() == 2
        assert "the daemon ended" in command.output
        await nothing_left_of(command)


def test_demo_passes_on_why_its_daemon_does_not_start(
    run: Run,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(demo, "_CONFIG", "server: {prot: 0}\n")
    result = run("demo")
    assert result.exit_code == 2
    assert "the daemon did not start" in result.stderr
    assert "server.prot: unknown key" in result.stderr


# headset ----------------------------------------------------------------------------------------------


@pytest.mark.broker
async def test_headset_shows_and_acknowledges_what_comes_back(mosquitto: Mosquitto) -> None:
    tier = ScriptedTier(CONTRADICTORY, cost_ms=30)
    devices = [{"id": "quest", "token": {"value": "red-secret"}}]
    async with (
        serving(config_for(mosquitto, ingest={"devices": devices}), tier) as daemon,
        Command(*headset(daemon), "--device", "quest", "--token", "red-secret") as command,
    ):
        line = await command.says("▲ shown")
        assert "Made in France" in line
        assert "ms after capture" in line
        await command.says("monitor: ok")
        await eventually(lambda: daemon.counters["acks.shown"] > 0, PATIENCE_S)
        command.signal(signal.SIGINT)
        assert await command.ends() == 0, command.output
        await eventually(lambda: daemon.counters["ingest.sessions_closed"] == 1, PATIENCE_S)
    assert any("frames sent, 1 alert(s) shown" in line for line in command.stderr)
    assert any("stream streaming; broker connected; daemon online" in line for line in command.stderr)
    assert not [line for line in command.stdout if line[:1] not in "▲·▽"], "alerts alone are on stdout"


@pytest.mark.broker
async def test_headset_ends_after_its_time_and_says_why_it_is_refused(mosquitto: Mosquitto) -> None:
    devices = [{"id": "quest", "token": {"value": "red-secret"}}]
    config = config_for(mosquitto, ingest={"devices": devices, "anonymous": "never"})
    async with serving(config, ScriptedTier()) as daemon:
        right, wrong = await asyncio.gather(
            run_command(*headset(daemon), "--seconds", "1", "--token", "red-secret"),
            run_command(*headset(daemon), "--seconds", "1", "--token", "blue-secret"),
        )
    assert right.returncode == 0, right.output
    assert "0 alert(s) shown" in right.output
    assert wrong.returncode == 2
    assert "no device has this token" in wrong.output
    assert "blue-secret" not in wrong.output


def headset(daemon: Any) -> list[str]:
    where = ["--whip", f"{address_of(daemon)}/whip", "--mqtt", mqtt_of(daemon)]
    return ["headset", *where, "--size", "320x240", "--fps", "10"]


# run --------------------------------------------------------------------------------------------------


@pytest.mark.broker
async def test_terminated_daemon_drains_says_goodbye_and_exits_in_time(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    config = write_config(tmp_path, run_config(mosquitto))
    source = scene("Made in France", "Made in Italy", contradicts_on="origin")
    async with (
        tapping(mosquitto.host, mosquitto.port) as tap,
        Command("run", "--config", str(config)) as command,
    ):
        http = (await command.says("ready: http://")).removeprefix("ready: ").rstrip("/")
        async with Wearer(http, None, source, token="red-secret") as wearer:
            await eventually(lambda: bool(tap.on("arwarden/v1/quest/alerts")), PATIENCE_S)
            command.signal(signal.SIGTERM)
            began_s = time.monotonic()
            assert await command.ends() == 0, command.output
            assert time.monotonic() - began_s < GRACE_MS / 1000 + MARGIN_S
            await eventually(lambda: wearer.headset.state.stream.value != "streaming", PATIENCE_S)
        await eventually(lambda: tap.on("arwarden/v1/daemon/status")[-1].json["state"] == "stopped")
    last = tap.on("arwarden/v1/quest/alerts")[-1].json
    assert (last["state"], last["reason"]) == ("cleared", "daemon_stopping")
    health = tap.on("arwarden/v1/quest/health")[-1].json
    assert (health["state"], health["reasons"]) == ("closed", ["daemon_stopping"])
    # At info level the log holds events, and neither what the wearer saw nor a secret.
    assert any("session_opened" in line for line in command.stderr)
    assert any("daemon_stopped" in line for line in command.stderr)
    for private in ("France", "Italy", "red-secret"):
        assert private not in command.output
    assert "Traceback" not in command.output
    assert command.stdout == []


@pytest.mark.broker
async def test_second_signal_ends_the_daemon_at_once(mosquitto_with: Maker, tmp_path: Path) -> None:
    mosquitto = await mosquitto_with()
    content = run_config(mosquitto, server={"shutdown_grace_ms": 120_000})
    content["mqtt"] = {**content["mqtt"], "publish_timeout_ms": 60_000}
    async with Command("run", "--config", str(write_config(tmp_path, content))) as command:
        await command.says("mqtt_connected")
        mosquitto.pause()
        command.signal(signal.SIGTERM)
        with pytest.raises(AssertionError, match="did not end"):
            await command.ends(1.0)
        command.signal(signal.SIGTERM)
        assert await command.ends(10.0) == -signal.SIGTERM
        mosquitto.resume()


@pytest.mark.broker
async def test_taken_port_is_said_by_run(mosquitto: Mosquitto, tmp_path: Path) -> None:
    async with serving(config_for(mosquitto), ScriptedTier()) as daemon:
        content = run_config(mosquitto, server={"port": daemon.http_port})
        content["mqtt"] = {**content["mqtt"], "client_id": "second"}
        command = await run_command("run", "--config", str(write_config(tmp_path, content)))
    assert command.returncode == 2
    assert f"cannot listen on 127.0.0.1:{daemon.http_port}" in command.output
    assert "choose another port" in command.output
    assert "Traceback" not in command.output


def run_config(broker: Mosquitto, server: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "server": {"port": 0, "shutdown_grace_ms": GRACE_MS, **(server or {})},
        "ingest": {"devices": [{"id": "quest", "token": {"value": "red-secret"}}], "anonymous": "never"},
        "mqtt": {"host": broker.host, "port": broker.port},
        "logging": {"format": "json"},
    }
