"""The daemon with a judge over real HTTP: WebRTC in, a Mosquitto out, a server that obeys or misbehaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arwarden.config import Config, EscalateConfig, FastConfig
from arwarden.contract.messages import Alert
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError
from arwarden.core.findings import Findings
from arwarden.daemon import Daemon
from arwarden.escalate.tier import open_configured
from arwarden.fast.tier import FastTier
from tests.support.daemon import LentTier, config_for, feed_into, get_text, scene, serving, wearing
from tests.support.feeder import Feeder
from tests.support.judges import ScriptedJudge, answer
from tests.support.llm_server import (
    KEY,
    Behaviour,
    LlmServer,
    Request,
    drips,
    never,
    raw,
    resets,
    says,
    status,
)
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import Tap, eventually, tapping
from tests.support.pipeline import FRANCE, NETHERLANDS, ScriptedTier, contradiction

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("daemon")]

ALERTS = "arwarden/v1/quest/alerts"
HEALTH = "arwarden/v1/quest/health"
PATIENCE_S = 60.0
ONLY_ALERTS = {"confirm_below": 1.01, "new_scene": False, "uninterpreted_elements": 0, "uncertain": False}
BUDGET_MS = 2000.0
"""Of the fast tier: generous, because tests share their machine."""
PATIENT = {"budget_ms": BUDGET_MS, "evidence_window_ms": 30_000, "usefulness_ms": 20_000}
"""A pass of the real tier may take seconds where many share the machine."""
REASON = "The labels name two countries of origin."
YES = json.dumps(
    {
        "scene": "a room",
        "virtual_content": "two labels",
        "contradiction": REASON,
        "reason": REASON,
        "verdict": "yes",
    }
)
NO = YES.replace('"yes"', '"no"')


def scene_findings(number: int) -> Findings:
    """A contradiction of its own, so that every one is a scene that no judge has seen."""
    shown = (
        replace(FRANCE, text=f"Shelf {number} made in France"),
        replace(NETHERLANDS, text=f"Shelf {number} made in the Netherlands"),
    )
    found = replace(contradiction(key=f"origin:{number}"), elements=shown, message=f"scene {number}")
    return Findings((found,), shown, stages_ms={"ocr": 30.0})


def judged_by(server: LlmServer, mosquitto: Mosquitto, **escalate: Any) -> Config:
    judge = {
        "kind": "openai",
        "name": "cloud",
        "model": "test-model",
        "base_url": server.base_url,
        "api_key": {"value": KEY},
    }
    limits = {"calls_per_minute": 1000}
    sections = {"judge": judge, "budget": limits, "deadline_ms": 20_000, **escalate}
    config = config_for(mosquitto, alerts=PATIENT)
    return config.model_copy(update={"escalate": EscalateConfig.model_validate(sections)})


def of_scene(tap: Tap, number: int) -> list[Alert]:
    messages = [Alert.model_validate(message.json) for message in tap.on(ALERTS)]
    return [alert for alert in messages if alert.message == f"scene {number}"]


def settled(tap: Tap, number: int) -> Alert | None:
    """The message that tells what the judge had to say."""
    return next(
        (alert for alert in of_scene(tap, number) if alert.confirmation not in ("none", "pending")), None
    )


def slowly(seconds: float, behaviour: Behaviour) -> Behaviour:
    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        await behaviour(request, writer)

    return behave


@pytest.fixture(scope="module")
def tier() -> Iterator[LentTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield LentTier(fast)
    fast.close_now()


# From the picture to the amendment --------------------------------------------------------------------


async def test_alert_of_the_fast_tier_is_amended_under_its_id(mosquitto: Mosquitto, tier: LentTier) -> None:
    out_before: list[int] = []

    async def obedient(request: Request, writer: asyncio.StreamWriter) -> None:
        out_before.append(len(tap.on(ALERTS)))
        await asyncio.sleep(1.0)
        await says(YES)(request, writer)

    source = scene("Made in France", "Made in Italy", contradicts_on="origin")
    async with (
        LlmServer([obedient]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto, ask=ONLY_ALERTS), tier) as daemon,
        wearing(daemon, source) as wearer,
    ):

        def shown() -> list[Alert]:
            return [entry.alert for entry in wearer.headset.shown if entry.alert.attribute == "origin"]

        await eventually(lambda: bool(shown()), PATIENCE_S)
        await eventually(lambda: any(alert.confirmation == "confirmed" for alert in shown()), PATIENCE_S)
        metrics = await get_text(daemon, "/metrics")
        health = [message.json for message in tap.on(HEALTH)][-1]
    alerts = [Alert.model_validate(message.json) for message in tap.on(ALERTS)]
    first = alerts[0]
    assert (first.state.value, first.confirmation) == ("raised", "pending")
    assert first.age_ms < BUDGET_MS or first.late
    confirmed = next(alert for alert in alerts if alert.confirmation == "confirmed")
    assert confirmed.alert_id == first.alert_id
    assert confirmed.revision > first.revision
    assert confirmed.judge is not None
    assert (confirmed.judge.verdict, confirmed.judge.reason) == ("yes", REASON)
    assert confirmed.judge.tokens == 1050
    assert out_before[0] >= 1, "the alert was at the broker before the judge was asked"
    assert 'outcome="confirmed"' in metrics
    assert "France" not in metrics
    assert health["second_opinion"]["judge"] == "cloud"
    assert len(server.requests) <= 2, "a scene is not asked about again"


async def test_judge_takes_back_what_the_headset_shows(mosquitto: Mosquitto) -> None:
    tier, feeder = ScriptedTier(scene_findings(1), cost_ms=30), Feeder()
    async with (
        LlmServer([slowly(1.0, says(NO))]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto), tier) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: settled(tap, 1) is not None, PATIENCE_S)
        await eventually(lambda: daemon.counters["alerts.overruled"] > 5, PATIENCE_S)
        await feeder.close()
    life = of_scene(tap, 1)
    assert len({alert.alert_id for alert in life}) == 1, "it does not come back"
    last = life[-1]
    assert (last.state.value, last.confirmation, last.reason) == ("retracted", "rejected", "judge_rejected")


async def test_answer_about_a_scene_that_is_gone_is_never_delivered(mosquitto: Mosquitto) -> None:
    uncertain = scene_findings(1)
    unsure = replace(uncertain.findings[0], certain=False)
    tier, feeder = ScriptedTier(replace(uncertain, findings=(unsure,)), cost_ms=30), Feeder()
    async with (
        LlmServer([slowly(3.0, says(YES))]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto, ask={"settle_ms": 0}), tier) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: bool(server.requests), PATIENCE_S)
        tier.answer = Findings()
        await eventually(lambda: daemon.counters["escalate.late"] == 1, PATIENCE_S)
        await asyncio.sleep(0.5)
        await feeder.close()
        assert daemon.counters["escalate.late_dropped"] == 1
    told = [message.json for message in tap.on(ALERTS)]
    assert [alert for alert in told if alert["kind"] == "contradiction"] == []
    assert all(alert["expires_ms"] > alert["published_ms"] for alert in told)


async def test_judge_in_this_process_may_be_the_fast_tier_itself(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    recording, feeder = tmp_path / "answers.jsonl", Feeder()
    recording.touch()
    escalate = {"judge": {"kind": "replay", "file": str(recording)}, "replaces_fast": True}
    judge = ScriptedJudge(answer(reason="A label contradicts a flag."), after_s=0.05, uploads=False)
    config = config_for(mosquitto, alerts=PATIENT, escalate=escalate)
    async with tapping(mosquitto.host, mosquitto.port) as tap, Daemon(config, judge=judge) as daemon:
        await feed_into(daemon, feeder)
        await eventually(lambda: bool(tap.on(ALERTS)), PATIENCE_S)
        await feeder.close()
    assert judge.closed
    first = Alert.model_validate(tap.on(ALERTS)[0].json)
    assert (first.tier, first.message) == ("cloud", "A label contradicts a flag.")
    assert first.confirmation == "none"


# Row 24 of the pains of others: timeouts that multiply with retries -----------------------------------


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        (never, "deadline"),
        (drips(), "deadline"),
        (status(429, "slow down", Retry_After="60"), None),
        (status(503), None),
        (resets, None),
    ],
    ids=["never", "drips", "429", "503", "reset"],
)
async def test_row_24_one_deadline_over_everything_and_the_fast_alert_is_unaffected(
    mosquitto: Mosquitto, behaviour: Behaviour, problem: str | None
) -> None:
    tier, feeder = ScriptedTier(scene_findings(1), cost_ms=30), Feeder()
    deadline_ms = 1500.0
    ask = {**ONLY_ALERTS, "retry_ms": 50}
    async with (
        LlmServer([behaviour]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto, deadline_ms=deadline_ms, ask=ask), tier) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: settled(tap, 1) is not None, PATIENCE_S)
        # Failures in a row, each about a scene of its own, until the judge is left alone.
        for number in range(2, 6):
            tier.answer = scene_findings(number)
            await eventually(lambda number=number: settled(tap, number) is not None, PATIENCE_S)  # type: ignore[misc]
        await feeder.close()
        assert daemon.counters["escalate.failed.circuit_open"] >= 1, "the breaker is open"
        assert daemon.counters["session.faults"] == 0
    first = settled(tap, 1)
    assert first is not None
    assert first.judge is not None
    assert (first.confirmation, first.judge.verdict) == ("unverified", "unknown")
    assert first.judge.latency_ms <= deadline_ms + 50 + 500, "with what a busy machine adds"
    if problem is not None:
        assert first.judge.problem == problem
    assert len(server.requests) <= 4, "nothing is tried again behind our back"
    for number in range(1, 6):
        raised = of_scene(tap, number)[0]
        assert raised.state.value == "raised"
        assert raised.age_ms < BUDGET_MS or raised.late


# Row 25: answers that are late, missing or unreadable -------------------------------------------------

SHAPES: list[tuple[str, Behaviour, str]] = [
    ("fences", says(f"Sure, here it is:\n```json\n{YES}\n```"), "confirmed"),
    ("reasoning_content", says("", reasoning_content=YES), "confirmed"),
    ("single_quotes", says(str(json.loads(YES))), "confirmed"),
    ("line", says("The labels contradict each other.\n\n**Yes**"), "confirmed"),
    ("empty", says(""), "unverified"),
    ("null", says(None), "unverified"),
    (
        "no_choices",
        raw(json.dumps({"id": "x", "object": "chat.completion", "choices": []}).encode()),
        "unverified",
    ),
    ("refusal", says("I'm sorry, but I can't help with that."), "unverified"),
    ("both", says("yes|no"), "unverified"),
    ("chatter", says("What a lovely room."), "unverified"),
    ("html", raw(b"<html>bad gateway</html>", content_type="text/html"), "unverified"),
]


async def test_row_25_alert_is_published_whatever_shape_the_answer_has(mosquitto: Mosquitto) -> None:
    tier, feeder = ScriptedTier(Findings(), cost_ms=30), Feeder()
    ask = {**ONLY_ALERTS, "retry_ms": 50}
    async with (
        LlmServer([says(NO)]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto, ask=ask), tier) as daemon,
    ):
        await feed_into(daemon, feeder)
        for number, (_, behaviour, _) in enumerate(SHAPES):
            # Slower than a broker, so that what is said before is not replaced by what is said after.
            server.script = [slowly(0.5, behaviour)]
            tier.answer = scene_findings(number)
            await eventually(lambda number=number: settled(tap, number) is not None, PATIENCE_S)  # type: ignore[misc]
        await feeder.close()
    for number, (shape, _, expected) in enumerate(SHAPES):
        life = of_scene(tap, number)
        assert life[0].state.value == "raised", shape
        assert life[0].age_ms < BUDGET_MS or life[0].late, shape
        # A picture that the transport may have damaged is not sent: the alert then becomes pending later.
        assert "pending" in [alert.confirmation for alert in life], shape
        told = settled(tap, number)
        assert told is not None
        assert told.confirmation == expected, (shape, told.judge)
        assert told.judge is not None
        assert told.judge.verdict == ("yes" if expected == "confirmed" else "unknown"), shape
        assert "judge_rejected" not in [alert.reason for alert in life], "never read as no"


# Nothing leaves ---------------------------------------------------------------------------------------


async def test_never_upload_leaves_no_way_out(mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch) -> None:
    tier, feeder = ScriptedTier(scene_findings(1), cost_ms=30), Feeder()
    async with LlmServer([says(YES)]) as server, tapping(mosquitto.host, mosquitto.port) as tap:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        with_judge = judged_by(server, mosquitto)
        with pytest.raises(ValueError, match="never_upload is set"):
            judged_by(server, mosquitto, never_upload=True)
        # Even a configuration that was never checked does not get a client.
        forced = with_judge.escalate.model_copy(update={"never_upload": True})
        with pytest.raises(ConfigError, match="never_upload"):
            open_configured(forced, SystemClock(), Counters())
        with pytest.raises(ConfigError, match="never_upload"):
            async with Daemon(with_judge.model_copy(update={"escalate": forced}), tier=tier):
                pass
        plain = config_for(mosquitto, escalate={"never_upload": True})
        async with serving(plain, tier) as daemon:
            await feed_into(daemon, feeder)
            await eventually(lambda: bool(tap.on(ALERTS)), PATIENCE_S)
            await asyncio.sleep(1.0)
            await feeder.close()
        assert server.connections == 0
    assert {message.json["confirmation"] for message in tap.on(ALERTS)} == {"none"}


async def test_key_is_neither_logged_nor_told(mosquitto: Mosquitto, caplog: pytest.LogCaptureFixture) -> None:
    tier, feeder = ScriptedTier(scene_findings(1), cost_ms=30), Feeder()
    async with (
        LlmServer([status(401, f"Incorrect API key provided: {KEY}")]) as server,
        tapping(mosquitto.host, mosquitto.port) as tap,
        serving(judged_by(server, mosquitto), tier) as daemon,
    ):
        await feed_into(daemon, feeder)
        await eventually(lambda: settled(tap, 1) is not None, PATIENCE_S)
        metrics = await get_text(daemon, "/metrics")
        await feeder.close()
    said = " ".join(message.payload.decode() for message in tap.received)
    assert KEY not in said + metrics + caplog.text + repr(judged_by(server, mosquitto))
