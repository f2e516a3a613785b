"""The results as Markdown: the numbers beside what is aimed at, and where verdicts were lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.eval.judge import Record
from benchmarks.eval.material import Part
from benchmarks.eval.score import Evaluation, by_fault, by_group, by_stage, tally
from benchmarks.machine import Machine

WORST_KINDS = 30


@dataclass(frozen=True, slots=True)
class Target:
    """What is aimed at."""

    what: str
    path: tuple[str, ...]
    limit: float
    at_most: bool = False
    unit: str = "%"

    def met(self, value: float | None) -> bool | None:
        """None where nothing was measured."""
        if value is None:
            return None
        return value <= self.limit if self.at_most else value >= self.limit

    def shown(self, value: float | None) -> str:
        """A value in the unit of the target."""
        if value is None:
            return "-"
        return (
            f"{value:.1%}"
            if self.unit == "%"
            else f"{value:.2f} s"
            if self.unit == "s"
            else f"{value:.0f} ms"
        )


TARGETS = (
    Target("frames: accuracy", ("frames", "accuracy"), 0.90),
    Target("frames: worst application", ("frames", "by_application"), 0.85),
    Target("frames: false alarms", ("frames", "false_alarm_rate"), 0.03, at_most=True),
    Target("clips: accuracy", ("clips", "accuracy"), 0.93),
    Target("clips: median time to the alert", ("clips", "median_s_to_alert"), 1.0, at_most=True, unit="s"),
    Target("held-out kinds: accuracy", ("held_out_kinds", "accuracy"), 0.80),
    Target("held-out kinds: false alarms", ("held_out_kinds", "false_alarm_rate"), 0.05, at_most=True),
    Target("pair and attribute right", ("pair_accuracy",), 0.95),
    Target("elements: precision", ("elements", "precision"), 0.92),
    Target("elements: recall", ("elements", "recall"), 0.92),
    Target("elements: worst class", ("elements", "worst_class"), 0.80),
    Target("no virtual content: raised", ("negatives", "raised_rate"), 0.01, at_most=True),
    Target("elements, median", ("latency_ms", "elements"), 60.0, at_most=True, unit="ms"),
    Target("steady pass, p50", ("latency_ms", "steady_p50"), 80.0, at_most=True, unit="ms"),
    Target("steady pass, p95", ("latency_ms", "steady_p95"), 200.0, at_most=True, unit="ms"),
    Target("first look, median", ("latency_ms", "first_look"), 450.0, at_most=True, unit="ms"),
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What was measured on what."""

    split: str
    world: str
    """Photos or drawn rooms."""
    networks: str
    machine: Machine
    load_after: float


def value_at(values: Mapping[str, Any], target: Target) -> float | None:
    """The number a target is about; of several the least."""
    found: Any = values
    for name in target.path:
        found = found[name]
    if isinstance(found, dict):
        known = [one for one in found.values() if one is not None]
        return min(known, default=None)
    return None if found is None else float(found)


def markdown(result: Evaluation, setting: Setting) -> str:
    """The whole report."""
    return (
        "\n\n".join(
            [
                f"# Evaluation on the {setting.split} split",
                _setting(result, setting),
                _targets(result.as_json()),
                *_losses(result),
                *_groups(result, setting),
                *_elements(result),
                "## What a pass costs",
                _costs(result),
            ]
        )
        + "\n"
    )


def _setting(result: Evaluation, setting: Setting) -> str:
    judged = {part: len(result.of(part)) for part in Part} | {Part.CROWDED: result.crowded}
    counts = ", ".join(f"{count} {part.value.replace('_', ' ')}" for part, count in judged.items())
    unjudged = sum(not one.judged for one in result.records)
    machine = setting.machine
    lines = [
        f"Judged: {counts}. World: {setting.world}. Element networks: {setting.networks}.",
        f"Left out: {unjudged} clips whose pair can never be read, {result.without_room} items without room.",
        f"{machine.cpu}, {machine.cores} cores, load {machine.load_average:.1f} before and "
        f"{setting.load_after:.1f} after.",
    ]
    if result.not_reached:
        lines.append(f"Ended early: {result.not_reached} more items were asked for.")
    if max(machine.load_average, setting.load_after) > machine.cores:
        lines.append("The machine was busy: all times are upper bounds.")
    return "\n".join(lines)


