"""What only says when to act, asks or weighs raises no alarm; the same words of the patient now do."""

from __future__ import annotations

import pytest

from exaim_core.claims.triggers import bounds, lists_triggers
from tests.exaim_core import talks
from tests.exaim_core.talks import told

SILENT = [
    "**Call:** stridor or wheeze, systolic under 150 or over 190, GCS 12 or less, chest pain.",
    "Call me for stridor or wheeze.",
    "Now listen, systolic under 90, lactate over four, or sats under 88 and you put out a 2222.",
    "Lactate over 6 or a GCS of 8 or less, you put out a crash call, or pressure under 80.",
    "Anything above 126, or below 110. And slurring, choking on her tea, going drowsy.",
    "Pupils hourly; a blown pupil gets mannitol 0.5 g/kg and a call.",
    "Is that a silent chest or is that – trachea's central, I think.",
    "Is her potassium 6.9, do we know",
    "15% for septic shock now.",
    "Aortic dissection 0.3, tamponade 0.2 now.",
    "Activate major haemorrhage.",
    "Put out the major haemorrhage call, and don't chase the pressure, eighty to ninety systolic.",
    "MET registrar asks for 100 mmol of bicarb since pH is under 7.1.",
    "Bed four's potassium is 7.1, can someone look?",
    "Lactate 13 on arrival, 6 after the laparotomy and down to 1.7 this evening.",
    "Call ICU at a pH < 6.9.",
    "Systolic under 70.",
]
ALARMS = [
    ("Stridor and wheeze, he is tiring.", "stridor"),
    ("Call me for sats under 88 or GCS under 8, he's blue and gasping.", "blue"),
    ("Sats under 80, he's blue and gasping.", "blue"),
    ("Sats are under 80 now.", "under 80"),
    ("pH < 6.8 on the gas.", "6.8"),
    ("If sats fall under 88 call me. And he's choking, get help!", "choking"),
    ("Anything above 126, or below 110. And he's not breathing.", "not breathing"),
    ("A blown pupil on the left, mannitol now.", "blown pupil"),
    ("A blown pupil gets mannitol now!", "blown pupil"),
    ("His blown pupil gets mannitol.", "blown pupil"),
    ("Is that a silent chest or – he's arrested.", "arrested"),
    ("That is a silent chest and he's tiring.", "silent chest"),
    ("He is in septic shock, 15 litres on, help!", "septic shock"),
    ("That's a tension, 90 % sure it is on the left.", "tension"),
    ("She's bleeding out, activate major haemorrhage.", "bleeding out"),
    ("Put out a crash call.", "crash call"),
    ("MET registrar asks for bicarb since pH is 6.91.", "6.91"),
    ("Lab rang, her potassium is over 8.", "over 8"),
    ("Fresh count is back, Hb 49 g/L, it was 78 this morning.", "49"),
    ("MAP has been 48 mmHg for the past ten minutes.", "48"),
    ("Lactate 13.2 to 6.1.", "6.1"),
    ("Hb 98 this morning and down to 52 g/L.", "52"),
    ("I can feel cord in front of the head.", "cord"),
    ("Her tongue has swollen, she can no longer swallow, and there is stridor.", "tongue"),
    ("His left pupil is huge and does not react to my torch.", "pupil"),
    ("Fingerstick 34, repeated, and he is sweaty.", "34"),
]


async def _alarms(text: str) -> list[str]:
    return [item.text.lower() for item in await told(text) if item.kind == "critical"]


@pytest.mark.parametrize("text", SILENT)
async def test_it_states_nothing_of_now_and_alarms_nobody(text: str) -> None:
    assert not await _alarms(text)


@pytest.mark.parametrize(("text", "words"), ALARMS)
async def test_what_is_so_now_alarms(text: str, words: str) -> None:
    assert any(words in alarm for alarm in await _alarms(text)), await _alarms(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("HR 34 BP 82/40 cap refill 5 s.", ["blood pressure 82/40 with heart rate 34"]),
        ("gas: K 7.6 pH 7.16 lact 3.4 gluc 6.1", ["potassium 7.6", "ph 7.16"]),
        ("BP 86/50, pulse 122 irregular, temperature 35.1 °C.", ["heart rate 122 with blood pressure 86/50"]),
        ("new chem 14:33: K 6.9, ionized Ca 0.88 mmol/L.", ["potassium 6.9"]),
        ("obs: p 140 bp 75/30 rr 32 sats 89", ["heart rate 140 with blood pressure 75/30"]),
    ],
)
async def test_pairs_without_verbs_are_told_as_name_and_value(text: str, values: list[str]) -> None:
    alarms = await _alarms(text)
    assert [alarm.partition(": ")[2].rstrip(".") for alarm in alarms][: len(values)] == values, alarms
    assert all(alarm.startswith("critical") for alarm in alarms)


async def test_a_name_that_no_reader_knows_before_a_pair_is_not_stated() -> None:
    assert not [each for each in await _alarms("Murphy K 7.6 pH 7.16") if each.startswith("critical")]


async def test_a_sign_in_a_long_sentence_is_told_by_its_clause() -> None:
    text = (
        "Her tongue has swollen so far that she cannot close her mouth and the lips have gone dark, and there is "
        "audible stridor on inspiration and drooling that soaks the pillow."
    )
    (alarm,) = await _alarms(text)
    assert "her tongue has swollen" in alarm


async def test_a_call_in_a_long_sentence_is_told_by_its_part() -> None:
    text = (
        "Okay, I'm in the middle of a, no I'm leaving it, sit her bolt upright, fifteen litres, get the box off the "
        "wall and put out a crash call now."
    )
    (alarm,) = await _alarms(text)
    assert "crash call now" in alarm


def test_a_bound_that_a_verb_asserts_is_none() -> None:
    assert len(bounds("systolic under 90 or over 190")) == 2
    assert not bounds("sats are well under 85")
    assert not bounds("given over 20 minutes")
    assert lists_triggers("And slurring, going drowsy.", "Anything above 126, or below 110.")
    assert not lists_triggers("And slurring, going drowsy.", "Sodium 118.")


@pytest.mark.parametrize(
    "said",
    [
        "**Handover, PACU bay 3**\n- Pulse 138, BP 62/31\n",
        "## SBAR, cubicle 7\n- SpO2 79 %\n",
        "FSBG 23 mg/dL x2. No IV yet.\n",
        "Flat capnography. Sats seventy-eight and dropping.\n",
    ],
)
async def test_what_a_nurse_writes_under_the_bed_of_the_patient_alarms(said: str) -> None:
    assert any(each.kind == "critical" for each in await talks.told(said))


@pytest.mark.parametrize(
    "said",
    [
        "**Bed 4**\n- Pulse 138, BP 62/31\n",
        "**Results for bed 4**\n- K 7.1\n",
        "**Handover, PACU bay 3: Mr Brown**\n- K 7.1\n",
        "A well newborn, 30 hours old. Heart rate 148/min, BP 86/50, feeding well.\n",
    ],
)
async def test_what_is_of_another_bed_or_usual_at_this_age_does_not(said: str) -> None:
    assert not any(each.kind == "critical" for each in await talks.told(said))
