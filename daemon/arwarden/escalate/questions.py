"""What a judge is asked: which judgement, about which pictures, with what is known already.

The judgements are those of three papers: contradiction (ContrAR, section 5.1), placement, size and shadow
with and without adjustment (RateAR, section 4.1, appendix A.1 and A.4), and forced-choice pairs (the
psychophysics study, section "Prompt Design"). The wording lives in prompt files, not here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from arwarden.core.findings import Box

WHOLE: Final = Box(0.0, 0.0, 1.0, 1.0)
"""A picture that shows the whole frame."""
MAX_PICTURES: Final = 8
"""More than three help no model that was measured, and every one costs tokens."""


class Task(StrEnum):
    """Which judgement is asked for."""

    CONTRADICTION = "contradiction"
    """Does virtual content in the view contradict itself? Answered by a verdict."""
    PLACEMENT = "placement"
    SIZE = "size"
    SHADOW = "shadow"
    """The three are rated 1 to 5, one call each so that one factor does not colour another."""
    PLACEMENT_ADJUSTMENT = "placement_adjustment"
    SIZE_ADJUSTMENT = "size_adjustment"
    """A rating, and by how much to move or scale the object."""
    PAIRWISE = "pairwise"
    """Which of two pictures, A or B, has more contrast, more colourfulness, and is better overall."""

    @property
    def rated(self) -> bool:
        """True where the answer holds a rating of 1 to 5."""
        return self not in (Task.CONTRADICTION, Task.PAIRWISE)

    @property
    def adjusts(self) -> bool:
        """True where the answer holds an adjustment."""
        return self in (Task.PLACEMENT_ADJUSTMENT, Task.SIZE_ADJUSTMENT)


class Form(StrEnum):
    """How much a rating's prompt explains (RateAR, section 6.1). Other tasks have one form only."""

    PRIMITIVE = "primitive"
    CONTEXTUAL = "contextual"
    FEW_SHOT = "few_shot"
    """Contextual, after pictures whose ratings are given (``Question.examples``)."""


class Scale(StrEnum):
    """On what two pictures are compared."""

    CONTRAST = "contrast"
    COLOURFULNESS = "colourfulness"
    OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class SentPicture:
    """A JPEG without metadata, as it is sent, and which part of the frame it shows."""

    jpeg: bytes
    width_px: int
    height_px: int
    crop: Box = WHOLE
    """The part of the frame it was cut from, in the frame's normalised coordinates."""

    def to_frame(self, box: Box) -> Box:
        """A box in this picture's normalised coordinates, in those of the frame."""
        return Box(
            self.crop.x_norm + box.x_norm * self.crop.w_norm,
            self.crop.y_norm + box.y_norm * self.crop.h_norm,
            box.w_norm * self.crop.w_norm,
            box.h_norm * self.crop.h_norm,
        )

    def from_frame(self, box: Box) -> Box | None:
        """A box of the frame in this picture's normalised coordinates; None where it shows none of it."""
        left = max(0.0, (box.x_norm - self.crop.x_norm) / self.crop.w_norm)
        top = max(0.0, (box.y_norm - self.crop.y_norm) / self.crop.h_norm)
        right = min(1.0, (box.x_norm + box.w_norm - self.crop.x_norm) / self.crop.w_norm)
        bottom = min(1.0, (box.y_norm + box.h_norm - self.crop.y_norm) / self.crop.h_norm)
        return Box(left, top, right - left, bottom - top) if right > left and bottom > top else None


@dataclass(frozen=True, slots=True)
class Example:
    """A picture with the answer that is right for it, for the few-shot form."""

    picture: SentPicture
    content: str
    """What the virtual object is, in a few words ("a football")."""
    rating: int


@dataclass(frozen=True, slots=True)
class Fact:
    """Something the fast tier saw. Its text comes out of the picture: it is data, never an instruction."""

    kind: str
    """``read`` for text, ``element`` for an arrow, sign or flag, ``finding`` for what looked wrong."""
    text: str
    box: Box | None = None
    """Where in the frame."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question to one judge. Raises ``ValueError`` where pictures or examples do not fit the task."""

    task: Task
    pictures: tuple[SentPicture, ...]
    """Oldest first. Two for a pair: A, then B. A contradiction may be asked about by facts alone: none."""
    form: Form = Form.CONTEXTUAL
    facts: tuple[Fact, ...] = ()
    examples: tuple[Example, ...] = ()
    language: str = "English"
    """The language that explanations are written in."""
    scene: str = ""
    """The same for the same scene: questions about it share one request. Empty shares nothing."""
    defended: bool = True
    """False leaves out every defence against instructions in the picture: to measure what they are worth."""

    def limited(self, pictures: int) -> Question:
        """The same with at most this many pictures, spread evenly; a pair stays a pair.

        One is the middle one, three are the first, the middle and the last (ContrAR, section 5.1).
        """
        have = len(self.pictures)
        if self.task is Task.PAIRWISE or have <= pictures:
            return self
        if pictures == 1:
            chosen = [have // 2]
        else:
            chosen = [round(i * (have - 1) / (pictures - 1)) for i in range(pictures)]
        return replace(self, pictures=tuple(self.pictures[i] for i in chosen))

    def __post_init__(self) -> None:
        wanted = 2 if self.task is Task.PAIRWISE else None
        if wanted is not None and len(self.pictures) != wanted:
            msg = f"a pair is two pictures, A and B; {len(self.pictures)} were given"
            raise ValueError(msg)
        least = 0 if self.task is Task.CONTRADICTION else 1
        if not least <= len(self.pictures) <= MAX_PICTURES:
            msg = f"a question is about {least} to {MAX_PICTURES} pictures, not {len(self.pictures)}"
            raise ValueError(msg)
        if (self.form is Form.FEW_SHOT) != bool(self.examples):
            msg = "the few-shot form needs examples, and only that form takes them"
            raise ValueError(msg)
        if self.examples and self.task not in (Task.PLACEMENT, Task.SIZE, Task.SHADOW):
            msg = f"the task {self.task} has no few-shot form"
            raise ValueError(msg)
