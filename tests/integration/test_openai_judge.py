"""The OpenAI-compatible judge against a server that misbehaves in every way, over real sockets."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from arwarden.config import ApiKey, JudgeLimits, LoggingConfig, OpenAiJudgeConfig, Price
from arwarden.core.clock import SystemClock
from arwarden.core.counters import Counters
from arwarden.core.errors import (
    CircuitOpen,
    ConfigError,
    DeadlineExceeded,
    JudgeBroken,
    JudgeBusy,
    JudgeError,
    JudgeRejected,
    JudgeUnreachable,
)
from arwarden.escalate.answers import Answer, ParseStatus, Verdict
from arwarden.escalate.judge import Judge
from arwarden.escalate.opening import open_judge
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import load_prompts
from arwarden.escalate.questions import Question, Scale, Task
from arwarden.observe.logs import configure_logging
from tests.support.certificates import Authority, make_authority
from tests.support.llm_server import (
    KEY,
    Behaviour,
    LlmServer,
    drips,
    echoes_key,
    endless,
    hangs_up,
    never,
    raw,
    redirects,
    resets,
    says,
    status,
    supports_only,
)
from tests.support.loop_lag import LoopLag
from tests.unit.escalate.asking import picture, question

PROMPTS = load_prompts()
PRICES = PriceTable({"test-model": Price(input_per_million=2.0, output_per_million=8.0)})
YES = json.dumps(
    {"scene": "a hall", "virtual_content": [], "contradiction": "left against right", "verdict": "yes"}
)
RATED = json.dumps({"content": "a desk", "assessment": "floats", "rating": 2})
PAIR = json.dumps({scale.value: {"reason": "r", "selection": "B"} for scale in Scale})
PLENTY_MS = 5000.0
ALLOWED_MS = 50.0
FLOOD_LAG_MS = 250.0
"""Without turns in between it is seconds; a busy machine needs the rest."""
CLOCK = SystemClock()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("authority"))


def config(server: LlmServer, **options: Any) -> OpenAiJudgeConfig:
    key = ApiKey(value=KEY)
    return OpenAiJudgeConfig(
        **{"base_url": server.base_url, "model": "test-model", "api_key": key, **options}
    )


@asynccontextmanager
async def serving(*script: Behaviour, **options: Any) -> AsyncIterator[tuple[Judge, LlmServer]]:
    """A judge and the server it asks."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(LlmServer(list(script), tls=options.pop("tls", None)))
        counters = options.pop("counters", Counters())
        judge = open_judge(config(server, **options), CLOCK, PROMPTS, PRICES, counters)
        stack.push_async_callback(judge.close)
        yield judge, server


async def ask(judge: Judge, asked: Question | None = None, within_ms: float = PLENTY_MS) -> Answer:
    return await judge.ask(asked or question(), CLOCK.now_ms() + within_ms)


async def test_a_question_is_asked_and_answered() -> None:
    async with serving(says(YES)) as (judge, server):
        answer = await ask(judge)
    assert answer.verdict is Verdict.YES
    assert answer.judgement.parse is ParseStatus.STRICT
    assert (answer.judge, answer.model, answer.task) == ("openai", "test-model", Task.CONTRADICTION)
    assert answer.prompt_version == PROMPTS.versions["contradiction"]
    assert (answer.spent.tokens_in, answer.spent.tokens_out) == (1000, 50)
    assert answer.spent.cost == pytest.approx(0.0024)
    assert answer.latency_ms > 0
    (request,) = server.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body["response_format"]["type"] == "json_schema"


async def test_a_server_that_repeats_the_key_does_not_make_it_shown() -> None:
    async with serving(says(f"Sorry, not with Bearer {KEY} I think.")) as (judge, _):
        answer = await ask(judge)
    assert answer.verdict is Verdict.UNKNOWN
    assert KEY not in repr(answer)


