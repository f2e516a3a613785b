from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.words.names import FIRST, FRAMES, LEAST_PACKAGES, OFF, STYLES, VARIANTS, Named, named_icons, spelt


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bell", "bell"),
        ("bell-outline", "bell"),
        ("bell_rounded", "bell"),
        ("bell-sharp-duotone", "bell"),
        ("bell-24", "bell"),
        ("Bell 24px", "bell"),
        ("baseline-bell", "bell"),
        ("md-bell", "bell"),
        ("wine-glass", "wine glass"),
        ("bell--notification", "bell"),
        ("sharp-bell-off-24", "bell off"),
        ("line-chart", "line chart"),
        ("bold", "bold"),
        ("outline", "outline"),
        ("outline-sharp", "sharp"),
        ("24", ""),
        ("", ""),
    ],
)
def test_ways_of_drawing_are_no_words(name: str, words: str) -> None:
    assert spelt(name) == words


@pytest.mark.parametrize("ending", sorted(OFF))
def test_all_words_for_crossed_out_are_one(ending: str) -> None:
    assert spelt(f"bell-{ending}-outline") == "bell off"


@pytest.mark.parametrize("style", sorted(STYLES))
def test_styles_are_cut_off_at_the_end_only(style: str) -> None:
    assert spelt(f"bell-{style}") == "bell"
    assert spelt(f"bell-{style}-house") == f"bell {style} house"


@pytest.mark.parametrize("prefix", sorted(FIRST))
def test_prefixes_are_cut_off_once_at_the_beginning(prefix: str) -> None:
    assert spelt(f"{prefix}-bell-house") == "bell house"
    assert spelt(f"bell-{prefix}-house") == f"bell {prefix} house"
    assert spelt(prefix) == prefix


@pytest.mark.parametrize("frame", sorted(FRAMES))
def test_frames_are_cut_off_where_there_is_one_without(frame: str) -> None:
    assert spelt(f"bell-{frame}", ["bell", "door"]) == "bell"
    assert spelt(f"bell-{frame}", ["door"]) == f"bell {frame}"
    assert spelt(f"bell-{frame}") == f"bell {frame}"
    assert spelt(frame, ["bell"]) == frame


def test_a_frame_may_stand_before_a_style() -> None:
    assert spelt("bell-circle-outline", ["bell"]) == "bell"
    assert spelt("traffic-light-outline", ["bell"]) == "traffic light"


@given(st.text(max_size=40))
def test_words_are_plain_whatever_the_name_is(name: str) -> None:
    assert re.fullmatch(r"([a-z]+( [a-z]+)*)?", spelt(name))


def test_a_name_of_one_maker_is_its_own_invention() -> None:
    packages = {"one": ["bell", "gizmo"], "two": ["bell-outline"], "three": ["snail"]}
    assert named_icons(packages) == [Named("one", "bell", "bell"), Named("two", "bell-outline", "bell")]
    assert {icon.words for icon in named_icons(packages, 1)} == {"bell", "gizmo", "snail"}
    assert named_icons(packages, LEAST_PACKAGES + 1) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [("fa6-solid", "fa7-regular"), ("symbols", "symbols-light"), ("kit-v1", "kit"), ("bold-1", "bold-2")],
)
def test_two_series_of_one_maker_are_one(one: str, other: str) -> None:
    packages = {one: ["bell"], other: ["bell"]}
    assert named_icons(packages) == []
    assert len(named_icons({**packages, "another": ["bell"]})) == 3


def test_frames_are_judged_by_the_package_itself() -> None:
    packages = {"one": ["bell", "bell-circle", "lock-circle"], "two": ["bell", "lock", "bell-circle"]}
    assert {icon.words for icon in named_icons(packages)} == {"bell"}
    assert {icon.words for icon in named_icons(packages, 1)} == {"bell", "lock circle", "lock"}


def test_of_one_picture_of_a_package_only_some_variants_are_taken() -> None:
    variants = ["bell", "bell-bold", "bell-fill", "bell-thin", "bell-line"]
    found = named_icons({"one": variants, "two": ["bell"]})
    assert [icon.name for icon in found if icon.source == "one"] == sorted(variants)[:VARIANTS]
    assert len(found) == VARIANTS + 1


@pytest.mark.parametrize(
    "name",
    [
        "thumbs-up-dark-skin-tone",
        "woman: medium-light skin tone",
        "flag-for-france",
        "keycap-3",
        "person-red-hair",
        "go",
        "24",
        "",
        "é",
    ],
)
def test_people_by_the_hundred_flags_and_letters_are_left_out(name: str) -> None:
    assert named_icons({"one": [name], "two": [name]}, 1) == []


def test_order_of_packages_and_names_does_not_matter() -> None:
    packages = {"two": ["door", "bell-outline", "bell"], "one": ["bell", "door-off", "door"]}
    turned = {source: names[::-1] for source, names in reversed(packages.items())}
    assert named_icons(packages) == named_icons(turned)
    assert named_icons(packages) == named_icons({key: iter(names) for key, names in packages.items()})


def test_no_packages_have_no_names() -> None:
    assert named_icons({}) == named_icons({"one": []}) == []
