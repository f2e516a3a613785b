"""What models say instead of, or around, the answer that was asked for: yes and no, refusals, blindness."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from arwarden.escalate.answers import MAX_REASON_CHARS, Verdict

_YES: Final = frozenset(
    [
        "yes",
        "y",
        "yeah",
        "yep",
        "true",
        "ja",
        "oui",
        "sí",
        "sì",
        "sim",
        "да",
        "tak",
        "ano",
        "evet",
        "igen",
        "kyllä",
        "ναι",
        "نعم",
        "हाँ",
        "हां",
        "是",
        "是的",
        "有",
        "有的",
        "はい",
        "예",
        "네",
        "có",
    ]
)
_NO: Final = frozenset(
    [
        "no",
        "n",
        "nope",
        "false",
        "nein",
        "non",
        "não",
        "nao",
        "нет",
        "nie",
        "ne",
        "hayır",
        "hayir",
        "nem",
        "ei",
        "όχι",
        "لا",
        "नहीं",
        "否",
        "不",
        "不是",
        "没有",
        "沒有",
        "いいえ",
        "아니요",
        "아니오",
        "không",
        "nee",
        "nej",
        "nei",
    ]
)
"""Words that mean something else at the head of a sentence in a common language are left out."""

_EDGES: Final = " \t\r\n*_#`\"'“”‘’«»()[]{}<>.,:;!?。！？、，：；|-–—>•✅❌✔✘"
_LABELLED: Final = re.compile(
    r"^[^:：{}\[\]\"]{0,40}?"
    r"(?:answer|verdict|conclusion|result|decision|judg(?:e)?ment|contradict(?:ion|ory|s)?|(?:question|step|q)\s?\d"
    r"|antwort|urteil|ergebnis|fazit|réponse|conclusión|respuesta|veredicto|risposta|resposta|ответ|вывод"
    r"|答案|结论|判断|回答|結論|判定|답변|결론)"
    r"[\s*_)?]{0,6}[:：]\s*(?P<rest>.+)$",
    re.IGNORECASE,
)
"""A last line that gives the answer behind a word for it. "The sign says: No" gives none."""

_EMPHASISED: Final = re.compile(r"(?:\*\*|__|<b>)\s*(?P<word>\w{1,8})\s*[.!。]?\s*(?:\*\*|__|</b>)")
_SENTENCES: Final = re.compile(r"[.!?。！？\n]+")
_OPENING: Final = re.compile(r"^\W*(?P<word>\w{1,8})\s*(?:[,;:.!(。，：；—–-]|$)")
_WORDS: Final = re.compile(r"\w+")
_CANNOT: Final = (
    r"\bI(?:(?: am|['’]m) (?:sorry,? (?:but )?)?(?:unable|not able) to"
    r"| (?:can['’]?t|cannot|can not|could not|couldn['’]t|do(?: not|n['’]t) have the ability to))"
)
_BLIND: Final = re.compile(
    rf"{_CANNOT} (?:directly |actually )?(?:see|view|access|process|analy[sz]e|interpret|open)"
    r"\b[^.\n]{0,24}\b(?:image|picture|photo|visual|frame|screenshot)s?\b"
    r"|\bno (?:image|picture|photo|frame)s? (?:was|were|is|are|has been|have been)"
    r" (?:provided|attached|given|uploaded|visible)\b"
    r"|\b(?:image|picture)s? (?:was|were|did) not (?:provided|attached|come through|load)\b"
    r"|\bas a text[- ](?:based|only)\b"
    r"|\bkein(?:e)? bild(?:er)? (?:sehen|erhalten)\b|我(?:无法|不能)(?:查看|看到)?(?:图|圖)",
    re.IGNORECASE,
)
_REFUSED: Final = re.compile(
    rf"{_CANNOT} (?:assist|help|comply|fulfil|fulfill|answer|provide|do that|discuss|support)\b"
    r"|\b(?:against|violates?) (?:my|our|the) (?:content )?(?:policy|policies|guidelines)\b"
    r"|\bI must decline\b|\bich kann (?:dabei|dir|ihnen) (?:leider )?nicht helfen\b"
    r"|\bje ne peux pas (?:vous )?aider\b|\bno puedo ayudar",
    re.IGNORECASE,
)


_UNDECIDED: Final = re.compile(
    r"^\W*$|^\W*(?:un(?:known|clear|certain|sure|decided|determined)|inconclusive|maybe|not sure|n/?a)\W*$"
    r"|^\W*(?:yes\W{1,5}(?:or\W{1,5})?no|no\W{1,5}(?:or\W{1,5})?yes)\W*$",
    re.IGNORECASE,
)


def is_undecided(text: str) -> bool:
    """True where a verdict is left empty, is both words, or is a word for neither."""
    return _UNDECIDED.match(text) is not None


def is_blind(text: str) -> bool:
    """True where the writer says that it sees no picture."""
    return _BLIND.search(text) is not None


def is_refusal(text: str) -> bool:
    """True where the writer declines to answer."""
    return _REFUSED.search(text) is not None


def word_verdict(text: str) -> Verdict:
    """Yes or no where the text is that word alone, in any of some twenty languages."""
    word = unicodedata.normalize("NFC", text).strip(_EDGES).casefold()
    if word in _YES:
        return Verdict.YES
    return Verdict.NO if word in _NO else Verdict.UNKNOWN


def prose_verdict(text: str) -> Verdict:
    """The verdict of an answer in prose.

    Counted are: a last line that is the word alone, perhaps behind a label; emphasised words that agree; and
    a first or last sentence that opens with the word. A "no" in the midst of prose says nothing.
    """
    lines = [line for line in text.splitlines() if line.strip(_EDGES)]
    if not lines:
        return Verdict.UNKNOWN
    labelled = _LABELLED.match(lines[-1].strip())
    told = labelled.group("rest") if labelled is not None else ""
    for line in (lines[-1], told):
        if (verdict := word_verdict(line)) is not Verdict.UNKNOWN:
            return verdict
    emphasised = _known(match.group("word") for match in _EMPHASISED.finditer(text))
    if emphasised:
        return emphasised.pop() if len(emphasised) == 1 else Verdict.UNKNOWN
    sentences = [sentence for sentence in _SENTENCES.split(text) if sentence.strip(_EDGES)]
    opened = {_opening(sentence) for sentence in (sentences[0], sentences[-1], told)} - {Verdict.UNKNOWN}
    return opened.pop() if len(opened) == 1 else Verdict.UNKNOWN


def _known(words: Iterable[str]) -> set[Verdict]:
    return {word_verdict(word) for word in words} - {Verdict.UNKNOWN}


def _opening(sentence: str) -> Verdict:
    match = _OPENING.match(sentence)
    if match is None:
        return Verdict.UNKNOWN
    verdict = word_verdict(match.group("word"))
    return Verdict.UNKNOWN if _known(_WORDS.findall(sentence[match.end() :])) - {verdict} else verdict


def plain(text: str, limit: int = MAX_REASON_CHARS) -> str:
    """One line without control and formatting characters, cut to ``limit``."""
    spaced = " ".join(text.split())
    line = " ".join("".join(c for c in spaced if unicodedata.category(c)[0] != "C").split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
