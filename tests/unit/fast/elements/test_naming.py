from __future__ import annotations

import cv2
import numpy as np
import pytest

from arwarden.fast.elements.decode import Floats
from arwarden.fast.elements.naming import MOST_CROPS, Namer, Naming, closer, known_labels

LABELS = ("#other", "cloud", "partly_cloudy", "lock")
SIDE = 32


class Looks:
    """Answers by the mean brightness of the crops, and remembers how many it was asked about."""

    def __init__(self, *, bright: tuple[float, ...], dark: tuple[float, ...]) -> None:
        self.bright, self.dark = bright, dark
        self.asked: list[int] = []

    def __call__(self, crops: Floats) -> tuple[Floats, Floats]:
        self.asked.append(len(crops))
        means = crops.mean(axis=(1, 2, 3))
        logits = np.array([self.bright if mean > 0 else self.dark for mean in means], np.float32)
        ways = np.array([[1.0, 0.0] if mean > 0 else [0.0, 1.0] for mean in means], np.float32)
        return logits, ways


def framed(inner: int, outer: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """A crop that looks otherwise without its rim."""
    crop = np.full((SIDE, SIDE, 3), outer, np.uint8)
    crop[2:-2, 2:-2] = inner
    return crop


def test_temperature_lowers_the_shares() -> None:
    logits = np.array([[0, 3, 1, 0]], np.float32)
    assert Naming(LABELS, 2.0).shares(logits).max() < Naming(LABELS).shares(logits).max()


def test_same_labels_count_as_one() -> None:
    logits = np.log(np.array([[0.1, 0.3, 0.4, 0.2]], np.float32))
    shares = Naming(LABELS, same={"partly_cloudy": "cloud"}).shares(logits)
    assert shares[0].tolist() == pytest.approx([0.1, 0.7, 0.0, 0.2])


def test_least_shares_hold_for_labels_put_together() -> None:
    naming = Naming(LABELS, least={"cloud": 0.8}, same={"partly_cloudy": "cloud"})
    shares = naming.shares(np.log(np.array([[0.1, 0.3, 0.4, 0.2], [0.05, 0.45, 0.4, 0.1]], np.float32)))
    assert shares[0, 1] < 0.5 < shares[1, 1]
    assert shares.sum(axis=1) == pytest.approx(1)
    assert naming.plain(np.zeros((1, 4), np.float32))[0, 1] == pytest.approx(0.5)


def test_only_doubtful_crops_are_looked_at_twice() -> None:
    looks = Looks(bright=(0, 9, 0, 0), dark=(0, 1, 0, 0))
    crops = np.stack([np.full((SIDE, SIDE, 3), value, np.uint8) for value in (255, 0, 255, 0, 0)])
    shares, directions = Namer(looks, Naming(LABELS)).name(crops)
    assert looks.asked == [5, 3]
    assert shares[:, 1].tolist() == pytest.approx([shares[0, 1], shares[1, 1]] * 2 + [shares[1, 1]])
    assert directions[:, 0].tolist() == [1, 0, 1, 0, 0]


def test_the_second_look_is_without_the_rim_and_both_count() -> None:
    looks = Looks(bright=(0, 0, 0, 9), dark=(0, 1, 0, 0))
    crop = framed(inner=132, outer=0)
    assert crop.mean() < 127 < closer(crop[None])[0].mean()
    logits, directions = Namer(looks, Naming(LABELS)).raw(crop[None])
    assert looks.asked == [1, 1]
    assert logits[0].tolist() == pytest.approx([0, 0.5, 0, 4.5])
    assert directions[0].tolist() == pytest.approx([0.5, 0.5])


def test_crops_come_in_batches_and_in_order() -> None:
    looks = Looks(bright=(0, 9, 0, 0), dark=(0, 0, 0, 9))
    values = [255 if index % 3 else 0 for index in range(MOST_CROPS * 2 + 3)]
    crops = np.stack([np.full((SIDE, SIDE, 3), value, np.uint8) for value in values])
    shares, _ = Namer(looks, Naming(LABELS)).name(crops)
    assert looks.asked == [MOST_CROPS, MOST_CROPS, 3]
    assert shares.argmax(axis=1).tolist() == [1 if value else 3 for value in values]


def test_closer_keeps_the_middle() -> None:
    crop = np.zeros((96, 96, 3), np.uint8)
    cv2.circle(crop, (48, 48), 20, (255, 255, 255), cv2.FILLED)
    near = closer(crop[None])[0]
    assert near.shape == crop.shape
    grown = float((near > 127).mean() / (crop > 127).mean())
    assert grown == pytest.approx(1.12**2, abs=0.06)
    rows, columns = np.nonzero(near[:, :, 0] > 127)
    assert (rows.mean(), columns.mean()) == pytest.approx((48, 48), abs=0.8)


def test_labels_that_are_not_there_are_refused() -> None:
    assert known_labels({"partly_cloudy": "cloud"}, LABELS) == {"partly_cloudy": "cloud"}
    for same in ({"fog": "cloud"}, {"cloud": "fog"}):
        with pytest.raises(ValueError, match="'fog' is no label"):
            known_labels(same, LABELS)
