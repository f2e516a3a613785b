"""Trees of kinds from WordNet's files."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.lexicon import categories
from models.lexicon.categories import lines, read_nouns

DATA = """\
  1 a licence line
00000001 05 n 02 animal 0 beast 0 001 ~ 00000002 n 0000 | a living thing
00000002 05 n 01 wolf 0 001 @ 00000001 n 0000 | it howls
00000003 05 n 01 grey_wolf_of_north 0 001 @ 00000002 n 0000 | a name of too many words
00000004 05 n 01 cub 0 001 @ 00000002 n 0000 | young
"""
INDEX = """\
  1 a licence line
animal n 1 1 ~ 1 1 00000001
beast n 2 1 ~ 2 1 00000009 00000001
wolf n 1 1 @ 1 1 00000002
cub n 4 1 @ 4 1 00000007 00000008 00000009 00000004
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.noun").write_text(DATA, encoding="latin-1")
    (tmp_path / "index.noun").write_text(INDEX, encoding="latin-1")
    return tmp_path


def test_kinds_are_indented_below_what_they_are_of(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(categories, "ROOTS", {"animal": "animal#1"})
    # "cub" is seldom meant as a wolf; of the rest only the second sense of "beast" is marked.
    assert list(lines(read_nouns(folder))) == ["# animal", "animal,~beast", " wolf"]


def test_the_shipped_file_has_every_category() -> None:
    headings = {
        line.removeprefix("# ")
        for line in categories.OUT.read_text(encoding="utf-8").splitlines()
        if line.startswith("# ")
    }
    assert headings == set(categories.ROOTS)
