"""What the documentation of the claim language shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arwarden.core.findings import Box, Element, ElementType
from arwarden.fast.claims import ClaimReader, ElementReader, Lexicon, Picture, find_contradictions
from arwarden.fast.claims.pairs import JUDGED

PAGE = (Path(__file__).resolve().parents[4] / "docs" / "claims.md").read_text(encoding="utf-8")
CATEGORIES, PICTURES, OWN, GERMAN = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
WORDS, _, _ = PAGE.partition("## Pictograms")
ROWS = re.findall(r"^\| (.+?) \| (`.+?: .*=.*|`\w.* = .*) \|$", WORDS, re.MULTILINE)


def test_examples_are_found() -> None:
    assert len(ROWS) == 14


@pytest.mark.parametrize(("text", "claims"), ROWS)
def test_examples(reader: ClaimReader, text: str, claims: str) -> None:
    described = {claim.describe() for claim in reader.claims(text)}
    assert set(re.findall(r"`(.+?)`", claims)) <= described


def keys(lexicon: Lexicon, one: str, other: str) -> list[str]:
    reader = ClaimReader(lexicon)
    elements = [
        Element(ElementType.TEXT, Box(0, 0, 1, 1), text, reader.claims(text)) for text in (one, other)
    ]
    return [f.key for f in find_contradictions(elements, lexicon) if f.confidence >= 0.6]


def test_own_lexicon(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(OWN, encoding="utf-8")
    lexicon = Lexicon.load(["en"], [path])
    assert keys(lexicon, "High tide", "Ebb tide") == ["contradiction:tide:high|low"]
    assert keys(lexicon, "Ferry to port", "Ferry to starboard") == [
        "contradiction:direction:left|right:ferry"
    ]
    assert keys(lexicon, "High tide", "Slack water") == []
    assert keys(lexicon, "Contains macadamia", "Nut-free") == ["contradiction:presence:absent|present:nut"]
    assert keys(lexicon, "No rowing", "You may row here") == [
        "contradiction:permission:allowed|forbidden:rowing"
    ]
    assert keys(lexicon, "The soup is spicy", "The soup is bland") != []


def test_another_language(tmp_path: Path) -> None:
    path = tmp_path / "german.yaml"
    path.write_text(GERMAN, encoding="utf-8")
    lexicon = Lexicon.load(["de"], [path])
    assert keys(lexicon, "Die Tür ist nicht abgeschlossen", "Tür abgeschlossen") == [
        "contradiction:lock:locked|unlocked:door"
    ]
    both = Lexicon.load(["en", "de"], [path])
    assert keys(both, "Die Tür ist verriegelt", "The door is unlocked") == [
        "contradiction:lock:locked|unlocked:door"
    ]


def test_picture_examples(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(PICTURES, encoding="utf-8")
    reader = ElementReader(Lexicon.load(["en"], [path]))
    ferry = reader.claims(ElementType.ARROW, pictures=[Picture("ferry")], direction_deg=0.0)
    assert [claim.describe() for claim in ferry] == ["ferry: direction = right"]
    leaf = {claim.describe() for claim in reader.claims(ElementType.SIGN, pictures=[Picture("leaf")])}
    assert {"farming = organic", "diet = vegan"} <= leaf
    panel = reader.claims(ElementType.PANEL, text="Kitchen window", pictures=[Picture("window_open")])
    assert [claim.describe() for claim in panel] == ["kitchen window: opening = open"]


def test_own_categories_and_fields(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(CATEGORIES, encoding="utf-8")
    lexicon = Lexicon.load(["en"], [path])
    assert keys(lexicon, "The song is merry", "The song is gloomy") != []
    assert keys(lexicon, "Soloist: Anna Lind", "Soloist: Ben Ott") != []
    assert keys(lexicon, "The song is merry", "Soloist: Ben Ott") == []


def test_the_example_of_the_pair_network(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = (
        code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "open_shipped" in code
    )
    exec(compile(example, "claims.md", "exec"), {})  # noqa: S102 - our own page
    out = capsys.readouterr().out
    assert JUDGED in out
    assert out.rstrip().endswith("True")
