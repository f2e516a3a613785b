"""What a crop shows: the classifier's answers put together, as shares of the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from arwarden.fast.elements.crops import as_input
from arwarden.fast.elements.decode import OTHER, Floats, Integers, least_shares, reliable, softmax

MOST_CROPS: Final = 8
"""Crops are classified in batches of at most so many: memory and time of one run stay bounded."""
DOUBT: Final = 0.9
"""Share of the best label below which a crop is looked at a second time, closer. On validation crops that
are a third of all, and the two looks together name 1 in 100 more of all crops rightly."""
CLOSER: Final = 1.12
"""How much closer: the margin around the element is gone."""
Crops = npt.NDArray[np.uint8]
Run = Callable[[Floats], tuple[Floats, Floats]]
"""The classifier: crops as ``as_input`` makes them to logits (n, labels) and directions (n, 2)."""


@dataclass(frozen=True)
class Naming:
    """How the classifier's logits are to be read; fitted on the validation split."""

    labels: tuple[str, ...]
    temperature: float = 1.0
    """What the logits are divided by."""
    least: Mapping[str, float] = field(default_factory=dict)
    """The share from which each label is said, where it is not the usual one."""
    same: Mapping[str, str] = field(default_factory=dict)
    """Labels that claim the same as another one and can hardly be told from it: they count as that one."""

    def plain(self, logits: Floats) -> Floats:
        """Shares (n, labels) that add up to 1, the same labels put together."""
        shares = softmax(logits / self.temperature)
        for name, other in self.same.items():
            one, rest = self.labels.index(name), self.labels.index(other)
            shares[:, rest] += shares[:, one]
            shares[:, one] = 0.0
        return shares

    def shares(self, logits: Floats) -> Floats:
        """The same on one scale: a label is to be said from ``decode.USUAL_LEAST`` on."""
        shares = self.plain(logits)
        if not self.least or OTHER not in self.labels:
            return shares
        return reliable(shares, self._least, self.labels.index(OTHER))

    @cached_property
    def _least(self) -> Floats:
        return least_shares(self.least, self.labels)


class Namer:
    """Looks at crops with the classifier, at doubtful ones twice."""

    def __init__(self, run: Run, naming: Naming) -> None:
        self._run = run
        self.naming = naming

    def name(self, crops: Crops) -> tuple[Floats, Floats]:
        """Shares (n, labels) and directions (n, 2) of crops (n, side, side, 3)."""
        logits, directions = self.raw(crops)
        return self.naming.shares(logits), directions

    def raw(self, crops: Crops) -> tuple[Floats, Floats]:
        """Logits (n, labels) and directions (n, 2), of both looks where there were two."""
        logits, directions = self._looked(crops)
        doubtful: Integers = np.flatnonzero(self.naming.plain(logits).max(axis=1) < DOUBT)
        if len(doubtful):
            again, ways = self._looked(closer(crops[doubtful]))
            logits[doubtful] = (logits[doubtful] + again) / 2
            directions[doubtful] = (directions[doubtful] + ways) / 2
        return logits, directions

    def _looked(self, crops: Crops) -> tuple[Floats, Floats]:
        parts = [
            self._run(as_input(crops[start : start + MOST_CROPS]))
            for start in range(0, len(crops), MOST_CROPS)
        ]
        logits = np.concatenate([np.asarray(part[0], np.float32) for part in parts])
        return logits, np.concatenate([np.asarray(part[1], np.float32) for part in parts])


def closer(crops: Crops) -> Crops:
    """The middle of each crop, enlarged to its size."""
    side = crops.shape[1]
    rim = round(side * (1 - 1 / CLOSER) / 2)
    made = np.empty_like(crops)
    for index, crop in enumerate(crops):
        cv2.resize(
            np.ascontiguousarray(crop[rim : side - rim, rim : side - rim]), (side, side), dst=made[index],
            interpolation=cv2.INTER_LINEAR,
        )  # fmt: skip
    return made


def known_labels(same: Mapping[str, str], labels: Sequence[str]) -> dict[str, str]:
    """``same`` as it is written in a description. Raises ``ValueError`` for what is no label."""
    for name in (*same, *same.values()):
        if name not in labels:
            msg = f"{name!r} is no label"
            raise ValueError(msg)
    return {str(name): str(other) for name, other in same.items()}
