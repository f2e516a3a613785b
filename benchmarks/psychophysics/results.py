"""From choices to scale values, variability, position bias, and agreement with people and other judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from benchmarks.datasets.psychophysics import Renderings
from benchmarks.protocols.agreement import Coefficient, Correlation, correlate
from benchmarks.protocols.choices import (
    NO_ANSWER,
    Choices,
    PositionBias,
    Variability,
    between_judges,
    pairs,
    position_bias,
    wins,
    within_judge,
)
from benchmarks.protocols.data import Floats, UnusableData
from benchmarks.protocols.scaling import (
    AttributeWeights,
    Separability,
    agreement_by_separability,
    attribute_weights,
    case_v,
)
from benchmarks.psychophysics.ask import Order, sample_id
from benchmarks.published.tables import SCALES
from benchmarks.runs.calls import Row

SEED = 1
"""Of resampling scenes."""


@dataclass(frozen=True, slots=True)
class ScaleResult:
    """One judge on one scale. ``why`` names what could not be computed, and why."""

    method: str
    scale: str
    choices: Choices
    z: Floats | None
    """Scale values per scene, (scenes, operators)."""
    mean_z: Floats | None
    """Over all scenes, (operators,)."""
    human: Correlation | None
    """Of the scale values over all scenes with people's, as published."""
    variability: Variability | None
    bias: PositionBias | None
    separability: Separability | None
    why: tuple[str, ...]

    def as_json(self, operators: Sequence[str]) -> dict[str, Any]:
        """All but the choices, which the rows hold."""
        values = None if self.mean_z is None else dict(zip(operators, self.mean_z.tolist(), strict=True))
        return {
            "method": self.method,
            "scale": self.scale,
            "z": values,
            "human": None if self.human is None else asdict(self.human),
            "within_judge_vr": None if self.variability is None else asdict(self.variability),
            "position_bias": None if self.bias is None else asdict(self.bias),
            "separability": None if self.separability is None else asdict(self.separability),
            "why": list(self.why),
        }


@dataclass(frozen=True, slots=True)
class Between:
    """VR of two judges on one scale."""

    scale: str
    first: str
    second: str
    variability: Variability


def choices_of(
    rows: Sequence[Row], scale: str, operators: Sequence[str], scenes: Sequence[str], orders: Sequence[Order]
) -> Choices:
    """The rows of one judge as choices on a scale.

    Raises:
        UnusableData: fewer than two operators.
    """
    runs = max((row.key.repetition for row in rows), default=0) + 1
    order_pairs = pairs(operators)
    answers = np.full((runs, len(orders), len(scenes), len(order_pairs)), NO_ANSWER, dtype=np.int8)
    place = {
        sample_id(scene, first, second): (s, p)
        for s, scene in enumerate(scenes)
        for p, (first, second) in enumerate(order_pairs)
    }
    for row in rows:
        said = row.given.answer.get("choices", {})
        chosen = said.get(scale) if isinstance(said, Mapping) else None
        if chosen in {"A", "B"}:
            forward = row.key.protocol == Order.FORWARD.value
            first_won = (chosen == "A") == forward
            at = (
                row.key.repetition,
                [one.value for one in orders].index(row.key.protocol),
                *place[row.key.sample],
            )
            answers[at] = int(first_won)
    return Choices(tuple(operators), answers)


def scale_result(
    method: str, scale: str, choices: Choices, data: Renderings, scenes: Sequence[str]
) -> ScaleResult:
    """All that follows from one judge's choices on one scale."""
    why: list[str] = []
    z = mean_z = human = variability = bias = apart = None
    counted = wins(choices)
    people = data.human.get(scale)
    if people is not None:
        people = people[[data.scenes.index(scene) for scene in scenes]]
    try:
        mean_z = case_v(counted.sum(axis=0))
        z = np.array([case_v(one) for one in counted])
    except UnusableData as error:
        why.append(f"z-scores: {error}")
    if people is not None and mean_z is not None:
        human = correlate(people.mean(axis=0), mean_z, Coefficient.SRCC)
        why += [f"agreement with people: {human.why}"] if human.r is None else []
    try:
        variability = within_judge(choices)
    except UnusableData as error:
        why.append(f"variability: {error}")
    try:
        bias = position_bias(choices)
    except UnusableData as error:
        why.append(f"position bias: {error}")
    if people is not None and z is not None:
        apart = agreement_by_separability(people, z, seed=SEED)
    return ScaleResult(method, scale, choices, z, mean_z, human, variability, bias, apart, tuple(why))


def between(results: Sequence[ScaleResult]) -> list[Between]:
    """VR of every two judges on every scale; judges without a common answer are left out."""
    found = []
    for scale in SCALES:
        mine = [result for result in results if result.scale == scale]
        for one, other in combinations(mine, 2):
            try:
                found.append(
                    Between(scale, one.method, other.method, between_judges(one.choices, other.choices))
                )
            except UnusableData:
                continue
    return found


def weights(values: Mapping[str, Floats]) -> AttributeWeights | str:
    """How contrast and colourfulness weigh in overall preference; a text says why there is no answer."""
    try:
        return attribute_weights(
            *(values[scale].ravel() for scale in ("overall", "contrast", "colourfulness"))
        )
    except KeyError as error:
        return f"{error.args[0]} has no z-scores"
    except UnusableData as error:
        return str(error)
