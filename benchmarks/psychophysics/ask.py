"""Which questions a run of the suite asks, of whom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial
from itertools import combinations
from pathlib import Path
from typing import Final

from arwarden.core.errors import ConfigError, InputError
from arwarden.core.frame import ArrayPicture
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import Question, SentPicture, Task
from arwarden.headset.pictures import load_rgb
from benchmarks.datasets.psychophysics import Renderings
from benchmarks.protocols.data import UnusableData
from benchmarks.protocols.pictures import VERSION, ClassicalMeasure, value_of
from benchmarks.published.tables import SCALES
from benchmarks.runs.calls import COMPUTED, Call, Given, Key, NoAnswer
from benchmarks.runs.judging import AskedJudge, Terms
from benchmarks.runs.media import checksum_of
from benchmarks.runs.methods import Spec
from benchmarks.runs.options import RunOptions
from benchmarks.runs.plan import Plan, never

SUITE: Final = "psychophysics"
SEPARATOR: Final = "|"
"""Between scene, first and second operator in a sample's id."""


class Order(StrEnum):
    """Which picture of a pair is shown first."""

    FORWARD = "forward"
    """The paper's only one: as the operators are listed."""
    TURNED = "turned"


Ask = Callable[[Path, Path], Awaitable[Given]]


@dataclass(frozen=True, slots=True)
class _Method:
    spec: Spec
    version: str
    runs: int
    ask: Ask
    terms: Terms | None = None


def sample_id(scene: str, first: str, second: str) -> str:
    """The id of a pair, the same in both orders."""
    return SEPARATOR.join((scene, first, second))


def plan(options: RunOptions, data: Renderings, scenes: Sequence[str], orders: Sequence[Order]) -> Plan:
    """The calls. Judges are opened, unless it is a dry run: that opens nothing.

    Raises:
        ConfigError: a method cannot be used with this suite, or cannot be opened.
    """
    made = Plan(again=partial(plan, data=data, scenes=scenes, orders=orders))
    methods = [_method(spec, options, made) for spec in options.methods]
    for scene in scenes:
        for first, second in combinations(data.operators, 2):
            files = data.file(scene, first), data.file(scene, second)
            content = checksum_of(*files)
            for method in methods:
                for order in orders:
                    for repetition in range(method.runs):
                        name = sample_id(scene, first, second)
                        key = Key(
                            SUITE, name, content, method.spec.label, order.value, method.version, repetition
                        )
                        made.calls.append(_call(method, key, files, order))
    return made


def _call(method: _Method, key: Key, files: tuple[Path, Path], order: Order) -> Call:
    shown = files if order is Order.FORWARD else files[::-1]

    async def ask() -> Given:
        try:
            return await method.ask(*shown)
        except InputError as error:
            raise NoAnswer("unreadable_file", str(error)) from error
        except UnusableData as error:
            raise NoAnswer("unmeasurable", str(error)) from error

    if method.terms is None:
        return Call(key, ask)
    return Call(key, ask, method.terms.most(2), method.terms.priced)


def _method(spec: Spec, options: RunOptions, made: Plan) -> _Method:
    if spec.kind.measure:
        return _Method(spec, VERSION, 1, _measured(ClassicalMeasure(spec.kind.value)))
    if not spec.kind.judge or spec.text_only:
        raise ConfigError("--judge", [f"{spec.label}: psychophysics takes judges and classical measures"])
    terms, judge = made.judge(spec, options, pictures=2)
    version = terms.version(Task.PAIRWISE)
    if judge is None:
        return _Method(spec, version, options.runs, never, terms)
    return _Method(spec, version, options.runs, _shown_to(judge), terms)


def _shown_to(judge: AskedJudge) -> Ask:
    side_px = judge.terms.settings.send.max_side_px

    @lru_cache(maxsize=64)
    def sent(path: Path) -> SentPicture:
        return make_picture(load_rgb(path), max_side_px=side_px)

    async def ask(first: Path, second: Path) -> Given:
        pictures = await asyncio.to_thread(lambda: (sent(first), sent(second)))
        return await judge.ask(Question(Task.PAIRWISE, pictures))

    return ask


def _measured(which: ClassicalMeasure) -> Ask:
    """A measure as a judge: the same choice on every scale, as a measure knows no question."""

    @lru_cache(maxsize=4096)
    def value(path: Path) -> float:
        return value_of(ArrayPicture(load_rgb(path)), which)

    async def ask(first: Path, second: Path) -> Given:
        begun_s = time.perf_counter()
        one, other = await asyncio.to_thread(lambda: (value(first), value(second)))
        spent_ms = round((time.perf_counter() - begun_s) * 1000.0, 3)
        # Equal pictures: the first, so that the position bias shows it.
        chosen = "A" if one >= other else "B"
        answer = {"choices": dict.fromkeys(SCALES, chosen)}
        return Given(which.value, answer, COMPUTED, latency_ms=spent_ms, cost=0.0)

    return ask
