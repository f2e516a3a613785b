"""When a judge is asked: what is uncertain, new or not understood, and was not judged already. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from arwarden.config import AskConfig
from arwarden.core.findings import Finding, FindingKind, Findings
from arwarden.escalate.answers import Answer
from arwarden.escalate.scenes import Judged, SceneMemory, Sight


class AskReason(StrEnum):
    """Why a judge is asked, the most urgent first."""

    UNSURE_ALERT = "unsure_alert"
    """An alert is out whose finding is below ``confirm_below``."""
    UNCERTAIN = "uncertain_finding"
    """The fast tier found something that is not sure enough to warn of by itself."""
    UNINTERPRETED = "uninterpreted"
    """Several virtual elements are in view that the fast tier makes nothing of."""
    NEW_SCENE = "new_scene"
    PERIODIC = "periodic"
    ADJUSTMENT = "adjustment"
    """One of the app's own objects is judged, for the adjustment loop."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the fast tier made of the newest sample."""

    sight: Sight
    findings: Findings
    doubted: tuple[str, ...] = ()
    """Keys of open alerts that no judge was asked about, whose findings are below ``confirm_below``."""

    @property
    def uncertain(self) -> tuple[Finding, ...]:
        """Contradictions that are not sure enough to warn of."""
        return tuple(
            finding
            for finding in self.findings.findings
            if not finding.certain and finding.kind is FindingKind.CONTRADICTION
        )

    @property
    def suspected(self) -> tuple[Finding, ...]:
        """The contradictions that an answer is about, whether an alert is out or not."""
        return tuple(f for f in self.findings.findings if f.kind is FindingKind.CONTRADICTION)

    @property
    def hostile(self) -> bool:
        """Whether text in view gives orders to the judge."""
        return any(finding.kind is FindingKind.INJECTION for finding in self.findings.findings)

    @property
    def uninterpreted(self) -> int:
        """Virtual elements without a claim."""
        return sum(not element.claims for element in self.findings.elements)


class AskPolicy:
    """Decides for one session."""

    def __init__(self, config: AskConfig) -> None:
        self._config = config
        self.spared = 0
        """Scenes that would have been asked about, had they not been judged already."""
        self._memory = SceneMemory(config.cool_down_ms, config.scene_bits)
        self.look: Look | None = None
        """The newest one."""
        self._since_ms = 0.0
        self._counted = False
        self._asked_ms: float | None = None
        self._not_before_ms = 0.0
        self._known_of: Sight | None = None
        self._known: Judged | None = None

    def saw(self, look: Look, now_ms: float) -> None:
        """The fast tier has judged another sample."""
        before, answer, max_bits = self.look, self.known(now_ms), self._config.scene_bits
        lapsed = answer is not None and not answer.holds_for(look.sight, max_bits)
        if before is None or lapsed or not look.sight.shown_in(before.sight, max_bits):
            self._since_ms = now_ms
            self._counted = False
        self.look = look

    def known(self, now_ms: float) -> Judged | None:
        """The answer about what is in view, where there is one that still holds."""
        if self.look is None:
            return None
        sight, known = self.look.sight, self._known
        expired = known is not None and now_ms - known.at_ms >= self._config.cool_down_ms
        if sight is not self._known_of or expired:
            # Comparing with every scene of the last minutes takes milliseconds, and this is asked often.
            self._known_of, self._known = sight, self._memory.recall(sight, now_ms)
        return self._known

    def reason(self, now_ms: float) -> AskReason | None:
        """Why a judge should be asked about what is in view now; None where it should not."""
        if self.look is None or now_ms < self._not_before_ms:
            return None
        reason = self._wanted(self.look, now_ms)
        if reason is None or self.known(now_ms) is None:
            return reason
        if not self._counted:
            self._counted = True
            self.spared += 1
        return None

    def next_due_ms(self, now_ms: float) -> float | None:
        """When ``reason`` may change by time alone; None where it will not."""
        if self.look is None or self.known(now_ms) is not None:
            return None
        due_ms = [self._since_ms + self._config.settle_ms, self._not_before_ms]
        if self._config.periodic_ms > 0:
            due_ms.append((self._asked_ms or self._since_ms) + self._config.periodic_ms)
        return min((due for due in due_ms if due > now_ms), default=None)

    def asked(self, now_ms: float) -> None:
        """A judge is asked about what is in view now."""
        self._asked_ms = now_ms

    def answered(self, sight: Sight, answer: Answer, now_ms: float) -> None:
        """A judge has answered about a view, if only that it does not know."""
        self._memory.remember(sight, answer, now_ms)
        self._known_of = None
        if self.look is not None and self.look.sight.shown_in(sight, self._config.scene_bits):
            self._counted = True

    def failed(self, now_ms: float) -> None:
        """A judge gave no answer."""
        self._not_before_ms = now_ms + self._config.retry_ms

    def _wanted(self, look: Look, now_ms: float) -> AskReason | None:
        config = self._config
        settled = now_ms - self._since_ms >= config.settle_ms
        idle_ms = now_ms - (self._since_ms if self._asked_ms is None else self._asked_ms)
        wanted = {
            AskReason.UNSURE_ALERT: bool(look.doubted),
            AskReason.UNCERTAIN: settled and config.uncertain and bool(look.uncertain),
            AskReason.UNINTERPRETED: settled and 0 < config.uninterpreted_elements <= look.uninterpreted,
            AskReason.NEW_SCENE: settled and config.new_scene and bool(look.findings.elements),
            AskReason.PERIODIC: settled and 0 < config.periodic_ms <= idle_ms,
        }
        return next((reason for reason, holds in wanted.items() if holds), None)
