"""What hangs on words that are not told with it, and what becomes of it."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.lexicon.alone import hangs, is_scrap


async def spoken(text: str) -> list[str]:
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item.text for update in updates for item in update.items]


@pytest.mark.parametrize(
    "text",
    [
        "I do not take back the rest",
        "I hold neither; both are incomplete",
        "do not give her dextrose on that",
        "steer clear of macrolides while it stays above 500",
        "if positive: stop immunotherapy",
        "my error re the 5.9",
        "one week can ruin the histology",
        "don't start blind",
        "rubbed out; E is right",
        "only for a varix that cannot be banded",
        "not before the chest is open",
        "it would harm her",
        "sorry, R drain",
    ],
)
def test_what_points_to_words_that_are_not_there_hangs(text: str) -> None:
    assert hangs(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "avoid metformin: it is dangerous at this eGFR",
        "hold bisoprolol until the potassium is below 5.5",
        "no needles in that arm",
        "stop metformin; it is contraindicated below an eGFR of 30",
        "if the troponin is positive: call cardiology",
        "both eyes are red",
        "repeat the gas at 10:00",
    ],
)
def test_what_names_all_that_it_speaks_of_stands_alone(text: str) -> None:
    assert hangs(text) is None


async def test_what_hangs_is_told_with_the_sentence_before_it() -> None:
    told = await spoken("QTc is 512 ms. Steer clear of ondansetron while it stays above 500.\n")

    assert any("512" in text and "ondansetron" in text for text in told)
    assert not any(
        text.endswith("Steer clear of ondansetron while it stays above 500.") and "512" not in text
        for text in told
    )


async def test_a_ban_that_hangs_on_nothing_that_is_near_is_told_as_on_the_page() -> None:
    assert await spoken("Do not give her dextrose on that.\n") == [
        "A caution from Doctor One on dextrose is on the page."
    ]


async def test_a_caution_is_told_with_its_holder_and_no_reason_that_a_denial_reaches() -> None:
    [told] = await spoken("Do not stop the insulin because the sugar is normal.\n")

    assert told == "Caution, Doctor One: do not stop the insulin because the sugar is normal."


@pytest.mark.parametrize(
    "text",
    [
        "No needles in that arm!",
        "No triptans ever again.",
        "Nobody lays him flat for a scan.",
        "Correction: left hip, not right.",
        "Erratum: the troponin is 86, not 68.",
    ],
)
async def test_a_ban_or_a_correction_of_anything_is_told_at_once(text: str) -> None:
    assert any(
        text[:-1].lower().removeprefix("correction: ") in told.lower() for told in await spoken(f"{text}\n")
    )


@pytest.mark.parametrize(
    "text", ["No fever.", "No evidence of a leak.", "I do not know.", "I don't disagree."]
)
async def test_a_denied_finding_or_a_word_of_the_debate_is_no_ban(text: str) -> None:
    assert await spoken(f"{text}\n") == []


@pytest.mark.parametrize("text", ["I wrote allergy.", "Rubbed out, the lot.", "Back to square one now."])
def test_what_is_short_and_names_no_drug_is_a_scrap(text: str) -> None:
    assert is_scrap(text)


@pytest.mark.parametrize(
    "text",
    [
        "Stop the warfarin.",
        "Hold the zorbaxil.",
        "No needles in that arm.",
        "Nobody lays him flat.",
        "Left hip, not right.",
        "The film shows a widened mediastinum and no effusion.",
    ],
)
def test_what_names_its_object_or_is_long_enough_is_none(text: str) -> None:
    assert not is_scrap(text)


async def test_a_scrap_is_told_with_the_sentence_before_it_or_not_at_all() -> None:
    assert await spoken("I wrote allergy.\n") == []
    both = await spoken("The film was read as clear. I overlooked the film.\n")
    assert any("read as clear. I overlooked" in told for told in both)


@pytest.mark.parametrize("text", ["Stop item 2.", "No line until then."])
def test_a_number_of_a_point_and_then_point_back(text: str) -> None:
    assert hangs(text)
