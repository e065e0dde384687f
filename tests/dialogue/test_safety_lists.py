"""What must not be given and allergies, in the wordings of a discussion: said, or counted and on the page."""

from __future__ import annotations

import pytest

from agents.dialogue.given import reacted_to
from agents.dialogue.intents import of_all
from agents.dialogue.restraints import bars, restrained_likewise
from agents.dialogue.values import Answer, Intent
from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said


def shown(answer: Answer) -> str:
    return " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()


_TALK = said(
    ("surgeon", "The practice put him on propranolol 40 for palpitations. / Carry on?"),
    ("physician", "Stop it today. / Doxazosin 1 mg tonight."),
    ("pharmacist", "Macrolides are on the forbidden list. / Grapefruit too, he eats one a day."),
    ("crew", "Take the Hartmann's down, there is potassium in it. / Both drains are in."),
    ("pharmacist", "High oxygen at night? / Twice no: his gases, and the scan."),
    ("nurse", "For the record, he told us of hives and a tight throat with gadolinium. / Also nickel."),
)


@pytest.mark.parametrize(
    "name", ["propranolol", "macrolides", "grapefruit", "hartmann's", "oxygen", "gadolinium"]
)
async def test_the_list_holds_what_is_forbidden_in_any_of_these_wordings(name: str) -> None:
    assert name in shown(await Asking(_TALK, None).ask("what must he not be given"))


async def test_an_allergy_that_nobody_calls_one_is_told_with_the_short_sentence_behind_it() -> None:
    answer = await Asking(_TALK, None).ask("what is he allergic to")
    assert answer.kind == Intent.ALLERGIC
    assert "gadolinium" in answer.text and "nickel" in shown(answer)


async def test_of_an_allergy_to_one_thing_all_allergies_are_told() -> None:
    answer = await Asking(_TALK, None).ask("is he allergic to latex")
    assert answer.text.startswith("I have nothing on latex; that is not a no.")
    assert "gadolinium" in answer.text and "propranolol" not in shown(answer)


@pytest.mark.parametrize(
    "question",
    [
        "which drugs are dangerous for her",
        "what must nobody give this man",
        "run through what she cannot have",
        "which anaesthetic drugs are out",
        "what mustn't she get",
    ],
)
def test_a_question_for_all_that_is_forbidden_is_known_in_plain_words(question: str) -> None:
    assert of_all(question.replace("mustn't", "must not")) is Intent.FORBIDDEN


def test_the_most_dangerous_thing_is_an_alarm_and_no_list() -> None:
    assert of_all("whats the most dangerous thing going on in her right now") is Intent.CRITICAL


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("His sheet reads cefalexin: collapse, adrenaline, 2016.", True),
        ("It is latex he swells up with, lips and all.", True),
        ("And metoclopramide made his eyes roll up.", True),
        ("Plasters bring her up in welts.", True),
        ("He collapsed on the ward at noon.", False),
        ("Is the rash from amoxicillin?", False),
        ("Her chest is quiet and she is wheezing less.", False),
        ("She has fever, rash and joint pain.", False),
        ("Examination: wheeze in both bases.", False),
        ("Examination: swollen face and a hoarse voice.", False),
        ("Wheezing on exertion.", False),
        ("Rash with fever.", False),
        ("Hives with fever since Monday.", False),
        ("Nephritis: possible after ibuprofen, although she has neither rash nor fever.", False),
        ("Face swollen from dental abscess.", False),
        ("Urticaria to both arms.", False),
        ("Rash with co-trimoxazole.", True),
        ("A tight throat with gadolinium.", True),
        ("Kiwifruit: swollen lips.", True),
        ("Relivan made her face swell.", True),
    ],
)
def test_a_reaction_is_known_by_what_it_looks_like(text: str, is_one: bool) -> None:
    assert reacted_to(text) is is_one


async def test_a_symptom_of_the_case_answers_no_question_for_allergies() -> None:
    talk = said(
        ("registrar", "She has fever, rash and joint pain."),
        ("physician", "Examination: wheeze in both bases."),
    )
    answer = await Asking(talk, None).ask("any allergies?")
    assert "rash" not in shown(answer) and "wheeze" not in shown(answer)


def test_under_a_heading_of_allergies_what_one_looks_like_will_do() -> None:
    assert reacted_to("Wonderol, rash", "History; Allergies") and not reacted_to("Wonderol, rash", "History")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Macrolides and fluconazole on the forbidden list, ibuprofen as well.", True),
        ("High calcium plus digoxin is the dangerous pair here.", True),
        ("Digoxin level 1.1; the scan is not back.", False),
        ("No need for intensive care.", False),
        ("He can have amoxicillin, and there is no hurry.", False),
        ("The biopsy showed no malignancy.", False),
        ("Contrast CT showed no embolus.", False),
        ("He is not on anticoagulation.", False),
        ("Dialysis is not contraindicated.", False),
        ("She had no contrast.", False),
        ("The biopsy cannot exclude lymphoma.", False),
        ("The tube is out of the airway.", False),
        ("He is to have no aspirin.", True),
        ("Andexanet and plasma are not for him.", True),
        ("Metformin should not be given with that.", True),
        ("Spinal anaesthesia is not an option.", True),
        ("Propofol is out.", True),
        ("Whole node excision, not a needle.", True),
        ("The catheter is not a problem.", False),
        ("If we can't intubate, call the surgeon.", False),
    ],
)
def test_a_thing_is_barred_in_its_own_clause(text: str, is_one: bool) -> None:
    assert bars(text) is is_one


