"""The newest value that was stated of the patient comes before the record's, with or without a unit."""

from __future__ import annotations

import pytest

from agents.dialogue.stated import measured_in
from agents.dialogue.unnamed_values import with_name
from agents.dialogue.vocabulary import clinical_vocabulary
from exaim_core import CasePaper
from exaim_core.board.shown import SaidView
from exaim_core.patient.paper import Lab, Observation
from tests.dialogue.asking import Asking, board_of

PAPER = CasePaper(
    case_id="case-1",
    age=60,
    labs=[
        Lab(analyte="sodium", value=128, unit="mmol/L", reported_at="08:10"),
        Lab(analyte="platelets", value=84, unit="10^9/L", reported_at="02:58"),
        Lab(analyte="lactate", value=5.2, unit="mmol/L", reported_at="22:05"),
        Lab(analyte="INR", value=1.9, unit="", reported_at="22:05"),
        Lab(analyte="haemoglobin", value=71, unit="g/L", reported_at="22:05"),
    ],
    observations=[
        Observation(name="blood pressure", value="52/30", unit="mmHg"),
        Observation(name="respiratory rate", value=18, unit="per minute"),
        Observation(name="heart rate", value=88, unit="per minute"),
        Observation(name="temperature", value=38.2, unit="°C"),
    ],
)

SAID = [
    ("The sodium is now 119.", "what's the sodium", "119", "128"),
    ("Her blood pressure is 88/40.", "what is her blood pressure", "88/40", "52/30"),
    ("Pressure 88 over 40.", "blood pressure?", "88/40", "52/30"),
    ("Respiratory rate is now 9 and I cannot get knee jerks.", "what's her resp rate", "is now 9", "18"),
    ("Respiratory rate 9 a minute.", "resp rate now?", "9 a minute", "18"),
    ("Platelets came back at 38.", "what are the platelets", "38", "84"),
    ("Heart rate is down to 45.", "what's the heart rate", "45", "88"),
    ("Repeat lactate 7.9.", "lactate?", "7.9", "5.2"),
    ("The INR is 3.4 now.", "what's the INR", "3.4", "1.9"),
    ("Temp is 39.4.", "what is his temperature", "39.4", "38.2"),
    ("His Hb is 58 on the gas.", "what's the haemoglobin", "58", "71"),
    ("The lab rang: sodium 119 and lactate 7.9.", "what's the lactate", "7.9", "5.2"),
    ("The sodium is 119 mmol/L.", "what's the sodium", "119", "128"),
    ("The sodium an hour ago was 126.", "what's the sodium", "126", "128"),
    ("His sodium was 126 twenty minutes ago.", "what's the sodium", "126", "128"),
    ("SBP 88, so give PCC.", "what's her pressure", "88", "52/30"),
    ("Pulse 140, resps 32.", "what's the pulse", "140", "88"),
]  # fmt: skip

NOT_SAID = [
    ("Aim for a sodium of 125.", "what's the sodium", "125"),
    ("Call me if the sodium falls below 120.", "what's the sodium", "120"),
    ("Give sodium chloride 500 mL.", "what's the sodium", "500"),
    ("Repeat the sodium at 14:00.", "what's the sodium", "14:00"),
    ("Sodium at 9, please.", "what's the sodium", "at 9"),
    ("Repeat the sodium in 4 hours.", "what's the sodium", "4 hours"),
    ("Was the sodium 119?", "what's the sodium", "119"),
    ("My last patient had a sodium of 119.", "what's the sodium", "119"),
    ("Her mother had a sodium of 119.", "what's the sodium", "119"),
    ("A sodium of 119 would explain the fit.", "what's the sodium", "119"),
    ("Blood pressure every 15 minutes.", "what's the blood pressure", "15 minutes"),
    ("Keep the pressure above 65.", "what's the blood pressure", "above 65"),
    ("Platelets, 2 pools, please.", "what are the platelets", "2 pools"),
    ("A year ago the sodium was 139.", "what's the sodium", "139"),
    ("The sodium was 139 two years ago.", "what's the sodium", "139"),
    ("The sodium was 139 before the operation.", "what's the sodium", "139"),
    ("Her sodium was 139 in March; she seized an hour ago.", "what's the sodium", "139"),
    ("The haemoglobin was 120 before she bled, 30 minutes ago.", "what's the haemoglobin", "120"),
    ("PCC 25 units/kg if SBP <90.", "what's the blood pressure", "90"),
    ("Target haemoglobin 70 to 80.", "what's the haemoglobin", "70 to 80"),
    ("Don't let the sodium rise by more than 10 a day.", "what's the sodium", "10 a day"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "question", "now", "record"), SAID)
