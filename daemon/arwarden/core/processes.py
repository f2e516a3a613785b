"""Ending a child process."""

from __future__ import annotations

import asyncio
import contextlib


async def end_process(process: asyncio.subprocess.Process, timeout_s: float) -> None:
    """Ask a process to end, end it by force after ``timeout_s``, and wait until it has ended."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(timeout_s):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
