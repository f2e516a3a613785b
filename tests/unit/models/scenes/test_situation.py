from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from models.scenes.kinds import PROPORTIONS, KindFilter, Split, held_out_classes
from models.scenes.situation import OTHER_TIMES, Author, Design, Programme, Situation, conflicts
from models.scenes.truth import ClaimTruth


def written(split: Split, count: int, kinds: KindFilter = KindFilter.SEEN, seed: int = 3) -> list[Situation]:
    author, programme = Author(split, kinds), Programme(seed)
    found = []
    for index in range(count):
        application, contradictory = programme.at(index)
        rng = np.random.default_rng((seed, index))
        found.append(author.situation(application, rng, contradictory=contradictory))
    return found


@pytest.mark.parametrize("kinds", list(KindFilter))
@pytest.mark.parametrize("split", list(Split))
def test_a_contradictory_scene_holds_one_contradiction_and_a_coherent_one_none(
    split: Split, kinds: KindFilter
) -> None:
    for situation in written(split, 400, kinds):
        found = conflicts([design.claims for design in situation.elements])
        assert found == ([(0, 1)] if situation.contradictory else []), situation


def test_labels_and_applications_come_in_the_published_proportions() -> None:
    programme = Programme(seed=5)
    block = Counter(programme.at(index) for index in range(312, 624))
    for name, count in PROPORTIONS.items():
        assert block[name, True] == block[name, False] == count
    assert sum(programme.at(index)[1] for index in range(40)) == 20


def test_the_order_of_applications_depends_on_the_seed_only() -> None:
    first, same, other = (Programme(seed) for seed in (1, 1, 2))
    assert [first.at(index) for index in range(60)] == [same.at(index) for index in range(60)]
    assert [first.at(index) for index in range(60)] != [other.at(index) for index in range(60)]


def test_every_hard_negative_comes_up() -> None:
    recipes = Counter(one.recipe for one in written(Split.TRAIN, 900) if not one.contradictory)
    assert set(recipes) == {
        "same_value",
        "denial_agrees",
        "other_subject",
        "other_time",
        "instruction",
        "other_attribute",
    }
    assert recipes["same_value"] < 0.6 * sum(recipes.values())


def test_held_out_kinds_stay_out_of_seen_scenes_with_their_pictograms() -> None:
    for situation in written(Split.TRAIN, 600):
        assert not situation.kind.held_out
        shown = {design.picture.cls for design in situation.elements if design.picture is not None}
        assert not shown & held_out_classes()
    assert all(one.kind.held_out for one in written(Split.TEST, 100, KindFilter.HELD_OUT))


def test_the_number_of_elements_does_not_tell_the_label() -> None:
    found = written(Split.TRAIN, 1200)
    sizes = {
        label: np.mean([len(one.elements) for one in found if one.contradictory is label])
        for label in (True, False)
    }
    assert abs(sizes[True] - sizes[False]) < 0.2
    assert {len(one.elements) for one in found} == {2, 3, 4, 5, 6}


def test_pictures_come_as_often_with_both_labels() -> None:
    found = written(Split.TRAIN, 1500)
    shares = {
        label: np.mean(
            [
                any(design.picture or design.speaks_of_way for design in one.elements[:2])
                for one in found
                if one.contradictory is label
            ]
        )
        for label in (True, False)
    }
    assert abs(shares[True] - shares[False]) < 0.15
    assert min(shares.values()) > 0.25


def test_sentences_of_one_split_are_not_in_another() -> None:
    def sentences(split: Split) -> set[str]:
        designs = chain.from_iterable(one.elements for one in written(split, 1500))
        return {
            design.text.casefold().rstrip(".!")
            for design in designs
            if design.claims and not design.picture and len(design.text.split()) > 2
        }

    train, validation, test = (sentences(split) for split in Split)
    assert len(test) > 300
    assert len(test & train) <= 0.01 * len(test)
    assert len(test & validation) <= 0.01 * len(test)


def test_arrows_that_only_carry_text_keep_out_of_scenes_about_ways() -> None:
    for situation in written(Split.TRAIN, 800):
        if any(design.speaks_of_way for design in situation.elements):
            arrows = [design for design in situation.elements if design.carrier == "arrow"]
            assert all(design.speaks_of_way for design in arrows)


def test_two_arrows_conflict_only_where_both_name_their_destination() -> None:
    for situation in written(Split.TRAIN, 1500):
        pair = situation.elements[:2]
        if all(design.speaks_of_way for design in pair):
            assert all(design.text or design.picture for design in pair), pair


def test_pictures_that_cannot_be_drawn_are_not_asked_for() -> None:
    author = Author(Split.TRAIN, drawable=frozenset({"lock"}))
    for seed in range(200):
        situation = author.situation("smart_apartment", np.random.default_rng(seed), contradictory=True)
        pictures = {design.picture.cls for design in situation.elements if design.picture is not None}
        assert pictures <= {"lock"}


@pytest.mark.parametrize(
    ("first", "second", "clash"),
    [
        (("lock", "door", "lock", "locked"), ("lock", "door", "lock", "unlocked"), True),
        (("lock", "", "lock", "locked"), ("lock", "door", "lock", "unlocked"), True),
        (("lock", "car", "lock", "locked"), ("lock", "door", "lock", "unlocked"), False),
        (("lock", "door", "lock", "locked"), ("lock", "door", "lock", "locked"), False),
        (("parking", "", "permission", "allowed"), ("dogs", "", "permission", "forbidden"), False),
    ],
)
def test_claims_clash(first: tuple[str, ...], second: tuple[str, ...], clash: bool) -> None:
    claims = [[ClaimTruth(*first)], [ClaimTruth(*second)]]
    assert conflicts(claims) == ([(0, 1)] if clash else [])


def test_values_that_go_together_are_never_set_against_each_other() -> None:
    author = Author(Split.TRAIN)
    met = 0
    for seed in range(3000):
        situation = author.situation("safety_inspection", np.random.default_rng(seed), contradictory=True)
        if situation.kind.compatible:
            met += 1
            values = frozenset(design.claims[0].value for design in situation.elements[:2])
            assert values not in situation.kind.compatible
    assert met > 30


def test_words_about_another_time_do_not_give_the_label_away() -> None:
    found = written(Split.TRAIN, 3000)
    times = tuple(f"{time}: " for time in OTHER_TIMES[Split.TRAIN])
    labels = [one.contradictory for one in found if any(d.text.startswith(times) for d in one.elements[:2])]
    assert len(labels) > 40
    assert 0.2 < np.mean(labels) < 0.7


def test_texts_are_words_without_gaps_left_open() -> None:
    for situation in written(Split.VALIDATION, 600):
        for design in situation.elements:
            assert isinstance(design, Design)
            assert not set("{}|") & set(design.text), design.text
            assert design.text == " ".join(design.text.split())
            assert design.text or design.picture or design.pointing