async def test_what_was_stated_since_comes_before_the_record(
    text: str, question: str, now: str, record: str
) -> None:
    board = await board_of(("doctor1", f"She looks unwell to me. {text} I will stay here."))
    answer = (await Asking(board, PAPER).ask(question)).text
    assert now in answer, answer
    assert record in answer, answer
    assert answer.index(now) < answer.lower().index("the case paper has"), answer


@pytest.mark.parametrize(("text", "question", "figure"), NOT_SAID)
async def test_a_limit_a_dose_and_another_s_value_are_no_value_of_hers(
    text: str, question: str, figure: str
) -> None:
    board = await board_of(("doctor1", f"She looks unwell to me. {text} I will stay here."))
    answer = (await Asking(board, PAPER).ask(question)).sentences[0].text
    assert "the case paper has" in answer and figure not in answer, answer


@pytest.mark.parametrize(
    ("first", "later", "question"),
    [
        ("The sodium is 119.", "Sodium is up to 122 now.", "what's the sodium"),
        ("Pressure 60/30.", "Pressure 88/40.", "blood pressure?"),
        ("Lactate 7.9.", "The lactate is 4.1.", "lactate?"),
        ("The INR is 3.4.", "INR 1.4 after the factor.", "what is the INR now"),
        ("Heart rate 140.", "Heart rate 96.", "what's the heart rate"),
        ("Platelets 38.", "Platelets are 61.", "platelets?"),
    ],
)
async def test_of_several_that_were_stated_the_newest_comes_first(
    first: str, later: str, question: str
) -> None:
    board = await board_of(("doctor1", f"She is ill. {first}"), ("doctor2", f"I am with her. {later}"))
    answer = (await Asking(board, PAPER).ask(question)).sentences[0].text
    assert later.rstrip(".").lower() in answer.lower(), answer


async def test_a_value_that_is_on_record_again_is_told_from_the_record() -> None:
    board = await board_of(
        ("doctor0", "She is ill. Her platelets are 48."),
        ("doctor1", "Fine by me. The platelets are 84, not 48."),
    )
    answer = (await Asking(board, PAPER).ask("what are her platelets")).sentences[0].text
    assert "48, so" not in answer and "84" in answer


UNRECORDED = [
    ("Lactate 4.2.", "Lactate 2.1.", "what's the lactate"),
    ("The lactate is 4.2 mmol/L.", "The lactate is down to 2.1.", "lactate?"),
    ("Her sats are 88 on air.", "Sats 94.", "what are her sats"),
    ("Her sats are 88.", "Up to 94 for her sats now.", "what are her sats"),
    ("Heart rate 140.", "Heart rate 96.", "what's the heart rate"),
    ("Her blood pressure is 92/54.", "Pressure 88/40.", "blood pressure?"),
    ("Hb 58.", "Hb 84.", "what's the haemoglobin"),
    ("The INR is 1.8.", "The INR is 3.4 now.", "what's the INR"),
]


@pytest.mark.parametrize(("first", "later", "question"), UNRECORDED)
async def test_without_a_record_the_newest_that_was_stated_comes_first(
    first: str, later: str, question: str
) -> None:
    board = await board_of(("doctor1", f"She is ill. {first}"), ("doctor2", f"I am with her. {later}"))
    answer = (await Asking(board, None).ask(question)).text
    told = answer.lower()
    assert told.index(later.rstrip(".").lower()) < told.rindex(first.split()[-1].rstrip(".").lower()), answer


