"""What is in view, so that the same scene is not judged twice; and which of its frames show it best. Pure.

Two views are one scene where the virtual content is the same, from wherever the wearer looks at it, or
where the pictures look the same and nothing virtual was added.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter, OrderedDict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np

from arwarden.core.findings import Element, FindingKind, Findings
from arwarden.core.frame import ByteImage, Frame
from arwarden.escalate.answers import Answer, Verdict

HASH_CELLS: Final = 16
"""Cells per side: 256 bits, one for each cell that is brighter than its left neighbour."""
HASHED_SIDE_PX: Final = 180
"""Of a larger picture every nth row and column is enough: 0.2 ms instead of 2.7 ms at 720p."""
CONTENT_ELEMENTS: Final = 2
"""With so many virtual elements the content alone says whether it is the same scene."""
SPARE_WORDS: Final = 12
"""Of so many words one may be a misreading: reading flickers, and a question costs money."""
FORGIVING_LETTERS: Final = 5
"""Letters from which one wrong letter leaves a word the same: "Frence" is "France", "hot" is not "not"."""
SURE_LABEL: Final = 0.7
"""Share from which a picture's class counts as content."""
MAX_JUDGED: Final = 128
MAX_FRAMES: Final = 12
"""Frames held back at most: 1.4 MB each at 720p."""
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Sight:
    """What identifies a view: how it looks, what it says, what the fast tier thinks of it."""

    hash: int
    words: tuple[str, ...]
    """Words and classes of pictures, sorted."""
    keys: frozenset[str]
    """Of the contradictions that were found."""
    elements: int = 0

    @property
    def name(self) -> str:
        """The same for the same words in the same place: requests about one scene are shared by it."""
        said = f"{self.hash:064x} {' '.join(self.words)} {' '.join(sorted(self.keys))}"
        return hashlib.sha256(said.encode(errors="replace")).hexdigest()[:16]

    def content_in(self, other: Sight, max_bits: int) -> bool:
        """Whether what this showed is still there, whatever was added or is found wrong with it."""
        return replace(self, keys=frozenset()).shown_in(other, max_bits)

    def shown_in(self, other: Sight, max_bits: int) -> bool:
        """Whether everything here was there already, so that an answer about ``other`` holds for this too."""
        if not self.keys <= other.keys:
            return False
        near = hash_distance(self.hash, other.hash) <= max_bits
        if not near and (self.elements < CONTENT_ELEMENTS or other.elements < CONTENT_ELEMENTS):
            return False
        return _unknown_words(self.words, other.words) <= len(self.words) // SPARE_WORDS


def sight_of(frame: Frame, findings: Findings) -> Sight:
    """What a judged frame shows."""
    keys = frozenset(
        finding.key for finding in findings.findings if finding.kind is FindingKind.CONTRADICTION
    )
    words = sorted(word for element in findings.elements for word in _content(element))
    return Sight(scene_hash(frame.picture.luma()), tuple(words), keys, len(findings.elements))


