"""A picture may hold anything: five hundred elements and five hundred texts are judged in bounded time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast import FastTier
from arwarden.fast.elements.detector import Detected, Seen
from arwarden.fast.ocr.base import ModelFile, Quad, TextLine
from arwarden.fast.tracking.elements import MOST_TRACKS
from arwarden.fast.tracking.reader import MOST_LINES, MOST_READS
from arwarden.fast.watch import MOST_CROPS
from tests.unit.fast.drawing import text_line

CROWD = 500


class CrowdedFinder:
    """Finds five hundred flags."""

    def __init__(self) -> None:
        self.labels = ("#background", "flag:FR", "flag:IT")
        self.crops: list[int] = []

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()

    def find(self, _rgb: ByteImage) -> list[Detected]:
        places = [(50.0 * (n % 25), 36.0 * (n // 25)) for n in range(CROWD)]
        return [Detected("flag", (x, y, x + 20, y + 14), 0.9) for x, y in places]

    def classify(self, _rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        self.crops.append(len(boxes_px))
        shares = np.array([[0.02, 0.96, 0.02], [0.02, 0.02, 0.96]], np.float32)
        return [Seen(shares[index % 2], np.zeros(2, np.float32)) for index in range(len(boxes_px))]


class CrowdedReader:
    """Finds and reads five hundred lines that contradict each other."""

    name = "crowded"

    def __init__(self) -> None:
        countries = ("France", "Italy", "Spain", "Japan")
        self.lines = [
            text_line(f"Made in {countries[n % 4]}", 50 * (n % 25) + 22, 36 * (n // 25), 26, 12)
            for n in range(CROWD)
        ]
        self.reads: list[int] = []

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()

    def warm_up(self) -> None:
        """Nothing to warm."""

    def close(self) -> None:
        """Nothing to close."""

    def read(self, _rgb: ByteImage, *, closely: bool = False) -> list[TextLine]:
        return [] if closely else self.lines

    def find(self, _rgb: ByteImage, *, closely: bool = False) -> list[Quad]:
        return [] if closely else [line.quad for line in self.lines]

    def read_lines(self, _rgb: ByteImage, quads: Sequence[Quad]) -> list[TextLine]:
        self.reads.append(len(quads))
        said = {line.quad[0]: line.text for line in self.lines}
        return [TextLine(said.get(quad[0], "Made in France"), 0.97, quad) for quad in quads]


class WholeReader:
    """The same crowd from an engine that finds and reads in one go."""

    name = "whole"

    def __init__(self, crowd: CrowdedReader) -> None:
        self.models_in_use, self.warm_up = crowd.models_in_use, crowd.warm_up
        self.close, self.read = crowd.close, crowd.read


def judged(tier: FastTier, frames: int) -> list[int]:
    picture = ArrayPicture(np.random.default_rng(1).integers(0, 255, (720, 1280, 3), dtype=np.uint8))
    counts = []
    for number in range(frames):
        at_ms = 1000.0 + 250.0 * number
        shown = Frame("s1", number, at_ms, CaptureClock.ARRIVAL, at_ms, picture)
        counts.append(len(tier.analyse_now(shown, SceneContext("quest", View.COMPOSITED)).elements))
    tier.close_now()
    return counts


def test_a_crowd_is_cut_to_what_can_be_judged_and_what_is_left_out_is_counted() -> None:
    reader, finder, counters = CrowdedReader(), CrowdedFinder(), Counters()
    config = FastConfig(quality=False, languages=("en",))
    tier = FastTier(config, SystemClock(), reader, finder=finder, counters=counters)
    counts = judged(tier, 3)
    assert max(counts) <= MOST_TRACKS + MOST_LINES
    assert max(reader.reads) <= MOST_READS
    assert max(finder.crops) <= MOST_CROPS
    assert counters["tracking.lines_left_out"] >= CROWD - MOST_LINES
    assert counters["tracking.read_postponed"] > 0
    assert counters["elements.left_out"] >= CROWD - MOST_TRACKS
    assert counters["elements.looks_postponed"] > 0


def test_lines_of_an_engine_that_reads_whole_pictures_are_cut_too() -> None:
    counters = Counters()
    config = FastConfig(quality=False, languages=("en",))
    tier = FastTier(config, SystemClock(), WholeReader(CrowdedReader()), counters=counters)
    assert judged(tier, 1)[0] <= MOST_LINES
    assert counters["ocr.lines_left_out"] == CROWD - MOST_LINES
