"""The pairs themselves, their files, and the vocabulary."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from arwarden.fast.pairs.wordpieces import WordPieces
from models.cards.marks import BEGIN, END, fill_card
from models.pairs import generate
from models.pairs.card import numbers
from models.pairs.compose import CONTRADICTORY, ENTAILED, NEUTRAL, RELATIONS, Composer, Pair
from models.pairs.data import batches, encoded, padded, read_pairs
from models.pairs.generate import corpus_pairs, pairs, write
from models.pairs.scene_pairs import scene_pairs
from models.pairs.topics import Topic, Value, held_out_words, topics
from models.pairs.vocabulary import chosen
from models.scenes.kinds import Split

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "door", "open", "rare", "##zz", "漢", "€"]


def composed(count: int = 1500, *, kept: bool = False) -> list[Pair]:
    composer = Composer([topic for topic in topics() if topic.kept is kept], np.random.default_rng(3))
    return [composer.pair() for _ in range(count)]


def test_relations_come_in_their_proportions_and_ways() -> None:
    made = composed()
    counts = Counter(pair.relation for pair in made)
    for relation, share in RELATIONS.items():
        assert counts[relation] / len(made) == pytest.approx(share, abs=0.05)
    assert len({pair.source for pair in made}) > 60
    assert len({pair.first for pair in made}) > 1300


def test_no_pair_speaks_of_held_out_kinds() -> None:
    assert not [pair for pair in composed(600) if held_out_words().search(f"{pair.first} | {pair.second}")]


def test_statements_of_a_pair_differ() -> None:
    assert all(pair.first.casefold() != pair.second.casefold() for pair in composed(600))


def door(*, complete: bool) -> Composer:
    frames = {"named": ("The {s} is {v}",), "denied": ("The {s} is not {v}",), "bare": ("{V}",)}
    values = (Value(("open",), frames), Value(("closed",), frames))
    subjects = (({"s": "door"},), ({"s": "window"},))
    return Composer([Topic("door", "state", subjects, values, complete=complete)], np.random.default_rng(5))


def test_what_is_said_of_one_thing_decides_the_relation() -> None:
    composer = door(complete=True)
    for pair in (composer.pair() for _ in range(400)):
        first, second = (text.lower().strip("!. ").replace(" ", "") for text in (pair.first, pair.second))
        kind = pair.source.split("/")[1]
        if kind == "both":
            assert pair.relation == CONTRADICTORY
            assert ("open" in first) != ("open" in second) or not {"0", "c1osed"} & {first, second}
        if kind == "other_thing":
            assert pair.relation == NEUTRAL
        if kind == "denied_other":
            assert pair.relation == ENTAILED


def test_what_is_not_the_one_is_only_the_other_where_there_is_no_third() -> None:
    assert not [
        pair
        for pair in (door(complete=False).pair() for _ in range(200))
        if pair.source.endswith("denied_other")
    ]


def test_scene_pairs_are_of_all_relations_and_worded_as_the_daemon_words_elements() -> None:
    made = list(islice(scene_pairs(Split.TRAIN, 4), 400))
    assert {pair.relation for pair in made} == set(RELATIONS)
    assert any("symbol" in pair.first or "arrow" in pair.first for pair in made)
    assert all(pair.first and pair.second for pair in made)


def test_the_same_seed_gives_the_same_pairs() -> None:
    def some() -> list[Pair]:
        return list(pairs(60, 9, kept=False, split=Split.TRAIN))

    assert some() == some()


def test_files_are_written_and_read(tmp_path: Path) -> None:
    made = [Pair(NEUTRAL, "x", "A", "B"), Pair(ENTAILED, "x", "C", "D")]
    counts = write(tmp_path / "train.tsv", iter(made), frozenset({frozenset(("b", "a"))}))
    assert counts == {ENTAILED: 1}
    assert read_pairs(tmp_path / "train.tsv") == made[1:]
    with pytest.raises(SystemExit, match="write it with"):
        read_pairs(tmp_path / "none.tsv")


def test_the_command_writes_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "CHECKED", 20)
    generate.main(["--out", str(tmp_path), "--pairs", "30"])
    sizes = {path.name: len(read_pairs(path)) for path in tmp_path.iterdir()}
    assert sizes == {"train.tsv": 30, "validation.tsv": 20, "kept.tsv": 20, "written.tsv": 20}


def test_no_pair_of_the_corpus_may_be_generated() -> None:
    assert frozenset(("restroom is on the right", "restroom on the left")) in corpus_pairs()


def test_batches_hold_pairs_of_like_length() -> None:
    rows = [Pair(NEUTRAL, "x", "a " * (n % 20 + 1), "open") for n in range(300)]
    made = list(islice(batches(rows, WordPieces(VOCABULARY), 10, seed=1), 30))
    assert [numbers.shape[0] for numbers, _, _ in made] == [10] * 30
    assert sum((numbers == 0).mean() for numbers, _, _ in made) / 30 < 0.15
    assert sum(len(labels) for _, _, labels in made) == 300
    later = next(batches(rows, WordPieces(VOCABULARY), 10, seed=1, skip=7))
    assert (later[0] == made[7][0]).all()


def test_padding_is_nought() -> None:
    rows = encoded(
        [Pair(ENTAILED, "x", "a", "open"), Pair(CONTRADICTORY, "x", "a a a", "door")], WordPieces(VOCABULARY)
    )
    numbers, segments, labels = padded(rows)
    assert numbers.shape == segments.shape == (2, 7)
    assert numbers[0, -2:].tolist() == [0, 0]
    assert labels.tolist() == [0, 2]


def test_the_vocabulary_keeps_marks_latin_words_and_numbers() -> None:
    whole = [*VOCABULARY, "[unused1]", "##18", "2019", "°c", "дом", "##"]
    kept = [whole[at] for at in chosen(whole)]
    assert kept == [*(piece for piece in VOCABULARY if piece != "漢"), "##18", "2019", "°c"]


def test_the_card_is_filled_between_its_marks(tmp_path: Path) -> None:
    card = tmp_path / "MODEL_CARD.md"
    fill_card(card, "")
    rates = {"accuracy": 0.9, "found": 0.8, "false_alarm_rate": 0.01}
    result = {
        "pairs": {"kept": {"pairs": 10, "two_way": 0.93, **rates}},
        "scenes": {"test_held_out": {"rules": rates, "network": rates, "both": rates}},
        "latency_ms": {"four_pairs_min": 5.0, "four_pairs_median": 6.0},
    }
    card.write_text(f"before\n{BEGIN}\nformer numbers\n{END}\nafter\n", encoding="utf-8")
    fill_card(card, numbers(result))
    text = card.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}")
    assert text.endswith(f"{END}\nafter\n")
    assert "former" not in text
    assert "| test held_out | both | 0.900 | 0.800 | 0.0100 |" in text
    card.write_text("no marks", encoding="utf-8")
    with pytest.raises(ValueError, match="lacks the marks"):
        fill_card(card, numbers(result))