async def test_a_finding_that_is_denied_is_not_said_to_be_forbidden() -> None:
    talk = said(
        ("surgeon", "The biopsy showed no malignancy. / Contrast CT showed no embolus."),
        ("physician", "He is not on anticoagulation. / Avoid ibuprofen."),
    )
    answer = await Asking(talk, None).ask("what must he not be given")
    assert "ibuprofen" in answer.text
    for name in ("malignancy", "embolus", "anticoagulation"):
        assert name not in answer.text, answer.text


@pytest.mark.parametrize(
    ("after", "goes_the_same_way"),
    [
        ("Codeine likewise.", True),
        ("The naproxen too.", True),
        ("Nor prilocaine.", True),
        ("She also takes warfarin.", False),
        ("Bisoprolol also continues.", False),
        ("She too.", False),
    ],
)
def test_only_a_thing_that_is_named_alone_goes_the_way_of_the_ban_before_it(
    after: str, goes_the_same_way: bool
) -> None:
    talk = said(("pharmacist", f"Avoid ibuprofen. / {after}"))
    assert restrained_likewise(talk.said, 1) is goes_the_same_way


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what did we rule out giving", "forbidden"),
        ("what are we leaving out", "forbidden"),
        ("which drugs are we keeping away from her", "forbidden"),
        ("what are we not giving", "forbidden"),
        ("everything that we are holding back", "forbidden"),
        ("what is being withheld", "forbidden"),
        ("what have they ruled out using", "forbidden"),
        ("what did they rule out", "others"),
        ("what else has been ruled out", "others"),
        ("why are we holding back", "why"),
        ("what did they leave open", "pending"),
        ("what is left", "fact"),
        ("what kept her in hospital", "fact"),
        ("what are we giving", "fact"),
    ],
)
async def test_what_is_left_out_is_asked_of_the_whole_case(question: str, kind: str) -> None:
    board = said(("registrar", "No gentamicin. / Give aztreonam 2 g."))
    answer = await Asking(board, None).ask(question)
    assert (answer.kind == "forbidden") is (kind == "forbidden"), answer.kind
    assert ("gentamicin" in answer.text and "aztreonam" not in answer.text) or kind != "forbidden", (
        answer.text
    )


@pytest.mark.parametrize(
    ("text", "is_ban"),
    [
        ("The GP's list has no desmopressin.", False),
        ("The drug chart shows no heparin.", False),
        ("The letter mentions no warfarin.", False),
        ("His chart says no heparin.", True),
        ("The letter says: no heparin.", True),
        ("She is to have no heparin.", True),
        ("No heparin, it stands on the chart.", True),
        ("The list has no aspirin, and no heparin for her.", True),
    ],
)
async def test_what_a_list_has_not_is_no_ban(text: str, is_ban: bool) -> None:
    board = await board_of(("doctor1", f"She is ill. {text}"), ("doctor2", "No phenytoin."))
    answer = await Asking(board, None).ask("what must not be given")
    drug = text.rstrip(".").split("no ")[-1].split(" ")[0].split(",")[0].lower()
    assert (drug in answer.text.lower()) is is_ban, answer.text
    assert drug in " ".join((answer.text, *(one.text for one in answer.on_page))).lower()


