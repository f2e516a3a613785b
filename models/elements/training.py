"""What both trainings share: a time box, rates that follow it, averaged weights, checkpoints, a log."""

from __future__ import annotations

import copy
import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from torch import Tensor, nn

CHECKPOINT_EVERY_S = 180.0
PRINT_EVERY_S = 20.0
WARM_UP_STEPS = 50


@dataclass(slots=True)
class Run:
    """A training run in its folder: ``checkpoint.pt`` and ``log.jsonl``."""

    folder: Path
    model: nn.Module
    optimiser: torch.optim.Optimizer
    seconds: float
    """The time box of this run."""
    seed: int
    steps: int = 0
    pictures: int = 0
    trained_s: float = 0.0
    """Over all runs."""
    average: nn.Module = field(init=False)
    _started: float = field(default_factory=time.monotonic)
    _first_step: int = 0
    _paused_s: float = 0.0
    _console: Console = field(default_factory=lambda: Console(stderr=True))

    def __post_init__(self) -> None:
        self.average = copy.deepcopy(self.model)
        self.average.requires_grad_(False)
        self.average.eval()
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def progress(self) -> float:
        """Share of the time box that has passed, 0..1."""
        return min(1.0, (time.monotonic() - self._started) / self.seconds)

    def resume(self) -> None:
        """Go on from the folder's checkpoint.

        Raises:
            SystemExit: there is none, or it is of another network.
        """
        path = self.folder / "checkpoint.pt"
        if not path.exists():
            raise SystemExit(f"{path} is not there: start without --resume")
        stored = torch.load(path, map_location="cpu", weights_only=True)
        try:
            self.model.load_state_dict(stored["model"])
            self.average.load_state_dict(stored["average"])
        except (KeyError, RuntimeError) as error:
            raise SystemExit(f"{path} is of another network ({error}); use another --out") from error
        try:
            self.optimiser.load_state_dict(stored["optimiser"])
        except ValueError:
            self.say("other blocks are frozen now: the optimiser starts anew")
        self.steps, self.pictures = int(stored["steps"]), int(stored["pictures"])
        self.trained_s, self._first_step = float(stored["trained_s"]), int(stored["steps"])

    def loop(self, batches: Callable[[], Any], loss_of: Callable[[Any], tuple[Tensor, Mapping[str, float]]],
             check: Callable[[], Mapping[str, Any]], check_every_s: float, size: int) -> None:  # fmt: skip
        """Train until the time box is full; ``check`` measures ``average`` on the validation split."""
        saved = printed = checked = time.monotonic()
        parts: dict[str, float] = {}
        while self.progress < 1 or self.steps == self._first_step:
            self._set_rates()
            self.model.train()
            loss, named = loss_of(batches())
            self.optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
            self.optimiser.step()
            self._average()
            self.steps += 1
            self.pictures += size
            for name, value in named.items():
                parts[name] = value if name not in parts else 0.95 * parts[name] + 0.05 * value
            now = time.monotonic()
            if now - printed > PRINT_EVERY_S:
                self._report(parts)
                printed = now
            if now - saved > CHECKPOINT_EVERY_S:
                self.save()
                saved = now
            if now - checked > check_every_s:
                self.log({"validation": check()})
                checked = time.monotonic()
        self.log({"validation": check(), "final": True})
        self.save()

    def save(self) -> None:
        """Write the checkpoint, whole or not at all."""
        partial = self.folder / f".checkpoint.{os.getpid()}"
        torch.save(
            {
                "model": self.model.state_dict(),
                "average": self.average.state_dict(),
                "optimiser": self.optimiser.state_dict(),
                "steps": self.steps,
                "pictures": self.pictures,
                "trained_s": self.trained_s + time.monotonic() - self._started,
            },
            partial,
        )
        partial.replace(self.folder / "checkpoint.pt")

    def log(self, entry: Mapping[str, Any]) -> None:
        """One line in ``log.jsonl``."""
        line = {"step": self.steps, "pictures": self.pictures, "minutes": round(self._minutes(), 2), **entry}
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if "validation" in entry:
            self.say(f"step {self.steps}: {json.dumps(entry['validation'])}")

    def say(self, text: str) -> None:
        """A line for who is watching."""
        self._console.print(text, markup=False, highlight=False)

    def _minutes(self) -> float:
        return (self.trained_s + time.monotonic() - self._started) / 60

    def _report(self, parts: Mapping[str, float]) -> None:
        passed = time.monotonic() - self._started
        rate = (self.steps - self._first_step) / max(1e-6, passed)
        rounded = {name: round(value, 4) for name, value in parts.items()}
        self.log({"loss": rounded, "steps_per_s": round(rate, 3)})
        left_min = (self.seconds - passed) / 60
        self.say(f"step {self.steps}  {rounded}  {rate:.2f} steps/s  {left_min:.1f} min left")

    def _set_rates(self) -> None:
        rise = min(1.0, (self.steps - self._first_step + 1) / WARM_UP_STEPS)
        fall = 0.02 + 0.98 * (1 + math.cos(math.pi * self.progress)) / 2
        for group in self.optimiser.param_groups:
            group["lr"] = group["full_lr"] * rise * fall

    def _average(self) -> None:
        keep = min(0.998, (self.steps + 1) / (self.steps + 10))
        with torch.no_grad():
            for mean, value in zip(_tensors(self.average), _tensors(self.model), strict=True):
                if mean.is_floating_point():
                    mean.lerp_(value, 1 - keep)
                else:
                    mean.copy_(value)


def optimiser_of(
    model: nn.Module, backbone: nn.Module, rate: float, trunk_share: float
) -> torch.optim.Optimizer:
    """AdamW; the pretrained trunk learns at a share of the rate."""
    trunk = {id(one) for one in backbone.parameters()}
    groups = [
        {
            "params": [p for p in model.parameters() if id(p) not in trunk and p.requires_grad],
            "full_lr": rate,
        },
        {"params": [p for p in backbone.parameters() if p.requires_grad], "full_lr": rate * trunk_share},
    ]
    return torch.optim.AdamW([group for group in groups if group["params"]], lr=rate, weight_decay=1e-4)


def device_of(name: str) -> torch.device:
    """``auto`` is a GPU where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def _tensors(module: nn.Module) -> Iterator[Tensor]:
    yield from module.parameters()
    yield from module.buffers()
