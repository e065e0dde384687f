"""What was put right, taken back or given up is told with its noun, and the old one stands nowhere.

The texts were written before the mechanism; drugs, styles and words differ on purpose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.schema import SpokenItem, SpokenKind, Update
from exaim_core.text.wording import key_words
from tests.exaim_core.talks import told

Turns = tuple[tuple[str, str], ...]
OPEN = pytest.mark.xfail(strict=True, reason="open: it takes off what stands (decision 134)")


@dataclass
class Played:
    """What a talk brought: all items, the ids taken back, and the fields of the last update."""

    items: list[SpokenItem] = field(default_factory=list)
    spare: list[SpokenItem] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    page: str = ""
    status: str = ""

    @property
    def pressing(self) -> str:
        """Return what presses."""
        return " | ".join(item.text for item in self.items if item.presses)

    def stands(self, words: str) -> bool:
        """Tell whether an item with these words was told and not taken back."""
        return any(words in item.text and item.item_id not in self.gone for item in self.items)


async def _play(turns: Turns, apart_s: float = 3.0) -> Played:
    exaim, played, seq = EXAIM(), Played(), 0
    updates: list[Update] = []
    for agent, text in turns:
        seq += 1
        updates += await exaim.feed(Delta(agent, text, seq, seq * apart_s))
        seq += 1
        updates += await exaim.turn_end(agent, seq, seq * apart_s)
    updates += await exaim.finish((seq + 1) * apart_s)
    for update in updates:
        played.items += update.items
        played.spare += update.spare
        played.gone |= set(update.withdraws)
    last = updates[-1].summary.model_dump()
    played.page = " ".join(str(each) for each in last.values())
    played.status = str(last["status_action"])
    return played


def _talk(text: str) -> Turns:
    """Return the turns of "agent|words@@agent|words"."""
    return tuple((agent, words) for agent, _, words in (turn.partition("|") for turn in text.split("@@")))


PUT_RIGHT = [
    # talk; what of the correction has to be told, with its noun; what may stand on the last page no more
    ("a|Give morphine 50 mg IV now.@@a|I meant 5 mg, not 50.", ("orphine", "5 mg"), "50 mg"),
    ("a|Start argatroban 20 µg/kg/min.@@b|Dr A's dose is wrong by a factor of ten. It should be 2 µg/kg/min.",
     ("rgatroban", "2 µg/kg/min"), "20 µg/kg/min"),
    ("a|Start argatroban 20 µg/kg/min.@@b|The platelets are 38.@@a|Sorry. I meant 2, not 20.",
     ("rgatroban", "2, not 20"), "argatroban 20"),
    ("a|Insulin 100 units over the first hour.@@a|Sorry, 10 units, not 100.", ("nsulin", "10 units"), "100 units"),
    ("a|Give morphine 50 mg IV now.@@b|That dose is ten times too high. It should be 5 mg.",
     ("orphine", "5 mg"), "50 mg"),
    ("a|Give adrenaline 1 mg IM. Correction, 0.5 mg IM.", ("drenaline", "0.5 mg"), "1 mg IM"),
    ("reg|Fentanyl 250 micrograms to reduce it.@@nurse|You mean 25 micrograms?@@reg|Yes, 25 micrograms, not 250.",
     ("entanyl", "25 micrograms"), "250 microgram"),
    ("amy|gent 480 mg now please@@amy|oops I meant 180 mg", ("gent", "180 mg"), "480 mg"),
    ("A|Prescribe methotrexate 10 mg daily.@@B|The methotrexate is a slip.@@A|Correction: 10 mg weekly, not daily.",
     ("ethotrexate", "weekly"), "10 mg daily"),
    ("x|Run noradrenaline at 12 ml/h.@@y|It is raining outside.@@x|That should be 1.2 ml/h, not 12 ml/h.",
     ("oradrenaline", "1.2 ml/h"), "at 12 ml/h"),
    ("one|**Plan**\n- Potassium chloride 80 mmol over 1 hour\n@@one|I misspoke: 20 mmol over 1 hour.",
     ("otassium chloride", "20 mmol"), "80 mmol"),
    ("renal|Give enoxaparin 120 mg subcutaneously.@@pharm|Wrong dose: should be 60 mg at this clearance.",
     ("noxaparin", "60 mg"), "120 mg"),
    ("doc|Let's give labetalol 200 mg IV as a bolus.@@doc|Make that 20 mg.", ("abetalol", "20 mg"), "200 mg"),
    ("doc|Vancomycin 2 g loading dose now.@@pharm|I'd go with 1 g rather than 2 g for her weight.",
     ("ancomycin", "1 g"), "2 g"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "told", "old"), PUT_RIGHT)
async def test_a_dose_put_right_is_told_with_its_noun_and_the_old_one_goes(
    talk: str, told: tuple[str, ...], old: str
) -> None:
    played = await _play(_talk(talk))
    assert any(all(words in item.text for words in told) for item in played.items if item.presses), played
    assert old not in played.page.replace(f"not {old}", "").replace(f"rather than {old}", ""), played.page


VALUE_PUT_RIGHT = [
    ("a|The potassium is 7.1 mmol/L.@@a|that 7.1 is wrong, it's the sample from bed 4. his is 4.1", "7.1"),
    ("a|hb 61 g/L on the gas!!@@b|that 61 is wrong, it's the sample from bed 4. hers is 81", "61"),
    ("lab|Potassium 7.4 mmol/L, phoned at 10:12.@@lab|Please disregard the 7.4. It belongs to another patient.", "7.4"),
    ("n|Glucose 1.9 mmol/L.@@n|Wrong patient, the 1.9 was Mr Hall's.", "1.9"),
    ("n|Sodium 108 mmol/L.@@r|The 108 was a drip-arm sample. Repeat sodium 134 mmol/L.", "108"),
    ("n|Lactate 9.2 mmol/L.@@r|Repeat lactate now 1.4 mmol/L.", "9.2"),
    ("n|pH 6.98 on the gas.@@r|That gas was bed 9's. Hers has pH 7.38.", "6.98"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "old"), VALUE_PUT_RIGHT)
async def test_a_critical_value_that_is_put_right_leaves_the_status(talk: str, old: str) -> None:
    played = await _play(_talk(talk))
    assert "ritical" not in played.status or old not in played.status, played.status


STANDS = [
    # talk; what has to stand on the last page still
    ("a|Give morphine 5 mg IV now.@@b|Paracetamol 1 g, not 500 mg.", "orphine 5 mg"),
    ("a|Give morphine 5 mg IV now.@@a|He weighs 50 kg, not 80 kg.", "orphine 5 mg"),
    ("a|Give insulin 10 units IV now.@@b|The glucose is 25, not 15.", "10 units"),
    ("a|Start heparin 5000 units.@@b|Should it be 2500 units?", "5000 units"),
    ("a|Give amiodarone 300 mg IV now.@@a|Then 900 mg over 24 hours.", "300 mg"),
    ("a|Give ceftriaxone 2 g now.@@b|If she were allergic it should be 1 g of meropenem.", "eftriaxone 2 g"),
    ("a|Give furosemide 40 mg IV now.@@b|At home she should be on 20 mg daily.", "40 mg"),
    ("a|Give morphine 5 mg IV now.@@b|Not more than 10 mg in the first hour.", "orphine 5 mg"),
    ("a|Give magnesium sulfate 2 g IV now.@@b|The target should be 1.2 mmol/L.", "agnesium sul"),
    ("a|Give noradrenaline 5 ml/h.@@b|MAP should be 65, not 55.", "5 ml/h"),
    ("a|Give potassium chloride 20 mmol.@@b|I was wrong about the ECG.", "20 mmol"),
    ("a|Give adrenaline 0.5 mg IM.@@b|Correction: she is 43, not 34 years.", "0.5 mg"),
    ("a|Give alteplase 50 mg.@@b|In the trial they meant 100 mg, not 50.", "50 mg"),
    ("a|Give midazolam 5 mg.@@b|We only have 2 mg vials, not 5.", "idazolam 5 mg"),
    ("a|Give morphine 5 mg.@@b|He takes 50 mg daily at home, not 5.", "orphine 5 mg"),
    ("a|Give adrenaline 0.5 mg IM.@@b|The pen gives 0.3 mg, not 0.5.", "0.5 mg IM"),
    ("a|Give insulin 10 units.@@b|The pump ran 100 units instead of 10.", "nsulin 10 units"),
    ("a|Give hydrocortisone 100 mg.@@b|Then 200 mg per day, not 100.", "ydrocortisone 100 mg"),
    ("a|Give magnesium 2 g.@@b|AST 3000, a hundred times over normal.", "agnesium 2 g"),
    pytest.param("a|Give fluid 500 mL over 15 minutes.@@b|The second bolus should be 250 mL.", "500 mL", marks=OPEN),
    ("a|Give fluid 500 mL over 15 minutes.@@b|It should be 2 L in total over the day.", "500 mL"),
    pytest.param(
        "a|Give morphine 5 mg.@@b|The dose is wrong in the chart from yesterday, but 5 mg is right.",
        "orphine 5 mg",
        marks=OPEN,
    ),
    ("a|Give aspirin 300 mg and clopidogrel 300 mg.@@b|Clopidogrel 600 mg rather than 300.@@a|Yes.", "spirin 300 mg"),
    ("a|Give aspirin 300 mg and clopidogrel 300 mg.@@b|Clopidogrel 600 mg rather than 300.@@a|Yes.", "600 mg"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "still"), STANDS)
async def test_what_is_about_something_else_takes_no_dose_off(talk: str, still: str) -> None:
    played = await _play(_talk(talk))
    assert still in played.page, played.page


CRITICAL_STANDS = [
    ("a|The potassium is 7.1 mmol/L.@@b|The haemoglobin from bed 4 is wrong.", "7.1"),
    ("a|The potassium is 7.1 mmol/L.@@b|That may be wrong.", "7.1"),
    ("a|Lactate 9.2 mmol/L.@@r|Her sister's lactate was 1.4 mmol/L.", "9.2"),
    ("a|Sodium 108 mmol/L.@@r|Yesterday the sodium was 134 mmol/L.", "108"),
    ("a|pH 6.98 on the gas.@@r|We aim for a pH of 7.38.", "6.98"),
    ("a|Glucose 1.9 mmol/L.@@r|The 1.9 is right, I checked it.", "1.9"),
    ("a|Potassium 7.1 mmol/L.@@b|His was 5.1 yesterday.", "7.1"),
    ("a|Haemoglobin 61 g/L.@@b|Hers was 110 last week.", "61"),
    ("a|Potassium 7.1 mmol/L.@@b|Hers: 5.2 last month.", "7.1"),
    ("a|Haemoglobin 61 g/L.@@b|I doubt that 61 is wrong.", "61"),
    ("a|Haemoglobin 61 g/L.@@b|Nobody said that the 61 is wrong.", "61"),
    ("a|Haemoglobin 61 g/L.@@b|There is no reason to think that 61 is wrong.", "61"),
    ("a|Haemoglobin 61 g/L.@@b|The daughter thinks the 61 is wrong.", "61"),
    pytest.param("a|Haemoglobin 61 g/L.@@b|Bed 4 has 130, ours is 61.", "61", marks=OPEN),
    pytest.param("a|Haemoglobin 61 g/L.@@b|That 61 is wrong, it was 58.", "61", marks=OPEN),
    ("a|Potassium 6.8.@@b|Potassium was 7.1 before.", "6.8"),
    ("a|Potassium 6.8.@@b|On admission potassium 7.4.", "6.8"),
    ("a|Give heparin 5000 units now.@@n|given@@b|Stop the heparin.@@c|Give alteplase 90 mg now.", "lteplase"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "still"), CRITICAL_STANDS)
async def test_a_critical_value_that_nobody_puts_right_stands(talk: str, still: str) -> None:
    played = await _play(_talk(talk))
    assert still in played.status, played.status


CHANGED = [
    ("I lean towards disseminated intravascular coagulation.",
     "I no longer think this is DIC. I now believe it is HIT with pulmonary embolism.", ("DIC", "HIT")),
    ("I think this is septic shock.", "I no longer think this is septic shock; I now believe it is thyroid storm.",
     ("septic shock", "thyroid storm")),
    ("I believe it is pericarditis.", "I no longer support pericarditis, and I now think it is myocardial infarction.",
     ("pericarditis", "myocardial infarction")),
    ("My working diagnosis is viral meningitis.",
     "I don't think it is viral meningitis any more. I now favour herpes encephalitis.",
     ("viral meningitis", "herpes encephalitis")),
    ("I'd call this a migraine.", "I no longer believe this is migraine, I think it is subarachnoid haemorrhage.",
     ("migraine", "subarachnoid haemorrhage")),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "both"), CHANGED)
async def test_a_change_of_mind_is_told_with_both_views(first: str, then: str, both: tuple[str, ...]) -> None:
    played = await _play((("a", first), ("b", "The ECG has been done."), ("a", then)))
    last = [item.text for item in played.items if item.kind is not SpokenKind.CLOSING]
    assert any(all(key_words(view)[0] in key_words(text) for view in both) for text in last), last


ASTHMA = "ob|Give carboprost 250 mcg IM now.@@an|She has severe asthma.@@"
GIVEN_UP = [
    ASTHMA + "ob|I retract carboprost.",
    ASTHMA + "ob|Right, cancel the carboprost.",
    ASTHMA + "ob|I take carboprost back.",
]


@pytest.mark.parametrize("talk", GIVEN_UP)
async def test_what_an_order_meets_falls_with_the_order(talk: str) -> None:
    assert "carboprost" not in (await _play(_talk(talk))).status


KEPT = [
    ASTHMA + "ob|ok scrap carboprost. fundus is firm now",
    ASTHMA + "an|no carboprost please@@ob|Carboprost withdrawn.",
    ASTHMA + "ob|Hold carboprost until she is in theatre.",
    ASTHMA + "ob|Scrap carboprost.@@ob|Give carboprost 250 micrograms now.",
    ASTHMA + "ob|Stop carboprost.@@an|Carboprost 250 micrograms IM now.",
    ASTHMA + "ob|I would not scrap carboprost.",
    ASTHMA + "ob|Should we scrap carboprost?",
    ASTHMA + "ob|Scrap the oxytocin.",
    ASTHMA + "an|I am not happy with carboprost.",
]


@pytest.mark.parametrize("talk", KEPT)
async def test_what_an_order_meets_stands_while_nobody_gives_it_up(talk: str) -> None:
    assert "carboprost" in (await _play(_talk(talk))).status


async def test_what_was_given_up_alarms_again_once_it_is_asked_for_again() -> None:
    once = await _play(_talk(ASTHMA + "ob|I retract carboprost.@@an|Good. No carboprost, then."))
    again = await _play(_talk(ASTHMA + "ob|I retract carboprost.@@ob|Give carboprost 250 mcg IM after all."))
    alarms = [sum(item.kind is SpokenKind.CRITICAL for item in played.items) for played in (once, again)]
    assert alarms == [1, 2]
    assert "carboprost" in again.status


async def test_a_later_value_takes_the_place_of_the_earlier_one() -> None:
    played = await _play(_talk("n|Potassium 7.1 mmol/L.@@b|Repeat potassium 6.7 mmol/L."))
    assert "6.7" in played.status
    assert "7.1" not in played.status


async def test_a_disagreement_whose_opponent_has_moved_is_taken_back() -> None:
    view = "My leading diagnosis is"
    talk = f"a|{view} gout.@@b|{view} cellulitis.@@a|{view} cellulitis."
    played = await _play(_talk(talk))
    assert any(item.kind is SpokenKind.DISAGREEMENT for item in played.items)
    assert not any(
        item.kind is SpokenKind.DISAGREEMENT and item.item_id not in played.gone for item in played.items
    )


async def test_a_disagreement_that_stands_is_not_taken_back() -> None:
    played = await _play(
        _talk("a|My leading diagnosis is gout.@@b|My leading diagnosis is cellulitis.@@a|The ECG is done.")
    )
    assert any(
        item.kind is SpokenKind.DISAGREEMENT and item.item_id not in played.gone for item in played.items
    )


async def test_a_view_is_not_kept_for_a_silence_once_its_holder_has_another() -> None:
    first = "I lean towards disseminated intravascular coagulation, although I would not be surprised to be wrong."
    then = "I no longer think this is DIC. I now believe it is HIT with pulmonary embolism."
    played = await _play((("a", first), ("b", "The ECG has been done."), ("a", then)))
    assert all(item.item_id in played.gone for item in played.spare if "lean towards" in item.text)


async def test_what_an_order_meets_is_not_taken_back_with_its_dose() -> None:
    played = await _play(
        _talk("a|Start argatroban 20 µg/kg/min.@@b|The platelets are 38.@@a|I meant 2, not 20.")
    )
    assert played.stands("platelets are 38")


async def test_of_two_drugs_the_one_with_the_denied_dose_is_meant() -> None:
    talk = "a|Give morphine 5 mg IV now.@@a|Give ondansetron 8 mg IV now.@@a|Sorry, 4 mg, not 8."
    played = await _play(_talk(talk))
    assert "On the ondansetron" in played.pressing
    assert "orphine 5 mg" in played.page
    assert "ondansetron 8 mg" not in played.page.lower()


async def test_whose_dose_is_wrong_may_be_said_by_name() -> None:
    talk = "a|Give morphine 50 mg IV now.@@b|Ketamine 20 mg IV.@@c|Agent A's dose is ten times too high."
    played = await _play(_talk(talk))
    assert "On the morphine" in played.pressing
    assert "morphine 50 mg" not in played.page.lower()


async def test_a_dose_put_right_with_a_ban_is_told_once() -> None:
    items = await told(
        "Give gentamicin 400 mg now.",
        "Gentamicin should be 240 mg, not 400 mg; avoid gentamicin at that dose.",
    )
    assert sum("240 mg" in item.text for item in items) == 1
