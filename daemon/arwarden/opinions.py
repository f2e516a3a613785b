"""Second opinions beside one headset's pipeline: asked in a task of their own, applied to its alerts.

The fast tier's messages are handed over before a judge is asked, and nothing here is awaited by the pipeline:
a judge that hangs, fails or lies changes when and how an alert is amended, and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import structlog

from arwarden.contract.messages import SecondOpinionHealth
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.findings import FindingKind, Findings
from arwarden.core.frame import Frame
from arwarden.core.opinion import Opinion, Ruling
from arwarden.decide import AlertDraft, AlertLifecycle
from arwarden.escalate.inquiries import Inquiry, Joined
from arwarden.escalate.tier import SecondOpinions
from arwarden.observe.metrics import Metrics

log = structlog.get_logger(__name__)

Submit = Callable[[Iterable[AlertDraft]], None]
NOTHING_SEEN: frozenset[str] = frozenset()
NO_ATTRIBUTE = ""


class SessionOpinions:
    """Asks about the scenes of one session, one at a time."""

    def __init__(
        self,
        opinions: SecondOpinions,
        lifecycle: AlertLifecycle,
        submit: Submit,
        *,
        tier: str,
        alert_budget_ms: float,
        clock: Clock,
        metrics: Metrics,
        counters: Counters,
    ) -> None:
        self._opinions = opinions
        self._lifecycle = lifecycle
        self._submit = submit
        self._clock = clock
        self._metrics = metrics
        self._counters = counters
        self._inquiries = opinions.session(tier, alert_budget_ms)
        self.task: asyncio.Task[None] | None = None
        """The question under way."""

    def saw(self, frame: Frame, findings: Findings, now_ms: float) -> frozenset[str]:
        """The fast tier has judged a sample. Returns the keys of the judge's alerts that it shows."""
        try:
            return self._inquiries.saw(frame, findings, now_ms)
        except Exception:
            self._counters.add("escalate.faults")
            log.exception("second_opinion_fault", where="saw")
            return NOTHING_SEEN

    def unchanged(self, frame: Frame | None) -> None:
        """Nothing has changed since the last sample."""
        self._inquiries.unchanged(frame)

    def consult(self, drafts: Sequence[AlertDraft], now_ms: float) -> None:
        """Hand the fast tier's messages over, and ask about what is in view where that is worth it."""
        try:
            consulted = self._inquiries.consult(self._lifecycle.unasked(), self._lifecycle.open_keys, now_ms)
        except Exception:
            self._counters.add("escalate.faults")
            log.exception("second_opinion_fault", where="consult")
            consulted = None
        if isinstance(consulted, Inquiry):
            self._submit(self._lifecycle.asked(consulted.keys, drafts))
            self.task = asyncio.create_task(self._ask(consulted), name="second-opinion")
            return
        if isinstance(consulted, Joined):
            self._submit(self._lifecycle.asked(consulted.keys, drafts))
            return
        self._submit(drafts)
        if isinstance(consulted, Ruling):
            self._apply(consulted, now_ms)

    def cancel(self) -> None:
        """The session is over: an answer that is still awaited would come to nothing."""
        if self.task is not None:
            self.task.cancel()

    def next_due_ms(self, now_ms: float) -> float | None:
        """When ``consult`` should be called though nothing has happened; None where it need not be."""
        return self._inquiries.next_due_ms(now_ms)

    def health(self) -> SecondOpinionHealth:
        """What was asked, answered and spent for this session."""
        inquiries, tally = self._inquiries, self._inquiries.tally
        return SecondOpinionHealth(
            judge=inquiries.terms.judge,
            pending=inquiries.pending is not None,
            asked=tally.asked,
            confirmed=tally.confirmed,
            rejected=tally.rejected,
            raised=tally.raised,
            unverified=tally.unverified,
            late=tally.late,
            tokens=tally.tokens,
            cost=tally.cost,
            saved_calls=tally.saved_calls,
            saved_cost=tally.saved_cost,
            held_back=inquiries.terms.switched_off
            or (inquiries.held_back.value if inquiries.held_back else ""),
        )

    async def _ask(self, inquiry: Inquiry) -> None:
        try:
            reply = await self._opinions.ask(inquiry)
            now_ms = self._clock.now_ms()
            if reply.answer is None:
                ruling = self._inquiries.failed(inquiry, reply.opinion, now_ms)
            else:
                ruling = self._inquiries.answered(inquiry, reply.answer, now_ms)
            self._apply(ruling, now_ms)
            self._measure(ruling.opinion)
        except Exception:
            # A fault over a second opinion must not end the watch over the headset.
            self._counters.add("escalate.faults")
            log.exception("second_opinion_fault", where="answer")
        finally:
            self._inquiries.pending = None
            self.task = None

    def _apply(self, ruling: Ruling, now_ms: float) -> None:
        drafts = self._lifecycle.amend(ruling, now_ms)
        judge = ruling.opinion.judge
        for draft in drafts:
            if draft.opinion is ruling.opinion:
                outcome = "raised" if draft.revision == 1 else draft.confirmation.value
                self._metrics.opinions.labels(judge, draft.kind.value, draft.attribute, outcome).inc()
        if not drafts:
            outcome = {"no": "agreed", "yes": "too_late"}.get(ruling.opinion.verdict, "unanswered")
            kind = FindingKind.CONTRADICTION.value
            self._metrics.opinions.labels(judge, kind, NO_ATTRIBUTE, outcome).inc()
        self._submit(drafts)

    def _measure(self, opinion: Opinion) -> None:
        self._metrics.judge_s.labels(opinion.judge, opinion.verdict).observe(opinion.latency_ms / 1000.0)
