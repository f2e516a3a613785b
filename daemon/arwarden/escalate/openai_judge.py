"""A judge behind any OpenAI-compatible endpoint, through the ``openai`` package's asynchronous client."""

from __future__ import annotations

import asyncio
import email.utils
import importlib
import ipaddress
import re
import ssl
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final
from urllib.parse import urlsplit

import httpcore2
import httpx2
import openai
import structlog

from arwarden.config import OpenAiJudgeConfig
from arwarden.core.clock import Clock
from arwarden.core.counters import Counters
from arwarden.core.errors import (
    ConfigError,
    JudgeBroken,
    JudgeBusy,
    JudgeError,
    JudgeRejected,
    JudgeUnreachable,
)
from arwarden.escalate.answers import Answer, Judgement
from arwarden.escalate.deadline import Deadlines
from arwarden.escalate.dialect import AnswerMode, Api, Dialect
from arwarden.escalate.prices import PriceTable
from arwarden.escalate.prompts import PromptSet
from arwarden.escalate.questions import Question
from arwarden.escalate.reading import read_answer
from arwarden.escalate.rendering import BoxUnit, Rendered, render
from arwarden.escalate.wire import Body, Malformed, Reply, read_reply, request_body

log = structlog.get_logger(__name__)

MAX_REPLY_BYTES: Final = 4_194_304
"""An answer takes some kilobytes. Beyond this an endpoint is broken, or wants our memory."""
MAX_REPLY_PIECES: Final = 20_000
"""It comes in one piece or in some dozens. A byte a piece keeps us busy for nothing."""
READ_BYTES: Final = 8192
"""Read at a time: between two readings everything else has its turn."""
PIECES_A_TURN: Final = 64
MAX_ERROR_CHARS: Final = 4000
MAX_STEPS: Final = 6
"""Refused options that one question may find out about."""
WORD_CHARS: Final = 8
"""Shorter keys, such as the "x" for a server that needs none, are hidden only where they are a word."""
NO_KEY: Final = "none"
"""The client insists on a key; servers that need none ignore it."""
_PATHS: Final = {Api.CHAT: "/chat/completions", Api.RESPONSES: "/responses"}
_FIXES: Final = {
    401: "the key is refused; check api_key",
    402: "the account has no credit left",
    403: "the key may not use this model or endpoint; check api_key and model",
    404: "no such model or path; check model and base_url (it usually ends in /v1)",
    413: "the request is too large; send smaller pictures",
    429: "too many requests, or no credit left",
}


