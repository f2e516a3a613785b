"""Write pairs of statements with their relation, for training and validation.

    python -m models.pairs.generate --out build/pairs --pairs 200000

Files of tab-separated lines (relation, source, first, second): ``train.tsv``; ``validation.tsv`` of the same
topics and the validation wordings of the scene generator; ``kept.tsv`` of topics that are never trained on;
``written.tsv`` of written statements that are never trained on. The same seed gives the same files.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from models.pairs.compose import Composer, Pair
from models.pairs.scene_pairs import scene_pairs
from models.pairs.topics import held_out_words, topics
from models.pairs.written import written_pairs
from models.scenes.kinds import Split

CORPUS = Path(__file__).resolve().parents[2] / "tests" / "corpus" / "text_pairs.csv"
FRESH = CORPUS.with_name("fresh_pairs.csv")
CHECKED = 2500
"""Pairs of each of the other files."""
SCENE_SHARE = 0.2
"""Of the pairs, from the kinds of the scene generator."""
WRITTEN_SHARE = 0.55
"""Of the pairs, from statements written one by one."""


def pairs(count: int, seed: int, *, kept: bool, split: Split | None) -> Iterator[Pair]:
    """``count`` pairs, of topics kept from training or not, mixed with those of scenes of ``split``."""
    composer = Composer(
        [topic for topic in topics() if topic.kept is kept], np.random.default_rng((seed, kept))
    )
    scenes = iter(()) if split is None else scene_pairs(split, seed)
    written = written_pairs(seed, kept=False)
    chance = np.random.default_rng((seed, 7))
    made = 0
    while made < count:
        turn = chance.random()
        if split is not None and turn < SCENE_SHARE:
            pair = next(scenes)
        elif split is Split.TRAIN and turn < SCENE_SHARE + WRITTEN_SHARE:
            pair = next(written)
        else:
            pair = composer.pair()
        if not held_out_words().search(f"{pair.first} | {pair.second}"):
            made += 1
            yield pair


def write(path: Path, made: Iterator[Pair], forbidden: frozenset[frozenset[str]]) -> Counter[str]:
    """Write the pairs but for forbidden ones; returns how many of each relation."""
    counts: Counter[str] = Counter()
    with path.open("w", encoding="utf-8") as file:
        for pair in made:
            if frozenset((pair.first.casefold(), pair.second.casefold())) in forbidden:
                continue
            counts[pair.relation] += 1
            file.write(f"{pair.relation}\t{pair.source}\t{pair.first}\t{pair.second}\n")
    return counts


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--out", type=Path, default=Path("build/pairs"))
    parser.add_argument("--pairs", type=int, default=200_000, help="for training")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    forbidden = corpus_pairs()
    parts: dict[str, Callable[[], Iterator[Pair]]] = {
        "train": lambda: pairs(options.pairs, options.seed, kept=False, split=Split.TRAIN),
        "validation": lambda: pairs(CHECKED, options.seed + 1000, kept=False, split=Split.VALIDATION),
        "kept": lambda: pairs(CHECKED, options.seed + 2000, kept=True, split=None),
        "written": lambda: islice(written_pairs(options.seed + 3000, kept=True), CHECKED),
    }
    for name, make in parts.items():
        counts = write(options.out / f"{name}.tsv", make(), forbidden)
        print(f"{name}: {dict(counts)}")  # noqa: T201


def corpus_pairs() -> frozenset[frozenset[str]]:
    """The pairs of the two text corpora, which are for checking alone: none of them is generated."""
    rows = [*read_corpus(CORPUS), *read_corpus(FRESH)]
    return frozenset(frozenset((row[0].casefold(), row[1].casefold())) for row in rows)


def read_corpus(path: Path) -> list[list[str]]:
    """Rows of text_a, text_b, label, attribute, split."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


if __name__ == "__main__":
    main()
