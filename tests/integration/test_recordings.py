"""Real recordings of a headset's view: what is read in them, and what is found."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arwarden.config import Config, FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Finding, FindingKind
from arwarden.fast.tier import FastTier
from arwarden.headset.overlay import OverlaidSource, Overlay
from arwarden.headset.pictures import PictureSize
from arwarden.headset.sources import frames, open_source
from arwarden.offline import OfflineAnalyser
from tests.support.daemon import Command
from tests.support.panel_files import video
from tests.support.requirements import shared_file

pytestmark = [pytest.mark.shared, pytest.mark.xdist_group("daemon")]

FOLDER = "data/contrar"
MOVIE = f"{FOLDER}/smart_retail_contradictory.mp4"
FPS = 10
FLAG_READABLE_S = 4.6
"""Of the movie: from then on more than half of the flag is in view."""

TEXTS = {
    "indoor_navigation_consistent.png": ("RESTROOM", "Wheelchair Accessible"),
    "indoor_navigation_contradictory.png": ("RESTROOM", "Wheelchair Not Accessible"),
    "smart_retail_consistent.png": ("Made in France", "Origin"),
    "smart_retail_contradictory.png": ("Made in the Netherlands", "Origin"),
}


# Indoors a wheelchair of 15 pixels on the sign contradicts "not accessible".
CONTRADICTIONS = {
    "indoor_navigation_contradictory.png": {"accessible"},
    "smart_retail_contradictory.png": {"origin"},
}


def _says_france_and_netherlands(finding: Finding) -> None:
    assert finding.attribute == "origin"
    said = {claim.value for element in finding.elements for claim in element.claims}
    assert {"France", "Netherlands"} <= said


@pytest.fixture(scope="module")
def analyser() -> Iterator[OfflineAnalyser]:
    fast = FastTier(FastConfig(), SystemClock())
    yield OfflineAnalyser(Config(), fast)
    fast.close_now()


@pytest.mark.parametrize("name", TEXTS)
def test_virtual_texts_of_a_picture_are_read_and_nothing_is_made_up(
    analyser: OfflineAnalyser, name: str
) -> None:
    report = analyser.analyse(shared_file(f"{FOLDER}/{name}"))
    read = [element.text for element in report.last.elements]
    for text in TEXTS[name]:
        assert any(text.casefold() in element.casefold() for element in read), read
    assert {finding.attribute for finding in report.findings} == CONTRADICTIONS.get(name, set())


def test_a_text_and_a_flag_contradict_in_a_picture(analyser: OfflineAnalyser) -> None:
    report = analyser.analyse(shared_file(f"{FOLDER}/smart_retail_contradictory.png"))
    assert report.contradictory
    _says_france_and_netherlands(report.findings[0])


def test_a_text_and_a_flag_contradict_in_the_movie(analyser: OfflineAnalyser) -> None:
    report = analyser.analyse(shared_file(MOVIE))
    read = {element.text for sample in report.samples for element in sample.findings.elements}
    assert any("Made in the Netherlands" in text for text in read)
    assert report.contradictory
    _says_france_and_netherlands(report.findings[0])
    # Until then but a strip of the flag is in view, which could be of several countries.
    assert len({finding.key for finding in report.findings}) == 1
    begun_s = min(
        s.at_s for s in report.samples if report.findings[0].key in {f.key for f in s.findings.findings}
    )
    assert FLAG_READABLE_S <= begun_s <= FLAG_READABLE_S + 1.0


def test_movie_with_another_apps_panel_is_contradictory(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    size = PictureSize(1280, 720)
    overlay = Overlay("Made in France", 0.6, 0.1, 1.0, math.inf)
    source = OverlaidSource(open_source(str(shared_file(MOVIE)), size), [overlay], size)
    pictures = [rgb for rgb, _ in frames(source, fps=FPS, seconds=2.2)]
    source.close()
    report = analyser.analyse(video(tmp_path / "overlaid.mkv", pictures))
    assert report.contradictory
    finding = report.findings[0]
    assert finding.attribute == "origin"
    assert {claim.value for element in finding.elements for claim in element.claims} == {
        "France",
        "Netherlands",
    }
    boxes = {element.text: element.box for element in finding.elements}
    panel = next(box for text, box in boxes.items() if "France" in text)
    assert 0.6 <= panel.x_norm < 0.7
    assert 0.1 <= panel.y_norm < 0.25
    early = [sample for sample in report.samples if sample.at_s < overlay.from_s]
    assert early
    kinds = {found.kind for sample in early for found in sample.findings.findings}
    assert FindingKind.CONTRADICTION not in kinds


async def test_demo_finds_the_contradiction_in_the_movie() -> None:
    overlay = "Made in France@0.6,0.1,1,-"
    source = str(shared_file(MOVIE))
    async with Command("demo", "--source", source, "--overlay", overlay, "--seconds", "60") as command:
        line = await command.says("▲ shown")
        assert "Made in France" in line
        assert "Made in the Netherlands" in line
        command.signal(signal.SIGINT, group=True)
        assert await command.ends() == 0, command.output
    assert any("  sees " in line and "“Made in the Netherlands" in line for line in command.stdout)
