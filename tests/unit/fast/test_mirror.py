from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Finding, FindingKind, Severity
from arwarden.core.frame import ArrayPicture, CaptureClock, Frame, View
from arwarden.core.tier import SceneContext
from arwarden.fast.mirror import LONGEST_PAUSE_MS, MAX_TRIED, OrientationWatch
from arwarden.fast.ocr.base import Point, Quad, TextLine
from arwarden.fast.tier import FastTier
from tests.support.panel_files import picture

ASPECT = 16 / 9
LEFT_OR_RIGHT = Finding(
    FindingKind.CONTRADICTION, "contradiction:direction:left|right", "direction", Severity.WARNING, "", 0.9
)
ORIGIN = Finding(FindingKind.CONTRADICTION, "contradiction:origin:a|b", "origin", Severity.WARNING, "", 0.9)


def quad(x: float, y: float, w: float = 0.2, h: float = 0.05) -> Quad:
    return Point(x, y), Point(x + w, y), Point(x + w, y + h), Point(x, y + h)


def line(text: str, confidence: float, at: Quad | None = None) -> TextLine:
    return TextLine(text, confidence, at if at is not None else quad(0.1, 0.1))


BAD = [line("tix3 ebis", 0.7, quad(0.1, 0.1 * i)) for i in range(1, 5)]
GOOD = [line("Exit on the left", 0.99, quad(0.1, 0.1 * i)) for i in range(1, 5)]


class Reader:
    """Reads well in one orientation, and counts how often it is asked."""

    def __init__(self, legible: str) -> None:
        self._legible = legible
        self.asked: list[int] = []

    def __call__(self, quads: Sequence[Quad]) -> Sequence[TextLine]:
        self.asked.append(len(quads))
        return [line("Side exit", 0.99 if self._way(one) == self._legible else 0.6, one) for one in quads]

    def _way(self, one: Quad) -> str:
        to_the_left, down = one[0].x_norm > one[1].x_norm, one[0].y_norm < one[3].y_norm
        return "mirrored" if to_the_left and down else "turned" if to_the_left else "upright"


def watched(
    reader: Reader, frames: Sequence[Sequence[TextLine]], every_ms: float = 500.0
) -> OrientationWatch:
    watch = OrientationWatch()
    for index, lines in enumerate(frames):
        watch.observe(lines, ASPECT, index * every_ms, reader)
    return watch


@pytest.mark.parametrize(("legible", "name"), [("mirrored", "mirrored"), ("turned", "upside down")])
def test_view_that_reads_well_the_other_way_round_is_told(legible: str, name: str) -> None:
    found = watched(Reader(legible), [BAD] * 12).judged([LEFT_OR_RIGHT, ORIGIN])
    assert [finding.attribute for finding in found] == ["origin", name]
    assert found[1].kind is FindingKind.QUALITY
    assert 0.8 <= found[1].confidence <= 0.95
    assert name.rsplit(maxsplit=1)[-1] in found[1].message


def test_sideways_view_is_told_without_reading() -> None:
    tall = [line("Exit on the left", 0.99, quad(0.1 * i, 0.1, 0.03, 0.5)) for i in range(1, 4)]
    reader = Reader("upright")
    found = watched(reader, [tall] * 3).judged([LEFT_OR_RIGHT])
    assert [finding.attribute for finding in found] == ["sideways"]
    assert reader.asked == []


def test_upright_view_costs_nothing_and_keeps_its_findings() -> None:
    reader = Reader("mirrored")
    watch = watched(reader, [GOOD] * 20)
    assert watch.view is None
    assert watch.judged([LEFT_OR_RIGHT]) == (LEFT_OR_RIGHT,)
    assert reader.asked == []


def test_one_bad_line_among_good_ones_is_not_tried() -> None:
    reader = Reader("mirrored")
    assert watched(reader, [[*GOOD, BAD[0]]] * 20).view is None
    assert reader.asked == []


def test_a_vertical_sign_among_level_lines_is_no_sideways_view() -> None:
    tall = line("HOTEL ADLER", 0.99, quad(0.8, 0.1, 0.03, 0.5))
    assert watched(Reader("upright"), [[tall, *GOOD[:2]]] * 5).view is None
    assert watched(Reader("upright"), [[tall]] * 5).view is None


def test_tries_are_few_and_become_fewer_where_nothing_comes_of_them() -> None:
    reader = Reader("never")
    watched(reader, [BAD] * 600, every_ms=500.0)
    assert 2 * 3 <= len(reader.asked) <= 2 * 12
    assert max(reader.asked) <= MAX_TRIED
    assert LONGEST_PAUSE_MS >= 30_000


def test_first_frame_of_a_stream_is_not_tried_but_a_still_is() -> None:
    reader = Reader("mirrored")
    watch = OrientationWatch()
    watch.observe(BAD, ASPECT, 0.0, reader)
    assert reader.asked == []
    still = OrientationWatch()
    still.observe(BAD, ASPECT, 0.0, reader, at_once=True)
    assert [finding.attribute for finding in still.judged([])] == ["mirrored"]


def test_one_line_silences_directions_but_is_not_told() -> None:
    watch = OrientationWatch()
    watch.observe(BAD[:1], ASPECT, 0.0, Reader("mirrored"), at_once=True)
    assert watch.judged([LEFT_OR_RIGHT, ORIGIN]) == (ORIGIN,)


def test_a_view_that_is_upright_again_is_believed_within_frames() -> None:
    watch = watched(Reader("mirrored"), [BAD] * 12)
    for index in range(3):
        watch.observe(GOOD, ASPECT, 10_000.0 + index, Reader("mirrored"))
    assert watch.view is None


@pytest.mark.parametrize("text", ["WC", "5 €", "12", "???"])
def test_short_lines_say_nothing(text: str) -> None:
    reader = Reader("mirrored")
    assert watched(reader, [[line(text, 0.5, quad(0.1, 0.1 * i)) for i in range(1, 5)]] * 12).view is None
    assert reader.asked == []


# With the real engine -------------------------------------------------------------------------------------

PANELS = (("Restroom on the left", 30, 40), ("Restroom on the right", 330, 200))


@pytest.mark.parametrize(
    ("turn", "told", "contradicts"),
    [
        (lambda rgb: rgb, [], True),
        (lambda rgb: rgb[:, ::-1], ["mirrored"], False),
        (lambda rgb: rgb[::-1, ::-1], ["upside down"], False),
        (np.rot90, ["sideways"], False),
    ],
    ids=["upright", "mirrored", "upside down", "sideways"],
)
def test_picture_of_two_panels(turn: object, told: list[str], *, contradicts: bool) -> None:
    tier = FastTier(FastConfig(quality=False), SystemClock())
    try:
        rgb = np.ascontiguousarray(turn(picture(*PANELS)))  # type: ignore[operator]
        frame = Frame("still", 1, 0.0, CaptureClock.SYNCED, 0.0, ArrayPicture(rgb))
        found = tier.analyse_now(frame, SceneContext("still", View.COMPOSITED, closely=True)).findings
    finally:
        tier.close_now()
    assert [one.attribute for one in found if one.kind is FindingKind.QUALITY] == told
    assert any(one.attribute == "direction" for one in found) is contradicts
