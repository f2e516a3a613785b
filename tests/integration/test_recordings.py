"""Real recordings of a headset's view: what is read in them, and what is found."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arwarden.config import Config, FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import FindingKind
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

# The contradictory ones contradict by a symbol or a flag, which no reader of text can see.
TEXTS = {
    "indoor_navigation_consistent.png": ("RESTROOM", "Wheelchair Accessible"),
    "indoor_navigation_contradictory.png": ("RESTROOM", "Wheelchair Not Accessible"),
    "smart_retail_consistent.png": ("Made in France", "Origin"),
    "smart_retail_contradictory.png": ("Made in the Netherlands", "Origin"),
}


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
    assert not report.contradictory
    assert report.findings == ()


def test_movie_alone_raises_nothing(analyser: OfflineAnalyser) -> None:
    report = analyser.analyse(shared_file(MOVIE))
    read = {element.text for sample in report.samples for element in sample.findings.elements}
    assert any("Made in the Netherlands" in text for text in read)
    assert not report.contradictory
    assert report.findings == ()


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
    assert any("reads “Made in the Netherlands" in line for line in command.stdout)
