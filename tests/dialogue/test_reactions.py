"""What tells of a reaction: a substance and what it did, in one sentence or two, the patient's own first."""

from __future__ import annotations

import pytest

from agents.dialogue.allergies import reaction_at, tells_of_reaction
from tests.dialogue.asking import board_of
from tests.dialogue.test_before import said
from tests.dialogue.test_likeness import answered


def _told(talk: str) -> list[str]:
    view = said(("nurse", talk))
    return [one.text for at, one in enumerate(view.said) if tells_of_reaction(view.said, at)]


@pytest.mark.parametrize(
    "talk",
    [
        "The naproxen brings me out in bumps.",
        "My whole back came up in blisters with doxycycline.",
        "Morphine: lips swelled, 2015.",
        "Hers is diclofenac. / Closes her right up.",
        "Carbamazepine was written up. / It gave her fever and a bad liver (DRESS).",
        "Heparin-induced thrombocytopenia, 2018.",
        "Latex. / Her face swelled at the dentist.",
        "Metoclopramide gave her a jaw spasm in 2019.",
        "Neck spasm after prochlorperazine.",
    ],
)
def test_a_reaction_in_any_words_is_told(talk: str) -> None:
    assert _told(talk), talk


@pytest.mark.parametrize(
    "talk",
    [
        "Give furosemide until she passes water.",  # an effect that is wanted
        "Furosemide brought her weight down.",
        "He has a rash on both shins.",  # a finding
        pytest.param(
            "Wheezy all night, salbutamol is running.",
            marks=pytest.mark.xfail(
                strict=True, reason="a drug beside a symptom that it treats: open, decision 131"
            ),
        ),
        "No known allergies.",
        "NKDA.",
        "Penicillin gave her no rash.",
        "The HIT screen was sent.",
        "It could be DRESS.",
        "He came up in the lift with his morphine.",
        "Ceftriaxone is in. / The surgeon closed the wound.",
        "Amoxicillin for a week and no hives.",
        "Jaw spasm settled with diazepam.",
        "Morphine gave her relief from the spasms.",
    ],
)
def test_a_look_alike_is_not(talk: str) -> None:
    assert not _told(talk), talk


@pytest.mark.parametrize(
    "talk",
    [
        "Give ceftriaxone 2 g. / Her lips swelled.",  # an order, before the sign
        "Ours takes penicillin fine. / It is latex he swells up with.",
        "Was it penicillin? / Her lips swelled.",
    ],
)
def test_a_neighbour_lends_no_substance_that_is_ordered_asked_or_borne(talk: str) -> None:
    view = said(("nurse", talk))
    assert all(len(reaction_at(view.said, at)) < 2 for at in range(len(view.said))), talk


def test_nobody_elses_sentence_lends_a_substance() -> None:
    view = said(("nurse", "Hers is diclofenac."), ("doctor", "Closes her right up."))
    assert all(len(reaction_at(view.said, at)) < 2 for at in range(len(view.said)))


async def test_the_patients_own_is_told_before_somebody_elses() -> None:
    talk = "My sister can't have penicillin, she swells up. / Me, the naproxen brings me out in lumps."
    text = (await answered("any allergies", said(("patient", talk)), None)).text
    assert text.index("naproxen") < text.index("sister"), text


async def test_what_was_disproved_is_told_behind_and_with_that_it_was() -> None:
    talk = "Contrast allergy: that is not hers. / Teicoplanin gave her hives."
    text = (await answered("any allergies", said(("nurse", talk)), None)).text
    assert text.index("eicoplanin") < text.index("not hers"), text


async def test_two_sentences_are_told_as_one() -> None:
    talk = said(("nurse", "Hers is diclofenac, and naproxen. / Closes her right up."))
    assert (
        "diclofenac, and naproxen. Closes her right up" in (await answered("any allergies", talk, None)).text
    )


async def test_no_result_fills_the_answer() -> None:
    talk = said(("patient", "Naproxen brings me out in lumps."), ("measurement", "RESULTS: BP 84/50 lying."))
    text = (await answered("any allergies", talk, None)).text
    assert "naproxen" in text.lower() and "84" not in text, text


async def test_no_more_is_no_frame() -> None:
    board = await board_of(("patient", "And no more naproxen for me, my whole mouth came up in blisters."))
    assert "naproxen" in (await answered("any drug reactions", board, None)).text
