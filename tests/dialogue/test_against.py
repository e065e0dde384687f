"""What the record and the talk have against a thing that is asked about, whatever name and whatever question it is."""

from __future__ import annotations

import pytest

from tests.dialogue.asking import Asking, board_of
from tests.dialogue.test_before import said
from tests.dialogue.test_on_record import allergic, paper, shown

_TALK = said(("registrar", "She is stable."))


@pytest.mark.parametrize(
    ("allergy", "question"),
    [
        ("codeine", "can I give co-codamol?"),
        ("sulfonamides", "can I give Septrin?"),
        ("heparin", "enoxaparin?"),
        ("iodinated contrast", "can she have a CTPA?"),
        ("cefalexin", "can I give ceftriaxone?"),
        ("aspirin", "can I give diclofenac?"),
        ("penicillin", "which antibiotics can't I use?"),
    ],
)
async def test_a_recorded_allergy_is_told_of_what_meets_it(allergy: str, question: str) -> None:
    answer = await Asking(_TALK, paper(allergies=allergic(allergy, "kiwi"))).ask(question)
    assert allergy in answer.sentences[0].text


async def test_an_allergy_of_another_group_is_not_told_first() -> None:
    answer = await Asking(_TALK, paper(allergies=allergic("codeine"))).ask("can I give gentamicin?")
    assert answer.text.startswith("I have nothing on gentamicin; that is not a no.")


_RECORD = paper(
    history=["Asthma"],
    medication=[{"drug": "warfarin"}],
    labs=[{"analyte": "potassium", "value": 6.4, "unit": "mmol/L"}],
)


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("can I give atenalol?", "asthma"),
        ("naproxin?", "warfarin"),
        ("can she have spiro?", "6.4"),
        ("why can't I give ibuprofen?", "warfarin"),
        ("when can she have ibuprofen?", "warfarin"),
    ],
)
async def test_the_thing_is_checked_as_it_was_understood(question: str, met: str) -> None:
    assert met in (await Asking(_TALK, _RECORD).ask(question)).text.lower()


@pytest.mark.parametrize(
    ("question", "met"),
    [
        ("can I give propranolol?", "asthma"),
        ("can I give ibuprofen?", "warfarin"),
        ("can she have ramipril?", "pregnant"),
        ("spironolactone?", "6.9"),
    ],
)
async def test_a_condition_that_was_only_said_is_met_too(question: str, met: str) -> None:
    talk = (
        "doctor1",
        "She has asthma. She takes warfarin. She is 20 weeks pregnant. Potassium is 6.9 mmol/L.",
    )
    assert met in (await Asking(await board_of(talk), None).ask(question)).text


async def test_a_condition_that_was_denied_is_not_met() -> None:
    board = await board_of(("doctor1", "She has no asthma. She is not pregnant. Her mother takes warfarin."))
    for question in ("can I give propranolol?", "can she have ramipril?", "can I give ibuprofen?"):
        assert not (await Asking(board, None).ask(question)).found


@pytest.mark.parametrize(
    ("ban", "question"),
    [
        ("No aminoglycosides.", "gent?"),
        ("No beta-lactams.", "can I give meropenem?"),
        ("No DOACs.", "can I give apixaban?"),
        ("No LMWH.", "can I give enoxaparin?"),
        ("No antibiotics until cultures are taken.", "can I give ceftriaxone?"),
        ("No contrast.", "can she have a CTPA?"),
    ],
)
async def test_a_ban_on_a_class_is_told_of_its_members(ban: str, question: str) -> None:
    answer = await Asking(await board_of(("doctor1", ban)), None).ask(question)
    assert ban.lower().rstrip(".") in answer.sentences[0].text.lower()


async def test_her_medicines_are_checked_each() -> None:
    board = await board_of(("doctor1", "Hold metformin and ramipril."))
    record = paper(medication=[{"drug": "metformin"}, {"drug": "ramipril"}])
    text = (await Asking(board, record).ask("can she have her regular meds?")).text
    assert "hold metformin and ramipril" in text


async def test_of_a_drug_that_nothing_is_known_of_the_list_follows() -> None:
    board = await board_of(("doctor1", "Hold metformin. No intravenous fluids."))
    answer = await Asking(board, paper(allergies=allergic("kiwi"))).ask("can I give tobramycin?")
    assert answer.text.startswith(
        "I have nothing on tobramycin; that is not a no. On what must not be given: "
    )
    assert all(part in shown(answer) for part in ("kiwi", "metformin", "intravenous fluids"))


async def test_another_drug_is_not_told_of_one_that_nobody_knows() -> None:
    board = await board_of(("doctor1", "Hold metformin. Iron is fine."))
    assert "metformin" not in (await Asking(board, None).ask("tobramycin?")).text


