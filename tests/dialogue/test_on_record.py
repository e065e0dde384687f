"""What is on record is never lost: allergies that nobody knows as drugs, notes and history that forbid."""

from __future__ import annotations

from typing import Any

import pytest

from agents.dialogue import Answer
from exaim_core import CasePaper
from tests.dialogue.asking import Asking
from tests.dialogue.test_before import said

_TALK = said(("registrar", "She is stable."))


def paper(**parts: Any) -> CasePaper:
    return CasePaper.model_validate({"case_id": "made-up", **parts})


def allergic(*substances: str) -> list[dict[str, str]]:
    return [{"substance": name} for name in substances]


def shown(answer: Answer) -> str:
    return " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()


_MANY = (
    "penicillin",
    "codeine",
    "latex",
    "kiwi",
    "nickel",
    "methylene blue",
    "iodine",
    "heparin",
    "gelofusine",
)


@pytest.mark.parametrize("question", ["what must not be given", "any allergies?"])
async def test_each_recorded_allergy_is_told_whoever_knows_its_substance(question: str) -> None:
    answer = await Asking(_TALK, paper(allergies=allergic(*_MANY))).ask(question)
    assert [name for name in _MANY if name not in shown(answer)] == []


async def test_what_has_no_room_of_the_allergies_is_counted_and_told_as_more() -> None:
    many = [{"substance": name, "reaction": "a rash over the whole trunk and both arms"} for name in _MANY]
    asking = Asking(_TALK, paper(allergies=many))
    answer = await asking.ask("any allergies?")
    assert "more on the page" in answer.text
    assert [name for name in _MANY if name not in shown(answer)] == []
    assert (await asking.ask("tell me more")).found


async def test_a_recorded_anaphylaxis_is_told_before_a_mild_rash_that_was_said() -> None:
    record = paper(allergies=[{"substance": "penicillin", "reaction": "anaphylaxis", "year": 2011}])
    answer = await Asking(said(("nurse", "Penicillin gave her a mild rash.")), record).ask(
        "what must not be given"
    )
    assert "anaphylaxis in 2011" in answer.text and "mild rash" in shown(answer)


async def test_a_worse_reaction_that_was_said_is_told_beside_the_recorded_one() -> None:
    record = paper(allergies=[{"substance": "penicillin", "reaction": "rash"}])
    talk = said(("nurse", "Penicillin gave her anaphylaxis in theatre."))
    assert "anaphylaxis in theatre" in (await Asking(talk, record).ask("what must not be given")).text


async def test_a_ban_that_lasts_is_told_beside_a_newer_one_with_a_condition() -> None:
    talk = said(
        ("surgeon", "Never heparin again, she had HIT."),
        ("physician", "No heparin until the scan is read."),
    )
    text = (await Asking(talk, None).ask("what must not be given")).text.lower()
    assert "until the scan is read" in text and "never heparin again" in text


_NOTED = paper(
    notes=["Jehovah's Witness, no blood products.", "Avoid NSAIDs.", "Not for resuscitation."],
    history=["anaphylaxis to teicoplanin 2015"],
    medication=[{"drug": "warfarin", "note": "do not give"}],
    allergies=allergic("no known drug allergies"),
)


async def test_notes_history_and_what_is_noted_of_a_drug_forbid_too() -> None:
    text = (await Asking(_TALK, _NOTED).ask("what must not be given")).text.lower()
    for part in ("no blood products", "avoid nsaids", "not for resuscitation", "teicoplanin", "warfarin"):
        assert part in text


async def test_a_reaction_in_the_history_is_told_before_a_record_of_none() -> None:
    text = (await Asking(_TALK, _NOTED).ask("any allergies?")).text
    assert 0 < text.find("teicoplanin") < text.find("no known drug allergies")


@pytest.mark.parametrize(
    ("field", "entry"),
    [
        ("history", "No previous surgery"),
        ("history", "Type 2 diabetes, not on insulin"),
        ("notes", "No digoxin."),
        ("notes", "No known penicillin or latex allergy."),
        ("history", "Mother had anaphylaxis to penicillin"),
    ],
)
async def test_what_the_record_only_denies_or_has_of_a_relative_is_no_ban(field: str, entry: str) -> None:
    record = paper(**{field: [entry]}, allergies=allergic("nickel"))
    answer = await Asking(_TALK, record).ask("what must not be given")
    assert entry.lower().rstrip(".") not in answer.text.lower()


async def test_what_is_noted_of_a_drug_and_holds_nothing_back_is_not_listed() -> None:
    bought = [{"drug": "ibuprofen", "note": "bought without prescription"}]
    record = paper(medication=bought, allergies=allergic("kiwi"))
    assert "prescription" not in shown(await Asking(_TALK, record).ask("what must not be given"))


async def test_an_entry_that_names_one_allergy_and_denies_others_is_an_allergy() -> None:
    record = paper(allergies=allergic("no known allergies except kiwi", "kiwi; no other allergies"))
    assert "kiwi" in (await Asking(_TALK, record).ask("what must not be given")).text


async def test_asked_for_one_allergy_what_was_said_is_told_beside_the_record() -> None:
    talk = said(("nurse", "Codeine makes her face swell."))
    answer = await Asking(talk, paper(allergies=allergic("penicillin"))).ask("allergic to latex?")
    assert answer.text.startswith("I have nothing on latex; that is not a no.")
    assert "penicillin" in answer.text and "codeine" in answer.text.lower()


async def test_a_value_that_is_asked_for_beside_allergies_is_told() -> None:
    record = paper(
        allergies=allergic("kiwi"), labs=[{"analyte": "potassium", "value": 6.4, "unit": "mmol/L"}]
    )
    text = (await Asking(_TALK, record).ask("what is the potassium and is she allergic to anything")).text
    assert "6.4" in text and "kiwi" in text


async def test_the_patients_own_allergies_are_told_before_those_of_relatives() -> None:
    history = ["Mother had anaphylaxis to penicillin", "Father allergic to aspirin"]
    talk = said(("nurse", "Codeine makes her face swell."))
    text = (await Asking(talk, paper(history=history)).ask("any allergies?")).text.lower()
    assert 0 < text.find("codeine") < text.find("penicillin")


@pytest.mark.parametrize(
    ("field", "entry"),
    [("history", "Husband is allergic to penicillin"), ("notes", "Patient in bed 4 is allergic to aspirin")],
)
async def test_a_record_of_none_is_told_before_what_others_react_to(field: str, entry: str) -> None:
    record = paper(**{field: [entry]}, allergies=allergic("none known"))
    text = (await Asking(_TALK, record).ask("any allergies?")).text
    assert text.startswith("On the allergies: the case paper has none known.")


async def test_a_note_that_names_nothing_given_is_no_ban() -> None:
    record = paper(notes=["Avoid eye contact, she is frightened", "Avoid NSAIDs."])
    answer = await Asking(said(("nurse", "Codeine makes her face swell.")), record).ask(
        "what must not be given?"
    )
    assert (
        "eye contact" not in answer.text
        and "eye contact" in shown(answer)
        and "nsaids" in answer.text.lower()
    )


async def test_what_was_said_of_a_relative_is_not_told_again_from_the_record() -> None:
    entry = "mother had anaphylaxis to penicillin"
    talk = said(("nurse", f"Her {entry}."))
    text = (await Asking(talk, paper(history=[entry])).ask("any allergies?")).text
    assert text.count(entry) == 1
