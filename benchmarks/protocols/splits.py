"""RateAR (section 5.1, Training and Test Set Splitting): fixed splits, by a list or by a seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.protocols.data import UnusableData

PUBLISHED_TRAINING = {"images": 100, "videos": 50}
PUBLISHED_TEST = {"images": 221, "videos": 62}


@dataclass(frozen=True, slots=True)
class Split:
    """Ids of the samples to train on and to test on, each sorted."""

    training: tuple[str, ...]
    test: tuple[str, ...]


def split_by_list(ids: Sequence[str], training: Path) -> Split:
    """The samples named in a file (one id a line; empty lines and lines with # are skipped) are for training.

    Raises:
        UnusableData: the file cannot be read, names an id twice or one that does not exist, or leaves no
            test sample.
    """
    try:
        lines = training.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableData(str(training), f"the list of training samples cannot be read: {error}") from None
    named = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    _unique(str(training), named)
    _unique("samples", ids)
    unknown = sorted(set(named) - set(ids))
    if unknown:
        raise UnusableData(str(training), f"{len(unknown)} ids are not in the data, such as {unknown[0]}")
    return _split(ids, set(named))


def split_by_seed(ids: Sequence[str], training: int, seed: int) -> Split:
    """``training`` samples drawn by a seed; the same for the same ids in any order.

    Raises:
        UnusableData: an id occurs twice, or no sample is left to test on.
    """
    _unique("samples", ids)
    if not 0 <= training < len(ids):
        raise UnusableData("samples", f"{training} for training of {len(ids)} leaves none to test on")
    drawn = np.random.default_rng(seed).choice(np.array(sorted(ids)), size=training, replace=False)
    return _split(ids, {str(one) for one in drawn})


def _split(ids: Sequence[str], training: set[str]) -> Split:
    test = tuple(sorted(set(ids) - training))
    if not test:
        raise UnusableData("samples", "all are for training, none is left to test on")
    return Split(tuple(sorted(training)), test)


def _unique(what: str, ids: Sequence[str]) -> None:
    twice = [name for name, count in Counter(ids).items() if count > 1]
    if twice:
        raise UnusableData(what, f"{len(twice)} ids occur more than once, such as {twice[0]}")