class OpenAiJudge:
    """Asks one model at one endpoint. The client makes no attempts of its own: one deadline rules all.

    Options that the endpoint refuses are left out in the next attempt and for good. Redirects are not
    followed: they would send pictures to an address that nobody configured.
    """

    def __init__(
        self,
        config: OpenAiJudgeConfig,
        clock: Clock,
        prompts: PromptSet,
        prices: PriceTable,
        counters: Counters | None = None,
    ) -> None:
        self._config = config
        self._clock = clock
        self._prompts = prompts
        self._prices = prices
        self._counters = counters if counters is not None else Counters()
        self._unit = BoxUnit(config.boxes)
        self._deadlines = Deadlines(config.name, clock)
        automatic = config.answers == "auto"
        self._dialect = Dialect(
            api=Api(config.api),
            mode=AnswerMode.JSON_SCHEMA if automatic else AnswerMode(config.answers),
            fixed_mode=not automatic,
        )
        # What the client loads at its first request takes 0.2 s on a slow machine: not out of a deadline.
        with suppress(ImportError):
            importlib.import_module("anyio._backends._asyncio")
        key = _usable_key(config)
        self._secret = None if key == NO_KEY else _secret(key)
        self._client = _client(config, key)

    @property
    def name(self) -> str:
        """The configured name."""
        return self._config.name

    @property
    def model(self) -> str:
        """The model's name at the endpoint."""
        return self._config.model

    @property
    def uploads(self) -> bool:
        """True unless the endpoint is on this machine."""
        return not _is_loopback(self._config.base_url)

    async def ask(self, question: Question, deadline_ms: float) -> Answer:
        """Ask the endpoint. Raises ``DeadlineExceeded`` and ``JudgeError``."""
        begun_ms = self._clock.now_ms()
        return await self._deadlines.run(self._ask(question, begun_ms), deadline_ms)

    async def close(self) -> None:
        """Close the connections."""
        await self._deadlines.close()
        await self._client.close()

    async def _ask(self, question: Question, begun_ms: float) -> Answer:
        question = question.limited(self._config.pictures)
        reply, rendered = await self._reply(question)
        judgement = read_answer(question, reply.written, self._unit)
        if self._secret is not None:
            judgement = _without_key(judgement, self._secret)
        return Answer(
            judge=self.name,
            model=self.model,
            task=question.task,
            prompt_version=rendered.version,
            judgement=judgement,
            latency_ms=self._clock.now_ms() - begun_ms,
            spent=self._prices.spent(self.model, reply.tokens_in, reply.tokens_out),
        )

    async def _reply(self, question: Question) -> tuple[Reply, Rendered]:
        dialect = self._dialect
        for _ in range(MAX_STEPS):
            rendered = render(question, self._prompts, dialect.mode.form, self._unit)
            try:
                content = await self._post(_PATHS[dialect.api], self._body(rendered, question, dialect))
                return read_reply(content, dialect.api), rendered
            except openai.APIStatusError as error:
                following = dialect.after_refusal(error.status_code, _said(error))
                if following is None:
                    raise _status_error(self.name, error) from None
                self._counters.add(f"escalate.{self.name}.options_refused")
                log.info(
                    "judge_option_refused", judge=self.name, status=error.status_code, now=following.mode
                )
                dialect = self._dialect = following
            except Malformed as error:
                raise JudgeBroken(self.name, error.reason, "the reply is in no known form") from None
        raise JudgeRejected(self.name, "options", "the endpoint refuses one option after the other")

    def _body(self, rendered: Rendered, question: Question, dialect: Dialect) -> Body:
        config = self._config
        body = request_body(
            rendered,
            question.task,
            dialect,
            model=config.model,
            max_tokens=config.max_output_tokens,
            temperature=config.temperature,
        )
        return {**body, **config.extra_body}

    async def _post(self, path: str, body: Body) -> bytes:
        try:
            response = await self._client.post(path, cast_to=httpx2.Response, body=body)
        except (openai.APIStatusError, Malformed):
            raise
        except openai.APIConnectionError as error:
            raise _connection_error(self.name, error) from None
        except Exception as error:  # noqa: BLE001  # whatever it is, its text may hold the request
            raise JudgeBroken(self.name, "client", f"the client broke: {type(error).__name__}") from None
        return response.content


