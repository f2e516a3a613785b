"""One headset's pipeline: frames in, alerts out. The only place that knows the order of the stages."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import structlog

from arwarden.config import Config
from arwarden.contract.messages import Ack, AlertState, Health, Percentiles, SessionState
from arwarden.contract.topics import Topics
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import DeadlineExceeded, TierError
from arwarden.core.findings import Element, Finding, Findings
from arwarden.core.frame import CaptureClock, Frame, View
from arwarden.core.tier import SceneContext, Tier
from arwarden.corrections import Corrections, SceneNames, SessionCorrections
from arwarden.decide import AlertDraft, AlertLifecycle, publishable, stamp
from arwarden.escalate.tier import SecondOpinions
from arwarden.fast.quality import FreezeDetector
from arwarden.observe.events import EventStream, JsonValue
from arwarden.observe.latency import RecentLatency, RecentRate
from arwarden.observe.metrics import Metrics
from arwarden.opinions import NOTHING_SEEN, SessionOpinions
from arwarden.publish.outbox import Outgoing
from arwarden.publish.publisher import Publisher
from arwarden.sampling import Sample, Sampler

log = structlog.get_logger(__name__)

HEALTH_INTERVAL_MS = 1000.0
HEALTH_KEPT_MS = 60_000.0
"""How long a broker retains the last word about a session that nobody speaks for any more."""
IDLE_WAKE_S = 0.25
FREEZE_LOOK_MS = 90.0
"""A freeze is told after seconds: every third frame of 30 a second shows it as well, for less."""
STANDING_LOOK_MS = 50.0
"""While nothing changes every second frame of 30 a second is compared: a change is seen a frame later."""
FAULT_PAUSE_S = 0.1
ENDED = frozenset({SessionState.LOST, SessionState.CLOSED})
PASSTHROUGH_REASON = "passthrough_has_no_virtual_content"

Probe = Callable[[Frame, Findings], None]
"""Called with every judged frame: how benchmarks look inside without changing what they measure."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every session of one daemon shares."""

    config: Config
    clock: Clock
    epoch: str
    topics: Topics
    tier: Tier
    turns: asyncio.Semaphore
    """One permit per worker, handed out in the order of asking: several headsets get equal shares."""
    publisher: Publisher
    events: EventStream
    metrics: Metrics
    counters: Counters
    current: dict[str, str]
    """The session that speaks for each device now: one that was taken over stays silent."""
    probe: Probe | None = None
    opinions: SecondOpinions | None = None
    """Who is asked for second opinions; nobody where it is None."""
    names: SceneNames | None = None
    """The app's own names of what is seen; None where alerts shall not carry them."""
    corrections: Corrections | None = None
    """What corrects the app's objects; nothing where it is None."""


@dataclass(slots=True)
class _Tally:
    """What health reports: counts and rates of one session."""

    received: int = 0
    analysed: int = 0
    received_rate: RecentRate = field(default_factory=RecentRate)
    analysed_rate: RecentRate = field(default_factory=RecentRate)
    capture_to_publish: RecentLatency = field(default_factory=RecentLatency)


