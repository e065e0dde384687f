"""A dissent is told with its reason; a view that is weighed against another one, and one newly favoured, are read."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, Update
from exaim_core.claims.claim_words import plain_view
from exaim_core.claims.dissenting import differs


async def told(*turns: str) -> list[str]:
    """Play turns ("agent: words") and return what is spoken before the closing."""
    exaim = EXAIM()
    updates: list[Update] = []
    for number, turn in enumerate(turns):
        agent, _, text = turn.partition(": ")
        updates += await exaim.feed(Delta(agent, text, 2 * number + 1, 10.0 * number))
        updates += await exaim.turn_end(agent, 2 * number + 2, 10.0 * number + 1)
    updates += await exaim.finish(10.0 * len(turns))
    return [item.text for update in updates for item in update.items][:-1]


@pytest.mark.parametrize(
    "said",
    [
        "I dissent. Imaging shows no ductal dilation.",
        "I disagree. Troponin of 12,000 is too high for takotsubo.",
    ],
)
async def test_a_dissent_is_told_with_its_reason(said: str) -> None:
    assert f"Agent B: {said}" in await told("A: Likely cholangitis.", f"B: {said}")


@pytest.mark.parametrize("said", ["I disagree.", "I disagree. Is the duct dilated?", "Disagree. Noted."])
async def test_a_dissent_without_a_reason_is_told_nowhere(said: str) -> None:
    assert not any("isagree" in each for each in await told("A: Likely cholangitis.", f"B: {said}"))


async def test_a_ban_and_a_value_behind_a_dissent_are_told_as_before() -> None:
    assert "Caution, Agent B: I disagree. No heparin." in await told(
        "A: Give heparin 5000 units.", "B: I disagree. No heparin."
    )
    assert "Critical, from Agent B: potassium 6.9." in await told(
        "A: The potassium is fine.", "B: I disagree. Potassium is 6.9."
    )


async def test_a_view_that_is_favoured_after_a_concession_is_a_change_of_mind() -> None:
    turns = ("A: I favour takotsubo cardiomyopathy.", "B: Noted.", "A: Point taken; I now favour STEMI.")
    assert "Agent A, first takotsubo cardiomyopathy, now STEMI." in await told(*turns)


@pytest.mark.parametrize(
    ("said", "view"),
    [
        ("I favour takotsubo over STEMI because the ballooning is apical.", "takotsubo"),
        ("I favour takotsubo rather than myocarditis.", "takotsubo"),
        ("I favour CT over MRI.", None),
        ("I favour observation over PCI.", None),
        ("I favour heparin over STEMI treatment.", None),
        ("I favour waiting over sepsis.", None),
        ("I might favour takotsubo over STEMI.", None),
        ("Point taken; would you favour STEMI?", None),
    ],
)
def test_what_is_favoured_over_a_condition_is_a_view(said: str, view: str | None) -> None:
    assert plain_view(said) == view


DISSENTS = [
    "I respectfully disagree with the diagnosis of giant cell arteritis.",
    "I would contest the diagnosis of pneumonia.",
    "I remain unconvinced that this is a pulmonary embolism, since the D-dimer is normal.",
    "With respect, I cannot support thrombolysis at this point.",
    "I have revised my assessment of pneumonia.",
    "Having seen the biopsy, I no longer believe that this is sarcoidosis.",
    "I do not agree that the lesion is an abscess because it does not restrict diffusion.",
    "I am unable to support discharge tonight.",
]
NO_DISSENTS = [
    "I do not disagree with the diagnosis of pneumonia.",
    "I could not agree more that this is pneumonia.",
    "I would like to question the patient about travel.",
    "I have nothing to dispute in the radiology report.",
    "The surgeon disagrees with the biopsy.",
    "Do I disagree that this is pneumonia?",
    "If the biopsy is negative, I would disagree with lymphoma.",
    "I cannot accept the apology.",
    "I changed my mind about lunch.",
    "I am sceptical of round one.",
]


@pytest.mark.parametrize("said", DISSENTS)
async def test_in_prose_a_dissent_is_told_with_what_it_is_about(said: str) -> None:
    turn = f"B: Thank you for the account. {said} The inflammatory markers are entirely normal."
    heard = await told("A: This is giant cell arteritis.", turn)
    assert any(differs(said) in each for each in heard)


@pytest.mark.parametrize("said", NO_DISSENTS)
def test_what_is_asked_denied_supposed_or_another_s_is_no_dissent(said: str) -> None:
    assert not differs(said)


async def test_the_reason_in_the_next_sentence_is_told_with_it() -> None:
    both = "I cannot support thrombolysis at this point. The infarct is already established on the CT."
    assert f"Agent B: {both}" in await told("A: I suggest thrombolysis.", f"B: With respect, {both}")
