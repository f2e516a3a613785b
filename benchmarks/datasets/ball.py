"""A drawn basketball whose faults are known, so that an adjustment can be carried out and looked at again."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

import cv2
import numpy as np

from arwarden.core.errors import InputError
from arwarden.core.frame import ByteImage
from arwarden.escalate.answers import Adjustment
from benchmarks.datasets.drawing import margin_px, swaying
from benchmarks.published.tables import FACTORS

TRUTH: Final = "scenes.json"
"""Beside the scores of a generated set: what was drawn."""
BALL_M: Final = 0.24
"""Diameter of a basketball, and of one of the right size here."""
STOOL_M: Final = 0.45
"""Height of the stool beside it, by which its size can be judged."""
VIEW_M: Final = 2.2
"""What the height of a picture spans at the ball's distance."""
HIGHEST_M: Final = 0.7
WORST_FACTOR: Final = 3.5
GROUND: Final = 0.78
"""Where the ball touches the floor, as a share of the picture's height."""
HORIZON: Final = 0.55

_Rng = np.random.Generator
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Faults:
    """How wrong a picture is in each factor, 0 (not at all) to 1."""

    placement: float
    size: float
    shadow: float


@dataclass(frozen=True, slots=True)
class Ball:
    """One scene. Colours are RGB."""

    wall: Colour
    floor: Colour
    orange: Colour
    across: float
    """Where the ball stands, as a share of the picture's width."""
    lift_m: float
    """How far it floats; below 0: how deep it is sunk into the floor."""
    scale: float
    """Of its right size."""
    light: float
    """-1: from the left, 1: from the right."""
    shadow_fault: float
    """0: the shadow falls away from the light, 1: towards it."""

    @classmethod
    def drawn(cls, rng: _Rng, faults: Faults) -> Self:
        """A scene that is wrong as ``faults`` say, and chance in everything else."""
        wall, floor = (_colour(rng, low, 60) for low in (150, 90))
        scale = math.exp(math.log(WORST_FACTOR) * faults.size * (1 if rng.random() < 0.5 else -1))
        sunk = faults.placement > 0 and rng.random() < 0.25
        return cls(
            wall=wall,
            floor=floor,
            orange=(210 + int(rng.integers(0, 30)), 100 + int(rng.integers(0, 30)), 40),
            across=float(rng.uniform(0.3, 0.7)),
            lift_m=-faults.placement * BALL_M * scale if sunk else faults.placement * HIGHEST_M,
            scale=scale,
            light=float(rng.choice([-1.0, 1.0])),
            shadow_fault=faults.shadow,
        )

    @property
    def faults(self) -> Faults:
        """How wrong it is. A ball outside the picture could not be placed worse."""
        depth = self.lift_m / HIGHEST_M if self.lift_m >= 0 else -self.lift_m / (BALL_M * self.scale)
        placed = 1.0 if not 0 <= self.across <= 1 else min(1.0, depth)
        return Faults(placed, min(1.0, abs(math.log(self.scale)) / math.log(WORST_FACTOR)), self.shadow_fault)

    def adjusted(self, change: Adjustment, aspect: float) -> Ball:
        """The same after an adjustment; ``aspect`` is the picture's width over its height."""
        return replace(
            self,
            across=self.across + change.right_m / (VIEW_M * aspect),
            lift_m=self.lift_m + change.up_m,
            scale=self.scale * change.scale,
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """What was drawn for a set: the seed of its annotators, and the scenes by id."""

    seed: int
    balls: Mapping[str, Ball]


def picture_of(ball: Ball, size_px: tuple[int, int], margin: int = 0, *, empty: bool = False) -> ByteImage:
    """RGB of (height, width, 3), ``margin`` px more on each side; ``empty``: the room without the ball."""
    width, height = size_px
    m = margin
    rgb = np.full((height + 2 * m, width + 2 * m, 3), ball.wall, dtype=np.uint8)
    horizon, ground = m + round(height * HORIZON), m + round(height * GROUND)
    rgb[horizon:] = ball.floor
    darker = tuple(max(0, part - 25) for part in ball.floor)
    for line in np.linspace(-1.6, 2.6, 22):
        foot = m + round(width / 2 + (line - 0.5) * width * (height + m) / height)
        cv2.line(rgb, (m + width // 2, horizon), (foot, height + 2 * m), darker, 2)
    px_per_m = height / VIEW_M
    _stool(rgb, (m + round(width * (0.85 if ball.across < 0.5 else 0.15)), ground), px_per_m)
    radius = max(3, round(BALL_M * ball.scale * px_per_m / 2))
    foot = m + round(width * ball.across)
    if empty:
        return rgb
    rgb = _shaded(rgb, ball, (foot, ground), radius)
    clear = rgb.copy()
    centre = (foot, ground - radius - round(ball.lift_m * px_per_m))
    _basketball(rgb, centre, radius, ball)
    if ball.lift_m < 0:  # the floor hides what is sunk
        rgb[ground:] = clear[ground:]
    return rgb


def frames_of(ball: Ball, size_px: tuple[int, int], count: int) -> Iterator[ByteImage]:
    """The same seen by a camera that sways: ``count`` pictures of RGB."""
    return swaying(picture_of(ball, size_px, margin_px(size_px)), size_px, count)


def write_truth(folder: Path, truth: Truth) -> None:
    """Write what was drawn."""
    content = {"seed": truth.seed, "balls": {name: asdict(ball) for name, ball in truth.balls.items()}}
    (folder / TRUTH).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def read_truth(folder: Path) -> Truth | None:
    """What was drawn for a set; None where it has no file of it.

    Raises:
        InputError: the file cannot be read; generate the set anew.
    """
    path = folder / TRUTH
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Truth(int(content["seed"]), {name: _ball(each) for name, each in content["balls"].items()})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(str(path), f"holds no scenes ({error}); generate the set anew") from None


def single_fault(factor: str, amount: float) -> Faults:
    """Wrong in one factor only."""
    return Faults(**{name: amount if name == factor else 0.0 for name in FACTORS})


def _ball(members: Mapping[str, Any]) -> Ball:
    values: dict[str, Any] = {
        key: tuple(part) if isinstance(part, list) else part for key, part in members.items()
    }
    return Ball(**values)


def _colour(rng: _Rng, low: int, span: int) -> Colour:
    red, green, blue = (int(part) for part in rng.integers(low, low + span, 3))
    return red, green, blue


def _stool(rgb: ByteImage, foot: tuple[int, int], px_per_m: float) -> None:
    x, ground = foot
    top, half = ground - round(STOOL_M * px_per_m), round(0.17 * px_per_m)
    thick = max(1, round(0.04 * px_per_m))
    for leg in (-half, half - thick):
        cv2.rectangle(rgb, (x + leg, top), (x + leg + thick, ground), (110, 75, 45), -1)
    cv2.rectangle(rgb, (x - half, top - thick), (x + half, top + thick), (130, 90, 55), -1)


def _shaded(rgb: ByteImage, ball: Ball, foot: tuple[int, int], radius: int) -> ByteImage:
    reach = 1.3 * radius * (1 - 2 * ball.shadow_fault)
    centre = (round(foot[0] - ball.light * reach), foot[1])
    shade = rgb.copy()
    cv2.ellipse(shade, centre, (round(1.2 * radius), max(2, radius // 3)), 0, 0, 360, (25, 25, 25), -1)
    return cv2.addWeighted(shade, 0.6, rgb, 0.4, 0.0).astype(np.uint8)


def _basketball(rgb: ByteImage, centre: tuple[int, int], radius: int, ball: Ball) -> None:
    cv2.circle(rgb, centre, radius, ball.orange, -1, cv2.LINE_AA)
    dark, thick = (50, 30, 20), max(1, radius // 14)
    cv2.circle(rgb, centre, radius, dark, thick, cv2.LINE_AA)
    cv2.line(rgb, (centre[0] - radius, centre[1]), (centre[0] + radius, centre[1]), dark, thick, cv2.LINE_AA)
    for squeezed in (0, radius // 2):
        cv2.ellipse(rgb, centre, (squeezed, radius), 0, 0, 360, dark, thick, cv2.LINE_AA)
    shine = (round(centre[0] + ball.light * radius * 0.45), round(centre[1] - radius * 0.45))
    cv2.circle(rgb, shine, max(1, radius // 5), (250, 240, 225), -1, cv2.LINE_AA)
