"""A run whose questions cost nothing, keep a diary, and end their worker where they are told to."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from arwarden.config import Config
from arwarden.escalate.budget import Estimate
from benchmarks.runs.calls import Call, Given, Key
from benchmarks.runs.options import Engine, RunOptions
from benchmarks.runs.plan import Plan


@dataclass(frozen=True)
class Toy:
    """What the questions do. Files of the folder tell it to every process."""

    folder: Path
    samples: int
    takes_s: float = 0.05

    def options(self, **changes: Any) -> RunOptions:
        given: dict[str, Any] = {"concurrency": 2, "resume": True, "engine": Engine.RAY, **changes}
        return RunOptions("toy", self.folder, (), Config(), self.folder / "out", **given)

    def kills(self, sample: int, times: int) -> None:
        """So many workers die over a sample."""
        for number in range(times):
            (self.folder / f"kill-{sample}-{number}").touch()

    def entries(self, event: str) -> list[dict[str, Any]]:
        diary = self.folder / "diary"
        lines = diary.read_text(encoding="utf-8").splitlines() if diary.exists() else []
        return [entry for entry in map(json.loads, lines) if entry["event"] == event]

    def asked(self) -> Counter[int]:
        """How often each sample was asked about."""
        return Counter(entry["sample"] for entry in self.entries("begin"))

    def most_open(self) -> int:
        """Questions that were open at the same time, over all processes."""
        steps = [(entry["at_s"], 1) for entry in self.entries("begin")]
        steps += [(entry["at_s"], -1) for entry in self.entries("end")]
        level = most = 0
        for _, step in sorted(steps):
            level += step
            most = max(most, level)
        return most

    def write(self, event: str, sample: int) -> None:
        entry = {"event": event, "sample": sample, "pid": os.getpid(), "at_s": time.monotonic()}
        with (self.folder / "diary").open("a", encoding="utf-8") as diary:
            diary.write(json.dumps(entry) + "\n")


def plan(options: RunOptions, *, toy: Toy, content: str = "1") -> Plan:
    """Samples 0, 1, 2... of one method. Another ``content`` stands for files of another size."""
    del options
    made = Plan(again=partial(plan, toy=toy, content=content))
    for sample in range(toy.samples):
        key = Key("toy", f"s{sample}", content, "judge", "single", "prompt@1", 0)
        made.calls.append(Call(key, partial(_ask, toy, sample), Estimate(100, 10, 0.25)))
    return made


async def _ask(toy: Toy, sample: int) -> Given:
    toy.write("begin", sample)
    for order in sorted(toy.folder.glob(f"kill-{sample}-*")):
        order.unlink()
        os._exit(1)
    await asyncio.sleep(toy.takes_s)
    toy.write("end", sample)
    answer = {"verdict": "yes" if sample % 2 else "no"}
    return Given("tiny", answer, "strict", "", round(time.monotonic(), 3), 9, 1, 0.5)