@pytest.mark.parametrize("written", ["slashes", "letters by number", "twice by number", "with joiners"])
async def test_a_key_that_is_repeated_in_another_writing_is_not_shown_either(written: str) -> None:
    key = "sk-ab/cd+ef/0123456789=="
    by_number = "".join(f"\\u{ord(letter):04x}" for letter in key)
    reply = json.dumps({"choices": [{"message": {"content": "REPLY"}}]})
    forms = {
        "slashes": reply.replace("REPLY", f"Sorry, {key}, no.").replace("/", "\\/").replace("+", "\\u002B"),
        "letters by number": reply.replace("REPLY", f"Sorry, {by_number}, no."),
        "twice by number": reply.replace(
            '"REPLY"',
            json.dumps(YES.replace("left against right", by_number).replace("[]", f'["{by_number}"]')),
        ),
        "with joiners": reply.replace("REPLY", "\u200b".join(key)),
    }
    options = {"api_key": ApiKey(value=key)}
    async with serving(raw(forms[written].encode()), **options) as (judge, _):
        answer = await ask(judge)
    assert "***" in answer.judgement.reason
    assert key not in repr(answer)


@pytest.mark.parametrize("key", ["x", "1", "e", "no", "yes", "verdict"])
async def test_a_key_made_up_for_a_server_that_needs_none_spoils_no_answer(key: str) -> None:
    async with serving(says(YES), api_key=ApiKey(value=key)) as (judge, _):
        answer = await ask(judge)
    assert answer.judgement.parse is ParseStatus.STRICT
    assert answer.judgement.reason == "left against right"


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (Task.SIZE, RATED),
        (Task.SHADOW, RATED),
        (Task.PAIRWISE, PAIR),
        (Task.PLACEMENT_ADJUSTMENT, RATED[:-1] + ', "num1": 0.1, "num2": 0.2}'),
        (Task.SIZE_ADJUSTMENT, RATED[:-1] + ', "num1": 0.5}'),
    ],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_every_judgement_over_both_interfaces(task: Task, text: str, api: str) -> None:
    async with serving(says(text), api=api) as (judge, server):
        answer = await ask(judge, question(task))
    assert answer.judgement.parse is ParseStatus.STRICT
    assert server.requests[0].path == ("/v1/responses" if api == "responses" else "/v1/chat/completions")


async def test_the_papers_plain_text_form() -> None:
    async with serving(says("It floats.\nScore: 2"), answers="line") as (judge, server):
        answer = await ask(judge, question(Task.PLACEMENT))
    assert answer.judgement.rating == 2
    assert "response_format" not in server.requests[0].body


async def test_a_judge_sends_as_many_pictures_as_it_is_set_to() -> None:
    three = Question(Task.CONTRADICTION, (picture(), picture(), picture()))
    for pictures, sent in ((1, 1), (3, 3)):
        async with serving(says(YES), pictures=pictures) as (judge, server):
            await ask(judge, three)
        parts = server.requests[0].body["messages"][1]["content"]
        assert sum(part["type"] == "image_url" for part in parts) == sent


@pytest.mark.parametrize(
    ("modes", "requests"),
    [(("json_schema",), 1), (("json_object",), 2), ((), 3)],
    ids=["schema", "object", "none"],
)
@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_a_mode_that_the_server_refuses_is_stepped_down_once_and_remembered(
    modes: tuple[str, ...], requests: int, api: str
) -> None:
    counters = Counters()
    async with serving(supports_only(*modes, text=YES), api=api, counters=counters) as (judge, server):
        assert (await ask(judge)).verdict is Verdict.YES
        assert len(server.requests) == requests
        assert (await ask(judge)).verdict is Verdict.YES
        assert len(server.requests) == requests + 1, "the second question knows"
    assert counters["escalate.openai.options_refused"] == requests - 1


async def test_a_mode_that_was_chosen_is_not_left() -> None:
    async with serving(supports_only(text=YES), answers="json_schema") as (judge, server):
        with pytest.raises(JudgeRejected):
            await ask(judge)
    assert len(server.requests) == 1


