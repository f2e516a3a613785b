"""Pairs of elements of the scene generator's kinds, put into words as the daemon does it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import yaml

from arwarden.fast.claims import ElementReader, Lexicon
from arwarden.fast.claims.speech import sentence
from benchmarks.claims.scenes import seen_scenes
from models.pairs.compose import CONTRADICTORY, ENTAILED, NEUTRAL, Pair
from models.pairs.writing import as_read, pick
from models.scenes.kinds import KindFilter, Split

CLASSES = Path(__file__).resolve().parents[1] / "assets" / "classes.yaml"
SAME = frozenset({"same_value", "denial_agrees"})
"""How scenes are made in which both elements say the same."""
BESIDE_SHARE = 0.35
_ROUND = 20_000
_SYMBOL = re.compile(r"([^.]+?) symbol")
_OTHER_NAMES = 0.4


def scene_pairs(split: Split, seed: int) -> Iterator[Pair]:
    """Without end: the pair that a scene is about, and now and then one of it with what hangs beside it."""
    reader = ElementReader(Lexicon.load(["en"]))
    rng = np.random.default_rng((seed, 11))
    series = seed * 1000 + 500
    while True:
        for scene in seen_scenes(split, KindFilter.SEEN, _ROUND, series, reader):
            situation = scene.situation
            said = [_renamed(sentence(element), rng) for element in scene.elements]
            relation = (
                CONTRADICTORY
                if situation.contradictory
                else ENTAILED
                if situation.recipe in SAME
                else NEUTRAL
            )
            source = f"scene/{situation.recipe}"
            others = range(2, len(said))
            if len(said) > 2 and rng.random() < BESIDE_SHARE:
                relation, source = NEUTRAL, "scene/beside"
                one, two = int(rng.integers(2)), pick(list(others), rng)
            else:
                one, two = (0, 1) if rng.random() < 0.5 else (1, 0)
            first, second = as_read(said[one], rng), as_read(said[two], rng)
            if first and second and first.casefold() != second.casefold():
                yield Pair(relation, source, first, second)
        series += 1


def _renamed(text: str, rng: np.random.Generator) -> str:
    """Pictograms called by another of their names now and then: run-time ones have names never met."""
    if rng.random() > _OTHER_NAMES:
        return text
    return _SYMBOL.sub(lambda match: f"{_other_name(match[1].strip(), rng)} symbol", text)


def _other_name(name: str, rng: np.random.Generator) -> str:
    return pick(_names().get(name, (name,)), rng)


@cache
def _names() -> dict[str, tuple[str, ...]]:
    classes = yaml.safe_load(CLASSES.read_text(encoding="utf-8"))
    return {spec["words"][0]: tuple(spec["words"]) for spec in classes.values()}
