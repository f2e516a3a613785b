"""Verdicts of the daemon's own tier, sampler and life of alerts on the material, each with what was seen."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from arwarden.core.findings import Box, Element, ElementType, Finding, Findings
from arwarden.core.frame import ByteImage
from arwarden.fast.elements.detector import Detected, ElementFinder, Seen
from arwarden.fast.ocr.base import ModelFile
from arwarden.offline import OfflineAnalyser, Report, SampleReport
from benchmarks.claims.attributes import ATTRIBUTES
from benchmarks.eval.causes import TOGETHER, Cause, Engine, alarmed, alerts, missed
from benchmarks.eval.material import Moving, Part, Still
from benchmarks.eval.sight import Shown, owner, shown
from benchmarks.eval.timed import cpu_ms, wall_ms
from models.scenes.truth import ClipTruth, FrameTruth, SceneTruth

APPEARED_S = 0.6
"""A sample this soon after an element came into view is a look at something new, no steady state."""
NOT_TOGETHER = "never seen together in a sample"
NOTHING: Mapping[ElementType, Sequence[Box]] = MappingProxyType({})
TOO_SELDOM = "seen, but not in enough samples"


@dataclass(frozen=True, slots=True)
class Named:
    """Whether what was rightly raised names the right elements and what they disagree on."""

    pair_right: bool
    attribute_right: bool | None
    """None where nothing says which attributes of the claim engine are meant."""

    @property
    def right(self) -> bool:
        """Nothing is known to be wrong."""
        return self.pair_right and self.attribute_right is not False


@dataclass(frozen=True, slots=True)
class Cost:
    """What a pass took."""

    wall_ms: float
    cpu_ms: float

    @classmethod
    def of(cls, findings: Findings) -> Self:
        """Of the pass that gave these."""
        return cls(wall_ms(findings), cpu_ms(findings))


@dataclass(frozen=True, slots=True)
class Record:
    """The verdict on one item and what is to be said of it."""

    part: Part
    name: str
    truth: SceneTruth
    raised: bool
    finding: Finding | None
    """The surest that raised."""
    elements: tuple[Element, ...]
    """What was seen; of a video in the sample that the cause was looked for in."""
    forms: str
    """How the two of the pair say what they say."""
    named: Named | None = None
    """None where nothing was rightly raised."""
    cause: Cause | None = None
    """Why the verdict is wrong."""
    first_look: Cost | None = None
    steady: tuple[Cost, ...] = ()
    elements_ms: tuple[float, ...] = ()
    s_to_alert: float | None = None
    at_s: float = 0.0
    """Of a video: the time of the sample that ``elements`` are of."""

    judged: bool = True
    """False for a contradictory clip in which the pair can never be read."""

    @property
    def right(self) -> bool:
        """Whether the verdict is."""
        return self.raised == self.truth.contradictory


class RecordingFinder:
    """Passes on to the networks and remembers what they answered last."""

    def __init__(self, finder: ElementFinder, silent: Collection[str] = ()) -> None:
        """``silent``: labels that the weights hold but never say, as validation found them too unsure."""
        self._finder = finder
        self.silent = frozenset(silent)
        self.found: list[Detected] = []
        self.read: dict[tuple[float, float, float, float], Seen] = {}

    @property
    def labels(self) -> Sequence[str]:
        """What the shares stand for."""
        return self._finder.labels

    def find(self, rgb: ByteImage) -> list[Detected]:
        """The elements of a frame."""
        self.read = {}
        self.found = self._finder.find(rgb)
        return self.found

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        """What each box shows."""
        seen = self._finder.classify(rgb, boxes_px)
        self.read |= dict(zip(boxes_px, seen, strict=True))
        return seen

    def look(self, rgb: ByteImage) -> None:
        """Find and classify, for what is remembered."""
        self.classify(rgb, [one.box_px for one in self.find(rgb)])

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights."""
        return self._finder.models_in_use()


