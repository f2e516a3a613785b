"""Runs: asked once however often started, torn lines, busy judges, and what a dry run says."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    InputError,
    JudgeBroken,
    JudgeBusy,
    JudgeRejected,
)
from arwarden.escalate.budget import Estimate
from benchmarks.datasets.drawing import write_picture
from benchmarks.runs.calls import Call, Given, Key, NoAnswer, Row
from benchmarks.runs.carry_out import ROWS, announce, carry_out, resuming
from benchmarks.runs.engine import GIVEN_UP, Tally, run
from benchmarks.runs.media import problem_of, shots
from benchmarks.runs.methods import Kind, parse_method, parse_methods
from benchmarks.runs.options import spread
from benchmarks.runs.output import number, p_value, plain_console, table, write_json
from benchmarks.runs.store import RowFile
from tests.unit.benchmarks.suites.made import flat, write_video


def key(sample: int, repetition: int = 0) -> Key:
    return Key("suite", f"s{sample}", "100", "judge", "single", "prompt@1", repetition)


class Asked:
    """Counts what it is asked, and answers or raises."""

    def __init__(self, *raises: Exception) -> None:
        self.count = 0
        self.open = 0
        self.most_open = 0
        self._raises = list(raises)

    async def __call__(self) -> Given:
        self.count += 1
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(0)
        self.open -= 1
        if self._raises:
            raise self._raises.pop(0)
        return Given(
            "tiny", {"verdict": "yes"}, "strict", latency_ms=5.0, tokens_in=9, tokens_out=1, cost=0.5
        )


def ask_all(calls: list[Call], path: Path, concurrency: int = 2) -> Tally:
    with RowFile(path, resume=True) as rows:
        return asyncio.run(run(calls, rows, concurrency=concurrency, wait_s=0.0))


def calls_of(count: int, ask: Callable[[], Awaitable[Given]]) -> list[Call]:
    return [Call(key(index), ask, Estimate(100, 10, 0.25)) for index in range(count)]


def test_a_question_is_asked_once_however_often_a_run_is_started(tmp_path: Path) -> None:
    ask = Asked()
    path = tmp_path / ROWS
    ask_all(calls_of(3, ask), path)
    tally = ask_all(calls_of(5, ask), path)
    assert ask.count == 5
    assert tally.asked == 2
    assert tally.cost == pytest.approx(1.0)
    with RowFile(path, resume=True) as rows:
        found = rows.of([key(4), key(0)])
    assert [row.key.sample for row in found] == ["s4", "s0"]
    assert found[0].given.answer == {"verdict": "yes"}


def test_a_torn_last_line_is_asked_again_and_leaves_the_file_whole(tmp_path: Path) -> None:
    ask = Asked()
    path = tmp_path / ROWS
    ask_all(calls_of(3, ask), path)
    content = path.read_bytes()
    path.write_bytes(content[:-20])
    ask_all(calls_of(3, ask), path)
    assert ask.count == 4
    with RowFile(path, resume=True) as rows:
        assert len(rows.of(call.key for call in calls_of(3, ask))) == 3


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / ROWS
    ask_all(calls_of(2, Asked()), path)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], "{}", lines[1]]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2 is no row"):
        RowFile(path, resume=True)


def test_two_runs_do_not_write_the_same_rows(tmp_path: Path) -> None:
    with RowFile(tmp_path / ROWS, resume=True), pytest.raises(InputError, match="another run is writing it"):
        RowFile(tmp_path / ROWS, resume=True)
    with RowFile(tmp_path / ROWS, resume=True) as rows:
        assert rows.of([key(0)]) == []


def test_rows_are_not_overwritten_without_resume(tmp_path: Path) -> None:
    path = tmp_path / ROWS
    ask_all(calls_of(1, Asked()), path)
    with pytest.raises(InputError, match="--resume"):
        RowFile(path, resume=False)


def test_any_letter_of_an_answer_comes_back(tmp_path: Path) -> None:
    given = Given("model", {"reason": "a\u2028b\x85c"}, "strict")
    with RowFile(tmp_path / ROWS, resume=False) as rows:
        rows.add(Row(key(0), given))
    with RowFile(tmp_path / ROWS, resume=True) as rows:
        assert rows.of([key(0)]) == [Row(key(0), given)]


def test_where_no_rows_can_be_written_the_cure_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / ROWS, tmp_path / "file" / "below" / ROWS, Path("/proc/no/such") / ROWS):
        with pytest.raises(InputError, match=r"cannot be written: .*; choose another --out"):
            RowFile(path, resume=False)


def test_a_set_made_anew_is_asked_about_anew(tmp_path: Path) -> None:
    ask = Asked()
    path = tmp_path / ROWS
    ask_all(calls_of(1, ask), path)
    ask_all([Call(Key("suite", "s0", "101", "judge", "single", "prompt@1", 0), ask)], path)
    assert ask.count == 2


def test_no_more_questions_are_open_than_allowed(tmp_path: Path) -> None:
    ask = Asked()
    ask_all(calls_of(20, ask), tmp_path / ROWS, concurrency=3)
    assert ask.most_open == 3


@pytest.mark.parametrize(
    ("error", "problem"),
    [
        (JudgeBroken("j", "http_500"), "http_500"),
        (DeadlineExceeded("late"), "deadline"),
        (NoAnswer("unreadable_file", "x"), "unreadable_file"),
    ],
)
def test_a_failure_becomes_a_row_and_is_asked_again_by_the_next_run(
    tmp_path: Path, error: Exception, problem: str
) -> None:
    ask = Asked(error)
    path = tmp_path / ROWS
    tally = ask_all(calls_of(1, ask), path)
    assert tally.failed == 1
    with RowFile(path, resume=True) as rows:
        (row,) = rows.of([key(0)])
    assert (row.given.parse, row.given.problem) == ("failed", problem)
    assert ask_all(calls_of(1, ask), path).failed == 0


@pytest.mark.parametrize(
    "busy", [JudgeBusy("j", "http_429", retry_after_ms=1.0), CircuitOpen("j", "circuit_open")]
)
def test_a_busy_judge_is_asked_again_within_the_run(tmp_path: Path, busy: Exception) -> None:
    ask = Asked(busy, busy)
    tally = ask_all(calls_of(1, ask), tmp_path / ROWS)
    assert (tally.asked, tally.failed, ask.count) == (1, 0, 3)


def test_a_judge_is_left_alone_for_as_long_as_its_circuit_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    ask = Asked(CircuitOpen("j", "circuit_open", retry_after_ms=15_000.0))
    path = tmp_path / ROWS
    monkeypatch.setattr("benchmarks.runs.engine.asyncio.sleep", sleep)
    assert ask_all(calls_of(1, ask), path).failed == 0
    assert max(slept) == pytest.approx(15.0)


def test_a_judge_that_keeps_failing_is_left_to_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / ROWS
    dead = Asked(*[JudgeBroken("j", "connection")] * GIVEN_UP)
    tally = ask_all(calls_of(GIVEN_UP + 7, dead), path, concurrency=1)
    assert (tally.asked, tally.failed, tally.left, dead.count) == (GIVEN_UP, GIVEN_UP, {"judge": 7}, GIVEN_UP)
    said = io.StringIO()
    carry_out(
        Console(file=said, width=200), calls_of(GIVEN_UP + 7, Asked(*[JudgeBroken("j", "x")] * 99)), tmp_path,
        resume=True, concurrency=1,
    )  # fmt: skip
    assert "judge failed at 10 questions in a row: 7 more are left to --resume" in said.getvalue()
    assert "failed by reason: x 10" in said.getvalue()
    assert ask_all(calls_of(GIVEN_UP + 7, Asked()), path).failed == 0


@pytest.mark.parametrize("error", [NoAnswer("no_score", "x"), JudgeBroken("j", "http_500")])
def test_what_is_no_fault_of_the_judge_or_passes_does_not_end_a_run(tmp_path: Path, error: Exception) -> None:
    every_other = [error] * (GIVEN_UP - 1)
    ask = Asked(*every_other)
    calls = calls_of(3 * GIVEN_UP, ask)
    assert ask_all(calls, tmp_path / ROWS, concurrency=1).left == {}
    if isinstance(error, NoAnswer):
        none = Asked(*[error] * 99)
        assert (
            ask_all([Call(key(90 + i), none) for i in range(15)], tmp_path / ROWS, concurrency=1).left == {}
        )


def test_a_judge_that_stays_busy_is_given_up(tmp_path: Path) -> None:
    ask = Asked(*[JudgeBusy("j", "http_429")] * 4)
    assert ask_all(calls_of(1, ask), tmp_path / ROWS).failed == 1


def test_a_refusal_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(JudgeRejected):
        ask_all(calls_of(5, Asked(JudgeRejected("j", "http_401"))), tmp_path / ROWS, concurrency=1)


def test_a_dry_run_tells_calls_and_price_and_what_is_answered_already(tmp_path: Path) -> None:
    ask = Asked()
    ask_all(calls_of(1, ask), tmp_path / ROWS)
    said = io.StringIO()
    calls = [*calls_of(3, ask), Call(key(7), ask, priced=False)]
    announce(Console(file=said, width=200), calls, tmp_path, resume=True)
    assert "judge: 3 calls" in said.getvalue()
    assert "1 of unknown price" in said.getvalue()
    assert "3 calls in all; 1 are answered already" in said.getvalue()
    assert ask.count == 1


def test_a_dry_run_knows_answers_of_what_it_has_not_opened(tmp_path: Path) -> None:
    opened = Key("suite", "s", "100", "fast", "single", "fast@1+weights", 0)
    with RowFile(tmp_path / ROWS, resume=True) as rows:
        rows.add(Row(opened, Given("fast", {}, "computed")))
        rows.add(Row(replace(opened, sample="t"), Given("", {}, "failed", "deadline")))
        closed = [
            replace(opened, asked=version, sample=name) for name in "st" for version in ("", "fast@1", "x")
        ]
        assert rows.foreseen(closed) == set(closed[:2])


def test_progress_shows_cost_and_methods_are_closed(tmp_path: Path) -> None:
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    said = io.StringIO()
    rows = carry_out(
        Console(file=said, width=200),
        calls_of(2, Asked()),
        tmp_path,
        resume=False,
        concurrency=1,
        close=[close],
    )
    assert len(rows) == 2
    assert closed == [True]
    assert "cost 1.0000" in said.getvalue()


def test_ctrl_c_keeps_what_was_answered_and_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = ["python", "-m", "benchmarks", "contrar", "--data", "my set"]
    monkeypatch.setattr("sys.orig_argv", typed)
    ask = Asked()

    async def interrupted() -> Given:
        if ask.count == 2:
            raise KeyboardInterrupt
        return await ask()

    said = io.StringIO()
    console = plain_console(said)
    with pytest.raises(KeyboardInterrupt):
        carry_out(console, calls_of(5, interrupted), tmp_path, resume=False, concurrency=1)
    assert "2 of 5 answers are kept" in said.getvalue()
    assert "go on with: python -m benchmarks contrar --data 'my set' --resume\n" in said.getvalue()
    assert len(carry_out(console, calls_of(5, ask), tmp_path, resume=True, concurrency=1)) == 5
    assert ask.count == 5
    assert resuming([*typed, "--resume"]) == resuming(typed)


def test_names_are_shown_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    long = f"openai:x: in [b]{'data/' * 40}"
    plain_console().print(long)
    assert capsys.readouterr().out == f"{long}\n"


def test_rows_of_another_format_are_refused() -> None:
    content = Row(key(0), Given("m", {}, "strict")).as_json()
    assert Row.from_json(content).key == key(0)
    with pytest.raises(ValueError, match="format 9"):
        Row.from_json({**content, "format": 9})


@pytest.mark.parametrize(
    ("text", "label", "kind", "argument", "url"),
    [
        ("fast", "fast", Kind.FAST, "", ""),
        ("openai:gpt-4o", "openai:gpt-4o", Kind.OPENAI, "gpt-4o", ""),
        (
            "mine=openai:qwen@http://localhost:8000/v1",
            "mine",
            Kind.OPENAI,
            "qwen",
            "http://localhost:8000/v1",
        ),
        ("replay:a/b.jsonl", "replay:a/b.jsonl", Kind.REPLAY, "a/b.jsonl", ""),
    ],
)
def test_methods(text: str, label: str, kind: Kind, argument: str, url: str) -> None:
    spec = parse_method(text)
    assert (spec.label, spec.kind, spec.argument, spec.url) == (label, kind, argument, url)


def test_text_only_goes_before_judges() -> None:
    assert parse_method("ocr+openai:gpt-4o").text_only
    with pytest.raises(ConfigError, match="ocr\\+ goes before a judge"):
        parse_method("ocr+fast")


@pytest.mark.parametrize("text", ["gpt", "openai", "fast:x", "", "replay:"])
def test_unknown_methods_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_method(text)


def test_two_methods_have_two_labels() -> None:
    with pytest.raises(ConfigError, match="named twice"):
        parse_methods(("fast", "fast"))


def test_a_limit_is_spread() -> None:
    assert spread(4, None) == [0, 1, 2, 3]
    assert spread(10, 3) == [0, 3, 6]
    assert spread(2, 5) == [0, 1]


def test_the_exact_middle_and_first_middle_last(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    write_video(path, [10, 60, 110, 160, 210])
    levels = [float(shot.picture.rgb().mean()) for shot in shots(path, 3)]
    assert levels == pytest.approx([10, 110, 210], abs=8)
    (middle,) = shots(path, 1)
    assert middle.picture.rgb().mean() == pytest.approx(110, abs=8)
    assert middle.at_s == pytest.approx(0.2)


def test_files_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    empty = tmp_path / "e.mp4"
    empty.touch()
    text = tmp_path / "t.mp4"
    text.write_text("no video", encoding="utf-8")
    assert problem_of(tmp_path / "absent.mp4", thoroughly=False) == "there is no such file"
    assert problem_of(empty, thoroughly=False) == "the file is empty"
    assert "cannot be read as a video" in problem_of(text, thoroughly=True)
    whole, torn = tmp_path / "w.jpg", tmp_path / "torn.jpg"
    write_picture(whole, flat(90))
    for length in (100, 300, 500):
        torn.write_bytes(whole.read_bytes()[:length])
        assert "read" in problem_of(torn, thoroughly=False), length


def test_numbers_in_tables() -> None:
    assert (number(None), number(1.234), number(float("nan"))) == ("–", "1.23", "–")
    assert (p_value(0.0001), p_value(0.9999), p_value(0.0391), p_value(None)) == (
        "<.001",
        ">.999",
        ".039",
        "–",
    )
    assert table(["a", "b"], [["x|y", "1"]]).splitlines()[-1] == "| x\\|y | 1 |"


def test_a_summary_never_holds_nan(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        write_json(tmp_path / "s.json", {"a": float("nan")})
