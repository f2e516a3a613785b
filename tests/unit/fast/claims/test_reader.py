from __future__ import annotations

import pytest

from arwarden.fast.claims import ClaimReader


def claimed(reader: ClaimReader, text: str) -> set[tuple[str, str, str]]:
    """(subject, attribute, value) of all positive claims that are fairly sure."""
    return {
        (c.subject, c.attribute, c.value) for c in reader.claims(text) if c.polarity and c.strength > 0.55
    }


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "value"),
    [
        ("Restroom is on the right", "restroom", "direction", "right"),
        ("WC → left", "restroom", "direction", "left"),
        ("Turn right for Gate B12", "gate b12", "direction", "right"),
        ("The door has been locked!", "door", "lock", "locked"),
        ("Door not locked", "door", "lock", "unlocked"),
        ("Door is not unlocked", "door", "lock", "locked"),
        ("We are no longer open", "", "opening", "closed"),
        ("Closed on Sundays", "", "opening.sunday", "closed"),
        ("Open 9 am - 5 pm", "", "hours", "09:00-17:00"),
        ("No smoking", "smoking", "permission", "forbidden"),
        ("Thank you for not smoking", "smoking", "permission", "forbidden"),
        ("Parking is not prohibited", "parking", "permission", "allowed"),
        ("No permission to park", "parking", "permission", "forbidden"),
        ("Park in row C", "row c parking", "permission", "allowed"),
        ("You may park here", "parking", "permission", "allowed"),
        ("Wheelchair Not Accessible", "", "accessible", "inaccessible"),
        ("Light on", "light", "power", "on"),
        ("Turn off the lamp", "light", "power.command", "off"),
        ("Laptop charge completed!", "laptop", "battery", "full"),
        ("Battery 15%", "", "battery", "15 %"),
        ("Parking lot full", "parking", "fill", "full"),
        ("Restroom is free", "restroom", "fill", "available"),
        ("Water 50 °F", "water", "temperature", "10 °C"),
        ("Turn 180 degrees", "", "direction", "back"),
        ("Tilt by 30 degrees", "", "angle", "30 °"),
        ("Danger: high voltage", "", "hazard_class", "high voltage"),
        ("Price: 4.99 €", "", "price", "4.99 EUR"),
        ("Was $20, now $10", "", "price.old", "20.00 USD"),
        ("Was $20, now $10", "", "price.sale", "10.00 USD"),
        ("50 % off", "", "discount", "50 %"),
        ("Entry is free", "entry", "price", "0.00"),
        ("Weight: 400 g", "", "weight", "400 g"),
        ("Print the list", "list print", "instruction", "do"),
        ("Lift the lid", "lid lift", "instruction", "do"),
        ("Distance: 400 m", "distance", "distance", "400 m"),
        ("Max 3 people", "people", "quantity.max", "3"),
        ("Museum 1.5 km", "museum", "distance", "1500 m"),
        ("Max stay 2 hours", "", "stay.max", "7200 s"),
        ("Park up to 4 hours", "", "stay.max", "14400 s"),
        ("Slope 3 %", "", "gradient", "3 %"),
        ("Tour lasts 45 min", "tour", "duration", "2700 s"),
        ("800 m remaining", "", "arrival", "continue"),
        ("Was level 2", "", "floor.past", "2"),
        ("Departure 10:30", "", "departure time", "10:30"),
        ("Last bus leaves 00:40", "last bus", "departure time", "00:40"),
        ("Ferry leaves 10:15", "ferry", "departure time", "10:15"),
        ("ETA 14:40", "", "arrival time", "14:40"),
        ("Gates close 18:45", "gate", "closing time", "18:45"),
        ("Best before 12 May 2025", "", "expiry date", "2025-05-12"),
        ("Keep no longer than 12 May 2025", "", "expiry date", "2025-05-12"),
        ("Meeting on Monday", "meeting", "weekday", "monday"),
        ("Cafe on the 2nd floor", "cafe", "floor", "2"),
        ("Seat 14C", "", "seat", "14C"),
        ("Radiology, level 2", "radiology", "floor", "2"),
        ("Radiology \u2013 level 2", "radiology", "floor", "2"),
        ("Heavy rain", "", "weather", "rain"),
        ("Nut-free", "nut", "presence", "absent"),
        ("Contains milk, eggs and almonds", "almond", "presence", "present"),
        ("Contains almonds", "nut", "presence", "present"),
        ("Vegan", "egg", "presence", "absent"),
        ("Made in the Netherlands", "", "origin", "Netherlands"),
        ("Product of Holland", "", "origin", "Netherlands"),
        ("French product", "", "origin", "France"),
        ("Made in Paris", "", "origin", "France"),
        ("You have arrived", "", "arrival", "arrived"),
        ("No Wi-Fi connection", "", "connection", "disconnected"),
        ("Elevator, out of order", "elevator", "function", "broken"),
        ("Server down", "server", "function", "broken"),
        ("Junction clear", "junction", "road", "passable"),
        ("Bus 14 to the harbour", "", "value.14 bus to", "harbour"),
        ("Helmet required", "helmet", "requirement", "required"),
        ("The bridge is unstable", "bridge", "property", "unstable"),
        ("Shirt made of cotton", "shirt", "material", "cotton"),
    ],
)
def test_what_a_text_claims(reader: ClaimReader, text: str, subject: str, attribute: str, value: str) -> None:
    assert (subject, attribute, value) in claimed(reader, text)


