from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from models.assets.library import Library
from models.elements.collage import Collages, Found
from models.elements.generate import CROP_PX
from models.elements.store import entries_of, pictures_of, write_shard
from models.scenes.art.element import Art
from models.scenes.kinds import Split
from models.words import generate as module
from models.words.generate import Order, Shown, Worker, missing, shard_path, to_draw
from models.words.names import Named

WORDS = ("bell", "door", "lamp", "clock", "tree", "ship", "cup", "hat")


class FakeSource:
    def __init__(self, split: str, *used_for: str) -> None:
        self.split, self.used_for = split, used_for


class FakeLibrary:
    """Packages of which some are for training; one is not fetched, one has flags only."""

    icon_packs = Library.icon_packs

    def __init__(self, root: Path) -> None:
        self.root = root
        self.packages = {
            "aa": ["bell", "bell-off", "wine-glass", *WORDS[1:]],
            "bb": ["bell-outline", "wine_glass", "bell-slash", "gizmo", *WORDS[1:]],
            "cc": ["bell", "snail"],
            "dd": ["snail"],
            "ee": ["snail"],
        }
        self.sources = {
            "aa": FakeSource("train", "icons"),
            "bb": FakeSource("train", "icons", "flags"),
            "cc": FakeSource("validation", "icons"),
            "dd": FakeSource("train", "flags"),
            "ee": FakeSource("train", "icons"),
        }
        for key in ("aa", "bb", "cc", "dd"):
            (root / key).mkdir(parents=True)
            (root / key / "icons.json").write_text("{}", encoding="utf-8")

    def icon_names(self, source: str) -> tuple[str, ...]:
        return tuple(self.packages[source])


def library(root: Path) -> Library:
    return cast("Library", FakeLibrary(root))


def order(out: Path) -> Order:
    return Order(out, Split.TRAIN, 1, None)


def test_icons_of_the_split_that_two_makers_name_alike_are_drawn(tmp_path: Path) -> None:
    shown = to_draw(library(tmp_path), "train")
    plain = {(one.icon.source, one.icon.name) for one in shown if not one.crossed}
    assert {source for source, _ in plain} == {"aa", "bb"}
    assert {("aa", "bell"), ("bb", "bell-outline"), ("aa", "wine-glass"), ("bb", "bell-slash")} <= plain
    assert ("bb", "gizmo") not in plain
    assert {one.icon.words for one in to_draw(library(tmp_path / "more"), "validation")} >= {"bell", "snail"}