class _CappedStream(httpx2.AsyncByteStream):
    """A body that ends with an error where it is longer than anything we would read."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = pieces = 0
        async for chunk in self._stream:
            read += len(chunk)
            pieces += 1
            if pieces % PIECES_A_TURN == 0:
                await asyncio.sleep(0)  # what has arrived already is given out without a pause
            if read > MAX_REPLY_BYTES or pieces > MAX_REPLY_PIECES:
                await self._stream.aclose()  # the client leaves an error's half-read body open
                raise Malformed("reply_too_long")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


async def _cap(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", "identity") != "identity":
        raise Malformed("compressed_reply")  # not asked for, and a few kilobytes of it can become gigabytes
    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _CappedStream(response.stream)


def _client(config: OpenAiJudgeConfig, key: str) -> openai.AsyncOpenAI:
    try:
        return openai.AsyncOpenAI(
            api_key=key,
            base_url=config.base_url,
            max_retries=0,
            timeout=None,  # the deadline covers connecting, sending and waiting together
            http_client=_http_client(config),
        )
    except ConfigError:
        raise
    except Exception as error:  # noqa: BLE001  # an address, a proxy or a certificate; its text may hold a password
        problem = (
            f"no client for {config.base_url} can be made ({type(error).__name__}); check base_url, and the "
            "variables HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE and SSLKEYLOGFILE"
        )
        raise ConfigError(f"judge {config.name}", [problem]) from None


def _http_client(config: OpenAiJudgeConfig) -> httpx2.AsyncClient:
    httpcore2.AsyncHTTP11Connection.READ_NUM_BYTES = READ_BYTES
    verify: ssl.SSLContext | bool = True
    if config.ca_file is not None:
        try:
            verify = ssl.create_default_context(cafile=str(config.ca_file))
        except (ssl.SSLError, OSError):
            raise ConfigError(
                f"judge {config.name}",
                [f"{config.ca_file} holds no certificate in PEM form; name one that does"],
            ) from None
    return openai.DefaultAsyncHttpxClient(
        follow_redirects=False,
        # A proxy is for addresses elsewhere: what is meant for this machine does not leave it.
        trust_env=not _is_loopback(config.base_url),
        timeout=None,
        verify=verify,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_cap]},
    )


def _usable_key(config: OpenAiJudgeConfig) -> str:
    key = config.api_key.reveal().strip() if config.api_key is not None else NO_KEY
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        fix = "the key is empty or holds characters that no HTTP header can carry; copy it again"
        raise ConfigError(f"judge {config.name}", [f"api_key: {fix}"])
    return key


def _secret(key: str) -> re.Pattern[str]:
    exact = re.escape(key)
    return re.compile(exact if len(key) >= WORD_CHARS else rf"(?<!\w){exact}(?!\w)")


def _without_key(judgement: Judgement, secret: re.Pattern[str]) -> Judgement:
    """A server may repeat what it was sent, in any writing; the key never becomes a reason that is shown."""

    def hidden(text: str) -> str:
        return secret.sub("***", text)

    return replace(
        judgement,
        reason=hidden(judgement.reason),
        elements=tuple(replace(element, text=hidden(element.text)) for element in judgement.elements),
        comparisons=tuple(replace(one, reason=hidden(one.reason)) for one in judgement.comparisons),
    )


def _is_loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _said(error: openai.APIStatusError) -> str:
    """What the endpoint says about a refusal: for deciding what to try next, never for logs."""
    return error.response.text[:MAX_ERROR_CHARS]


def _status_error(judge: str, error: openai.APIStatusError) -> JudgeError:
    status = error.status_code
    reason = f"http_{status}"
    detail = f"HTTP {status}: {_FIXES[status]}" if status in _FIXES else f"HTTP {status}"
    retry_after_ms = _retry_after_ms(error.response.headers)
    if status == 429 or (status == 503 and retry_after_ms is not None):
        return JudgeBusy(judge, reason, detail, retry_after_ms=retry_after_ms)
    if 300 <= status < 400:
        return JudgeRejected(judge, reason, f"HTTP {status}: a redirect; set base_url to where it leads")
    if status in (408, 409) or status >= 500:
        return JudgeBroken(judge, reason, detail)
    return JudgeRejected(judge, reason, detail)


def _retry_after_ms(headers: httpx2.Headers) -> float | None:
    """When to come again: ``retry-after-ms``, or ``Retry-After`` in seconds or as a date (RFC 9110)."""
    try:
        if "retry-after-ms" in headers:
            wait_ms = float(headers["retry-after-ms"])
        else:
            wait_ms = float(headers["retry-after"]) * 1000.0
    except KeyError:
        return None
    except ValueError:
        try:
            when = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
            wait_ms = (when.timestamp() - time.time()) * 1000.0
        except (ValueError, OverflowError, OSError):
            return None
    return wait_ms if 0.0 <= wait_ms < float("inf") else None


def _connection_error(judge: str, error: openai.APIConnectionError) -> JudgeError:
    causes = list(_causes(error))
    malformed = next((cause for cause in causes if isinstance(cause, Malformed)), None)
    if malformed is not None:
        return JudgeBroken(judge, malformed.reason, "the reply is in no form that is read")
    if any(isinstance(cause, ssl.SSLError) or "CERTIFICATE_VERIFY" in str(cause) for cause in causes):
        return JudgeUnreachable(
            judge, "tls", "TLS failed; check base_url, and ca_file where the certificate is your own"
        )
    kind = type(causes[0]).__name__ if causes else type(error).__name__
    return JudgeUnreachable(judge, "connection", f"no connection, or it broke ({kind}); check base_url")


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen = 0
    cause = error.__cause__ or error.__context__
    while cause is not None and seen < 8:
        yield cause
        cause, seen = cause.__cause__ or cause.__context__, seen + 1