async def test_a_full_stop_of_a_text_stops_nothing() -> None:
    board = await board_of(
        ("aster", 'Inserted into (7), before the full stop: "counted as sodium".'),
        ("doctor", "No phenytoin. Exchange is off, full stop."),
    )
    answer = await Asking(board, None).ask("what must not be given")
    assert "counted" not in answer.text and "phenytoin" in answer.text, answer.text


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ([("doctor1", "Haloperidol is banned. / Prilocaine and felypressin likewise.")], ("felypressin",)),
        ([("doctor1", "Amiodarone?"), ("doctor2", "Never. / Nor aspirin.")], ("amiodarone", "aspirin")),
        ([("doctor1", "May she have aspirin tonight?"), ("doctor2", "Denied.")], ("aspirin",)),
        (
            [
                ("doctor1", "Labetalol 200 now."),
                ("nurse", "She was in ITU two years ago. / Not giving that."),
            ],
            ("labetalol",),
        ),
        ([("doctor1", "Added (11): no vaptan, no furosemide.")], ("vaptan", "furosemide")),
        ([("doctor1", "Nothing by rectum, no suppositories.")], ("rectum", "suppositories")),
        ([("doctor1", "Codeine is out for good.")], ("codeine",)),
        ([("doctor1", "Codeine, Stevens–Johnson in 2017.")], ("codeine",)),
    ],
    ids=["likewise", "never, nor", "denied", "a place", "numbered", "nothing", "out", "a dash"],
)
async def test_no_thing_of_a_list_is_lost(words: list[tuple[str, str]], names: tuple[str, ...]) -> None:
    answer = await Asking(said(*words), None).ask("what must she not be given")
    assert all(name in shown(answer) for name in names), shown(answer)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Has he taken cocaine?", "cocaine"),
        ("Could she have taken aspirin?", "aspirin"),
        ("Could this be aspirin poisoning?", "aspirin"),
        ("Could he be on warfarin?", "warfarin"),
    ],
)
async def test_what_is_asked_of_the_past_and_denied_is_not_forbidden(question: str, name: str) -> None:
    talk = said(("doctor1", question), ("nurse", "Denied."))
    assert name not in shown(await Asking(talk, None).ask("what must he not be given"))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("May she have unfractionated heparin?", "heparin"),
        ("Should he be on warfarin?", "warfarin"),
        ("Can this be given with aspirin?", "aspirin"),
    ],
)
async def test_what_is_asked_for_and_denied_is_forbidden(question: str, name: str) -> None:
    talk = said(("doctor1", question), ("doctor2", "Denied."))
    assert name in shown(await Asking(talk, None).ask("what must he not be given"))


@pytest.mark.parametrize(
    ("order", "where"),
    [
        ("Give aspirin 300.", "Then move her to ITU."),
        ("Give noradrenaline.", "Admit her to ICU tonight."),
        ("Labetalol 200 now.", "Start BiPAP in HDU."),
    ],
)
async def test_a_place_that_is_ordered_is_what_is_refused(order: str, where: str) -> None:
    talk = said(("doctor1", f"{order} / {where}"), ("doctor2", "No."))
    told = shown(await Asking(talk, None).ask("what must she not be given"))
    assert where.lower() in told and order.lower() not in told, told


async def test_the_only_thing_that_is_refused_is_told_though_it_has_a_place() -> None:
    talk = said(("doctor1", "Start BiPAP in HDU tonight."), ("doctor2", "No, not for him."))
    assert "bipap" in shown(await Asking(talk, None).ask("what must he not be given"))


@pytest.mark.parametrize(
    ("ban", "order"),
    [
        ("Hold metformin and ramipril.", "Start insulin and dextrose as well."),
        ("No NSAIDs.", "Start ceftriaxone and vancomycin too."),
        ("No heparin.", "Aspirin and clopidogrel continue, too."),
    ],
)
async def test_what_is_given_as_well_is_not_under_what_must_not_be_given(ban: str, order: str) -> None:
    told = shown(await Asking(said(("doctor1", f"{ban} / {order}")), None).ask("what must she not be given"))
    assert ban.rstrip(".").lower() in told and order.rstrip(".").lower() not in told, told


@pytest.mark.parametrize(
    "text",
    [
        "The urinary catheter is out, he passed urine.",
        "The NG tube is out.",
        "Naproxen ban lifted.",
        "He is banned from driving.",
    ],
)
async def test_what_was_taken_out_and_a_ban_that_is_lifted_forbid_nothing(text: str) -> None:
    told = shown(await Asking(said(("nurse", text)), None).ask("what must he not be given"))
    assert text.rstrip(".").lower() not in told


@pytest.mark.parametrize(
    "text",
    [
        "Naproxen ban not lifted.",
        "Naproxen is banned until the ban is lifted by renal.",
        "Naproxen ban to be lifted on Monday.",
        "Codeine ban lifted, naproxen is out for good.",
        "The naproxen ban cannot be lifted.",
    ],
)
async def test_a_ban_that_is_not_lifted_yet_stands(text: str) -> None:
    assert "naproxen" in shown(await Asking(said(("nurse", text)), None).ask("what must he not be given"))


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Exam: no rash, no penicillin.", "rash"),
        ("Chest: no new wheeze, no penicillin.", "wheeze"),
        ("Nothing on the scan, no penicillin.", "scan"),
        ("CT: nothing in the head, no penicillin.", "head"),
    ],
)
async def test_a_finding_before_a_ban_is_not_told_with_it(text: str, finding: str) -> None:
    told = shown(await Asking(said(("doctor1", text)), None).ask("what must he not be given"))
    assert "no penicillin" in told and finding not in told, told


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("For him: no zorbatine, no penicillin.", "zorbatine"),
        ("For the heart: no vaptan in the heart, no penicillin.", "vaptan"),
        ("Nothing in the epidural, no penicillin.", "epidural"),
        ("Nothing nephrotoxic, no penicillin.", "nephrotoxic"),
        ("Plan: nothing to eat, no penicillin.", "nothing to eat"),
    ],
)
async def test_what_may_be_given_stays_before_a_ban(text: str, name: str) -> None:
    told = shown(await Asking(said(("doctor1", text)), None).ask("what must he not be given"))
    assert name in told and "penicillin" in told, told
