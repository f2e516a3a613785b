"""Which questions a run of the suite asks, of whom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from arwarden.core.counters import Counters
from arwarden.core.errors import ConfigError, InputError
from arwarden.escalate.pictures import make_picture
from arwarden.escalate.questions import Fact, Question, SentPicture, Task
from arwarden.escalate.sending import MAX_FACT_CHARS, MAX_FACTS
from arwarden.fast.ocr.auto import open_reader
from arwarden.fast.ocr.base import TextReader
from benchmarks.contrar.layouts import Layout, Protocol
from benchmarks.datasets.contrar import Video
from benchmarks.runs.calls import Call, Given, Key, NoAnswer
from benchmarks.runs.fast import AskedFastTier
from benchmarks.runs.judging import AskedJudge, Terms
from benchmarks.runs.media import Shot, checksum_of, shots
from benchmarks.runs.methods import Kind, Spec
from benchmarks.runs.options import RunOptions
from benchmarks.runs.plan import Plan, never

SUITE: Final = "contrar"
FULL_OF_TEXT: Final = (Fact("read", "x" * MAX_FACT_CHARS),) * MAX_FACTS
"""The most text that is told, for prices said before anything was read."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Frames of a sample, and of the same without virtual content in sets of pairs."""

    frames: tuple[Shot, ...]
    raw: tuple[Shot, ...] = ()


Ask = Callable[[Shown], Awaitable[Given]]


def plan(
    options: RunOptions,
    videos: Sequence[Video],
    protocols: Sequence[Protocol],
    layout: Layout = Layout.CONTRAR,
) -> Plan:
    """The calls. Methods are opened, unless it is a dry run: that opens nothing.

    Raises:
        ConfigError: a method cannot be used with this suite, or cannot be opened.
    """
    made = Plan(again=partial(plan, videos=videos, protocols=protocols, layout=layout))
    methods = [_method(spec, options, layout, made) for spec in options.methods]
    for video in videos:
        files = [video.file] if video.raw is None else [video.file, video.raw]
        content = checksum_of(*files)
        for method in methods:
            label, version = method.spec.label, method.version
            for protocol in protocols:
                for repetition in range(method.runs):
                    key = Key(SUITE, video.id, content, label, protocol.value, version, repetition)
                    made.calls.append(method.call(key, video, protocol))
    return made


@dataclass(frozen=True, slots=True)
class _Method:
    spec: Spec
    version: str
    runs: int
    ask: Ask
    terms: Terms | None = None

    def call(self, key: Key, video: Video, protocol: Protocol) -> Call:
        def read() -> Shown:
            raw = () if video.raw is None else shots(video.raw, protocol.frames)
            return Shown(shots(video.file, protocol.frames), raw)

        async def ask() -> Given:
            try:
                shown = await asyncio.to_thread(read)
            except InputError as error:
                raise NoAnswer("unreadable_file", str(error)) from error
            return await self.ask(shown)

        if self.terms is None:
            return Call(key, ask)
        pictures = protocol.frames * (1 if video.raw is None else 2)
        most = self.terms.most(0, FULL_OF_TEXT) if self.spec.text_only else self.terms.most(pictures)
        return Call(key, ask, most, self.terms.priced)


def _method(spec: Spec, options: RunOptions, layout: Layout, made: Plan) -> _Method:
    if spec.kind in (Kind.FAST, Kind.FAST_TEXT):
        if not layout.fast:
            raise ConfigError(
                "--judge", [f"{spec.label}: the fast tier cannot tell about {layout}; name judges"]
            )
        if options.dry_run:
            return _Method(spec, "", 1, never)
        fast = AskedFastTier(options.config, made.turn, elements=spec.kind is Kind.FAST)
        made.close.append(fast.close)
        return _Method(spec, fast.version, 1, lambda shown: fast.ask(shown.frames))
    if not spec.kind.judge or (spec.text_only and not layout.text):
        raise ConfigError("--judge", [f"{spec.label} cannot be asked about {layout}; see docs/benchmarks.md"])
    pictures = Protocol.MULTI.frames * (2 if layout.pairs else 1)
    prompts = layout.prompts(text_only=spec.text_only)
    least = pictures if layout.pairs and not spec.text_only else 1
    terms, judge = made.judge(spec, options, pictures=pictures, least=least, prompts=prompts)
    version = terms.version(Task.CONTRADICTION)
    if judge is None:
        return _Method(spec, version, options.runs, never, terms)
    if not spec.text_only:
        return _Method(spec, version, options.runs, _shown_to(judge), terms)
    reader = open_reader(options.config.fast, Counters())
    return _Method(spec, f"{version}+{reader.name}", options.runs, _read_to(judge, reader, made.turn), terms)


def _shown_to(judge: AskedJudge) -> Ask:
    """Judges see the frames; of pairs those without virtual content first."""
    side_px = judge.terms.settings.send.max_side_px

    def sent(shown: Shown) -> tuple[SentPicture, ...]:
        frames = (*shown.raw, *shown.frames)
        return tuple(make_picture(shot.picture.rgb(), max_side_px=side_px) for shot in frames)

    async def ask(shown: Shown) -> Given:
        return await judge.ask(Question(Task.CONTRADICTION, await asyncio.to_thread(sent, shown)))

    return ask


def _read_to(judge: AskedJudge, reader: TextReader, turn: asyncio.Lock) -> Ask:
    """Judges see no picture: they are told all texts of all frames, each once.

    The time of reading belongs to the latency.
    """

    def read(frames: Sequence[Shot], kind: str) -> list[Fact]:
        lines = [line.text for shot in frames for line in reader.read(shot.picture.rgb(), closely=True)]
        return [Fact(kind, text[:MAX_FACT_CHARS]) for text in dict.fromkeys(lines)]

    async def ask(shown: Shown) -> Given:
        async with turn:
            begun_s = time.perf_counter()
            real = await asyncio.to_thread(read, shown.raw, "real")
            seen = await asyncio.to_thread(read, shown.frames, "read")
            reading_ms = (time.perf_counter() - begun_s) * 1000.0
        half = MAX_FACTS // 2 if shown.raw else 0
        facts = (*real[:half], *seen[: MAX_FACTS - half])
        given = await judge.ask(Question(Task.CONTRADICTION, (), facts=facts))
        return replace(given, latency_ms=round(given.latency_ms + reading_ms, 3))

    return ask
