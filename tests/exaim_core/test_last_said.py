"""What waits is worded with what was said of its drug since; nothing is concluded from it."""

from __future__ import annotations

import pytest

from exaim_core import SpokenItem, SpokenKind, Update
from exaim_core.schema import Cite
from exaim_core.text.names import Names
from exaim_core.words.last_said import LastSaid
from exaim_core.words.newer import NewestValues
from exaim_core.words.since_then import beside
from tests.exaim_core.test_newer_events import stated
from tests.exaim_core.test_whose_words import played

ORDER = ("registrar", "Give gentamicin 320 mg IV now.")
LONG_ORDER = (
    "Give gentamicin 320 mg IV now over half an hour through the line in her left arm, before the scan."
)
TOLD = "The registrar: give gentamicin 320 mg IV now"


def late(updates: list[Update], drug: str) -> list[str]:
    """Return the words of the items that name `drug`, as they would be told if all had waited to the end."""
    since = {each.item_id: each.words for update in updates for each in update.said_since}
    found: list[SpokenItem] = [item for update in updates for item in update.items if item.kind != "closing"]
    assert found
    return [beside(item.text, since.get(item.item_id, "")) for item in found if drug in item.text]


@pytest.mark.parametrize(
    ("turns", "first"),
    [
        (
            (
                ORDER,
                ("pharmacist", "Her creatinine is 310. With that I am not happy about gentamicin at all."),
            ),
            f"{TOLD}; since then the pharmacist: with that I am not happy about gentamicin at all.",
        ),
        (  # it need not be a refusal
            (ORDER, ("nurse", "The gentamicin is hanging."), ("registrar", "Thanks.")),
            f"{TOLD}; since then the nurse: the gentamicin is hanging.",
        ),
    ],
)
async def test_an_order_is_told_late_with_what_was_said_of_its_drug_since(
    turns: tuple[tuple[str, str], ...], first: str
) -> None:
    assert late(await played(*turns), "320")[0] == first


@pytest.mark.parametrize(
    "turns",
    [
        (ORDER, ("nurse", "Shall I give the gentamicin?")),
        (ORDER, ("nurse", "Give gentamicin 320 mg IV now.")),
        (ORDER, ("nurse", "Blood cultures are off.")),
        (("registrar", "Give gentamicin 320 mg IV now. The gentamicin covers the urine."),),
        (("registrar", f"{LONG_ORDER} The gentamicin covers the urine."),),
        (
            ORDER,
            (
                "nurse",
                "I have looked for it in the cupboard behind the desk, where the gentamicin is always kept.",
            ),
        ),
    ],
    ids=["asked", "repeated", "of something else", "in the same turn", "behind a long one", "too long"],
)
async def test_what_asks_repeats_goes_on_or_is_long_is_told_beside_nothing(
    turns: tuple[tuple[str, str], ...],
) -> None:
    assert "since then" not in late(await played(*turns), "320")[0]


async def test_a_ban_that_is_only_repeated_is_told_once() -> None:
    turns = (
        ("registrar", "No gentamicin for her, please."),
        ("pharmacist", "So no gentamicin and no ibuprofen."),
    )
    assert not any("since then" in text for text in late(await played(*turns), "entamicin"))


async def test_a_ban_is_told_late_with_what_lifts_it() -> None:
    turns = (
        ("registrar", "No gentamicin for her, please."),
        ("pharmacist", "Creatinine is 60 after all, so gentamicin may be given."),
    )
    assert any("since then the pharmacist: " in text for text in late(await played(*turns), "entamicin"))


@pytest.mark.parametrize(
    ("ban", "turns", "since"),
    [
        ("No beta-blockers for her.", ("critic|Right.", "nurse|I take it back."), True),
        ("No metoprolol for her.", ("critic|She is septic.", "nurse|Withdrawn."), True),
        ("No gentamicin for her.", ("critic|Why no gentamicin?", "nurse|I take it back."), True),
        ("No gentamicin for her.", ("critic|Amoxicillin instead?", "nurse|I take it back."), True),
        ("No beta-blockers for her.", ("critic|Right.", "critic|I take it back."), False),
        ("No beta-blockers for her.", ("critic|Amoxicillin is up.", "nurse|I take it back."), False),
        ("No beta-blockers for her.", ("nurse|Pressure 90 over 50.", "nurse|I take it back."), False),
        ("No beta-blockers for her.", ("critic|Why?", "nurse|I take it to the ward."), False),
    ],
    ids=[
        "a class",
        "a drug",
        "asked why",
        "asked of another",
        "another's",
        "another drug",
        "something else",
        "no taking back",
    ],
)
async def test_a_ban_is_told_late_with_its_speakers_bare_taking_back(
    ban: str, turns: tuple[str, ...], since: bool
) -> None:
    said = [("nurse", ban), *((agent, text) for agent, _, text in (each.partition("|") for each in turns))]
    told = late(await played(*said, ("critic", "Fine.")), ban.split()[1])
    assert ban[:5].lower() in told[0] and any("; since then" in text for text in told) is since