async def test_a_server_without_responses_is_asked_by_chat() -> None:
    async with serving(raw(b'{"detail":"Not Found"}', status=404), says(YES), api="responses") as (
        judge,
        server,
    ):
        assert (await ask(judge)).verdict is Verdict.YES
    assert [request.path for request in server.requests] == ["/v1/responses", "/v1/chat/completions"]


async def test_newer_models_have_their_limit_renamed_and_their_temperature_left_alone() -> None:
    refusals = (
        status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        status(400, "Unsupported value: 'temperature' does not support 0.0"),
    )
    async with serving(*refusals, says(YES)) as (judge, server):
        assert (await ask(judge)).verdict is Verdict.YES
    last = server.requests[-1].body
    assert last["max_completion_tokens"] == 800
    assert not {"max_tokens", "temperature"} & last.keys()


HANGING: dict[str, Behaviour] = {
    "never answers": never,
    "drips": drips(1.0),
    "drips fast": drips(0.01),
    "endless whitespace, slow": endless(b" ", pause_s=0.01),
    "endless error": endless(b" ", code=500, pause_s=0.01),
}


@pytest.mark.parametrize("behaviour", HANGING.values(), ids=HANGING.keys())
async def test_pain_24_wall_time_is_the_deadline_and_no_more_than_50_ms_over(behaviour: Behaviour) -> None:
    async with serving(behaviour) as (judge, server):
        async with LoopLag() as lag:
            begun = time.perf_counter()
            with pytest.raises(DeadlineExceeded):
                await ask(judge, within_ms=400)
            over_ms = (time.perf_counter() - begun) * 1000 - 400
        assert over_ms <= ALLOWED_MS + lag.worst_ms
        assert len(server.requests) == 1, "no attempt of the client's own"


FLOODS = {
    "a byte a piece": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 300_000,
    "interim answers": b"HTTP/1.1 103 Early Hints\r\n\r\n" * 80_000,
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS.keys())
async def test_pain_24_a_flood_of_small_pieces_holds_nobody_up(flood: bytes) -> None:
    async def floods(_: Any, writer: asyncio.StreamWriter) -> None:
        writer.write(flood)
        await writer.drain()
        await never(_, writer)

    async with serving(floods) as (judge, _), LoopLag() as lag:
        with pytest.raises((DeadlineExceeded, JudgeBroken)):
            await ask(judge, within_ms=800)
    assert lag.worst_ms < FLOOD_LAG_MS


async def test_pain_24_stepping_down_does_not_begin_a_new_deadline() -> None:
    refusal = status(400, "response_format is not supported")

    async def slow_refusal(request: Any, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.25)
        await refusal(request, writer)

    async with serving(slow_refusal) as (judge, server):
        async with LoopLag() as lag:
            begun = time.perf_counter()
            with pytest.raises(DeadlineExceeded):
                await ask(judge, within_ms=400)
            over_ms = (time.perf_counter() - begun) * 1000 - 400
        assert over_ms <= ALLOWED_MS + lag.worst_ms
        assert len(server.requests) == 2


async def test_pain_24_an_address_that_swallows_packets() -> None:
    config = OpenAiJudgeConfig(base_url="http://192.0.2.1:81/v1", model="m")
    judge = open_judge(config, CLOCK, PROMPTS, PRICES, Counters())
    async with LoopLag() as lag:
        begun = time.perf_counter()
        # Where there is no route at all, the machine says so at once.
        with pytest.raises((DeadlineExceeded, JudgeUnreachable)):
            await ask(judge, within_ms=300)
        over_ms = (time.perf_counter() - begun) * 1000 - 300
    assert over_ms <= ALLOWED_MS + lag.worst_ms
    await judge.close()


