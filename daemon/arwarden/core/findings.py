"""What a tier sees and says: elements, what they claim, what is wrong with them.

Every tier answers in these terms and everything behind the tiers takes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

NO_STAGES: Mapping[str, float] = MappingProxyType({})


class Box(NamedTuple):
    """An upright rectangle in normalised image coordinates: origin top left, x right, y down, 0..1."""

    x_norm: float
    y_norm: float
    w_norm: float
    h_norm: float

    def union(self, other: Box) -> Box:
        """The smallest box around both."""
        left = min(self.x_norm, other.x_norm)
        top = min(self.y_norm, other.y_norm)
        right = max(self.x_norm + self.w_norm, other.x_norm + other.w_norm)
        bottom = max(self.y_norm + self.h_norm, other.y_norm + other.h_norm)
        return Box(left, top, right - left, bottom - top)

    def overlap(self, other: Box) -> float:
        """Intersection over union, 0..1."""
        width = min(self.x_norm + self.w_norm, other.x_norm + other.w_norm) - max(self.x_norm, other.x_norm)
        height = min(self.y_norm + self.h_norm, other.y_norm + other.h_norm) - max(self.y_norm, other.y_norm)
        if width <= 0 or height <= 0:
            return 0.0
        shared = width * height
        return shared / (self.w_norm * self.h_norm + other.w_norm * other.h_norm - shared)


class ElementType(StrEnum):
    """What kind of thing an element is. A tier names only kinds it can tell apart."""

    TEXT = "text"
    PANEL = "panel"
    ARROW = "arrow"
    SIGN = "sign"
    """A pictogram or symbol that stands alone."""
    FLAG = "flag"
    TAG = "tag"
    OBJECT = "object"
    """One of the app's own three-dimensional objects, where the app says that it is."""


class FindingKind(StrEnum):
    """What a finding is about."""

    CONTRADICTION = "contradiction"
    INJECTION = "injection"
    """Virtual text that gives orders to whatever judges the picture."""
    QUALITY = "quality"


class Severity(StrEnum):
    """How much it matters to the wearer, least first."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for info, 1 for warning, 2 for critical."""
        return ("info", "warning", "critical").index(self.value)


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that an element says about the world: *subject* has *attribute* = *value*.

    ``polarity`` is False where the element denies it ("not made in France").
    """

    attribute: str
    value: str
    subject: str = ""
    """What it is about, in normalised words ("restroom"); empty where the element does not say."""
    polarity: bool = True
    strength: float = 1.0
    """How sure the reading of the words is, 0..1; says nothing about the world."""
    span: str = ""
    """The words the claim was read from."""
    pictured: bool = False
    """Read from a pictogram, a flag or an arrow; ``span`` then says in words what is shown."""

    def describe(self) -> str:
        """The claim in one line, as shown to a user."""
        subject = f"{self.subject}: " if self.subject else ""
        return f"{subject}{self.attribute} {'=' if self.polarity else '≠'} {self.value}"


@dataclass(frozen=True, slots=True)
class Part:
    """A pictogram or flag that an element is or carries: a flag on a panel, stairs on an arrow."""

    label: str
    """Its class ("lock", "flag:FR"), or words for a picture of no class ("word:bell off")."""
    confidence: float
    """How sure the classifier is of the class by all looks at it, 0..1."""
    box: Box | None = None
    """Where it was found on its carrier; None where the class is that of the whole element."""


def readable(label: str) -> str:
    """A label as people read it: without what kind of label it is."""
    return label.rpartition(":")[2].replace("_", " ")


@dataclass(frozen=True, slots=True)
class Element:
    """A piece of virtual content in the picture."""

    type: ElementType
    box: Box
    text: str = ""
    claims: tuple[Claim, ...] = ()
    confidence: float = 1.0
    parts: tuple[Part, ...] = ()
    """What it shows besides words, surest first."""
    direction_deg: float | None = None
    """Where an arrow points in the picture, counter-clockwise from "to the right"; None while in doubt."""
    number: int | None = None
    """The same in every sample that shows the element; None where it is not followed."""
    object_id: str = ""
    """The app's own object that it is, by the app's scene reports; empty where none is reported there."""

    @property
    def label(self) -> str:
        """The class of the pictogram or flag that it shows most surely; empty where it shows none."""
        return self.parts[0].label if self.parts else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong in one sample, with what shows it."""

    kind: FindingKind
    key: str
    """The same for the same fault in every sample, whatever the boxes and misread letters are."""
    attribute: str
    """On what the elements disagree ("origin"), or which measure is out of range ("blur")."""
    severity: Severity
    message: str
    confidence: float
    elements: tuple[Element, ...] = ()
    certain: bool = True
    """False where it is more likely than chance, but not sure enough to warn anybody by itself."""
    learned: bool = False
    """True where a learned model of sentences takes its elements to disagree, and no rule does."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measured property of the picture."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Findings:
    """A tier's answer for one sample."""

    findings: tuple[Finding, ...] = ()
    elements: tuple[Element, ...] = ()
    quality: tuple[Measure, ...] = ()
    stages_ms: Mapping[str, float] = field(default_factory=lambda: NO_STAGES)
    """Time spent per stage of the tier."""
