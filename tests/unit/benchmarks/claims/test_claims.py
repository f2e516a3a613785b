"""The benchmark of the claim engine: scenes of known truth, fair counting, its command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from arwarden.core.findings import Element, ElementType
from arwarden.fast.claims import ElementReader, Lexicon
from benchmarks.claims.attributes import ATTRIBUTES
from benchmarks.claims.command import command
from benchmarks.claims.scenes import SeenScene, seen_scenes
from benchmarks.claims.score import Tally, score
from models.scenes.kinds import PROPORTIONS, KindFilter, Split, applications, chosen


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load(["en"])


@pytest.fixture(scope="module")
def scenes(lexicon: Lexicon) -> list[SeenScene]:
    return list(seen_scenes(Split.TRAIN, KindFilter.SEEN, 624, 5, ElementReader(lexicon)))


def test_scenes_are_the_same_for_the_same_seed(lexicon: Lexicon, scenes: list[SeenScene]) -> None:
    again = list(seen_scenes(Split.TRAIN, KindFilter.SEEN, 10, 5, ElementReader(lexicon)))
    assert again == scenes[:10]


def test_scenes_keep_the_proportions_and_labels(scenes: list[SeenScene]) -> None:
    for name, count in PROPORTIONS.items():
        labels = [one.situation.contradictory for one in scenes if one.situation.application == name]
        assert len(labels) == 4 * count
        assert sum(labels) == 2 * count


def test_elements_are_what_was_designed(scenes: list[SeenScene]) -> None:
    for scene in scenes[:100]:
        assert [one.text for one in scene.elements] == [one.text for one in scene.situation.elements]
        assert not any(scene.elements[0].box.overlap(one.box) for one in scene.elements[1:2])


def test_engine_is_good_on_what_it_was_tuned_on(lexicon: Lexicon, scenes: list[SeenScene]) -> None:
    result = score(scenes, lexicon)
    assert result.total.accuracy >= 0.92
    assert result.total.false_alarm_rate <= 0.02
    assert result.pair_right / result.raised >= 0.97
    assert result.both_right / result.attribute_judged >= 0.95


def test_nothing_is_raised_by_elements_that_say_nothing(lexicon: Lexicon, scenes: list[SeenScene]) -> None:
    mute = [
        SeenScene(one.situation, tuple(Element(ElementType.PANEL, e.box) for e in one.elements))
        for one in scenes
    ]
    result = score(mute, lexicon)
    assert result.total.accuracy == 0.5
    assert result.total.recall == 0.0
    assert result.as_json()["pair_accuracy"] == 0.0


def test_tally() -> None:
    tally = Tally()
    assert (tally.accuracy, tally.recall, tally.false_alarm_rate) == (0.0, 0.0, 0.0)
    for contradictory, raised in ((True, True), (True, False), (False, False), (False, True), (False, False)):
        tally.add(contradictory=contradictory, raised=raised)
    assert tally.accuracy == pytest.approx(3 / 5)
    assert tally.recall == 0.5
    assert tally.false_alarm_rate == pytest.approx(1 / 3)


def test_attributes_name_what_there_is(lexicon: Lexicon) -> None:
    seen = {kind.attribute for one in applications() for kind in chosen(one.kinds, KindFilter.SEEN)}
    assert set(ATTRIBUTES) <= seen
    assert lexicon.attribute("direction") is not None
    assert all(ATTRIBUTES.values())


def test_command_writes_what_it_prints(tmp_path: Path) -> None:
    file = tmp_path / "sub" / "claims.json"
    done = CliRunner().invoke(command, ["--scenes", "60", "--split", "train", "--json", str(file)])
    assert done.exit_code == 0, done.output
    values = json.loads(file.read_text(encoding="utf-8"))
    assert values["scenes"] == 60
    assert f"{values['accuracy']:.1%}" in done.output
    assert set(values["by_application"]) == set(PROPORTIONS)


def test_command_hides_failures_of_held_out_kinds() -> None:
    done = CliRunner().invoke(command, ["--scenes", "60", "--split", "train", "--kinds", "held_out"])
    assert done.exit_code == 0, done.output
    assert "missed" not in done.output