@pytest.mark.parametrize(
    "text",
    ["Aim for a sodium of 125.", "Sodium at 9.", "Was the sodium 119?", "Her mother had a sodium of 119.",
     "A year ago the sodium was 139."],
)  # fmt: skip
async def test_without_a_record_a_limit_a_question_and_another_s_value_come_after_hers(text: str) -> None:
    board = await board_of(
        ("doctor1", "She is ill. The sodium is 131."), ("doctor2", f"I am with her. {text}")
    )
    answer = (await Asking(board, None).ask("what's the sodium")).sentences[0].text
    assert "131" in answer, answer


async def test_an_alarm_of_the_newest_value_is_told_as_one() -> None:
    board = await board_of(("doctor1", "The sodium is 131."), ("doctor2", "The sodium is now 109."))
    answer = (await Asking(board, None).ask("what's the sodium")).sentences[0].text
    assert "critical" in answer and "109" in answer, answer


UNNAMED = [
    ([("nurse", "BP 168/112."), ("nurse", "148/94, head 3/10")], "her pressure now", "148/94"),
    ([("nurse", "BP 96/54."), ("nurse", "Eighty-eight over fifty.")], "last pressure", "BP 88/50"),
    ([("doctor", "Sats?"), ("nurse", "89."), ("doctor", "Open it."), ("nurse", "Ninety-seven.")], "sats", "seven"),
    ([("nurse", "Potassium 6.1."), ("nurse", "Repeat potassium, at ten, it's 5.4")], "potassium", "it's 5.4"),
    ([("labs", "VBG 21:40: pH 7.09, lactate 1.6."), ("labs", "01:10 > pH 7.21, K 3.7")], "last gas", "7.21"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "question", "told"), UNNAMED)
async def test_the_newest_value_is_told_where_its_sentence_leaves_the_name_out(
    said: list[tuple[str, str]], question: str, told: str
) -> None:
    answer = await Asking(await board_of(*said), None).ask(question)
    assert told.lower() in answer.sentences[0].text.lower(), answer.text


UNLIKE = [
    ([("nurse", "BP 96/54."), ("nurse", "Pain 7/10. Cover is 24/7.")], "blood pressure", "24/7"),
    ([("nurse", "BP 96/54."), ("doctor", "Keep it under 150/100.")], "blood pressure", "150/100"),
    ([("nurse", "BP 96/54."), ("doctor", "HDU, BP <150/100, FVC 2 hourly")], "blood pressure", "150/100"),
    ([("doctor", "Sats?"), ("nurse", "89."), ("doctor", "How old is he?"), ("nurse", "97.")], "sats", "97"),
    ([("doctor", "Sats?"), ("nurse", "89."), ("doctor", "Pulse?"), ("nurse", "97.")], "sats", "97"),
]


@pytest.mark.parametrize(("said", "question", "other"), UNLIKE)
async def test_a_number_without_a_name_is_of_nothing_else_than_what_was_called_for(
    said: list[tuple[str, str]], question: str, other: str
) -> None:
    answer = await Asking(await board_of(*said), None).ask(question)
    first = answer.sentences[0].text
    assert other not in first, answer.text


async def test_a_finding_that_is_a_group_of_values_is_told_as_a_finding() -> None:
    said = [("doctor", "Metformin-associated lactic acidosis."), ("nurse", "pH 7.27, K 3.6.")]
    answer = await Asking(await board_of(*said), None).ask("wasn't it a lactic acidosis")
    assert "lactic acidosis" in answer.sentences[0].text.lower(), answer.text


def test_it_takes_up_no_other_name_than_the_one_before_it() -> None:
    vocabulary = clinical_vocabulary()
    both = SaidView(agent_id="nurse", text="Potassium 6.1, the glucose, it's 5.4", at=(0, 0, 0))
    assert with_name([both], 0, {"potassium"}, lambda text: measured_in(text, vocabulary)) is None
