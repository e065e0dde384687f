"""What is untrue now stands on no page and is told no more: doses, values, alarms of refused orders, views.

The inputs and their look-alikes were written before the code was read; styles, drugs and words differ on purpose.
"""

from __future__ import annotations

import time

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.claims.claim_words import lone_view, view_conceded, view_left
from exaim_core.claims.put_right import values_put_right
from exaim_core.patient.paper import CasePaper
from exaim_core.schema import SpokenItem, Update

PAPER = CasePaper.model_validate(
    {
        "case_id": "x",
        "history": ["Asthma", "Severe hypertension in pregnancy, pre-eclampsia"],
        "allergies": [{"substance": "penicillin"}],
    }
)


class Played:
    """What a talk brought: what was told behind the last turn's begin, what is told no more, and the last page."""

    def __init__(self, updates: list[Update], last: int) -> None:
        everything = [item for update in updates for item in (*update.items, *update.spare)]
        gone = {each for update in updates for each in update.withdraws}
        self.later: list[SpokenItem] = [item for update in updates[last:] for item in update.items]
        self.taken_back = " | ".join(item.text for item in everything if item.item_id in gone)
        self.page = " ".join(str(each) for each in updates[-1].summary.model_dump().values())
        self.status = updates[-1].summary.status_action

    def is_told_at_once(self, words: str) -> bool:
        """Tell whether the last turn's `words` are told, before what is routine."""
        return any(words.lower() in item.text.lower() for item in self.later if item.presses)


async def _play(talk: str, paper: CasePaper | None = None) -> Played:
    """Play "agent|words@@agent|words", each a turn of its own."""
    exaim, seq, updates, last = EXAIM(paper=paper), 0, list[Update](), 0
    for turn in talk.split("@@"):
        agent, _, words = turn.partition("|")
        last = len(updates)
        updates += await exaim.feed(Delta(agent, words, seq := seq + 1, seq * 3.0))
        updates += await exaim.turn_end(agent, seq := seq + 1, seq * 3.0)
    updates += await exaim.finish((seq + 1) * 3.0)
    return Played(updates, last)


DOSES = [
    (("an|Give insulin 10 units IV. Start noradrenaline at 0.1 mcg/kg/min.@@ph|It should read 1 unit, not 10 units. "
     "Noradrenaline at 0.01, not 0.1; I put the dot in the wrong place."),
     ("1 unit, not 10 units", "0.01, not 0.1; I put the dot in the wrong place"),
     ("Give insulin 10 units", "Start noradrenaline at 0.1 ")),
    (("an|Start vasopressin at 0.4 units/min. Give ketamine 200 mg IV now.@@n|The ketamine is 20 mg, not 200. And "
     "vasopressin at 0.04, not 0.4."), ("ketamine is 20 mg, not 200", "vasopressin at 0.04, not 0.4"),
     ("Give ketamine 200", "Start vasopressin at 0.4 ")),
    ("an|Give fentanyl 500 mcg IV.@@an|That dose was wrong: 50 mcg, not 500 mcg.", ("50 mcg, not 500",),
     ("Give fentanyl 500",)),
    ("s|Give gentamicin 700 mg IV.@@ph|It ought to say 70 mg rather than 700 mg, the line above has a nought too many.",
     ("70 mg rather than 700 mg",), ("Give gentamicin 700",)),
    ("d|Start dobutamine at 25 mcg/kg/min.@@n|Dobutamine at 2.5, not 25; the decimal point slipped.",
     ("Dobutamine at 2.5, not 25; the decimal point slipped",), ("Start dobutamine at 25 ",)),
    (("p|Give adrenaline 1 mg IM. Give hydrocortisone 100 mg IV.@@ph|For a 10 kg child it has to be 0.1 mg, not 1 mg; "
     "hydrocortisone as written is fine."), ("0.1 mg, not 1 mg",), ("Give adrenaline 1 mg",)),
    (("c|Give amiodarone 30 mg IV. Start esmolol at 500 mcg/kg/min.@@ph|Amiodarone should read 300 mg, not 30 mg. "
     "Esmolol at 50, not 500; please reprogram the pump."), ("300 mg, not 30 mg", "Esmolol at 50, not 500"),
     ("Give amiodarone 30 mg", "Start esmolol at 500")),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "told", "old"), DOSES)
