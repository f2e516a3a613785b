from __future__ import annotations

import pytest

from arwarden.fast.claims.gloss import Gloss, cut_wording, folded, in_english
from arwarden.fast.claims.schema import GlossSpec

SPEC = GlossSpec.model_validate(
    {
        "words": {
            "door": ["Tür"],
            "basement": ["Keller"],
            "kitchen": ["Küche"],
            "not": ["nicht"],
            "may": ["darf"],
            "no": ["kein"],
            "locked": ["abgeschlossen"],
            "is": ["ist"],
            "not yet": ["noch nicht"],
            "open": ["geöffnet"],
            "please": ["bitte"],
            "floor #": ["# . Stock", "第#层", "# e étage"],
            "# - # - #": ["#年#月#日"],
            "3": ["三"],
            "do not": ["prohibido ..."],
            "forbidden": ["prohibido"],
            "road": ["Straße"],
        },
        "orders": {"close": ["schließen"], "open": ["öffnen"]},
        "drop": ["wird"],
        "modals": ["may"],
        "endings": {"e": "", "en": "", "er": "", "a": "o"},
        "joints": ["n", "s"],
        "elisions": ["l", "d"],
        "digraphs": {"ü": "ue", "ö": "oe"},
        "decimal_comma": True,
        "hour_letter": "h",
    }
)


@pytest.fixture(scope="module")
def gloss() -> Gloss:
    return Gloss(
        SPEC, lambda word: word in {"hotel", "open"}, frozenset({"m", "km", "h"}), frozenset({"gate"})
    )


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("Die Tür ist nicht abgeschlossen", "die door is not locked"),
        ("TÜR", "door"),
        ("Tuer", "door"),
        ("Tur", "door"),
        ("Türen", "door"),
        ("abgeschlossene Tür", "locked door"),
        ("Kellertür", "basement door"),
        ("Küchentür", "kitchen door"),
        ("Strasse", "road"),
        ("noch nicht geöffnet", "not yet open"),
        ("wird geöffnet", "open"),
        ("Tür schließen", "close door"),
        ("Bitte Tür nicht schließen", "please do not close door"),
        ("Tür geöffnet", "door open"),
        ("Tür darf nicht öffnen", "door may not open"),
        ("öffnen", "open"),
        ("Tür: schließen", "door : close"),
        ("im 3. Stock", "im floor 3"),
        ("3e étage", "floor 3"),
        ("3e hotel", "3 e hotel"),
        ("1.299,50 km", "1299.50 km"),
        ("2,5 km", "2.5 km"),
        ("1.5 km", "1.5 km"),
        ("10h30", "10:30"),
        ("Hotel Adler", "hotel adler"),
        ("prohibido fumar", "do not fumar"),
        ("fumar prohibida", "fumar forbidden"),
        ("d'hotel", "d' hotel"),
        ("第三层", "floor 3"),
        ("2026年5月12日", "2026 - 5 - 12"),
        ("故宫第3层", "故宫 floor 3"),
        ("", ""),
        ("...", ". . ."),
    ],
)
def test_gloss(gloss: Gloss, text: str, english: str) -> None:
    assert " ".join(token.text for token in gloss.tokens(text)) == english


def test_every_token_keeps_its_place_in_the_text(gloss: Gloss) -> None:
    text = "Bitte Kellertür schließen!"
    places = {token.text: text[token.start : token.end] for token in gloss.tokens(text)}
    assert places == {
        "please": "Bitte",
        "close": "schließen",
        "basement": "Kellertür",
        "door": "Kellertür",
        "!": "!",
    }


def test_damaged_words_are_repaired_towards_the_language(gloss: Gloss) -> None:
    assert [token.text for token in gloss.tokens("abgesch1ossen")] == ["locked"]
    assert gloss.tokens("abgesch1ossen")[0].quality < 1.0


def test_words_of_two_letters_are_never_split_off(gloss: Gloss) -> None:
    assert [token.text for token in gloss.tokens("Keinhorn")] == ["keinhorn"]


@pytest.mark.parametrize(
    ("word", "known"), [("Kellertür", True), ("nicht", True), ("Adler", False), ("türen", True)]
)
def test_knows_inflections_and_compounds(gloss: Gloss, word: str, *, known: bool) -> None:
    assert gloss.knows(word.lower()) is known


def test_wordings_are_cut_as_texts_are() -> None:
    assert cut_wording("N'est pas 5 °C") == ("n'", "est", "pas", "5", "°", "c")
    assert cut_wording("#号 出口") == ("#", "号", "出", "口")
    assert in_english("floor #") == ("floor", "#")
    assert in_english("o'clock") == ("o'clock",)
    assert folded("fermée à Köln, Straße") == "fermee a Koln, Strasse"


def test_memory_of_words_is_bounded(gloss: Gloss) -> None:
    for number in range(5000):
        gloss.knows(f"wort{number}x")
    assert len(gloss._memory) <= 4096
