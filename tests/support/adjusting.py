"""A daemon that corrects objects, with a judge that says what it is told, for tests on the real wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arwarden.config import Config
from arwarden.core.findings import Findings
from arwarden.daemon import Daemon
from arwarden.escalate.answers import Adjustment, Answer
from arwarden.escalate.questions import Question
from tests.support.daemon import config_for
from tests.support.judges import JUDGE, ScriptedJudge, rating
from tests.support.mosquitto import Mosquitto
from tests.support.mqtt_tap import Received, Tap
from tests.support.pipeline import ScriptedTier

ADJUSTMENTS = "arwarden/v1/quest/adjustments"
SCENE = "arwarden/v1/quest/scene"
PATIENCE_S = 60.0
NO_ALERTS = {"confirm_below": 0.0, "new_scene": False, "uninterpreted_elements": 0, "uncertain": False}
WELL = rating(5, Adjustment())


def low(value: float = 2, *, right_m: float = 0.0, up_m: float = 0.0, scale: float = 1.0) -> Answer:
    return rating(value, Adjustment(right_m, up_m, scale))


def says_in_turn(*answers: Answer) -> Callable[[Question], Answer]:
    """One after the other, and the last for ever."""
    left = list(answers)

    def answer(_: Question) -> Answer:
        return left.pop(0) if len(left) > 1 else left[0]

    return answer


def judge(*answers: Answer, after_s: float = 0.05) -> ScriptedJudge:
    return ScriptedJudge(says_in_turn(*answers), after_s=after_s, uploads=False)


def seeing_nothing() -> ScriptedTier:
    return ScriptedTier(Findings(), cost_ms=5.0)


def adjusting(broker: Mosquitto, *, port: int = 0, **adjust: Any) -> Config:
    """Quick to judge and slow to judge again, so that a test sees one object's whole story."""
    wanted = {
        "enabled": True,
        "factors": ["placement"],
        "gain": 1.0,
        "max_step_m": 1.0,
        "max_move_m": 3.0,
        "settle_ms": 400,
        "max_age_ms": 30_000,
        "cool_down_ms": 600_000,
        "held_pause_ms": 600_000,
        **adjust,
    }
    escalate = {"judge": JUDGE, "ask": NO_ALERTS, "budget": {"calls_per_minute": 1000}}
    return config_for(broker, server={"port": port}, adjust=wanted, escalate=escalate)


def ended(daemon: Daemon) -> list[str]:
    """How the objects that were judged ended."""
    counts = daemon.counters.snapshot()
    return sorted(name.removeprefix("adjust.ended.") for name in counts if name.startswith("adjust.ended."))


def sent(tap: Tap) -> list[tuple[str, list[float]]]:
    """Action and move of every correction on the wire."""
    return [(message.json["action"], message.json["move_m"]) for message in corrections(tap)]


def corrections(tap: Tap) -> list[Received]:
    return tap.on(ADJUSTMENTS)
