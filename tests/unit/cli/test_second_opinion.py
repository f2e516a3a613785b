"""``analyse --judge``: a second opinion on files, and what happens where there is none."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arwarden.cli import analyse
from arwarden.config import FastConfig
from arwarden.core.clock import SystemClock
from arwarden.fast.tier import FastTier
from tests.support.llm_server import KEY, Behaviour, LlmServer, echoes_key, never, says, status
from tests.support.panel_files import FRANCE, NETHERLANDS, RECEPTION, film, picture, save, video
from tests.unit.cli.conftest import Run

JUDGE = {"name", "model", "verdict", "reason", "latency_ms", "tokens", "cost", "prompt_version"}
YES = json.dumps(
    {
        "scene": "a room",
        "virtual_content": "two labels",
        "contradiction": "The labels name two countries.",
        "contradiction_reason": "The labels name two countries.",
        "reason": "The labels name two countries.",
        "verdict": "yes",
    }
)


@pytest.fixture(scope="module")
def tier() -> Iterator[FastTier]:
    fast = FastTier(FastConfig(), SystemClock())
    yield fast
    fast.close_now()


@pytest.fixture(autouse=True)
def lent(monkeypatch: pytest.MonkeyPatch, tier: FastTier) -> None:
    monkeypatch.setattr(analyse, "FastTier", lambda _config, _clock: tier)
    monkeypatch.setattr(tier, "close_now", lambda: None)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@contextmanager
def serving(*script: Behaviour) -> Iterator[LlmServer]:
    """The server in a thread of its own: the command has an event loop of its own."""
    server = LlmServer(list(script))
    ready = threading.Event()
    ends: list[Callable[[], object]] = []

    async def serve() -> None:
        over, loop = asyncio.Event(), asyncio.get_running_loop()
        ends.append(lambda: loop.call_soon_threadsafe(over.set))
        async with server:
            ready.set()
            await over.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(10)
        yield server
    finally:
        ends[0]()
        thread.join(10)


def options(server: LlmServer, *more: object) -> tuple[object, ...]:
    return ("--judge", "openai", "--base-url", server.base_url, "--model", "test-model", "--json", *more)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    return save(tmp_path / "wrong.png", picture(FRANCE, NETHERLANDS))


def only(text: str) -> dict[str, Any]:
    (line,) = text.splitlines()
    value: dict[str, Any] = json.loads(line)
    return value


def test_result_gains_the_judge_in_the_promised_shape(run: Run, wrong: Path) -> None:
    with serving(says(YES)) as server:
        result = run("analyse", wrong, *options(server, "--deadline-ms", 20_000))
    assert result.exit_code == 0
    assert result.stderr == "warning: cost stays null: escalate.budget.prices has no price for test-model\n"
    judge = only(result.stdout)["judge"]
    assert set(judge) == JUDGE
    assert (judge["name"], judge["model"], judge["verdict"]) == ("openai", "test-model", "yes")
    assert "countries" in judge["reason"]
    assert judge["tokens"] == 1050
    assert judge["latency_ms"] > 0
    assert judge["prompt_version"].startswith("contradiction@")
    (request,) = server.requests
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "Made in France" in json.dumps(request.body["messages"]), "what was read goes along as data"


@pytest.mark.parametrize("behaviour", [status(500), status(401), says(None), says("lovely weather"), never])
def test_judge_that_fails_leaves_the_result_and_a_warning(run: Run, wrong: Path, behaviour: Any) -> None:
    with serving(behaviour) as server:
        result = run("analyse", wrong, *options(server, "--deadline-ms", 1500))
    assert result.exit_code == 0
    assert "warning" in result.stderr
    content = only(result.stdout)
    assert content["contradictory"] is True
    assert content["judge"]["verdict"] == "unknown"
    assert content["judge"]["reason"]
    assert content["judge"]["prompt_version"].startswith("contradiction@")


def test_cost_is_known_where_the_price_is(run: Run, wrong: Path, config_file: Any) -> None:
    price = {"input_per_million": 1000.0, "output_per_million": 1000.0}
    path = config_file({"escalate": {"budget": {"prices": {"test-model": price}}}})
    with serving(says(YES)) as server:
        result = run("analyse", wrong, "--config", path, *options(server, "--deadline-ms", 20_000))
    assert only(result.stdout)["judge"]["cost"] == pytest.approx(1.05)
    assert result.stderr == ""


def test_default_endpoint_is_not_even_tried_without_a_key(
    run: Run, wrong: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    result = run("analyse", wrong, "--judge", "openai", "--model", "gpt-4o", "--json")
    assert result.exit_code == 0
    assert "OPENAI_API_KEY is not set" in result.stderr
    judge = only(result.stdout)["judge"]
    assert (judge["verdict"], judge["reason"]) == ("unknown", "no_key")


def test_key_is_never_shown(run: Run, wrong: Path) -> None:
    with serving(echoes_key(401)) as server:
        result = run("analyse", wrong, *options(server))
    assert result.exit_code == 0
    assert KEY not in result.output


def test_video_is_judged_by_its_sharpest_samples(run: Run, tmp_path: Path) -> None:
    path = video(tmp_path / "film.mp4", film(2, lambda _: (FRANCE, RECEPTION)))
    with serving(says(YES)) as server:
        result = run("analyse", path, *options(server, "--deadline-ms", 20_000))
    assert only(result.stdout)["judge"]["verdict"] == "yes"
    assert len(server.requests) == 1


def test_text_names_the_verdict_too(run: Run, wrong: Path) -> None:
    with serving(says(YES)) as server:
        arguments = [option for option in options(server, "--deadline-ms", 20_000) if option != "--json"]
        result = run("analyse", wrong, *arguments)
    assert "judge openai: yes; The labels name two countries." in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--judge", "openai"], "needs --model"),
        (["--judge", "replay"], "needs --replay"),
        (["--judge", "openai", "--model", "m", "--base-url", "no address"], "must be an address"),
        (["--judge", "configured"], "set escalate.judge"),
        (["--model", "m"], "go with --judge"),
        (["--judge", "replay", "--replay", "/nowhere.jsonl"], "does not exist"),
    ],
)
def test_options_that_cannot_be_used_are_said(run: Run, wrong: Path, arguments: list[str], said: str) -> None:
    result = run("analyse", wrong, *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert "Traceback" not in result.output


def test_never_upload_refuses_an_endpoint_and_nothing_connects(
    run: Run, wrong: Path, config_file: Any
) -> None:
    path = config_file({"escalate": {"never_upload": True}})
    with serving(says(YES)) as server:
        result = run("analyse", wrong, "--config", path, *options(server))
    assert result.exit_code == 2
    assert "escalate: never_upload is set" in result.output
    assert server.connections == 0


def test_without_a_judge_nothing_connects_and_the_key_is_not_read(run: Run, wrong: Path) -> None:
    with serving(says(YES)) as server:
        result = run("analyse", wrong, "--json")
    assert "judge" not in only(result.stdout)
    assert server.connections == 0