@dataclass(slots=True)
class Judge:
    """Judges items one after the other by what ``arwarden analyse`` runs."""

    analyser: OfflineAnalyser
    engine: Engine
    min_confidence: float
    finder: RecordingFinder | None = None

    def still(self, part: Part, item: Still) -> Record:
        """The verdict on a picture."""
        report = self.analyser.picture(item.rgb(), item.path.name)
        best = _best(report.findings, self.min_confidence)
        things = shown(item.truth.elements)
        spent_ms = report.last.stages_ms
        return Record(
            part=part,
            name=item.path.stem,
            truth=item.truth,
            raised=best is not None,
            finding=best,
            elements=report.last.elements,
            forms=_forms(things, item.truth),
            cause=self._cause(
                things, item.truth, report.last.elements, best, self._detected(item.truth.size_px)
            ),
            first_look=Cost.of(report.last),
            elements_ms=tuple(spent_ms[name] for name in ("elements",) if name in spent_ms),
            named=_named(things, item.truth, best),
        )

    def moving(self, part: Part, item: Moving) -> Record:
        """The verdict on a video."""
        report = self.analyser.analyse(item.path)
        raised = [
            (finding, at_s)
            for finding, at_s in zip(report.findings, report.raised_at_s, strict=True)
            if alerts(finding, 0.0)
        ]
        best = max((finding for finding, _ in raised), key=lambda finding: finding.confidence, default=None)
        truth = item.truth.scene
        things = shown(truth.elements)
        sample, moment = _telling(report, item.truth, best)
        there = shown(moment.elements) if moment is not None else things
        return Record(
            part=part,
            name=item.path.stem,
            truth=truth,
            raised=best is not None,
            finding=best,
            elements=sample.findings.elements,
            forms=_forms(things, truth),
            cause=self._cause_of_clip(report, item.truth, there, sample, best),
            first_look=Cost.of(report.samples[0].findings),
            steady=tuple(_steady(report, item.truth)),
            s_to_alert=_seconds_to_alert(report, item.truth, [at_s for _, at_s in raised]),
            at_s=sample.at_s,
            judged=not truth.contradictory or item.truth.evident_from_s is not None,
            named=_named(there, truth, best),
        )

    def _detected(self, size_px: tuple[int, int]) -> Mapping[ElementType, Sequence[Box]]:
        """What the networks found in the picture judged last."""
        width, height = size_px
        found: dict[ElementType, list[Box]] = {}
        for one in self.finder.found if self.finder is not None else ():
            x0, y0, x1, y1 = one.box_px
            box = Box(x0 / width, y0 / height, (x1 - x0) / width, (y1 - y0) / height)
            found.setdefault(ElementType(one.type), []).append(box)
        return found

    def _cause(
        self,
        things: Sequence[Shown],
        truth: SceneTruth,
        elements: Sequence[Element],
        best: Finding | None,
        detected: Mapping[ElementType, Sequence[Box]] = NOTHING,
    ) -> Cause | None:
        if truth.contradictory and best is None:
            return missed(things, elements, self.engine, detected)
        if not truth.contradictory and best is not None:
            return alarmed(things, elements, best, self.engine, truth.recipe)
        return None

    def _cause_of_clip(
        self,
        report: Report,
        truth: ClipTruth,
        there: Sequence[Shown],
        sample: SampleReport,
        best: Finding | None,
    ) -> Cause | None:
        if truth.scene.contradictory and best is None:
            times = sum(
                any(alerts(finding, self.min_confidence) for finding in one.findings.findings)
                for one in report.samples
            )
            if times:
                return Cause(TOGETHER, (TOO_SELDOM,))
            if {0, 1} - {thing.truth.index for thing in there}:
                return Cause(TOGETHER, (NOT_TOGETHER,))
        return self._cause(there, truth.scene, sample.findings.elements, best)


def _best(findings: Sequence[Finding], min_confidence: float) -> Finding | None:
    return max(
        (finding for finding in findings if alerts(finding, min_confidence)),
        key=lambda finding: finding.confidence,
        default=None,
    )


def _forms(things: Sequence[Shown], truth: SceneTruth) -> str:
    pair = [thing for thing in things if truth.pair is not None and thing.truth.index in truth.pair]
    return " / ".join(sorted(thing.form for thing in pair))


def _named(things: Sequence[Shown], truth: SceneTruth, best: Finding | None) -> Named | None:
    if best is None or not truth.contradictory or truth.pair is None:
        return None
    places = [owner(element.box, things) for element in best.elements]
    indices = {things[place].truth.index for place in places if place is not None}
    expected = None if truth.held_out_kind else ATTRIBUTES.get(truth.attribute)
    base = best.attribute.partition(".")[0]
    return Named(indices == set(truth.pair), None if expected is None else base in expected)


def _telling(
    report: Report, truth: ClipTruth, best: Finding | None
) -> tuple[SampleReport, FrameTruth | None]:
    """The sample to look for causes in, and the truth at its time.

    With a finding the first sample that shows it, else the one in which most is to be seen of the pair.
    """
    moments = [_moment(truth, sample.at_s) for sample in report.samples]
    places = range(len(report.samples))
    if best is not None:
        showing = [
            place
            for place in places
            if any(finding.key == best.key for finding in report.samples[place].findings.findings)
        ]
        place = showing[0] if showing else 0
    else:
        place = max(places, key=lambda one: (_visible(moments[one]), one))
    return report.samples[place], moments[place]


def _moment(truth: ClipTruth, at_s: float) -> FrameTruth | None:
    return min(truth.frames, key=lambda frame: abs(frame.t_s - at_s), default=None)


def _visible(moment: FrameTruth | None) -> float:
    """How much is to be seen of the one of the pair that is seen less."""
    if moment is None:
        return 0.0
    found = {one.index: one.visibility * one.opacity for one in moment.elements if one.index in {0, 1}}
    return min(found.get(0, 0.0), found.get(1, 0.0))


def _seconds_to_alert(report: Report, truth: ClipTruth, raised_at_s: Sequence[float]) -> float | None:
    """From both being readable to the alert, with the processor's time of the pass; 0 for an earlier one."""
    if not truth.scene.contradictory or truth.evident_from_s is None or not raised_at_s:
        return None
    at_s = min(raised_at_s)
    sample = max((s for s in report.samples if s.at_s <= at_s), key=lambda s: s.at_s, default=None)
    spent_ms = cpu_ms(sample.findings) if sample is not None else 0.0
    return max(0.0, at_s + spent_ms / 1000.0 - truth.evident_from_s)


def _steady(report: Report, truth: ClipTruth) -> list[Cost]:
    """What was spent on the passes over what had been in view for some time."""
    appeared_s: dict[int, float] = {}
    for frame in truth.frames:
        for element in frame.elements:
            appeared_s.setdefault(element.index, frame.t_s)
    return [
        Cost.of(sample.findings)
        for sample in report.samples[1:]
        if all(not 0.0 <= sample.at_s - at_s < APPEARED_S for at_s in appeared_s.values())
    ]
