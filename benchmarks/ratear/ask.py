"""Which questions a run of the suite asks, of whom: one call for each factor."""

from __future__ import annotations

import asyncio
import hashlib
import math
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from arwarden.core.errors import ConfigError, InputError
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import Example, Form, Question, SentPicture, Task
from arwarden.headset.pictures import load_rgb
from benchmarks.datasets.checks import table
from benchmarks.datasets.ratear import EXAMPLES, ExampleOf, Rated
from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.pictures import VERSION, ClassicalMeasure, value_of
from benchmarks.published.tables import FACTORS
from benchmarks.runs.calls import COMPUTED, Call, Given, Key, NoAnswer
from benchmarks.runs.judging import AskedJudge, Terms
from benchmarks.runs.media import checksum_of, shots
from benchmarks.runs.methods import Kind, Spec
from benchmarks.runs.options import RunOptions
from benchmarks.runs.plan import Plan, never

SUITE: Final = "ratear"
VIDEO_FRAMES: Final = 3
"""First, middle and last. The paper sends whole videos; the daemon's judges take pictures."""
ADJUSTMENTS: Final = {"placement": Task.PLACEMENT_ADJUSTMENT, "size": Task.SIZE_ADJUSTMENT}
"""Factors that the paper asks an adjustment for."""
AFTER: Final = "after"
"""Last part of the protocol of a rating of an adjusted sample."""

