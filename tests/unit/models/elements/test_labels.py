import json
from pathlib import Path

import pytest

from arwarden.fast.elements.decode import CROSSED, MANDATORY, OTHER, TYPES
from models.assets.library import read_classes
from models.elements.labels import (
    ARROW,
    BACKGROUND,
    DOUBLE,
    TAG,
    U_TURN,
    Labels,
    label_name,
    read_labels,
    trained_labels,
    type_number,
)
from models.scenes.kinds import held_out_classes


def test_every_pictogram_class_but_the_held_out_ones_is_a_label() -> None:
    names = set(trained_labels().names)
    assert set(read_classes()) - names == set(held_out_classes())
    assert {BACKGROUND, ARROW, OTHER, CROSSED, MANDATORY, "flag:FR", "lock", "unlock"} <= names
    assert len([name for name in names if name.startswith("flag:")]) >= 60


def test_labels_are_all_different() -> None:
    names = trained_labels().names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("kind", "cls", "label"),
    [
        ("pictogram", "lock", "lock"),
        ("sign", "no_smoking", "no_smoking"),
        ("pictogram", "other", OTHER),
        ("pictogram", "crossed", CROSSED),
        ("sign", "crossed", CROSSED),
        ("sign", "mandatory", MANDATORY),
        ("flag", "FR", "flag:FR"),
        ("flag", "flag:fr", "flag:FR"),
        ("arrow", "straight", ARROW),
        ("arrow", "u_turn", U_TURN),
        ("arrow", "double", DOUBLE),
        ("badge", "round", TAG),
        ("text", "", None),
        ("flag", "XX", None),
    ],
)
def test_label_of_an_element(kind: str, cls: str, label: str | None) -> None:
    assert label_name(kind, cls) == label


def test_flags_that_look_the_same_have_one_label() -> None:
    assert label_name("flag", "TD") == label_name("flag", "RO") == "flag:RO"
    assert trained_labels().number("flag:TD") is None


def test_held_out_pictograms_get_no_label() -> None:
    for name in held_out_classes():
        label = label_name("pictogram", name)
        assert label is not None
        assert trained_labels().number(label) is None


def test_types_of_kinds() -> None:
    assert type_number("pictogram") == type_number("sign") == TYPES.index("sign")
    assert type_number("badge") == TYPES.index("tag")
    assert type_number("text") is None


def test_labels_come_back_from_their_file(tmp_path: Path) -> None:
    Labels(("a", "flag:CI")).write(tmp_path / "labels.json")
    assert json.loads((tmp_path / "labels.json").read_text()) == ["a", "flag:CI"]
    assert read_labels(tmp_path / "labels.json").number("flag:CI") == 1
