"""Judges in ``doctor``: whether an endpoint is there is seen without a question, a picture or a shown key."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from arwarden.cli import doctor
from arwarden.cli.endpoints import look_at
from arwarden.config import ApiKey, Config, OpenAiJudgeConfig
from tests.support.mosquitto import free_port

KEY = "sk-test-0123456789abcdef"
LIST = json.dumps({"object": "list", "data": [{"id": "here"}, {"id": "models/gemini"}, {"id": 7}]}).encode()
Requests = list[tuple[str, str, str | None]]


@contextmanager
def endpoint(status: int, body: bytes = b"", *, hangs: bool = False) -> Iterator[tuple[str, Requests]]:
    requests: Requests = []
    release = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append((self.command, self.path, self.headers["Authorization"]))
            if hangs:
                release.wait(10)
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the base class's naming

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", requests
    finally:
        release.set()
        server.shutdown()
        thread.join()
        server.server_close()


def judge(base_url: str, model: str = "here", key: str | None = KEY) -> OpenAiJudgeConfig:
    given = None if key is None else ApiKey.model_validate({"value": key})
    return OpenAiJudgeConfig(base_url=base_url, model=model, api_key=given)


@pytest.mark.parametrize(
    ("status", "body", "model", "outcome", "said"),
    [
        (200, LIST, "here", "ok", "nothing was sent but the key"),
        (200, LIST, "gemini", "ok", "there"),
        (200, LIST, "gone", "fail", "has no model gone"),
        (200, b"<html>", "here", "warn", "no known form"),
        (200, b"[" * 100_000, "here", "warn", "no known form"),
        (200, b" " * 3_000_000, "here", "warn", "no known form"),
        (401, b"", "here", "fail", "refuses the key"),
        (404, b"", "here", "warn", "lists no models"),
        (302, b"", "here", "fail", "HTTP 302"),
        (500, b"", "here", "fail", "HTTP 500"),
    ],
)
def test_what_an_endpoint_says(status: int, body: bytes, model: str, outcome: str, said: str) -> None:
    with endpoint(status, body) as (base_url, requests):
        found = look_at(judge(base_url, model))
    assert (found.status, said in found.detail) == (outcome, True)
    assert requests == [("GET", "/v1/models", f"Bearer {KEY}")], "one look, and no question"
    assert KEY not in repr(found)


def test_server_that_needs_no_key_is_given_none() -> None:
    with endpoint(401) as (base_url, requests):
        found = look_at(judge(base_url, key=None))
    assert "wants a key" in found.detail
    assert requests[0][2] is None


def test_silent_and_absent_endpoints_end_in_time() -> None:
    with endpoint(200, hangs=True) as (base_url, _):
        found = look_at(judge(base_url), timeout_s=0.2)
    assert (found.status, "did not answer within 0.2 s" in found.detail) == ("fail", True)
    gone = look_at(judge(f"http://127.0.0.1:{free_port()}/v1"))
    assert (gone.status, "cannot be reached" in gone.detail) == ("fail", True)


def test_doctor_checks_every_judge_of_a_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARWARDEN_NO_SUCH_KEY", raising=False)
    with endpoint(200, LIST) as (base_url, _):
        cloud = {"kind": "openai", "name": "cloud", "model": "m", "api_key": {"env": "ARWARDEN_NO_SUCH_KEY"}}
        local = {"kind": "openai", "name": "local", "model": "here", "base_url": base_url}
        attempts = [{"judge": one, "timeout_ms": 100} for one in (cloud, local)]
        config = Config.model_validate({"escalate": {"judge": {"kind": "fallback", "attempts": attempts}}})
        off, there = doctor._judges(config)
    assert (off.status, off.detail) == ("fail", "cloud is switched off: no_key")
    assert "export it before the start" in off.fix
    assert there.status == "ok"
    assert list(doctor._judges(Config())) == []
