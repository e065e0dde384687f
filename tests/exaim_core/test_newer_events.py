"""An alarm on an event of which the end was said is told with both; what only looks like an end leaves it as it was."""

from __future__ import annotations

import pytest

from exaim_core.claims.bodily import Function, changes
from exaim_core.schema import Cite, SpokenItem, SpokenKind
from exaim_core.text.names import Names
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence
from exaim_core.words.newer_events import NewestEvents
from tests.exaim_core.test_newer import told
from tests.exaim_core.test_whose_words import played


@pytest.mark.parametrize(
    ("turns", "heard"),
    [
        (
            (
                ("nurse", "He's not breathing!"),
                ("registrar", "Mask on."),
                ("medic", "He's breathing again, rate 14."),
            ),
            "Check, the nurse: he's not breathing; since then the medic: he's breathing again.",
        ),
        (  # words without a name are of what failed last
            (
                ("nurse", "Quick, she's fitting."),
                ("registrar", "Lorazepam in."),
                ("registrar", "It's stopping… it's stopped."),
            ),
            "Check, the nurse: quick, she's fitting; since then the registrar: it's stopped.",
        ),
        (  # who speaks of his own event is not named again
            (
                ("nurse", "He's unresponsive."),
                ("registrar", "Glucose in."),
                ("nurse", "He's awake and asking for tea."),
            ),
            "Check, the nurse: he's unresponsive; since then he's awake and asking for tea.",
        ),
        (  # an emergency that is told by its name
            (
                ("nurse", "VF on the monitor!"),
                ("registrar", "Shock delivered."),
                ("registrar", "Back in sinus, good pressure."),
            ),
            "Critical, from the nurse: ventricular fibrillation; since then the registrar: back in sinus.",
        ),
        (
            (
                ("nurse", "She's bleeding out from the groin."),
                ("registrar", "Clamp."),
                ("registrar", "Got it, field's dry."),
            ),
            "Check, the nurse: she's bleeding out from the groin; since then the registrar: got it.",
        ),
        (  # a return of the pulse ends an arrhythmia too
            (("nurse", "She's gone into VT."), ("registrar", "Shock."), ("registrar", "ROSC at 21:14.")),
            "Check, the nurse: she's gone into VT; since then the registrar: ROSC at 21:14.",
        ),
    ],
)
async def test_an_event_is_told_with_its_end(turns: tuple[tuple[str, str], ...], heard: str) -> None:
    assert heard in told(await played(*turns))


async def test_a_measure_and_vague_words_belong_to_the_event_that_they_answer() -> None:
    heard = told(
        await played(
            ("nurse", "Doctor, he's not breathing. He's stopped."),
            ("registrar", "Bag him."),
            ("medic", "He's breathing again."),
        )
    )
    assert [("since then the medic: he's breathing again" in each) for each in heard] == [True, True, True]


@pytest.mark.parametrize(
    "later",
    [
        "Still not breathing.",
        "He's breathing? No.",
        "If he's breathing again, leave the tube.",
        "Tell me when he's breathing again.",
        "Agonal breaths only.",
        "He's breathing, but agonal.",
        "Breathing tube, size eight.",
        "His brother is breathing again.",
        "Is he breathing again?",
        "I hope he's breathing again soon.",
        "He might be breathing again.",
        "It'd only stop his breathing again.",
        "He was breathing on his own in the ambulance.",
        "The other twin is crying.",
        "Sats are coming up.",  # with a bag they do
        "Chest's moving.",
        "The fit has stopped.",  # of another function
        "Bleeding's under control.",
    ],
)
async def test_what_is_no_return_leaves_an_alarm_as_it_was(later: str) -> None:
    heard = told(await played(("nurse", "He's not breathing."), ("registrar", later)))
    assert "Check, the nurse: he's not breathing." in heard


