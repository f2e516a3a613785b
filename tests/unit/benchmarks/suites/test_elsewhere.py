"""What other processes get, what they do with it, who is asked next; no cluster is started here."""

from __future__ import annotations

import asyncio
import importlib.util
import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from arwarden.config import Config
from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBusy,
    JudgeRejected,
    TierError,
)
from benchmarks.runs.asker import Asker, NotGiven, not_given
from benchmarks.runs.calls import Call, Given, Key, NoAnswer
from benchmarks.runs.cluster import Cluster
from benchmarks.runs.engine import Pace
from benchmarks.runs.methods import parse_method
from benchmarks.runs.options import Engine, RunOptions
from benchmarks.runs.placing import Placing
from benchmarks.runs.plan import Plan
from benchmarks.runs.recipe import asked_here, most_open, recipe_of, source_of, takes_a_gpu

KEY = "sk-test-0123456789abcdef"
OPENAI = {"kind": "openai", "model": "tiny", "base_url": "http://127.0.0.1:1/v1"}


def options_of(judge: Any = None, *methods: str, **changes: Any) -> RunOptions:
    content: dict[str, Any] = {"mqtt": {"password": {"value": "of-the-daemon"}}}
    if judge is not None:
        content["escalate"] = {"judge": judge}
    config = Config.model_validate(content)
    specs = tuple(parse_method(one) for one in methods)
    return RunOptions("toy", Path(), specs, config, Path("out"), engine=Engine.RAY, **changes)


def key(content: str = "100", asked: str = "prompt@1") -> Key:
    return Key("toy", "s0", content, "judge", "single", asked, 0)


async def answer() -> Given:
    return Given("tiny", {"verdict": "yes"}, "strict")


async def fail(error: Exception) -> Given:
    raise error


def plan(options: RunOptions, *, ask: Any = answer) -> Plan:
    del options
    return Plan([Call(key(), ask)], again=partial(plan, ask=ask))


def opened(made: Plan, **changes: Any) -> tuple[Asker, str]:
    asker = Asker(replace(recipe_of(options_of(), made), **changes))
    return asker, asyncio.run(asker.open())


def test_a_question_goes_where_its_files_are_read_but_no_worker_gets_more_than_its_share() -> None:
    placing = Placing(most_open=4)
    assert placing.take("a") is None
    placing.join(1)
    placing.join(2)
    assert [placing.take(sample) for sample in ("a", "a", "a", "b")] == [1, 1, 2, 2]
    placing.give_back(1)
    placing.give_back(2)
    assert placing.take("b") == 2
    placing.leave(1)
    placing.leave(1)
    placing.give_back(1)
    assert placing.take("a") == 2


def test_equals_are_asked_in_turn() -> None:
    placing = Placing(most_open=2)
    placing.join(1)
    placing.join(2)
    asked = []
    for sample in "abcd":
        worker = placing.take(sample)
        assert worker is not None
        placing.give_back(worker)
        asked.append(worker)
    assert asked == [1, 2, 1, 2]


def test_questions_are_spread_over_the_minute_and_a_judge_rests() -> None:
    pace = Pace(per_minute=120)
    assert [pace.wait_s(10.0), pace.wait_s(10.0), pace.wait_s(10.2)] == pytest.approx([0.0, 0.5, 0.8])
    assert pace.wait_s(60.0) == 0.0
    pace.rest("judge", 60.0, 5.0)
    pace.rest("judge", 60.0, 1.0)
    assert (pace.rest_s("judge", 62.0), pace.rest_s("judge", 70.0), pace.rest_s("other", 62.0)) == (3, 0, 0)
    unpaced = Pace()
    assert [unpaced.wait_s(1.0), unpaced.wait_s(1.0)] == [0.0, 0.0]


@pytest.mark.parametrize(
    "error",
    [
        JudgeBusy("j", "http_429", "too many", retry_after_ms=7.0),
        CircuitOpen("j", "circuit_open", "resting", retry_after_ms=9.0),
        JudgeRejected("j", "http_401", "the key is refused"),
        DeadlineExceeded("late"),
        TierError("broken"),
        NoAnswer("unreadable_file", "a.mp4: empty"),
    ],
)
def test_an_error_arrives_as_it_was(error: TierError | NoAnswer) -> None:
    travelled: NotGiven = pickle.loads(pickle.dumps(not_given(error)))  # noqa: S301 - our own bytes
    with pytest.raises(type(error)) as raised:
        travelled.throw()
    assert (type(raised.value), str(raised.value)) == (type(error), str(error))
    for name in ("reason", "retry_after_ms", "judge"):
        assert getattr(raised.value, name, None) == getattr(error, name, None)


