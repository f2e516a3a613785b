"""From a reading with its OCR damage to tokens: cleaned, cut into words, lost spaces and look-alikes repaired."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace

from arwarden.fast.claims.words import NEGATIVE_PREFIXES

MAX_CHARS = 2000
"""What is read of one text. A panel in a headset's view holds a few hundred characters at most."""
MAX_TOKENS = 320
MAX_SPLIT_CHARS = 48
_MAX_PIECES = 8
LOOKALIKE_QUALITY = 0.92
SPLIT_QUALITY = 0.96
MISSPELT_QUALITY = 0.8
_MISSPELT_MIN_LETTERS = 6
_FIXED_START = 3
_STEM_LETTERS = 6
"""Letters at the start that a misspelling may not touch: there sit un-, in-, non- and dis-."""

_JOIN = re.compile(r"(\w)[-\u00ad\u2010]\s*\n\s*(\w)")
_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])|(?<=[a-z]{3})(?=[A-Z]{3})")
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)+|[^\W\d_]+['\u2019][^\W\d_]+|[A-Za-z0-9|]*(?:[A-Za-z|]\d|\d[A-Za-z|]|[A-Za-z]\|[A-Za-z])[A-Za-z0-9|]*|\d+"
    r"|[^\W\d_]+|[%\u20ac$\u00a3\u00a5\u20a9\u20b9\u20ba\u20bd\u00b0\u2032\u2033\"]"
    r"|[\u2190-\u2193\u27a1\u2b05-\u2b07]|[.!?;:,\n/+&()|~\u2022\u00b7\u2013\u2014-]"
)
_BROKEN = re.compile(r"([^\W\d_]{2,})(- +)([^\W\d_]{2,})")
_ZERO = re.compile(r"(?<=\d)[Oo](?=[\d:.,%\s]|$)")
_ONE = re.compile(r"(?<![A-Za-z0-9])[lI|](?=\d)")
_NUMBER_UNIT = re.compile(r"(\d+)([a-z]+)")
_IDENTIFIER = re.compile(r"[a-z]{1,3}\d+[a-z]?|\d+[a-z]")
_GLYPHS = str.maketrans(
    {
        "0": "o",
        "1": "l",
        "|": "l",
        "i": "l",
        "5": "s",
        "8": "b",
        "6": "b",
        "9": "g",
        "q": "g",
        "2": "z",
        "3": "e",
        "4": "a",
    }
)


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
    """Compatibility characters unified, invisible and control characters gone, hyphenated lines joined.

    The result has no carriage returns, at most :data:`MAX_CHARS` characters, and keeps its line breaks.
    """
    text = unicodedata.normalize("NFKC", text[: 2 * MAX_CHARS]).replace("\r\n", "\n").replace("\r", "\n")
    kept = [
        char if char == "\n" or not unicodedata.category(char).startswith("C") else _gap(char)
        for char in text
    ]
    joined = _CAMEL.sub(" ", _JOIN.sub(r"\1\2", "".join(kept)))
    return _ONE.sub("1", _ZERO.sub("0", joined))[:MAX_CHARS]


def _gap(char: str) -> str:
    return " " if char in "\t\v\f\x1c\x1d\x1e\x1f\x85" else ""


def skeleton(word: str) -> str:
    """The word with characters that look alike made equal ("c1osed" and "closed" have one skeleton)."""
    return word.lower().translate(_GLYPHS).replace("rn", "m").replace("vv", "w").replace("cl", "d")


