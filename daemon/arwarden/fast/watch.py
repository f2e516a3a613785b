"""The elements of one stream: found when something is new, classified until it is clear what they are."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from arwarden.core.counters import Counters
from arwarden.core.frame import ByteImage, Frame
from arwarden.fast.claims.elements import FLAG
from arwarden.fast.elements.decode import NAMELESS
from arwarden.fast.elements.detector import ElementFinder
from arwarden.fast.tracking.elements import MOST_TRACKS, ElementTracker, TrackedElement
from arwarden.fast.tracking.follower import Attention, Step, Urgency
from arwarden.fast.tracking.novelty import Motion
from arwarden.fast.tracking.patches import BoxPx, Patch, likeness, patch
from arwarden.fast.words.bank import Floats, Votes
from arwarden.fast.words.model import WordFinder

FIND_EVERY_MS: Final = 1000.0
"""Elements are looked for at least this often."""
FIND_AGAIN: Final = 1
"""Frames searched after one that showed something new: it may have been fading in."""
FIRST_LOOKS: Final = 4
"""An element is classified in each of the first frames that show it, until it is known."""
KNOWN_SHARE: Final = 0.95
"""After two looks, a label with so large a share is what it is."""
DOUBTFUL_SHARE: Final = 0.8
"""Below this share of the best label it is looked at again."""
MOST_LOOKS: Final = 10
"""Then it stays in doubt, until it looks different."""
STALE_MS: Final = 4000.0
"""An element is classified again after so long in any case, one such element a frame."""
DIFFERENT: Final = 0.6
"""Likeness of its place to what was classified there below which it looks different. Validation clips: of
one element in two frames 19 of 20 are above, of two that take turns in one place 9 of 10 below."""
SLIVER: Final = 0.5
"""Height to width, or width to height, below which a flag that the edge cuts shows too little to be named: a
strip of France's is Poland's or Morocco's. Whole ones are square or three by two."""
AT_EDGE: Final = 0.02
"""Share of the picture's side within which a box ends at its edge: carried ones are some pixels off."""
MOST_CROPS: Final = 24
"""Crops classified in one frame at most, about 2 ms each."""
LEAST_NAMED: Final = 0.5
"""Share of the best label below which words are sought for a picture."""
SMALL: Final = frozenset({"sign", "flag"})
"""Elements that are one picture: where they look the same, nothing on them is new."""


@dataclass(frozen=True, slots=True)
class _Named:
    looks: Floats
    """What the picture looked like, all looks together."""
    votes: Votes


