"""What is known about a generated scene, as plain data that goes to and from JSON.

Boxes are ``(x, y, width, height)`` and quads four ``(x, y)`` corners (top left, top right, bottom right,
bottom left of the element itself), all in shares of the picture, origin top left, y down. A box is
around what is visible; a quad is the whole element and may leave 0..1. Directions are degrees in the
picture, counter-clockwise from "to the right": 0 right, 90 up, 180 left, 270 down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

Box = tuple[float, float, float, float]
Quad = tuple[tuple[float, float], ...]

FORMAT = 1
"""Counts up when a field of the JSON changes its meaning."""


@dataclass(frozen=True, slots=True)
class ClaimTruth:
    """One thing an element says: topic, subject (empty where it is left open), attribute and value."""

    topic: str
    subject: str
    attribute: str
    value: str


@dataclass(frozen=True, slots=True)
class ElementTruth:
    """One virtual element, or a text or picture that another element carries."""

    index: int
    kind: str
    """``panel``, ``arrow``, ``sign``, ``flag``, ``text`` and whatever else the painters draw."""
    cls: str
    text: str
    box: Box
    quad: Quad
    visibility: float
    """Share of the element's own area that is in view and not covered, 0..1."""
    direction_deg: float | None = None
    """As seen in this picture, after perspective; arrows only."""
    carried_by: int | None = None
    """Index of the element that this one is printed on."""
    claims: tuple[ClaimTruth, ...] = ()
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class SceneTruth:
    """Everything about one picture."""

    id: str
    split: str
    application: str
    contradictory: bool
    kind: str
    """The kind of contradiction, or the kind that the agreeing pair is about; empty for negatives."""
    attribute: str
    recipe: str
    """How the pair was made: ``contradiction``, or which hard negative."""
    pair: tuple[int, int] | None
    """Indices of the two elements that disagree; of those that could be taken to where they do not."""
    elements: tuple[ElementTruth, ...]
    size_px: tuple[int, int]
    background: str = ""
    held_out_kind: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class FrameTruth:
    """One frame of a clip: the elements in view, by index."""

    t_s: float
    elements: tuple[ElementTruth, ...]


@dataclass(frozen=True, slots=True)
class ClipTruth:
    """Everything about one clip. ``scene.elements`` holds each element at its most visible."""

    scene: SceneTruth
    fps: float
    pattern: str
    """``together``, ``appearing``, ``leaving``, ``alternating`` or ``replaced``."""
    evident_from_s: float | None
    """When both elements of the pair have been in view and readable for the first time."""
    frames: tuple[FrameTruth, ...] = field(default=())


def to_json(truth: SceneTruth | ClipTruth) -> dict[str, Any]:
    """The truth as JSON values."""
    return {"format": FORMAT, **_rounded(asdict(truth))}


def scene_from_json(values: Mapping[str, Any]) -> SceneTruth:
    """Read what ``to_json`` wrote. Raises ``ValueError`` for another format."""
    _check_format(values)
    return _scene(values)


def clip_from_json(values: Mapping[str, Any]) -> ClipTruth:
    """Read what ``to_json`` wrote. Raises ``ValueError`` for another format."""
    _check_format(values)
    frames = tuple(
        FrameTruth(float(frame["t_s"]), tuple(_element(one) for one in frame["elements"]))
        for frame in values["frames"]
    )
    return ClipTruth(
        scene=_scene(values["scene"]),
        fps=float(values["fps"]),
        pattern=str(values["pattern"]),
        evident_from_s=values["evident_from_s"],
        frames=frames,
    )


def _check_format(values: Mapping[str, Any]) -> None:
    if values.get("format") != FORMAT:
        msg = (
            f"truth of format {values.get('format')!r}; this version reads format {FORMAT}: generate it anew"
        )
        raise ValueError(msg)


def _scene(values: Mapping[str, Any]) -> SceneTruth:
    pair = values["pair"]
    plain = {name: value for name, value in values.items() if name not in {"format", "elements"}}
    return SceneTruth(
        **{
            **plain,
            "pair": None if pair is None else (int(pair[0]), int(pair[1])),
            "size_px": (int(values["size_px"][0]), int(values["size_px"][1])),
            "elements": tuple(_element(one) for one in values["elements"]),
        }
    )


def _element(values: Mapping[str, Any]) -> ElementTruth:
    x, y, width, height = values["box"]
    return ElementTruth(
        **{
            **values,
            "box": (x, y, width, height),
            "quad": tuple((x, y) for x, y in values["quad"]),
            "claims": tuple(ClaimTruth(**claim) for claim in values["claims"]),
        }
    )


def _rounded(value: Any) -> Any:  # noqa: ANN401 - walks any JSON value
    if isinstance(value, float):
        return round(value, 5)
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(part) for part in value]
    return value
