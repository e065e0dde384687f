"""How a discussion ended, where no view may be stated: what was said as the end, else what was said last."""

# ruff: noqa: E501 - sentences stay whole

from __future__ import annotations

import pytest

from exaim_core.lexicon.brevity import CLOSING_WORDS
from tests.exaim_core.test_ruling import UNREAD, closing

ONE = ("A", "Takotsubo for me, on the echo.\n")
OTHER = ("B", "I would call it myocarditis, on the fever.\n")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Right, and everybody nodding: takotsubo, no infarction.\n", "Right, and everybody nodding: takotsubo, no infarction"),
        ("No one in this room now holds out for anything but myocarditis.\n", "No one in this room now holds out for anything but myocarditis"),
        ("Consensus of the night = probable myocarditis.\n", "Consensus of the night = probable myocarditis"),
        ("Takotsubo syndrome or myocarditis, undecided.\n", "Takotsubo syndrome or myocarditis, undecided"),
        ("## Closing summary\n\nProbable myocarditis, scan tomorrow.\n", "Closing summary: Probable myocarditis, scan tomorrow"),
        ("Diagnosis (of all three): myocarditis, mild.\n", "Diagnosis (of all three): myocarditis, mild"),
    ],
)  # fmt: skip
async def test_what_is_said_outright_as_the_end_is_quoted(said: str, told: str) -> None:
    assert await closing(ONE, OTHER, ("C", said)) == f"Finished. {told}, says Agent C."


async def test_what_all_hold_is_told_though_others_took_note_of_it_since() -> None:
    turns = (ONE, OTHER, ("C", "All three of us say myocarditis then.\n"), ("B", "Fine. Bed nine.\n"))
    assert await closing(*turns) == "Finished. All three of us say myocarditis then, says Agent C."


async def test_what_is_left_open_is_told_with_the_sentence_that_names_it() -> None:
    said = "I am not going to pick. Takotsubo syndrome and myocarditis both fit the scan.\n"
    told = await closing(ONE, OTHER, ("moderator", said))
    assert told == (
        "Finished. I am not going to pick. Takotsubo syndrome and myocarditis both fit the scan, says the moderator."
    )


async def test_what_was_put_right_since_is_not_the_end() -> None:
    said = ("C", "We all agree on viral myocarditis with a low ejection fraction.\n")
    right = ("B", "Correction: not viral myocarditis, the ejection fraction was 60 %.\n")
    assert "we all agree" not in (await closing(ONE, OTHER, said, right)).lower()


async def test_what_one_says_of_itself_last_is_not_the_end() -> None:
    assert await closing(ONE, OTHER, ("C", "For me it is probably a myocarditis.\n")) == UNREAD


async def test_a_long_sentence_is_told_by_the_part_that_ends_it() -> None:
    said = (
        "I have looked at the curves of this morning again with the fellow and then with the two nurses who took them; "
        "nobody here is against myocarditis.\n"
    )
    assert (
        await closing(ONE, OTHER, ("C", said))
        == "Finished. Nobody here is against myocarditis, says Agent C."
    )


async def test_what_was_said_last_of_what_they_spoke_about_is_told_as_no_more_than_that() -> None:
    turns = (
        ("A", "The myocarditis worries me.\n"),
        ("B", "The troponin fits a myocarditis.\n"),
        ("A", "Right. Treating the myocarditis on the ward, sepsis screen sent.\n"),
    )
    assert await closing(*turns) == (
        "Finished. At the end Agent A said: Treating the myocarditis on the ward, sepsis screen sent."
    )


async def test_a_closing_with_a_long_name_is_short_enough() -> None:
    said = "All of us agree on " + "very " * 16 + "likely myocarditis of the left ventricle.\n"
    told = await closing(ONE, OTHER, ("Dr Johannes Brandvold, Respiratory Medicine", said))
    assert len(told.split()) <= CLOSING_WORDS


