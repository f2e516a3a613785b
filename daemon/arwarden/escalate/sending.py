"""What leaves for a judge: which part of which frames, what is hidden in them, what is told beside them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

from arwarden.config import SendConfig
from arwarden.core.errors import TierError
from arwarden.core.findings import Box, Element, ElementType, FindingKind, Findings
from arwarden.core.frame import ByteImage, Frame
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import WHOLE, Fact, SentPicture

CROP_MARGIN: Final = 0.12
"""Around the virtual elements, as a share of the view: what they stand beside belongs to the question."""
CROP_LEAST: Final = 0.4
"""A crop keeps at least this share of the view's width and height."""
MAX_FACTS: Final = 24
MAX_FACT_CHARS: Final = 200

FaceFinder = Callable[[ByteImage], Sequence[Box]]
"""Boxes of the faces in an RGB picture of shape ``(height, width, 3)``, normalised."""


def prepare(
    frames: Sequence[Frame], elements: Sequence[Element], config: SendConfig, faces: FaceFinder | None
) -> tuple[SentPicture, ...]:
    """The frames as they are sent, in their order. Takes some 10 ms a frame: call it in a thread.

    Raises ``TierError`` where a picture cannot be made.
    """
    crop = crop_around(elements) if config.crop else WHOLE
    pictures = []
    for frame in frames:
        rgb = frame.picture.rgb()
        hidden = () if faces is None else faces(rgb)
        try:
            picture = make_picture(
                rgb, max_side_px=config.max_side_px, crop=crop, hidden=hidden, quality=config.jpeg_quality
            )
        except ValueError as error:
            raise TierError(f"the picture for the judge cannot be made: {error}") from error
        pictures.append(picture)
    return tuple(pictures)


def sent_size_px(frame: Frame, elements: Sequence[Element], config: SendConfig) -> tuple[int, int]:
    """Width and height that the frame will be sent in."""
    crop = crop_around(elements) if config.crop else WHOLE
    width = round(frame.picture.width_px * crop.w_norm)
    height = round(frame.picture.height_px * crop.h_norm)
    share = min(1.0, config.max_side_px / max(width, height, 1))
    return round(width * share), round(height * share)


def crop_around(elements: Sequence[Element]) -> Box:
    """The part of the view with the elements and a margin; the whole view without any."""
    if not elements:
        return WHOLE
    around = elements[0].box
    for element in elements[1:]:
        around = around.union(element.box)
    left, width = _widened(around.x_norm, around.w_norm)
    top, height = _widened(around.y_norm, around.h_norm)
    return Box(left, top, width, height)


def facts_of(findings: Findings) -> tuple[Fact, ...]:
    """What the fast tier read and found, to be quoted. Texts are cut: they come out of the picture."""
    facts = [_fact("read", e.text, e) for e in findings.elements if e.text.strip()]
    facts += [
        _fact("object to judge", e.label, e)
        if e.type is ElementType.OBJECT
        else _fact("element", f"{e.type.value} {e.label}", e)
        for e in findings.elements
        if not e.text.strip()
    ]
    facts += [
        Fact("finding", finding.message[:MAX_FACT_CHARS])
        for finding in findings.findings
        if finding.kind is not FindingKind.QUALITY
    ]
    return tuple(facts[:MAX_FACTS])


def fingerprint(picture: SentPicture) -> str:
    """What the log says about a picture that was sent, beside its size: the start of its SHA-256."""
    return hashlib.sha256(picture.jpeg).hexdigest()[:16]


def _fact(kind: str, text: str, element: Element) -> Fact:
    return Fact(kind, " ".join(text.split())[:MAX_FACT_CHARS], element.box)


def _widened(start: float, length: float) -> tuple[float, float]:
    centre = start + length / 2
    wanted = min(1.0, max(CROP_LEAST, length + 2 * CROP_MARGIN))
    return min(max(0.0, centre - wanted / 2), 1.0 - wanted), wanted
