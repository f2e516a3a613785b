"""The picture with what was found in it, and a line between the two that contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from arwarden.core.findings import Element, ElementType, Finding, Severity, readable
from arwarden.core.frame import ByteImage
from arwarden.explain.reasoning import Reasoning, alerting, same_element
from arwarden.explain.words import heading, verdict, way

Colour = tuple[int, int, int]
_Corners = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels."""
COLOURS: dict[ElementType, Colour] = {
    ElementType.TEXT: (60, 160, 255),
    ElementType.PANEL: (60, 160, 255),
    ElementType.ARROW: (255, 165, 0),
    ElementType.SIGN: (120, 215, 80),
    ElementType.FLAG: (235, 110, 230),
    ElementType.TAG: (110, 220, 220),
    ElementType.OBJECT: (200, 200, 200),
}
ALARM: dict[bool, Colour] = {True: (255, 45, 45), False: (255, 210, 60)}
"""Of contradictions that alert, and of those that are not sure enough."""
PAPER, INK, FAINT = (255, 255, 255), (25, 25, 30), (105, 105, 115)
LEAST_SIDE_PX, MOST_SIDE_PX = 960, 2560
"""The longer side of the drawn picture: small ones are enlarged, so that the labels can be read."""
MAX_LABEL = 70
MAX_LABELLED = 60
"""Elements with a line in the legend; a picture full of labels shows nothing any more."""


def explained(rgb: ByteImage, reasoning: Reasoning) -> ByteImage:
    """The annotated picture above a legend; uint8 of shape (height, width, 3), not of the size of ``rgb``."""
    picture = annotated(rgb, reasoning.elements, reasoning.findings, reasoning.threshold)
    return np.vstack([picture, _legend(reasoning, picture.shape[1])])


def annotated(
    rgb: ByteImage, elements: Sequence[Element], findings: Sequence[Finding], threshold: float
) -> ByteImage:
    """The picture with numbered elements, their type, picture, direction and text, and the contradictions."""
    canvas = _Canvas(Image.fromarray(_legible(rgb)))
    for number, element in enumerate(elements, start=1):
        canvas.element(element, number)
    # The surest last: on top.
    for finding in reversed(findings):
        if len(finding.elements) == 2:
            canvas.finding(finding, ALARM[alerting(finding, threshold)])
    return np.asarray(canvas.image)


def number_of(element: Element, elements: Sequence[Element]) -> int | None:
    """The number that an element has in the drawing."""
    return next((n for n, one in enumerate(elements, start=1) if same_element(one, element)), None)


