"""``arwarden run`` with each shipped configuration about judges: it starts and says what it does."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from arwarden.headset.objects import AppObject, AppObjects
from tests.support.adjusting import NO_ALERTS
from tests.support.daemon import Command, Wearer, scene, write_config
from tests.support.llm_server import LlmServer, says
from tests.support.mosquitto import free_port
from tests.support.mqtt_tap import eventually

pytestmark = pytest.mark.xdist_group("daemon")

CONFIGS = Path(__file__).resolve().parents[2] / "configs"
KEY = "sk-test-0123456789abcdef"
BROKER = ("--broker-port", "0")


def with_free_port(name: str, folder: Path, **escalate: Any) -> Path:
    content = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text(encoding="utf-8"))
    content["server"] = {"port": 0}
    content["escalate"] = {**content["escalate"], **escalate}
    return write_config(folder, content)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("local-only", ["sends nothing to any cloud service", "never_upload"]),
        ("cloud", ["gpt-4o at https://api.openai.com/v1, with a key", "at most 1.00 USD an hour"]),
        ("adjustments", ["corrects the app's objects: asks about size, then placement", "1.00 USD an hour"]),
        ("fallback", ["then local", "api.openai.com and 127.0.0.1:8000", "at most 1.00 USD an hour"]),
    ],
)
async def test_run_starts_and_says_what_it_does_and_may_cost(
    name: str, said: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with Command("run", "--config", str(with_free_port(name, tmp_path)), *BROKER) as daemon:
        await daemon.says("ready:")
        for words in said:
            assert words in daemon.output
        assert KEY not in daemon.output


@pytest.mark.parametrize(
    ("name", "means"),
    [
        ("cloud", "alerts stay unverified"),
        ("adjustments", "SWITCHED OFF"),
        ("fallback", "the others are asked without it"),
    ],
)
async def test_without_its_key_a_judge_is_switched_off_loudly_and_the_daemon_starts(
    name: str, means: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with Command("run", "--config", str(with_free_port(name, tmp_path)), *BROKER) as daemon:
        ready = await daemon.says("ready:")
        assert "without a key, SWITCHED OFF" in daemon.output
        assert (
            "judge cloud is SWITCHED OFF: the environment variable OPENAI_API_KEY is not set" in daemon.output
        )
        assert means in daemon.output
        async with aiohttp.ClientSession() as client:
            metrics = await (await client.get(ready.removeprefix("ready: ") + "metrics")).text()
        assert "arwarden_judges_switched_off 1.0" in metrics


async def test_without_its_model_a_judge_is_switched_off_and_said(tmp_path: Path) -> None:
    judge = {"kind": "qwen_vl", "name": "local", "model": str(tmp_path / "no-model")}
    path = with_free_port("local-vlm", tmp_path, judge=judge)
    async with Command("run", "--config", str(path), *BROKER) as daemon:
        await daemon.says("ready:", 60)
        await daemon.says("broker:")
        installed = all(importlib.util.find_spec(name) for name in ("torch", "transformers"))
        assert ("no-model" if installed else "pip install 'arwarden[qwen-vl]'") in daemon.output
        assert "judge local is SWITCHED OFF" in daemon.output
        assert "Traceback" not in daemon.output


async def test_an_object_is_corrected_as_the_adjustments_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With another endpoint than the cloud, no questions about alerts, and all else as shipped."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shipped = yaml.safe_load((CONFIGS / "adjustments.yaml").read_text(encoding="utf-8"))
    small = {"content": "a cup", "assessment": "Too small.", "rating": 2, "num1": 2.0}
    well = {"content": "a cup", "assessment": "Right.", "rating": 5, "num1": 1.0}
    cup = AppObjects((AppObject.parse("cup@0.45,0.3,0.1,0.12"),))
    port = free_port()
    async with LlmServer([says(json.dumps(small)), says(json.dumps(well))]) as server:
        judge = {**shipped["escalate"]["judge"], "base_url": server.base_url}
        path = with_free_port("adjustments", tmp_path, judge=judge, ask=NO_ALERTS)
        async with Command("run", "--config", str(path), "--broker-port", str(port)) as daemon:
            address = (await daemon.says("ready:")).removeprefix("ready: ").rstrip("/")
            async with Wearer(address, f"mqtt://127.0.0.1:{port}", scene("Cups"), objects=cup):
                await eventually(lambda: len(server.requests) >= 2, 60)
    assert cup.objects[0].now.scale == pytest.approx(1.5), "the most that one correction may"
    assert all(KEY in request.headers["authorization"] for request in server.requests)