WORRY = ("A", "The myocarditis worries me.\n")
FITS = ("B", "The troponin fits a myocarditis.\n")
# An end that says neither what it is nor what is decided about it is worse than that nothing could be read.
BESIDE = [
    ("C", "Leave that one open."),
    ("C", "Yes, no objections left."),
    ("moderator", "So: paracetamol 1 g for the headache."),
    ("moderator", "PLAN: ramipril stopped for good."),
    ("moderator", "Plan: cubicle on the ward; observations hourly; oxygen, aim 95 %."),
    ("C", 'Allergy box: "erythromycin, hepatitis 2011".'),
    ("C", "Pericarditis is third and not excluded; embolism fourth."),
    ("C", "Her sister's asthma goes on the form as well."),
    ("moderator", "Not settled: the ward after the catheter lab."),
    ("C", "Everybody happy, thanks."),
    ("C", "All agreed then, bed nine."),
    ("moderator", "Family history: sudden death of an uncle."),
    ("C", "Previous: pneumonia 2019, treated at home."),
    ("moderator", "Then it's left undecided, pharmacy gets a call."),
    ("C", "CT with contrast now, that decides between a heparin pump and none."),
]
THE_END = [
    ("C", "All agreed: myocarditis."),
    ("C", "Nobody differs: viral myocarditis."),
    ("C", "No dissent on the myocarditis."),
    ("moderator", "So: myocarditis, most likely."),
    ("moderator", "Diagnosis: myocarditis, probable, biopsy pending."),
    ("moderator", "Summary: myocarditis, treated tonight."),
    ("moderator", "Plan: treat as myocarditis, biopsy tomorrow."),
    ("moderator", "It stays open between takotsubo and myocarditis."),
    ("moderator", "We do not know the cause."),
    ("moderator", "No consensus."),
    ("moderator", "The diagnosis stays open."),
    ("moderator", "Left open: myocarditis or takotsubo."),
    ("C", "Myocarditis or takotsubo, undecided until the biopsy."),
]


@pytest.mark.parametrize(("agent", "said"), BESIDE)
async def test_what_is_beside_the_point_is_not_told_as_the_end(agent: str, said: str) -> None:
    assert said.strip(".")[-12:] not in await closing(WORRY, FITS, (agent, f"{said}\n"))


@pytest.mark.parametrize(("agent", "said"), THE_END)
async def test_what_says_what_it_is_or_that_it_is_open_is_told_as_the_end(agent: str, said: str) -> None:
    assert said.strip(".")[-12:] in await closing(WORRY, FITS, (agent, f"{said}\n"))


async def test_at_the_end_is_said_only_of_who_spoke_last() -> None:
    turns = (
        WORRY,
        FITS,
        ("C", "Treating the myocarditis on the ward, biopsy sent.\n"),
        ("B", "Fine. Bed nine.\n"),
    )
    assert (
        await closing(*turns) == "Finished. Treating the myocarditis on the ward, biopsy sent, says Agent C."
    )


PLAN = ("moderator", "Decision: we do not operate tonight.\n")


@pytest.mark.parametrize(
    "turns",
    [
        (PLAN,),
        (("surgeon", "The abdomen is rigid.\n"), PLAN),
        (("surgeon", "I lead with ileus.\n"), PLAN),
        (("surgeon", "The abdomen is rigid.\n"), PLAN, ("nurse", "The monitor is on.\n")),
    ],
)
async def test_a_decision_that_was_told_is_the_end(turns: tuple[tuple[str, str], ...]) -> None:
    assert await closing(*turns) == "Finished. We do not operate tonight, the decision by the moderator."


@pytest.mark.parametrize(
    "turns",
    [
        (PLAN, ("surgeon", "I disagree, she has a perforation.\n"), ("moderator", "Then we operate.\n")),
        (PLAN, *(("nurse", "The monitor is on.\n"), ("porter", "The lift works again.\n")) * 2),
        (("nurse", "Decide: do we operate tonight?\n"),),
    ],
)
async def test_one_that_its_speaker_came_back_to_or_that_is_long_ago_is_not(
    turns: tuple[tuple[str, str], ...],
) -> None:
    assert "the decision by" not in await closing(*turns)


@pytest.mark.parametrize(
    "said",
    [
        "She's had a stroke in August. No ticagrelor.\n",
        "He had had a stroke last winter.\n",
        "Ruptured until proven otherwise.\n",
        "Because of the renal failure on admission.\n",
    ],
)
async def test_a_history_a_reason_and_an_adjective_alone_are_not_the_end(said: str) -> None:
    assert await closing(("A", "Chest pain on the stairs.\n"), ("B", said), ("C", "Agreed.\n")) == UNREAD


async def test_the_turn_that_presents_the_case_is_not_its_end() -> None:
    assert await closing(("ed", "Upper GI bleed, scope failed.\n"), ("gi", "Fine, on my way.\n")) == UNREAD
