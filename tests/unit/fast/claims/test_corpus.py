"""Accuracy on the hand-written pairs. Run with ``-s`` to see the table."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

from tests.unit.fast.claims.conftest import Judge

CORPORA = Path(__file__).resolve().parents[3] / "corpus"
CORPUS = CORPORA / "text_pairs.csv"
FRESH = CORPORA / "fresh_pairs.csv"
"""Wordings that the lexicon was not written for; the check half was never looked at, only counted."""
FURTHER = CORPORA / "further_pairs.csv"
"""500 more on some 300 topics, by another hand; never looked at, only counted."""
ALERT = 0.6


def _rates(
    judge: Judge, corpus: Path
) -> tuple[Counter[tuple[str, str]], dict[tuple[str, str], float], list[str]]:
    """Pairs and the share judged rightly by split and label, and both as a table."""
    total: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    with corpus.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = any(f.confidence >= ALERT for f in judge(row["text_a"], row["text_b"]))
            group = row["split"], row["label"]
            total[group] += 1
            right[group] += found == (row["label"] == "contradiction")
    rate = {group: right[group] / total[group] for group in total}
    table = [
        f"{split:15} {label:14} {total[split, label]:4} pairs  {share:.3f} right"
        for (split, label), share in sorted(rate.items())
    ]
    return total, rate, table


def test_accuracy_on_hand_written_pairs(judge: Judge) -> None:
    total, rate, table = _rates(judge, CORPUS)
    sys.stdout.write("\n" + "\n".join(table) + "\n")

    assert total["held_out", "contradiction"] + total["held_out_first", "contradiction"] >= 67
    assert rate["held_out", "consistent"] >= 0.98
    assert rate["held_out", "contradiction"] >= 0.9
    assert rate["tuned", "consistent"] >= 0.99
    assert rate["tuned", "contradiction"] >= 0.95
    assert rate["broad_develop", "consistent"] >= 0.95
    assert rate["broad_check", "consistent"] >= 0.9
    assert rate["broad_check", "contradiction"] >= 0.5


def test_accuracy_on_fresh_wordings(judge: Judge) -> None:
    """A floor a little below what is reached: 702 pairs on 33 topics, half of them look-alikes."""
    total, rate, table = _rates(judge, FRESH)
    sys.stdout.write("\n" + "\n".join(table) + "\n")

    assert total.total() >= 700
    assert rate["dev", "consistent"] >= 0.98
    assert rate["dev", "contradiction"] >= 0.61
    assert rate["check", "consistent"] >= 0.95
    assert rate["check", "contradiction"] >= 0.45


def test_accuracy_on_further_wordings(judge: Judge) -> None:
    total, rate, table = _rates(judge, FURTHER)
    sys.stdout.write("\n" + "\n".join(table) + "\n")

    assert total.total() == 500
    assert rate["broad_check", "consistent"] >= 0.95
    assert rate["broad_check", "contradiction"] >= 0.23


def test_corpus_is_large_and_without_repeats() -> None:
    with CORPUS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    labels = Counter(row["label"] for row in rows)
    assert labels["contradiction"] >= 200
    assert labels["consistent"] >= 250
    pairs = [(row["text_a"], row["text_b"]) for row in rows]
    assert len(set(pairs)) == len(pairs)
