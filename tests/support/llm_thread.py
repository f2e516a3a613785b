"""An OpenAI-compatible server in a thread, for askers that run in other processes."""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from tests.support.llm_server import Behaviour, LlmServer, Request, says


class LlmThread:
    """Behaves as ``first`` says, one entry a request, then gives each question an answer of its own."""

    def __init__(self, *, takes_s: float = 0.1, first: Sequence[Behaviour] = ()) -> None:
        self.requests: list[Request] = []
        self.open: Counter[str] = Counter()
        self.most_open: Counter[str] = Counter()
        self.takes_s = takes_s
        """For an answer; may change on the way."""
        self._server = LlmServer([*first, self._answer], requests=self.requests)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def base_url(self) -> str:
        return self._server.base_url

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result(30)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        leaving = self._server.__aexit__(kind, error, trace)
        asyncio.run_coroutine_threadsafe(leaving, self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(30)
        self._loop.close()

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> None:
        model = str(request.body["model"])
        self.open[model] += 1
        self.most_open[model] = max(self.most_open[model], self.open[model])
        try:
            await asyncio.sleep(self.takes_s)
        finally:
            self.open[model] -= 1
        number = zlib.crc32(request.raw)
        verdict = "yes" if number % 2 else "no"
        await says(f'{{"scene": "{number}", "reason": "{number}", "verdict": "{verdict}"}}')(request, writer)