@pytest.mark.parametrize(
    "free",
    [
        "No contraindication to heparin.",
        "No reason to withhold morphine.",
        "No aspirin was given.",
        "This is not digoxin toxicity.",
    ],
)
async def test_a_no_that_leaves_free_or_reports_is_not_told_as_a_ban(free: str) -> None:
    board = await board_of(("doctor1", f"No ketamine. {free}"))
    answer = await Asking(board, None).ask("what must not be given?")
    assert free.lower().rstrip(".") not in answer.text.lower() and "no ketamine" in answer.text.lower()


@pytest.mark.parametrize(
    "text",
    [
        "No contraindication to heparin, but no aspirin.",
        "No reason to stop morphine; avoid aspirin.",
        "No aspirin was given, and no aspirin until the scan.",
        "No aspirin was given because of her anaphylaxis to aspirin.",
    ],
)
async def test_a_ban_beside_what_is_left_free_stands(text: str) -> None:
    board = await board_of(("doctor1", text))
    assert "aspirin" in (await Asking(board, None).ask("what must not be given?")).text.lower()


@pytest.mark.parametrize(
    "question", ["what should I be careful with?", "any safety concerns?", "should I stop anything?"]
)
async def test_whoever_asks_for_cautions_hears_bans_and_allergies_too(question: str) -> None:
    board = await board_of(("doctor1", "No heparin. Be careful with fluids."))
    answer = await Asking(board, paper(allergies=allergic("penicillin"))).ask(question)
    assert all(part in shown(answer) for part in ("penicillin", "no heparin", "careful with fluids"))


async def test_what_somebody_else_says_next_is_not_counted_as_an_allergy() -> None:
    talk = said(("nurse", "Latex brings her out in hives."), ("registrar", "Chest is clear."))
    assert "chest" not in shown(await Asking(talk, None).ask("any allergies?"))


async def test_what_was_left_is_told_though_a_question_between_found_nothing() -> None:
    names = ("kiwi", "latex", "nickel", "codeine", "iodine", "penicillin")
    many = [{"substance": name, "reaction": "a rash over the whole trunk and both arms"} for name in names]
    asking = Asking(_TALK, paper(allergies=many))
    await asking.ask("any allergies?")
    assert not (await asking.ask("what about the spleen?")).found
    assert (await asking.ask("go on")).found


async def test_what_was_dropped_is_not_filled_with_what_stands_next() -> None:
    talk = (("doctor1", "Start gentamicin."), ("doctor1", "I withdraw gentamicin. Morphine is fine."))
    assert "morphine" not in (await Asking(await board_of(*talk), None).ask("what was dropped?")).text.lower()


async def test_a_value_on_record_is_still_told_as_a_contraindication_when_the_talk_names_it_too() -> None:
    board = await board_of(("doctor1", "Potassium is 6.4 mmol/L with a broad QRS."))
    text = (await Asking(board, _RECORD).ask("can I give spironolactone?")).text
    assert "potassium 6.4 mmol/L is a contraindication to spironolactone" in text


async def test_what_was_said_is_told_with_what_it_counts_against() -> None:
    board = await board_of(("doctor1", "She has asthma."))
    text = (await Asking(board, None).ask("can I give propranolol?")).text
    assert "asthma counts against propranolol; Doctor One says: she has asthma" in text


_POTASSIUM = paper(labs=[{"analyte": "potassium", "value": 6.4, "unit": "mmol/L"}])


@pytest.mark.parametrize("question", ["can I give ramipril?", "spironolactone?", "hold ramipril?"])
@pytest.mark.parametrize(
    "talk",
    [
        "The other patient has a potassium of 4.0.",
        "Potassium was 4.1 in May.",
        "Potassium 3.9 on admission.",
        "Potassium is 6.4. Aim for 5.0.",
        "Repeat potassium is 5.8.",
    ],
)
async def test_what_is_said_takes_no_condition_off_the_record(talk: str, question: str) -> None:
    answer = await Asking(await board_of(("doctor1", talk)), _POTASSIUM).ask(question)
    assert "6.4 mmol/L is a contraindication" in answer.text


@pytest.mark.parametrize(
    "talk", ["Aim for potassium 5.0.", "Potassium was 4.1 in May.", "Potassium 3.9 on admission."]
)
async def test_a_value_that_is_not_of_now_takes_no_said_condition_off(talk: str) -> None:
    board = await board_of(("doctor1", f"Potassium is 6.4. {talk}"))
    assert "potassium is 6.4" in (await Asking(board, None).ask("spironolactone?")).text


async def test_a_newer_value_in_so_many_words_takes_a_said_condition_off() -> None:
    board = await board_of(("doctor1", "Potassium is 6.4. Repeat potassium is now 4.2."))
    assert "6.4" not in (await Asking(board, None).ask("spironolactone?")).text