def test_some_things_of_one_word_are_crossed_out_as_well(tmp_path: Path) -> None:
    shown = to_draw(library(tmp_path), "train")
    crossed = [one for one in shown if one.crossed]
    plain = [one for one in shown if not one.crossed and " " not in one.icon.words]
    assert len(crossed) == -(-len(plain) // module.CROSSED_EVERY)
    for one in crossed:
        thing, off = one.icon.words.split()
        assert off == "off"
        assert thing in WORDS
        assert Shown(Named(one.icon.source, one.icon.name, thing)) in shown


def test_the_order_is_the_same_every_time_and_mixed(tmp_path: Path) -> None:
    shown = to_draw(library(tmp_path / "one"), "train")
    assert shown == to_draw(library(tmp_path / "two"), "train")
    names = [one.icon.words for one in shown]
    assert names != sorted(names)


def test_shards_that_are_there_are_not_made_again(tmp_path: Path) -> None:
    it = order(tmp_path)
    write_shard(shard_path(it, 1), np.zeros((1, 4, 4, 3), np.uint8), [{}])
    assert missing(it, 3) == [0, 2]
    assert missing(Order(tmp_path, Split.TRAIN, 2, None), 2) == [0, 1], "another seed draws all once more"
    assert missing(Order(tmp_path, Split.VALIDATION, 1, None), 2) == [0, 1]


class FakeCollages:
    """Each icon is a patch as bright as its number; those that cannot be seen are left out."""

    def __init__(self, hidden: str = "") -> None:
        self.hidden = hidden

    def composed(self, _rng: np.random.Generator, arts: list[Art]) -> tuple[Any, list[Found]]:
        rgb = np.zeros((40, 40 * len(arts), 3), np.uint8)
        found = []
        for place, art in enumerate(arts):
            rgb[:, place * 40 : place * 40 + 40] = 20 * (1 + WORDS.index(art.cls))
            box = (place * 40.0 + 10, 10.0, place * 40.0 + 30, 30.0)
            if art.cls != self.hidden:
                found.append(Found("pictogram", art.cls, box, 0.2 if art.cls == "hat" else 1.0))
        return rgb, found


def worker(out: Path, monkeypatch: pytest.MonkeyPatch, *, hidden: str = "", broken: str = "") -> Worker:
    """With two collages of the same icons in each shard."""
    monkeypatch.setattr(module, "COLLAGES_PER_SHARD", 2)
    made = Worker(order(out))
    icons = [Shown(Named("aa", word, word)) for word in WORDS]
    assert len(icons) == Collages.PER_PICTURE

    def art(shown: Shown, _rng: np.random.Generator) -> Art | None:
        word = shown.icon.words
        return None if word == broken else Art(np.zeros((4, 4, 4), np.uint8), "pictogram", word)

    made.__dict__ |= {"_shown": icons * 2, "_collages": FakeCollages(hidden), "_art": art}
    return made


def drawn_words(out: Path) -> list[str]:
    """Of the first shard; each crop shows what its words say."""
    shard = shard_path(order(out), 0)
    entries, pictures = entries_of(shard), pictures_of(shard)
    assert pictures.shape == (len(entries), CROP_PX, CROP_PX, 3)
    for entry, picture in zip(entries, pictures, strict=True):
        assert int(picture[CROP_PX // 2, CROP_PX // 2, 0]) == 20 * (1 + WORDS.index(entry["words"]))
        assert (entry["source"], entry["name"], entry["crossed"]) == ("aa", entry["words"], False)
    return [str(entry["words"]) for entry in entries]


def test_crops_have_the_words_of_what_they_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(tmp_path, monkeypatch).crops(0)
    # The hat can hardly be seen.
    assert drawn_words(tmp_path) == list(WORDS[:-1]) * 2


def test_icons_that_cannot_be_drawn_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker(tmp_path, monkeypatch, broken="door").crops(0)
    assert drawn_words(tmp_path) == [word for word in WORDS[:-1] if word != "door"] * 2


def test_an_icon_that_is_not_to_be_seen_gives_its_words_to_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    it = worker(tmp_path, monkeypatch, hidden="door")
    it.__dict__["_shown"] = it._shown[:8] + [one for one in it._shown[8:] if one.icon.words != "door"]
    it.crops(0)
    assert drawn_words(tmp_path) == [word for word in WORDS[:-1] if word != "door"]


@pytest.mark.skipif(not Library().complete, reason="assets are not fetched (python -m models.assets.fetch)")
def test_the_same_icons_are_drawn_the_same_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COLLAGES_PER_SHARD", 1)
    shards = []
    for folder in ("one", "two"):
        made = Worker(Order(tmp_path / folder, Split.VALIDATION, 1, None))
        made.crops(3)
        shard = shard_path(made._order, 3)
        shards.append((entries_of(shard), np.array(pictures_of(shard))))
    (entries, pictures), (again, others) = shards
    assert 4 <= len(entries) <= Collages.PER_PICTURE
    assert entries == again
    assert (pictures == others).all()
    expected = to_draw(Library(), "validation")[3 * 8 : 4 * 8]
    assert [entry["words"] for entry in entries] == [
        one.icon.words for one in expected if one.icon.name in {entry["name"] for entry in entries}
    ]


@pytest.mark.skipif(not Library().complete, reason="assets are not fetched (python -m models.assets.fetch)")
def test_files_that_cannot_be_drawn_have_no_art(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Worker(Order(tmp_path, Split.VALIDATION, 1, None))
    (shown, *_), rng = made._shown, np.random.default_rng(1)
    plain, crossed = (made._art(Shown(shown.icon, crossed=one), rng) for one in (False, True))
    assert plain is not None
    assert crossed is not None
    assert (plain.kind, plain.cls, crossed.cls) == ("pictogram", "other", "other")

    def undrawable(*_: object) -> None:
        raise ValueError("no SVG")

    monkeypatch.setattr(module, "icon_glyph", undrawable)
    assert made._art(shown, rng) is None
