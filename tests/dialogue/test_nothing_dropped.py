"""No sentence that names a treatment, gives a quantity or forbids is dropped for its form before anyone can ask."""

from __future__ import annotations

import pytest

from agents.dialogue.paper_facts import paper_facts
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core import CasePaper
from tests.dialogue.asking import Asking, board_of

_FORBIDDEN = "what must not be given"


async def told(said: str, question: str) -> str:
    """Return what is answered, in small letters, with the page."""
    answer = await Asking(await board_of(("doctor1", "She is bleeding."), ("doctor2", said)), None).ask(
        question
    )
    return " ".join(one.text for one in (*answer.sentences, *answer.on_page)).lower()


@pytest.mark.parametrize(
    ("said", "drug"),
    [
        ("We should not give enoxaparin.", "enoxaparin"),
        ("I believe we should not use suxamethonium.", "suxamethonium"),
        ("Let us not give tranexamic acid.", "tranexamic"),
        ("Thank you, and please do not restart warfarin.", "warfarin"),
        ("We are not giving aspirin.", "aspirin"),
    ],
)
async def test_a_ban_in_the_form_of_a_courtesy_is_on_the_list(said: str, drug: str) -> None:
    assert drug in await told(said, _FORBIDDEN)


async def test_a_limit_in_the_form_of_a_courtesy_is_kept() -> None:
    board = await board_of(("doctor1", "Sodium 121. We should not correct by more than 8 in a day."))
    assert board.said[-1].text == "We should not correct by more than 8 in a day."


@pytest.mark.parametrize(
    "said",
    [
        "Thank you for presenting her.",
        "I believe we agree on the tests.",
        "Should we give aspirin",
        "Shall we stop warfarin then",
        "Let us go on.",
        "Thank you for raising the aspirin question.",
        "Great point about heparin.",
        "Let's discuss heparin next.",
        "Let's suppose the potassium is 7.5 mmol/L.",
        "Please confirm whether he is on warfarin.",
    ],
)
async def test_a_bare_courtesy_is_not_kept(said: str) -> None:
    board = await board_of(("doctor1", f"She is bleeding. {said}"))
    assert [one.text for one in board.said] == ["She is bleeding."]


@pytest.mark.parametrize(
    ("said", "drug"),
    [
        ("Phenytoin must not be given.", "phenytoin"),
        ("Vancomycin should not be given before the cultures are drawn.", "vancomycin"),
        ("Ketamine is not to be given.", "ketamine"),
        ("I am against rocuronium.", "rocuronium"),
        ("I will not give ketamine.", "ketamine"),
        ("We have to avoid morphine.", "morphine"),
        ("I have concerns about propofol.", "propofol"),
    ],
)
async def test_what_an_agent_will_not_have_is_no_report_of_what_it_does(said: str, drug: str) -> None:
    answer = await told(said, f"any concerns about {drug}")
    assert said.rstrip(".").lower() in answer


@pytest.mark.parametrize(
    "said",
    [
        "Phenytoin was not given.",
        "Phenytoin has not been given yet.",
        "Phenytoin was to be given at six.",
        "We have given phenytoin 1 g.",
        "I will look up phenytoin.",
        "I will come back to phenytoin later.",
    ],
)
async def test_what_was_given_is_still_not_told(said: str) -> None:
    assert said.rstrip(".").lower() not in await told(said, "what about phenytoin")


def test_a_note_that_forbids_is_a_fact_of_the_paper() -> None:
    paper = CasePaper(
        case_id="a", title="b", notes=["Gentamicin must not be given.", "Gentamicin was given at six."]
    )
    facts = paper_facts(paper, known_vocabulary())
    assert [fact.rests_on for fact in facts] == [("Gentamicin must not be given.",)]
