from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from arwarden.core.counters import Counters
from arwarden.core.frame import ArrayPicture, ByteImage, CaptureClock, Frame
from arwarden.fast.elements.decode import OTHER
from arwarden.fast.elements.detector import Detected, ElementFinder, Seen
from arwarden.fast.ocr.base import ModelFile
from arwarden.fast.tracking.elements import TrackedElement
from arwarden.fast.tracking.follower import FORGET_MS, Follower
from arwarden.fast.watch import FIRST_LOOKS, MOST_CROPS, MOST_LOOKS, STALE_MS, ElementWatch, is_sliver
from arwarden.fast.words.bank import Floats, Votes
from arwarden.fast.words.model import WordFinder

LABELS = ("#background", "lock", "unlock", OTHER, "flag:PL")
STEP_MS = 100.0


class FakeFinder:
    """Finds what it is told to find, and takes everything for a lock."""

    def __init__(self, *found: Detected) -> None:
        self.found = list(found)
        self.crops: list[int] = []
        self.best, self.share = 1, 0.85

    @property
    def labels(self) -> Sequence[str]:
        return LABELS

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()

    def find(self, rgb: ByteImage) -> list[Detected]:
        assert rgb.shape[2] == 3
        return self.found

    def classify(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> list[Seen]:
        assert rgb.shape[2] == 3
        self.crops.append(len(boxes_px))
        shares = np.full(len(LABELS), (1.0 - self.share) / (len(LABELS) - 1), np.float32)
        shares[self.best] = self.share
        return [Seen(shares, np.zeros(2, np.float32)) for _ in boxes_px]


class FakeWords:
    """Takes everything for what it is told to; its words for several looks are those of most of them."""

    NAMES = ("bell", "bell off")

    def __init__(self) -> None:
        self.shown = "bell"
        self.crops: list[int] = []

    @property
    def switched(self) -> frozenset[str]:
        return frozenset()

    def models_in_use(self) -> Sequence[ModelFile]:
        return ()

    def look(self, rgb: ByteImage, boxes_px: Sequence[tuple[float, float, float, float]]) -> Floats:
        assert rgb.shape[2] == 3
        self.crops.append(len(boxes_px))
        look = np.array([name == self.shown for name in self.NAMES], np.float32)
        return np.tile(look, (len(boxes_px), 1))

    def votes(self, look: Floats) -> Votes:
        return Votes(
            {name: float(part) / float(look.sum()) for name, part in zip(self.NAMES, look, strict=True)}
        )


def sign(number: int = 0) -> Detected:
    x, y = 5.0 * (number % 10), 5.0 * (number // 10)
    return Detected("sign", (x, y, x + 4, y + 4), 0.9)


class Scene:
    """Frames of one stream, 100 ms apart, each with elements to find."""

    def __init__(self, *found: Detected, words: WordFinder | None = None) -> None:
        self.finder, self.counters = FakeFinder(*found), Counters()
        self.watch = ElementWatch(self.finder, self.counters, words)
        self.follower = Follower()
        self.now_ms = 1000.0

    def show(
        self, luma: ByteImage | None = None, *, search: bool = True, step_ms: float = STEP_MS
    ) -> list[TrackedElement]:
        self.now_ms += step_ms
        grey = np.zeros((36, 64), np.uint8) if luma is None else luma
        picture = ArrayPicture(np.repeat(grey[:, :, None], 3, axis=2))
        frame = Frame("s1", 1, self.now_ms, CaptureClock.ARRIVAL, self.now_ms, picture)
        step = self.follower.step(picture.luma(), self.now_ms)
        self.watch.follow(step, picture.luma())
        self.watch.urgency(None if step.anew else step.motion, self.now_ms)
        return self.watch.observe(frame, search=search)


def textured(seed: int) -> ByteImage:
    """A pattern in the place of the first sign, the same for the same seed."""
    image = np.full((36, 64), 80, np.uint8)
    image[0:4, 0:4] = np.random.default_rng(seed).choice([20, 120, 240], (4, 4))
    return image


def test_the_fake_is_a_finder() -> None:
    finder: ElementFinder = FakeFinder()
    assert list(finder.labels) == list(LABELS)


def test_elements_are_found_classified_and_followed() -> None:
    scene = Scene(sign())
    for _ in range(3):
        (element,) = scene.show()
        assert element.number == 1
    assert LABELS[int(element.shares.argmax())] == "lock"


def test_elements_are_carried_without_a_search() -> None:
    scene = Scene(sign())
    scene.show()
    for _ in range(5):
        assert len(scene.show(search=False)) == 1
    assert (scene.counters["elements.searched"], scene.counters["elements.followed"]) == (1, 5)


def test_what_is_known_is_not_classified_again_until_long_after() -> None:
    scene = Scene(*(sign(n) for n in range(5)))
    for _ in range(8):
        scene.show()
    assert scene.finder.crops == [5] * FIRST_LOOKS + [0] * 4
    scene.finder.crops.clear()
    for _ in range(round(STALE_MS / 1000.0) + 4):
        scene.show(step_ms=1000.0)
    assert max(scene.finder.crops) == 1
    assert sum(scene.finder.crops) == 5


def test_a_sure_element_needs_two_looks() -> None:
    scene = Scene(sign())
    scene.finder.share = 0.99
    for _ in range(5):
        scene.show()
    assert scene.finder.crops == [1, 1, 0, 0, 0]


def test_a_doubtful_element_is_looked_at_more_often_but_not_for_ever() -> None:
    scene = Scene(sign())
    scene.finder.share = 0.55
    for _ in range(2 * MOST_LOOKS):
        scene.show()
    assert sum(scene.finder.crops) == MOST_LOOKS


def test_a_crowd_is_classified_within_bounds_and_what_waits_is_counted() -> None:
    scene = Scene(*(sign(n) for n in range(48)))
    for _ in range(4):
        scene.show()
    assert scene.finder.crops == [MOST_CROPS] * 4
    assert scene.counters["elements.looks_postponed"] == 4 * (48 - MOST_CROPS)


def test_what_gives_way_to_something_else_in_its_place_is_another_element() -> None:
    scene = Scene(sign())
    first, second = textured(1), textured(2)
    for _ in range(6):
        (before,) = scene.show(first)
    scene.finder.best = 2
    (after,) = scene.show(second)
    assert after.number != before.number
    assert LABELS[int(after.shares.argmax())] == "unlock"


def test_a_misjudged_crop_of_what_looks_the_same_changes_nothing() -> None:
    scene = Scene(sign())
    for _ in range(3):
        scene.show(textured(1))
    scene.finder.best = 2
    (after,) = scene.show(textured(1))
    assert LABELS[int(after.shares.argmax())] == "lock"


def test_what_is_not_found_and_does_not_look_the_same_is_gone_at_once() -> None:
    scene = Scene(sign())
    for _ in range(3):
        scene.show(textured(1))
    scene.finder.found = []
    assert len(scene.show(textured(1))) == 1, "missed, but it still looks the same"
    assert scene.show(textured(2)) == []


def test_nothing_found() -> None:
    assert Scene().show() == []


@pytest.mark.parametrize("step_ms", [FORGET_MS, 0.0, -100.0])
def test_a_gap_or_an_older_frame_starts_anew(step_ms: float) -> None:
    scene = Scene(sign())
    scene.show()
    scene.finder.found = []
    assert scene.show(step_ms=step_ms) == []


@pytest.mark.parametrize(
    ("box", "sliver"),
    [
        ((690.0, 688.0, 770.0, 720.0), True),
        ((690.0, 680.0, 770.0, 712.0), True),
        ((0.0, 300.0, 30.0, 380.0), True),
        ((1250.0, 300.0, 1290.0, 380.0), True),
        ((690.0, -30.0, 770.0, 30.0), True),
        ((580.0, 615.0, 790.0, 720.0), False),
        ((0.0, 300.0, 60.0, 380.0), False),
        ((690.0, 300.0, 770.0, 332.0), False),
    ],
)
def test_strips_that_the_edge_leaves(box: tuple[float, float, float, float], *, sliver: bool) -> None:
    assert is_sliver(box, (1280, 720)) is sliver


def test_a_strip_of_a_picture_is_not_named_but_a_panel_is() -> None:
    scene = Scene(
        Detected("flag", (20.0, 32.0, 40.0, 36.0), 0.9), Detected("panel", (0.0, 0.0, 30.0, 4.0), 0.9)
    )
    for _ in range(3):
        strip, _ = scene.show()
    assert strip.looks == 0
    assert scene.finder.crops[0] == 1
    scene.finder.found[0] = Detected("flag", (20.0, 23.0, 40.0, 36.0), 0.9)
    flag = next(one for one in scene.show() if one.type == "flag")
    assert flag.looks == 1
    assert flag.shares.argmax() == 1


def test_a_strip_of_a_sign_is_named_unless_it_looks_like_a_flag() -> None:
    scene = Scene(Detected("sign", (20.0, 32.0, 40.0, 36.0), 0.9))
    strip = scene.show()[0]
    assert (strip.looks, LABELS[int(strip.shares.argmax())]) == (1, "lock")
    scene = Scene(Detected("sign", (20.0, 32.0, 40.0, 36.0), 0.9))
    scene.finder.best, scene.finder.share = LABELS.index("flag:PL"), 0.6
    assert [one.looks for one in scene.show()] == [0]
    scene.finder.found[0] = Detected("sign", (20.0, 20.0, 40.0, 36.0), 0.9)
    assert LABELS[int(scene.show()[0].shares.argmax())] == "flag:PL"


def told(words: str, share: float) -> tuple[str, float]:
    return words, round(share, 3)


def best(element: TrackedElement) -> tuple[str, float] | None:
    """Its likeliest name, and how likely that is."""
    if element.votes is None:
        return None
    return told(*max(element.votes.shares.items(), key=lambda one: one[1]))


class Nameless(Scene):
    """The same with pictures that the finder knows no class for."""

    def __init__(self, *found: Detected) -> None:
        self.words = FakeWords()
        super().__init__(*found, words=self.words)
        self.no_class()

    def no_class(self) -> None:
        self.finder.best = LABELS.index(OTHER)

    def word(self, seed: int = 1) -> tuple[str, float] | None:
        """Of the only element of the next frame, which shows this pattern."""
        (element,) = self.show(textured(seed))
        return best(element)


def test_a_picture_of_no_class_has_words() -> None:
    scene = Nameless(sign())
    for _ in range(3):
        assert scene.word() == told("bell", 1.0)
    assert scene.counters["elements.words_sought"] == 3


def test_words_are_those_of_all_looks_together() -> None:
    scene = Nameless(sign())
    scene.word()
    scene.words.shown = "bell off"
    assert scene.word() == told("bell", 0.5)
    assert scene.word() == told("bell off", 2 / 3)
    scene.words.shown = "bell"
    assert scene.word() == told("bell", 0.5)


def test_words_stay_when_the_picture_is_not_looked_at_any_more() -> None:
    scene = Nameless(sign())
    scene.finder.share = 0.99
    for _ in range(2):
        scene.word()
    scene.words.shown = "bell off"
    assert scene.word() == told("bell", 1.0)
    assert best(scene.show(textured(1), search=False)[0]) == told("bell", 1.0)
    assert scene.counters["elements.words_sought"] == 2


@pytest.mark.parametrize("share", [0.4, 0.49])
def test_a_picture_whose_class_is_in_doubt_has_words(share: float) -> None:
    scene = Nameless(sign())
    scene.finder.best, scene.finder.share = LABELS.index("lock"), share
    assert scene.word() == told("bell", 1.0)


@pytest.mark.parametrize("label", ["#background", "lock", "unlock"])
def test_a_picture_of_a_class_has_none_and_none_are_sought(label: str) -> None:
    scene = Nameless(sign())
    scene.finder.best = LABELS.index(label)
    assert all(one.votes is None for _ in range(3) for one in scene.show())
    assert sum(scene.words.crops) == scene.counters["elements.words_sought"] == 0


def test_words_are_no_longer_said_when_the_class_is_clear() -> None:
    scene = Nameless(sign())
    scene.finder.best, scene.finder.share = LABELS.index("lock"), 0.4
    assert scene.word() is not None
    scene.finder.share = 0.9
    said = [scene.word() for _ in range(3)]
    assert said[-1] is None
    assert scene.counters["elements.words_sought"] < 3


@pytest.mark.parametrize("kind", ["panel", "flag", "arrow", "tag"])
def test_only_pictures_have_words(kind: str) -> None:
    scene = Nameless(Detected(kind, (10.0, 10.0, 30.0, 24.0), 0.9))
    for _ in range(3):
        (element,) = scene.show()
        assert element.votes is None
    assert scene.finder.crops[0] == 1
    assert sum(scene.words.crops) == scene.counters["elements.words_sought"] == 0


def test_without_words_to_find_there_are_none() -> None:
    scene = Scene(sign())
    scene.finder.best = LABELS.index(OTHER)
    assert all(one.votes is None for _ in range(3) for one in scene.show())
    assert scene.counters["elements.words_sought"] == 0


def test_each_picture_has_its_own_words() -> None:
    scene = Nameless(sign(0))
    scene.show()
    scene.finder.found = [sign(0), sign(5)]
    scene.words.shown = "bell off"
    first, second = scene.show()
    assert (best(first), best(second)) == (told("bell", 0.5), told("bell off", 1.0))


def test_words_are_sought_for_no_more_pictures_than_are_classified() -> None:
    scene = Nameless(*(sign(n) for n in range(48)))
    assert len([one for one in scene.show() if one.votes is not None]) == MOST_CROPS
    assert all(one.votes is not None for one in scene.show())
    assert scene.words.crops == [MOST_CROPS] * 2
    assert scene.counters["elements.words_sought"] == 2 * MOST_CROPS


def test_another_picture_of_no_class_in_its_place_is_named_anew() -> None:
    scene = Nameless(sign())
    for _ in range(6):
        scene.word(1)
    scene.words.shown = "bell off"
    assert scene.word(2) == told("bell off", 1.0)
    scene.words.shown = "bell"
    assert scene.word(1) == told("bell", 1.0)


def test_words_go_with_the_element_that_had_them() -> None:
    scene = Nameless(sign())
    for _ in range(6):
        scene.word(1)
    scene.finder.best = LABELS.index("lock")
    (locked,) = scene.show(textured(2))
    assert locked.votes is None
    scene.no_class()
    scene.words.shown = "bell off"
    (after,) = scene.show(textured(3))
    assert after.number != locked.number
    assert best(after) == told("bell off", 1.0)


def test_words_of_what_has_gone_are_forgotten() -> None:
    scene = Nameless(sign())
    for _ in range(3):
        scene.word(1)
    scene.finder.found = []
    scene.show(textured(1))
    assert scene.show(textured(2)) == []
    assert scene.watch._named == {}
    scene.finder.found = [sign()]
    scene.words.shown = "bell off"
    assert scene.word(1) == told("bell off", 1.0)


def test_a_cut_of_the_scene_forgets_all_words() -> None:
    scene = Nameless(sign())
    for _ in range(3):
        (before,) = scene.show(textured(1))
    scene.words.shown = "bell off"
    (after,) = scene.show(textured(1), step_ms=FORGET_MS)
    assert after.number == before.number, "numbers begin again"
    assert best(after) == told("bell off", 1.0)


def test_a_strip_of_a_picture_has_no_words() -> None:
    scene = Nameless(Detected("sign", (20.0, 32.0, 40.0, 36.0), 0.9))
    assert [one.votes for one in scene.show()] == [None]
    assert sum(scene.words.crops) == 0
