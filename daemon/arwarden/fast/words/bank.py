"""Words for pictures: which names of icons fit a picture, by how alike the network finds them. Pure.

The bank holds a vector for each of many icons, with the words that its maker calls it by ("bell off", "wine
glass"). The icons nearest to a picture's vector vote; names that have words in common back each other up, so
of "bell off", "notifications off" and "alarm off" the one is said that agrees most with all, and the sum of
the agreement is how sure that is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
NEAREST: Final = 40
"""Icons that have a say. Of validation icons the surest tenth are named rightly in 75 of 100; with ten icons
in 73, and by one vector for each name instead of one for each icon in 69."""
DENYING: Final = frozenset({"off", "no", "not"})
STATES: Final = frozenset({
    "off", "no", "not", "open", "opened", "closed", "close", "up", "down", "left", "right", "low",
    "high", "full", "empty", "half", "quarter", "plus", "minus", "add", "remove", "locked", "unlocked",
    "hot", "cold", "charging", "in", "out", "required",
})  # fmt: skip
"""Words that tell one state of a thing from another: "bell off" backs "notifications off", not "bell"."""


@dataclass(frozen=True, slots=True)
class Word:
    """What a picture may be called, in a few plain words, and how likely that is right, 0..1."""

    words: str
    share: float


@dataclass(frozen=True, slots=True)
class Votes:
    """What the icons nearest to a picture are called, with their shares, which add up to 1."""

    shares: Mapping[str, float]
    fit: tuple[float, float] = (1.0, 0.0)
    """From agreement to chance, as in ``Bank``."""

    @property
    def denying(self) -> float:
        """The share of names for things that are off or not allowed: how surely it is crossed out."""
        return sum(share for name, share in self.shares.items() if DENYING & set(name.split()))

    def of_things(self, ending: str) -> Votes:
        """The votes for things alone, whatever is said of them, each with this ``ending`` instead."""
        shares: dict[str, float] = {}
        for name, share in self.shares.items():
            words = [word for word in name.split() if word not in DENYING] or name.split()
            thing = " ".join(words) + ending
            shares[thing] = shares.get(thing, 0.0) + share
        return Votes(shares, self.fit)

    def word(self, likelier: Mapping[str, float] = MappingProxyType({})) -> Word:
        """The name that agrees most with all; some may be so many times ``likelier`` than they look."""
        words, agreement = self.agreed(likelier)
        return Word(words, _as_chance(agreement, self.fit))

    def agreed(self, likelier: Mapping[str, float] = MappingProxyType({})) -> tuple[str, float]:
        """The same with the plain agreement, 0..1, from which ``fit`` was made."""
        names = tuple(self.shares)
        shares = np.array([share * likelier.get(name, 1.0) for name, share in self.shares.items()])
        agreement = _likeness(names) @ (shares / shares.sum())
        first = int(agreement.argmax())
        return names[first], float(agreement[first])


class Bank:
    """The icons: their names, which may repeat, and their vectors.

    ``vectors`` is (icons, dimensions), of length 1 each; ``sharpness`` is what cosines are multiplied by
    before they become shares; ``fit`` are slope and offset from agreement to how often the words are right,
    on the logarithm of the odds. Raises ``ValueError`` where the shapes do not fit each other.
    """

    def __init__(
        self,
        names: Sequence[str],
        vectors: Floats,
        *,
        sharpness: float,
        fit: tuple[float, float] = (1.0, 0.0),
    ) -> None:
        if vectors.ndim != 2 or len(names) != len(vectors) or not len(names):
            msg = f"{len(names)} names for vectors of shape {vectors.shape}"
            raise ValueError(msg)
        self.names = tuple(names)
        self._vectors = vectors
        self._sharpness = sharpness
        self._fit = fit

    @cached_property
    def switched(self) -> frozenset[str]:
        """The names of things that are also shown crossed out: plain ones mostly mean that they are on."""
        known = frozenset(self.names)
        return frozenset(name for name in known if f"{name} off" in known)

    @property
    def dimensions(self) -> int:
        """Of a picture's vector."""
        return int(self._vectors.shape[1])

    def without(self, unwanted: Callable[[str], bool]) -> Bank:
        """The same without the names that are ``unwanted``. Raises ``ValueError`` where none is left."""
        left = [index for index, name in enumerate(self.names) if not unwanted(name)]
        names = [self.names[index] for index in left]
        return Bank(names, self._vectors[left], sharpness=self._sharpness, fit=self._fit)

    def word(self, vector: Floats) -> Word:
        """The best words for a picture's vector of shape (dimensions,), any length but 0."""
        return self.votes(vector).word()

    def votes(self, vector: Floats) -> Votes:
        """How the icons nearest to a picture's vector vote."""
        cosines = self._vectors @ (vector / max(float(np.linalg.norm(vector)), 1e-6))
        best = np.argpartition(-cosines, min(NEAREST, len(cosines) - 1))[:NEAREST]
        powers = np.exp(self._sharpness * (cosines[best] - cosines[best].max()))
        shares: dict[str, float] = {}
        for index, power in zip(best, powers / powers.sum(), strict=True):
            name = self.names[int(index)]
            shares[name] = shares.get(name, 0.0) + float(power)
        return Votes(shares, self._fit)


def alike(some: AbstractSet[str], others: AbstractSet[str]) -> float:
    """Words in common but those of states, 0..1 (Dice 1945); names of other states have none.

    Without that "house off" and "camera off" would be half alike, and every crossed-out picture be sure.
    """
    if _state(some) != _state(others):
        return 0.0
    things, rest = some - STATES or some, others - STATES or others
    return 2.0 * len(things & rest) / (len(things) + len(rest))


@lru_cache(maxsize=256)
def _likeness(names: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """How alike every two of them are. A picture that stays is asked about in every frame."""
    words = [frozenset(name.split()) for name in names]
    return np.array([[alike(one, other) for other in words] for one in words])


def _state(words: AbstractSet[str]) -> set[str]:
    """The words of states, with one for all that deny: "no camera" and "camera off" are one picture."""
    return {"off" if word in DENYING else word for word in words & STATES}


def _as_chance(agreement: float, fit: tuple[float, float]) -> float:
    inner = min(max(agreement, 1e-4), 1 - 1e-4)
    odds = fit[0] * np.log(inner / (1 - inner)) + fit[1]
    return float(0.5 + 0.5 * np.tanh(odds / 2))  # the logistic function, without its overflow
