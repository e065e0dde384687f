"""What is asked of the whole case, in the words in which teams say it: who differs, what is planned, what is left."""

from __future__ import annotations

import pytest

from agents.dialogue.passages import Passages
from agents.dialogue.values import Answer
from exaim_core import CasePaper
from tests.dialogue.asking import Asking, board_of

Said = tuple[tuple[str, str], ...]
_ORDER = ("doctor_1", "Give ceftriaxone 2 g. The potassium is 5.4.")
_TEAM: Said = (
    ("colorectal_surgeon", "Resect the sigmoid on Monday. The margin is clear."),
    ("liver_surgeon", "The liver metastases come first. I would wait six weeks."),
    ("neurologist", "Quetiapine 12.5 mg by mouth."),
    ("renal_physician", "Fluids to 1 litre."),
)


async def _answers(said: Said, *questions: str, paper: CasePaper | None = None) -> list[Answer]:
    asking = Asking(await board_of(*said), paper)
    return [await asking.ask(question) for question in questions]


async def _told(said: Said, *questions: str, paper: CasePaper | None = None) -> list[str]:
    return [answer.text for answer in await _answers(said, *questions, paper=paper)]


@pytest.mark.parametrize(
    "asked", ["Who disagrees?", "Does anyone disagree?", "Does anybody see it differently?"]
)
async def test_what_was_decided_is_not_told_for_who_disagrees(asked: str) -> None:
    (nobody,) = await _answers((_ORDER, ("doctor_2", "I agree.")), asked)
    assert not nobody.found
    (somebody,) = await _told((_ORDER, ("doctor_2", "I see it differently: this is viral.")), asked)
    assert "Doctor Two says: I see it differently" in somebody


async def test_a_plan_under_its_own_title_is_the_plan() -> None:
    said = (
        ("doctor_1", "The haemoglobin is 71."),
        ("consultant", "Plan: plasma exchange, 2+2 units, catheter."),
    )
    (answer,) = await _told(said, "What's the plan?")
    assert "plasma exchange, 2+2 units, catheter" in answer


@pytest.mark.parametrize(
    "said",
    ["OK take back 'no vit K'.", "I stand corrected on the vitamin K.", "I change my proposal to FOLFIRI."],
)
async def test_what_was_taken_back_has_changed(said: str) -> None:
    (answer,) = await _answers((_ORDER, ("reg_2", said)), "What changed?")
    assert answer.found


async def test_anything_else_tells_what_weighs_and_was_not_told() -> None:
    said = (
        ("doctor_1", "Give ceftriaxone 2 g. Do not give morphine: he is drowsy."),
        ("doctor_2", "I agree."),
    )
    first, *_, last = await _told(
        said, "Anything else?", "Anything else?", "Anything else?", "Anything else?"
    )
    assert "morphine" in first
    assert last == "That is all I have on that."


@pytest.mark.parametrize(
    "asked", ["What is her past history?", "Any past history?", "What is in her history?"]
)
async def test_the_history_of_the_record_is_told(asked: str) -> None:
    paper = CasePaper(case_id="case-1", history=("duodenal ulcer 2009", "gout"))
    (answer,) = await _told((_ORDER,), asked, paper=paper)
    assert "duodenal ulcer 2009" in answer


@pytest.mark.parametrize("asked", ["What does he take?", "What is he on?"])
async def test_the_medicines_are_found_in_plain_words(asked: str) -> None:
    paper = CasePaper.model_validate(
        {"case_id": "case-1", "medication": [{"drug": "warfarin", "dose": 4, "unit": "mg"}]}
    )
    (answer,) = await _told((_ORDER,), asked, paper=paper)
    assert "warfarin" in answer


@pytest.mark.parametrize(
    ("who", "told", "not_told"),
    [
        ("liver surgeon", "metastases", "sigmoid"),
        ("colorectal surgeon", "sigmoid", "metastases"),
        ("neurologist", "uetiapine", "renal"),
    ],
)
async def test_a_speaker_is_known_by_his_own_name(who: str, told: str, not_told: str) -> None:
    (answer,) = await _told(_TEAM, f"What did the {who} say?")
    assert told in answer
    assert not_told not in answer


async def test_who_has_not_spoken_is_said_not_to_have() -> None:
    (answer,) = await _told(_TEAM, "What did the neonatologist say?")
    assert answer.startswith("The neonatologist has not spoken here")


async def test_what_he_has_is_what_the_chair_leaves_standing_where_there_is_no_diagnosis() -> None:
    talk = (
        ("infection_expert", "Nobody takes aciclovir back to 8-hourly. He slipped at nine."),
        ("lead_physician", "Herpes and LGI1 both stand. Treat for herpes meanwhile."),
    )
    for answer in await _answers(talk, "So what has he actually got?", "So what's he got?"):
        assert "Herpes and LGI1 both stand".lower() in answer.sentences[0].text.lower(), answer.text


async def test_which_drugs_of_a_kind_are_out_asks_for_the_whole_list() -> None:
    talk = (
        ("doctor", "He had a seizure at nine. No phenytoin. Lamotrigine must not be given."),
        ("nurse", "The seizure lasted three minutes."),
    )
    (answer,) = await _answers(talk, "Which seizure drugs are out for him?")
    assert answer.kind == "forbidden" and "phenytoin" in answer.text.lower(), answer.text
    (seizure,) = await _answers(talk, "What did the seizure do?")
    assert seizure.kind != "forbidden"


async def test_a_sentence_without_its_full_stop_is_found_among_the_passages() -> None:
    talk = (("nurse", "148/94, plt 81"), ("doctor", "Urine please"))
    passages = Passages(await board_of(*talk), ())
    assert passages.alone_at(0) is not None
