"""The pipeline on files: the daemon's sampler, tier and alert life cycle, on the file's own time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import av
import numpy as np

from arwarden.config import Config
from arwarden.contract.messages import AlertState
from arwarden.core.counters import Counters
from arwarden.core.errors import InputError, TierError
from arwarden.core.findings import Finding, FindingKind, Findings
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame, Picture, View
from arwarden.core.tier import SceneContext
from arwarden.decide import AlertDraft, AlertLifecycle
from arwarden.fast.quality import FreezeDetector
from arwarden.fast.tier import FastTier
from arwarden.headset.pictures import (
    IMAGE_SUFFIXES,
    MAX_PIXELS,
    animation,
    is_animated,
    is_picture,
    load_rgb,
)
from arwarden.ingest.picture import AvPicture
from arwarden.sampling import Sampler

VIDEO_SUFFIXES = frozenset(
    {".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".ogv", ".ts", ".webm", ".y4m"}
)
CONTEXT = SceneContext("offline", View.COMPOSITED)
STILL = SceneContext("offline", View.COMPOSITED, closely=True)
"""A picture stands still, as a scene does that has come to rest."""
COMPLETE_SHARE = 0.98
"""A video that yields less of what its header promises (frames, or seconds) is called truncated."""
DURATION_SLACK_S = 0.2

TimedPicture = tuple[float, float, Picture]
"""Time in seconds, share done (0..1) and picture of a frame."""
Progress = Callable[[float], None]
"""Told the share of a video that is done, 0..1."""


@dataclass(frozen=True, slots=True)
class SampleReport:
    """What one sample of a video showed, and the time of its frame."""

    at_s: float
    findings: Findings


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict on one picture or video."""

    source: str
    contradictory: bool
    confidence: float
    """How sure the tier is that something contradicts, 0..1: the best finding's confidence, 0 without any."""
    findings: tuple[Finding, ...]
    last: Findings
    stages_ms: dict[str, float]
    samples: tuple[SampleReport, ...] = field(default=())
    duration_s: float | None = None
    raised_at_s: tuple[float, ...] = field(default=())
    """When each of ``findings`` was raised first; videos only."""


def media_files(path: Path) -> list[Path]:
    """The pictures and videos that a path stands for: itself, or what lies in the folder, by name.

    Raises ``InputError`` where there is nothing to judge.
    """
    suffixes = IMAGE_SUFFIXES | VIDEO_SUFFIXES
    try:
        if not path.exists():
            raise InputError(str(path), "there is no such file or folder")
        if not path.is_dir():
            return [path]
        inside = [entry for entry in path.rglob("*") if entry.suffix.lower() in suffixes and entry.is_file()]
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or error}") from error
    found = sorted(inside)
    if not found:
        raise InputError(str(path), "the folder holds no picture and no video")
    return found


class OfflineAnalyser:
    """Judges files one by one. Not thread-safe: the tier's reader is used by one caller at a time."""

    def __init__(self, config: Config, tier: FastTier) -> None:
        self._config = config
        self._tier = tier

    def analyse(self, path: Path, progress: Progress | None = None) -> Report:
        """Judge one picture or video. Raises ``InputError`` that names the file."""
        try:
            if path.stat().st_size == 0:
                raise InputError(str(path), "the file is empty")
            if is_picture(path):
                if is_animated(path):
                    return self._film(path, _animated(path), progress)
                return self.picture(load_rgb(path), str(path))
            return self._film(path, decoded(path), progress)
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror or error}") from error
        except TierError as error:
            raise InputError(str(path), f"cannot be judged: {error}") from error

    def picture(self, rgb: ByteImage, source: str) -> Report:
        """Judge one picture, uint8 of shape (height, width, 3). Raises ``TierError`` when a part breaks."""
        findings = self._tier.analyse_now(_frame(ArrayPicture(rgb), 0, 0.0), STILL)
        kept = tuple(
            finding
            for finding in findings.findings
            if finding.confidence >= self._config.alerts.min_confidence
        )
        return Report(
            source=source,
            contradictory=any(f.certain and f.kind is FindingKind.CONTRADICTION for f in kept),
            confidence=_confidence(findings.findings),
            findings=kept,
            last=findings,
            stages_ms=dict(findings.stages_ms),
        )

    def _film(self, path: Path, frames: Iterator[TimedPicture], progress: Progress | None) -> Report:
        """Play a video on its own time through sampler and life cycle, as if it were a headset."""
        play = _Playback(self._config, self._tier)
        end_s = 0.0
        for at_s, share, picture in frames:
            end_s = at_s
            play.show(picture, at_s)
            if progress is not None:
                progress(share)
        raised = tuple(play.raised.values())
        return Report(
            source=str(path),
            contradictory=any(finding.kind is FindingKind.CONTRADICTION for finding in raised),
            confidence=_confidence(raised),
            findings=raised,
            last=play.samples[-1].findings,
            stages_ms=_median_stages([sample.findings for sample in play.samples]),
            samples=tuple(play.samples),
            duration_s=end_s,
            raised_at_s=tuple(play.raised_at_s[key] for key in play.raised),
        )