def _targets(values: Mapping[str, Any]) -> str:
    rows = []
    for target in TARGETS:
        value = value_at(values, target)
        verdict = {None: "-", True: "met", False: "missed"}[target.met(value)]
        bound = ("≤ " if target.at_most else "≥ ") + target.shown(target.limit)
        rows.append((target.what, target.shown(value), bound, verdict))
    return table(("what", "measured", "target", ""), rows)


def _losses(result: Evaluation) -> Iterable[str]:
    for title, parts in (
        ("Frames", (Part.FRAMES,)),
        ("Held-out kinds", (Part.HELD_OUT,)),
        ("Clips", (Part.CLIPS,)),
    ):
        records = result.of(*parts)
        if records:
            yield f"## {title}: where verdicts are lost"
            yield _stages(records)
            yield _faults(records)
    quiet = result.of(Part.NEGATIVES, Part.RECORDINGS)
    if any(one.raised for one in quiet):
        yield "## No virtual content: what is raised"
        yield _faults(quiet)


def _stages(records: Sequence[Record]) -> str:
    counts = tally(records)
    labels = {"missed": counts.contradictory, "false alarm": counts.coherent}
    rows = [
        (sort, stage, str(count), f"{count / max(1, labels[sort]):.1%}")
        for (sort, stage), count in by_stage(records).most_common()
    ]
    found = f"{counts.found} of {counts.contradictory} found"
    alarms = f"{counts.false_alarms} false alarms of {counts.coherent}"
    return f"{found}, {alarms}.\n\n{table(('', 'lost by', 'scenes', 'of the label'), rows)}"


def _faults(records: Sequence[Record]) -> str:
    rows = [(*name, str(count)) for name, count in by_fault(records).most_common()]
    return table(("", "lost by", "what was wrong", "scenes"), rows)


def _groups(result: Evaluation, setting: Setting) -> Iterable[str]:
    frames = result.of(Part.FRAMES)
    if not frames:
        return
    for group in ("application", "form", "recipe"):
        yield f"## Frames by {group}"
        yield _tallies(frames, group)
    if setting.split != "test":
        yield f"## Frames by kind: the {WORST_KINDS} with most wrong verdicts"
        yield _tallies([one for one in frames if one.part is Part.FRAMES], "kind", most=WORST_KINDS)


def _tallies(records: Sequence[Record], group: str, most: int | None = None) -> str:
    found = by_group(records, group)
    wrong = {name: one.contradictory - one.found + one.false_alarms for name, one in found.items()}
    names = sorted(found, key=lambda name: (-wrong[name], name)) if most else list(found)
    rows = [
        (
            name,
            str(found[name].contradictory + found[name].coherent),
            f"{found[name].accuracy:.1%}",
            f"{found[name].found} of {found[name].contradictory}",
            f"{found[name].false_alarms} of {found[name].coherent}",
        )
        for name in names[:most]
        if not most or wrong[name]
    ]
    return table((group, "scenes", "accuracy", "found", "false alarms"), rows)


def _elements(result: Evaluation) -> Iterable[str]:
    boxes = result.elements.boxes()
    if not boxes.types:
        return
    yield "## Elements"
    groups = [(f"type {name}", one) for name, one in boxes.types.items()]
    groups += [(f"side {name} px", one) for name, one in boxes.sizes.items()]
    yield table(
        ("boxes at an overlap of 0.5", "there", "recall", "precision"),
        [
            (
                name,
                str(one.found + one.missed),
                f"{one.recall:.1%}",
                f"{one.precision:.1%}" if "type" in name else "-",
            )
            for name, one in groups
        ],
    )
    yield table(
        ("worst classes, found and named", "lesser of precision and recall"),
        [(name, f"{value:.1%}") for name, value in result.elements.worst()[:15]],
    )
    if result.elements.silent:
        names = ", ".join(sorted(result.elements.silent))
        yield f"Held by the weights but never said, and in no class above: {names}."


def _costs(result: Evaluation) -> str:
    by_clock, by_processor = result.latency("wall_ms"), result.latency("cpu_ms")
    rows = []
    for name in ("steady", "first_look"):
        for what, found in (("clock", by_clock[name]), ("processor", by_processor[name])):
            if found is not None:
                numbers = (f"{value:.0f} ms" for value in (found.p50, found.p95, found.worst))
                rows.append((name.replace("_", " "), what, str(found.count), *numbers))
    return table(("pass", "by", "passes", "p50", "p95", "worst"), rows)


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)
