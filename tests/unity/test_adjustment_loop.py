"""The adjustment loop with the package's own headset: WebRTC in, Mosquitto between, and a cup that moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from arwarden.daemon import Daemon
from tests.support.adjusting import (
    PATIENCE_S,
    WELL,
    adjusting,
    corrections,
    ended,
    judge,
    low,
    seeing_nothing,
    sent,
)
from tests.support.daemon import Wearer, address_of, scene, serving
from tests.support.mosquitto import Mosquitto, free_port
from tests.support.mqtt_tap import eventually, tapping
from tests.unity.program import Program

pytestmark = [pytest.mark.broker, pytest.mark.xdist_group("unity")]


async def wait_for(condition: Callable[[], bool]) -> None:
    await eventually(condition, PATIENCE_S)


def streaming(daemon: Daemon) -> Wearer:
    """The pictures alone: messages are the package's business."""
    return Wearer(address_of(daemon), None, scene("Cups"))


async def cup_of(program: Program, asked: int = 1) -> tuple[float, float]:
    """How far to the right the cup is, and its factor."""
    await program.say("cup")
    _, right_m, scale = (await program.wait_for("cup", asked))[-1].split()
    return float(right_m), float(scale)


async def test_corrected_and_better(broker: Mosquitto, headset: Path) -> None:
    asked = judge(low(right_m=0.2), WELL)
    async with (
        tapping(broker.host, broker.port) as tap,
        serving(adjusting(broker), seeing_nothing(), judge=asked) as daemon,
        Program(headset, port=broker.port) as program,
        streaming(daemon),
    ):
        await wait_for(lambda: ended(daemon) == ["good"])
        assert await cup_of(program) == (0.2, 1.0)
    [message] = corrections(tap)
    assert message.json["object_id"] == "cup"
    assert not message.retain
    assert message.expiry_s is not None
    assert [fact.text for fact in asked.questions[0].facts] == ["cup"]


async def test_made_worse_and_taken_back(broker: Mosquitto, headset: Path) -> None:
    asked = judge(low(3, right_m=0.2, scale=1.3), low(1))
    async with (
        tapping(broker.host, broker.port) as tap,
        serving(adjusting(broker), seeing_nothing(), judge=asked) as daemon,
        Program(headset, port=broker.port) as program,
        streaming(daemon),
    ):
        await wait_for(lambda: ended(daemon) == ["worse"])
        assert await cup_of(program) == (0.0, 1.0)
    assert [action for action, _ in sent(tap)] == ["apply", "revert"]


async def test_the_packages_limits_clamp_and_end_it(broker: Mosquitto, headset: Path) -> None:
    asked = judge(low(2, right_m=0.9), low(3, right_m=0.9))
    async with (
        serving(adjusting(broker, max_steps=5), seeing_nothing(), judge=asked) as daemon,
        Program(headset, port=broker.port) as program,
        streaming(daemon),
    ):
        await wait_for(lambda: ended(daemon) == ["improved"])
        assert await cup_of(program) == (0.5, 1.0)


async def test_the_users_hand_refuses(broker: Mosquitto, headset: Path) -> None:
    async with (
        tapping(broker.host, broker.port) as tap,
        serving(adjusting(broker), seeing_nothing(), judge=judge(low(right_m=0.45))) as daemon,
        Program(headset, port=broker.port) as program,
        streaming(daemon),
    ):
        await wait_for(lambda: daemon.counters["acks.accepted"] == 1)
        await program.say("hold")
        await wait_for(lambda: ended(daemon) == ["held"])
        await asyncio.sleep(1.5)
        right_m, _ = await cup_of(program)
        assert right_m < 0.45
        assert daemon.counters["adjust.asked.placement"] == 1
    assert len(corrections(tap)) == 1


async def test_broker_killed_and_back(broker: Mosquitto, headset: Path) -> None:
    asked = judge(low(right_m=0.2), WELL, after_s=1.5)
    async with (
        serving(adjusting(broker), seeing_nothing(), judge=asked) as daemon,
        Program(headset, port=broker.port) as program,
        streaming(daemon),
    ):
        await wait_for(lambda: len(asked.questions) == 1)
        await broker.kill()
        await wait_for(lambda: daemon.counters["adjust.sent.step"] == 1)
        await broker.start()
        await wait_for(lambda: ended(daemon) == ["good"])
        assert await cup_of(program) == (0.2, 1.0)


async def test_another_run_of_the_daemon_builds_on_what_is_in_force(broker: Mosquitto, headset: Path) -> None:
    config = adjusting(broker, port=free_port())
    async with tapping(broker.host, broker.port) as tap, Program(headset, port=broker.port) as program:
        async with serving(config, seeing_nothing(), judge=judge(low(right_m=0.2), WELL)) as daemon:
            wearer = streaming(daemon)
            await wearer.__aenter__()
            await wait_for(lambda: ended(daemon) == ["good"])
        async with serving(config, seeing_nothing(), judge=judge(low(right_m=0.1), WELL)) as daemon:
            await wait_for(lambda: ended(daemon) == ["good"])
            await wearer.ended()
        assert await cup_of(program) == (0.3, 1.0)
    assert [move[0] for _, move in sent(tap)] == [0.2, pytest.approx(0.3, abs=0.002)]