class _Playback:
    """One video's way through the pipeline."""

    def __init__(self, config: Config, tier: FastTier) -> None:
        ids = iter(range(1_000_000))
        self._tier = tier
        self._sampler = Sampler(config.sampling)
        self._freeze = FreezeDetector()
        self._lifecycle = AlertLifecycle(
            config.alerts, CONTEXT.device_id, "offline", lambda: f"a{next(ids)}", Counters()
        )
        self._sequence = 0
        self.samples: list[SampleReport] = []
        self.raised: dict[str, Finding] = {}
        self.raised_at_s: dict[str, float] = {}

    def show(self, picture: Picture, at_s: float) -> None:
        """One frame of the video, in order."""
        now_ms = at_s * 1000.0
        self._sequence += 1
        was_frozen = self._freeze.finding() is not None
        if self._freeze.observe(picture.luma(), now_ms) and not was_frozen:
            self._sampler.request_sample()
        self._sampler.offer(_frame(picture, self._sequence, now_ms), now_ms)
        self._lifecycle.tick(now_ms, transport_healthy=True)
        sample = self._sampler.take(now_ms)
        if sample is None:
            if self._sampler.static:
                self._lifecycle.still_seen(now_ms)
            return
        findings = self._tier.analyse_now(sample.frame, STILL if sample.at_rest else CONTEXT)
        frozen = self._freeze.finding()
        if frozen is not None:
            findings = Findings(
                (*findings.findings, frozen), findings.elements, findings.quality, findings.stages_ms
            )
        # The file waits for the tier, so on its own time judging costs nothing.
        self._sampler.finished(0.0, now_ms)
        self.samples.append(SampleReport(sample.frame.capture_ms / 1000.0, findings))
        self._note(self._lifecycle.observe(findings, sample.frame, self._tier.name, now_ms), findings, at_s)
        if self._lifecycle.wants_evidence:
            self._sampler.request_sample()

    def _note(self, drafts: Sequence[AlertDraft], findings: Findings, at_s: float) -> None:
        for draft in drafts:
            if draft.state in (AlertState.RAISED, AlertState.CONFIRMED):
                best = max(
                    (finding for finding in findings.findings if finding.key == draft.key),
                    key=lambda finding: finding.confidence,
                    default=None,
                )
                if best is not None:
                    self.raised[draft.key] = best
                    self.raised_at_s.setdefault(draft.key, at_s)


def moving(path: Path) -> Iterator[TimedPicture]:
    """The frames of a video or animated picture as they are judged. Raises ``InputError`` likewise."""
    return _animated(path) if is_picture(path) else decoded(path)


def _animated(path: Path) -> Iterator[TimedPicture]:
    for at_s, share, rgb in animation(path):
        yield at_s, share, ArrayPicture(rgb)


def decoded(path: Path) -> Iterator[TimedPicture]:
    """Time in seconds, share done (0..1) and upright picture of every frame of a video.

    Raises ``InputError`` where the file is no video, holds none that can be decoded, or ends early.
    """
    try:
        with av.open(str(path)) as container:
            if not container.streams.video:
                raise InputError(str(path), "the file holds no video")
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            expected = stream.frames
            # With sound beside it, the file may rightly be longer than its video.
            promised_s = (container.duration or 0) / av.time_base if len(container.streams) == 1 else 0.0
            step_s = 1.0 / float(stream.average_rate or 30)
            count, first_s, end_s = 0, 0.0, 0.0
            for frame in container.decode(stream):
                own_s = count * step_s if frame.pts is None else frame.time
                first_s = own_s if count == 0 else first_s
                count += 1
                end_s = own_s - first_s + step_s
                share = min(1.0, count / expected) if expected else 0.0
                yield own_s - first_s, share, _upright(path, frame)
    except (av.FFmpegError, OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fix = "give a picture (PNG, JPEG, WebP ...) or a video (MP4, WebM, MKV ...)"
        raise InputError(str(path), f"not a readable picture or video: {reason}; {fix}") from error
    if count == 0:
        raise InputError(str(path), "no frame of the video can be decoded")
    if count < expected * COMPLETE_SHARE:
        raise InputError(str(path), f"the video is truncated: {count} of {expected} frames are there")
    if expected == 0 and end_s + DURATION_SLACK_S < promised_s * COMPLETE_SHARE:
        raise InputError(str(path), f"the video is truncated: {end_s:.1f} of {promised_s:.1f} s are there")


def _upright(path: Path, frame: av.VideoFrame) -> Picture:
    """The frame as a player shows it: phones film on their side and note by how much."""
    if frame.width * frame.height > MAX_PIXELS:
        raise InputError(
            str(path), f"its frames have {frame.width}x{frame.height} pixels; scale it down first"
        )
    quarters = round(frame.rotation / 90.0) % 4
    if not quarters:
        return AvPicture(frame)
    rgb = np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)
    return ArrayPicture(np.ascontiguousarray(np.rot90(rgb, quarters)))


def _frame(picture: Picture, sequence: int, now_ms: float) -> Frame:
    return Frame("offline", sequence, now_ms, CaptureClock.SYNCED, now_ms, picture)


def _confidence(findings: Sequence[Finding]) -> float:
    return max((f.confidence for f in findings if f.kind is FindingKind.CONTRADICTION), default=0.0)


def _median_stages(samples: Sequence[Findings]) -> dict[str, float]:
    names = {name for sample in samples for name in sample.stages_ms}
    return {name: median(sample.stages_ms.get(name, 0.0) for sample in samples) for name in sorted(names)}