async def test_each_dose_that_is_put_right_is_told_whole_and_the_old_one_goes(
    talk: str, told: tuple[str, ...], old: tuple[str, ...]
) -> None:
    played = await _play(talk)
    assert all(map(played.is_told_at_once, told)), played.later
    assert not any(words in played.page for words in old), played.page
    assert not any(item.text.rstrip(".").endswith((";", ",")) for item in played.later)


DOSES_STAND = [
    ("d|Give insulin 10 units IV.@@n|The potassium is 6.9, not 10.", "nsulin 10 units"),
    ("d|Start noradrenaline at 0.1 mcg/kg/min.@@n|Dobutamine at 0.01, not 0.1; that was a different pump.", "at 0.1 m"),
    ("d|Give insulin 10 units IV.@@n|Should it read 1 unit, not 10 units?", "nsulin 10 units"),
    ("d|Give insulin 10 units IV.@@n|In the textbook it reads 1 unit, not 10 units, for infants.", "nsulin 10 units"),
    ("d|Start noradrenaline at 0.1 mcg/kg/min.@@n|If she weighs less, noradrenaline at 0.01, not 0.1.", "at 0.1 m"),
    ("d|Start heparin at 1800 units/h.@@n|His father had heparin at 1080, not 1800.", "at 1800 units"),
    ("d|Give gentamicin 700 mg IV.@@n|Yesterday it read 70 mg, not 700 mg, today 700 mg is right.", "micin 700 mg"),
    ("d|Start noradrenaline at 0.1 mcg/kg/min.@@n|Check at 10 minutes, not 0.1; repeat the gas.", "at 0.1 m"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "still"), DOSES_STAND)
async def test_a_number_denied_of_something_else_takes_no_dose_off(talk: str, still: str) -> None:
    played = await _play(talk)
    assert still in played.page, played.page


VALUES = [
    ("The haemoglobin is 48 g/L.", "The haemoglobin of 48 was a diluted sample; the repeat is 118.", "globin 48"),
    ("The haemoglobin is 48 g/L.", "The haemoglobin is 118, not 48.", "globin 48"),
    ("The INR is 9.8.", "That INR of 9.8 belongs to the patient in bed 4; hers is 1.1.", "INR is 9.8"),
    ("Platelets 29.", "The platelets are 92, not 29: the first number was her sister's result.", "Platelets 29"),
    ("The platelets are 61.", "The platelets are 161, not 61; a digit was lost.", "platelets are 61"),
    ("The glucose is 1.9 mmol/L.", "The glucose is 9.1, not 1.9; I misread the printout.", "lucose 1.9"),
    ("Sodium is 104 mmol/L.", "The sodium of 104 came from a drip arm; the repeat is 138.", "odium 104"),
    ("The potassium is 7.4 mmol/L.", "Potassium 4.7, not 7.4: the digits were swapped.", "otassium 7.4"),
    ("Lactate is 11.2 mmol/L.", "The lactate of 11.2 belongs to bed 9; ours is 1.2.", "actate 11.2"),
    ("The pH is 6.85.", "The pH is 7.35, not 6.85; the machine had not been calibrated.", "pH 6.85"),
    ("Blood pressure is 62/30.", "The pressure is 126/70, not 62/30; the cuff was the wrong size.", "pressure 62/30"),
    ("The potassium is 7.9 mmol/L.", "The potassium of 7.9 was haemolysed and the repeat is 4.2.", "potassium 7.9"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "old"), VALUES)
async def test_a_value_put_right_by_anybody_is_told_whole_and_the_old_one_goes(
    first: str, then: str, old: str
) -> None:
    played = await _play(f"nurse|{first}@@registrar|{then}")
    assert played.is_told_at_once(then.rstrip(".")), played.later
    assert old not in played.page, played.page
    assert then.rstrip(".") in played.page, played.page


async def test_an_alarm_that_was_put_right_is_told_no_more() -> None:
    played = await _play("n|The haemoglobin is 48 g/L.@@r|The haemoglobin is 118, not 48.")
    assert "haemoglobin 48" in played.taken_back


