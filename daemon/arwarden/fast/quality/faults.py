"""Which measured values are faults, and what to say about them.

The thresholds are data (``thresholds.json``, written by ``python -m models.quality.fit``). A fault's
confidence is a logistic curve over the logarithm of its measure: 0.5 at the threshold, 0.95 at most,
so that no single sample raises an alert by itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from arwarden.core.errors import ModelError
from arwarden.core.findings import Finding, FindingKind, Measure, Severity
from arwarden.core.frame import TransportHealth
from arwarden.fast.quality import measures

MAX_CONFIDENCE = 0.95
"""Below the confidence at which alerts are raised from one sample: a picture can be bad for a moment."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A technical fault: the measure that shows it and the sentence that tells it."""

    name: str
    measure: str
    severity: Severity
    message: str
    """A sentence with ``{value}`` for the measured value."""
    depends_on_size: bool = False
    """Whether a sender that scales its picture down, or has just changed its size, shows the same."""


FAULTS: tuple[Fault, ...] = (
    Fault(
        "black",
        measures.HIGHLIGHT,
        Severity.WARNING,
        "The picture is black: the camera may be covered, or nothing is drawn.",
    ),
    Fault(
        "underexposed",
        measures.HIGHLIGHT,
        Severity.WARNING,
        "The picture is too dark: its brightest parts reach only level {value:.0f} of 255.",
    ),
    Fault(
        "overexposed",
        measures.CLIPPED_SHARE,
        Severity.WARNING,
        "The picture is too bright: {value:.0%} of it is plain white.",
    ),
    Fault(
        "blur",
        measures.EDGE_WIDTH,
        Severity.WARNING,
        "The picture is blurred: its sharpest edges are {value:.1f} px wide (at 640 px).",
        depends_on_size=True,
    ),
    Fault(
        "noise",
        measures.NOISE,
        Severity.WARNING,
        "The picture is noisy: its noise has a deviation of {value:.0f} grey levels.",
        depends_on_size=True,
    ),
    Fault(
        "blockiness",
        measures.BLOCKINESS,
        Severity.WARNING,
        "The picture shows coding blocks: steps at block borders are {value:.1f} times the others.",
        depends_on_size=True,
    ),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """Where a measured value becomes a fault, and how fast doubt goes away beyond it."""

    value: float
    """The value with confidence 0.5, in the unit of the measure; not negative."""
    slope: float
    """Steepness over ``log1p`` of the value; negative where low values are the fault."""

    def confidence(self, value: float) -> float:
        """How sure it is that this value is a fault, 0..1."""
        exponent = self.slope * (math.log1p(value) - math.log1p(self.value))
        return 1.0 / (1.0 + math.exp(min(700.0, max(-700.0, -exponent))))


Thresholds = Mapping[str, Threshold]


def read_thresholds(path: Path | None = None) -> Thresholds:
    """The thresholds of a file, or those shipped with the package. Raises ``ModelError``, which says why."""
    source = path if path is not None else resources.files(__package__) / "thresholds.json"
    try:
        entries = json.loads(source.read_text(encoding="utf-8"))["faults"]
        read = {
            fault.name: Threshold(
                float(entries[fault.name]["threshold"]), float(entries[fault.name]["slope"])
            )
            for fault in FAULTS
        }
    except OSError as error:
        raise ModelError(f"quality thresholds {source}: cannot be read: {error}") from error
    except KeyError as error:
        raise ModelError(f"quality thresholds {source}: {error} is missing; fit them again") from error
    except (TypeError, ValueError) as error:
        raise ModelError(f"quality thresholds {source}: not a file of thresholds: {error}") from error
    for name, threshold in read.items():
        if not (0 <= threshold.value < math.inf and 0 < abs(threshold.slope) < math.inf):
            raise ModelError(f"quality thresholds {source}: {name} is out of range: {threshold}")
    return read


class QualityJudge:
    """Says which measured values are faults. Holds no state between pictures."""

    def __init__(self, thresholds: Thresholds | None = None) -> None:
        self._thresholds = thresholds if thresholds is not None else read_thresholds()

    def judge(
        self, measured: Sequence[Measure], transport: TransportHealth, *, size_settled: bool = True
    ) -> tuple[Finding, ...]:
        """The faults in one picture, each with a confidence of 0.5 or more.

        Nothing is found while the transport may have spoilt the picture. While ``size_settled`` is False
        (see ``SizeWatch``), blur, noise and blocks are not judged: a sender that starts small or saves
        bits shows them too. A black picture is black and nothing else.
        """
        if transport.damaged:
            return ()
        values = {one.name: one.value for one in measured}
        found: list[Finding] = []
        for fault in FAULTS:
            value = values.get(fault.measure)
            if value is None or not math.isfinite(value) or (fault.depends_on_size and not size_settled):
                continue
            confidence = self._thresholds[fault.name].confidence(value)
            if confidence >= 0.5:
                found.append(_finding(fault, value, confidence))
            if fault.name == "black" and found:
                break
        return tuple(found)


def _finding(fault: Fault, value: float, confidence: float) -> Finding:
    return Finding(
        kind=FindingKind.QUALITY,
        key=f"quality:{fault.name}",
        attribute=fault.name,
        severity=fault.severity,
        message=fault.message.format(value=value),
        confidence=min(MAX_CONFIDENCE, confidence),
    )
