"""The second look at an alarm: what it has a doubt about, and what is told then."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from exaim_core import EXAIM, Delta, SpokenItem
from exaim_core.grounding import values_seen
from exaim_core.grounding.alarms import told_words
from exaim_core.grounding.values_seen import Doubt, doubt_about, doubt_about_event
from exaim_core.words.summarizer import Draft, LexicalSummarizer, SummaryRequest


async def told(text: str) -> list[SpokenItem]:
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item for update in updates for item in update.items]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("Potassium 6.9 mmol/L.", "Potassium", "6.9 mmol/L"),
        ("The potassium has now risen to 6.9.", "potassium", "6.9"),
        ("Labs: Na 138, K 6.9, Cr 210.", "K", "6.9"),
        ("The potassium was 4.1 a year ago and is 6.9 today.", "potassium", "6.9"),
        ("The donor is well; the recipient's potassium is 6.9.", "potassium", "6.9"),
        ("It is urgent, potassium 6.9 mmol/L.", "potassium", "6.9 mmol/L"),
        ("[e02 18:09 imp 10] pH 7.08, bicarbonate 7.", "pH", "7.08"),
        ("02:20 Formal Hb 58.", "Hb", "58"),
        ("She's breathing at 44.", "breathing", "44"),
        ("Septic shock, 2 L given -> lactate 6.2.", "lactate", "6.2"),
        ("This is serious, K 6.9.", "K", "6.9"),
        ("It's an emergency, potassium 6.9.", "potassium", "6.9"),
        ("Labs show potassium 6.9 mmol/L.", "potassium", "6.9 mmol/L"),
        ("A fit at a sodium of 112 needs no lesion.", "sodium", "112"),
        ("To the cardiologist: The digoxin level is 4.2.", "digoxin", "4.2"),
        ("Unfortunately the potassium is 6.9.", "potassium", "6.9"),
        ("K back: 6.9", "K", "6.9"),
        ("Please note potassium 6.9.", "potassium", "6.9"),
        ("Given the potassium of 6.9, give calcium.", "potassium", "6.9"),
        ("POC glucose 1.4.", "glucose", "1.4"),
        ("Fingerstick glucose 1.4.", "glucose", "1.4"),
        ("He is hypotensive with a BP of 60/30.", "BP", "60/30"),
    ],
)
def test_a_name_and_its_number_that_stand_together_plainly_are_this_patients_now(
    text: str, name: str, value: str
) -> None:
    assert doubt_about(text, name, value) in {None, Doubt.UNREAD}
    assert "a year" in text or doubt_about(text, name, value) is None


@pytest.mark.parametrize(
    ("text", "name", "value", "above"),
    [
        ("The fax shows a potassium of 6.9 under her name, another patient's.", "potassium", "6.9", ()),
        ("Ketoacidosis in 2019, potassium went to 2.4.", "potassium", "2.4", ()),
        ("Ketoacidosis once, potassium fell to 2.4 then.", "potassium", "2.4", ()),
        ("The target potassium is 6.9.", "potassium", "6.9", ()),
        ("A systolic drop of 24 mmHg.", "systolic", "24 mmHg", ()),
        ("Sodium 116 is the number to hold until nine.", "Sodium", "116", ()),
        ("Score: male, surgery, Ca = 4.", "Ca", "4", ()),
        ("Potassium 6.9 mmol/L.", "Potassium", "6.9 mmol/L", ("His brother",)),
        ("Potassium 2 bath.", "Potassium", "2", ()),
    ],
)
def test_a_value_of_somebody_else_of_then_or_of_none_is_elsewhere(
    text: str, name: str, value: str, above: tuple[str, ...]
) -> None:
    assert doubt_about(text, name, value, above) is Doubt.ELSEWHERE


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("BP 98/60 lying, 74/46 standing.", "BP", "74/46"),
        ("lactate: 4-point-4 mmol/L", "lactate", "4 mmol/L"),
        ("Collapsed on arrival, SBP 74.", "SBP", "74"),
        ("If that holds, potassium 6.9 needs dialysis.", "potassium", "6.9"),
        ("Lactate 7.4 in the ambulance.", "lactate", "7.4"),
        ("Potassium 6.8, 5.1 two hours later.", "potassium", "6.8"),
        ("Glucose 2.1 at six, two tubes of gel, then up to 5.", "Glucose", "2.1"),
        ("Glucose 2.1, and two tubes of gel brought it back up to 5.", "Glucose", "2.1"),
        ("Yesterday: haemoglobin 58.", "haemoglobin", "58"),
        ("No, that's R1, the hypo, sugar 1.9.", "sugar", "1.9"),
        ("That is the hypo, sugar 1.9.", "sugar", "1.9"),
        ("That's Mr Brown, sugar 1.9.", "sugar", "1.9"),
        ("It is an old man, sugar 1.9.", "sugar", "1.9"),
        ("3 May: lithium 2.9.", "lithium", "2.9"),
        ("That's how they come back with a fever of 41.", "fever", "41"),
        ("They come back with a fever of 41.", "fever", "41"),
        ("We come back at a potassium of 6.9.", "potassium", "6.9"),
        ("No bicarbonate, whatever the night team suggests at pH 7.1.", "pH", "7.1"),
        ("pH 7.04, and our gas machine says lactate 14.", "lactate", "14"),
        ("Potassium 6.9: whoever pasted that, it's the lady in resus 4.", "Potassium", "6.9"),
        ("Sodium 18:00 106.", "Sodium", "106"),
        (">>>>>> RESULT Na 118", "Na", "118"),
    ],
)
def test_what_stands_beside_a_value_and_is_not_known_is_a_doubt(text: str, name: str, value: str) -> None:
    assert doubt_about(text, name, value) is Doubt.UNREAD


@pytest.mark.parametrize(
    "text", ["SpO2 below 88% or stridor at rest: dexamethasone", "Watch for airway obstruction"]
)
def test_an_emergency_that_is_a_trigger_has_not_happened(text: str) -> None:
    assert doubt_about_event(text) is Doubt.ELSEWHERE


async def test_a_fever_that_others_come_back_with_is_told_in_its_words() -> None:
    [item] = [item for item in await told("They come back with a fever of 41.\n") if item.critical_key]

    assert item.text == "Check, Doctor One: they come back with a fever of 41."


async def test_a_doubted_alarm_is_told_in_the_agents_own_words_as_early() -> None:
    [item] = [item for item in await told("BP 98/60 lying, 74/46 standing.\n") if item.critical_key]

    assert item.text == "Check, Doctor One: BP 98/60 lying, 74/46 standing."
    assert item.urgency == "critical"


async def test_an_event_in_one_word_is_told_in_its_whole_sentence() -> None:
    [item] = [item for item in await told("She has just fitted for two minutes.\n") if item.critical_key]

    assert item.text.startswith("Check, Doctor One: she has just fitted for")


async def test_what_stands_under_impression_and_is_no_view_differs_from_nothing() -> None:
    said = "### Impression\nNot a stroke.\n"
    assert not any("leads" in item.text or "differs" in item.text for item in await told(said))


async def test_a_value_of_another_patient_raises_no_alarm_and_is_told_at_once() -> None:
    items = await told("The fax shows a K of 6.8 under her name but that is another resident.\n")

    assert not any(item.critical_key for item in items)
    assert [item.presses for item in items if "6.8" in item.text] == [True]


async def test_that_a_calcium_is_adjusted_is_said_only_where_it_was() -> None:
    [item, *_] = await told("Calcium is 3.9 mmol/L.\n")

    assert "adjusted" not in item.text


def test_the_second_reader_imports_nothing_of_the_project() -> None:
    tree = ast.parse(Path(values_seen.__file__).read_text(encoding="utf-8"))
    modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any(module.startswith(("exaim_core", "agents", "lib", "app")) for module in modules)


def test_the_name_of_a_disease_is_no_odd_label() -> None:
    said = "Digoxin toxicity: nausea and bradycardia, a digoxin level of 4.8 ng/mL, and clarithromycin since last week."
    assert doubt_about(said, "digoxin level", "4.8") is None
    assert doubt_about("Bath: potassium 2 today, she says.", "potassium", "2") is not None


def test_words_told_in_an_alarms_place_end_where_a_sentence_may() -> None:
    assert told_words("Her potassium in clinic was 6.9, and the", "6.9") == "Her potassium in clinic was 6.9"


def test_the_patients_own_name_and_what_one_came_back_with_state_a_value() -> None:
    assert doubt_about("Mrs Smith's potassium is 6.9.", "potassium", "6.9", patient="Mrs Smith") is None
    assert doubt_about("Mr Kaye's potassium is 6.9.", "potassium", "6.9", patient="Mrs Smith") is Doubt.UNREAD
    assert doubt_about("She came back with a potassium of 6.9.", "potassium", "6.9") is None
    assert doubt_about("They come back with a potassium of 6.9.", "potassium", "6.9") is Doubt.UNREAD


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("BP then was 70/40.", "BP", "70/40"),
        ("If stopped suddenly: fever of 41.", "fever", "41"),
    ],
)
def test_what_was_or_would_be_is_no_value_of_now(text: str, name: str, value: str) -> None:
    assert doubt_about(text, name, value) is Doubt.ELSEWHERE


async def test_a_value_behind_a_sentence_of_then_is_told_with_it() -> None:
    [item] = [
        each for each in await told("Third collapse since May. BP 70/40, no rash.") if each.critical_key
    ]
    assert item.text == "Check, Doctor One: third collapse since May. BP 70/40, no rash."
    assert doubt_about("BP 70/40 now.", "BP", "70/40", earlier="Third collapse since May.") is None


LONG = (
    "I am less comfortable with more fluids: you haven't said so, but if you are implying a third litre, I'd prefer "
    "noradrenaline instead, since the lactate of 5.2 hasn't moved."
)


async def test_a_value_in_words_too_long_to_be_told_beside_a_condition_is_to_be_looked_up() -> None:
    assert [item.text for item in await told(LONG) if item.critical_key] == [
        "Check on the page: lactate 5.2, from Doctor One."
    ]


class RefusesItsFirst(LexicalSummarizer):
    """Refuses all items of its first draft."""

    refused = False

    async def summarise(self, request: SummaryRequest) -> Draft:
        draft = await super().summarise(request)
        first, self.refused = not self.refused, True
        return replace(draft, items=()) if first else draft


async def test_an_alarm_that_could_not_be_told_is_told_when_somebody_else_gives_the_value() -> None:
    exaim = EXAIM(summarizer=RefusesItsFirst())
    items = list[SpokenItem]()
    for number, agent in enumerate(("doctor1", "doctor2", "doctor1")):
        said = Delta(agent, "The lactate is 5.2 mmol/L.", 2 * number, 20.0 * number)
        updates = (*await exaim.feed(said), *await exaim.turn_end(agent, 2 * number + 1, 20.0 * number + 0.5))
        items += [item for update in updates for item in update.items if item.critical_key]
    assert [item.text for item in items] == ["Critical, from Doctor Two: lactate 5.2 mmol/L."]


@pytest.mark.parametrize(
    ("text", "alarms"),
    [
        ("71F bed 14, HR 38.", ["Check, Doctor One: 71F bed 14, HR 38."]),
        ("Mr Abara in bed 6: HR 38.", ["Check, Doctor One: Mr Abara in bed 6: HR 38."]),
        ("Patient in bay 2, Mr Cole, pH 6.98.", ["Check, Doctor One: patient in bay 2, Mr Cole, pH 6.98."]),
        ("Bed 6 has a potassium of 6.9 mmol/L.", []),
        ("The patient in bed 6 has a potassium of 6.9.", []),
    ],
)
async def test_who_is_presented_with_a_bed_may_be_the_patient(text: str, alarms: list[str]) -> None:
    assert [item.text for item in await told(text) if item.critical_key] == alarms


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("Sats of 80 are usual for him.", False),
        ("Sats 80 % is his normal.", False),
        ("Sats of 80 are not usual for him.", True),
        ("BP 165/100 in pregnancy means treatment.", False),
        ("BP 172/114 in pregnancy, needs labetalol now.", True),
        ("He has a glass eye, the left pupil is fixed.", False),
        ("Left pupil is fixed, he has a glass eye.", False),
        ("He has a glass eye on the right, the left pupil is fixed.", True),
        ("Creatinine 920 as always, dialysis Monday.", False),
        ("Potassium 7.2, as usual nobody called us.", True),
        ("K 7.4 ?haemolysed.", True),
        ("K 7.4 (?haemolysed).", True),
        ("K 7.4 haemolysed.", False),
        ("WCC 0.3, neuts 0.1.", True),
        ("Digoxin level 3.4 micrograms/L.", True),
        ("He has a glass eye and both his pupils are fixed.", True),
    ],
)
async def test_what_is_usual_a_rule_or_of_a_glass_eye_is_no_alarm(text: str, stands: bool) -> None:
    assert any(item.kind == "critical" for item in await told(text)) == stands


async def test_what_would_follow_a_doubt_and_a_later_value_are_told_with_it() -> None:
    for text in (
        "PH 7.02 would mean intubation.",
        "K 7.4 ?haemolysed.",
        "Hb 48 at the referring hospital, 91 here after four units.",
        "BP 62/30 with the cuff over the drip, 118/70 on the other arm.",
    ):
        assert f"Check, Doctor One: {text}".lower() in [item.text.lower() for item in await told(text)]


async def test_an_amount_behind_a_value_is_no_later_value() -> None:
    (alarm, *_) = await told("Glucose 2.1 and sweating, 50 mL dextrose now.")
    assert alarm.text == "Critical, from Doctor One: glucose 2.1."
