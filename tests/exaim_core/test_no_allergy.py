"""What is said to be no allergy of this patient alarms nobody; a true allergy never goes silent."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, SpokenKind
from exaim_core.claims.no_allergy import Ground, denials, only_denies

Said = tuple[str, ...]
AMOXICILLIN = "Give amoxicillin 1 g now."


async def heard(*said: str) -> tuple[list[SpokenItem], str]:
    """Return what is told of sentences by as many agents, and the status at the end."""
    exaim, told = EXAIM(), list[SpokenItem]()
    for number, text in enumerate(said):
        agent = f"doctor{number}"
        updates = [*await exaim.feed(Delta(agent, text, 2 * number + 1, 5.0 * number))]
        updates += await exaim.turn_end(agent, 2 * number + 2, 5.0 * number + 0.5)
        told += [item for update in updates for item in update.items]
    last = await exaim.finish(5.0 * len(said))
    told += [item for update in last for item in update.items]
    return told, last[-1].summary.status_action


async def alarms(*said: str) -> list[str]:
    """Return the alarms on orders."""
    return [each.text for each in (await heard(*said))[0] if each.text.startswith("Check, ")]


@pytest.mark.parametrize(
    "said",
    [
        ("Allergies: the penicillin anaphylaxis in the notes belongs to the daughter.", AMOXICILLIN),
        (AMOXICILLIN, "Allergies: the penicillin anaphylaxis in the notes belongs to the daughter."),
        ("Penicillin allergy.", "The penicillin label was removed in 2021.", AMOXICILLIN),
        ("Penicillin allergy.", "The clinic removed her penicillin label.", AMOXICILLIN),
        ("Amoxicillin allergy.", "The penicillin label was removed in 2021.", AMOXICILLIN),
        ("Penicillin allergy.", "She passed an oral penicillin challenge.", AMOXICILLIN),
        ("Penicillin allergy.", "She has had amoxicillin four times without trouble.", AMOXICILLIN),
        ("Anaphylaxis to penicillin in 2011.", "She tolerated amoxicillin in 2020.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "She has tolerated amoxicillin since.", AMOXICILLIN),
        ("Anaphylaxis to penicillin in childhood.", "She tolerated amoxicillin in 2021.", AMOXICILLIN),
        ("Penicillin allergy on the chart, but she tolerated amoxicillin last year.", AMOXICILLIN),
        ("The penicillin label was removed.", "The chart lists a penicillin allergy.", AMOXICILLIN),
        ("The notes say penicillin anaphylaxis.", "That's his twin, Denzil.", AMOXICILLIN),
        ("Her sister is anaphylactic to penicillin.", AMOXICILLIN),
        ("Is she anaphylactic to penicillin?", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That's her daughter's.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That belongs to her daughter.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That comes from her daughter's chart.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That came from bed nine.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "She has tolerated amoxicillin once since.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "She tolerated amoxicillin after that.", AMOXICILLIN),
        (
            "Anaphylaxis to penicillin in 2009.",
            "She tolerated amoxicillin in 2015 and again now.",
            AMOXICILLIN,
        ),
        ("Penicillin anaphylaxis 2011.", "The anaphylaxis belongs to her twin sister.", AMOXICILLIN),
    ],
)
async def test_what_is_disproved_or_somebody_elses_alarms_nobody(said: Said) -> None:
    assert await alarms(*said) == []


@pytest.mark.parametrize(
    "said",
    [
        # it is not taken off, or wrongly
        ("Penicillin allergy.", "The penicillin label may have been removed.", AMOXICILLIN),
        ("Penicillin allergy.", "The penicillin label was never removed.", AMOXICILLIN),
        ("Penicillin allergy.", "The penicillin label should be removed.", AMOXICILLIN),
        ("Penicillin allergy.", "Was the penicillin label removed?", AMOXICILLIN),
        ("Penicillin allergy.", "The penicillin challenge was not negative.", AMOXICILLIN),
        ("The penicillin label was removed in error; she IS allergic to penicillin.", AMOXICILLIN),
        ("Penicillin allergy.", "The label was removed in error.", AMOXICILLIN),
        # something else is
        ("Penicillin allergy, the cannula was removed.", AMOXICILLIN),
        ("Removed the cannula, penicillin allergy.", AMOXICILLIN),
        ("Penicillin allergy.", "The latex label was removed.", AMOXICILLIN),
        ("Penicillin allergy.", "The amoxicillin rash was her sister's.", AMOXICILLIN),
        ("The latex allergy is her sister's; she is allergic to penicillin.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "Her sister is allergic to penicillin too.", AMOXICILLIN),
        ("Penicillin anaphylaxis 2011.", "His weight is 70 kg.", "That's his twin.", AMOXICILLIN),
        # another drug was borne, or at another time
        ("Tolerates cephalosporins, anaphylaxis to penicillin.", AMOXICILLIN),
        ("Anaphylaxis to penicillin in 2019.", "She tolerated amoxicillin in 2015.", AMOXICILLIN),
        ("Anaphylaxis to penicillin in March this year.", "She had amoxicillin in 2019, fine.", AMOXICILLIN),
        ("Anaphylaxis to penicillin last month.", "She tolerated amoxicillin in 2019.", AMOXICILLIN),
        ("Allergic to penicillin, hives in May.", "She tolerated amoxicillin in 2019.", AMOXICILLIN),
        ("Penicillin allergy, hives two weeks ago.", "She tolerated amoxicillin last year.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "She tolerated amoxicillin in 1998.", AMOXICILLIN),
        ("She tolerated amoxicillin as a child. Anaphylaxis to penicillin in 2019.", AMOXICILLIN),
        ("Hives minutes after amoxicillin this morning.", "She tolerated amoxicillin in May.", AMOXICILLIN),
        ("Penicillin allergy.", "She never tolerated amoxicillin.", AMOXICILLIN),
        (
            "Anaphylaxis to penicillin.",
            "He tolerated amoxicillin as a child; never give it again.",
            AMOXICILLIN,
        ),
        ("Anaphylaxis to penicillin.", "He tolerated amoxicillin; it was years later.", AMOXICILLIN),
        (
            "Anaphylaxis to penicillin.",
            "He tolerated amoxicillin as a child, but not after that.",
            AMOXICILLIN,
        ),
        ("Anaphylaxis to penicillin.", "She tolerated amoxicillin in May and again in June.", AMOXICILLIN),
        ("Anaphylaxis to penicillin.", "She tolerated amoxicillin after her operation.", AMOXICILLIN),
        ("Anaphylaxis to penicillin in 2015.", "Has tolerated amoxicillin since 2010.", AMOXICILLIN),
        ("Hives from amoxicillin this morning.", "She tolerated amoxicillin in May and since.", AMOXICILLIN),
        ("Hives from amoxicillin this morning.", "She tolerated it in May and again in June.", AMOXICILLIN),
        # what was borne is not the allergy, but a dose that nothing names
        (
            "Anaphylaxis to penicillin.",
            "The first dose that was given at ten was well tolerated.",
            AMOXICILLIN,
        ),
        # who told it is not whose it is
        ("She's anaphylactic to penicillin.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That comes from her daughter.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That's from her daughter.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "This came from his wife.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "That's for her daughter.", AMOXICILLIN),
        ("She's anaphylactic to penicillin.", "The penicillin allergy comes from her daughter.", AMOXICILLIN),
        # it is stated anew
        ("The penicillin label was removed.", "She is allergic to penicillin.", AMOXICILLIN),
        ("The penicillin label was removed.", "The chart has penicillin anaphylaxis in 2023.", AMOXICILLIN),
        ("The penicillin label was removed.", "A confirmed penicillin allergy on the chart.", AMOXICILLIN),
        # the reaction is not known, the allergy is
        ("Penicillin allergy, reaction unknown.", AMOXICILLIN),
    ],
)
async def test_a_true_allergy_is_never_silent(said: Said) -> None:
    assert len(await alarms(*said)) == 1


async def test_what_says_whose_an_allergy_is_corrects_and_cautions_nobody() -> None:
    told, status = await heard(
        "Give co-amoxiclav 1.2 g now.", "Allergies: the penicillin anaphylaxis belongs to the daughter."
    )
    [whose] = [each for each in told if "daughter" in each.text]
    assert whose.kind is SpokenKind.CHANGE
    assert "penicillin" not in status.lower()


async def test_that_a_label_is_gone_is_told_and_leaves_the_status() -> None:
    caution = "Vancomycin, because the chart lists a penicillin allergy."
    told, status = await heard(caution, "The penicillin label was removed in 2021 after a challenge.")
    assert [each.kind for each in told if "removed" in each.text] == [SpokenKind.CORRECTION]
    assert "penicillin allergy" not in status.lower()
    _, status = await heard(caution, "The penicillin label may have been removed.")
    assert "penicillin allergy" in status.lower()


async def test_a_list_of_allergies_leaves_the_status_only_if_all_are_over() -> None:
    listed, gone = (
        "Vancomycin, the chart says allergies: penicillin, latex.",
        "The penicillin label was removed.",
    )
    _, status = await heard(listed, gone)
    assert "allergies: penicillin, latex" in status.lower()
    _, status = await heard(listed, gone, "The latex allergy is her sister's.")
    assert "latex" not in status.lower()
    _, status = await heard(
        "Vancomycin, the chart says allergies: sulfasalazine.", "The sulfa label was removed."
    )
    assert "sulfasalazine" in status.lower()


async def test_a_correction_without_its_noun_is_not_told_alone() -> None:
    told, _ = await heard("She has a codeine allergy.", "That was a side effect, not an allergy.")
    assert not any(each.text.startswith("Doctor One: that was a side effect") for each in told)


async def test_an_alarm_falls_when_anybody_disproves_its_allergy() -> None:
    order = ("She is allergic to penicillin.", AMOXICILLIN)
    _, status = await heard(*order, "The penicillin allergy is her sister's.")
    assert "amoxicillin with" not in status
    _, status = await heard(*order, "She is not allergic to penicillin.")
    assert "amoxicillin with" in status  # it is denied by another, who gives no reason


async def test_a_relatives_allergy_is_no_caution() -> None:
    told, _ = await heard("There was an anaphylactoid reaction to acetylcysteine in her sister.")
    assert SpokenKind.CAUTION not in {each.kind for each in told}
    for said in (
        "Her mother says she had an anaphylactic reaction to acetylcysteine.",
        "Her sister had anaphylaxis to penicillin, and she had anaphylaxis to penicillin.",
    ):
        told, _ = await heard(said)
        assert SpokenKind.CAUTION in {each.kind for each in told}


@pytest.mark.parametrize(
    ("text", "grounds"),
    [
        ("The penicillin label was removed in 2021.", [Ground.REMOVED]),
        ("She is not allergic to penicillin.", [Ground.DENIED]),
        ("The anaphylaxis belongs to her sister.", [Ground.ANOTHERS]),
        ("She tolerated amoxicillin last year.", [Ground.BORNE]),
        ("She might have tolerated amoxicillin.", []),
        ("The drain was removed.", []),
    ],
)
def test_what_says_that_there_is_none_gives_its_ground(text: str, grounds: list[Ground]) -> None:
    assert [each.ground for each in denials(text)] == grounds


def test_a_text_only_denies_if_it_states_no_allergy_beside() -> None:
    assert only_denies("The latex allergy is her sister's.")
    assert not only_denies("The latex allergy is her sister's; she is allergic to penicillin.")
    assert not only_denies("She is not allergic to latex.")
