"""An OpenAI-compatible server that misbehaves on request: real HTTP and TLS over real sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

from tests.support.certificates import Pair

KEY = "sk-test-0123456789abcdef"


@dataclass(frozen=True)
class Request:
    """What arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    """With names in lower case."""
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.raw)
        return value

    @property
    def responses(self) -> bool:
        return self.path.endswith("/responses")


Behaviour = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class LlmServer:
    """Behaves as ``script`` says, one entry a request; the last entry again and again."""

    script: list[Behaviour]
    tls: Pair | None = None
    requests: list[Request] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    connections: int = 0
    port: int = 0

    @property
    def base_url(self) -> str:
        return f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        context = None
        if self.tls is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(self.tls.certificate, self.tls.key)
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, ssl.SSLError):
                while (request := await _read_request(reader)) is not None:
                    self.requests.append(request)
                    self.asked.set()
                    behaviour = self.script.pop(0) if len(self.script) > 1 else self.script[0]
                    await behaviour(request, writer)
                    if writer.is_closing():
                        break
        except asyncio.CancelledError:
            pass
        finally:
            writer.transport.abort()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
    return Request(method, path, headers, await reader.readexactly(int(headers.get("content-length", "0"))))


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def raw(
    content: bytes, *, status: int = 200, content_type: str = "application/json", **headers: str
) -> Behaviour:
    """Answer with these bytes."""

    async def behave(_: Request, writer: asyncio.StreamWriter) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        writer.write(
            _head(status, {"content-type": content_type, "content-length": str(len(content)), **named})
            + content
        )
        await writer.drain()

    return behave


def says(text: str | None, *, finish: str = "stop", **message: object) -> Behaviour:
    """A well-formed reply with this text, on whichever interface was asked."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        value = _responses_reply(text, finish) if request.responses else _chat_reply(text, finish, message)
        await raw(json.dumps(value).encode())(request, writer)

    return behave


def _chat_reply(text: str | None, finish: str, message: Mapping[str, object]) -> dict[str, Any]:
    said = {"role": "assistant", "content": text, **message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "test-model",
        "choices": [{"index": 0, "message": said, "finish_reason": finish}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 50, "total_tokens": 1050},
    }


def _responses_reply(text: str | None, finish: str) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "model": "test-model",
        "status": "completed" if finish == "stop" else "incomplete",
        "incomplete_details": None if finish == "stop" else {"reason": "max_output_tokens"},
        "output": [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text or ""}]}
        ],
        "usage": {"input_tokens": 1000, "output_tokens": 50},
    }


def status(code: int, message: str = "no", **headers: str) -> Behaviour:
    """An error as OpenAI words them."""
    return raw(
        json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode(),
        status=code,
        **headers,
    )


def echoes_key(code: int) -> Behaviour:
    """An error that repeats the key it was sent, as some servers do."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        await status(code, f"Incorrect API key provided: {request.headers['authorization']}")(request, writer)

    return behave


def supports_only(*modes: str, text: str) -> Behaviour:
    """Refuses every ``response_format`` but these; none at all where there are no modes."""

    async def behave(request: Request, writer: asyncio.StreamWriter) -> None:
        body = request.body
        wanted = body.get("text", {}).get("format") if request.responses else body.get("response_format")
        if wanted is not None and wanted["type"] not in modes:
            said = f"'response_format' of type '{wanted['type']}' is not supported with this model"
            await status(400, said)(request, writer)
        else:
            await says(text)(request, writer)

    return behave


async def never(_: Request, writer: asyncio.StreamWriter) -> None:
    """Take the request and say nothing."""
    await asyncio.sleep(3600)


def drips(every_s: float = 1.0, content: bytes = b'{"choices": [') -> Behaviour:
    """A byte now and then, so that no timeout between bytes ever ends it."""

    async def behave(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(200, {"content-type": "application/json", "content-length": "100000"}))
        while True:
            for byte in content:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(every_s)

    return behave


def endless(chunk: bytes = b" " * 65_536, *, code: int = 200, pause_s: float = 0.0) -> Behaviour:
    """A body that does not end."""

    async def behave(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(_head(code, {"content-type": "application/json", "transfer-encoding": "chunked"}))
        while True:
            writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            await writer.drain()
            await asyncio.sleep(pause_s)

    return behave


async def resets(_: Request, writer: asyncio.StreamWriter) -> None:
    """End the connection with a reset instead of a reply."""
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def hangs_up(_: Request, writer: asyncio.StreamWriter) -> None:
    """End the connection in the middle of a reply."""
    writer.write(
        _head(200, {"content-type": "application/json", "content-length": "1000"}) + b'{"choices": [{"mess'
    )
    await writer.drain()
    writer.close()


def redirects(to: str, code: int = 307) -> Behaviour:
    """Send the client elsewhere."""
    return raw(b"", status=code, location=to)