@lru_cache(maxsize=16)
def font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The font that comes with Pillow."""
    return ImageFont.load_default(size_px)


def _legible(rgb: ByteImage) -> ByteImage:
    height_px, width_px = rgb.shape[:2]
    longer = max(height_px, width_px)
    scale = min(max(1.0, LEAST_SIDE_PX / longer), MOST_SIDE_PX / longer)
    size = (max(2, round(width_px * scale)), max(2, round(height_px * scale)))
    if size == (width_px, height_px):
        return rgb
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_NEAREST if scale > 4 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(rgb, size, interpolation=method), dtype=np.uint8)


def _unit(width_px: int) -> int:
    """The height of small writing."""
    return max(11, round(width_px / 75))


class _Canvas:
    def __init__(self, image: Image.Image) -> None:
        self.image = image
        self._draw = ImageDraw.Draw(image)
        self._unit = _unit(image.width)
        self._font = font(self._unit)

    def element(self, element: Element, number: int) -> None:
        colour = COLOURS[element.type]
        left, top, right, bottom = self._corners(element)
        self._box((left, top, right, bottom), colour, max(2, self._unit // 7))
        label = f"{number} {element.type.value}"
        shown = readable(element.label)
        label += f" [{shown}]" if shown else ""
        label += f" {way(element.direction_deg)}" if element.direction_deg is not None else ""
        above = top - self._unit * 1.35
        self._tag((left, above if above >= 0 else bottom), label, colour)

    def finding(self, finding: Finding, colour: Colour) -> None:
        unit = self._unit
        boxes = [self._corners(element) for element in finding.elements]
        grown = unit // 4
        for left, top, right, bottom in boxes:
            self._box((left - grown, top - grown, right + grown, bottom + grown), colour, max(3, grown))
        start, end = _between(boxes[0], boxes[1]), _between(boxes[1], boxes[0])
        self._draw.line((*start, *end), fill=colour, width=max(3, grown))
        values = " or ".join(_value(element) for element in finding.elements)
        label = f"{finding.attribute}: {values}"
        label = label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1] + "…"
        left = (start[0] + end[0] - self._draw.textlength(label, self._font)) / 2
        self._tag((left, (start[1] + end[1]) / 2 - unit * 0.7), label, colour)

    def _corners(self, element: Element) -> _Corners:
        x, y, w, h = element.box
        width, height = self.image.size
        return x * width, y * height, (x + w) * width, (y + h) * height

    def _box(self, corners: _Corners, colour: Colour, width: int) -> None:
        left, top, right, bottom = corners
        self._draw.rectangle(
            (left, top, max(left + 1, right), max(top + 1, bottom)), outline=colour, width=width
        )

    def _tag(self, at: tuple[float, float], text: str, colour: Colour) -> None:
        """A line of writing on a coloured ground, kept within the picture."""
        unit, (width, height) = self._unit, self.image.size
        long = self._draw.textlength(text, self._font) + unit * 0.6
        left = min(max(0.0, at[0]), max(0.0, width - long))
        top = min(max(0.0, at[1]), max(0.0, height - unit * 1.4))
        self._draw.rectangle((left, top, left + long, top + unit * 1.35), fill=colour)
        middle = (left + unit * 0.3, top + unit * 0.68)
        self._draw.text(middle, text, font=self._font, fill=INK, anchor="lm")


def _value(element: Element) -> str:
    if not element.claims:
        return "?"
    claim = element.claims[0]
    return claim.value if claim.polarity else f"not {claim.value}"


def _between(box: _Corners, other: _Corners) -> tuple[float, float]:
    """Where the line from the middle of a box to that of another leaves it."""
    middle = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    dx, dy = (other[0] + other[2]) / 2 - middle[0], (other[1] + other[3]) / 2 - middle[1]
    across = (box[2] - box[0]) / 2 / abs(dx) if dx else float("inf")
    along = (box[3] - box[1]) / 2 / abs(dy) if dy else float("inf")
    share = min(across, along, 0.5)
    return middle[0] + dx * share, middle[1] + dy * share


def _legend(reasoning: Reasoning, width_px: int) -> ByteImage:
    unit = _unit(width_px)
    lines: list[tuple[str, Colour]] = [(verdict(reasoning), _verdict_colour(reasoning))]
    for finding in reasoning.findings[:8]:
        numbers = [number_of(element, reasoning.elements) for element in finding.elements]
        names = " and ".join(str(number) for number in numbers)
        lines.append(
            (
                f"{names}: {finding.message} (confidence {finding.confidence:.2f})",
                (190, 20, 20) if finding.severity is Severity.CRITICAL else (150, 60, 0),
            )
        )
    for number, element in enumerate(reasoning.elements[:MAX_LABELLED], start=1):
        claims = "; ".join(claim.describe() for claim in element.claims) or "claims nothing"
        lines += [(f"{number}  {heading(element)}", INK), (f"      {claims}", FAINT)]
    if len(reasoning.elements) > MAX_LABELLED:
        lines.append((f"and {len(reasoning.elements) - MAX_LABELLED} more elements", FAINT))
    wrapped = [(part, colour) for line, colour in lines for part in _wrapped(line, width_px - 2 * unit, unit)]
    paper = Image.new("RGB", (width_px, round(unit * (1.4 * len(wrapped) + 1))), PAPER)
    draw = ImageDraw.Draw(paper)
    for place, (text, colour) in enumerate(wrapped):
        draw.text((unit, unit * (0.5 + 1.4 * place)), text, font=font(unit), fill=colour)
    return np.asarray(paper)


def _verdict_colour(reasoning: Reasoning) -> Colour:
    return (190, 20, 20) if reasoning.contradictory else (20, 110, 40)


def _wrapped(text: str, room_px: int, unit: int) -> list[str]:
    """Broken at spaces; a word wider than the room is left to be cut off."""
    letters = font(unit)
    indent = text[: len(text) - len(text.lstrip())]
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines[-1] else f"{indent}{word}"
        if lines[-1] and letters.getlength(longer) > room_px:
            lines.append(f"{indent}  {word}")
        else:
            lines[-1] = longer
    return lines