Ask = Callable[[Rated, Task, Form], Awaitable[Given]]


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked about every sample. ``media`` are ``images`` or ``videos``."""

    forms: tuple[Form, ...]
    examples: tuple[ExampleOf, ...]
    media: str
    factors: tuple[str, ...] = FACTORS
    adjust: bool = False
    """Ask judges also how they would adjust placement and size, once for each sample."""

    @property
    def pictures(self) -> int:
        """Pictures that a sample is shown as."""
        return 1 if self.media == "images" else VIDEO_FRAMES


@dataclass(frozen=True, slots=True)
class Adjusted:
    """A sample after an adjustment that a judge has proposed. ``change`` tells adjustments apart."""

    method: str
    sample: str
    factor: str
    file: Path
    change: str


@dataclass(frozen=True, slots=True)
class _Method:
    spec: Spec
    version: Callable[[Task, Form], str]
    runs: int
    forms: tuple[Form, ...]
    ask: Ask
    terms: Terms | None = None

    def call(self, key: Key, sample: Rated, task: Task, form: Form, order: Order) -> Call:
        async def ask() -> Given:
            try:
                return await self.ask(sample, task, form)
            except InputError as error:
                raise NoAnswer("unreadable_file", str(error)) from error
            except UnusableData as error:
                raise NoAnswer("unmeasurable", str(error)) from error

        if self.terms is None:
            return Call(key, ask)
        shown = order.pictures + (3 if form is Form.FEW_SHOT else 0)
        return Call(key, ask, self.terms.most(shown), self.terms.priced)


def plan(options: RunOptions, samples: Sequence[Rated], order: Order) -> Plan:
    """The calls. Judges are opened, unless it is a dry run: that opens nothing.

    Raises:
        ConfigError: a method cannot be used with this suite, or the few-shot form has no examples.
        InputError: a file of scores or examples cannot be read.
    """
    made = Plan(again=partial(plan, samples=samples, order=order))
    methods = _methods(options, order, made)
    for sample in samples:
        content = checksum_of(sample.file)
        for method in methods:
            label = method.spec.label
            for factor in order.factors:
                task = Task(factor)
                for form in method.forms:
                    for repetition in range(method.runs):
                        name, version = protocol(factor, form), method.version(task, form)
                        key = Key(SUITE, sample.id, content, label, name, version, repetition)
                        made.calls.append(method.call(key, sample, task, form, order))
            if order.adjust and method.terms is not None:
                for task in ADJUSTMENTS.values():
                    version = method.version(task, Form.CONTEXTUAL)
                    key = Key(SUITE, sample.id, content, label, task.value, version, 0)
                    made.calls.append(method.call(key, sample, task, Form.CONTEXTUAL, order))
    return made


def plan_after(options: RunOptions, adjusted: Sequence[Adjusted], order: Order) -> Plan:
    """Ratings of adjusted samples by the judges whose adjustments they are, in the first of the forms.

    Raises:
        ConfigError: as ``plan``.
    """
    made = Plan(again=partial(plan_after, adjusted=adjusted, order=order))
    methods = {method.spec.label: method for method in _methods(options, order, made)}
    form = order.forms[0]
    for one in adjusted:
        method, task = methods[one.method], Task(one.factor)
        content = f"{one.change}+{checksum_of(one.file)}"
        name, version = f"{protocol(one.factor, form)}.{AFTER}", method.version(task, form)
        for repetition in range(method.runs):
            key = Key(SUITE, one.sample, content, one.method, name, version, repetition)
            made.calls.append(method.call(key, Rated(one.sample, one.file), task, form, order))
    return made


def protocol(factor: str, form: Form) -> str:
    """The name of a factor in a form."""
    return f"{factor}.{form.value}"


def _methods(options: RunOptions, order: Order, made: Plan) -> list[_Method]:
    missing = [factor for factor in FACTORS if not any(one.factor == factor for one in order.examples)]
    if Form.FEW_SHOT in order.forms and missing:
        raise ConfigError(
            "--form few_shot", [f"{EXAMPLES} in --data has no example for {', '.join(missing)}"]
        )
    return [_method(spec, options, order, made) for spec in options.methods]


def _method(spec: Spec, options: RunOptions, order: Order, made: Plan) -> _Method:
    # A baseline knows no prompt: its numbers stand under one form only.
    if spec.kind is Kind.SCORES:
        file = Path(spec.argument)
        known = read_scores(file)
        content = f"{file.name}+{checksum_of(file)}"
        return _Method(spec, lambda *_: content, 1, (Form.CONTEXTUAL,), _looked_up(known))
    if spec.kind.measure:
        ask = _measured(ClassicalMeasure(spec.kind.value), made.turn)
        return _Method(spec, lambda *_: VERSION, 1, (Form.CONTEXTUAL,), ask)
    if not spec.kind.judge or spec.text_only:
        raise ConfigError("--judge", [f"{spec.label}: ratear takes judges, measures and scores:FILE"])
    terms, judge = made.judge(spec, options, pictures=VIDEO_FRAMES)
    version = _version(terms, order.examples)
    if judge is None:
        return _Method(spec, version, options.runs, order.forms, never, terms)
    ask = _shown_to(judge, order.examples)
    return _Method(spec, version, options.runs, order.forms, ask, terms)


def _version(terms: Terms, examples: Sequence[ExampleOf]) -> Callable[[Task, Form], str]:
    """Of a prompt, and of the examples where it shows some."""

    def version(task: Task, form: Form) -> str:
        plain = terms.version(task, form)
        if form is not Form.FEW_SHOT:
            return plain
        shown = [(one.content, one.rating, checksum_of(one.file)) for one in examples if one.factor == task]
        return f"{plain}+{hashlib.sha256(repr(shown).encode()).hexdigest()[:8]}"

    return version


def _shown_to(judge: AskedJudge, examples: Sequence[ExampleOf]) -> Ask:
    side_px = judge.terms.settings.send.max_side_px
    sent_examples: dict[Task, tuple[Example, ...]] = {}

    def examples_of(task: Task) -> tuple[Example, ...]:
        if task not in sent_examples:
            sent_examples[task] = tuple(
                Example(make_picture(load_rgb(one.file), max_side_px=side_px), one.content, one.rating)
                for one in examples
                if one.factor == task.value
            )
        return sent_examples[task]

    def prepared(file: Path, task: Task, form: Form) -> tuple[tuple[SentPicture, ...], tuple[Example, ...]]:
        shown = shots(file, VIDEO_FRAMES)
        pictures = tuple(make_picture(shot.picture.rgb(), max_side_px=side_px) for shot in shown)
        return pictures, examples_of(task) if form is Form.FEW_SHOT else ()

    async def ask(sample: Rated, task: Task, form: Form) -> Given:
        pictures, first = await asyncio.to_thread(prepared, sample.file, task, form)
        return await judge.ask(Question(task, pictures, form, examples=first))

    return ask


def _measured(which: ClassicalMeasure, turn: asyncio.Lock) -> Ask:
    """A measure as a judge: the mean over the frames that are shown, the same for every factor."""

    def value(file: Path) -> tuple[float, float]:
        pictures = [shot.picture for shot in shots(file, VIDEO_FRAMES)]
        begun_s = time.perf_counter()
        values = [value_of(picture, which) for picture in pictures]
        return sum(values) / len(values), (time.perf_counter() - begun_s) * 1000.0

    async def ask(sample: Rated, *_: object) -> Given:
        async with turn:
            found, spent_ms = await asyncio.to_thread(value, sample.file)
        answer = {"rating": round(found, 6)}
        return Given(which.value, answer, COMPUTED, latency_ms=round(spent_ms, 3), cost=0.0)

    return ask


def read_scores(path: Path) -> Mapping[tuple[str, str], float]:
    """Numbers of a baseline: a CSV file with ``id`` and a column for each factor; empty cells have no answer.

    Raises:
        InputError: the file is not as described, or a cell is no finite number.
    """
    found: dict[tuple[str, str], float] = {}
    for row in table(path, ("id", *FACTORS), ("id",)):
        for factor in FACTORS:
            cell = row.cells[factor]
            if not cell:
                continue
            try:
                value = float(cell)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                raise row.fault(factor, f"{cell!r} is no finite number; leave it empty where there is none")
            found[row.text("id"), factor] = value
    return found


def _looked_up(scores: Mapping[tuple[str, str], float]) -> Ask:
    async def ask(sample: Rated, task: Task, _: Form) -> Given:
        value = scores.get((sample.id, task.value))
        if value is None:
            raise NoAnswer("no_score", f"{sample.id} has no score for {task.value}")
        return Given("scores", {"rating": value}, COMPUTED, cost=0.0)

    return ask