@pytest.mark.parametrize(
    "later",
    ["He's stopped breathing again.", "No, he isn't.", "That's agonal.", "Apnoeic again."],
)
async def test_a_failure_behind_the_return_makes_the_alarm_stand(later: str) -> None:
    heard = told(
        await played(
            ("nurse", "He's not breathing."), ("registrar", "He's breathing again."), ("nurse", later)
        )
    )
    assert "Check, the nurse: he's not breathing." in heard


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        ("He has no pulse.", ("In the next bay, she has a pulse now.",)),
        ("He has no pulse.", ("There's a pulse in the foot in the other casualty.",)),
        ("He has no pulse.", ("I can feel a pulse with compressions.",)),
        ("Can't ventilate.", ("Tube's in.", "No CO2, it's in the oesophagus.")),
        ("Can't ventilate.", ("Tube's in.", "The trace is flat.")),
    ],
)
async def test_what_is_anothers_or_made_or_fails_is_no_return(failed: str, later: tuple[str, ...]) -> None:
    heard = told(await played(("nurse", failed), *(("registrar", each) for each in later)))
    assert all("since then" not in each for each in heard)


async def test_what_is_only_feared_is_no_failure() -> None:
    heard = told(
        await played(
            ("nurse", "He's not breathing."),
            ("registrar", "He's breathing again."),
            ("medic", "If he stops breathing again, tube him before he flies."),
        )
    )
    assert "Check, the nurse: he's not breathing; since then the registrar: he's breathing again." in heard


async def test_an_event_that_comes_again_alarms_again() -> None:
    turns = (("nurse", "He's not breathing."), ("registrar", "He's breathing again."))
    again = told(await played(*turns, ("nurse", "He's stopped breathing again.")))
    assert "Check, the nurse: he's stopped breathing again." in again
    assert len(told(await played(*turns, ("medic", "He was not breathing for a minute.")))) == 1


def stated(agent_id: str, text: str, seq: int) -> Sentence:
    """Return a sentence of one delta."""
    source = Source(agent_id, seq, seq, float(seq))
    return Sentence(
        text, Section.OTHER, "", None, opens=True, listed=False, bolds=(), line_no=seq, source=source
    )


def test_a_return_that_was_unsaid_leaves_the_alarm_as_it_was() -> None:
    events = NewestEvents()
    alarm = SpokenItem(
        item_id="0001.1",
        kind=SpokenKind.CRITICAL,
        text="Check, the nurse: he's not breathing.",
        critical_key="words:respiratory arrest",
        agents=("nurse",),
        cites=(Cite(agent_id="nurse", first_seq=1, last_seq=1),),
    )
    events.read(stated("nurse", "He's not breathing.", 1))
    events.read(stated("registrar", "He's breathing again.", 2))
    [newer] = events.changed([alarm], Names())
    assert newer.text.endswith("; since then the registrar: he's breathing again.")
    assert newer.eased
    assert events.changed([alarm], Names()) == []
    events.unsay("registrar", 2)
    assert [each.text for each in events.changed([alarm], Names())] == [""]


@pytest.mark.parametrize(
    ("text", "function"),
    [
        ("We've got a pulse.", Function.CIRCULATION),
        ("A palpable pulse has returned.", Function.CIRCULATION),
        ("Strong carotid now.", Function.CIRCULATION),
        ("She's come round.", Function.CONSCIOUSNESS),
        ("GCS 15 again.", Function.CONSCIOUSNESS),
        ("Seizure terminated after lorazepam.", Function.SEIZURE),
        ("No further seizure activity.", Function.SEIZURE),
        ("Haemostasis achieved.", Function.BLEEDING),
        ("Airway's clear now.", Function.AIRWAY),
        ("Tube's back in, good trace.", Function.AIRWAY),
        ("Sats are coming up.", Function.OXYGEN),
        ("Baby's out.", Function.BIRTH),
        ("Cardioverted.", Function.RHYTHM),
    ],
)
def test_a_return_is_of_one_function(text: str, function: Function) -> None:
    assert function in {each.function for each in changes(text) if each.back}


@pytest.mark.parametrize(
    "text",
    [
        "No ROSC yet.",
        "Without a pulse back in two minutes we stop.",
        "Good pulse oximeter trace needed.",
        "Same top and bottom, good pulses.",
        "Not in sinus.",
        "Sinus pause of four seconds.",
        "The bleeding won't stop.",
        "The bleeding has almost stopped.",
        "The seizure has not stopped.",
        "When the seizure has stopped, scan her.",
        "Her sister's seizure stopped by itself.",
        "Fit stopped for twenty seconds and started again.",
        "He's for an awake intubation.",
        "Nobody thinks she's awake.",
        "Bed 5 is awake.",
        "After ROSC, cool him.",
        "Check he has a pulse.",
        "The airway is not open.",
        "She'd be awake by now.",
    ],
)
def test_what_looks_like_a_return_is_none(text: str) -> None:
    every = frozenset({Function.BREATHING, Function.SEIZURE, Function.BLEEDING, Function.CIRCULATION})
    assert [each for each in changes(text, every) if each.back] == []


