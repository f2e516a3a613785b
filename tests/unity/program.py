"""A console program of the package's, run by mono: its lines are waited for, commands are written to it."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.unity.mono import runtime

LINE_TIMEOUT_S = 20.0


class Program:
    """One process. ``lines`` is everything it has said."""

    def __init__(self, program: Path, **options: object) -> None:
        self.lines: list[str] = []
        self._command = [runtime(), str(program), *(f"{name}={value}" for name, value in options.items())]
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._reading = asyncio.create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        process = self.process
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        await process.wait()
        if self._reading is not None:
            await self._reading
        if process.stdin is not None:
            process.stdin.close()

    @property
    def process(self) -> asyncio.subprocess.Process:
        if self._process is None:
            msg = "the program is not running"
            raise RuntimeError(msg)
        return self._process

    async def say(self, line: str) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        stdin.write(f"{line}\n".encode())
        await stdin.drain()

    async def wait_for(self, start: str, count: int = 1) -> list[str]:
        """The lines that begin so, once there are ``count`` of them."""

        def found() -> list[str]:
            return [line for line in self.lines if line.startswith(start)]

        try:
            async with asyncio.timeout(LINE_TIMEOUT_S), self._news:
                await self._news.wait_for(lambda: len(found()) >= count)
        except TimeoutError:
            msg = f"never said {start!r} {count} times, but:\n" + "\n".join(self.lines[-40:])
            raise AssertionError(msg) from None
        return found()

    async def counters(self) -> dict[str, int]:
        """What it has counted so far, asked for now."""
        before = len([line for line in self.lines if line.startswith("counters ")])
        await self.say("counters")
        last = (await self.wait_for("counters ", before + 1))[-1]
        pairs = (part.split("=") for part in last.split()[1:])
        return {name: int(value) for name, value in pairs}

    async def has_counted(self, **wanted: int) -> None:
        """Wait until it has counted this: an acknowledgement may come after what it is about."""
        found: dict[str, int] = {}
        try:
            async with asyncio.timeout(LINE_TIMEOUT_S):
                while not wanted.items() <= found.items():
                    found = await self.counters()
                    await asyncio.sleep(0.02)
        except TimeoutError:
            raise AssertionError(f"{found} is not {wanted}") from None

    async def quit(self) -> int:
        """End it as a person would; its exit status."""
        await self.say("quit")
        async with asyncio.timeout(LINE_TIMEOUT_S):
            return await self.process.wait()

    async def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        while line := await stdout.readline():
            async with self._news:
                self.lines.append(line.decode().rstrip("\n"))
                self._news.notify_all()
