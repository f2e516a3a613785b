from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from arwarden.config import JudgeConfig
from arwarden.core.clock import VirtualClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError, ModelError, SwitchedOff
from arwarden.escalate import switched_off
from arwarden.escalate.fallback import FallbackJudge
from arwarden.escalate.guard import GuardedJudge
from arwarden.escalate.judge import Judge
from arwarden.escalate.opening import open_judge
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.switched_off import Lack
from tests.unit.escalate.asking import question

PROMPTS = load_prompts()
ADAPTER: TypeAdapter[JudgeConfig] = TypeAdapter(JudgeConfig)
LOCAL = {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}


def opened(value: dict[str, Any]) -> Judge:
    return open_judge(ADAPTER.validate_python(value), VirtualClock(), PROMPTS, PriceTable({}), Counters())


async def test_every_kind_that_needs_no_weights_opens(tmp_path: Path) -> None:
    recording = tmp_path / "answers.jsonl"
    recording.write_text("")
    judge = opened(
        {
            "kind": "fallback",
            "attempts": [
                {"judge": LOCAL, "timeout_ms": 100},
                {
                    "judge": {"kind": "record", "file": str(tmp_path / "out"), "judge": LOCAL},
                    "timeout_ms": 100,
                },
                {"judge": {"kind": "replay", "file": str(recording)}, "timeout_ms": 100},
            ],
        }
    )
    assert isinstance(judge, FallbackJudge)
    assert not judge.uploads
    await judge.close()


async def test_judges_that_call_out_are_guarded() -> None:
    judge = opened(LOCAL)
    assert isinstance(judge, GuardedJudge)
    assert judge.name == "openai"
    await judge.close()


@pytest.mark.parametrize(
    ("url", "uploads"),
    [
        ("https://api.openai.com/v1", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://llm.test/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("http://[::1]:8000/v1", False),
        ("http://localhost:11434/v1", False),
        ("http://localhost.evil.test/v1", True),
    ],
)
async def test_only_addresses_of_this_machine_are_no_upload(url: str, uploads: bool) -> None:
    judge = opened({**LOCAL, "base_url": url})
    assert judge.uploads is uploads
    await judge.close()


def test_a_missing_extra_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switched_off, "_EXTRAS", {"openai": ("no_such_package",), "qwen_vl": ("nor_this",)})
    with pytest.raises(
        ConfigError, match=r"not installed: no_such_package; pip install 'arwarden\[openai\]'"
    ):
        opened(LOCAL)
    with pytest.raises(ConfigError, match=r"arwarden\[qwen-vl\]"):
        opened({"kind": "qwen_vl", "model": "x"})


async def test_judges_that_lack_something_are_switched_off_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(switched_off, "_EXTRAS", {"openai": (), "qwen_vl": ("nor_this",)})
    keyless = {**LOCAL, "name": "cloud", "api_key": {"env": "ARWARDEN_NO_SUCH_KEY"}}
    attempts = [keyless, {"kind": "qwen_vl", "name": "local", "model": "x"}]
    config = ADAPTER.validate_python(
        {"kind": "fallback", "attempts": [{"judge": judge, "timeout_ms": 100} for judge in attempts]}
    )
    lacks: list[Lack] = []
    clock = VirtualClock()
    judge = open_judge(config, clock, PROMPTS, PriceTable({}), Counters(), switched_off=lacks)
    assert [(lack.judge, lack.reason) for lack in lacks] == [("cloud", "no_key"), ("local", "not_installed")]
    assert not judge.uploads, "nobody is left who would send anything"
    with pytest.raises(SwitchedOff, match="cloud: no_key; local: not_installed"):
        await judge.ask(question(), clock.now_ms() + 1000.0)
    await judge.close()
    with pytest.raises(ConfigError, match="ARWARDEN_NO_SUCH_KEY is not set"):
        opened(keyless)


@pytest.mark.parametrize("key", ["", "   ", "sk-ümlaut", "sk-new\nline", "sk with spaces"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        opened({**LOCAL, "api_key": {"value": key}})
    assert "copy it again" in str(caught.value)
    assert not key.strip() or key not in str(caught.value)


def test_an_authority_file_without_certificates_is_named(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("nothing")
    with pytest.raises(ConfigError, match=r"ca\.pem holds no certificate"):
        opened({**LOCAL, "ca_file": str(path)})


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="pip install 'arwarden[qwen-vl]'")
    with pytest.raises(ModelError, match="cannot be loaded"):
        opened({"kind": "qwen_vl", "model": str(tmp_path)})


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({**LOCAL, "base_url": "ftp://x"}, "must be an address"),
        ({**LOCAL, "base_url": "http://"}, "must be an address"),
        ({**LOCAL, "base_url": "http://[::1"}, "must be an address"),
        ({**LOCAL, "base_url": "http://u:p@host/v1"}, "no user, password"),
        ({**LOCAL, "base_url": "http://host/v1?key=sk"}, "query"),
        ({**LOCAL, "model": ""}, "at least 1 character"),
        ({**LOCAL, "name": "a b"}, "match pattern"),
        ({**LOCAL, "kind": "claude"}, "does not match any of the expected tags"),
        ({**LOCAL, "limit": 1}, "Extra inputs"),
        ({"kind": "fallback", "attempts": []}, "at least 1 item"),
        ({"kind": "qwen_vl", "model": "x", "limits": {"concurrent": 2}}, "one question at a time"),
        ({"kind": "qwen_vl", "model": "x", "device": "tpu"}, "match pattern"),
        ({"kind": "replay", "file": "/nowhere"}, "does not exist"),
    ],
)
def test_configurations_that_cannot_be_meant(value: dict[str, Any], fault: str) -> None:
    with pytest.raises(ValidationError, match=fault):
        ADAPTER.validate_python(value)
