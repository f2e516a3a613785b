from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arwarden.fast.words.bank import DENYING, NEAREST, STATES, Bank, Floats, Votes, alike

SHARPNESS = 10.0
PICTURE = np.array([1.0, 0.0], np.float32)


def bank_of(shares: dict[str, float], fit: tuple[float, float] = (1.0, 0.0)) -> Bank:
    """A bank that gives its names shares for ``PICTURE`` in these proportions."""
    cosines = 1 + np.log(np.array(list(shares.values())) / max(shares.values())) / SHARPNESS
    vectors = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)
    return Bank(tuple(shares), vectors, sharpness=SHARPNESS, fit=fit)


def said(bank: Bank) -> tuple[str, float]:
    """Of ``PICTURE``, rounded."""
    words, agreement = bank.votes(PICTURE).agreed()
    return words, round(agreement, 3)


def random_bank(names: Sequence[str], seed: int) -> tuple[Bank, Floats]:
    """And a picture for it."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(names), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Bank(names, vectors, sharpness=SHARPNESS), rng.normal(size=8).astype(np.float32)


@pytest.mark.parametrize(
    ("names", "shape"),
    [
        (("bell",), (2, 4)),
        (("bell", "door"), (1, 4)),
        (("bell",), (1,)),
        (("bell",), (1, 4, 1)),
        ((), (0, 4)),
    ],
)
def test_shapes_that_do_not_fit_are_refused(names: tuple[str, ...], shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"{len(names)} names for vectors of shape"):
        Bank(names, np.ones(shape, np.float32), sharpness=SHARPNESS)


def test_the_nearest_name_is_said() -> None:
    bank = bank_of({"door": 0.1, "bell": 0.7, "camera": 0.2})
    assert bank.dimensions == 2
    assert said(bank) == ("bell", 0.7)
    word = bank.word(PICTURE)
    assert word.words == "bell"
    assert word.share == pytest.approx(0.7, abs=1e-4)


def test_names_with_words_in_common_back_each_other_up() -> None:
    shares = {"camera": 0.34, "bell": 0.22, "alarm bell": 0.22, "bell ring": 0.22}
    words, agreement = bank_of(shares).votes(PICTURE).agreed()
    assert words == "bell"
    # All of its own share and two thirds of those that say "bell" as well.
    assert agreement == pytest.approx(0.22 + 2 * 0.22 * 2 / 3, abs=1e-4)


def test_being_crossed_out_alone_is_nothing_in_common() -> None:
    shares = {"camera": 0.34, "bell off": 0.22, "house off": 0.22, "dna off": 0.22}
    assert said(bank_of(shares)) == ("camera", 0.34)


def test_of_equally_likely_names_that_one_is_said_that_agrees_with_most() -> None:
    shares = {"glass empty": 0.25, "wine": 0.25, "wine glass": 0.25, "glass": 0.25}
    # The two others share one of three words, counted from both sides.
    assert said(bank_of(shares)) == ("wine glass", round(0.25 * (1 + 2 * 2 / 3), 3))


def test_names_of_other_states_do_not_back_each_other_up() -> None:
    shares = {"bell": 0.3, "bell off": 0.36, "bell plus": 0.34}
    assert said(bank_of(shares)) == ("bell off", 0.36)


@pytest.mark.parametrize(
    ("one", "other", "share"),
    [
        ("bell", "bell", 1.0),
        ("bell off", "off bell", 1.0),
        ("bell", "door", 0.0),
        ("bell off", "alarm off", 0.0),
        ("off", "off", 1.0),
        ("alarm bell off", "bell off", 2 / 3),
        ("wine glass", "glass", 2 / 3),
        ("bell", "bell off", 0.0),
        ("door open", "door closed", 0.0),
    ],
)
def test_words_in_common(one: str, other: str, share: float) -> None:
    some, others = frozenset(one.split()), frozenset(other.split())
    assert alike(some, others) == alike(others, some) == pytest.approx(share)


@pytest.mark.parametrize("state", sorted(STATES))
def test_a_state_tells_things_apart(state: str) -> None:
    assert alike({"bell", state}, {"bell"}) == 0
    assert alike({"bell", state}, {"bell", state}) == 1


def test_things_that_are_also_shown_crossed_out() -> None:
    shares = {"bell": 0.3, "bell off": 0.3, "door": 0.2, "wifi off": 0.1, "off": 0.1}
    assert bank_of(shares).switched == {"bell"}
    assert bank_of(shares).without(lambda name: name == "bell off").switched == frozenset()


def test_only_the_nearest_icons_have_a_say() -> None:
    shares = {f"n{number}": 0.5 / NEAREST for number in range(NEAREST)}
    far = {f"far{number}": 1e-3 for number in range(500)}
    assert said(bank_of(far | shares))[1] == said(bank_of(shares))[1] == 1 / NEAREST


def test_icons_of_one_name_vote_together() -> None:
    vectors = np.array([[1, 0], [0.99, 0.14], [0.99, 0.14], [0.99, 0.14]], np.float32)
    bank = Bank(("door", "bell", "bell", "bell"), vectors, sharpness=SHARPNESS)
    words, agreement = bank.votes(PICTURE).agreed()
    assert words == "bell"
    assert agreement == pytest.approx(3 / (3 + np.exp(0.1)), abs=1e-2)
    assert bank.without(lambda name: name == "bell").names == ("door",)
    assert bank.without(lambda name: name == "door").names == ("bell",) * 3


@pytest.mark.parametrize("count", [1, 2, NEAREST - 1, NEAREST, NEAREST + 1, NEAREST + 2, 3 * NEAREST])
def test_banks_of_any_size_find_the_best(count: int) -> None:
    shares = dict.fromkeys((f"n{number}" for number in range(count)), 1.0)
    last = f"n{count - 1}"
    shares[last] = 50.0
    words, agreement = bank_of(shares).votes(PICTURE).agreed()
    assert words == last
    assert agreement == pytest.approx(50 / (50 + min(count, NEAREST) - 1), abs=1e-3)


def test_equal_names_are_a_tie_that_always_ends_alike() -> None:
    vectors = np.tile(PICTURE, (100, 1))
    bank = Bank([f"n{number}" for number in range(100)], vectors, sharpness=SHARPNESS)
    found = {bank.votes(PICTURE).agreed() for _ in range(5)}
    assert len(found) == 1
    assert said(bank)[1] == 1 / NEAREST


def test_of_two_names_with_the_same_words_each_has_the_share_of_both() -> None:
    words, agreement = bank_of({"off bell": 0.3, "bell off": 0.3, "door": 0.4}).votes(PICTURE).agreed()
    assert words in {"off bell", "bell off"}
    assert agreement == pytest.approx(0.6, abs=1e-4)


@pytest.mark.parametrize("picture", [(0.0, 0.0), (-1.0, 0.0), (1e-9, 0.0), (1e15, 1e15)])
def test_odd_pictures_are_answered(picture: tuple[float, float]) -> None:
    word = bank_of({"bell": 0.5, "door": 0.5}).word(np.array(picture, np.float32))
    assert word.words in {"bell", "door"}
    assert 0 <= word.share <= 1


def test_a_name_without_a_vector_is_never_preferred() -> None:
    bank = Bank(("nothing", "bell"), np.array([[0, 0], [1, 0]], np.float32), sharpness=SHARPNESS)
    assert bank.word(PICTURE).words == "bell"


@given(st.integers(1, 60), st.integers(0, 2**31), st.floats(1e-3, 1e3))
def test_length_and_order_do_not_matter(count: int, seed: int, length: float) -> None:
    names = [f"n{number} {number % 3}" for number in range(count)]
    bank, picture = random_bank(names, seed)
    words, agreement = bank.votes(picture).agreed()
    assert words in names
    assert 0 < agreement <= 1 + 1e-5
    assert bank.votes(picture * np.float32(length)).agreed()[1] == pytest.approx(agreement, rel=1e-3)
    turned = Bank(names[::-1], bank._vectors[::-1], sharpness=SHARPNESS)
    assert turned.votes(picture).agreed()[1] == pytest.approx(agreement, rel=1e-4)


@given(st.integers(1, 120), st.integers(0, 2**31))
def test_the_nearest_icons_are_weighed_against_each_other(count: int, seed: int) -> None:
    bank, picture = random_bank([f"n{number} {number % 3}" for number in range(count)], seed)
    powers = np.exp(SHARPNESS * (bank._vectors @ picture / np.linalg.norm(picture)))
    best = np.argsort(-powers)[:NEAREST]
    words = [frozenset(bank.names[number].split()) for number in best]
    shares = powers[best] / powers[best].sum()
    agreements = [
        sum(alike(one, other) * share for other, share in zip(words, shares, strict=True)) for one in words
    ]
    said_words, agreement = bank.votes(picture).agreed()
    assert agreement == pytest.approx(max(agreements), rel=1e-3)
    assert agreements[words.index(frozenset(said_words.split()))] == pytest.approx(max(agreements), rel=1e-3)


@pytest.mark.parametrize("fit", [(1.0, 0.0), (2.0, -0.5), (0.4, 1.5)])
def test_what_agrees_more_is_surer(fit: tuple[float, float]) -> None:
    shares = [
        bank_of({"bell": most, "door": 1 - most}, fit).word(PICTURE).share
        for most in (0.51, 0.6, 0.8, 0.9, 0.99)
    ]
    assert shares == sorted(shares)
    assert len(set(shares)) == len(shares)
    assert all(0 < share < 1 for share in shares)


def test_the_fit_is_on_the_logarithm_of_the_odds() -> None:
    shares = {"bell": 0.8, "door": 0.2}
    assert bank_of(shares).word(PICTURE).share == pytest.approx(0.8, abs=1e-3)
    doubtful = bank_of(shares, (0.5, -1.0)).word(PICTURE).share
    assert np.log(doubtful / (1 - doubtful)) == pytest.approx(0.5 * np.log(4) - 1, abs=1e-3)


@pytest.mark.parametrize("fit", [(50.0, 0.0), (-50.0, 0.0), (1.0, 9e3), (-9e3, 0.0)])
def test_a_steep_fit_stays_a_share(fit: tuple[float, float]) -> None:
    assert 0 <= bank_of({"bell": 1.0}, fit).word(PICTURE).share <= 1


def test_unwanted_names_are_left_out() -> None:
    bank = bank_of({"smoking off": 0.7, "bell": 0.2, "door": 0.1}, (2.0, 0.0))
    rest = bank.without(lambda name: "smoking" in name)
    assert rest.names == ("bell", "door")
    assert said(rest) == ("bell", 0.667)
    assert rest.word(PICTURE).share == pytest.approx(0.8, abs=1e-3), "the same fit"
    assert bank.word(PICTURE).words == "smoking off"
    with pytest.raises(ValueError, match="0 names"):
        bank.without(lambda _name: True)


def test_what_is_likelier_wins_where_it_is_near() -> None:
    votes = Votes({"door": 0.6, "phone off": 0.3, "bell": 0.1})
    assert votes.word().words == "door"
    assert votes.word({"phone off": 3.0}).words == "phone off"
    assert votes.word({"phone off": 3.0}).share == pytest.approx(0.9 / 1.6)
    assert votes.word({"bell": 3.0, "unheard of": 99.0}).words == "door"


def test_all_ways_to_deny_are_one_state() -> None:
    for one in DENYING:
        assert alike({"camera", one}, {"camera", "off"}) == 1
        assert alike({"camera", one}, {"camera"}) == 0


def test_what_a_sign_says_of_things_replaces_what_names_say_of_them() -> None:
    votes = Votes({"camera": 0.5, "camera off": 0.2, "no photos": 0.2, "off": 0.1}, (2.0, 0.5))
    found = votes.of_things(" off")
    assert found.shares == pytest.approx({"camera off": 0.7, "photos off": 0.2, "off off": 0.1})
    assert found.fit == (2.0, 0.5)
    assert found.denying == pytest.approx(1.0)
