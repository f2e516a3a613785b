"""The adjustment loop beside one headset's pipeline: asks the judge, sends what follows, hears what is said.

Like second opinions it is awaited by nobody: a judge that hangs or fails changes when an object is corrected,
and nothing else.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import structlog

from arwarden.adjust.draft import AdjustmentDraft, stamp
from arwarden.adjust.episode import Note, Rated, Target
from arwarden.adjust.loop import AdjustLoop
from arwarden.adjust.matching import named
from arwarden.adjust.scene import SceneBook, Seen
from arwarden.adjust.steps import Wish
from arwarden.config import AdjustConfig
from arwarden.config.adjust import Factor
from arwarden.contract.messages import Ack
from arwarden.contract.topics import Topics
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.findings import Element, ElementType, Findings, Part, Severity
from arwarden.core.frame import Frame
from arwarden.escalate.answers import Answer
from arwarden.escalate.budget import Limit
from arwarden.escalate.inquiries import Inquiry
from arwarden.escalate.policy import AskReason, Look
from arwarden.escalate.questions import Task
from arwarden.escalate.scenes import sight_of
from arwarden.escalate.tier import SecondOpinions
from arwarden.observe.events import EventStream
from arwarden.observe.metrics import Metrics
from arwarden.publish.outbox import Outgoing

log = structlog.get_logger(__name__)

TASKS: Final[Mapping[Factor, Task]] = {
    "size": Task.SIZE_ADJUSTMENT,
    "placement": Task.PLACEMENT_ADJUSTMENT,
    "shadow": Task.SHADOW,
}


@dataclass(frozen=True, slots=True)
class Corrections:
    """What every session's loop of one daemon shares."""

    config: AdjustConfig
    scenes: SceneBook
    opinions: SecondOpinions
    epoch: str
    topics: Topics
    clock: Clock
    submit: Callable[[Outgoing], None]
    events: EventStream
    metrics: Metrics
    counters: Counters
    versions: Iterator[int] = field(default_factory=lambda: itertools.count(1))


class SceneNames:
    """Puts the app's own names at the elements in which a tier sees its objects."""

    def __init__(self, scenes: SceneBook, config: AdjustConfig) -> None:
        self._scenes = scenes
        self._config = config

    def named(self, findings: Findings, device_id: str, now_ms: float) -> Findings:
        """The findings with the ids of the device's objects, as far as its app reports any."""
        objects = self._scenes.objects(device_id, now_ms, self._config.scene_expiry_ms)
        return named(findings, objects.values())


class SessionCorrections:
    """Judges and corrects the objects of one session, one at a time."""

    def __init__(
        self, around: Corrections, device_id: str, session_id: str, new_id: Callable[[], str]
    ) -> None:
        self._around = around
        self._device_id = device_id
        self._loop = AdjustLoop(
            around.config, device_id, session_id, new_id, around.versions, around.counters, self._noted
        )
        self.task: asyncio.Task[None] | None = None
        """The question under way."""

    def work(self, frame: Frame | None, now_ms: float) -> None:
        """Look after the object in hand, or for the next. Called several times a second; never waits.

        ``frame`` is the newest one, None where its picture is not to be trusted or shows no virtual content.
        """
        try:
            self._submit(self._loop.tick(self._scene(now_ms), now_ms))
            if self.task is None and frame is not None:
                self._consult(frame, now_ms)
        except Exception:
            self._around.counters.add("adjust.faults")
            log.exception("adjustment_fault", where="work")

    def acknowledged(self, ack: Ack) -> bool:
        """The headset's answer to a correction; False where it is none of this session's."""
        return self._loop.acknowledged(ack, self._around.clock.now_ms())

    def drop(self) -> None:
        """The stream is lost: the question is given up, and what still waits to be sent is withdrawn."""
        self._loop.drop()
        if self.task is not None:
            self.task.cancel()

    def _scene(self, now_ms: float) -> Mapping[str, Seen]:
        around = self._around
        return around.scenes.objects(self._device_id, now_ms, around.config.scene_expiry_ms)

    def _consult(self, frame: Frame, now_ms: float) -> None:
        if self._around.opinions.terms.switched_off:
            return
        target = self._loop.wanted(self._scene(now_ms), now_ms)
        if target is None or frame.capture_ms < target.seen.steady_since_ms:
            return
        findings = Findings(elements=(_element(target),))
        look = Look(sight_of(frame, findings), findings)
        inquiry = self._around.opinions.inquiry(AskReason.ADJUSTMENT, look, [frame])
        if isinstance(inquiry, Limit):
            self._loop.held_back(now_ms)
            return
        self._loop.begun(target, frame.capture_ms, now_ms)
        inquiry = replace(inquiry, task=TASKS[target.factor])
        self.task = asyncio.create_task(self._ask(inquiry), name=f"adjust[{self._device_id}]")

    async def _ask(self, inquiry: Inquiry) -> None:
        try:
            reply = await self._around.opinions.ask(inquiry)
            now_ms = self._around.clock.now_ms()
            self._submit(self._loop.answered(_rated(reply.answer), self._scene(now_ms), now_ms))
        except Exception:
            # A fault over a correction must not end the watch over the headset.
            self._around.counters.add("adjust.faults")
            log.exception("adjustment_fault", where="answer")
        finally:
            self.task = None

    def _submit(self, draft: AdjustmentDraft | None) -> None:
        if draft is None:
            return
        around = self._around

        def render(published_ms: float) -> bytes | None:
            """The payload as of the moment in which it is really sent; None where it is outdated by then."""
            if not self._loop.current(draft, published_ms):
                around.counters.add("adjust.withdrawn")
                return None
            message = stamp(draft, published_ms, around.epoch)
            around.metrics.adjustments.labels(message.action).inc()
            return message.model_dump_json().encode()

        around.submit(
            Outgoing(
                topic=around.topics.adjustments(self._device_id),
                key=f"adjustment/{draft.adjustment_id}",
                rank=Severity.INFO.rank,
                expires_ms=draft.expires_ms,
                qos=1,
                retain=False,
                render=render,
            )
        )

    def _noted(self, note: Note) -> None:
        around = self._around
        if note.what == "effect":
            around.metrics.adjustment_effects.labels(note.factor, note.detail).inc()
        elif note.what == "rated" and note.rating is not None:
            around.metrics.object_ratings.labels(note.factor).observe(note.rating)
        log.debug("adjustment", what=note.what, detail=note.detail, factor=note.factor, version=note.version)
        if around.events.watched:
            around.events.emit(
                {
                    "type": "adjustment",
                    "device_id": self._device_id,
                    "what": note.what,
                    "detail": note.detail,
                    "object_id": note.object_id,
                    "factor": note.factor,
                    "rating": note.rating,
                    "version": note.version,
                    "move_m": list(note.correction.move_m),
                    "scale": note.correction.scale,
                }
            )


def _element(target: Target) -> Element:
    """The object as a piece of virtual content: where it is and what the app calls it."""
    item = target.seen.item
    return Element(
        ElementType.OBJECT,
        target.seen.box,
        parts=(Part(item.label or item.class_ or item.id, 1.0),),
        object_id=item.id,
    )


def _rated(answer: Answer | None) -> Rated | None:
    """What an answer says of an object; None where it gives no rating, or no number where it should."""
    if answer is None or not answer.judgement.readable or answer.judgement.rating is None:
        return None
    asked_for = answer.judgement.adjustment
    wish = None if asked_for is None else Wish(asked_for.right_m, asked_for.up_m, asked_for.scale)
    return Rated(answer.judgement.rating, wish)
