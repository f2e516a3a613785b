"""Small sets on disk and judges that answer from the truth, for the suites."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from arwarden.core.frame import ByteImage
from arwarden.escalate.answers import Answer, Comparison, Judgement, ParseStatus, Spent, Verdict
from arwarden.escalate.questions import Question, Scale, Task
from arwarden.escalate.replay import RecordJudge
from benchmarks.__main__ import main
from benchmarks.runs import judging
from tests.support.judges import ScriptedJudge

PRICES = """
escalate:
  judge: {kind: openai, model: tiny, base_url: "http://127.0.0.1:1/v1"}
  budget: {prices: {tiny: {input_per_million: 1.0, output_per_million: 2.0}}}
"""
LABELS = ("contradictory", "non_contradictory")


def bench(*arguments: object) -> Result:
    """Run a command of the benchmarks."""
    return CliRunner().invoke(main, [str(one) for one in arguments], catch_exceptions=False)


def summary(out: Path) -> Any:
    """What a suite has written."""
    return json.loads((out / "summary.json").read_text(encoding="utf-8"))


def flat(level: int) -> ByteImage:
    return np.full((96, 128, 3), level, dtype=np.uint8)


def write_video(path: Path, levels: Sequence[int]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        for level in levels:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(flat(level), format="rgb24")))
        container.mux(stream.encode(None))


def contrar_set(folder: Path) -> Path:
    """Four videos, two applications; what contradicts itself is dark in the middle."""
    for number, application in enumerate(("smart_retail", "smart_apartment")):
        for label in LABELS:
            middle = 40 + number if label == "contradictory" else 200 + number
            write_video(folder / application / label / f"{number}.mp4", [120, 120, middle, 120, 120])
    return folder


def answer_to(question: Question, judgement: Judgement) -> Answer:
    version = f"{question.task}@1+00000000"
    return Answer("cloud", "tiny", question.task, version, judgement, 1500.0, Spent(900, 60, 0.001))


def darkness(question: Question) -> float:
    picture = np.frombuffer(question.pictures[len(question.pictures) // 2].jpeg, dtype=np.uint8)
    return float(np.asarray(cv2.imdecode(picture, cv2.IMREAD_GRAYSCALE)).mean())


def from_truth(question: Question) -> Answer:
    """Right about the sets here: dark is contradictory and rated low, the first picture is always chosen."""
    if question.task is Task.CONTRADICTION:
        verdict = Verdict.YES if darkness(question) < 100 else Verdict.NO
        return answer_to(question, Judgement(ParseStatus.STRICT, verdict, "as drawn"))
    if question.task is Task.PAIRWISE:
        choices = tuple(Comparison(scale, "A") for scale in Scale)
        return answer_to(question, Judgement(ParseStatus.STRICT, comparisons=choices))
    rating = float(1 + min(4, int(darkness(question) / 50)))
    return answer_to(question, Judgement(ParseStatus.STRICT, rating=rating))


def recording(patch: pytest.MonkeyPatch, file: Path) -> ScriptedJudge:
    """The configured judge answers from the truth and is recorded."""
    judge = ScriptedJudge(from_truth, after_s=0.0)
    patch.setattr(judging, "open_configured", lambda *_: RecordJudge(judge, file))
    return judge


def config_file(folder: Path) -> Path:
    path = folder / "config.yaml"
    path.write_text(PRICES, encoding="utf-8")
    return path


def write_csv(path: Path, heading: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows(rows)