@pytest.mark.parametrize(
    ("damaged", "subject", "attribute", "value"),
    [
        ("Thedoorhasbeenlocked!", "door", "lock", "locked"),
        ("YouArrived!", "", "arrival", "arrived"),
        ("Caution:Biohazard", "", "hazard_class", "biohazard"),
        ("MadeintheNetherlands", "", "origin", "Netherlands"),
        ("Made in the\nNether-\nlands", "", "origin", "Netherlands"),
        ("Wheelchair Not\nAccessible", "", "accessible", "inaccessible"),
        ("D00r c1osed", "door", "opening", "closed"),
        ("rnade in France", "", "origin", "France"),
        ("RESTROOM ON THE RIGHT", "restroom", "direction", "right"),
        ("Departure 1O:30", "", "departure time", "10:30"),
        ("Room204", "", "room", "204"),
        ("Smoking is prohibted", "smoking", "permission", "forbidden"),
    ],
)
def test_reads_through_damage(
    reader: ClaimReader, damaged: str, subject: str, attribute: str, value: str
) -> None:
    assert (subject, attribute, value) in claimed(reader, damaged)


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Is the door locked?", "lock"),
        ("If the door is locked, ring the bell", "lock"),
        ("The shop was closed", "opening"),
        ("Only 3 left in stock", "direction"),
        ("Your answer is right", "direction"),
        ("All rights reserved", "direction"),
        ("Hot deals", "temperature"),
        ("Special offer: 50% off", "power"),
        ("Do not forget to lock the door", "lock"),
        ("Italian restaurant", "origin"),
        ("Slide left to unlock", "direction"),
        ("Print room", "instruction"),
        ("Print room", "room"),
        ("Press office", "instruction"),
        ("Test pressure 15 bar", "instruction"),
        ("Operating pressure 15 bar", "power"),
        ("Filter replaced weekly", "instruction"),
        ("No service due until autumn", "connection"),
        ("Pack of 6: €7.20", "instruction"),
        ("Deposit €0.25", "instruction"),
        ("Contains soy", "plant"),
        ("Farmed salmon", "animal"),
        ("No charge to park", "permission"),
        ("No drop-off", "power"),
        ("Two stops left", "direction"),
        ("Barrier down", "function"),
        ("Clear night", "road"),
        ("Parking full", "moon"),
        ("Alight on the left", "body part"),
        ("The car is red", "waters"),
        ("No fee for entry", "permission"),
        ("Parked in row C", "permission"),
        ("Ferry leaves 10:15", "instruction"),
        ("Lift in 80 m", "instruction"),
    ],
)
def test_what_is_not_claimed(reader: ClaimReader, text: str, attribute: str) -> None:
    assert attribute not in {c.attribute for c in reader.claims(text) if c.strength > 0.55}


def test_denied_direction_and_new_one(reader: ClaimReader) -> None:
    claims = reader.claims("Do not turn left, turn right")
    assert ("left", False) in {(c.value, c.polarity) for c in claims if c.attribute == "direction"}
    assert ("right", True) in {(c.value, c.polarity) for c in claims if c.attribute == "direction"}


def test_two_destinations_in_one_text(reader: ClaimReader) -> None:
    assert {("restroom", "direction", "left"), ("exit", "direction", "right")} <= claimed(
        reader, "Restroom left, Exit right"
    )
    assert {("restroom", "direction", "left"), ("exit", "direction", "right")} <= claimed(
        reader, "Left: Restroom\n\nRight: Exit"
    )


def test_design_is_not_origin(reader: ClaimReader) -> None:
    found = claimed(reader, "Designed in California, made in China")
    assert ("", "origin", "China") in found
    assert ("", "origin.design", "United States") in found


def test_bare_numbers_are_doubted(reader: ClaimReader) -> None:
    assert all(claim.strength <= 0.6 for claim in reader.claims("5 m"))
    assert all(claim.strength <= 0.6 for claim in reader.claims("2.99 €"))


def test_damage_lowers_strength(reader: ClaimReader) -> None:
    sound, damaged = reader.claims("Door closed")[0], reader.claims("Door c1osed")[0]
    assert damaged.value == sound.value
    assert damaged.strength < sound.strength


def test_span_is_the_clause_as_read(reader: ClaimReader) -> None:
    assert reader.claims("Hello! The Door has\nbeen locked.")[0].span == "The Door has been locked"


def test_strongest_first_and_stable(reader: ClaimReader) -> None:
    claims = reader.claims("Restroom on the right, 5 m")
    assert [c.strength for c in claims] == sorted((c.strength for c in claims), reverse=True)
    assert reader.claims("Restroom on the right, 5 m") == claims


@pytest.mark.parametrize("text", ["", " \n", "???", "→", "12", "Hello world", "\x00\x07", "مخرج الطوارئ"])
def test_says_nothing_sure_about_nothing(reader: ClaimReader, text: str) -> None:
    assert all(claim.strength < 1.0 or claim.attribute == "direction" for claim in reader.claims(text))