FAILING: dict[str, tuple[Behaviour, type[JudgeError], str]] = {
    "400": (status(400, "image too small"), JudgeRejected, "http_400"),
    "401": (status(401), JudgeRejected, "http_401"),
    "402": (status(402), JudgeRejected, "http_402"),
    "403": (status(403), JudgeRejected, "http_403"),
    "404": (status(404), JudgeRejected, "http_404"),
    "408": (status(408), JudgeBroken, "http_408"),
    "413": (status(413), JudgeRejected, "http_413"),
    "422": (status(422), JudgeRejected, "http_422"),
    "429": (status(429), JudgeBusy, "http_429"),
    "429 with Retry-After": (status(429, retry_after="60"), JudgeBusy, "http_429"),
    "500": (status(500), JudgeBroken, "http_500"),
    "502 of a proxy": (
        raw(b"<html>bad gateway", status=502, content_type="text/html"),
        JudgeBroken,
        "http_502",
    ),
    "503": (status(503), JudgeBroken, "http_503"),
    "503 with Retry-After": (status(503, retry_after="2"), JudgeBusy, "http_503"),
    "reset": (resets, JudgeUnreachable, "connection"),
    "hangs up": (hangs_up, JudgeUnreachable, "connection"),
    "redirect": (redirects("http://192.0.2.1/v1/chat/completions"), JudgeRejected, "http_307"),
    "redirect for good": (redirects("https://elsewhere.test/", 301), JudgeRejected, "http_301"),
    "web page": (raw(b"<!doctype html><p>Sign in", content_type="text/html"), JudgeBroken, "not_json"),
    "nothing": (raw(b""), JudgeBroken, "not_json"),
    "truncated": (raw(b'{"choices": [{"message": {"cont'), JudgeBroken, "truncated_reply"),
    "no choices": (raw(b'{"choices": []}'), JudgeBroken, "no_choices"),
    "error inside 200": (raw(b'{"error": {"message": "overloaded"}}'), JudgeBroken, "error_in_reply"),
    "endless whitespace": (endless(), JudgeBroken, "reply_too_long"),
    "endless error": (endless(code=500), JudgeBroken, "reply_too_long"),
    "compressed": (raw(b"\x1f\x8b", content_encoding="gzip"), JudgeBroken, "compressed_reply"),
    "nested brackets": (raw(b"[" * 20_000), JudgeBroken, "truncated_reply"),
}


@pytest.mark.parametrize(("behaviour", "kind", "reason"), FAILING.values(), ids=FAILING.keys())
async def test_pain_24_failures_have_a_kind_and_a_name_and_are_not_tried_again(
    behaviour: Behaviour, kind: type[JudgeError], reason: str
) -> None:
    async with serving(behaviour) as (judge, server):
        with pytest.raises(kind) as caught:
            await ask(judge)
        assert caught.value.reason == reason
        assert type(caught.value) is kind
        assert "openai" in str(caught.value)
        assert len(server.requests) == 1


async def test_pain_24_the_breaker_opens_and_lets_a_probe_through() -> None:
    limits = JudgeLimits(failures=3, open_ms=150)
    counters = Counters()
    script = (status(500), status(500), resets, says(YES))
    async with serving(*script, limits=limits, counters=counters) as (judge, server):
        for _ in range(3):
            with pytest.raises(JudgeError):
                await ask(judge)
        begun = time.perf_counter()
        with pytest.raises(CircuitOpen):
            await ask(judge)
        assert time.perf_counter() - begun < 0.1
        assert len(server.requests) == 3
        await asyncio.sleep(0.2)
        assert (await ask(judge)).verdict is Verdict.YES
    assert counters["escalate.openai.circuit_open"] == 1


async def test_pain_24_retry_after_keeps_us_away() -> None:
    async with serving(status(429, retry_after="60"), says(YES)) as (judge, server):
        with pytest.raises(JudgeBusy) as caught:
            await ask(judge)
        assert caught.value.retry_after_ms == 60_000
        with pytest.raises(CircuitOpen):
            await ask(judge)
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"retry_after_ms": "1500"}, 1500.0),
        ({"retry_after": "1.5"}, 1500.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-3"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after": "Fri, 01 Jan 1999 00:00:00 GMT"}, None),
        ({}, None),
    ],
)
async def test_retry_after_in_all_its_forms(headers: dict[str, str], expected: float | None) -> None:
    async with serving(status(429, **headers)) as (judge, _):
        with pytest.raises(JudgeBusy) as caught:
            await ask(judge)
    assert caught.value.retry_after_ms == expected


