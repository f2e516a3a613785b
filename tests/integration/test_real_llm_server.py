"""The OpenAI-compatible judge against a server that somebody else wrote: ``transformers serve``."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arwarden.config import OpenAiJudgeConfig
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import DeadlineExceeded, JudgeError
from arwarden.escalate.answers import Verdict
from arwarden.escalate.judge import Judge
from arwarden.escalate.opening import open_judge
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.questions import Form, Question, Task
from tests.support.mosquitto import free_port
from tests.unit.escalate.asking import picture, question

PROGRAM = Path(sys.executable).with_name("transformers")
NEEDED = ("torch", "transformers", "fastapi", "uvicorn")
START_S = 300.0
CLOCK = SystemClock()

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED) or not PROGRAM.exists(),
        reason="a server to ask is not installed: pip install torch 'transformers[serving]'",
    ),
    pytest.mark.xdist_group("qwen"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Address and model of a running server."""
    from tests.support.tiny_models import save_tiny_llava

    folder = save_tiny_llava(tmp_path_factory.mktemp("llava"))
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    with (folder / "server.log").open("wb") as log:
        child = subprocess.Popen([PROGRAM, "serve", str(folder), *options], stdout=log, stderr=log)
    try:
        _wait_until_up(f"http://127.0.0.1:{port}/health", child)
        yield f"http://127.0.0.1:{port}/v1", str(folder)
    finally:
        child.terminate()
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait(15)


def _wait_until_up(url: str, child: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        assert child.poll() is None, "the server has ended"
        try:
            with urllib.request.urlopen(url, timeout=2) as response:  # noqa: S310  # our own address
                if response.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.5)
    pytest.fail(f"the server was not up within {START_S:.0f} s")


def opened(server: tuple[str, str], **options: Any) -> Judge:
    base_url, model = server
    config = OpenAiJudgeConfig(**{"base_url": base_url, "model": model, "max_output_tokens": 16, **options})
    return open_judge(config, CLOCK, load_prompts(), PriceTable({}), Counters())


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("answers", ["auto", "line"])
async def test_questions_get_through_and_answers_come_back(
    server: tuple[str, str], api: str, answers: str
) -> None:
    judge = opened(server, api=api, answers=answers)
    try:
        answer = await judge.ask(question(), CLOCK.now_ms() + 120_000)
    finally:
        await judge.close()
    assert answer.verdict is Verdict.UNKNOWN, "random weights say nothing of sense"
    # It does not say over responses that the answer ended at the limit.
    assert answer.judgement.problem == ("cut_off" if api == "chat" else "no_verdict")
    assert answer.judgement.reason
    assert answer.spent.tokens_out > 0
    assert answer.spent.tokens_in > 100


async def test_several_pictures_and_examples_get_through(server: tuple[str, str]) -> None:
    judge = opened(server, pictures=3)
    asked = [
        Question(Task.CONTRADICTION, (picture(), picture(), picture())),
        question(Task.SIZE, form=Form.FEW_SHOT),
        question(Task.PAIRWISE),
    ]
    try:
        for one in asked:
            answer = await judge.ask(one, CLOCK.now_ms() + 120_000)
            assert answer.spent.tokens_in > 100
    finally:
        await judge.close()


async def test_its_deadline_is_kept_while_the_server_works(server: tuple[str, str]) -> None:
    judge = opened(server, max_output_tokens=4000)
    try:
        with pytest.raises(DeadlineExceeded):
            await judge.ask(question(), CLOCK.now_ms() + 300)
    finally:
        await judge.close()


async def test_a_model_that_the_server_does_not_have(server: tuple[str, str]) -> None:
    judge = opened((server[0], "no-such-owner/no-such-model"))
    try:
        with pytest.raises(JudgeError) as caught:
            await judge.ask(question(), CLOCK.now_ms() + 60_000)
    finally:
        await judge.close()
    assert caught.value.reason.startswith("http_")
