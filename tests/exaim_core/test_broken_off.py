"""A speaker who breaks off with a dash has stated and ordered nothing; an alarm and a ban stand."""

from __future__ import annotations

import pytest

from exaim_core import SpokenKind
from exaim_core.claims.cut_short import breaks_off
from tests.exaim_core.talks import told

NOTHING_TOLD = [
    "I had just put in fentanyl 50 micrograms for his back—",
    "Start amiodarone 300 mg now if the—",
    "Give calcium gluconate 10 ml now —",
    "The diagnosis is heparin-induced thrombocytopenia--",
]
STANDS = [
    ("Potassium is 6.9 and the—", SpokenKind.CRITICAL, "potassium 6.9"),
    ("He's stopped breathing—", SpokenKind.CRITICAL, "stopped breathing"),
    ("Don't give him metoprolol—", SpokenKind.CAUTION, "metoprolol"),
    ("He is allergic to penicillin—", SpokenKind.CAUTION, "penicillin"),
]


@pytest.mark.parametrize("said", NOTHING_TOLD)
async def test_what_was_broken_off_is_not_told(said: str) -> None:
    assert await told(said) == []


@pytest.mark.parametrize(("said", "kind", "words"), STANDS)
async def test_an_alarm_or_a_ban_in_it_stands(said: str, kind: SpokenKind, words: str) -> None:
    assert any(each.kind is kind and words in each.text for each in await told(said))


async def test_an_order_broken_off_still_meets_an_allergy() -> None:
    items = await told("He is allergic to penicillin.", "Give amoxicillin 1 g IV now—")
    assert any(each.kind is SpokenKind.CRITICAL and "amoxicillin" in each.text for each in items)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("- Give ceftriaxone 2 g —\n- Take blood cultures —", "ceftriaxone"),
        ("Give naloxone 400 mcg –\nand repeat every two minutes.", "naloxone"),
        ("Ceftriaxone 2 g IV now —\n\nthen get the CT.", "ceftriaxone"),
    ],
)
async def test_a_dash_at_the_end_of_a_line_that_others_follow_breaks_nothing_off(
    said: str, words: str
) -> None:
    assert any(each.kind is SpokenKind.ACTION and words in each.text.lower() for each in await told(said))


@pytest.mark.parametrize(
    "said",
    ["Stop—", "No, no—", "Give 2 units—one now, one later.", "Give insulin 10 units now.", "Potassium: —"],
)
def test_whole_words_are_not_broken_off(said: str) -> None:
    assert not breaks_off(said)