@pytest.mark.parametrize(
    ("text", "said", "since"),
    [
        (  # what weighs comes before what only names it
            "give gentamicin 320 mg",
            ("No gentamicin until the level is back.", "Our pharmacy keeps gentamicin."),
            "no gentamicin until the level is back",
        ),
        (  # and of that the last
            "give gentamicin 320 mg",
            ("Hold the gentamicin.", "Give the gentamicin at noon."),
            "give the gentamicin at noon",
        ),
        (  # the ban beside an order is of something else
            "give gentamicin 320 mg, and no ibuprofen",
            ("No gentamicin, her creatinine is 310.",),
            "no gentamicin, her creatinine is 310",
        ),
    ],
)
def test_what_weighs_most_and_was_said_last_is_told_beside_an_order(
    text: str, said: tuple[str, ...], since: str
) -> None:
    assert _beside(text, said)[0] == f"the pharmacist: {since}"


def test_it_is_told_no_more_once_it_is_unsaid() -> None:
    assert _beside("give gentamicin 320 mg", ("Hold the gentamicin.",), unsaid_from=2) == [
        "the pharmacist: hold the gentamicin",
        "",
    ]


def test_a_bare_taking_back_is_told_no_more_once_it_is_unsaid() -> None:
    said = ("Hold the gentamicin.", "I take it back.")
    assert _beside("give gentamicin", said, unsaid_from=3) == [
        "the pharmacist: I take it back",
        "the pharmacist: hold the gentamicin",
    ]


def _beside(text: str, said: tuple[str, ...], *, unsaid_from: int | None = None) -> list[str]:
    """Return what is told beside an order after what the pharmacist said, and once that is unsaid from a delta on."""
    order = SpokenItem(
        item_id="0001.1",
        kind=SpokenKind.ACTION,
        text=f"The registrar: {text}.",
        agents=("registrar",),
        cites=(Cite(agent_id="registrar", first_seq=1, last_seq=1),),
    )
    last, names = LastSaid(NewestValues()), Names()
    for seq, sentence in enumerate(said, 2):
        last.read(stated("pharmacist", sentence, seq))
    found = last.changed((order,), names)
    if unsaid_from is not None:
        last.unsay("pharmacist", unsaid_from)
        found += last.changed((order,), names)
    return [each.words for each in found]


MEASURED = ("nurse", "No gelofusine, the haemoglobin is 98.")


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        (
            (MEASURED, ("lead", "Scan now."), ("anaesthetist", "Repeat haemoglobin 84.")),
            "; since then the anaesthetist: haemoglobin 84.",
        ),
        ((MEASURED, ("lead", "Scan now."), ("nurse", "Haemoglobin 98 on the repeat, too.")), ""),
        ((MEASURED, ("lead", "Aim for a haemoglobin above 80.")), ""),
        ((MEASURED, ("lead", "Her brother has a haemoglobin of 84.")), ""),
        ((MEASURED, ("lead", "If the haemoglobin is 84, we go.")), ""),
    ],
)
async def test_what_gives_a_value_is_told_late_with_the_newer_one(
    turns: tuple[tuple[str, str], ...], told: str
) -> None:
    first = late(await played(*turns), "98")[0]
    assert first.endswith(told) if told else "since then" not in first, first


async def test_of_two_newer_values_each_is_told_and_of_more_the_newest_two() -> None:
    said = ("nurse", "No more fluids: sodium 131, potassium 3.4, glucose 11.")
    newer = ("nurse", "Sodium 133."), ("nurse", "Potassium 3.6."), ("lab", "Glucose 9.2.")
    first = late(await played(said, ("lead", "Fine."), *newer), "131")[0]
    assert first.count("since then") == 1 and "133" not in first.partition("since then")[2]
    assert "3.6" in first and "9.2" in first


async def test_within_one_turn_no_value_is_newer() -> None:
    turns = ("nurse", "No more fluids: potassium 4.6 at eight. Potassium 5.2 at six."), ("lead", "Fine.")
    assert "since then" not in late(await played(*turns), "4.6")[0]
