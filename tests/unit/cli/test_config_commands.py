"""``check-config``, ``schema`` and ``doctor``, and what ``run`` says before it starts anything."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from arwarden.cli import check_config, doctor, judges, reach
from arwarden.cli.judges import judge_lines
from arwarden.config import Config, EscalateConfig
from arwarden.core.errors import ModelError
from tests.support.mosquitto import Mosquitto, free_port
from tests.unit.cli.conftest import Run

EVERYWHERE = "0.0.0.0"  # noqa: S104 - written into configurations, not bound to
Write = Callable[[dict[str, Any]], Path]

BAD: dict[str, Any] = {
    "server": {"prot": 8080, "host": EVERYWHERE},
    "ingest": {"max_sessions": 0, "devices": [{"id": "a b", "token": {"value": "very-secret"}}]},
    "alerts": {"budget_ms": "soon"},
    "mqttt": {},
}
PROBLEMS = [
    "server.prot: unknown key; did you mean port?",
    "ingest.max_sessions: ",
    "ingest.devices.0.id: ",
    "alerts.budget_ms: ",
    "mqttt: unknown key; did you mean mqtt?",
]


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        yield holder.getsockname()[1]


# check-config -----------------------------------------------------------------------------------------


def test_sound_configuration_is_summed_up(run: Run, config_file: Write) -> None:
    path = config_file({"mqtt": {"host": "broker.lan"}, "server": {"port": 9000}})
    result = run("check-config", path)
    assert result.exit_code == 0
    assert f"{path}: no problems" in result.stdout
    for words in ("127.0.0.1:9000", "broker.lan:1883", "budget 500 ms", "no", "cloud"):
        assert words in result.stdout
    assert "mqtt.tls is absent" in result.stderr


@pytest.mark.parametrize(
    ("alerts", "warning"),
    [
        ({"budget_ms": 1, "late": "drop"}, "alerts.budget_ms: "),
        ({"budget_ms": 1, "late": "publish"}, ""),
        ({"evidence_samples": 20}, "alerts.evidence_samples: 20 samples"),
        ({"evidence_samples": 20, "evidence_window_ms": 10_000}, ""),
        ({}, ""),
    ],
)
def test_settings_that_leave_the_daemon_silent_are_pointed_out(
    run: Run, config_file: Write, alerts: dict[str, object], warning: str
) -> None:
    result = run("check-config", config_file({"alerts": alerts}))
    assert result.exit_code == 0
    assert ("warning: alerts." in result.stderr) == bool(warning)
    assert warning in result.stderr


def test_every_problem_is_named_at_once_and_no_secret(run: Run, config_file: Write) -> None:
    result = run("check-config", config_file(BAD))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "5 problem(s)" in result.stderr
    for problem in PROBLEMS:
        assert problem in result.stderr
    assert "very-secret" not in result.output


def test_problems_of_the_lexicons_are_named_with_the_others(
    run: Run, config_file: Write, tmp_path: Path
) -> None:
    lexicon = tmp_path / "mine.yaml"
    lexicon.write_text("language: en\nsubject: {}\n", encoding="utf-8")
    result = run("check-config", config_file({"server": {"prot": 1}, "fast": {"lexicons": [str(lexicon)]}}))
    assert result.exit_code == 2
    assert "2 problem(s)" in result.stderr
    for problem in ("server.prot: unknown key", "mine.yaml: subject: "):
        assert problem in result.stderr


@pytest.mark.parametrize("command", [["check-config"], ["run", "--config"], ["doctor", "--config"]])
def test_missing_file_is_said_by_whoever_needs_it(run: Run, tmp_path: Path, command: list[str]) -> None:
    result = run(*command, tmp_path / "nowhere.yaml")
    assert result.exit_code == 2
    assert "nowhere.yaml" in result.stderr
    assert "cannot be read" in result.stderr


@pytest.mark.parametrize(
    ("host", "local"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), (EVERYWHERE, False), ("broker.lan", False)],
)
def test_loopback(host: str, local: bool) -> None:
    assert judges.is_loopback(host) is local


def test_open_doors_are_warned_of() -> None:
    config = Config.model_validate(
        {"server": {"host": EVERYWHERE}, "ingest": {"anonymous": "always"}, "mqtt": {"host": "broker.lan"}}
    )
    found = "\n".join(check_config.warnings(config))
    for field in ("ingest.anonymous", "server.viewer_token", "server.tls_certificate", "mqtt.tls"):
        assert field in found
    assert check_config.warnings(Config()) == []


def test_network_without_tokens_is_warned_of() -> None:
    config = Config.model_validate({"server": {"host": EVERYWHERE}})
    assert any("ingest.devices is empty" in line for line in check_config.warnings(config))


# run, before anything starts --------------------------------------------------------------------------


def test_run_without_a_broker_says_the_two_ways_out(run: Run) -> None:
    result = run("run", "--no-embedded-broker")
    assert result.exit_code == 2
    assert "mqtt.host" in result.stderr
    assert "without --no-embedded-broker" in result.stderr
    assert "Traceback" not in result.output


def test_run_names_every_problem_of_its_configuration(run: Run, config_file: Write) -> None:
    result = run("run", "--config", config_file(BAD))
    assert result.exit_code == 2
    for problem in PROBLEMS:
        assert problem in result.stderr
    assert "very-secret" not in result.output


def test_run_says_that_the_embedded_brokers_port_is_taken(run: Run, taken_port: int) -> None:
    result = run("run", "--broker-port", taken_port)
    assert result.exit_code == 2
    assert f"port {taken_port} at 127.0.0.1 is taken" in result.stderr
    assert "Traceback" not in result.output


# schema -----------------------------------------------------------------------------------------------


def test_schema_writes_the_whole_contract(run: Run, tmp_path: Path) -> None:
    result = run("schema", "--out", tmp_path / "new" / "folder")
    assert result.exit_code == 0
    written = [Path(line) for line in result.stdout.splitlines()]
    assert all(path.is_file() for path in written)
    names = {path.name for path in written}
    assert {name for name in names if "asyncapi" in name}
    schemas = [path for path in written if path.suffix == ".json" and "asyncapi" not in path.name]
    assert len(schemas) >= 5
    for path in schemas:
        content = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.validators.validator_for(content).check_schema(content)
    for path in written:
        if "asyncapi" in path.name:
            assert yaml.safe_load(path.read_text(encoding="utf-8"))["asyncapi"].startswith("3.")


def test_schema_says_where_it_cannot_write(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("schema", "--out", tmp_path / "file" / "folder")
    assert result.exit_code != 0
    assert "file" in result.stderr
    assert "Traceback" not in result.output


# doctor -----------------------------------------------------------------------------------------------


def checks(stdout: str) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in map(json.loads, stdout.splitlines())}


def test_doctor_finds_this_machine_fit(run: Run, config_file: Write) -> None:
    result = run("doctor", "--json", "--config", config_file({"server": {"port": free_port()}}))
    found = checks(result.stdout)
    assert result.exit_code == 0
    assert {"python", "cores", "clock", "port", "addresses", "broker", "model", "codec"} <= set(found)
    assert found["port"]["status"] == "ok"
    assert "embedded" in found["broker"]["detail"]
    assert "sha256" in found["model"]["detail"]
    assert set(found["model"]) == {"name", "status", "detail", "fix"}


def test_doctor_says_it_in_words_too(run: Run, config_file: Write) -> None:
    result = run("doctor", "--config", config_file({"server": {"port": free_port()}}))
    assert result.exit_code == 0
    lines = [line for line in result.stdout.splitlines() if not line.startswith("      ")]
    assert all(line.startswith(("ok    ", "warn  ", "FAIL  ")) for line in lines)


def test_doctor_warns_of_a_taken_port(run: Run, config_file: Write, taken_port: int) -> None:
    result = run("doctor", "--json", "--config", config_file({"server": {"port": taken_port}}))
    port = checks(result.stdout)["port"]
    assert result.exit_code == 0
    assert port["status"] == "warn"
    assert str(taken_port) in port["detail"]
    assert "server.port" in port["fix"]


def test_doctor_fails_where_the_broker_is_silent(run: Run, config_file: Write) -> None:
    port = free_port()
    path = config_file({"mqtt": {"host": "127.0.0.1", "port": port}, "server": {"port": free_port()}})
    result = run("doctor", "--json", "--config", path)
    broker = checks(result.stdout)["broker"]
    assert result.exit_code == 1
    assert broker["status"] == "fail"
    assert f"127.0.0.1:{port}" in broker["detail"]
    assert broker["fix"]


@pytest.mark.broker
async def test_doctor_speaks_to_a_real_broker_beside_a_running_daemon(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path / "broker")
    await broker.start()
    try:
        config = Config(mqtt=broker.config())
        before = broker.log
        await doctor._try_broker(config)
        said = broker.log.removeprefix(before)
        assert "arwarden-doctor-" in said
        assert " as arwarden " not in said, "the name of a running daemon is left alone"
    finally:
        await broker.stop()


def test_doctor_tells_a_headset_where_to_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "lan_addresses", lambda: ["192.0.2.7"])
    config = Config.model_validate({"server": {"host": EVERYWHERE, "port": 9001}})
    addresses, *_ = reach.address_checks(config)
    assert addresses.status == "ok"
    assert "http://192.0.2.7:9001/whip" in addresses.detail
    (local,) = reach.address_checks(Config())
    assert local.status == "warn"
    assert EVERYWHERE in local.fix
    monkeypatch.setattr(reach, "lan_addresses", list)
    (alone,) = reach.address_checks(config)
    assert alone.status == "warn"


def test_doctor_goes_on_after_a_check_that_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_config: object) -> list[Any]:
        raise ModelError("rec.onnx is damaged; install again")

    monkeypatch.setattr(doctor, "models_in_use", broken)
    config = Config.model_validate({"server": {"port": free_port()}})
    found = {check.name: check for check in doctor.run_checks(config)}
    assert found["models"].status == "fail"
    assert "rec.onnx is damaged" in found["models"].detail
    assert "codec" in found


def test_doctor_warns_of_a_clock_that_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CLOCK_PROBE_S", 0.0)
    monkeypatch.setattr("arwarden.cli.doctor.SystemClock.wall_step_ms", lambda _clock: 2000.0)
    (check,) = doctor._clock(Config())
    assert check.status == "warn"
    assert "2000 ms" in check.detail


def test_doctor_names_a_codec_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arwarden.cli.doctor.av.codecs_available", {"vp8"})
    by_status = {check.status: check for check in doctor._codecs(Config())}
    assert "h264" in by_status["fail"].detail
    assert by_status["fail"].fix


def test_doctor_warns_of_few_cores_and_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arwarden.cli.doctor.os.sched_getaffinity", lambda _pid: {0})
    (check,) = doctor._cores(Config())
    assert check.status == "warn"
    assert "alerts will be late" in check.fix
    monkeypatch.setattr("arwarden.cli.doctor.os.sched_getaffinity", lambda _pid: {0, 1})
    memory = type("Memory", (), {"available": 2**30})
    monkeypatch.setattr("arwarden.cli.doctor.psutil.virtual_memory", lambda: memory)
    (check,) = doctor._cores(Config())
    assert check.status == "warn"
    assert "1 GiB" in check.fix


# Judges -----------------------------------------------------------------------------------------------

JUDGE = {"kind": "openai", "name": "cloud", "model": "m", "base_url": "https://llm.example.org/v1"}


def test_what_leaves_for_whom_and_what_it_may_cost_is_said(run: Run, config_file: Write) -> None:
    price = {"input_per_million": 2.0, "output_per_million": 8.0}
    escalate = {
        "judge": {**JUDGE, "api_key": {"value": "sk-very-secret"}},
        "budget": {"cost_per_hour": 0.5, "prices": {"m": price}},
    }
    result = run("check-config", config_file({"escalate": escalate}))
    assert result.exit_code == 0
    for words in (
        "m at https://llm.example.org/v1, with a key",
        "llm.example.org",
        "at most 0.50 USD an hour, 0.01",
    ):
        assert words in result.stdout
    assert "its key stands in this file" in result.stderr
    assert "blur_faces is off" in result.stderr
    assert "sk-very-secret" not in result.output


def test_judges_without_prices_or_encryption_are_warned_of(run: Run, config_file: Write) -> None:
    judge = {**JUDGE, "base_url": "http://llm.example.org/v1"}
    result = run("check-config", config_file({"escalate": {"judge": judge}}))
    assert "costs: not known: add the price of m to escalate.budget.prices" in result.stdout
    for words in ("in clear text", "cost_per_hour is absent"):
        assert words in result.stderr


def test_key_that_is_misplaced_is_not_shown(run: Run, config_file: Write) -> None:
    result = run("check-config", config_file({"escalate": {"judge": {**JUDGE, "api_key": "sk-very-secret"}}}))
    assert result.exit_code == 2
    assert "escalate.judge.openai.api_key: must be a section" in result.stderr
    assert "sk-very-secret" not in result.output


@pytest.mark.parametrize(
    ("escalate", "problem"),
    [
        ({"judge": JUDGE, "never_upload": True}, "escalate: never_upload is set"),
        ({"judge": JUDGE, "budget": {"cost_per_hour": 1}}, "needs the price of m"),
        ({"judge": JUDGE, "replaces_fast": True}, "replaces_fast needs a judge in this process"),
        (
            {"judge": {**JUDGE, "modell": "x"}},
            "escalate.judge.openai.modell: unknown key; did you mean model?",
        ),
        ({"judge": {"kind": "oracle"}}, "escalate.judge: "),
        ({"judge": JUDGE, "prompts": "/nowhere"}, "escalate.prompts: this folder of prompts does not exist"),
    ],
)
def test_escalations_that_cannot_work_are_said(
    run: Run, config_file: Write, escalate: dict[str, object], problem: str
) -> None:
    result = run("check-config", config_file({"escalate": escalate}))
    assert result.exit_code == 2
    assert problem in result.stderr
    assert "Traceback" not in result.output


def test_key_that_is_missing_switches_its_judge_off_and_is_said(
    run: Run, config_file: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ARWARDEN_NO_SUCH_KEY", raising=False)
    for key, said in (
        ({"env": "ARWARDEN_NO_SUCH_KEY"}, "ARWARDEN_NO_SUCH_KEY is not set"),
        ({"file": str(tmp_path / "no-key")}, "no-key does not exist"),
    ):
        result = run("check-config", config_file({"escalate": {"judge": {**JUDGE, "api_key": key}}}))
        assert result.exit_code == 0
        assert "without a key, SWITCHED OFF" in result.stdout
        assert said in result.stderr
        assert "alerts stay unverified" in result.stderr


def test_secrets_of_doors_are_still_needed(run: Run, config_file: Write) -> None:
    devices = [{"id": "a", "token": {"env": "ARWARDEN_NO_SUCH_TOKEN"}}]
    result = run("check-config", config_file({"ingest": {"devices": devices}}))
    assert result.exit_code == 2
    assert "ARWARDEN_NO_SUCH_TOKEN is not set" in result.stderr


def test_most_that_an_hour_costs_is_the_least_of_the_limits() -> None:
    price = {"input_per_million": 2.0, "output_per_million": 8.0}

    def costs(**budget: object) -> str:
        escalate = {"judge": JUDGE, "budget": {"prices": {"m": price}, **budget}}
        return judge_lines(EscalateConfig.model_validate(escalate))[-1]

    assert costs(calls_per_minute=1000, tokens_per_hour=100_000).startswith("costs: at most 0.80 USD an hour")
    assert costs(calls_per_minute=1000, cost_per_hour=0.3).startswith("costs: at most 0.30 USD an hour")
    hour, question = map(float, re.findall(r"(\d+\.\d+) USD", costs(calls_per_minute=1)))
    assert hour == pytest.approx(60 * question, rel=0.05)
