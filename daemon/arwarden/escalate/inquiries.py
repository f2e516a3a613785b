"""The second opinions of one session: what to ask next, and what an answer means by the time it is there.

A plain object in the daemon's time; asking itself is done by :mod:`arwarden.escalate.tier`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from arwarden.config import EscalateConfig
from arwarden.core.counters import Counters
from arwarden.core.findings import Finding, Findings
from arwarden.core.frame import Frame
from arwarden.core.opinion import Opinion, Ruling
from arwarden.escalate.answers import Answer, Verdict
from arwarden.escalate.budget import Budget, Estimate, Limit, Reservation, estimate
from arwarden.escalate.policy import AskPolicy, AskReason, Look
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.questions import Task
from arwarden.escalate.ruling import KEY_PREFIX, About, rule, without_answer
from arwarden.escalate.scenes import FrameWindow, Judged, Sight, sight_of
from arwarden.escalate.sending import facts_of, sent_size_px

MAX_RAISED: Final = 32


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question that is about to be asked."""

    reason: AskReason
    look: Look
    frames: tuple[Frame, ...]
    """To be sent, oldest first."""
    deadline_ms: float
    reservation: Reservation
    most: Estimate
    task: Task = Task.CONTRADICTION

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the alerts that wait for the answer."""
        return self.look.doubted

    @property
    def judged(self) -> Frame:
        """The newest frame that is sent."""
        return self.frames[-1]


@dataclass(frozen=True, slots=True)
class Terms:
    """What one daemon's sessions share: the judge's limits and prices."""

    config: EscalateConfig
    budget: Budget
    prices: PriceTable
    models: tuple[str, ...]
    """Models that may answer."""
    pictures: int
    """Pictures per question that any of the judges takes."""
    max_output_tokens: int
    judge: str
    """The configured name of the judge."""
    prompt_version: str = ""
    """Of the question, known whether anybody answers or not."""
    switched_off: str = ""
    """Why nobody can be asked at all, as a name; empty where somebody can."""

    def inquire(
        self, reason: AskReason, look: Look, frames: Sequence[Frame], now_ms: float
    ) -> Inquiry | Limit:
        """A question that the budget lets through, or the limit that it would break."""
        send = self.config.send
        facts = facts_of(look.findings) if send.facts else ()
        sizes = [sent_size_px(frame, look.findings.elements, send) for frame in frames]
        most = estimate(sizes, facts, self.max_output_tokens, self.models, self.prices)
        taken = self.budget.reserve(most, now_ms)
        if isinstance(taken, Limit):
            return taken
        return Inquiry(reason, look, tuple(frames), now_ms + self.config.deadline_ms, taken, most)


@dataclass(frozen=True, slots=True)
class Joined:
    """Alerts that a question under way is about already, so that they wait for its answer as well."""

    keys: tuple[str, ...]


@dataclass(slots=True)
class Tally:
    """What second opinions did for the session so far."""

    asked: int = 0
    confirmed: int = 0
    rejected: int = 0
    raised: int = 0
    unverified: int = 0
    late: int = 0
    tokens: int = 0
    cost: float = 0.0
    saved_calls: int = 0
    saved_cost: float = 0.0


@dataclass(slots=True)
class SessionInquiries:
    """Decides for one session; at most one question is under way."""

    terms: Terms
    tier: str
    """The name of the fast tier."""
    alert_budget_ms: float
    counters: Counters
    tally: Tally = field(default_factory=Tally)
    held_back: Limit | None = None
    pending: Inquiry | None = None
    _policy: AskPolicy = field(init=False)
    _window: FrameWindow = field(init=False)
    _newest: Frame | None = None
    _raised: dict[str, Sight] = field(default_factory=dict)
    _last_most: Estimate = field(default_factory=lambda: Estimate(0, 0))
    _spared: int = 0

    def __post_init__(self) -> None:
        config = self.terms.config
        self._policy = AskPolicy(config.ask)
        self._window = FrameWindow(config.send.window_ms, config.ask.scene_bits)

    def saw(self, frame: Frame, findings: Findings, now_ms: float) -> frozenset[str]:
        """The fast tier has judged a sample. Returns the keys of the judge's alerts that it shows."""
        sight = sight_of(frame, findings)
        self._policy.saw(Look(sight, findings), now_ms)
        self._window.add(frame, sight)
        self._newest = frame
        max_bits = self.terms.config.ask.scene_bits
        return frozenset(key for key, shown in self._raised.items() if shown.content_in(sight, max_bits))

    def unchanged(self, frame: Frame | None) -> None:
        """Nothing has changed since the last sample: this frame shows the same."""
        if frame is not None:
            self._newest = frame

    def consult(
        self, alerts: Sequence[Finding], open_keys: frozenset[str], now_ms: float
    ) -> Inquiry | Joined | Ruling | None:
        """What to ask now, or what is known or being asked already.

        ``alerts`` are the contradictions that warn now and that nobody was asked about, ``open_keys`` those
        of all alerts that warn now. An inquiry counts as under way until ``answered`` or ``failed``.
        """
        look = self._policy.look
        if look is None:
            return None
        below = self.terms.config.ask.confirm_below
        unsure = [finding.key for finding in alerts if finding.confidence < below]
        if self.pending is not None:
            return self._join(self.pending, unsure)
        in_view = look.sight.keys
        look = replace(look, doubted=tuple(key for key in unsure if key in in_view))
        self._policy.look = look
        known = self._policy.known(now_ms)
        if known is not None:
            self._note_spared(now_ms)
            return self._remembered(look, known, open_keys)
        reason = self._policy.reason(now_ms)
        if reason is None or (self.terms.switched_off and reason is not AskReason.UNSURE_ALERT):
            return None  # where nobody can answer, an alert is told so, and nothing else is worth a question
        return self._inquire(reason, look, now_ms)

    def next_due_ms(self, now_ms: float) -> float | None:
        """When ``consult`` may answer otherwise by time alone; None where it will not."""
        return None if self.pending is not None else self._policy.next_due_ms(now_ms)

    def answered(self, inquiry: Inquiry, answer: Answer, now_ms: float) -> Ruling:
        """The judge has answered. Counts ``escalate.late`` where the scene is gone by now."""
        inquiry = self._over(inquiry)
        self.tally.tokens += answer.spent.tokens_in + answer.spent.tokens_out
        self.tally.cost += answer.spent.cost or 0.0
        self._policy.answered(inquiry.look.sight, answer, now_ms)
        seen = self._still_seen(inquiry.look.sight)
        if seen is None:
            self.tally.late += 1
            self.counters.add("escalate.late")
        judged = Judged(inquiry.look.sight, answer, now_ms)
        ruling = self._rule(inquiry.look, judged, inquiry.judged, seen)
        if seen is None and answer.verdict is Verdict.YES and not ruling.raised and not ruling.confirmed:
            self.counters.add("escalate.late_dropped")
        return self._note(ruling, inquiry.look)

    def failed(self, inquiry: Inquiry, opinion: Opinion, now_ms: float) -> Ruling:
        """The judge gave no answer."""
        inquiry = self._over(inquiry)
        self._policy.failed(now_ms)
        return self._note(without_answer(inquiry.look, opinion, self._budget_ms), inquiry.look)

    @property
    def _budget_ms(self) -> float:
        return self.terms.config.deadline_ms + self.alert_budget_ms

    def _inquire(self, reason: AskReason, look: Look, now_ms: float) -> Inquiry | None:
        frames = self._window.best(self.terms.pictures)
        if not frames:
            return None
        inquiry = self.terms.inquire(reason, look, frames, now_ms)
        if isinstance(inquiry, Limit):
            if self.held_back is not inquiry:
                self.counters.add(f"escalate.held_back.{inquiry.value}")
            self.held_back = inquiry
            return None
        self.held_back = None
        self._last_most = inquiry.most
        self._policy.asked(now_ms)
        self.tally.asked += 1
        self.counters.add(f"escalate.asked.{reason.value}")
        self.pending = inquiry
        return inquiry

    def _remembered(self, look: Look, known: Judged, open_keys: frozenset[str]) -> Ruling | None:
        """What an answer that is known means for what is new since: alerts, or content that is back."""
        frame = self._newest
        if frame is None:
            return None
        ruling = self._rule(look, known, frame, frame)
        ruling = replace(
            ruling, raised=tuple(raised for raised in ruling.raised if raised.finding.key not in open_keys)
        )
        if not (ruling.confirmed or ruling.rejected or ruling.unverified or ruling.raised):
            return None
        self.counters.add("escalate.remembered")
        return self._note(ruling.without_cost(), look)

    def _rule(self, look: Look, known: Judged, judged: Frame, seen: Frame | None) -> Ruling:
        # A warning about what is gone is late whatever the judge's own deadline is.
        budget_ms = self._budget_ms if seen is not None else self.alert_budget_ms
        about = About(judged, seen, known.sight.name, self.tier, budget_ms)
        return rule(look, known.answer, self.terms.config, about)

    def _note(self, ruling: Ruling, look: Look) -> Ruling:
        tally = self.tally
        tally.confirmed += len(ruling.confirmed)
        tally.rejected += len(ruling.rejected)
        tally.raised += len(ruling.raised)
        tally.unverified += len(ruling.unverified) or (ruling.opinion.verdict == "unknown")
        for raised in ruling.raised:
            if raised.finding.key.startswith(KEY_PREFIX):
                self._raised[raised.finding.key] = look.sight
        while len(self._raised) > MAX_RAISED:
            del self._raised[next(iter(self._raised))]
        return ruling

    def _note_spared(self, now_ms: float) -> None:
        self._policy.reason(now_ms)
        if self._policy.spared > self._spared:
            self._spared = self._policy.spared
            self.tally.saved_calls += 1
            self.tally.saved_cost += self._last_most.cost
            self.terms.budget.saved(self._last_most)
            self.counters.add("escalate.known_scene")

    def _still_seen(self, sight: Sight) -> Frame | None:
        """The newest frame, if it shows what was judged."""
        look = self._policy.look
        gone = look is None or not sight.content_in(look.sight, self.terms.config.ask.scene_bits)
        return None if gone else self._newest

    def _join(self, pending: Inquiry, unsure: Sequence[str]) -> Joined | None:
        look = pending.look
        keys = tuple(key for key in unsure if key in look.sight.keys and key not in look.doubted)
        if not keys:
            return None
        self.pending = replace(pending, look=replace(look, doubted=look.doubted + keys))
        return Joined(keys)

    def _over(self, inquiry: Inquiry) -> Inquiry:
        """The question as it is now, with the alerts that joined it meanwhile."""
        pending, self.pending = self.pending, None
        return inquiry if pending is None else pending