def test_a_worker_answers_by_key_and_closes_what_it_opened() -> None:
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    made = plan(options_of())
    again = made.again
    assert again is not None
    made.again = lambda options: replace(again(options), close=[close])
    asker, problem = opened(made)
    assert problem == ""
    assert asyncio.run(asker.ask(key())) == asyncio.run(answer())
    asyncio.run(asker.close())
    assert closed == [True]


def test_a_worker_returns_errors_of_questions_and_raises_faults() -> None:
    asker, _ = opened(plan(options_of(), ask=partial(fail, NoAnswer("no_score", "none"))))
    assert asyncio.run(asker.ask(key())) == NotGiven("NoAnswer", "no_score", "none")
    asker, _ = opened(plan(options_of(), ask=partial(fail, ZeroDivisionError())))
    with pytest.raises(ZeroDivisionError):
        asyncio.run(asker.ask(key()))


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (key(content="7"), "the files of s0 are others: 100, not 7"),
        (key(asked="prompt@2"), "judge would be asked as prompt@1, not prompt@2"),
        (replace(key(), sample="s9"), "there is no question about s9 to judge"),
    ],
)
def test_a_question_that_a_machine_does_not_know_says_what_differs(asked: Key, says: str) -> None:
    asker, _ = opened(plan(options_of()))
    outcome = asyncio.run(asker.ask(asked))
    assert isinstance(outcome, NotGiven)
    with pytest.raises(ConfigError, match=f"{says}; data, configuration and clone must be the same"):
        outcome.throw()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"variables": ("KEY_THAT_IS_NOT_SET",)}, "KEY_THAT_IS_NOT_SET is not in the environment"),
        ({"folder": Path("/there/is/no/such/folder")}, "No such file or directory"),
        ({"source": {"benchmarks/runs/calls.py": "0" * 16}}, "py is another one here"),
    ],
)
def test_a_machine_that_differs_says_how(changes: dict[str, Any], says: str) -> None:
    _, problem = opened(plan(options_of()), **changes)
    assert says in problem


def test_a_recipe_can_be_sent_and_holds_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_OF_TINY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    judge = {**OPENAI, "api_key": {"env": "KEY_OF_TINY"}}
    options = options_of(judge, "configured", "openai:gpt-4o")
    recipe = recipe_of(options, plan(options))
    assert recipe.variables == ("KEY_OF_TINY", "OPENAI_API_KEY")
    sent = pickle.dumps(recipe)
    assert KEY.encode() not in sent
    assert b"of-the-daemon" not in sent
    assert pickle.loads(sent).options.engine is Engine.PROCESS  # noqa: S301 - our own bytes
    assert recipe.source == source_of(recipe.rooms)
    assert "arwarden/escalate/reading.py" in recipe.source


def test_keys_are_never_sent_and_recordings_not_made_in_pieces() -> None:
    literal = {**OPENAI, "api_key": {"value": KEY}}
    options = options_of(literal, "configured")
    with pytest.raises(
        ConfigError, match=r"the key of judge openai would have to be sent: write api_key: "
    ) as raised:
        recipe_of(options, plan(options))
    assert KEY not in str(raised.value)
    recorded = {"kind": "record", "file": "answers.jsonl", "judge": OPENAI}
    fallback = {"kind": "fallback", "attempts": [{"judge": recorded, "timeout_ms": 1000}]}
    options = options_of(fallback, "configured")
    with pytest.raises(ConfigError, match="record with --engine process"):
        recipe_of(options, plan(options))
    unasked = options_of(literal, "fast")
    assert KEY.encode() not in pickle.dumps(recipe_of(unasked, plan(unasked)))
    with pytest.raises(ConfigError, match="cannot make this plan"):
        recipe_of(unasked, Plan())


def test_recorded_answers_are_given_by_the_run_itself(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.touch()
    options = options_of({"kind": "replay", "file": str(file)}, "configured", f"replay:{file}", "fast")
    assert [asked_here(spec, options) for spec in options.methods] == [True, True, False]
    alone = replace(options, engine=Engine.PROCESS)
    assert all(asked_here(spec, alone) for spec in alone.methods)


def test_limits_of_a_configured_judge_and_gpus() -> None:
    limited = {**OPENAI, "limits": {"concurrent": 3}}
    options = options_of(limited, "mine=configured", "openai:gpt-4o")
    assert most_open(options) == {"mine": 3}
    assert most_open(options_of(None, "fast")) == {}
    assert not takes_a_gpu(options)
    assert takes_a_gpu(options_of(None, "qwen_vl:some/model"))
    assert takes_a_gpu(options_of({"kind": "qwen_vl", "model": "some/model"}, "configured"))


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ConfigError, match=r"not installed: ray; pip install 'arwarden\[ray\]'"):
        Cluster(options_of(), plan(options_of()))


def test_rays_client_protocol_is_refused() -> None:
    with pytest.raises(ConfigError, match="--ray-address auto"):
        Cluster(options_of(ray_address="ray://head:10001"), plan(options_of()))
