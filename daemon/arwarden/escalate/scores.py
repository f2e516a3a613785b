"""Ratings, adjustments and choices, out of objects and out of prose."""

from __future__ import annotations

import re
from typing import Final

from arwarden.escalate.adjustments import move_from_paper, scale_from_paper
from arwarden.escalate.answers import Adjustment, Comparison
from arwarden.escalate.lenient import Json
from arwarden.escalate.members import key_of, number_of, pick, text_of
from arwarden.escalate.phrases import plain
from arwarden.escalate.questions import Scale, Task

LOWEST: Final = 1.0
HIGHEST: Final = 5.0
SEVERAL: Final = "several_scores"
NO_SCORE: Final = "no_score"
OUT_OF_RANGE: Final = "score_out_of_range"
_SCORE_NAMES: Final = ("rating", "score", "finalscore", "finalrating", "overallrating", "note", "bewertung")
_FACTORS: Final = {
    Task.PLACEMENT: "placement",
    Task.PLACEMENT_ADJUSTMENT: "placement",
    Task.SIZE: "size",
    Task.SIZE_ADJUSTMENT: "size",
    Task.SHADOW: "shadow",
}
_SIDEWAYS: Final = ("num1", "leftright", "horizontal", "sideways", "x")
_DOWNWARDS: Final = ("num2", "updown", "vertical", "y")
_FACTOR: Final = ("num1", "scale", "factor", "scalefactor", "scaleadjustment")
_DIGITS: Final = r"[-+−]?(?:\d{1,6}(?:[.,]\d{1,12})?|[.,]\d{1,12})"
_SCORE_TEXT: Final = re.compile(
    r"^[^\w−-]*(?P<number>\d{1,3}(?:[.,]\d{1,6})?)\s*"
    r"(?:(?:/|out of|of|von|sur|de|из)\s*(?P<top>\d{1,3})(?:[.,]0+)?)?(?:\s*(?:points?|stars?|punkte))?\W*$",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(
    r"(?P<before>[^\n]{0,40}?)\b(?:score|rating|rate|note|bewertung|puntuaci[oó]n|calificaci[oó]n|punteggio|оценка)\b"
    r"[^\w\n+-]{0,12}(?:is |of |ist |: )?[^\w\n+-]{0,4}"
    r"(?P<number>\d{1,3}(?:[.,]\d{1,6})?)(?:\s*(?:/|out of|of|von|sur|de)\s*(?P<top>\d{1,3}))?"
    r"(?P<range>\s*(?:-|–|or|to|oder|bis|ou)\s*\d)?",
    re.IGNORECASE,
)
_CJK_LABELLED: Final = re.compile(
    r"(?P<before>)(?:评分|評分|得分|分数|スコア|評価|점수)[^\w\n+-]{0,12}(?:は|为|為|是)?\s*"
    r"(?P<number>\d{1,3}(?:[.,]\d{1,6})?)(?:\s*/\s*(?P<top>\d{1,3}))?(?P<range>\s*[-–~]\s*\d)?"
)
_OF_FIVE: Final = re.compile(
    r"(?<![\d.,/])(?P<number>\d(?:[.,]\d{1,3})?)\s*(?:/|out of)\s*5(?![\d/])", re.IGNORECASE
)
_ANY_NUMBER: Final = re.compile(r"(?<![\w.,])\d{1,6}(?:[.,]\d{1,6})?(?![\w])")
_CHOICE: Final = re.compile(
    r"^\W*(?:the\s+)?(?:image|picture|photo|bild|option)?\W{0,4}(?P<letter>[AB])(?:\W+(?:image|picture|photo))?\W*$",
    re.IGNORECASE,
)
_ORDINALS: Final = {"first": "A", "thefirst": "A", "firstimage": "A", "image1": "A", "1": "A"} | {
    "second": "B",
    "thesecond": "B",
    "secondimage": "B",
    "image2": "B",
    "2": "B",
}
_SCALE_NAMES: Final = {
    Scale.CONTRAST: ("contrast", "highercontrast"),
    Scale.COLOURFULNESS: ("colourfulness", "colorfulness", "colour", "color", "highercolorfulness"),
    Scale.OVERALL: ("overall", "overallimagequality", "overallquality", "overallpreference", "quality"),
}
_SCALE_LINES: Final = {
    Scale.CONTRAST: r"contrast",
    Scale.COLOURFULNESS: r"colou?r(?:fulness)?",
    Scale.OVERALL: r"overall(?: image)?(?: quality| preference)?",
}


def rating_in(members: Json, task: Task) -> tuple[float | None, str]:
    """The rating of an object and an empty text, or None and the name of what is wrong."""
    factor = _FACTORS[task]
    names = (f"{factor}rating", f"{factor}score", *_SCORE_NAMES, factor)
    value = pick(members, *names)
    if isinstance(value, dict):
        value = pick(value, *_SCORE_NAMES)
    if isinstance(value, list) and len(value) != 1:
        return None, SEVERAL if value else NO_SCORE
    if isinstance(value, list):
        value = value[0]
    if value is None or isinstance(value, (bool, dict, list)):
        return None, NO_SCORE
    match = _SCORE_TEXT.match(text_of(value)[:80])
    if match is None:
        return None, SEVERAL if isinstance(value, str) and len(
            _ANY_NUMBER.findall(value[:80])
        ) > 1 else NO_SCORE
    return _in_range(match.group("number"), match.group("top"))


def rating_in_prose(text: str, task: Task) -> tuple[float | None, str]:
    """The rating of an answer in prose: its final "Score: 4", or the only score that it gives."""
    labelled = [*_LABELLED.finditer(text), *_CJK_LABELLED.finditer(text)]
    own = [match for match in labelled if _FACTORS[task] in match.group("before").casefold()]
    chosen = own or labelled
    if chosen:
        last = chosen[-1]
        values = {match.group("number").replace(",", ".") for match in chosen}
        final = "\n" not in text[last.end() :].strip() and "\n" in text[: last.start()].strip()
        if last.group("range") or (len(values) > 1 and not final and not own):
            return None, SEVERAL
        return _in_range(last.group("number"), last.group("top"))
    for pattern in (_OF_FIVE, _ANY_NUMBER):
        numbers = {match.group().split("/")[0].split()[0] for match in pattern.finditer(text)}
        if len(numbers) == 1:
            return _in_range(numbers.pop(), None)
        if numbers:
            return None, SEVERAL
    return None, NO_SCORE


def _in_range(number: str, top: str | None) -> tuple[float | None, str]:
    rating = float(number.replace(",", "."))
    if not LOWEST <= rating <= HIGHEST or top not in (None, "5"):
        return None, OUT_OF_RANGE
    return rating, ""


def adjustment_in(members: Json, task: Task) -> Adjustment | None:
    """The adjustment of an object; None where a number is missing or is none."""
    return _adjustment(
        number_of(pick(members, *(_SIDEWAYS if task is Task.PLACEMENT_ADJUSTMENT else _FACTOR))),
        number_of(pick(members, *_DOWNWARDS)),
        task,
    )


def adjustment_in_prose(text: str, task: Task) -> Adjustment | None:
    """The adjustment of an answer in prose, from its last ``num1`` and ``num2``."""
    return _adjustment(_numbered(text, 1), _numbered(text, 2), task)


def _numbered(text: str, which: int) -> float | None:
    found = re.findall(rf"\bnum\s?_?{which}\b[^\w\n.,+−-]{{1,8}}({_DIGITS})", text, re.IGNORECASE)
    return number_of(found[-1]) if found else None


def _adjustment(first: float | None, second: float | None, task: Task) -> Adjustment | None:
    if task is Task.SIZE_ADJUSTMENT:
        return scale_from_paper(first) if first is not None else None
    return move_from_paper(first, second) if first is not None and second is not None else None


def comparisons_in(members: Json) -> tuple[Comparison, ...]:
    """The choices of an object, in the order of the scales; those that are no choice are left out."""
    found = []
    for scale, names in _SCALE_NAMES.items():
        value = pick(members, *names)
        chosen = value
        reason = ""
        if isinstance(value, dict):
            chosen = pick(value, "selection", "choice", "answer", "winner", "image")
            reason = plain(text_of(pick(value, "reason", "rationale", "explanation")), 300)
        letter = choice_of(text_of(chosen))
        if letter:
            found.append(Comparison(scale, letter, reason))
    return tuple(found)


def comparisons_in_prose(text: str) -> tuple[Comparison, ...]:
    """The choices of an answer in prose: for every scale the last line that opens with its name."""
    found = []
    for scale, name in _SCALE_LINES.items():
        lines = re.findall(
            rf"^[^\w\n]*(?:higher |better )?{name}[^\w\n]{{1,8}}(.{{1,60}})$",
            text,
            re.IGNORECASE | re.MULTILINE,
        )
        letter = choice_of(lines[-1].split("(")[0].split(" - ")[0].split(" – ")[0]) if lines else ""
        if letter:
            found.append(Comparison(scale, letter))
    return tuple(found)


def choice_of(text: str) -> str:
    """``A`` or ``B`` where the text chooses exactly one of them, else nothing."""
    match = _CHOICE.match(text[:80])
    return match.group("letter").upper() if match is not None else _ORDINALS.get(key_of(text[:20]), "")
