"""Classes of wordings that no list holds: pairs that contradict each other, and pairs that do not."""

from __future__ import annotations

import pytest

from tests.unit.fast.claims.conftest import Judge

ALERT = 0.6


def contradicts(judge: Judge, one: str, other: str) -> bool:
    """Whether the rules raise an alert for the two texts."""
    return any(finding.confidence >= ALERT for finding in judge(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # What is there to have, and what is not.
        ("Subtitles available", "No subtitles"),
        ("Dutch spoken", "No Dutch spoken here"),
        ("Card games permitted", "No card games"),
        ("Towels: none", "Towels provided"),
        ("No rucksacks", "Rucksacks welcome"),
        # Small words inside a known phrase.
        ("The signal has been lost", "Signal ok"),
        # Days and parts of the day.
        ("Open every day", "Closed on Tuesdays"),
        ("Closed at weekends", "Open on Sunday"),
        ("No rain today", "Rain this afternoon"),
        # Times in words.
        ("Doors open at half past seven", "Doors open at 8:15"),
        # Which of several an order is about.
        ("Pull the green lever", "Pull the yellow lever"),
        # Reasons are no subjects, and pronouns stand for what was asked about.
        ("Closed for maintenance", "Come in, we're open!"),
        ("Searching for the lockers? They're on the left", "Lockers: on the right"),
        ("Beach free of snow", "Snow on the beach"),
        ("No right turn", "Turn right"),
        # Opposite predicates of any thing.
        ("Hinge intact", "Hinge damaged"),
        ("Compressor humming", "Compressor halted"),
        # Cases that overlap.
        ("Kiosk open until 20:00", "Kiosk closed from 18:00"),
        ("Open the hatch before descent", "Close the hatch before descent"),
        ("Risk level 3", "Risk level two"),
        # What is allowed or forbidden, and the order.
        ("Feeding the ducks is forbidden", "Please feed the ducks"),
        ("Overtaking allowed", "Do not overtake"),
        ("Lift the lid", "Do not lift the lid"),
        ("Crate 4: do not tilt", "You may tilt crate 4"),
        ("Do not open this hatch", "You may open the hatch"),
        # What has to be done, and what need not be.
        ("All visitors must register", "Registration not required"),
        ("Inspection required before use", "You need not inspect"),
        ("Guests must sign in", "Sign-in not necessary"),
        # Participles that begin with a noun.
        ("Parking brake applied", "Parking brake released"),
        ("Crates stacked", "Crates unstacked"),
        # What is passed for use.
        ("Crane withdrawn from service", "Crane released for operation"),
        ("Emergency stop pressed", "E-stop released"),
        # How often something is done.
        ("Toilets cleaned hourly", "Toilet cleaned once a day"),
        ("Filter replaced weekly", "Filter replaced every two years"),
        ("Calibrate twice a year", "Calibration: monthly"),
        # Which of several like quantities a number is.
        ("Test load 4 t", "Test load: 6 t"),
        ("Max. working pressure 10 bar", "Rated to 16 bar"),
        ("Lift: max 630 kg", "Lift rated for 1000 kg"),
        # What goes with a preposition is behind it.
        ("Visitors only with escort", "No escort needed"),
        # Meat that is named.
        ("Halal certified", "Contains pork"),
        ("Vegan", "Contains animal products"),
        # Freezing is another thing than storage.
        ("Suitable for freezing", "Do not freeze"),
        ("Keep frozen", "Do not freeze"),
        # Salt, sugar and scent that an adjective tells of.
        ("Unsalted", "With sea salt"),
        ("Unscented", "Perfumed"),
        ("Vegan cheese", "Contains milk"),
        # What only looks like a material.
        ("Made of leather", "Made of faux leather"),
        ("Real leather sofa", "Sofa: imitation leather"),
        # What there is none of, and how much of it.
        ("Free delivery", "Delivery fee €4.90"),
        ("2-year guarantee", "No warranty given"),
        ("No booking fee", "Booking fee €3"),
        ("Minimum order €20", "No minimum order"),
        # From which age it is for people.
        ("Over 18s only", "Suitable from age 6"),
        ("Fits ages 3-5", "Fits ages 10-12"),
        ("No under 16s", "Suitable from age 8"),
        ("PEGI 18", "Age 7+"),
        # What lasts until a day holds now.
        ("Shop closed until Monday", "The shop is open"),
        ("Offer valid until Sunday", "Offer has ended"),
        # How much a price is for.
        ("€2 each", "Price per piece: €1.20"),
        ("Price per kg: €5", "€3.50/kg"),
        ("€3 per kg", "€5 a kilo"),
        # A till is a counter, where it is no time.
        ("Till 3 open", "Till 3 closed"),
        ("Open till 8 pm", "Open till 6 pm"),
        # Few or many of it left.
        ("Only 2 left in stock", "Plenty in stock"),
        ("Only 3 left", "Sold out"),
        ("Sold out", "Add to basket"),
        # Offers of several for less.
        ("Buy one get one free", "No offers on this item"),
        ("3 for 2", "No multibuy on this range"),
        # What is in it of itself.
        ("No added sugar", "Sweetened with cane sugar"),
        ("Just 4 left", "Sold out"),
        # The whole, and parts of it.
        ("Lining: silk", "Lining: 100 % polyester"),
        # Further things that somebody is allergic to.
        ("Contains mustard", "Safe with a mustard allergy"),
        # Days that are excepted.
        ("Open daily except Monday", "Closed on Thursday"),
        # What a price includes.
        ("Price includes VAT", "Prices excl. VAT"),
        ("€49 incl. battery", "Battery excluded"),
        ("Breakfast included", "Excluding breakfast"),
        # How many there are, and how many are to come.
        ("320 points", "You have 280 points"),
        # To keep a state is an order not to end it.
        ("Leave the heater on", "Switch off the heater"),
        ("Please keep the hatch locked", "Unlock the hatch"),
        ("Do not turn off the lamp", "Turn off the lamp"),
        # Days that are taken out, and all but those that something is only for.
        ("Open daily except Mondays", "Open on Monday"),
        ("Open every day but Sunday", "Open on Sundays"),
        ("No parking except Sundays", "No parking on Sunday"),
        ("Museum open daily", "Museum open on weekends only"),
        # Orders of one time, and such as hold for now.
        ("Do not shake", "Shake before use"),
        ("Leave switched on after use", "Switch off after use"),
        ("No entry until further notice", "You may enter"),
        # Nobody and none, nothing left and some left.
        ("Nobody may enter", "You may enter"),
        ("None of the lockers are locked", "Locker 3 is locked"),
        ("Nothing is left in stock", "In stock"),
        ("Only 3 tickets left", "No tickets left"),
        # Half, and orders about voices and moving.
        ("Tank half full", "Tank empty"),
        ("Bus half empty", "Bus full"),
        ("Hold still", "Keep moving"),
        ("Speak up please", "Whisper please"),
        ("Server is down", "Server is working"),
        # Comparisons with the same thing, and plain opposites.
        ("Your opponent is stronger", "Your opponent is weaker than you"),
        ("The trail is less steep than before", "The trail is steeper than before"),
        ("This route is more expensive", "This route is cheaper"),
        ("The riddle is hard", "The riddle is easy"),
        # Bounds against values, levels and each other.
        ("Crate weighs less than 5 kg", "Crate weight: 8 kg"),
        ("Crate not heavier than 20 kg", "Crate weighs 25 kg"),
        ("Battery below 20 %", "Battery full"),
        ("Temperature above 30 °C", "Temperature 12 °C"),
        ("Alarm is deactivated", "Security system active"),
        # What lasts until a day holds now.
        ("Pool closed until Monday", "Pool is open"),
        ("Night mode on", "Night mode disabled"),
        ("Set the oven to 180 °C", "Set the oven to 220 °C"),
        # What has time left goes on.
        ("Dishwasher: 35 min remaining", "Dishwasher finished"),
        # Switched on or off, with a number before or a time behind.
        ("Socket 3 off", "Socket 3 is on"),
        ("Heating on until 22:00", "Heating is off"),
        ("Lamp on at night", "Lamp off at night"),
        # Orders in two parts, orders of more or less, and orders to leave things as they are.
        ("Turn the thermostat up", "Turn the thermostat down"),
        ("Lower the blinds", "Raise the blinds"),
        ("Reduce the pressure", "Turn the pressure up"),
        ("Switch the heater off", "Switch on the heater"),
        ("Keep the oven door shut", "Open the oven door"),
        ("Do not leave the tap open", "Leave the tap open"),
        ("Fan on its highest setting", "Fan on lowest setting"),
        ("Map update available", "Map up to date"),
        ("Smoke alarm OK", "Smoke alarm defective"),
        ("Do not leave the grill dirty", "Leave the grill dirty"),
        ("Rinse aid topped up", "No rinse aid left"),
        ("Porch lamp comes on at 18:00", "Porch lamp comes on at 20:00"),
        ("Countdown finished", "4 min 30 s to go"),
    ],
)
def test_contradictory(judge: Judge, one: str, other: str) -> None:
    assert contradicts(judge, one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Subtitles available", "With subtitles"),
        ("No towels in room 4", "Towels in room 5"),
        ("Late in the morning", "On time in the evening"),
        ("Open at weekends", "Closed on Monday"),
        ("Doors open at half past seven", "Doors open at 7:30"),
        ("Pull the green lever to start", "Pull the yellow lever to stop"),
        ("Free delivery over 30 €", "Delivery 3 € under 30 €"),
        ("90 kcal per 100 g", "180 kcal per 200 g"),
        ("Gate 4 for Oslo", "Gate 9 for Rome"),
        ("Adults pay 12 €", "Children welcome"),
        ("No right turn", "Turn left"),
        ("Desk 12 free", "Desk 14 available"),
        # What is narrower is an exception.
        ("No animals", "Service animals welcome"),
        ("No cycling", "Cycling allowed on the towpath"),
        ("Kiosk open until 18:00", "Kiosk closed from 18:00"),
        ("Vest compulsory above 40 knots", "Below 40 knots no vest required"),
        ("Open the hatch before descent", "Close the hatch after descent"),
        ("Risk level 3", "Level 2: canteen"),
        ("Children only with adult", "Children in group 4"),
        ("Lift the lid", "Do not lift the crate"),
        ("Toilets cleaned hourly", "Toilet cleaned every 60 minutes"),
        ("Filter cleaned weekly", "Filter replaced yearly"),
        ("Oil changed annually", "Oil level checked daily"),
        ("Ladder withdrawn from use", "Crane cleared for use"),
        ("All visitors must register", "No need to print the form"),
        ("Members need not register", "Register at the desk"),
        ("Feeding the ducks is forbidden", "Please feed the hens"),
        ("Do not unplug while charging", "You may unplug now"),
        ("Stacking prohibited", "Do not stack"),
        ("Maximum load 500 kg", "Current load 320 kg"),
        ("Working pressure 10 bar", "Test pressure 15 bar"),
        ("Rated load 2 t", "Breaking load 9 t"),
        ("Vegetarian", "Not suitable for vegans"),
        ("Halal", "Contains beef"),
        ("Keep refrigerated", "Do not freeze"),
        ("Store in a cool, dry place", "Wet floor"),
        ("Salted nuts", "Unsalted butter"),
        ("Sweetened with stevia", "No added sugar"),
        ("Faux leather", "Imitation leather"),
        ("Free shipping", "No delivery costs"),
        ("No booking fee", "Tickets €12"),
        ("No guarantee of delivery by Friday", "2 years guarantee"),
        ("Ages 8+", "Not suitable for children under 3"),
        ("Over 65s free", "Ages 3+"),
        ("From 36 months", "3 years and up"),
        ("Closed until Friday", "Friday open"),
        ("Not open until Friday", "Closed now"),
        ("Open Monday until Friday", "Closed on Saturday"),
        ("€2.40 each", "Box of 12: €24"),
        ("€3 per kg", "€0.30 per 100 g"),
        ("Till 3 open", "Till 4 closed"),
        ("Open till 8 pm", "Till 8 closed"),
        ("In stock", "Only 3 left"),
        ("200 items left in stock", "Well stocked"),
        ("Pick up in store only", "Sold out online"),
        ("Buy one get one free", "2 for the price of 1"),
        ("Members €5", "Non-members €7"),
        ("No added sugar", "Contains naturally occurring sugars"),
        ("Only 5 left in blue", "Red: sold out"),
        ("100% cotton", "Lining: 100% polyester"),
        ("Warranty: 5 years", "Battery warranty 2 years"),
        ("Contains sulphites", "Not suitable for sulphite allergy"),
        ("Open daily except Tuesday", "Closed on Tuesday"),
        ("Incl. breakfast", "Excl. city tax"),
        ("Delivery not included", "Excl. delivery"),
        ("You have 320 points", "180 points to the next reward"),
        ("Keep the hatch locked", "Lock the hatch"),
        ("Do not turn off the lamp", "Leave the lamp on"),
        ("Open daily except Mondays", "Closed on Monday"),
        ("Open on weekends only", "Closed on Monday"),
        ("Members only on Mondays", "Open on Tuesday"),
        ("First lock the hatch", "Then unlock the hatch"),
        ("Switch off after use", "Switch on before use"),
        ("Do not enter until called", "Enter when called"),
        ("Wait for the signal", "Then walk on"),
        ("Unplug after charging", "Battery not charging"),
        ("None of the lockers are locked", "Lockers unlocked"),
        ("Nobody may enter", "No entry"),
        ("Only 3 tickets left", "Exit on the right"),
        ("Tank half full", "Tank half empty"),
        ("Pull the blind down", "Blind working"),
        ("The stage is off limits", "The stage is lit"),
        ("The balloon is heavier than air", "The balloon is lighter than water"),
        ("The new drone is lighter", "New drone is not heavier"),
        ("Your opponent is stronger", "Your opponent is faster"),
        ("This room is smaller than the hall", "This room is larger than the office"),
        ("Lane 1 is faster", "Lane 2 is slower"),
        ("Weighs less than 5 kg", "Weight: 4 kg"),
        ("Not heavier than 20 kg", "Weighs 20 kg"),
        ("Battery below 20 %", "Battery low"),
        ("Keep below 25 °C", "Store at 4 °C"),
        # That something is switched off disarms no alarm.
        ("Turbo mode deactivated", "Alarm armed"),
        ("Fan is disabled", "Security system active"),
        # What one waits for is not yet so, and what ends on a day says nothing of it.
        ("Wait until the gate is open", "Gate closed"),
        ("Stand back until the lamp is off", "Lamp is on"),
        ("Closed until Monday", "Open on Monday"),
        # Modes and shifts are told apart by the half of the day.
        ("Night mode on", "Day mode off"),
        ("Night mode on", "Turbo mode off"),
        # What is set is to be reached.
        ("Set the oven to 180 °C", "Oven at 60 °C"),
        ("Oven timer: 10 minutes left", "Oven timer on the right"),
        ("Dishwasher: 35 min remaining", "Dishwasher running"),
        ("Tea almost ready", "Tea: 2 minutes left"),
        ("Socket 3 off", "Socket 2 on"),
        ("Heating on until 22:00", "Heating off from 22:00"),
        ("Lamp on at night", "Lamp off in the morning"),
        ("20 % off", "Lamp on"),
        ("Turn the fan down", "Fan in working order"),
        ("Blinds down", "Blinds in working order"),
        ("Switch the heater off", "Turn off the heater"),
        ("Do not leave the door open", "Close the door"),
        ("Keep closed", "Open the door"),
        ("Lower deck: cafe", "Upper deck: shop"),
        ("No updates available", "Software up to date"),
        ("Map update required", "Radio software up to date"),
        ("OK", "Elevator out of order"),
        ("Window OK", "Window closed"),
        # An order to clean is not said of what is clean.
        ("Clean filter now", "Filter is dirty"),
        ("Clean the tray", "Tray is dirty"),
        ("Plenty of salt left", "Salt on the right"),
        # What goes on at one time goes off at another.
        ("Porch lamp on at 18:00", "Porch lamp off at 23:00"),
        ("Boiler off from 22:00", "Boiler on from 6:00"),
        # An order to do something now is no state.
        ("Empty drip tray now", "Drip tray full"),
    ],
)
def test_compatible(judge: Judge, one: str, other: str) -> None:
    assert not contradicts(judge, one, other)
