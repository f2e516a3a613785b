"""Topics, amounts and sentences that pairs are made of."""

from __future__ import annotations

import numpy as np
import pytest

from models.pairs.quantities import MAKERS, Amount, amounts
from models.pairs.topics import KEPT_SHARE, Topic, Value, held_out_words, topics
from models.pairs.writing import TIMES, Unsayable, Writer, as_read, at_time, fill
from models.scenes.kinds import KindFilter, applications, chosen

DOOR = Topic(
    "door",
    "state",
    (({"s": "door"}, {"s": "gate"}),),
    (
        Value(("open", "wide open"), {"named": ("The {s} is {v}", "{S} {v}"), "shown": ("{v} symbol",)}),
        Value(("closed",), {"named": ("The {s} is {v}",), "bare": ("{V}!",)}),
    ),
    complete=True,
)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_topics_have_names_of_their_own_and_something_to_say() -> None:
    known = topics()
    assert len({topic.name for topic in known}) == len(known) > 500
    for topic in known:
        assert topic.amount or len(topic.values) > 1, topic.name
        frames = [topic.frames] if topic.amount else [value.frames for value in topic.values]
        assert all(one.get("named") or one.get("bare") for one in frames), topic.name


def test_words_of_one_value_are_not_words_of_another() -> None:
    for topic in topics():
        if topic.family in {"state", "category"}:
            words = [word for value in topic.values for word in value.words]
            assert len(set(words)) == len(words), topic.name


def test_every_amount_has_a_maker() -> None:
    assert {topic.amount for topic in topics() if topic.amount} <= set(MAKERS)


def test_one_topic_in_seven_is_kept_from_training() -> None:
    kept = [topic for topic in topics() if topic.kept]
    assert len(kept) / len(topics()) == pytest.approx(KEPT_SHARE, abs=0.04)
    assert len({topic.family for topic in kept}) > 8


@pytest.mark.parametrize(
    "text",
    [
        "High tide",
        "No swimming",
        "Push the door",
        "Turn your phone off",
        "Microphone muted",
        "Return within 30 days",
    ],
)
def test_statements_of_held_out_kinds_are_known(text: str) -> None:
    assert held_out_words().search(text)


@pytest.mark.parametrize(
    "text", ["The shop used to be open", "No parking", "Turn left", "Pushchairs welcome"]
)
def test_other_statements_are_not_taken_for_them(text: str) -> None:
    assert not held_out_words().search(text)


def test_the_words_cover_most_of_what_held_out_kinds_say() -> None:
    texts = [
        text
        for application in applications()
        for kind in chosen(application.kinds, KindFilter.HELD_OUT)
        for text in (*kind.words, *(word for value in kind.values for word in value.words))
    ]
    known = sum(bool(held_out_words().search(text)) for text in texts)
    assert known / len(texts) > 0.5


@pytest.mark.parametrize("of", sorted(MAKERS))
def test_amounts_differ_and_their_forms_do_not_meet(of: str) -> None:
    chance = rng()
    for _ in range(60):
        one, other = amounts(of, chance)
        assert one.forms
        assert other.forms
        assert not set(one.forms) & set(other.forms)


def test_forms_of_an_amount_are_the_same_amount() -> None:
    chance = rng()
    seen = {form for _ in range(300) for form in amounts("metres", chance)[0].forms}
    assert any(form.endswith("km") for form in seen)
    for _ in range(100):
        amount, _ = amounts("metres", chance)
        sizes = {
            round(float(form.split()[0]) * (1000 if "k" in form else 1), 3)
            for form in amount.forms
            if " " in form
        }
        assert sizes == {round(amount.size, 3)}


def test_frames_are_filled() -> None:
    text = fill("(The|The) {s}: {V}, {do}", {"s": "gate", "v": "open", "do": "go in"}, rng())
    assert text == "The gate: Open, go in"
    with pytest.raises(Unsayable):
        fill("{s} {v}", {"s": "gate"}, rng())


def test_a_writer_says_it_otherwise_when_asked_to() -> None:
    write = Writer(DOOR, rng())
    for _ in range(50):
        first = write.say("named", DOOR.values[0], DOOR.subjects[0])
        assert write.say("named", DOOR.values[0], DOOR.subjects[0], avoid=first) != first
    with pytest.raises(Unsayable):
        write.say("bare", DOOR.values[0], DOOR.subjects[0])


def test_a_qualifier_is_part_of_the_name() -> None:
    write = Writer(DOOR, rng())
    assert "back " in write.say("named", DOOR.values[0], DOOR.subjects[0], qualifier="back").lower()
    assert "no. 4" in write.say("named", DOOR.values[0], DOOR.subjects[0], qualifier="{s} no. 4")


def test_held_out_statements_are_not_said() -> None:
    phone = Topic("x", "state", (({"s": "phone"},),), DOOR.values)
    with pytest.raises(Unsayable):
        Writer(phone, rng()).say("named", phone.values[0], phone.subjects[0])


def test_amounts_are_said_with_the_frames_of_their_topic() -> None:
    topic = Topic("x", "amount", (({"s": "tea"},),), amount="money", frames={"named": ("{S} {v}",)})
    assert Writer(topic, rng()).say("named", Amount(2.0, ("2 €",)), topic.subjects[0]) == "Tea 2 €"


def test_reading_changes_letters_but_not_numbers() -> None:
    chance = rng()
    texts = [as_read("The tunnel is 2.5 m high", chance, share=1.0) for _ in range(300)]
    assert len(set(texts)) > 5
    assert all("2.5 m" in text.lower() for text in texts)
    words = [as_read("The door is locked", chance, share=1.0) for _ in range(300)]
    assert any("doo" in text and " " not in text for text in words) or any("isl" in text for text in words)
    assert any(text != text.replace("0", "o") for text in words)


def test_time_leads() -> None:
    assert at_time(TIMES[0], "Shop open") == "Yesterday: Shop open"