async def test_retry_after_as_a_date() -> None:
    async with serving(status(503, retry_after="Fri, 31 Dec 9999 23:59:59 GMT")) as (judge, _):
        with pytest.raises(JudgeBusy) as caught:
            await ask(judge)
    assert caught.value.retry_after_ms is not None
    assert caught.value.retry_after_ms > 1e12


UNREADABLE: dict[str, Behaviour] = {
    "null content": says(None),
    "empty content": says(""),
    "whitespace": says(" \n" * 5000),
    "truncated JSON": says('{"scene": "a hall", "verdict": "no', finish="length"),
    "refusal": says("I'm sorry, but I can't help with that."),
    "refusal member": says(None, refusal="I can't help with that."),
    "blind": says("I cannot see images. No"),
    "the form": says('{"verdict": "yes|no"}'),
    "a megabyte": says("lorem ipsum " * 87_000),
    "thoughts only": says("", reasoning_content="The answer is\n**No**"),
    "unfinished thoughts": says("<think>it may be that the answer is no", finish="length"),
    "another schema": says('{"colour": "blue"}'),
}


@pytest.mark.parametrize("behaviour", UNREADABLE.values(), ids=UNREADABLE.keys())
async def test_pain_25_what_cannot_be_read_is_unknown_with_a_reason_never_no(behaviour: Behaviour) -> None:
    async with serving(behaviour) as (judge, _):
        answer = await ask(judge)
    assert answer.verdict is Verdict.UNKNOWN
    assert answer.judgement.problem
    assert answer.spent.tokens_in == 1000, "it has cost what it has cost"


READABLE: dict[str, Behaviour] = {
    "fences": says(f"Sure!\n```json\n{YES}\n```"),
    "schema ignored": says("The arrow points left, the text says right.\n**Yes**"),
    "single quotes": says("{'verdict': 'yes'}"),
    "among the thoughts": says(None, reasoning_content=YES),
    "after the thoughts": says(f"<think>No? Let me look.</think>{YES}"),
    "another language": says("Der Pfeil zeigt nach links.\n\nJa"),
    "parts": says(None, content=[{"type": "text", "text": YES}]),
    "a megabyte and an answer": says("lorem ipsum " * 87_000 + "\n**Yes**"),
    "another content type": raw(
        json.dumps({"choices": [{"message": {"content": YES}}], "usage": {"prompt_tokens": 1000}}).encode(),
        content_type="text/plain",
    ),
}


@pytest.mark.parametrize("behaviour", READABLE.values(), ids=READABLE.keys())
async def test_pain_25_what_is_plain_is_read_though_it_is_not_the_form_asked_for(
    behaviour: Behaviour,
) -> None:
    async with serving(behaviour) as (judge, _):
        assert (await ask(judge)).verdict is Verdict.YES


async def test_tls_with_an_authority_of_ones_own(authority: Authority) -> None:
    async with serving(says(YES), tls=authority.server, ca_file=authority.ca_file) as (judge, _):
        assert (await ask(judge)).verdict is Verdict.YES


async def test_tls_that_cannot_be_trusted(authority: Authority) -> None:
    for options in ({}, {"ca_file": authority.other_ca_file}):
        async with serving(says(YES), tls=authority.server, **options) as (judge, server):
            with pytest.raises(JudgeUnreachable) as caught:
                await ask(judge)
            assert caught.value.reason == "tls"
            assert "ca_file" in str(caught.value)
            assert server.requests == []


@pytest.mark.filterwarnings(
    "ignore:unclosed"
)  # anyio leaves the socket of a cancelled handshake to the collector
async def test_tls_towards_a_server_that_speaks_none() -> None:
    async with serving(says(YES)) as (_, server):
        config = OpenAiJudgeConfig(base_url=f"https://127.0.0.1:{server.port}/v1", model="m")
        judge = open_judge(config, CLOCK, PROMPTS, PRICES, Counters())
        with pytest.raises((JudgeUnreachable, DeadlineExceeded)):
            await ask(judge, within_ms=500)
        await judge.close()
    gc.collect()