VALUES_STAND = [
    ("The haemoglobin is 48 g/L.", "The haemoglobin was 118 last month, not 48.", "globin 48"),
    ("The haemoglobin is 48 g/L.", "The haemoglobin of 48 may be a diluted sample; repeat it.", "globin 48"),
    ("The haemoglobin is 48 g/L.", "The haemoglobin of 48 is after two units; before it was 38.", "globin 48"),
    ("The INR is 9.8.", "Does that INR of 9.8 belong to the patient in bed 4?", "INR 9.8"),
    ("The potassium is 7.4 mmol/L.", "The potassium is not haemolysed; the 7.4 stands.", "otassium 7.4"),
    ("The glucose is 1.9 mmol/L.", "The sodium is 139, not 1.9.", "lucose 1.9"),
    ("The potassium is 7.4 mmol/L.", "Bed 4 has a potassium of 4.7, not 7.4.", "otassium 7.4"),
    ("The potassium is 7.4 mmol/L.", "The potassium should be 4.7, not 7.4, before he leaves.", "otassium 7.4"),
    ("The glucose is 1.9 mmol/L.", "If the glucose is 9.1, not 1.9, we can wait.", "lucose 1.9"),
    ("The haemoglobin is 48 g/L.", "The transfusion trigger is 70, not 48.", "globin 48"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "then", "still"), VALUES_STAND)
async def test_an_alarm_stands_in_doubt(first: str, then: str, still: str) -> None:
    played = await _play(f"nurse|{first}@@registrar|{then}")
    assert still in played.status, played.status


NOT_REFUSED = [
    "ob|Give labetalol 20 mg IV now.@@nurse|No labetalol, please.",
    "ob|Give labetalol 20 mg IV now.@@moderator|No labetalol until the ECG is done.",
    "ob|Give labetalol 20 mg IV now.@@moderator|No labetalol above 20 mg.",
    "ob|Give labetalol 20 mg IV now.@@moderator|No nifedipine.",
    "ob|Give labetalol 20 mg IV now.@@ob|Not labetalol alone; add nifedipine.",
    "ob|Give labetalol 20 mg IV now.@@moderator|Should there be no labetalol?",
    "ob|Give labetalol 20 mg IV now.@@moderator|Stop the labetalol.",
    "ob|Give labetalol 20 mg IV now.@@ob|Fine: hydralazine, not labetalol.@@ob|Give labetalol 20 mg IV after all.",
    "ob|Give labetalol 20 mg IV now.@@moderator|No labetalol.@@ob|Give labetalol 20 mg IV now.",
]


@pytest.mark.parametrize("talk", NOT_REFUSED)
async def test_the_alarm_stands_where_the_order_may(talk: str) -> None:
    played = await _play(talk, PAPER)
    assert "ritical: labetalol" in played.status, played.status


MOVED = [
    ("a|I lead with sepsis.@@a|Not sepsis after all; adrenal crisis.", "adrenal crisis", "sepsis"),
    ("a|I lead with sepsis.@@a|### Final Decision:\n**Not sepsis** - adrenal crisis.\n", "adrenal crisis", "sepsis"),
    ("a|I lead with sepsis.@@a|**Sepsis excluded.** Adrenal crisis.\n", "adrenal crisis", "sepsis"),
    ("a|My leading diagnosis is pulmonary embolism.@@a|So it is not pulmonary embolism after all: aortic dissection.",
     "aortic dissection", "pulmonary embolism"),
    ("a|I lead with gout.@@a|Not gout after all. Septic arthritis.", "septic arthritis", "gout"),
    ("a|I lead with meningitis.@@a|**Meningitis ruled out.** Herpes encephalitis.\n", "herpes encephalitis",
     "meningitis"),
    ("a|I lead with stroke.@@a|Final answer: not stroke, hypoglycaemia.\n", "hypoglycaemia", "stroke"),
    (("a|I lead with migraine.@@b|I lead with subarachnoid haemorrhage.@@a|Having thought again, b is right about the "
     "haemorrhage."), "subarachnoid haemorrhage", "migraine"),
    (("a|I lead with pancreatitis.@@b|I lead with mesenteric ischaemia.@@a|I was wrong; b has it right, this is "
     "mesenteric ischaemia."), "mesenteric ischaemia", "pancreatitis"),
    ("a|I lead with gout.@@b|I lead with septic arthritis.@@a|On reflection b is right about septic arthritis.",
     "septic arthritis", "gout"),
]  # fmt: skip