@pytest.mark.parametrize(
    ("talk", "question"),
    [
        ("The patient in bed 4 has asthma.", "propranolol?"),
        ("The next patient is on warfarin.", "ibuprofen?"),
        ("The patient in bed 4 is allergic to aspirin.", "diclofenac?"),
    ],
)
async def test_what_is_said_of_another_patient_is_not_held_against_a_thing(talk: str, question: str) -> None:
    assert not (await Asking(await board_of(("doctor1", talk)), None).ask(question)).found


@pytest.mark.parametrize(
    ("ban", "question"),
    [
        ("No DOACs. LMWH is fine.", "clexane?"),
        ("No DOACs. LMWH is fine.", "enoxaparin?"),
        ("No DOACs. LMWH is fine.", "warfarin?"),
        ("No LMWH.", "apixaban?"),
        ("No aminoglycosides.", "cipro?"),
    ],
)
async def test_a_ban_on_one_class_is_none_on_what_only_does_the_same(ban: str, question: str) -> None:
    assert not (await Asking(await board_of(("doctor1", ban)), None).ask(question)).found


@pytest.mark.parametrize(
    ("ban", "question"),
    [
        ("No DOACs.", "edoxaban?"),
        ("No DOACs.", "dabigatran?"),
        ("No anticoagulants.", "enoxaparin?"),
        ("No blood thinners.", "clopidogrel?"),
        ("No antiplatelets.", "clopidogrel?"),
        ("No thromboprophylaxis.", "dalteparin?"),
    ],
)
async def test_a_ban_on_what_drugs_do_is_told_of_each_that_does_it(ban: str, question: str) -> None:
    assert (
        ban.lower().rstrip(".")
        in (await Asking(await board_of(("doctor1", ban)), None).ask(question)).text.lower()
    )


@pytest.mark.parametrize(
    ("allergy", "question"),
    [
        ("heparin", "apixaban?"),
        ("heparin", "argatroban?"),
        ("methylene blue", "which antibiotics can I use?"),
    ],
)
async def test_no_allergy_spreads_over_what_drugs_do(allergy: str, question: str) -> None:
    assert not (await Asking(_TALK, paper(allergies=allergic(allergy))).ask(question)).found


@pytest.mark.parametrize(
    ("allergy", "question"),
    [
        ("heparin", "enoxaparin?"),
        ("heparin", "which anticoagulants can I use?"),
        ("bisoprolol", "can she have metoprolol?"),
        ("aspirin", "naproxen?"),
    ],
)
async def test_an_allergy_spreads_over_what_is_made_alike(allergy: str, question: str) -> None:
    assert (
        allergy in (await Asking(_TALK, paper(allergies=allergic(allergy))).ask(question)).sentences[0].text
    )


async def test_one_allergy_that_is_met_hides_no_other() -> None:
    answer = await Asking(_TALK, paper(allergies=allergic("heparin", "apixaban"))).ask("can I give apixaban?")
    assert "allergy: apixaban" in answer.sentences[0].text.lower()


_TAKES = paper(
    medication=[
        {"drug": "ramipril"},
        {"drug": "ibuprofen"},
        {"drug": "warfarin", "note": "held since admission"},
    ],
    allergies=allergic("kiwi"),
    labs=[{"analyte": "potassium", "value": 6.4, "unit": "mmol/L"}],
)


@pytest.mark.parametrize("question", ["what medicines is she on?", "medicines?"])
async def test_a_list_of_medicines_is_told_without_objections(question: str) -> None:
    text = (await Asking(_TALK, _TAKES).ask(question)).text
    assert text.startswith("On the medicines: the case paper lists") and "contraindication" not in text


async def test_what_the_record_has_on_a_drug_is_told_before_the_list() -> None:
    record = paper(
        medication=[{"drug": "warfarin", "note": "held since admission"}], allergies=allergic("kiwi")
    )
    answer = await Asking(_TALK, record).ask("can we restart warfarin?")
    assert "held since admission" in answer.sentences[0].text and "kiwi" in shown(answer)


@pytest.mark.parametrize(
    "text",
    [
        "No contraindication to heparin except an INR above 2.",
        "No morphine was given because it nearly killed her.",
    ],
)
async def test_what_leaves_free_with_an_exception_or_a_reason_is_told(text: str) -> None:
    answer = await Asking(await board_of(("doctor1", text)), None).ask("what must not be given?")
    assert answer.found and answer.text.lower().rstrip(".").split(": ")[1] in text.lower()


async def test_an_allergy_told_beside_a_relative_stands() -> None:
    board = await board_of(("doctor1", "She is allergic to aspirin, her husband to nothing."))
    assert "allergic to aspirin" in (await Asking(board, None).ask("diclofenac?")).text
    record = paper(notes=["Anaphylaxis to teicoplanin; mother has asthma"])
    assert "teicoplanin" in (await Asking(_TALK, record).ask("can I give vancomycin?")).text.lower()
