"""The fast tier: reads a picture, groups what it says, finds what contradicts, measures the picture."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

import cv2
import numpy as np
import structlog

from arwarden.config import FastConfig
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import ArwardenError, ModelError, TierError
from arwarden.core.findings import Element, Finding, Findings, Measure
from arwarden.core.frame import ArrayPicture, ByteImage, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast.alternation import Alternation
from arwarden.fast.assemble import assemble, carriers
from arwarden.fast.calibration import Calibration
from arwarden.fast.claims import Lexicon, find_contradictions
from arwarden.fast.claims.elements import ElementReader
from arwarden.fast.context import Context
from arwarden.fast.elements.detector import ElementDetector, ElementFinder
from arwarden.fast.elements.weights import NETWORKS_ABSENT, load_weights, shipped_folder
from arwarden.fast.injection import InjectionDetector
from arwarden.fast.ocr.auto import open_reader
from arwarden.fast.ocr.base import ModelFile, Point, TextLine, TextReader
from arwarden.fast.pairs.model import open_shipped
from arwarden.fast.panels import group
from arwarden.fast.quality import QualityJudge, SizeWatch, measure
from arwarden.fast.stream import Stream, Streams
from arwarden.fast.tracking.elements import TrackedElement
from arwarden.fast.tracking.reader import MOST_LINES, LineEngine, TrackedReader
from arwarden.fast.watch import ElementWatch
from arwarden.fast.words.model import WordFinder, open_words
from arwarden.fast.workers import WorkerPool

log = structlog.get_logger(__name__)

CLOSE_TIMEOUT_MS: Final = 2000.0
MAX_SESSIONS_REMEMBERED: Final = 64
"""Sessions whose picture size is followed; the one not seen for longest gives way."""
_WARM_LINES: Final = tuple(
    TextLine(text, 1.0, (Point(0.1, top), Point(0.6, top), Point(0.6, top + 0.1), Point(0.1, top + 0.1)))
    for text, top in (("Made in France", 0.1), ("Origin: Italy", 0.7))
)
"""Two panels that disagree, so that every part of the interpretation runs once before the first frame."""


class FastTier:
    """Judges one picture at a time, in ``config.workers`` threads. Ready for use when constructed.

    ``sessions`` streams may each have one picture pending; more are refused. A given ``reader`` replaces
    the configured engine, a given ``finder`` (with ``words`` or without) the element and word networks of
    ``config.elements``. Without a finder text alone is judged. Without ``calibrate`` confidences are those
    of the rules. Raises ``ModelError`` and ``ConfigError`` for what the operator has to mend.
    """

    def __init__(
        self,
        config: FastConfig,
        clock: Clock,
        reader: TextReader | None = None,
        *,
        finder: ElementFinder | None = None,
        words: WordFinder | None = None,
        sessions: int = MAX_SESSIONS_REMEMBERED,
        counters: Counters | None = None,
        calibrate: bool = True,
    ) -> None:
        self._config = _within_cores(config)
        self._clock = clock
        self._counters = counters if counters is not None else Counters()
        self._lexicon = Lexicon.load(config.languages, config.lexicons)
        self._injections = InjectionDetector.load() if config.injection else None
        self._judge = QualityJudge()
        self._sizes: OrderedDict[str, SizeWatch] = OrderedDict()
        # OpenCV would start a thread per core for every resize, beside the threads chosen here.
        cv2.setNumThreads(self._config.threads)
        self._reader = reader if reader is not None else open_reader(self._config, self._counters)
        if finder is None and config.elements:
            finder = _shipped_finder(self._config.threads)
            words = open_words(threads=self._config.threads)
        self._finder = finder
        self._words = words
        switched = words.switched if words is not None else frozenset[str]()
        self._claims = ElementReader(self._lexicon, switched=switched)
        self._context = Context(self._claims)
        self._pairs = open_shipped(threads=self._config.threads) if config.pairs else None
        # Fitted with the networks: without them all text stands on nothing.
        self._calibration = Calibration.load() if calibrate and finder is not None else None
        self._streams = Streams(self._new_stream, most=MAX_SESSIONS_REMEMBERED)
        self._pool = WorkerPool(
            self._config.workers, self._config.workers + sessions, clock, counters=self._counters
        )
        self._warm_up()

    @property
    def name(self) -> str:
        """The tier's name in messages and metrics."""
        return "fast"

    def models_in_use(self) -> Sequence[ModelFile]:
        """The files of weights that were loaded."""
        finders = [one for one in (self._finder, self._words) if one is not None]
        elements = [file for one in finders for file in one.models_in_use()]
        pairs = () if self._pairs is None else self._pairs.models_in_use()
        return (*self._reader.models_in_use(), *elements, *pairs)

    async def analyse(self, frames: Sequence[Frame], context: SceneContext, deadline_ms: float) -> Findings:
        """Judge the last of the frames in a thread; the event loop stays free.

        Raises ``DeadlineExceeded`` when it has not begun by ``deadline_ms`` (a point on the daemon's clock;
        once begun it is finished), ``TierError`` when it breaks, hangs or is refused.
        """
        if not frames:
            msg = "the fast tier was given no frame"
            raise TierError(msg)
        frame = frames[-1]
        settled = self._size_settled(frame)
        done = await self._pool.run(lambda: self._analyse(frame, context, settled=settled), deadline_ms)
        return replace(done.value, stages_ms={"queue": done.queue_ms, **done.value.stages_ms})

    def analyse_now(self, frame: Frame, context: SceneContext) -> Findings:
        """Judge a frame here and now: what ``analyse`` does in its thread, for files.

        A file's picture size is its own choice and never counts as a network's. Stages: ``motion``,
        ``elements`` (with networks), ``ocr``, ``panels``, ``claims``, ``turns`` (all of these absent for a
        passthrough view) and ``quality``. Raises ``TierError`` when a part breaks.
        """
        return self._analyse(frame, context, settled=True)

    async def close(self) -> None:
        """End the threads, waiting at most ``CLOSE_TIMEOUT_MS`` for a running inference."""
        await self._pool.close(CLOSE_TIMEOUT_MS)
        self._reader.close()

    def close_now(self) -> None:
        """The same for callers without an event loop."""
        self._pool.close_now(CLOSE_TIMEOUT_MS)
        self._reader.close()

    def _analyse(self, frame: Frame, context: SceneContext, *, settled: bool) -> Findings:
        stages_ms: dict[str, float] = {}
        try:
            elements, contradictions = self._read(frame, context, stages_ms)
            measures, faults = self._measure(frame, stages_ms, settled=settled)
        except ArwardenError:
            raise
        except Exception as error:  # engines raise what they like; the pipeline knows TierError
            self._counters.add("fast.broken")
            msg = f"the fast tier broke on a picture: {type(error).__name__}"
            raise TierError(msg) from error
        return Findings(contradictions + faults, elements, measures, stages_ms)

    def _read(
        self, frame: Frame, context: SceneContext, stages_ms: dict[str, float]
    ) -> tuple[tuple[Element, ...], tuple[Finding, ...]]:
        if context.view is View.PASSTHROUGH:
            # The real world alone: no virtual text in it, and nothing to warn about in real signs.
            return (), ()
        rgb = frame.picture.rgb()
        closely = context.closely
        with self._streams.of(frame.session_id) as stream:
            with _timed(stages_ms, "motion"):
                searches = stream.follow(frame, closely=closely)
            seen: Sequence[TrackedElement] = ()
            if stream.elements is not None:
                with _timed(stages_ms, "elements"):
                    seen = stream.elements.observe(frame, search=searches.elements)
            with _timed(stages_ms, "ocr"):
                if stream.text is None:
                    lines = self._reader.read(rgb, closely=closely)
                else:
                    first = [one.box_px for one in seen]
                    on = () if self._finder is None else carriers(seen, self._finder.labels)
                    lines = stream.text.read(
                        frame, search=searches.text, closely=closely, first=first, carriers=on
                    )
            elements, found = self._interpret(lines, rgb, stages_ms, seen)
            if stream.turns is not None:
                with _timed(stages_ms, "turns"):
                    known = {finding.key for finding in found}
                    turns = stream.turns.observe(elements, searches.step)
                    found += tuple(finding for finding in turns if finding.key not in known)
            if isinstance(self._reader, LineEngine):
                with _timed(stages_ms, "orientation"):
                    read_lines = partial(self._reader.read_lines, rgb)
                    aspect = rgb.shape[1] / rgb.shape[0]
                    now_ms = frame.arrival_ms
                    stream.orientation.observe(lines, aspect, now_ms, read_lines, at_once=closely)
            found = stream.orientation.judged(self._calibrated(found, elements))
        return elements, found

    def _calibrated(self, found: tuple[Finding, ...], elements: Sequence[Element]) -> tuple[Finding, ...]:
        if self._calibration is None:
            return found
        kept = self._calibration.judged(found, elements)
        self._counters.add("fast.findings_unlikely", len(found) - len(kept))
        return kept

    def _interpret(
        self,
        lines: Sequence[TextLine],
        rgb: ByteImage,
        stages_ms: dict[str, float],
        seen: Sequence[TrackedElement] = (),
    ) -> tuple[tuple[Element, ...], tuple[Finding, ...]]:
        with _timed(stages_ms, "panels"):
            sure = [line for line in lines if line.confidence >= self._config.min_text_confidence]
            self._counters.add("ocr.lines_unsure", len(lines) - len(sure))
            # Grouping compares every two lines; the tallest are the ones that are meant to be read.
            self._counters.add("ocr.lines_left_out", max(0, len(sure) - MOST_LINES))
            sure = sorted(sure, key=lambda line: -line.box.h_norm)[:MOST_LINES]
            panels = group(sure, rgb.shape[1], rgb.shape[0], rgb)
            unread = sum(not self._claims.reads(panel.text) for panel in panels)
            self._counters.add("claims.texts_unread", unread)
        with _timed(stages_ms, "claims"):
            labels = () if self._finder is None else self._finder.labels
            size = (rgb.shape[1], rgb.shape[0])
            elements = assemble(
                panels, self._context.weighed(seen, labels, panels), labels, size, self._claims
            )
            found = find_contradictions(elements, self._lexicon, self._pairs)
            if self._injections is not None:
                found += self._injections.find(elements)
        return elements, found

    def _new_stream(self) -> Stream:
        # Engines that cannot find and read separately look at every frame afresh.
        reader, finder = self._reader, self._finder
        return Stream(
            TrackedReader(reader, self._counters) if isinstance(reader, LineEngine) else None,
            None if finder is None else ElementWatch(finder, self._counters, self._words),
            Alternation(lambda elements: find_contradictions(elements, self._lexicon, self._pairs)),
        )

    def _measure(
        self, frame: Frame, stages_ms: dict[str, float], *, settled: bool
    ) -> tuple[tuple[Measure, ...], tuple[Finding, ...]]:
        if not self._config.quality:
            return (), ()
        with _timed(stages_ms, "quality"):
            measures = measure(frame.picture)
            faults = self._judge.judge(measures, frame.transport, size_settled=settled)
        return measures, faults

    def _size_settled(self, frame: Frame) -> bool:
        watch = self._sizes.pop(frame.session_id, None) or SizeWatch()
        self._sizes[frame.session_id] = watch
        if len(self._sizes) > MAX_SESSIONS_REMEMBERED:
            self._sizes.popitem(last=False)
        return watch.observe(frame.picture.width_px, frame.picture.height_px, frame.arrival_ms)

    def _warm_up(self) -> None:
        try:
            self._reader.warm_up()
            # Panels, claims and measures load and compile on first use too: 0.2 s no live frame should pay.
            blank = np.full((180, 320, 3), 255, np.uint8)
            self._interpret(_WARM_LINES, blank, {})
            measure(ArrayPicture(blank))
        except ArwardenError:
            raise
        except Exception as error:  # engines raise what they like
            msg = f"the OCR engine {self._reader.name} does not run on this machine: {error}"
            raise ModelError(msg) from error


@contextmanager
def _timed(stages_ms: dict[str, float], stage: str) -> Iterator[None]:
    begun = time.perf_counter()
    try:
        yield
    finally:
        stages_ms[stage] = (time.perf_counter() - begun) * 1000


def _shipped_finder(threads: int) -> ElementFinder:
    folder = shipped_folder()
    if folder is None:
        raise ModelError(NETWORKS_ABSENT)
    detector = ElementDetector(load_weights(folder), threads=threads)
    detector.warm_up()
    return detector


def _within_cores(config: FastConfig) -> FastConfig:
    """Never more threads than cores: oversubscribed ones wait for each other inside every layer."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if config.threads <= cores:
        return config
    log.warning("fast_threads_capped", configured=config.threads, cores=cores)
    return config.model_copy(update={"threads": cores})
