"""Notes of processes that never ran, for the analysis."""

from __future__ import annotations

from collections.abc import Mapping

from arwarden.headset.clip import EncodedClip
from arwarden.headset.encoder import Codec
from benchmarks.latency.clip import Clip, ClipEvent
from benchmarks.latency.phases import PhaseLog
from benchmarks.latency.records import (
    JudgedFrame,
    Mark,
    NaiveResult,
    ReceiverLog,
    SeenAlert,
    SenderLog,
)
from benchmarks.latency.usage import MIB, MemorySample, Usage

ANCHOR_MS = 1_700_000_000_000.0
FPS = 10.0
STARTED_MS = 1000.0
FROM_MS, TO_MS = 2000.0, 12_000.0
EVENT = ClipEvent(20, 40, ("Door is locked", "Door unlocked"), "lock")
CLIP = Clip(EncodedClip(Codec.VP8, FPS, [b""] * 200), (EVENT,))
"""20 s; its contradiction is visible from 3000 to 5000 ms."""
STAGES = {"transport": 2.0, "sampling": 10.0, "queue": 1.0, "ocr": 100.0, "quality": 7.0}


def captured_ms(tick: int) -> float:
    return STARTED_MS + tick * 1000.0 / FPS


def judged(
    tick: int,
    *,
    session: str = "s",
    error_ms: float = 0.0,
    synced: bool = True,
    readable: bool = True,
    took_ms: float = 120.0,
) -> JudgedFrame:
    at_ms = ANCHOR_MS + captured_ms(tick)
    return JudgedFrame(
        session_id=session,
        code=tick % CLIP.frames if readable else None,
        captured_daemon_ms=at_ms + error_ms,
        synced=synced,
        arrival_daemon_ms=at_ms + 2.0,
        judged_daemon_ms=at_ms + took_ms,
        stages_ms=STAGES,
    )


def alert(
    frame: JudgedFrame,
    *,
    shown: bool = True,
    kind: str = "contradiction",
    texts: tuple[str, ...] = EVENT.texts,
    stages_ms: Mapping[str, float] | None = None,
) -> SeenAlert:
    """Published 1 ms after its frame was judged, 2 ms later at the headset."""
    published_ms = frame.judged_daemon_ms + 1.0
    return SeenAlert(
        alert_id="a1",
        session_id=frame.session_id,
        shown=shown,
        kind=kind,
        state="raised",
        texts=texts,
        captured_daemon_ms=frame.captured_daemon_ms,
        published_daemon_ms=published_ms,
        stages_ms={**STAGES, "publish": 1.0} if stages_ms is None else stages_ms,
        arrived_mono_ms=published_ms + 2.0 - ANCHOR_MS,
    )


def sender(
    *alerts: SeenAlert, session: str = "s", frames: int = 130, naive: tuple[NaiveResult, ...] = ()
) -> SenderLog:
    return SenderLog(
        device_id=f"headset-of-{session}",
        started_mono_ms=STARTED_MS,
        connections=1,
        lateness_ms=(0.5,) * frames,
        session_ids=frozenset({session}),
        alerts=alerts,
        naive=naive,
    )


def phase_log(
    frames: tuple[JudgedFrame, ...] = (),
    *senders: SenderLog,
    before: Mapping[str, int] | None = None,
    after: Mapping[str, int] | None = None,
) -> PhaseLog:
    memory = tuple(MemorySample(FROM_MS + 500 * number, 300 * MIB) for number in range(20))
    return PhaseLog(
        anchor_ms=ANCHOR_MS,
        usage=Usage(FROM_MS, TO_MS, 5.0, memory),
        before=Mark(FROM_MS, before or {}),
        after=Mark(TO_MS, after or {}, 4.0),
        receiver=ReceiverLog(frames),
        senders=senders or (sender(),),
    )
