"""An ending that can't be read is told with the last orders that stand, in their speakers' words."""

from __future__ import annotations

import pytest

from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.lexicon.brevity import CLOSING_WORDS
from exaim_core.text.wording import word_count
from tests.exaim_core.test_ruling import UNREAD, closing

OPENING = ("ed", "Septic, 82/40.\n")
ORDER = ("micro", "Cefepime 2 g now.\n")


async def test_the_last_order_is_told_with_who_gave_it() -> None:
    assert await closing(OPENING, ORDER, ("ed", "Fine.\n")) == (
        f"{UNREAD} Last ordered, by the micro: cefepime 2 g now."
    )


async def test_at_most_two_orders_are_told_within_the_bound_of_a_closing() -> None:
    turns = (ORDER, ("ed", "Adrenaline 0.5 mg IM now.\n"), ("icu", "Give hydrocortisone 200 mg IV.\n"))
    told = await closing(OPENING, *turns)
    assert told.endswith(
        "Last ordered, by ED: adrenaline 0.5 mg IM now; by ICU: give hydrocortisone 200 mg IV."
    )
    assert word_count(told) <= CLOSING_WORDS


@pytest.mark.parametrize(
    "since",
    [
        "No. Penicillin anaphylaxis.",
        "It's in.",
        "Cefepime given at 14:05.",
        "Cefepime dose too high for eGFR 12.",
        "Allergic to cefepime.",
        "Hold the cefepime.",
        "Wait.",
        "Make it 1 g.",
        "Are you sure?",
        "That's half the dose.",
        "Great, but his eGFR is 12.",
        "I've pushed it.",
        "Agreed. Not yet.",
        "He's outside.",
        "Lactate 4.1.",
    ],
)
async def test_an_order_that_was_refused_doubted_or_done_since_is_not_told(since: str) -> None:
    assert "Last ordered" not in await closing(OPENING, ORDER, ("ed", f"{since}\n"))


@pytest.mark.parametrize("since", ["Agreed.", "Okay, thanks.", "On it.", "Doing it now.", "Yes. I agree."])
async def test_plain_assent_leaves_an_order_the_last_one(since: str) -> None:
    assert "cefepime 2 g now" in await closing(OPENING, ORDER, ("ed", f"{since}\n"))


@pytest.mark.parametrize("before", ["He's on apixaban, no LP.", "No LP until the scan.", "Don't do an LP."])
async def test_what_was_forbidden_before_it_was_ordered_is_not_told(before: str) -> None:
    assert "Last ordered" not in await closing(("ed", f"{before}\n"), ("icu", "LP now.\n"))


async def test_an_order_that_its_speaker_replaced_is_not_told() -> None:
    turns = (("ed", "Give labetalol 20 mg IV.\n"), ("icu", "Asthma.\n"), ("ed", "Hydralazine 5 instead.\n"))
    assert await closing(OPENING, *turns) == f"{UNREAD} Last ordered, by ED: hydralazine 5 instead."


@pytest.mark.parametrize(
    "said",
    [
        "Cefepime 2 g now?",
        "Cefepime 2 g now if he spikes.",
        "We gave cefepime 2 g IV.",
        "In bed 4 give cefepime 2 g IV.",
        "Consider cefepime 2 g IV now.",
        "He takes metoprolol 50 mg.",
    ],
)
async def test_what_is_no_order_for_now_is_not_told(said: str) -> None:
    assert "Last ordered" not in await closing(OPENING, ("micro", f"{said}\n"), ("ed", "Fine.\n"))


async def test_an_order_of_long_ago_is_not_told() -> None:
    since = [("ed", "Ok.\n"), ("icu", "Fine.\n"), ("micro", "Good.\n"), ("ed", "Bye.\n")]
    assert await closing(OPENING, ORDER, *since) == UNREAD


@pytest.mark.parametrize(
    ("order", "source"),
    [("cefepime 2 g", "Cefepime 2 g if he spikes."), ("cefepime 4 g", "Cefepime 2 g now.")],
)
def test_an_order_that_loses_its_condition_or_its_dose_is_refused(order: str, source: str) -> None:
    grounds = Grounds((source,), ("ED",))
    assert refusal(f"{UNREAD} Last ordered, by ED: {order}.", grounds) is not None


def test_an_order_under_another_name_is_refused() -> None:
    grounds = Grounds(("Cefepime 2 g now.",), ("ED",))
    assert refusal(f"{UNREAD} Last ordered, by ICU: cefepime 2 g now.", grounds) is not None
