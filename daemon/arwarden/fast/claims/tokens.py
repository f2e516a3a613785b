"""From a reading with its OCR damage to tokens: cleaned, cut into words, repaired."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from arwarden.fast.claims.repair import Repairer

MAX_CHARS = 1200
"""What is read of one text. A panel in a headset's view holds a few hundred characters at most."""
MAX_TOKENS = 160
_JOIN = re.compile(r"(?<=\w)[-\u2010][ \t]*\n\s*(?=\w)")
_PARAGRAPH = re.compile(r"\n[ \t]*\n\s*")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])|(?<=[a-z]{2})(?=[A-Z]{3})")
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)+|[^\W\d_]+['\u2019][^\W\d_]+|[A-Za-z0-9|]*(?:[A-Za-z|]\d|\d[A-Za-z|]|[A-Za-z]\|[A-Za-z])[A-Za-z0-9|]*|\d+"
    r"|[^\W\d_]+|[%\u20ac$\u00a3\u00a5\u20a9\u20b9\u20ba\u20bd\u00b0\u2032\u2033\"]"
    r"|[\u2190-\u2193\u27a1\u2b05-\u2b07]|[.!?\n;:,/+&()|~\u2022\u00b7\u2013\u2014-]"
)
_BROKEN = re.compile(
    r"(?<![^\W\d_])([^\W\d_]{2,})(- +)([^\W\d_]{2,})|\b([Uu][Nn]|[Dd][Ii][Ss]|[Nn][Oo][Nn])( +)([^\W\d_]{3,})"
    r"|\b([Ii][Nn])( +)([^\W\d_]*(?:able|ible|valid|ABLE|IBLE|VALID))\b"
)
_ZERO = re.compile(r"(?<=\d)[Oo](?=[\d:.,%\s]|$)")
_ONE = re.compile(r"(?<![A-Za-z0-9])[lI|](?=\d)")
_RUN_ON = re.compile(r"(?<=[A-Za-z]{4})(?=\d+[:.,/]\d)|(?<=\b[Tt]he)(?=\d+(?:st|nd|rd|th)\b)")
_NUMBER_UNIT = re.compile(r"(\d+)([a-z]+)")
_WORD_NUMBER = re.compile(r"([a-z]{3,})(\d+)")
_ORDINAL_WORD = re.compile(r"(\d+)(st|nd|rd|th)([a-z]{3,})")
_DIGITS = frozenset("0123456789")
_ROUND_DIGITS = frozenset("01")
_IDENTIFIER = re.compile(r"[a-z]{1,3}\d+[a-z]?|\d+[a-z]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or mark, with its place in the cleaned text."""

    text: str
    """Lower case, repaired."""
    start: int
    end: int
    quality: float = 1.0
    """How sure the reading is after repair, 0..1."""
    upper: bool = False
    """Begins with a capital."""

    @property
    def is_word(self) -> bool:
        """Begins with a letter."""
        return self.text[:1].isalpha()

    @property
    def is_number(self) -> bool:
        """Digits, perhaps with separators."""
        return self.text[:1].isdigit()


def clean(text: str) -> str:
    """Compatibility characters unified, invisible and control characters gone, lines joined.

    A line break is a space: a sentence is often set in several lines. An empty line stays as one line break.
    At most :data:`MAX_CHARS` characters.
    """
    text = unicodedata.normalize("NFKC", text[: 2 * MAX_CHARS]).replace("\r\n", "\n").replace("\r", "\n")
    kept = [
        char if char == "\n" or not unicodedata.category(char).startswith("C") else _gap(char)
        for char in text
    ]
    lines = _PARAGRAPH.sub("\f", _JOIN.sub("- ", "".join(kept))).replace("\n", " ").replace("\f", "\n")
    joined = _CAMEL.sub(" ", lines)
    return _RUN_ON.sub(" ", _ONE.sub("1", _ZERO.sub("0", joined)))[:MAX_CHARS]


def _gap(char: str) -> str:
    return " " if char in "\t\v\f\x1c\x1d\x1e\x1f\x85" else ""


def tokenise(
    text: str, repairer: Repairer, units: frozenset[str], numbered: frozenset[str]
) -> tuple[Token, ...]:
    """The tokens of a cleaned text, repaired, at most :data:`MAX_TOKENS`.

    *units* are the words that may touch a number ("5km"), *numbered* those that a number or code follows
    ("seat 14C").
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(_BROKEN.sub(lambda found: _mend(found, repairer), text)):
        raw = match.group()
        token = Token(raw.lower().replace("\u2019", "'"), match.start(), match.end(), upper=raw[:1].isupper())
        if not any(char.isalpha() or char == "|" for char in raw) or raw == "|":
            tokens.append(token)
        elif any(not char.isalpha() and char != "'" for char in token.text):
            after_label = bool(tokens) and tokens[-1].text in numbered
            tokens.extend(_repair_mixed(token, repairer, frozenset() if after_label else units))
        else:
            tokens.extend(_repair_word(token, repairer))
        if len(tokens) >= MAX_TOKENS:
            break
    return tuple(tokens[:MAX_TOKENS])


def _mend(found: re.Match[str], repairer: Repairer) -> str:
    """A word broken by a hyphen or a space put together, if that makes a word of the lexicon.

    A space is only taken out after a prefix that reverses the meaning ("un locked").

    The length stays the same, so that places in the text stay right.
    """
    start, gap, end = (part for part in found.groups() if part is not None)
    whole = start + end
    return whole + " " * len(gap) if repairer.is_target(whole.lower()) else found[0]


def _repair_word(token: Token, repairer: Repairer) -> list[Token]:
    parts, quality = repairer.repair(token.text)
    if len(parts) == 1:
        return [replace(token, text=parts[0], quality=quality)]
    made: list[Token] = []
    at = token.start
    for part in parts:
        made.append(Token(part, at, at + len(part), quality, token.upper))
        at += len(part)
    return made


def _repair_mixed(token: Token, repairer: Repairer, units: frozenset[str]) -> list[Token]:
    """Letters and digits in one: a number with its unit, an identifier ("B12"), or a damaged word."""
    amount = _NUMBER_UNIT.fullmatch(token.text)
    if amount and amount[1] in _ROUND_DIGITS and amount[2] not in units:
        look = _repair_word(token, repairer)
        if len(look) == 1 and repairer.is_word(look[0].text):
            return look
    if amount and (amount[2] in units or repairer.is_plain(amount[2])):
        return _cut(token, len(amount[1]))
    numbered = _WORD_NUMBER.fullmatch(token.text)
    if numbered and repairer.is_plain(numbered[1]):
        return _cut(token, len(numbered[1]))
    ordinal = _ORDINAL_WORD.fullmatch(token.text)
    if ordinal and repairer.is_plain(ordinal[3]):
        number, rest = _cut(token, len(ordinal[1]))
        return [number, *_cut(rest, len(ordinal[2]))]
    repaired = _repair_word(token, repairer)
    code = _IDENTIFIER.fullmatch(token.text)
    damaged = set(token.text) & _DIGITS <= _ROUND_DIGITS and units and repairer.is_word(repaired[0].text)
    return [token] if code and not damaged else repaired


def _cut(token: Token, at: int) -> list[Token]:
    """A token in two."""
    middle = token.start + at
    return [
        replace(token, text=token.text[:at], end=middle),
        replace(token, text=token.text[at:], start=middle, upper=False),
    ]
