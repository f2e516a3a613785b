"""Files through the pipeline: the verdict on pictures and videos, and every file that is none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from arwarden.config import Config, FastConfig
from arwarden.core.clock import SystemClock
from arwarden.core.errors import InputError, TierError
from arwarden.core.findings import FindingKind, Findings
from arwarden.core.frame import Frame
from arwarden.core.tier import SceneContext
from arwarden.fast.tier import FastTier
from arwarden.offline import OfflineAnalyser, Report, decoded, media_files
from tests.support.panel_files import (
    FPS,
    FRANCE,
    NETHERLANDS,
    RECEPTION,
    black,
    cut,
    film,
    panel_box,
    picture,
    save,
    video,
)
from tests.support.pipeline import CONSISTENT, CONTRADICTORY, contradiction


@pytest.fixture(scope="module")
def tier() -> Iterator[FastTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield fast
    fast.close_now()


@pytest.fixture
def analyser(tier: FastTier) -> OfflineAnalyser:
    return OfflineAnalyser(Config(), tier)


class AnswerTier:
    """In the fast tier's place: what it says depends on the time of the frame."""

    name = "fast"

    def __init__(self, answer: Callable[[float], Findings]) -> None:
        self._answer = answer
        self.asked_s: list[float] = []

    def analyse_now(self, frame: Frame, _context: SceneContext) -> Findings:
        self.asked_s.append(frame.capture_ms / 1000)
        return self._answer(frame.capture_ms / 1000)


def judge(path: Path, answer: Callable[[float], Findings], **config: Any) -> tuple[Report, AnswerTier]:
    tier = AnswerTier(answer)
    return OfflineAnalyser(Config.model_validate(config), cast("FastTier", tier)).analyse(path), tier


# Pictures ---------------------------------------------------------------------------------------------


def test_two_panels_that_disagree_are_found_with_their_places(
    analyser: OfflineAnalyser, tmp_path: Path
) -> None:
    report = analyser.analyse(save(tmp_path / "shop.png", picture(FRANCE, NETHERLANDS)))
    assert report.contradictory
    assert report.confidence > 0.6
    (finding,) = report.findings
    assert (finding.kind, finding.attribute) == (FindingKind.CONTRADICTION, "origin")
    for element, panel in zip(
        sorted(finding.elements, key=lambda e: e.text), (FRANCE, NETHERLANDS), strict=True
    ):
        assert element.text == panel[0]
        box, there = element.box, panel_box(panel)
        assert there.x_norm - 0.02 <= box.x_norm
        assert box.x_norm + box.w_norm <= there.x_norm + there.w_norm + 0.02
        assert there.y_norm - 0.02 <= box.y_norm
        assert box.y_norm + box.h_norm <= there.y_norm + there.h_norm + 0.02
    assert {"ocr", "panels", "claims", "quality"} <= set(report.stages_ms)
    assert report.duration_s is None
    assert report.samples == ()


