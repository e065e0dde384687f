"""A value that its own speaker puts right in the next clause: the right one is told, and the wrong one ends."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM
from exaim_core.claims.critical import critical_findings
from exaim_core.claims.slips import slips
from tests.exaim_core.talks import told
from tests.exaim_core.test_exaim import play


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The potassium is 6.9, sorry, it is 7.9.", "7.9"),
        ("Potassium is 4.9, sorry, it is 6.9.", "6.9"),
        ("Glucose 12.1, no, 2.1.", "2.1"),
        ("I wrote potassium 6.9, sorry, it is 4.9.", ""),
        ("BP 70/40, sorry, 170/40.", ""),
        ("Hb 60, correction, 106 g/L.", ""),
        ("Lactate 7.1, I mean 1.7.", ""),
        ("K 7.2, correction, 4.2: wrong tube.", ""),
        # what looks like it
        ("K 7.2, sorry, 4.2: that was yesterday.", "7.2"),
        ("Her potassium is 6.9, sorry, 4.9 was yesterday.", "6.9"),
        ("Her potassium is 6.9, sorry, give 10 units of insulin.", "6.9"),
        ("Her potassium is 6.9, sorry, not 4.9 as I said.", "6.9"),
        ("Potassium 6.9, correction: 10 units.", "6.9"),
        ("Potassium 6.9, correction: 0.1 units/kg.", "6.9"),
    ],
)
def test_the_right_value_alarms(text: str, value: str) -> None:
    assert [each.value for each in critical_findings(text)] == ([value] if value else [])


@pytest.mark.parametrize(
    ("turns", "alarms"),
    [
        (("Her potassium is 6.9.", "", "I wrote 6.9, sorry, it is 4.9."), set[str]()),
        (("Her potassium is 6.9.", "", "I wrote 6.9, sorry, it is 7.9."), {"potassium=7.9"}),
        (("Her potassium is 4.9. Sorry, it is 6.9.",), {"potassium=6.9"}),
        (("Her potassium is 6.9. Sorry, it is 4.9.",), set[str]()),
        (("Her potassium is 6.9.", "Sorry, it is 4.9."), {"potassium=6.9"}),
        (("Her potassium is 6.9. She weighs 60 kg. Sorry, 70.",), {"potassium=6.9"}),
        (("Her potassium is 6.9, her sodium is 118. Sorry, 130.",), {"potassium=6.9", "sodium=118"}),
    ],
)
async def test_a_speaker_puts_its_own_last_value_right(turns: tuple[str, ...], alarms: set[str]) -> None:
    talk = tuple((f"doctor{at % 2}", text) for at, text in enumerate(turns) if text)
    _, exaim, _ = await play(talk)
    assert isinstance(exaim, EXAIM)
    assert {*exaim.board.criticals} == alarms


async def test_the_right_value_is_told_with_what_is_measured() -> None:
    items = await told("Her potassium is 4.9. Sorry, it is 6.9.")
    assert any("6.9" in item.text and "otassium" in item.text for item in items if item.critical_key)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hb 58. Sorry, 85.", "Doctor One: haemoglobin 58, sorry, 85."),
        ("Hb 58. Sorry, 68.", "Check, Doctor One: haemoglobin 58, sorry, 68."),
        ("The Hb is 58 today. Sorry, it is 85.", "Doctor One: haemoglobin 58, sorry, it is 85."),
    ],
)
async def test_a_value_that_is_put_right_at_once_is_told_once(text: str, words: str) -> None:
    assert [item.text for item in await told(f"{text}\n")] == [words]


def test_two_doses_of_unlike_units_are_no_slip() -> None:
    assert not slips("Insulin 6 units, sorry, 50 mL")
