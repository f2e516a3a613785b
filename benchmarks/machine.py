"""What the numbers of a benchmark were measured on."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, and how busy it is at the moment of asking."""

    cores: int
    cpu: str
    python: str
    load_average: float
    """Over the last minute: processes that ran or wanted to. Above ``cores`` somebody waited."""

    @classmethod
    def now(cls) -> Self:
        """This machine as it is now."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return cls(cores, _cpu_name(), platform.python_version(), load_average())


def load_average() -> float:
    """Processes that ran or wanted to, on average over the last minute; 0 where that is not counted."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def _cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
