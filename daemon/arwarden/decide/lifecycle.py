"""The life of an alert: raised → (confirmed | retracted) → cleared.

One alert per contradiction, not per frame. A plain object in the daemon's time: it is told what each
sample showed and answers with the messages that follow. Why the numbers are what they are is in
``docs/decisions/evidence.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from arwarden.config import AlertsConfig
from arwarden.contract.messages import Ack, AckAction, AlertState
from arwarden.core.counters import Counters
from arwarden.core.findings import NO_STAGES, Element, Finding, FindingKind, Findings
from arwarden.core.frame import Frame
from arwarden.core.opinion import Confirmation, Raised, Ruling
from arwarden.decide.draft import WARNING_STATES, AlertDraft, stamp
from arwarden.decide.evidence import Evidence, reread
from arwarden.decide.records import Pending, Record

__all__ = ["AlertDraft", "AlertLifecycle", "stamp"]

KEEP_SHARE = 0.5
"""A finding this share of ``min_confidence`` sure keeps an open alert alive, though it raises none."""
MIN_MISSES = 2
"""Samples without the finding before an alert is cleared or retracted: one unread word ends nothing."""
MAX_PENDING = 256
"""Findings that wait for evidence at most: what the picture holds is not under our control."""
CLEAR_TOLERANCE_MS = 0.01
"""Sums of differences of epoch milliseconds are exact to about 0.0002 ms each."""

ENDED_REMEMBERED = 64
"""Ended alerts whose last message a headset may still acknowledge."""
LAPSED_MS = 30_000.0
"""An alert that expired is raised again under its id within this time. On a busy machine one sample can
take as long as an alert is useful: it then ends and returns all the time, and is still one contradiction."""

_Held = TypeVar("_Held")


class AlertLifecycle:
    """The alerts of one session. Counts what it holds back, under ``alerts.*``."""

    def __init__(
        self,
        config: AlertsConfig,
        device_id: str,
        session_id: str,
        new_id: Callable[[], str],
        counters: Counters,
    ) -> None:
        self._config = config
        self._device_id = device_id
        self._session_id = session_id
        self._new_id = new_id
        self._counters = counters
        self._pending: dict[str, Pending] = {}
        self._records: dict[str, Record] = {}
        self._ended: dict[str, int] = {}
        self._lapsed: dict[str, tuple[Record, float]] = {}
        """Alerts that expired unrefuted, by key, and until when their ids are kept for them."""
        self._overruled: dict[str, float] = {}
        """Findings that a judge rejected, and until when they are not raised again."""
        self._nearly_raised = False
        self._now_ms: float | None = None
        self._healthy_ms = 0.0

    @property
    def open_alerts(self) -> int:
        """Alerts that warn now: raised or confirmed."""
        return sum(record.open for record in self._records.values())

    @property
    def open_keys(self) -> frozenset[str]:
        """Keys of the findings whose alerts warn now."""
        return frozenset(key for key, record in self._records.items() if record.open)

    @property
    def wants_evidence(self) -> bool:
        """Whether another sample would settle something, even one of an unchanged scene.

        True while a finding lacks samples to be raised, an alert lacks samples to be confirmed, or one
        that was seen before is missing in the last sample.
        """
        needed = self._config.evidence_samples
        if any(pending.evidence.balance < needed for pending in self._pending.values()):
            return True
        return any(
            record.open
            and (record.misses > 0 or (record.state is AlertState.RAISED and record.samples < 3 * needed))
            for record in self._records.values()
        )

    @property
    def nearly_raised(self) -> bool:
        """Whether the last sample showed something that further samples would raise.

        False again as soon as one does not show it: what flickers does not hurry anybody.
        """
        return self._nearly_raised

    def observe(
        self,
        findings: Findings,
        frame: Frame,
        tier: str,
        now_ms: float,
        *,
        sustained: frozenset[str] = frozenset(),
    ) -> list[AlertDraft]:
        """What follows from the tier's answer for one frame.

        ``sustained`` are the keys of alerts that this tier cannot see and whose scene is in view.
        """
        damaged = frame.transport.damaged
        self._advance(now_ms, healthy=not damaged)
        drafts: list[AlertDraft] = []
        strongest = self._strongest(findings.findings, damaged=damaged)
        for key, finding in strongest.items():
            record = self._records.get(key)
            if record is not None and record.open:
                drafts += self._seen_again(record, finding, frame, findings.stages_ms, now_ms)
            elif now_ms < self._overruled.get(key, now_ms):
                self._counters.add("alerts.overruled")
            elif not finding.certain:
                self._counters.add("alerts.uncertain")
            elif finding.confidence >= self._config.min_confidence:
                drafts += self._gather(finding, frame, tier, findings.stages_ms, now_ms)
        drafts += self._sustain(sustained, frame, tier, now_ms)
        if not damaged:
            drafts += self._not_seen(strongest, findings, frame, tier, now_ms)
        self._forget_pending(frame.capture_ms)
        self._nearly_raised = any(key in self._pending for key in strongest)
        return drafts

    def still_seen(self, now_ms: float, frame: Frame | None = None) -> list[AlertDraft]:
        """Nothing changed since the last sample: what was seen in it is still there.

        Give the unchanged ``frame``: the alerts then count as seen when it was captured, so that a stream
        that stalls ends them; without it they count as seen now. What the last sample missed stays missed,
        and under a damaged transport a standing picture proves nothing.
        """
        damaged = frame is not None and frame.transport.damaged
        self._advance(now_ms, healthy=not damaged)
        if damaged:
            return []
        drafts = []
        for record in self._records.values():
            if not record.open or record.misses > 0:
                continue
            self._mark_seen(record, frame, now_ms if frame is None else frame.capture_ms)
            if self._refresh_due(record, now_ms):
                record.stages_ms = NO_STAGES
                drafts.append(self._draft(record, "", from_sample=False))
        return drafts

    def tick(self, now_ms: float, *, transport_healthy: bool) -> list[AlertDraft]:
        """What follows from time alone: alerts end that are unseen for long, or past their expiry.

        While the transport is not healthy the time does not count as unseen, but expiry goes on.
        """
        self._advance(now_ms, healthy=transport_healthy)
        drafts = []
        for key, record in list(self._records.items()):
            if self._clear_wait_ms(record) <= CLEAR_TOLERANCE_MS:
                reason = "unseen" if record.open else "retracted"
                drafts.append(self._clear(key, reason, now_ms))
            elif now_ms >= record.expires_ms:
                if record.open:
                    self._lapsed[key] = (record, now_ms + LAPSED_MS)
                drafts.append(self._clear(key, "expired", now_ms))
        _forget(self._lapsed, now_ms, until=lambda lapsed: lapsed[1])
        return drafts

    def next_due_ms(self, now_ms: float) -> float | None:
        """When ``tick`` should be called next; None while no alert is open."""
        due_ms = [
            min(record.expires_ms, now_ms + max(0.0, self._clear_wait_ms(record)))
            for record in self._records.values()
        ]
        return min(due_ms, default=None)

    def end(self, reason: str, now_ms: float) -> list[AlertDraft]:
        """The session is over: every alert is cleared with the reason."""
        self._pending.clear()
        return [self._clear(key, reason, now_ms) for key in list(self._records)]

    def acknowledged(self, ack: Ack) -> bool:
        """Take note of a headset's answer; False where it names no alert or revision of this session.

        A dismissed or refused alert is not refreshed any more. It still tells of changes and of its end,
        and stays known, so the same fault does not come back as a new alert while it lasts.
        """
        known_alerts = [*self._records.values(), *(record for record, _ in self._lapsed.values())]
        record = next((r for r in known_alerts if r.alert_id == ack.alert_id), None)
        known = self._ended.get(ack.alert_id, 0) if record is None else record.revision
        if ack.revision > known:
            self._counters.add("acks.unknown")
            return False
        self._counters.add(f"acks.{ack.action.value}")
        if record is not None and ack.action in (AckAction.DISMISSED, AckAction.REFUSED):
            record.muted = True
        return True

    # Second opinions ------------------------------------------------------------------------------

    def unasked(self) -> list[Finding]:
        """Contradictions that warn now and that no judge was asked about."""
        return [
            record.finding
            for record in self._records.values()
            if record.open
            and record.confirmation is Confirmation.NONE
            and record.finding.kind is FindingKind.CONTRADICTION
        ]

    def asked(self, keys: Iterable[str], drafts: Sequence[AlertDraft]) -> list[AlertDraft]:
        """A judge is about to be asked about these findings: their alerts say that an answer is pending.

        ``drafts`` are the messages that have not left yet; they are returned with those that say so.
        """
        marked = list(drafts)
        for key in keys:
            record = self._records.get(key)
            if record is None or not record.open:
                continue
            record.confirmation = Confirmation.PENDING
            places = [
                at for at, draft in enumerate(marked) if draft.key == key and draft.state in WARNING_STATES
            ]
            if places:
                marked[places[-1]] = replace(marked[places[-1]], confirmation=Confirmation.PENDING)
            else:
                marked.append(self._draft(record, "second_opinion_asked", from_sample=False))
        return marked

    def amend(self, ruling: Ruling, now_ms: float) -> list[AlertDraft]:
        """What follows from a judge's answer, or from its absence. Counts ``alerts.opinion_late``."""
        drafts = []
        for key in ruling.rejected:
            self._overruled[key] = now_ms + ruling.holds_ms
            self._pending.pop(key, None)
        for keys, confirmation in (
            (ruling.confirmed, Confirmation.CONFIRMED),
            (ruling.rejected, Confirmation.REJECTED),
            (ruling.unverified, Confirmation.UNVERIFIED),
        ):
            for key in keys:
                record = self._records.get(key)
                if record is None or not record.open:
                    self._counters.add("alerts.opinion_late")
                    continue
                drafts.append(self._amended(record, confirmation, ruling, now_ms))
        for raised in ruling.raised:
            drafts += self._raise_for_judge(raised, ruling, now_ms)
        _forget(self._overruled, now_ms, until=lambda until_ms: until_ms)
        return drafts

    def _amended(
        self, record: Record, confirmation: Confirmation, ruling: Ruling, now_ms: float
    ) -> AlertDraft:
        record.confirmation, record.opinion = confirmation, ruling.opinion
        self._counters.add(f"alerts.judge_{confirmation.value}")
        reason = f"judge_{confirmation.value}"
        if confirmation is Confirmation.CONFIRMED:
            record.state = AlertState.CONFIRMED
        elif confirmation is Confirmation.REJECTED:
            record.state = AlertState.RETRACTED
            record.seen_healthy_ms = self._healthy_ms
            record.expires_ms = now_ms + self._config.usefulness_ms
        else:
            reason = ruling.why or reason
        record.stages_ms = {"judge": ruling.opinion.latency_ms}
        return self._draft(record, reason, from_sample=False, budget_ms=ruling.budget_ms)

    def _raise_for_judge(self, raised: Raised, ruling: Ruling, now_ms: float) -> list[AlertDraft]:
        """An alert that the fast tier had not raised, or not for sure."""
        finding, judged = raised.finding, ruling.judged
        known = self._records.get(finding.key)
        if known is not None and known.open:
            return [self._amended(known, Confirmation.CONFIRMED, ruling, now_ms)]
        seen = ruling.seen
        expires_ms = (now_ms if seen is None else seen.capture_ms) + self._config.usefulness_ms
        if judged is None or expires_ms <= now_ms:
            self._counters.add("alerts.expired_before_raised")
            return []
        drafts = self._make_room(finding, now_ms)
        if drafts is None:
            self._counters.add("alerts.over_limit")
            return []
        self._pending.pop(finding.key, None)
        evidence = Evidence(self._config.evidence_window_ms)
        evidence.agree(judged.capture_ms, finding.confidence)
        record = Record(
            alert_id=self._new_id(),
            finding=finding,
            tier=raised.tier,
            evidence=evidence,
            severity=finding.severity,
            first_captured_ms=judged.capture_ms,
            captured_ms=judged.capture_ms if seen is None else max(judged.capture_ms, seen.capture_ms),
            capture_clock=(seen or judged).capture_clock,
            expires_ms=expires_ms,
            seen_healthy_ms=self._healthy_ms,
            stages_ms={"judge": ruling.opinion.latency_ms},
            confirmation=Confirmation.CONFIRMED,
            opinion=ruling.opinion,
            announced_tier=ruling.opinion.judge,
        )
        self._resume(record, now_ms)
        self._records[finding.key] = record
        self._counters.add("alerts.raised")
        self._counters.add("alerts.judge_raised")
        reason = "judge_raised_late" if seen is None else "judge_raised"
        return [*drafts, self._draft(record, reason, from_sample=False, budget_ms=ruling.budget_ms)]

    def _sustain(self, keys: frozenset[str], frame: Frame, tier: str, now_ms: float) -> list[AlertDraft]:
        """Alerts of another tier live while their scene is in view, and end like others when it is not."""
        drafts = []
        for key, record in self._records.items():
            if record.tier == tier or not record.open:
                continue
            if key not in keys:
                record.misses += 1
                continue
            record.misses = 0
            self._mark_seen(record, frame, frame.capture_ms)
            if self._refresh_due(record, now_ms):
                drafts.append(self._draft(record, "", from_sample=False))
        return drafts

    # Evidence -------------------------------------------------------------------------------------

    def _strongest(self, findings: Iterable[Finding], *, damaged: bool) -> dict[str, Finding]:
        """The surest finding of each key that is sure enough to mean anything."""
        strongest: dict[str, Finding] = {}
        for finding in findings:
            if damaged and finding.kind is FindingKind.QUALITY:
                self._counters.add("alerts.quality_while_damaged")
            elif finding.confidence < KEEP_SHARE * self._config.min_confidence:
                self._counters.add("alerts.too_unsure")
            elif finding.key not in strongest or finding.confidence > strongest[finding.key].confidence:
                strongest[finding.key] = finding
        return strongest

    def _gather(
        self, finding: Finding, frame: Frame, tier: str, stages_ms: Mapping[str, float], now_ms: float
    ) -> list[AlertDraft]:
        pending = self._pending.pop(finding.key, None)
        if pending is None:
            pending = Pending(finding, tier, Evidence(self._config.evidence_window_ms))
        pending.finding, pending.tier = finding, tier
        pending.evidence.agree(frame.capture_ms, finding.confidence)
        self._pending[finding.key] = pending
        if len(self._pending) > MAX_PENDING:
            self._pending.pop(next(iter(self._pending)))
            self._counters.add("alerts.pending_dropped")
        enough = (
            pending.evidence.balance >= self._config.evidence_samples
            or finding.confidence >= self._config.instant_confidence
        )
        return self._raise(pending, frame, stages_ms, now_ms) if enough else []

    def _raise(
        self, pending: Pending, frame: Frame, stages_ms: Mapping[str, float], now_ms: float
    ) -> list[AlertDraft]:
        finding = pending.finding
        if frame.capture_ms + self._config.usefulness_ms <= now_ms:
            self._counters.add("alerts.expired_before_raised")
            return []
        drafts = self._make_room(finding, now_ms)
        if drafts is None:
            self._counters.add("alerts.over_limit")
            return []
        del self._pending[finding.key]
        record = Record(
            alert_id=self._new_id(),
            finding=finding,
            tier=pending.tier,
            evidence=pending.evidence,
            severity=finding.severity,
            first_captured_ms=pending.evidence.first_captured_ms or frame.capture_ms,
            captured_ms=frame.capture_ms,
            capture_clock=frame.capture_clock,
            expires_ms=frame.capture_ms + self._config.usefulness_ms,
            seen_healthy_ms=self._healthy_ms,
            stages_ms=stages_ms,
        )
        reason = self._resume(record, now_ms)
        self._records[finding.key] = record
        self._counters.add("alerts.raised")
        return [*drafts, self._draft(record, reason)]

    def _resume(self, record: Record, now_ms: float) -> str:
        """Go on with an alert that expired a while ago, if this is its return; returns the reason to tell.

        What the wearer and the judge have said of it still holds.
        """
        earlier, until_ms = self._lapsed.pop(record.finding.key, (None, 0.0))
        if earlier is None or now_ms > until_ms:
            return ""
        record.alert_id, record.revision, record.muted = earlier.alert_id, earlier.revision, earlier.muted
        record.first_captured_ms = earlier.first_captured_ms
        record.captured_ms = max(record.captured_ms, earlier.captured_ms)
        record.severity = max(record.severity, earlier.severity, key=lambda severity: severity.rank)
        unsaid = record.confirmation is Confirmation.NONE
        if unsaid and earlier.confirmation is not Confirmation.PENDING:  # that answer may have come to nobody
            record.confirmation, record.opinion = earlier.confirmation, earlier.opinion
        self._counters.add("alerts.returned")
        return "returned"

    def _make_room(self, finding: Finding, now_ms: float) -> list[AlertDraft] | None:
        """Clear what stands in the way of a new alert; None where all that is open is as severe."""
        if finding.key in self._records:
            return [self._clear(finding.key, "returned", now_ms)]
        if len(self._records) < self._config.max_open:
            return []
        key, least = min(
            self._records.items(),
            key=lambda item: (item[1].open, item[1].severity.rank, item[1].evidence.confidence),
        )
        if least.open and least.severity.rank >= finding.severity.rank:
            return None
        self._counters.add("alerts.displaced")
        return [self._clear(key, "displaced", now_ms)]

    def _forget_pending(self, captured_ms: float) -> None:
        """Drop what was seen too long before a sample captured then; a slow tier does not shorten that."""
        for key, pending in list(self._pending.items()):
            pending.evidence.forget_before(captured_ms)
            if pending.evidence.balance == 0:
                del self._pending[key]

    # What happens to an open alert ----------------------------------------------------------------

    def _seen_again(
        self,
        record: Record,
        finding: Finding,
        frame: Frame,
        stages_ms: Mapping[str, float],
        now_ms: float,
    ) -> list[AlertDraft]:
        record.finding = finding
        record.stages_ms = stages_ms
        record.misses = record.contradicted = 0
        record.samples += 1
        self._mark_seen(record, frame, frame.capture_ms)
        if finding.confidence >= self._config.min_confidence:
            record.agreed += 1
            record.evidence.agree(frame.capture_ms, finding.confidence)
        worse = finding.severity.rank > record.severity.rank
        if worse:
            record.severity = finding.severity
        if record.state is AlertState.RAISED and record.agreed >= self._config.evidence_samples:
            record.state = AlertState.CONFIRMED
            self._counters.add("alerts.confirmed")
            return [self._draft(record, "")]
        if worse:
            return [self._draft(record, "severity_increased")]
        return [self._draft(record, "")] if self._refresh_due(record, now_ms) else []

    def _not_seen(
        self,
        seen: Mapping[str, Finding],
        findings: Findings,
        frame: Frame,
        tier: str,
        now_ms: float,
    ) -> list[AlertDraft]:
        """Only the tier that saw it can miss it: another one may not look for such things at all."""
        for pending in self._pending.values():
            if (
                pending.finding.key not in seen
                and pending.tier == tier
                and reread(pending.finding.elements, findings.elements)
            ):
                pending.evidence.disagree(frame.capture_ms)
        drafts = []
        for key, record in self._records.items():
            if key in seen or record.tier != tier or not record.open:
                continue
            record.misses += 1
            record.samples += 1
            if self._contradicts(record, findings.elements, frame):
                drafts.append(self._retract(record, frame, findings.stages_ms, now_ms))
        return drafts

    def _contradicts(self, record: Record, elements: Sequence[Element], frame: Frame) -> bool:
        """Whether the same elements were now read often enough without the finding.

        It takes as many samples in a row as it took to get here: those that raised the alert, and those
        that confirmed it.
        """
        if not reread(record.finding.elements, elements):
            return False
        record.contradicted += 1
        record.evidence.disagree(frame.capture_ms)
        steps = 2 if record.state is AlertState.CONFIRMED else 1
        return record.contradicted >= max(MIN_MISSES, steps * self._config.evidence_samples)

    def _retract(
        self, record: Record, frame: Frame, stages_ms: Mapping[str, float], now_ms: float
    ) -> AlertDraft:
        confirmed = record.state is AlertState.CONFIRMED
        record.state = AlertState.RETRACTED
        record.stages_ms = stages_ms
        record.captured_ms, record.capture_clock = frame.capture_ms, frame.capture_clock
        record.seen_healthy_ms = self._healthy_ms
        record.expires_ms = now_ms + self._config.usefulness_ms
        self._counters.add("alerts.retracted")
        return self._draft(record, "content_changed" if confirmed else "not_confirmed")

    def _mark_seen(self, record: Record, frame: Frame | None, seen_ms: float) -> None:
        record.seen_healthy_ms = self._healthy_ms
        record.expires_ms = max(record.expires_ms, seen_ms + self._config.usefulness_ms)
        if frame is not None and frame.capture_ms >= record.captured_ms:
            record.captured_ms, record.capture_clock = frame.capture_ms, frame.capture_clock

    def _refresh_due(self, record: Record, now_ms: float) -> bool:
        if record.muted or record.expires_ms <= record.announced_expires_ms:
            return False
        return record.announced_expires_ms - now_ms < self._config.usefulness_ms / 2

    def _clear(self, key: str, reason: str, now_ms: float) -> AlertDraft:
        record = self._records.pop(key)
        record.state = AlertState.CLEARED
        record.expires_ms = now_ms + self._config.usefulness_ms
        record.stages_ms = NO_STAGES
        self._counters.add("alerts.cleared")
        draft = self._draft(record, reason, from_sample=False)
        self._ended[draft.alert_id] = draft.revision
        if len(self._ended) > ENDED_REMEMBERED:
            self._ended.pop(next(iter(self._ended)))
        return draft

    # Time and messages ----------------------------------------------------------------------------

    def _advance(self, now_ms: float, *, healthy: bool) -> None:
        if self._now_ms is not None and healthy:
            self._healthy_ms += max(0.0, now_ms - self._now_ms)
        self._now_ms = now_ms

    def _clear_wait_ms(self, record: Record) -> float:
        """Healthy time until the alert is cleared as unseen; infinite while it is seen."""
        if record.open and record.misses < MIN_MISSES:
            return float("inf")
        return record.seen_healthy_ms + self._config.clear_after_ms - self._healthy_ms

    def _draft(
        self, record: Record, reason: str, *, from_sample: bool = True, budget_ms: float | None = None
    ) -> AlertDraft:
        record.revision += 1
        record.announced_expires_ms = record.expires_ms
        finding = record.finding
        return AlertDraft(
            alert_id=record.alert_id,
            key=finding.key,
            revision=record.revision,
            state=record.state,
            reason=reason,
            device_id=self._device_id,
            session_id=self._session_id,
            kind=finding.kind,
            attribute=finding.attribute,
            severity=record.severity,
            message=finding.message,
            elements=finding.elements,
            confidence=record.evidence.confidence,
            tier=record.announced_tier or record.tier,
            first_captured_ms=record.first_captured_ms,
            captured_ms=record.captured_ms,
            capture_clock=record.capture_clock,
            expires_ms=record.expires_ms,
            budget_ms=self._config.budget_ms if budget_ms is None else budget_ms,
            stages_ms=record.stages_ms,
            from_sample=from_sample,
            confirmation=record.confirmation,
            opinion=record.opinion,
        )


def _forget(held: dict[str, _Held], now_ms: float, until: Callable[[_Held], float]) -> None:
    """Drop what has had its time, and the oldest of too many."""
    for key in [key for key, value in held.items() if until(value) <= now_ms]:
        del held[key]
    while len(held) > MAX_PENDING:
        del held[next(iter(held))]