@pytest.mark.parametrize(
    ("first", "back", "alarms"),
    [
        ("VT on the monitor!", "Good pulse now.", 2),
        ("VT on the monitor!", "Back in sinus, good pressure.", 2),
        ("VF on the monitor!", "He's talking.", 2),
        ("VT on the monitor!", "The fit has stopped.", 1),
        ("VT on the monitor!", "Check he has a pulse.", 1),
    ],
)
async def test_an_event_ended_by_its_own_return_or_a_pulse_alarms_again(
    first: str, back: str, alarms: int
) -> None:
    turns = (("nurse", first), ("registrar", back), ("nurse", first))
    items = [each.text for update in await played(*turns) for each in update.items if each.critical_key]
    assert len(items) == alarms, items


@pytest.mark.parametrize(
    ("said", "kind", "back", "eased"),
    [
        ("complete heart block", "complete heart block", "He's talking.", False),
        ("complete heart block", "complete heart block", "Back in sinus.", True),
        ("VT on the monitor", "ventricular tachycardia", "Good pulse now.", False),
        ("VT on the monitor", "ventricular tachycardia", "Cardioverted.", True),
        ("he's not breathing", "respiratory arrest", "He's breathing again.", True),
    ],
)
def test_an_alarm_is_eased_only_by_the_return_of_its_own_function(
    said: str, kind: str, back: str, eased: bool
) -> None:
    events = NewestEvents()
    alarm = SpokenItem(
        item_id="0001.1",
        kind=SpokenKind.CRITICAL,
        text=f"Check, the nurse: {said}.",
        critical_key=f"words:{kind}",
        agents=("nurse",),
        cites=(Cite(agent_id="nurse", first_seq=1, last_seq=1),),
    )
    events.read(stated("nurse", f"{said}.", 1))
    events.read(stated("registrar", back, 2))
    [newer] = events.changed([alarm], Names())
    assert "since then the registrar" in newer.text
    assert newer.eased is eased
    events.read(stated("registrar", "He has a pulse.", 3))
    assert all(each.eased is eased for each in events.changed([alarm], Names()))


async def test_an_event_that_comes_again_is_told_under_a_key_of_its_own() -> None:
    turns = (("nurse", "He's not breathing."), ("registrar", "He's breathing again."))
    twice = (*turns, ("nurse", "He's stopped breathing again."))
    updates = await played(*twice, turns[1], twice[2], ("medic", "He's not breathing."))
    keys = [each.critical_key for update in updates for each in update.items if each.critical_key]
    assert keys == [f"words:respiratory arrest{count}" for count in ("", "#2", "#3")]
    board = updates[-1].board
    assert board is not None
    assert [each.key for each in board.criticals] == [keys[-1]]
    again = [each for update in await played(*twice) for each in update.items if each.critical_key]
    assert [each.critical_key for each in again] == keys[:2], "a replay gives the same keys"


async def test_an_event_that_is_only_said_again_has_the_key_that_was_told() -> None:
    turns = (("nurse", "He's not breathing."), ("medic", "He's not breathing."))
    keys = [each.critical_key for update in await played(*turns) for each in update.items]
    assert [each for each in keys if each] == ["words:respiratory arrest"]


async def test_a_value_that_comes_again_is_told_under_a_key_of_its_own_and_has_its_newest_value() -> None:
    course = (6.9, 4.5, 6.9, 4.4)
    updates = await played(*(("nurse", f"Potassium is now {value} mmol/L.") for value in course))
    keys = [each.critical_key for update in updates for each in update.items if each.critical_key]
    assert keys == ["potassium=6.9", "potassium=6.9#2"]
    assert {each.critical_key for update in updates for each in update.newer if each.eased} == {*keys}
