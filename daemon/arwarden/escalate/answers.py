"""What a judge says, in our terms: whatever endpoint or model it came from, and however it was worded."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from arwarden.core.findings import Box
from arwarden.escalate.questions import Scale, Task

MAX_REASON_CHARS: Final = 1000
"""Longer reasons are cut: an alert has no room for more and a rambling model would fill any."""


class Verdict(StrEnum):
    """Whether virtual content contradicts itself. What cannot be read is unknown, never "no"."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class ParseStatus(StrEnum):
    """How an answer was read."""

    STRICT = "strict"
    """It was exactly what the schema asks for."""
    TOLERANT = "tolerant"
    """It was understood, yet not in the form asked for."""
    UNREADABLE = "unreadable"
    """It could not be understood; ``Answer.problem`` says why."""


@dataclass(frozen=True, slots=True)
class NamedElement:
    """Virtual content that a judge names as part of its reason."""

    text: str
    """What it is or says, in the judge's words. Hostile like any text out of a picture."""
    box: Box | None = None
    """In the frame's normalised coordinates; absent where the judge gave none, or nonsense."""


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What to do to an object, with the contract's signs: zero, zero and one keep it as it is."""

    right_m: float = 0.0
    """Metres to the wearer's right, -1..1."""
    up_m: float = 0.0
    """Metres upwards, -1..1. The paper's prompt counts downwards; it is turned round when it is read."""
    scale: float = 1.0
    """Factor, 0.01..2."""
    clamped: bool = False
    """True where the judge's number lay outside the range."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Which of two pictures has more of something."""

    scale: Scale
    choice: str
    """``A`` or ``B``."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a question cost. Tokens are 0 where the endpoint does not report them."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = None
    """In the currency of the price table; absent where it has no price for the model."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer says, apart from who gave it and what it cost."""

    parse: ParseStatus
    verdict: Verdict = Verdict.UNKNOWN
    """Yes or no for a contradiction question that was understood; unknown for everything else."""
    reason: str = ""
    """The judge's own words, without control characters, at most ``MAX_REASON_CHARS``."""
    problem: str = ""
    """Why the answer is unreadable or incomplete, as a name: ``empty``, ``refused``, ``no_verdict``."""
    elements: tuple[NamedElement, ...] = ()
    rating: float | None = None
    """1..5 where one was asked for and given."""
    adjustment: Adjustment | None = None
    comparisons: tuple[Comparison, ...] = ()

    @property
    def readable(self) -> bool:
        """True where it says what was asked for."""
        return self.parse is not ParseStatus.UNREADABLE


@dataclass(frozen=True, slots=True)
class Answer:
    """A judge's answer to one question."""

    judge: str
    """The configured name of the judge that answered; behind a fallback, the one that did."""
    model: str
    task: Task
    prompt_version: str
    """Name, version and hash of the prompt file, for example ``contradiction@1+3f0c21aa``."""
    judgement: Judgement
    latency_ms: float
    """From the question to the parsed answer, attempts that failed included."""
    spent: Spent = Spent()
    failed: tuple[str, ...] = ()
    """Judges that were asked before and failed, each as ``name: reason``."""
    uncounted: bool = False
    """True where one of them was given up after it was asked: nobody tells what that has cost."""

    @property
    def verdict(self) -> Verdict:
        """The judgement's verdict."""
        return self.judgement.verdict
