"""Words that OCR damaged, put right: look-alike characters, lost spaces, a letter too many or too few."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from arwarden.fast.claims.words import NEGATIVE_PREFIXES

MAX_SPLIT_CHARS = 48
_MAX_PIECES = 8
REVERSING = (*NEGATIVE_PREFIXES, "de")
"""Prefixes whose loss turns a word into its opposite."""
LOOKALIKE_QUALITY = 0.92
SPLIT_QUALITY = 0.96
MISSPELT_QUALITY = 0.8
_MISSPELT_MIN_LETTERS = 6
_FIXED_START = 3
"""Letters at the start that a misspelling may not touch: there sit un-, in-, non- and dis-."""
_STEM_LETTERS = 6
_SMALL_JOINTS = frozenset(
    {"is", "to", "on", "at", "in", "of", "the", "for", "and", "not", "are", "has", "was", "be"}
)
"""Small words that a lost space may join to any word."""
_READINGS = {
    "0": "o",
    "1": "li",
    "5": "s",
    "8": "b",
    "6": "bg",
    "9": "g",
    "3": "e",
    "4": "a",
    "2": "z",
    "|": "li",
}
_SWAPS = (("l", "i"), ("i", "l"), ("rn", "m"), ("m", "rn"), ("vv", "w"), ("cl", "d"))
_MAX_READINGS = 32

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
            if len(word) >= _MISSPELT_MIN_LETTERS - 1:  # "righit" has one too many
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

    def may_reverse(self, fragment: str, word: str) -> bool:
        """Whether a short fragment before *word* may be what is left of a reversing prefix ("u locked")."""
        real = fragment in self._fragments or self._known(fragment)
        if len(fragment) > 3 or (len(fragment) > 1 and fragment != "in" and real):
            return False
        return any(
            (fragment == prefix or _one_edit(fragment, prefix)) and self._known(prefix + word)
            for prefix in REVERSING
        )

    def is_plain(self, word: str) -> bool:
        """Whether it is a word as it stands, of three letters or more."""
        return len(word) >= 3 and (word in self._fragments or self._known(word))

    def is_word(self, word: str) -> bool:
        """Whether it is a word of the lexicon or of its grammar."""
        return word in self._fragments

    def is_target(self, word: str) -> bool:
        """Whether it is a word of the lexicon itself."""
        return word in self._targets

    def _repair(self, word: str) -> tuple[tuple[str, ...], float]:
        if word in self._fragments or self._known(word):
            return (word,), 1.0
        same_look = self._by_skeleton.get(skeleton(word), set())
        if len(same_look) == 1 and len(word) > 2:
            return (next(iter(same_look)),), LOOKALIKE_QUALITY
        looks = {reading for reading in _readings(word) if self._known(reading)}
        if len(looks) == 1:
            return (looks.pop(),), LOOKALIKE_QUALITY
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
        if not 4 <= len(word) <= MAX_SPLIT_CHARS or not word.isalpha():
            return ()
        if len(word) == 4 and not {word[:2], word[2:]} <= _SMALL_JOINTS:
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
        if found is None:
            return ()
        joint = (
            len(found[1]) == 2 and bool(_SMALL_JOINTS & set(found[1])) and (len(word) > 5 or len(word) == 4)
        )
        if not joint and not any(piece in self._targets for piece in found[1]):
            return ()
        if self._may_be_negative(found[1]):
            return ()
        return found[1] if len(found[1]) <= _MAX_PIECES else ()

    def _may_be_negative(self, pieces: tuple[str, ...]) -> bool:
        """Whether "in locked", "on locked" or "be activated" may be a damaged "unlocked" or "deactivated"."""
        whole, last = "".join(pieces), pieces[-1]
        if len(pieces) == 2 and pieces[0] in REVERSING:
            return True
        return any(
            abs(len(whole) - len(prefix + last)) <= 1
            and _one_edit(whole, prefix + last)
            and self._known(prefix + last)
            for prefix in REVERSING
        )

    def _is_piece(self, piece: str) -> bool:
        return piece in self._fragments or (len(piece) >= 4 and self._known(piece))


def _readings(word: str) -> Iterator[str]:
    """What the word may be with its digits read as letters, or one pair of look-alikes swapped."""
    made = [""]
    for char in word:
        options = _READINGS.get(char, char)
        made = [before + option for before in made for option in options][:_MAX_READINGS]
    if made[0] != word:
        yield from made
    for wrong, right in _SWAPS:
        at = word.find(wrong)
        while at >= 0:
            yield word[:at] + right + word[at + len(wrong) :]
            at = word.find(wrong, at + 1)


def _one_edit(one: str, other: str) -> bool:
    """Whether one insertion, deletion, substitution or swap of neighbours turns one into the other."""
    if len(one) > len(other):
        one, other = other, one
    if one == other or len(other) - len(one) > 1:
        return False
    at = next((i for i, char in enumerate(one) if char != other[i]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    swapped = one[at : at + 2][::-1] == other[at : at + 2] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or swapped