class Repairer:
    """Repairs words that do not exist, towards the lexicon's words only.

    A word that exists is never touched, so "unlocked" cannot become "locked"; a repair that could be two
    words is not made.
    """

    def __init__(
        self, targets: frozenset[str], fragments: frozenset[str], known: Callable[[str], bool]
    ) -> None:
        self._targets = targets
        self._fragments = fragments | targets
        self._known = known
        self._by_skeleton: dict[str, set[str]] = {}
        for word in self._fragments:
            self._by_skeleton.setdefault(skeleton(word), set()).add(word)
        self._by_start: dict[str, list[str]] = {}
        for word in targets:
            if len(word) >= _MISSPELT_MIN_LETTERS:
                self._by_start.setdefault(word[:_FIXED_START], []).append(word)
        self._cache: dict[str, tuple[tuple[str, ...], float]] = {}

    def repair(self, word: str) -> tuple[tuple[str, ...], float]:
        """The words that *word* stands for, and how sure that is."""
        found = self._cache.get(word)
        if found is None:
            if len(self._cache) > 4096:
                self._cache.clear()
            found = self._cache[word] = self._repair(word)
        return found

    def is_target(self, word: str) -> bool:
        """Whether it is a word of the lexicon itself."""
        return word in self._targets

    def _repair(self, word: str) -> tuple[tuple[str, ...], float]:
        if word in self._fragments or self._known(word):
            return (word,), 1.0
        same_look = self._by_skeleton.get(skeleton(word), set())
        if len(same_look) == 1 and len(word) > 2:
            return (next(iter(same_look)),), LOOKALIKE_QUALITY
        parts = self._split(word)
        if parts:
            return parts, SPLIT_QUALITY
        near = self._misspelt(word)
        return ((near,), MISSPELT_QUALITY) if near else ((word,), 1.0)

    def _misspelt(self, word: str) -> str | None:
        """The only target one letter away, never by changing the first letters."""
        if len(word) < _MISSPELT_MIN_LETTERS or not word.isalpha():
            return None
        near = [
            target
            for target in self._by_start.get(word[:_FIXED_START], ())
            if abs(len(target) - len(word)) <= 1 and _one_edit(word, target)
        ]
        if len(near) > 1 and all(target[:_STEM_LETTERS] == near[0][:_STEM_LETTERS] for target in near):
            return max(near, key=len)
        return near[0] if len(near) == 1 else None

    def _split(self, word: str) -> tuple[str, ...]:
        """The words run together in *word*, where every letter belongs to a word we know."""
        if not 5 <= len(word) <= MAX_SPLIT_CHARS or not word.isalpha():
            return ()
        best: list[tuple[float, tuple[str, ...]] | None] = [(0.0, ())] + [None] * len(word)
        for end in range(2, len(word) + 1):
            for start in range(max(0, end - 16), end - 1):
                before, piece = best[start], word[start:end]
                if before is None or not self._is_piece(piece):
                    continue
                cost = (
                    before[0] + (1.0 if piece in self._fragments else 1.6) + (1.2 if len(piece) == 2 else 0.0)
                )
                here = best[end]
                if here is None or cost < here[0]:
                    best[end] = (cost, (*before[1], piece))
        found = best[len(word)]
        if found is None or not any(piece in self._targets for piece in found[1]):
            return ()
        if len(found[1]) == 2 and found[1][0] in NEGATIVE_PREFIXES:
            return ()  # "inlocked" is a damaged "unlocked" rather than "in locked"
        return found[1] if len(found[1]) <= _MAX_PIECES else ()

    def _is_piece(self, piece: str) -> bool:
        return piece in self._fragments or (len(piece) >= 4 and self._known(piece))


def _one_edit(one: str, other: str) -> bool:
    """Whether one insertion, deletion, substitution or swap of neighbours turns one into the other."""
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, char in enumerate(one) if char != other[i]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2][::-1] == other[at : at + 2] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or swapped


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
    """A word broken by a hyphen and a space put together, if that makes a word of the lexicon.

    The length stays the same, so that places in the text stay right.
    """
    whole = found[1] + found[3]
    return whole + " " * len(found[2]) if repairer.is_target(whole.lower()) else found[0]


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
    if amount and amount[2] in units:
        cut = token.start + len(amount[1])
        return [
            replace(token, text=amount[1], end=cut, upper=False),
            replace(token, text=amount[2], start=cut, upper=False),
        ]
    if _IDENTIFIER.fullmatch(token.text):
        return [token]
    return _repair_word(token, repairer)
