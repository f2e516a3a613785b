"""One receiver and its headsets from start to end, with the receiver's process measured between."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import psutil

from benchmarks.broker import BrokerAddress
from benchmarks.latency.children import MARK, STOP, BenchmarkFailed, Child, ChildMain
from benchmarks.latency.clip import Clip
from benchmarks.latency.naive import naive
from benchmarks.latency.receivers import ReceiverSpec, daemon, decode_only
from benchmarks.latency.records import Mark, ReceiverLog, ReceiverReady, SenderLog, SenderReady
from benchmarks.latency.sender import SenderSpec, send
from benchmarks.latency.usage import Usage, watch

START_TIMEOUT_S = 90.0
ANSWER_TIMEOUT_S = 20.0


class Receiver(StrEnum):
    """Who receives the streams."""

    DAEMON = "daemon"
    DECODE_ONLY = "decode only"
    NAIVE = "naive"


_MAINS: dict[Receiver, ChildMain[ReceiverSpec]] = {
    Receiver.DAEMON: daemon,
    Receiver.DECODE_ONLY: decode_only,
    Receiver.NAIVE: naive,
}


@dataclass(frozen=True, slots=True)
class Phase:
    """What is streamed to whom, and for how long."""

    name: str
    receiver: Receiver
    clip: Clip
    sessions: int
    warm_up_s: float
    """Streamed before the measuring begins."""
    seconds: float
    """Measured."""


@dataclass(frozen=True, slots=True)
class PhaseLog:
    """What the processes of a phase wrote down."""

    anchor_ms: float
    """The receiver's clock minus the shared one."""
    usage: Usage
    before: Mark
    after: Mark
    receiver: ReceiverLog
    senders: tuple[SenderLog, ...]

    @property
    def cpu_s_per_stream_minute(self) -> float:
        """What the receiver's process used."""
        return self.usage.cpu_s_per_stream_minute(len(self.senders))

    def counted(self, name: str) -> int:
        """How often the receiver counted something while it was measured."""
        return self.after.counters.get(name, 0) - self.before.counters.get(name, 0)


async def run_phase(phase: Phase, broker: BrokerAddress, say: Callable[[str], None]) -> PhaseLog:
    """Start everybody, wait, measure, end everybody. Raises ``BenchmarkFailed``."""
    spec = ReceiverSpec(broker.host, broker.port, phase.sessions)
    async with contextlib.AsyncExitStack() as stack:
        receiver = await stack.enter_async_context(Child(phase.name, _MAINS[phase.receiver], spec))
        ready = await receiver.expect(ReceiverReady, START_TIMEOUT_S)
        senders = []
        for index in range(phase.sessions):
            device = f"headset-{index + 1}"
            sender = SenderSpec(
                device,
                phase.clip.encoded,
                ready.whip_url,
                None if phase.receiver is Receiver.DECODE_ONLY else broker.url,
                naive=phase.receiver is Receiver.NAIVE,
            )
            senders.append(await stack.enter_async_context(Child(device, send, sender)))
        for child in senders:
            await child.expect(SenderReady, START_TIMEOUT_S)
        say(f"{phase.name}: {phase.warm_up_s:g} s to warm up, then {phase.seconds:g} s measured")
        await asyncio.sleep(phase.warm_up_s)
        before = await receiver.ask(MARK, Mark, ANSWER_TIMEOUT_S)
        try:
            usage = await watch(receiver.pid, phase.seconds)
        except psutil.Error as error:
            msg = f"{phase.name} ended while it was measured"
            raise BenchmarkFailed(msg) from error
        after = await receiver.ask(MARK, Mark, ANSWER_TIMEOUT_S)
        logs = await asyncio.gather(*(child.ask(STOP, SenderLog, ANSWER_TIMEOUT_S) for child in senders))
        log = await receiver.ask(STOP, ReceiverLog, ANSWER_TIMEOUT_S)
    for each in logs:
        if each.connections != 1:
            msg = (
                f"{phase.name}: {each.device_id} connected {each.connections} times; its times are not known"
            )
            raise BenchmarkFailed(msg)
    return PhaseLog(ready.anchor_ms, usage, before, after, log, tuple(logs))