class Session:
    """Samples, judges, decides and publishes for one headset until it is closed."""

    def __init__(
        self, session_id: str, device_id: str, view: View, new_id: Callable[[], str], around: Surroundings
    ) -> None:
        self.session_id = session_id
        self.device_id = device_id
        self._view = view
        self._around = around
        self._sampler = Sampler(around.config.sampling, around.counters)
        self._lifecycle = AlertLifecycle(around.config.alerts, device_id, session_id, new_id, around.counters)
        self._freeze = FreezeDetector()
        self._frozen = False
        self._state = SessionState.CONNECTING
        self._reasons: tuple[str, ...] = ()
        self._clock_offset_ms: float | None = None
        self._newest: Frame | None = None
        self._tally = _Tally()
        self._wake = asyncio.Event()
        self._next_health_ms = 0.0
        self._next_freeze_look_ms = 0.0
        self._next_look_ms = 0.0
        self._closed = False
        self.on_closed: Callable[[], object] = lambda: None
        self._judging: asyncio.Task[None] | None = None
        self._opinions = self._open_opinions()
        self._corrections = (
            None
            if around.corrections is None
            else SessionCorrections(around.corrections, device_id, session_id, new_id)
        )
        self._task = asyncio.create_task(self._run(), name=f"session[{session_id}]")

    # What the stream calls ------------------------------------------------------------------------

    def on_frame(self, frame: Frame) -> None:
        """Take note of a received frame. Called for every one of them, so it costs next to nothing."""
        now_ms = self._around.clock.now_ms()
        self._newest = frame
        self._tally.received += 1
        self._tally.received_rate.add(now_ms)
        self._around.metrics.frames.labels("received").inc()
        if now_ms >= self._next_freeze_look_ms:
            self._next_freeze_look_ms = now_ms + FREEZE_LOOK_MS
            self._look_for_freeze(frame, now_ms)
        if self._sampler.static and now_ms < self._next_look_ms:
            self._around.counters.add("sampling.not_compared")
            return
        self._next_look_ms = now_ms + STANDING_LOOK_MS
        self._sampler.offer(frame, now_ms)
        due_ms = self._sampler.next_due_ms(now_ms)
        if due_ms is not None and due_ms - now_ms < IDLE_WAKE_S * 1000.0:
            # Nothing is due soon in a standing scene: its frames need not wake the loop 30 times a second.
            self._wake.set()

    def _look_for_freeze(self, frame: Frame, now_ms: float) -> None:
        was_frozen, self._frozen = self._frozen, self._freeze.observe(frame.picture.luma(), now_ms)
        if self._frozen and not was_frozen:
            # Nothing changes in a frozen picture, so nothing else would have it looked at.
            self._sampler.request_sample()

    def on_state(self, state: SessionState, reasons: tuple[str, ...], now_ms: float) -> None:
        """Take note of how the stream is doing; a lost stream ends its alerts."""
        self._state, self._reasons = state, reasons
        if state in ENDED:
            if self._opinions is not None:
                self._opinions.cancel()
            if self._corrections is not None:
                self._corrections.drop()
            reason = reasons[0] if state is SessionState.CLOSED and reasons else f"session_{state}"
            self._submit(self._lifecycle.end(reason, now_ms))
        self._publish_health(now_ms)

    def on_view(self, view: View) -> None:
        """The client said which view it streams."""
        self._view = view

    def on_clock(self, offset_ms: float | None) -> None:
        """The headset's clock minus ours, as last measured."""
        self._clock_offset_ms = offset_ms

    async def close(self, reason: str) -> None:
        """End the alerts, say goodbye and stop."""
        if self._closed:
            return
        self._closed = True
        if self._corrections is not None:
            self._corrections.drop()
        asking = [beside.task for beside in (self._opinions, self._corrections) if beside is not None]
        tasks = {task for task in (self._task, self._judging, *asking) if task is not None}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        now_ms = self._around.clock.now_ms()
        self._submit(self._lifecycle.end(reason, now_ms))
        self._state, self._reasons = SessionState.CLOSED, (reason,)
        self._publish_health(now_ms)
        self.on_closed()
        log.info("session_ended", session_id=self.session_id, device_id=self.device_id, reason=reason)

    def _open_opinions(self) -> SessionOpinions | None:
        around = self._around
        if around.opinions is None:
            return None
        return SessionOpinions(
            around.opinions,
            self._lifecycle,
            self._submit,
            tier=around.tier.name,
            alert_budget_ms=around.config.alerts.budget_ms,
            clock=around.clock,
            metrics=around.metrics,
            counters=around.counters,
        )

    def acknowledged(self, ack: Ack) -> bool:
        """A headset's answer to an alert or a correction; False where that is none of this session's."""
        if self._corrections is not None and self._corrections.acknowledged(ack):
            return True
        return self._lifecycle.acknowledged(ack)

    # The loop -------------------------------------------------------------------------------------

    async def _run(self) -> None:
        while True:
            try:
                await self._wait_for_work()
                self._work()
            except Exception:
                self._around.counters.add("session.faults")
                log.exception("session_fault", session_id=self.session_id)
                await asyncio.sleep(FAULT_PAUSE_S)

    def _work(self) -> None:
        now_ms = self._around.clock.now_ms()
        self._submit(self._lifecycle.tick(now_ms, transport_healthy=self._transport_healthy()))
        if now_ms >= self._next_health_ms:
            self._publish_health(now_ms)
        if self._corrections is not None and self._state not in ENDED:
            sound = self._transport_healthy() and self._view is not View.PASSTHROUGH
            self._corrections.work(self._newest if sound else None, now_ms)
        if self._judging is not None:
            return
        due_ms = self._sampler.next_due_ms(now_ms)
        if due_ms is not None and due_ms <= now_ms:
            # Beside the loop: a pass may take seconds, and health and the ends of alerts do not wait for it.
            self._judging = asyncio.create_task(self._judge_and_go_on(), name=f"judge[{self.session_id}]")
        elif self._sampler.static:
            self._submit(self._lifecycle.still_seen(now_ms, self._newest))
            if self._opinions is not None:
                self._opinions.unchanged(self._newest)
        if self._opinions is not None and self._transport_healthy():
            self._opinions.consult((), now_ms)

    async def _wait_for_work(self) -> None:
        now_ms = self._around.clock.now_ms()
        sample_due_ms = self._sampler.next_due_ms(now_ms) if self._judging is None else None
        opinion_due_ms = None if self._opinions is None else self._opinions.next_due_ms(now_ms)
        due = [self._next_health_ms, sample_due_ms, opinion_due_ms, self._lifecycle.next_due_ms(now_ms)]
        wait_s = min((at_ms - now_ms) / 1000.0 for at_ms in due if at_ms is not None)
        try:
            async with asyncio.timeout(min(max(wait_s, 0.001), IDLE_WAKE_S)):
                await self._wake.wait()
        except TimeoutError:
            return
        self._wake.clear()

    async def _judge_and_go_on(self) -> None:
        try:
            await self._judge_next()
        except Exception:
            # A fault over one sample must not end the watch over the headset.
            self._around.counters.add("session.faults")
            log.exception("session_fault", session_id=self.session_id)
            await asyncio.sleep(FAULT_PAUSE_S)
        finally:
            self._judging = None
            self._wake.set()

    async def _judge_next(self) -> None:
        """Wait for a turn, then take the newest frame there is: none grows old in a queue."""
        around = self._around
        async with around.turns:
            started_ms = around.clock.now_ms()
            sample = self._sampler.take(started_ms)
            if sample is None:
                return
            findings: Findings | None = None
            try:
                findings = await self._judge(sample, started_ms)
            except DeadlineExceeded:
                around.counters.add("samples.past_deadline")
            except TierError as error:
                around.counters.add("samples.failed")
                log.warning("tier_failed", tier=around.tier.name, error=str(error))
            finally:
                ended_ms = around.clock.now_ms()
                self._sampler.finished(ended_ms - started_ms, ended_ms, judged=findings is not None)
        if findings is None:
            return
        if self._state in ENDED:
            # The alerts have been ended: what was judged meanwhile must not bring one back.
            around.counters.add("samples.after_loss")
            return
        self._decide(sample.frame, findings, started_ms)

    async def _judge(self, sample: Sample, started_ms: float) -> Findings:
        around = self._around
        deadline_ms = started_ms + around.config.alerts.usefulness_ms
        context = SceneContext(self.device_id, self._view, closely=sample.at_rest)
        findings = await around.tier.analyse([sample.frame], context, deadline_ms)
        frozen = self._freeze.finding()
        extra: tuple[Finding, ...] = () if frozen is None or sample.frame.transport.damaged else (frozen,)
        stages_ms = {
            "transport": max(0.0, sample.frame.arrival_ms - sample.frame.capture_ms),
            "sampling": max(0.0, started_ms - sample.frame.arrival_ms),
            **findings.stages_ms,
        }
        found = Findings(findings.findings + extra, findings.elements, findings.quality, stages_ms)
        names = around.names
        return found if names is None else names.named(found, self.device_id, around.clock.now_ms())

    def _decide(self, frame: Frame, findings: Findings, started_ms: float) -> None:
        around = self._around
        now_ms = around.clock.now_ms()
        self._tally.analysed += 1
        self._tally.analysed_rate.add(now_ms)
        around.metrics.frames.labels("analysed").inc()
        for stage, spent_ms in findings.stages_ms.items():
            around.metrics.stage_s.labels(stage).observe(spent_ms / 1000.0)
        opinions = self._opinions if not frame.transport.damaged else None
        sustained = NOTHING_SEEN if opinions is None else opinions.saw(frame, findings, now_ms)
        drafts = self._lifecycle.observe(findings, frame, around.tier.name, now_ms, sustained=sustained)
        if self._lifecycle.wants_evidence:
            self._sampler.request_sample(urgent=self._lifecycle.nearly_raised)
        if opinions is None:
            self._submit(drafts)
        else:
            opinions.consult(drafts, now_ms)
        if around.probe is not None:
            around.probe(frame, findings)
        if around.events.watched:
            around.events.emit(self._sample_event(frame, findings, now_ms, now_ms - started_ms))

    # What goes out --------------------------------------------------------------------------------

    def _submit(self, drafts: Iterable[AlertDraft]) -> None:
        for draft in drafts:
            submitted_ms = self._around.clock.now_ms()
            alert = stamp(draft, submitted_ms, self._around.epoch)
            if draft.from_sample:
                self._tally.capture_to_publish.add(alert.age_ms, submitted_ms)
            self._around.events.emit({"type": "alert", "alert": alert.model_dump(mode="json")})
            self._around.publisher.submit(self._outgoing(draft, submitted_ms))

    def _outgoing(self, draft: AlertDraft, submitted_ms: float) -> Outgoing:
        around = self._around

        def render(published_ms: float) -> bytes | None:
            """The payload with the times of the moment in which it is really sent."""
            if not publishable(draft, published_ms, around.config.alerts.late, around.counters):
                return None
            alert = stamp(draft, published_ms, around.epoch)
            waited_ms = {"publish": max(0.0, published_ms - submitted_ms)}
            alert = alert.model_copy(update={"stages_ms": {**alert.stages_ms, **waited_ms}})
            if draft.from_sample:
                around.metrics.capture_to_publish_s.observe(alert.age_ms / 1000.0)
            around.metrics.alerts.labels(alert.kind, alert.state, str(alert.late).lower()).inc()
            return alert.model_dump_json().encode()

        return Outgoing(
            topic=around.topics.alerts(self.device_id),
            key=draft.alert_id,
            rank=draft.severity.rank,
            expires_ms=draft.expires_ms,
            qos=1,
            retain=False,
            render=render,
            ends=draft.state in (AlertState.CLEARED, AlertState.RETRACTED),
        )

    def health(self, now_ms: float) -> Health:
        """How the monitoring of this headset is doing."""
        newest, tally = self._newest, self._tally
        reasons = self._reasons
        if self._view is View.PASSTHROUGH:
            reasons = (*reasons, PASSTHROUGH_REASON)
        state = self._state
        if state is SessionState.OK and reasons:
            state = SessionState.DEGRADED
        p50 = tally.capture_to_publish.percentile(0.5, now_ms)
        p95 = tally.capture_to_publish.percentile(0.95, now_ms)
        return Health(
            epoch=self._around.epoch,
            published_ms=now_ms,
            device_id=self.device_id,
            session_id=self.session_id,
            state=state,
            reasons=reasons,
            view=self._view.value,
            capture_clock=(newest.capture_clock if newest else CaptureClock.ARRIVAL).value,
            clock_offset_ms=self._clock_offset_ms,
            received_fps=tally.received_rate.per_second(now_ms),
            analysed_fps=tally.analysed_rate.per_second(now_ms),
            frames_received=tally.received,
            frames_analysed=tally.analysed,
            frames_dropped=tally.received - tally.analysed,
            width_px=newest.picture.width_px if newest else 0,
            height_px=newest.picture.height_px if newest else 0,
            loss_ratio=newest.transport.loss_ratio if newest else 0.0,
            capture_to_publish_ms=None if p50 is None or p95 is None else Percentiles(p50=p50, p95=p95),
            second_opinion=None if self._opinions is None else self._opinions.health(),
        )

    def _publish_health(self, now_ms: float) -> None:
        self._next_health_ms = now_ms + HEALTH_INTERVAL_MS
        if self._around.current.get(self.device_id) != self.session_id:
            return

        def render(published_ms: float) -> bytes:
            return self.health(published_ms).model_dump_json().encode()

        self._around.publisher.submit(
            Outgoing(
                topic=self._around.topics.health(self.device_id),
                key=f"health/{self.device_id}",
                rank=-1,
                expires_ms=now_ms + HEALTH_KEPT_MS,
                qos=0,
                retain=True,
                render=render,
            )
        )

    def _sample_event(
        self, frame: Frame, findings: Findings, now_ms: float, spent_ms: float
    ) -> Mapping[str, JsonValue]:
        return {
            "type": "sample",
            "device_id": self.device_id,
            "session_id": self.session_id,
            "captured_ms": frame.capture_ms,
            "age_ms": frame.age_ms(now_ms),
            "spent_ms": spent_ms,
            "elements": [_element_event(element) for element in findings.elements],
            "quality": {measure.name: measure.value for measure in findings.quality},
            "stages_ms": dict(findings.stages_ms),
        }

    def _transport_healthy(self) -> bool:
        newest = self._newest
        return self._state is SessionState.OK and (newest is None or not newest.transport.damaged)


def _element_event(element: Element) -> Mapping[str, JsonValue]:
    return {
        "type": element.type.value,
        "text": element.text,
        "box": list(element.box),
        "label": element.label,
        "direction_deg": element.direction_deg,
        "claims": [claim.describe() for claim in element.claims],
        "confidence": element.confidence,
    }
