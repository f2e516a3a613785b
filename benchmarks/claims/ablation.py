"""What the open attributes add: hand-written sentence pairs judged with and without each sort of them."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.claims import ElementReader, Lexicon, PairJudge, find_contradictions
from arwarden.fast.claims.open_attributes import EXISTENCE, FRAME, INSTRUCTION, PROPERTY, STATEMENT
from benchmarks.claims.score import ALERT, Tally

BOXES = (Box(0.05, 0.05, 0.2, 0.05), Box(0.7, 0.8, 0.2, 0.05))
"""Far apart, so that no neighbourhood helps."""
CATEGORIES = "exclusive categories"
SORTS: Mapping[str, frozenset[str]] = {
    CATEGORIES: frozenset(),
    "sentences that differ in one word": frozenset({FRAME}),
    "predicates and antonyms": frozenset({PROPERTY}),
    "statements, existence, orders": frozenset({STATEMENT, EXISTENCE, INSTRUCTION}),
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and whether they contradict each other."""

    elements: tuple[Element, ...]
    contradictory: bool


def read_pairs(path: Path, split: str, reader: ElementReader) -> tuple[Pair, ...]:
    """The pairs of a split of a corpus with columns text_a, text_b, label and split."""
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(
            Pair(
                tuple(
                    Element(ElementType.PANEL, box, text, reader.claims(ElementType.PANEL, text=text))
                    for box, text in zip(BOXES, (row["text_a"], row["text_b"]), strict=True)
                ),
                row["label"] == "contradiction",
            )
            for row in csv.DictReader(file)
            if row["split"] == split
        )


def tallies(
    pairs: Sequence[Pair], lexicon: Lexicon, judge: PairJudge | None = None
) -> Iterator[tuple[str, Tally]]:
    """Verdicts with everything, without each sort of open attributes, and without any of them.

    With a judge also those of rules and judge together.
    """
    if judge is not None:
        yield "with the pair network", _tally(pairs, lexicon, frozenset(), judge)
    yield "all", _tally(pairs, lexicon, frozenset())
    for name in SORTS:
        yield f"without {name}", _tally(pairs, lexicon, frozenset({name}))
    yield "without any of these", _tally(pairs, lexicon, frozenset(SORTS))


def _tally(
    pairs: Sequence[Pair], lexicon: Lexicon, dropped: frozenset[str], judge: PairJudge | None = None
) -> Tally:
    tally = Tally()
    for pair in pairs:
        elements = [
            replace(one, claims=tuple(c for c in one.claims if not _is_of(c.attribute, dropped, lexicon)))
            for one in pair.elements
        ]
        raised = any(found.confidence >= ALERT for found in find_contradictions(elements, lexicon, judge))
        tally.add(contradictory=pair.contradictory, raised=raised)
    return tally


def _is_of(attribute: str, sorts: frozenset[str], lexicon: Lexicon) -> bool:
    base = attribute.partition(".")[0]
    if CATEGORIES in sorts and base in lexicon.categories and base not in lexicon.data.attributes:
        return True
    return any(base in SORTS[name] for name in sorts)


def report(
    console: Console, path: Path, lexicon: Lexicon, splits: Sequence[str], judge: PairJudge | None = None
) -> None:
    """Print one table per split."""
    reader = ElementReader(lexicon)
    for split in splits:
        table = Table(title=f"{path.name}: {split}")
        for heading in ("claims", "found", "false alarms"):
            table.add_column(heading, justify="left" if heading == "claims" else "right")
        for name, tally in tallies(read_pairs(path, split, reader), lexicon, judge):
            table.add_row(name, f"{tally.recall:.1%}", f"{tally.false_alarm_rate:.1%}")
        console.print(table)