async def test_what_is_meant_for_this_machine_goes_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    async with LlmServer([says(YES)]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        async with serving(says(YES)) as (judge, server):
            assert (await ask(judge)).verdict is Verdict.YES
        assert server.connections == 1
        assert proxy.connections == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ALL_PROXY", "http://user:hush-hush@[::1"),
        ("ALL_PROXY", "gopher://user:hush-hush@127.0.0.1:1"),
        ("SSL_CERT_FILE", "/nowhere/hush-hush.pem"),
    ],
)
async def test_variables_that_no_client_can_be_made_with_are_named(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    wanted = OpenAiJudgeConfig(model="m", base_url="https://models.example/v1", api_key=ApiKey(value=KEY))
    with pytest.raises(ConfigError, match=f"check base_url, .*{name}") as caught:
        open_judge(wanted, CLOCK, PROMPTS, PRICES, Counters())
    assert "hush-hush" not in chain(caught.value)
    assert KEY not in chain(caught.value)


async def test_nobody_listens() -> None:
    async with serving(says(YES)) as (_, server):
        gone = server.base_url
    judge = open_judge(OpenAiJudgeConfig(base_url=gone, model="m"), CLOCK, PROMPTS, PRICES, Counters())
    with pytest.raises(JudgeUnreachable, match="check base_url"):
        await ask(judge)
    await judge.close()


async def test_a_redirect_takes_no_picture_to_where_it_leads() -> None:
    async with LlmServer([says(YES)]) as elsewhere:
        for code in (301, 302, 303, 307, 308):
            async with serving(redirects(f"{elsewhere.base_url}/chat/completions", code)) as (judge, _):
                with pytest.raises(JudgeRejected, match="set base_url to where it leads"):
                    await ask(judge)
        assert elsewhere.connections == 0


def chain(error: BaseException | None) -> str:
    texts = []
    while error is not None:
        texts.append(f"{error!r} {error} {error.__dict__}")
        error = error.__cause__
    return " ".join(texts)


@pytest.mark.parametrize("level", ["debug", "info"])
async def test_keys_and_pictures_are_in_no_log_and_no_error(
    level: Any, monkeypatch: pytest.MonkeyPatch, restore_logging: Callable[[], None]
) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    configure_logging(LoggingConfig(level=level, format="json"))
    failures = (echoes_key(401), echoes_key(400), resets, echoes_key(500), raw(KEY.encode()))
    for behaviour in failures:
        async with serving(behaviour) as (judge, server):
            with pytest.raises(JudgeError) as caught:
                await ask(judge)
            assert KEY in server.requests[0].headers["authorization"]
            assert KEY not in chain(caught.value)
            structlog.get_logger("test").error("failed", exc_info=caught.value)
    async with serving(says(YES)) as (judge, server):
        await ask(judge)
        assert KEY not in repr(config(server))
    written = out.getvalue()
    assert "failed" in written
    assert KEY not in written
    assert "base64" not in written
    assert "virtual content" not in written


@pytest.fixture
def restore_logging() -> Any:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


async def test_connections_are_kept_and_closed() -> None:
    async with serving(says(YES)) as (judge, server):
        for _ in range(5):
            await ask(judge)
        assert server.connections == 1


async def test_a_question_that_is_given_up_frees_its_connection() -> None:
    async with serving(never) as (judge, server):
        asker = asyncio.ensure_future(ask(judge))
        await asyncio.wait_for(server.asked.wait(), 5)
        asker.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asker


async def test_extra_members_reach_the_server() -> None:
    async with serving(says(YES), extra_body={"reasoning_effort": "low"}) as (judge, server):
        await ask(judge)
    assert server.requests[0].body["reasoning_effort"] == "low"


async def test_a_file_of_the_authority_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "ca.pem"
    path.write_text("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n")
    with pytest.raises(Exception, match="holds no certificate"):
        async with serving(says(YES), ca_file=path):
            pass
