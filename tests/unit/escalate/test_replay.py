from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from arwarden.core.clock import VirtualClock
from arwarden.core.errors import DeadlineExceeded, InputError, JudgeBroken
from arwarden.core.findings import Box
from arwarden.escalate.answers import Adjustment, Comparison, Judgement, NamedElement, ParseStatus, Verdict
from arwarden.escalate.questions import Fact, Question, Scale, Task
from arwarden.escalate.replay import RecordJudge, ReplayJudge, fingerprint
from tests.support.virtual_loop import LoopClock, in_virtual_time
from tests.unit.escalate.asking import UNREADABLE, YES, ScriptedJudge, picture, question

FULL = Judgement(
    ParseStatus.TOLERANT,
    Verdict.NO,
    "sie stimmen überein",
    elements=(NamedElement("an arrow", Box(0.1, 0.2, 0.3, 0.4)), NamedElement("a sign")),
    rating=3.5,
    adjustment=Adjustment(right_m=-0.5, clamped=True),
    comparisons=(Comparison(Scale.OVERALL, "B", "sharper"),),
)
LATER = 2_000_000_000_000.0


async def record(file: Path, clock: VirtualClock, *asked: tuple[Question, Judgement]) -> None:
    inner = ScriptedJudge(clock, *(judgement for _, judgement in asked))
    judge = RecordJudge(inner, file)
    assert (judge.name, judge.model, judge.uploads) == ("scripted", "model-of-scripted", False)
    for one, _ in asked:
        await judge.ask(one, LATER)
    await judge.close()
    assert inner.closed


async def test_what_was_recorded_is_replayed_in_full(tmp_path: Path, clock: VirtualClock) -> None:
    file = tmp_path / "answers.jsonl"
    await record(file, clock, (question(), FULL))
    judge = ReplayJudge("replay", file, clock)
    answer = await judge.ask(question(), LATER)
    assert answer.judgement == FULL
    assert (answer.judge, answer.model, answer.prompt_version) == ("scripted", "model-of-scripted", "test@1")
    assert answer.spent.cost == 0.01
    assert (judge.name, judge.model, judge.uploads) == ("replay", "model-of-scripted", False)


async def test_a_full_disk_costs_the_record_and_not_the_answer(clock: VirtualClock) -> None:
    inner = ScriptedJudge(clock, YES, FULL)
    judge = RecordJudge(inner, Path("/dev/full"))
    assert [(await judge.ask(question(), LATER)).judgement for _ in range(2)] == [YES, FULL]
    await judge.close()
    assert inner.closed


async def test_repeated_questions_get_their_answers_in_turn(tmp_path: Path, clock: VirtualClock) -> None:
    file = tmp_path / "answers.jsonl"
    await record(file, clock, (question(), YES), (question(), FULL))
    judge = ReplayJudge("replay", file, clock)
    given = [(await judge.ask(question(), LATER)).verdict for _ in range(3)]
    assert given == [Verdict.YES, Verdict.NO, Verdict.NO]


async def test_recordings_are_continued_and_hold_no_pictures(tmp_path: Path, clock: VirtualClock) -> None:
    file = tmp_path / "answers.jsonl"
    await record(file, clock, (question(), YES))
    await record(file, clock, (question(Task.SIZE), UNREADABLE))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert all("jpeg" not in line and "base64" not in line and len(line) < 1500 for line in lines)
    assert not (await ReplayJudge("replay", file, clock).ask(question(Task.SIZE), LATER)).judgement.readable


async def test_a_scene_is_known_though_its_pixels_differ(tmp_path: Path, clock: VirtualClock) -> None:
    file = tmp_path / "answers.jsonl"
    await record(file, clock, (question(scene="hall"), YES))
    judge = ReplayJudge("replay", file, clock)
    other = Question(Task.CONTRADICTION, (picture(grey=3),), scene="hall")
    assert (await judge.ask(other, LATER)).verdict is Verdict.YES
    with pytest.raises(JudgeBroken, match="no answer to this question"):
        await judge.ask(replace(other, scene=""), LATER)
    with pytest.raises(JudgeBroken):
        await judge.ask(replace(other, task=Task.SIZE), LATER)


def test_the_fingerprint_tells_questions_apart() -> None:
    base = question()
    others = [
        replace(base, task=Task.SIZE),
        replace(base, pictures=(picture(grey=1),)),
        replace(base, pictures=(picture(), picture())),
        replace(base, facts=(Fact("read", "x"),)),
        replace(base, language="German"),
        replace(base, defended=False),
    ]
    assert len({fingerprint(one) for one in (base, *others)}) == len(others) + 1
    assert fingerprint(base) == fingerprint(replace(question(), scene="anything"))


@in_virtual_time
async def test_timed_replay_takes_as_long_as_the_judge_did() -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file, clock = Path(folder) / "answers.jsonl", LoopClock()
        recorder = RecordJudge(ScriptedJudge(clock, YES, takes_ms=400), file)
        await recorder.ask(question(), clock.now_ms() + 1000)
        await recorder.close()
        judge = ReplayJudge("replay", file, clock, timed=True)
        begun_ms = clock.now_ms()
        await judge.ask(question(), begun_ms + 1000)
        assert clock.now_ms() - begun_ms == pytest.approx(400, abs=2)
        with pytest.raises(DeadlineExceeded):
            await judge.ask(question(), clock.now_ms() + 100)
        assert clock.now_ms() - begun_ms == pytest.approx(500, abs=4)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"format": 2}',
        '{"format": 1, "question": "x", "scene": "", "answer": {}}',
        "[" * 9000,
        "\x00",
    ],
)
def test_a_line_that_is_no_recording_is_named(tmp_path: Path, clock: VirtualClock, line: str) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text("\n" + line + "\n")
    with pytest.raises(InputError, match="line 2"):
        ReplayJudge("replay", file, clock)


def test_files_that_cannot_be_read_or_written_are_named(tmp_path: Path, clock: VirtualClock) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        RecordJudge(ScriptedJudge(clock), tmp_path / "no" / "folder" / "answers.jsonl")
    with pytest.raises(InputError, match="not a readable recording"):
        ReplayJudge("replay", tmp_path, clock)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a readable recording"):
        ReplayJudge("replay", tmp_path / "binary", clock)


def test_a_recorded_answer_is_plain_json(tmp_path: Path, clock: VirtualClock) -> None:
    import asyncio

    file = tmp_path / "answers.jsonl"
    asyncio.run(record(file, clock, (question(), FULL)))
    value = json.loads(file.read_text(encoding="utf-8"))
    assert value["answer"]["judgement"]["reason"] == "sie stimmen überein"
