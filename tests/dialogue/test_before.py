"""What was said before a sentence lends it its meaning: an answer to a question, a refusal, a bare number."""

from __future__ import annotations

import pytest

from exaim_core import BoardView
from exaim_core.board.shown import SaidView
from tests.dialogue.asking import Asking


def said(*turns: tuple[str, str]) -> BoardView:
    """Return a board on which each speaker says his sentences, a turn each, in this order."""
    made: list[SaidView] = []
    for turn, (agent, text) in enumerate(turns, start=1):
        made += [
            SaidView(agent_id=agent, at=(turn, len(made), len(made)), text=one) for one in text.split(" / ")
        ]
    return BoardView(speakers=tuple(dict.fromkeys(agent for agent, _ in turns)), said=tuple(made))


_TALK = said(
    ("caller", "Glucose 14.2. / She is drowsy."),
    ("toxicologist", "Potassium before you start?"),
    ("caller", "3.4. / Ionised calcium 1.02."),
    ("registrar", "Ondansetron for the sickness?"),
    ("toxicologist", "Not until the QTc is under 480. / Cyclizine meanwhile."),
    ("nurse", "She says penicillin brings her out in hives."),
    ("registrar", "Tranexamic acid 1 g?"),
    ("toxicologist", "Please no. / It has not helped anybody."),
)


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("what's her potassium", "3.4"),
        ("can she have ondansetron", "480"),
        ("any allergies", "penicillin"),
        ("is she allergic to anything", "hives"),
    ],
)
async def test_a_sentence_is_found_by_what_was_said_before_it(question: str, holds: str) -> None:
    answer = await Asking(_TALK, None).ask(question)
    assert holds in answer.text, answer.text


async def test_a_refusal_without_a_name_is_listed_with_what_it_refuses() -> None:
    answer = await Asking(_TALK, None).ask("what must she not be given")
    shown = " ".join(one.text for one in (*answer.sentences, *answer.on_page))
    assert "Tranexamic acid 1 g? The toxicologist: Please no." in shown


async def test_a_refusal_of_what_was_found_is_on_no_list() -> None:
    board = said(
        ("registrar", "CT of the chest with contrast."), ("radiologist", "No effusion seen. / No stone.")
    )
    answer = await Asking(board, None).ask("what must she not be given")
    assert "effusion" not in " ".join(one.text for one in (*answer.sentences, *answer.on_page))


async def test_another_drug_between_takes_the_meaning_away() -> None:
    board = said(("registrar", "Insulin now. / Heparin 5000 units twice a day."))
    answer = await Asking(board, None).ask("how much insulin")
    assert "On insulin: the registrar says: heparin" not in answer.text


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("whats he not to get", "forbidden"),
        ("what is she not to have", "forbidden"),
        ("which dose of heparin is he not to get", "how_much"),
    ],
)
async def test_what_somebody_is_not_to_get_is_asked_of_the_whole_case(question: str, kind: str) -> None:
    assert (await Asking(_TALK, None).ask(question)).kind == kind
