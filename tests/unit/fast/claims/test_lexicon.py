from __future__ import annotations

from pathlib import Path

import pytest

from arwarden.core.errors import ConfigError
from arwarden.core.findings import Box, Element, ElementType, Severity
from arwarden.fast.claims import ClaimReader, Lexicon, find_contradictions

HEAD = "language: en\nattributes: {x: {label: x, severity: info, "

GOOD = """
language: en
subjects:
  ferry: [ferry, ferries]
antonyms: [[spicy, bland]]
attributes:
  tide:
    label: tide
    severity: critical
    values:
      high: {words: [high tide, flood tide]}
      low: {words: [low tide, ebb]}
    opposites: [[high, low]]
  direction:
    label: direction
    severity: info
    values:
      left: {words: [port side]}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        Lexicon.load(["en"], [path])
    return caught.value.problems


def test_own_file_adds_words_attributes_and_settings(tmp_path: Path) -> None:
    lexicon = Lexicon.load(["en"], [written(tmp_path, GOOD)])
    reader = ClaimReader(lexicon)
    assert reader.claims("High tide")[0].value == "high"
    assert reader.claims("Not high tide")[0].value == "low"
    assert ("left", "ferry") in {(c.value, c.subject) for c in reader.claims("Ferry: port side")}
    assert ("left", "") in {(c.value, c.subject) for c in reader.claims("Turn left")}
    assert lexicon.severity("direction") is Severity.INFO
    texts = ("The soup is spicy", "The soup is bland")
    elements = [Element(ElementType.TEXT, Box(0, 0, 1, 1), text, reader.claims(text)) for text in texts]
    assert find_contradictions(elements, lexicon)[0].confidence > 0.8


def test_own_file_alone_makes_a_language(tmp_path: Path) -> None:
    german = """
language: de
grammar: {negators: [nicht, kein], articles: [der, die, das], function_words: [ist], copulas: [ist]}
subjects: {door: [Tür]}
attributes:
  lock:
    label: lock
    severity: critical
    values:
      locked: {words: [abgeschlossen]}
      unlocked: {words: [aufgeschlossen]}
    opposites: [[locked, unlocked]]
"""
    reader = ClaimReader(Lexicon.load(["de"], [written(tmp_path, german)]))
    assert reader.claims("Die Tür ist nicht abgeschlossen")[0].describe() == "door: lock = unlocked"


def test_words_that_yaml_takes_for_something_else_are_words(tmp_path: Path) -> None:
    text = "language: en\nattributes:\n  vote:\n    label: vote\n    severity: info\n    values:\n"
    lexicon = Lexicon.load(
        ["en"],
        [written(tmp_path, text + "      yes: {words: [yes, on, 12:30]}\n      no: {words: [nope]}\n")],
    )
    assert list(lexicon.data.attributes["vote"].values) == ["yes", "no"]
    assert lexicon.data.attributes["vote"].values["yes"].words == ("yes", "on", "12:30")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("language: en\ncolour: 3\n", ["own.yaml", "colour", "no such key"]),
        ("language: English\n", ["own.yaml", "language"]),
        ("- a\n- b\n", ["own.yaml", "must be a mapping"]),
        ("language: [en\n", ["own.yaml", "not valid YAML"]),
        ("language: en\nignore: [a]\nignore: [b]\n", ["own.yaml", "'ignore' is given twice"]),
        ("language: en\nignore: [true]\n", ["own.yaml", "ignore", "quotes"]),
        (
            "language: en\nattributes: {x: {severity: info, values: {}}}\n",
            ["attributes.x.label", "is missing"],
        ),
        ("language: en\nattributes: {x: {label: x, severity: bad, values: {}}}\n", ["attributes.x.severity"]),
        (
            HEAD + "values: {a: {words: [w]}}, opposites: [[a, b]]}}\n",
            ["attributes.x", "opposites", "'b' is not a value"],
        ),
        (
            HEAD + "values: {a: {words: [w]}, b: {words: [w]}}}}\n",
            ["attributes.x", "'w' also stands under 'a'"],
        ),
        (
            HEAD + "values: {a: {implies: {nope: y}}}}}\n",
            ["attributes.x", "no attribute 'nope'"],
        ),
        (
            HEAD + "values: {a: {implies: {lock: y}}}}}\n",
            ["attributes.x", "'y' is not one of: locked, unlocked"],
        ),
        (
            HEAD + "values: {a: {absent: [unobtainium]}}}}\n",
            ["attributes.x", "no subject 'unobtainium'"],
        ),
        (
            HEAD + "values: {a: {range: [9, 1]}}}}\n",
            ["attributes.x", "the lower end comes first"],
        ),
        (
            HEAD + "range_unit: furlong, values: {}}}\n",
            ["attributes.x", "no unit 'furlong'"],
        ),
        (
            "language: en\nunits: {pt: {dimension: beauty, factor: 1, words: [pt]}}\n",
            ["units.pt.dimension", "no dimension 'beauty'"],
        ),
        ("language: en\nunits: {pt: {dimension: length, factor: 0, words: [pt]}}\n", ["units.pt.factor"]),
        (
            "language: en\ndimensions: {beauty: {base: pt, attribute: b}}\n",
            ["dimensions.beauty.base", "'pt'"],
        ),
        ("language: en\nunions: {X: {words: [x], members: [ZZ]}}\n", ["unions.X.members", "'ZZ'"]),
        ("language: en\nmeasure_names: {beauty: {a: [b]}}\n", ["measure_names.beauty"]),
    ],
)
def test_every_fault_names_file_entry_and_fix(tmp_path: Path, text: str, parts: list[str]) -> None:
    found = "\n".join(problems(written(tmp_path, text)))
    for part in parts:
        assert part in found


def test_all_problems_at_once(tmp_path: Path) -> None:
    first = tmp_path / "first.yaml"
    first.write_text("language: en\nwrong: 1\n", encoding="utf-8")
    second = tmp_path / "second.yaml"
    second.write_text("language: en\nalso: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        Lexicon.load(["en", "xx"], [first, second])
    assert len(caught.value.problems) >= 2
    assert "first.yaml" in str(caught.value)
    assert "second.yaml" in str(caught.value)


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="no lexicon for 'xx'; there is: de, en, es, fr, zh"):
        Lexicon.load(["xx"])
    with pytest.raises(ConfigError, match="names no language"):
        Lexicon.load([])


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"language: en\nignore: [caf\xe9]\n")
    assert "UTF-8" in problems(tmp_path / "latin.yaml")[0]
    assert "cannot be read" in problems(tmp_path / "absent.yaml")[0]


def test_shipped_lexicon_is_complete(lexicon: Lexicon) -> None:
    assert len(lexicon.data.countries) == 249
    assert lexicon.severity("lock") is Severity.CRITICAL
    assert lexicon.severity("opening.sunday") is Severity.WARNING
    assert lexicon.severity("anything else") is Severity.INFO
    assert "France" in lexicon.members["EU"]
    assert "France" in lexicon.members["Europe"]
    assert lexicon.opposites["lock", "locked"] == "unlocked"
    assert ("direction", "left", "up") in lexicon.compatible


def test_wording_with_two_meanings_is_a_problem(tmp_path: Path) -> None:
    text = (
        "language: de\ngloss: {words: {open: [auf], on: [Auf], '': [x]}, orders: {close: [zu]}, drop: [zu]}\n"
    )
    found = "\n".join(problems(written(tmp_path, text)))
    assert "gloss.words.on: 'Auf' also stands under 'open'" in found
    assert "gloss.words: a wording means nothing" in found
    assert "gloss.drop: 'zu' also means 'close'" in found