def test_panels_that_go_together_raise_nothing(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    report = analyser.analyse(save(tmp_path / "shop.png", picture(FRANCE, RECEPTION)))
    assert (report.contradictory, report.confidence, report.findings) == (False, 0.0, ())
    assert {element.text for element in report.last.elements} == {"Made in France", "Reception"}


def test_unsure_finding_is_no_verdict_but_its_confidence_is_told(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", picture())
    report, _ = judge(path, lambda _at_s: Findings((contradiction(0.5),)))
    assert (report.contradictory, report.confidence, report.findings) == (False, 0.5, ())


def test_tier_that_breaks_is_a_fault_of_this_file_alone(tmp_path: Path) -> None:
    def breaks(_at_s: float) -> Findings:
        raise TierError("broke")

    path = save(tmp_path / "a.png", picture())
    with pytest.raises(InputError, match=r"a\.png: cannot be judged: broke"):
        judge(path, breaks)


# Videos -----------------------------------------------------------------------------------------------


def test_contradiction_of_a_single_frame_is_no_verdict(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    frames = film(3, lambda at_s: (FRANCE, NETHERLANDS) if at_s == 1.5 else (FRANCE, RECEPTION))
    report = analyser.analyse(video(tmp_path / "glitch.mp4", frames))
    assert not report.contradictory
    assert report.findings == ()


def test_contradiction_that_lasts_is_a_verdict(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    frames = film(4, lambda at_s: (FRANCE, NETHERLANDS) if 1 <= at_s < 3 else (FRANCE, RECEPTION))
    report = analyser.analyse(video(tmp_path / "shop.mp4", frames))
    assert report.contradictory
    assert [finding.attribute for finding in report.findings] == ["origin"]
    with_it = [sample.at_s for sample in report.samples if sample.findings.findings]
    assert 1 <= min(with_it) < 1.5
    assert 2.5 < max(with_it) < 3
    assert report.duration_s == pytest.approx(4 - 1 / FPS, abs=0.01)
    assert report.stages_ms["ocr"] > 0


def test_one_odd_answer_is_outvoted_and_two_are_not(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", film(3, lambda _at_s: ()))
    for samples, verdict in ((1, False), (3, True)):
        answers = iter([CONTRADICTORY] * samples)
        report, _ = judge(path, lambda _at_s, left=answers: next(left, CONSISTENT))  # type: ignore[misc]
        assert report.contradictory is verdict
        assert (report.confidence > 0) is verdict


def test_video_is_sampled_as_a_live_stream_would_be(tmp_path: Path) -> None:
    moving = video(tmp_path / "moving.mp4", film(5, lambda _at_s: ()))
    _, tier = judge(moving, lambda _at_s: CONSISTENT)
    assert 15 <= len(tier.asked_s) <= 21
    still = video(tmp_path / "still.mp4", [picture()] * 50)
    report, tier = judge(still, lambda _at_s: CONSISTENT)
    assert 1 <= len(tier.asked_s) <= 3
    assert len(report.samples) == len(tier.asked_s)


def test_contradiction_in_a_still_video_holds(tmp_path: Path) -> None:
    still = video(tmp_path / "still.mp4", [picture()] * 100)
    report, tier = judge(still, lambda _at_s: CONTRADICTORY)
    assert report.contradictory
    assert len(tier.asked_s) < 12


def test_freeze_within_a_video_is_found(tmp_path: Path) -> None:
    lively = film(2.5, lambda _at_s: ())
    path = video(tmp_path / "frozen.mp4", [*lively, *([lively[-1]] * 40)])
    report, _ = judge(path, lambda _at_s: Findings())
    assert [(finding.kind.value, finding.attribute) for finding in report.findings] == [("quality", "freeze")]
    assert not report.contradictory


def test_video_of_one_frame(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    report = analyser.analyse(video(tmp_path / "one.mp4", [picture(FRANCE)]))
    assert len(report.samples) == 1
    assert report.last.elements[0].text == "Made in France"
    assert report.duration_s == 0


def test_progress_grows_to_one(tmp_path: Path) -> None:
    told: list[float] = []
    path = video(tmp_path / "a.mp4", film(1, lambda _at_s: ()))
    tier = AnswerTier(lambda _at_s: CONSISTENT)
    OfflineAnalyser(Config(), cast("FastTier", tier)).analyse(path, told.append)
    assert told == sorted(told)
    assert told[-1] == 1


def test_configured_evidence_counts(tmp_path: Path) -> None:
    path = video(tmp_path / "a.mp4", film(2, lambda _at_s: ()))
    report, _ = judge(path, lambda _at_s: CONTRADICTORY, alerts={"evidence_samples": 20})
    assert not report.contradictory
    report, _ = judge(path, lambda _at_s: CONTRADICTORY, alerts={"evidence_samples": 4})
    assert report.contradictory


@pytest.mark.parametrize("codec", ["libvpx", "libx264"])
def test_codecs_of_headsets_are_read(codec: str, tmp_path: Path) -> None:
    path = video(tmp_path / ("a.webm" if codec == "libvpx" else "a.mkv"), [picture()] * 12, codec=codec)
    times = [at_s for at_s, _, _ in decoded(path)]
    assert times == pytest.approx([i / FPS for i in range(12)], abs=0.002)


# What holds nothing -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0, 255, 128])
def test_content_free_picture_raises_no_contradiction(
    analyser: OfflineAnalyser, tmp_path: Path, level: int
) -> None:
    report = analyser.analyse(save(tmp_path / "empty.png", black() + np.uint8(level)))
    assert (report.contradictory, report.confidence) == (False, 0.0)
    assert not [finding for finding in report.findings if finding.kind is FindingKind.CONTRADICTION]
    assert report.last.elements == ()


def test_black_video_raises_no_contradiction(analyser: OfflineAnalyser, tmp_path: Path) -> None:
    report = analyser.analyse(video(tmp_path / "black.mp4", [black()] * 30))
    assert not report.contradictory
    assert "freeze" not in {finding.attribute for finding in report.findings}


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 400), (7, 5), (31, 33)])
def test_tiny_pictures_are_judged(analyser: OfflineAnalyser, tmp_path: Path, size: tuple[int, int]) -> None:
    report = analyser.analyse(save(tmp_path / "tiny.png", black(*size) + np.uint8(90)))
    assert not report.contradictory


# What is none -----------------------------------------------------------------------------------------


def text_file(folder: Path) -> Path:
    path = folder / "really-text.png"
    path.write_text("This is no picture.", encoding="utf-8")
    return path


def empty_file(folder: Path) -> Path:
    path = folder / "empty.jpg"
    path.touch()
    return path


def video_without_frames(folder: Path) -> Path:
    return video(folder / "nothing.mp4", [])


def sound_only(folder: Path) -> Path:
    import wave

    path = folder / "sound.wav"
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, 8000, 0, "NONE", ""))
        out.writeframes(bytes(8000))
    return path


BROKEN: list[Callable[[Path], Path]] = [
    text_file,
    empty_file,
    video_without_frames,
    sound_only,
    lambda folder: cut(save(folder / "cut.png", picture())),
    lambda folder: cut(save(folder / "cut.jpg", picture())),
    lambda folder: cut(save(folder / "cut.webp", picture())),
    lambda folder: cut(video(folder / "cut.mp4", film(2, lambda _at_s: ()))),
    lambda folder: cut(video(folder / "cut.mkv", film(4, lambda _at_s: ())), 0.6),
    lambda folder: cut(video(folder / "cut.avi", film(2, lambda _at_s: ()))),
    lambda folder: cut(save(folder / "header.png", picture()), 0.0005),
]


@pytest.mark.parametrize("make", BROKEN)
def test_what_cannot_be_judged_is_named(make: Callable[[Path], Path], tmp_path: Path) -> None:
    path = make(tmp_path)
    with pytest.raises(InputError) as raised:
        judge(path, lambda _at_s: CONSISTENT)
    assert raised.value.source == str(path)
    assert raised.value.reason
    assert "\n" not in str(raised.value)


def test_file_that_vanishes_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone\.png"):
        judge(tmp_path / "gone.png", lambda _at_s: CONSISTENT)


# Folders ----------------------------------------------------------------------------------------------


def test_folder_stands_for_what_lies_in_it_in_order(tmp_path: Path) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    names = ["b.png", "a.JPG", "deep/c.mp4", "deep/deeper/d.webm"]
    for name in [*names, "notes.txt", "deep/.hidden"]:
        (tmp_path / name).touch()
    (tmp_path / "folder.png").mkdir()
    assert media_files(tmp_path) == sorted(tmp_path / name for name in names)


def test_file_stands_for_itself_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "frame.dat"
    path.touch()
    assert media_files(path) == [path]


def test_folder_without_media_and_missing_path_are_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no picture"):
        media_files(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        media_files(tmp_path / "nowhere")


def test_unreadable_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "rglob", refuse)
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        media_files(tmp_path)