class ElementWatch:
    """Follows one stream's elements. ``follow``, ``urgency`` and ``observe`` are called for every frame."""

    def __init__(
        self, finder: ElementFinder, counters: Counters | None = None, words: WordFinder | None = None
    ) -> None:
        """Without ``words`` pictures that the finder has no label for stay without a name."""
        self._finder = finder
        self._words = words
        self._counters = counters if counters is not None else Counters()
        self._tracker = ElementTracker(finder.labels)
        self._attention = Attention(FIND_EVERY_MS, again=FIND_AGAIN)
        self._patches: dict[int, Patch] = {}
        """Of the elements by number, as they were when they were last classified."""
        self._named: dict[int, _Named] = {}
        """Of the pictures without a label, by number."""
        self._moved = False

    def follow(self, step: Step, luma: ByteImage) -> tuple[list[BoxPx], list[BoxPx]]:
        """Take note of a new frame; returns the boxes of what looks as it did, and those of all elements."""
        if step.anew:
            self._tracker = ElementTracker(self._finder.labels)
            self._patches.clear()
            self._named.clear()
        height_px, width_px = luma.shape
        moved_px = step.homography_px(width_px, height_px)
        self._moved = moved_px is not None
        self._tracker.carry(moved_px, (width_px, height_px))
        changed = self._changed(luma)
        every = self._tracker.all()
        same = [one.box_px for one in every if one.type in SMALL and one.number not in changed]
        return same, [one.box_px for one in every]

    def urgency(self, motion: Motion | None, now_ms: float) -> Urgency:
        """How soon elements have to be looked for, after a frame that has moved and shows new things so."""
        self._attention.note(motion)
        return self._attention.urgency(now_ms)

    def overdue_ms(self, now_ms: float) -> float:
        """For how long looking for elements has been due."""
        return self._attention.overdue_ms(now_ms)

    def observe(self, frame: Frame, *, search: bool) -> list[TrackedElement]:
        """The elements in the frame that was followed last, by it and earlier ones.

        ``search``: look for elements; otherwise they are where the picture's motion has carried them. What is
        to be classified beyond ``MOST_CROPS`` is counted: ``elements.looks_postponed``.
        """
        now_ms, rgb, luma = frame.arrival_ms, frame.picture.rgb(), frame.picture.luma()
        self._counters.add("elements.searched" if search else "elements.followed")
        if search:
            # Best first, so that the surest are followed.
            found = self._finder.find(rgb)
            self._counters.add("elements.left_out", max(0, len(found) - MOST_TRACKS))
            self._tracker.observe(found[:MOST_TRACKS], now_ms, moved=self._moved)
            self._attention.looked(now_ms)
        changed = self._changed(luma)
        if search:
            for number in [number for number in changed if self._tracker.missed(number)]:
                self._tracker.gone(number)
        size_px = (luma.shape[1], luma.shape[0])
        due = self._due(changed, now_ms, size_px)
        if len(due) > MOST_CROPS:
            self._counters.add("elements.looks_postponed", len(due) - MOST_CROPS)
            due = due[:MOST_CROPS]
        seen = self._finder.classify(rgb, [one.box_px for one in due])
        looked: dict[int, BoxPx] = {}
        for one, look in zip(due, seen, strict=True):
            strip = is_sliver(one.box_px, size_px)
            if strip and self._finder.labels[int(look.shares.argmax())].startswith(FLAG):
                continue  # the detector took a flag's strip for a sign
            number = self._tracker.look(one.number, look, now_ms, changed=one.number in changed)
            if not strip:
                looked[number] = one.box_px
            now = patch(luma, one.box_px)
            if now is not None:
                self._patches[number] = now
        self._counters.add("elements.classified", len(due))
        self._find_words(rgb, looked, changed)
        return [self._with_votes(one) for one in self._tracker.elements()]

    def _find_words(self, rgb: ByteImage, looked: Mapping[int, BoxPx], changed: AbstractSet[int]) -> None:
        """Look for words for those pictures of ``looked`` that no label fits.

        To the labels one picture of no class is like another: what looks different is named anew.
        """
        known = {one.number: one for one in self._tracker.all()}
        self._named = {number: named for number, named in self._named.items() if number in known}
        if self._words is None:
            return
        nameless = [number for number in looked if number in known and self._is_nameless(known[number])]
        looks = self._words.look(rgb, [looked[number] for number in nameless])
        for number, look in zip(nameless, looks, strict=True):
            before = None if number in changed else self._named.get(number)
            total = look if before is None else before.looks + look
            self._named[number] = _Named(total, self._words.votes(total))
        self._counters.add("elements.words_sought", len(nameless))

    def _is_nameless(self, one: TrackedElement) -> bool:
        best = int(one.shares.argmax())
        return one.type == "sign" and (
            self._finder.labels[best] in NAMELESS or float(one.shares[best]) < LEAST_NAMED
        )

    def _with_votes(self, one: TrackedElement) -> TrackedElement:
        named = self._named.get(one.number)
        return one if named is None or not self._is_nameless(one) else replace(one, votes=named.votes)

    def _changed(self, luma: ByteImage) -> set[int]:
        """The elements that look different from when they were classified."""
        changed: set[int] = set()
        every = self._tracker.all()
        for one in every:
            before, now = self._patches.get(one.number), patch(luma, one.box_px)
            different = before is not None and (now is None or likeness(before, now) < DIFFERENT)
            self._tracker.note_place(one.number, unchanged=before is not None and not different)
            if different:
                changed.add(one.number)
        self._patches = {
            one.number: self._patches[one.number] for one in every if one.number in self._patches
        }
        return changed

    def _due(self, changed: set[int], now_ms: float, size_px: tuple[int, int]) -> list[TrackedElement]:
        """The elements to classify: those that look different first, then the least known."""
        known, stale = [], []
        for one in self._tracker.all():
            if one.type == "flag" and is_sliver(one.box_px, size_px):
                continue
            best = float(one.shares.max()) if len(one.shares) else 1.0
            young = one.looks < (2 if best >= KNOWN_SHARE else FIRST_LOOKS)
            doubtful = best < DOUBTFUL_SHARE and one.looks < MOST_LOOKS
            if one.number in changed or young or doubtful:
                known.append(one)
            elif now_ms - self._tracker.looked_ms(one.number) >= STALE_MS:
                stale.append(one)
        known.sort(key=lambda one: (one.number not in changed, one.looks))
        return [*known, *stale[:1]]


def is_sliver(box_px: BoxPx, size_px: tuple[int, int]) -> bool:
    """Whether the edge of a picture of ``(width, height)`` leaves but a strip of what is in the box."""
    width, height = size_px
    x0, x1 = max(box_px[0], 0.0), min(box_px[2], float(width))
    y0, y1 = max(box_px[1], 0.0), min(box_px[3], float(height))
    across, down = max(x1 - x0, 1e-6), max(y1 - y0, 1e-6)
    beside = min(x0, width - x1) <= AT_EDGE * width
    over = min(y0, height - y1) <= AT_EDGE * height
    return (over and down < SLIVER * across) or (beside and across < SLIVER * down)