def scene_hash(luma: ByteImage) -> int:
    """A difference hash of a brightness plane: 256 bits that hardly change with noise, size or brightness."""
    step = max(1, min(luma.shape[:2]) // HASHED_SIDE_PX)
    every = np.ascontiguousarray(luma[::step, ::step])
    small = cv2.resize(every, (HASH_CELLS + 1, HASH_CELLS), interpolation=cv2.INTER_AREA)
    bits = small[:, 1:] > small[:, :-1]
    return int.from_bytes(np.packbits(bits).tobytes(), "big")


def hash_distance(one: int, other: int) -> int:
    """In how many of the 256 bits two hashes differ."""
    return (one ^ other).bit_count()


@dataclass(frozen=True, slots=True)
class Judged:
    """A scene that a judge has answered about."""

    sight: Sight
    answer: Answer
    at_ms: float

    def holds_for(self, sight: Sight, max_bits: int) -> bool:
        """Whether the answer is one about this view too.

        Less is no news where nothing was wrong; a yes may be about what has gone since, so all must be there.
        """
        if not sight.shown_in(self.sight, max_bits):
            return False
        return self.answer.verdict is not Verdict.YES or self.sight.content_in(sight, max_bits)


class SceneMemory:
    """The scenes that were judged lately. Each is forgotten ``cool_down_ms`` after its answer."""

    def __init__(self, cool_down_ms: float, max_bits: int) -> None:
        self._cool_down_ms = cool_down_ms
        self._max_bits = max_bits
        self._judged: OrderedDict[int, Judged] = OrderedDict()
        self._next = 0

    def remember(self, sight: Sight, answer: Answer, now_ms: float) -> None:
        """A judge has answered about this view."""
        self._judged[self._next] = Judged(sight, answer, now_ms)
        self._next += 1
        if len(self._judged) > MAX_JUDGED:
            self._judged.popitem(last=False)

    def recall(self, sight: Sight, now_ms: float) -> Judged | None:
        """The newest answer that still holds for a view; None where there is none."""
        while self._judged:
            number, oldest = next(iter(self._judged.items()))
            if now_ms - oldest.at_ms < self._cool_down_ms:
                break
            del self._judged[number]
        newest_first = reversed(self._judged.values())
        return next((judged for judged in newest_first if judged.holds_for(sight, self._max_bits)), None)


@dataclass(frozen=True, slots=True)
class _Kept:
    frame: Frame
    sight: Sight
    sharpness: float


class FrameWindow:
    """The judged frames of the last moments, to choose the best of a scene from."""

    def __init__(self, window_ms: float, max_bits: int) -> None:
        self._window_ms = window_ms
        self._max_bits = max_bits
        self._kept: deque[_Kept] = deque(maxlen=MAX_FRAMES)

    def add(self, frame: Frame, sight: Sight) -> None:
        """A frame was judged."""
        self._kept.append(_Kept(frame, sight, sharpness(frame.picture.luma())))
        while self._kept[-1].frame.arrival_ms - self._kept[0].frame.arrival_ms > self._window_ms:
            self._kept.popleft()

    def best(self, count: int) -> tuple[Frame, ...]:
        """The sharpest frames of the newest scene, oldest first: one of each of ``count`` parts.

        With one it is the sharpest; with three the sharpest of the beginning, the middle and the end. Fewer
        where there are not so many.
        """
        if not self._kept:
            return ()
        newest = self._kept[-1].sight
        same = [kept for kept in self._kept if newest.shown_in(kept.sight, self._max_bits)]
        parts = [part for part in np.array_split(np.arange(len(same)), count) if part.size]
        chosen = [max((same[index] for index in part), key=lambda kept: kept.sharpness) for part in parts]
        return tuple(kept.frame for kept in chosen)


def sharpness(luma: ByteImage) -> float:
    """Variance of the Laplacian of a picture brought to 320 pixels in width: larger is sharper."""
    height, width = luma.shape[:2]
    small = cv2.resize(luma, (320, max(1, round(320 * height / width))), interpolation=cv2.INTER_AREA)
    return float(cv2.Laplacian(small, cv2.CV_32F).var())


def _content(element: Element) -> Iterable[str]:
    yield from words_of(element.text)
    if element.direction_deg is not None:
        yield f"#direction:{round(element.direction_deg / 45.0) % 8}"
    for part in element.parts[:1]:
        if part.confidence >= SURE_LABEL:
            yield f"#{part.label}"


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return _WORD.findall("".join(char for char in plain if not unicodedata.combining(char)))


def _unknown_words(words: Sequence[str], known: Sequence[str]) -> int:
    """Words that are not among the known ones, each of which may be used once."""
    left = Counter(known)
    missing = []
    for word in words:
        if left[word] > 0:
            left[word] -= 1
        else:
            missing.append(word)
    unknown = 0
    for word in missing:
        meant = next((other for other, count in left.items() if count > 0 and same_word(word, other)), None)
        if meant is None:
            unknown += 1
        else:
            left[meant] -= 1
    return unknown


def same_word(one: str, other: str) -> bool:
    """Whether two words are one, give or take a misread letter of a long one. Numbers must be equal."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < FORGIVING_LETTERS or len(long) - len(short) > 1 or not (one + other).isalpha():
        return False
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest_of_short = short[start:] if len(short) < len(long) else short[start + 1 :]
    return rest_of_short == long[start + 1 :]
