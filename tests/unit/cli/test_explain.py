"""``explain``: the files it writes, the moment it chooses, and what it says of bad input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest
from PIL import Image

from arwarden.cli import explain
from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.findings import Findings
from arwarden.fast.tier import FastTier
from arwarden.offline import SampleReport
from tests.support.panel_files import FRANCE, NETHERLANDS, RECEPTION, film, picture, save, video
from tests.support.pipeline import contradiction
from tests.unit.cli.conftest import Run


@pytest.fixture(scope="module")
def tier() -> Iterator[FastTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield fast
    fast.close_now()


@pytest.fixture(autouse=True)
def _lent(monkeypatch: pytest.MonkeyPatch, tier: FastTier) -> None:
    monkeypatch.setattr(explain, "FastTier", lambda _config, _clock: tier)
    monkeypatch.setattr(tier, "close_now", lambda: None)


def test_a_picture_becomes_picture_page_graph_and_tree(run: Run, tmp_path: Path) -> None:
    file = save(tmp_path / "shop.png", picture(FRANCE, NETHERLANDS))
    result = run("explain", "--out", tmp_path / "out", file)
    assert result.exit_code == 0
    assert "CONTRADICTORY" in result.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"shop.png{suffix}" for suffix in (".png", ".html", ".dot", ".txt")}
    assert all(str(tmp_path / "out" / name) in result.stdout for name in names)
    drawn = cv2.imread(str(tmp_path / "out" / "shop.png.png"))
    assert drawn is not None
    assert drawn.shape[1] >= 640
    page = (tmp_path / "out" / "shop.png.html").read_text(encoding="utf-8")
    assert "http-equiv" not in page
    assert 'src="data:image/png' in page


def test_a_coherent_picture_is_explained_too(run: Run, tmp_path: Path) -> None:
    result = run("explain", "--out", tmp_path, save(tmp_path / "a.png", picture(FRANCE, RECEPTION)))
    assert "no contradiction" in result.stdout


def test_of_a_video_the_moment_of_the_contradiction_is_shown(run: Run, tmp_path: Path) -> None:
    frames = film(3.0, lambda at_s: (FRANCE, NETHERLANDS) if at_s >= 1.5 else (FRANCE,))
    result = run("explain", "--out", tmp_path, video(tmp_path / "a.mp4", frames))
    assert result.exit_code == 0
    head = result.stdout.splitlines()[0]
    assert head.endswith("CONTRADICTORY")
    at_s = float(head.partition(" at ")[2].split(" s")[0])
    assert 1.4 <= at_s <= 3.0


def test_an_animated_picture_is_a_film(run: Run, tmp_path: Path) -> None:
    frames = [Image.fromarray(rgb) for rgb in film(2.0, lambda _at_s: (FRANCE, NETHERLANDS), fps=5)]
    frames[0].save(tmp_path / "a.webp", save_all=True, append_images=frames[1:], duration=200, quality=90)
    result = run("explain", "--out", tmp_path / "out", tmp_path / "a.webp")
    assert "CONTRADICTORY" in result.stdout.splitlines()[0]
    assert " at " in result.stdout.splitlines()[0]


def test_the_strongest_sample_is_the_surest_then_the_fullest() -> None:
    weak, sure = (SampleReport(at_s, Findings((contradiction(c),))) for at_s, c in ((1.0, 0.5), (2.0, 0.9)))
    empty, full = SampleReport(3.0, Findings()), SampleReport(4.0, Findings((), contradiction(0.9).elements))
    assert explain.strongest([weak, sure, empty]) is sure
    assert explain.strongest([empty, full]) is full


@pytest.mark.parametrize("name", ["missing.png", "notes.png"])
def test_bad_input_is_named(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes.png").write_text("no picture")
    result = run("explain", "--out", tmp_path / "out", tmp_path / name)
    assert result.exit_code == 2
    assert name in result.stderr
    assert "Traceback" not in result.output


def test_an_output_folder_that_is_a_file_is_named(run: Run, tmp_path: Path) -> None:
    file = save(tmp_path / "a.png", picture(FRANCE, RECEPTION))
    result = run("explain", "--out", file, file)
    assert result.exit_code == 2
    assert "no folder to write to" in result.stderr
