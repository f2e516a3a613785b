from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from models.scenes import kinds
from models.scenes.kinds import (
    PROPORTIONS,
    Kind,
    KindFilter,
    Split,
    applications,
    chosen,
    held_out_classes,
    of_split,
    pictogram_classes,
    worded,
)
from models.scenes.quantities import amounts

ALL_KINDS = [kind for application in applications() for kind in application.kinds]


def lists_of(kind: Kind) -> list[tuple[str, ...]]:
    return [value.words for value in kind.values] or [kind.words]


def test_there_are_many_kinds_in_every_application() -> None:
    counts = Counter(kind.application for kind in ALL_KINDS)
    assert set(counts) == set(PROPORTIONS)
    assert len(ALL_KINDS) >= 150
    assert min(counts.values()) >= 25


def test_each_application_holds_kinds_out_and_some_of_them_with_pictograms() -> None:
    for application in applications():
        held = chosen(application.kinds, KindFilter.HELD_OUT)
        assert len(held) >= 3, application.name
        assert len(chosen(application.kinds, KindFilter.SEEN)) >= 3 * len(held)
    assert len(held_out_classes()) >= 10


def test_pictograms_of_held_out_kinds_are_used_by_no_other() -> None:
    seen = pictogram_classes(chosen(ALL_KINDS, KindFilter.SEEN))
    assert not seen & held_out_classes()


@pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: f"{kind.application}-{kind.name}")
def test_every_value_can_be_said_in_every_split(kind: Kind) -> None:
    for words in lists_of(kind):
        parts = [of_split(words, split) for split in Split]
        assert all(parts), words
        assert sum(map(len, parts)) == len(set(words))
    if kind.values:
        assert len(kind.values) >= 2
    else:
        first, second = amounts(kind.quantity, 2, np.random.default_rng(1))
        assert first.key != second.key
        assert not set(first.forms) & set(second.forms)


def test_no_template_is_in_two_splits() -> None:
    where: dict[str, set[Split]] = {}
    for kind in ALL_KINDS:
        for value in kind.values:
            for words in (value.words, value.denials, value.other_time, value.instructions):
                for split in Split:
                    for template in of_split(words, split):
                        where.setdefault(template, set()).add(split)
    assert {template: splits for template, splits in where.items() if len(splits) > 1} == {}
    assert Counter(next(iter(splits)) for splits in where.values())[Split.TEST] > 250


def test_denials_reach_every_split() -> None:
    for split in Split:
        found = [
            denial for kind in ALL_KINDS for value in kind.values for denial in of_split(value.denials, split)
        ]
        assert len(found) >= 20


def test_no_wording_says_two_values_of_a_kind() -> None:
    for kind in ALL_KINDS:
        said = [words for value in kind.values for words in {*value.words, *value.denials}]
        assert [words for words, count in Counter(said).items() if count > 1] == [], kind.name


@pytest.mark.parametrize("seed", range(5))
def test_words_are_filled_in_and_begin_with_a_capital(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = worded("(the|a) {s} is on  the left(-hand side|)", {"s": "exit"}, rng)
    assert text in {
        f"{article} exit is on the left{side}" for article in ("The", "A") for side in ("", "-hand side")
    }
    assert worded("{S}: {v}", {"s": "way out", "v": "5 m"}, rng) == "Way out: 5 m"


def test_a_kind_with_too_few_words_is_refused_by_name() -> None:
    kind = next(kind for kind in ALL_KINDS if kind.quantity)
    with pytest.raises(ValueError, match=f"{kind.name} needs five wordings"):
        kinds._check([replace(kind, words=kind.words[:4])])


def test_a_pictogram_shared_with_a_held_out_kind_is_refused() -> None:
    pictured = [kind for kind in ALL_KINDS if pictogram_classes([kind]) and not kind.held_out]
    with pytest.raises(ValueError, match="pictograms of held-out kinds are used by others too"):
        kinds._check([pictured[0], replace(pictured[0], name="copy", held_out=True)])


def test_a_kind_without_values_is_refused() -> None:
    kind = next(kind for kind in ALL_KINDS if kind.quantity)
    with pytest.raises(ValueError, match="needs either values or a quantity"):
        kinds._check([replace(kind, quantity="")])


def test_an_unknown_quantity_is_refused() -> None:
    with pytest.raises(ValueError, match="no quantity 'parsecs'; known are bar, "):
        amounts("parsecs", 2, np.random.default_rng(0))


@pytest.mark.parametrize("seed", range(20))
def test_countries_of_a_pair_have_flags_that_can_be_told_apart(seed: int) -> None:
    first, second = amounts("country", 2, np.random.default_rng(seed))
    assert {first.flag, second.flag} not in ({"AU", "NZ"}, {"IE", "IT"}, {"ID", "PL"}, {"TN", "TR"})
    assert first.slots["adj"] != second.slots["adj"]


def test_amounts_share_one_currency() -> None:
    for seed in range(20):
        pair = amounts("money", 2, np.random.default_rng(seed))
        signs = {"".join(letter for letter in one.forms[0] if letter not in "0123456789.") for one in pair}
        assert len(signs) == 1
