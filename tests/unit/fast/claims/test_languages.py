from __future__ import annotations

import csv
from pathlib import Path

import pytest

from arwarden.fast.claims import ClaimReader, Lexicon
from arwarden.fast.claims.languages import UNREAD
from arwarden.fast.claims.tokens import clean

CORPUS = Path(__file__).resolve().parents[3] / "corpus"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.load(["en", "de", "fr", "es", "zh"])


def language(lexicon: Lexicon, text: str) -> str:
    return lexicon.tongues.detect(clean(lexicon.tongues.prepared(text)))[0].language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("WC links", "de"),
        ("Fenster offen", "de"),
        ("Sortie", "fr"),
        ("Sortie à gauche", "fr"),
        ("Salida", "es"),
        ("Sin gluten", "es"),
        ("出口", "zh"),
        ("出口 Exit →", "zh"),
        ("請勿吸煙", "zh"),
        ("Exit left", "en"),
        ("Museum Schloss open", "en"),
        ("Restaurant La Puerta - open", "en"),
        ("Café Central", "en"),
        ("Taxi", "en"),
        ("Hotel", "en"),
        ("5 €", "en"),
        ("", "en"),
        ("Sale: stock must go, main hall", "en"),
        ("שירותים משמאל", UNREAD),
        ("ممنوع التدخين", UNREAD),
        ("Не курить", UNREAD),
        ("禁煙です。タバコはご遠慮ください", UNREAD),
        ("금연", UNREAD),
    ],
)
def test_detected(lexicon: Lexicon, text: str, code: str) -> None:
    assert language(lexicon, text) == code


def test_no_english_text_is_taken_for_another_language(lexicon: Lexicon) -> None:
    with (CORPUS / "text_pairs.csv").open(encoding="utf-8", newline="") as file:
        texts = {text for row in csv.DictReader(file) for text in (row["text_a"], row["text_b"])}
    assert len(texts) > 2000
    assert [text for text in sorted(texts) if language(lexicon, text) != "en"] == []


def test_language_of_whole_texts(lexicon: Lexicon) -> None:
    """Most texts in a language are known as such; the rest is taken for English and claims little."""
    right = total = 0
    with (CORPUS / "language_pairs.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for text in (row["text_a"], row["text_b"]):
                found = language(lexicon, text)
                total += 1
                right += found == row["language"]
                assert found in {row["language"], "en"}, text
    assert right / total > 0.95


def test_several_candidates_the_likeliest_first(lexicon: Lexicon) -> None:
    found = lexicon.tongues.detect("La porte de la cuisine")
    assert found[0].language == "fr"
    assert found[-1].language == "en"
    assert [one.weight for one in found] == sorted((one.weight for one in found), reverse=True)


@pytest.mark.parametrize(
    "text", ["ممنوع التدخين 5 متر", "שירותים משמאל 20 ₪", "חניה אסורה P 24", "Не курить"]
)
def test_scripts_that_nobody_reads_claim_nothing(lexicon: Lexicon, text: str) -> None:
    reader = ClaimReader(lexicon)
    assert reader.claims(text) == ()
    assert reader.named(text) == ""
    assert not reader.reads(text)
    assert reader.reads("Exit")


def test_a_name_in_another_script_does_not_silence_a_text(lexicon: Lexicon) -> None:
    claims = ClaimReader(lexicon).claims("The restroom is on the left, Мир")
    assert ("direction", "left") in {(claim.attribute, claim.value) for claim in claims}


@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        ("3ª planta", "3th planta"),
        ("Nº 3º B", "Nº 3th B"),
        ("25 ºC", "25 °C"),
        ("注意。停", "注意. 停"),
        ("¿Abierto?", " Abierto?"),
    ],
)
def test_marks_of_other_scripts(lexicon: Lexicon, text: str, prepared: str) -> None:
    assert lexicon.tongues.prepared(text) == prepared


def test_enormous_text_is_cut(lexicon: Lexicon) -> None:
    assert len(lexicon.tongues.prepared("Tür zu. " * 100_000)) < 10_000
    assert ClaimReader(lexicon).claims("Tür zu. " * 100_000)


def test_english_is_read_whatever_languages_are_configured() -> None:
    reader = ClaimReader(Lexicon.load(["fr"]))
    assert "exit: direction = left" in described(reader, "Exit left")
    assert "exit: direction = left" in described(reader, "Sortie à gauche")
    assert "exit: direction = left" not in described(reader, "Ausgang links")


def described(reader: ClaimReader, text: str) -> set[str]:
    return {claim.describe() for claim in reader.claims(text)}