@pytest.mark.parametrize(("talk", "now", "before"), MOVED)
async def test_who_denies_its_own_view_or_finds_another_right_has_changed(
    talk: str, now: str, before: str
) -> None:
    played = await _play(talk)
    assert any(now in item.text for item in played.later), played.later
    assert f"Lead: {before}" not in played.page, played.page
    assert f"leads with {before}" not in played.page, played.page


NOT_MOVED = [
    "a|I lead with sepsis.@@a|Not only sepsis; adrenal crisis too.",
    "a|I lead with sepsis.@@b|Not sepsis after all; adrenal crisis.",
    "a|I lead with sepsis.@@a|If it is not sepsis after all, adrenal crisis.",
    "a|I lead with sepsis.@@a|Is it not sepsis after all?",
    "a|I lead with sepsis.@@a|Sepsis cannot be excluded. Adrenal crisis is possible.",
    "a|I lead with sepsis.@@a|**Adrenal crisis excluded.** Sepsis stands.\n",
    "a|I lead with sepsis.@@a|Not sepsis from the chest; the urine.",
    "a|I lead with sepsis.@@b|I lead with adrenal crisis.@@a|b is right about the sodium.",
    "a|I lead with sepsis.@@b|I lead with adrenal crisis.@@a|Is b right about adrenal crisis?",
    (
        "a|I lead with sepsis.@@b|I lead with adrenal crisis.@@a|On reflection b is right about adrenal crisis being "
        "possible, but I stay with sepsis."
    ),
]


@pytest.mark.parametrize("talk", NOT_MOVED)
async def test_a_view_stands_that_its_holder_has_not_left(talk: str) -> None:
    played = await _play(talk)
    assert "leads with sepsis" in played.page.lower() or "lead: sepsis" in played.page.lower(), played.page


async def test_what_is_excluded_is_no_lead() -> None:
    played = await _play("a|## Leading diagnosis\n**Sepsis excluded.** Adrenal crisis.\n")
    assert "Lead: sepsis" not in played.page, played.page


@pytest.mark.parametrize(
    "text", ["a-" * 5000, "no " * 5000, "having thought again, " * 700, "haemoglobin " + "not 4 " * 2000]
)
def test_hostile_text_is_read_quickly(text: str) -> None:
    began_s = time.thread_time()  # of this thread alone: what else the machine does decides nothing
    for read in (view_conceded, lone_view, values_put_right):
        read(text)
    view_left(text, "sepsis")
    assert time.thread_time() - began_s < 1.0


VALUE = "med|Potassium 7.2 mmol/L.@@ed|"


@pytest.mark.parametrize(
    "said",
    [
        "I want a potassium of 4.5, not 7.2, before theatre.",
        "The target potassium is 5, not 7.2.",
        "An hour ago the potassium was 5.1, not 7.2.",
        "Yesterday the potassium was 5.1, not 7.2.",
        "I don't think the potassium is 4.2, not 7.2.",
        "They told me the potassium was 4.2, not 7.2, and I did not believe it.",
        "I wish the potassium were 4.2, not 7.2.",
    ],
)
async def test_an_aim_an_hour_ago_and_a_doubt_take_no_alarm_off(said: str) -> None:
    assert "7.2" in (await _play(VALUE + said)).status


async def test_whose_own_it_is_said_to_be_is_given_to_nobody() -> None:
    said = "med|Glucose 1.9 mmol/L.@@ed|The glucose of 1.9 belongs to her, not to the neighbour."
    assert "1.9" in (await _play(said)).status


@pytest.mark.parametrize(
    ("last", "stands"),
    [
        ("lab|That INR of 3.2 is bed 4's.", False),
        ("lab|The INR of 3.2 is not his, it belongs to bed 4.", False),
        ("lab|The INR of 3.2 is right.", True),
    ],
)
async def test_an_order_meets_no_value_of_another_patient(last: str, stands: bool) -> None:
    played = await _play(f"neurologist|Give alteplase now.@@lab|INR is 3.2.@@{last}")
    assert ("alteplase with INR 3.2" in played.page) is stands
