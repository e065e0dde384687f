"""Of an order that is longer than any field of the page each part that says by itself what is to be may stand there."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta

CAUTION = (
    "CT angiography with contrast should therefore be avoided; a transoesophageal echocardiogram within 30 minutes "
    "is the test of choice, unless he becomes unstable, in which case go straight to theatre."
)


BAN = (
    "Do not give any of these today because of the bleed in the left basal ganglia and the falling haemoglobin: "
    "aspirin 300 mg; enoxaparin 80 mg; clopidogrel 300 mg; alteplase 50 mg; heparin 5000 units; warfarin 5 mg."
)
EITHER = (
    "Give either of these two and never both on the same day because his heart block was complete an hour ago and may "
    "come back at night without any warning, verapamil 5 mg IV over three minutes; metoprolol 5 mg IV over two minutes."
)


@pytest.mark.parametrize(("text", "bare"), [(BAN, "Clopidogrel 300 mg."), (EITHER, "Metoprolol 5 mg IV")])
async def test_what_a_ban_lists_never_stands_there_as_an_order(text: str, bare: str) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("kim", text, 1, 1.0))
    updates = await exaim.turn_end("kim", 2, 2.0)
    fields = [said for update in updates for said in update.summary.model_dump().values()]
    assert not any(bare in said for said in fields), fields


async def test_the_ban_of_a_caution_that_no_field_has_room_for_is_on_the_page() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("surgeon", f"He had anaphylaxis to contrast in 2018. {CAUTION}", 1, 1.0))
    updates = await exaim.turn_end("surgeon", 2, 2.0)
    fields = [text for update in updates for text in update.summary.model_dump().values()]
    assert sum("CT angiography with contrast should therefore be avoided" in text for text in fields) == 1


LONG = (
    "Give noradrenaline 0.1 micrograms per kilogram per minute through the central line, then vasopressin 0.03 units "
    "per minute if the mean pressure stays below 65 after thirty minutes, and if the lactate is still above 4 then add "
    "hydrocortisone 50 mg every six hours."
)
LONG_OF_NO_DRUG = (
    "Give fluids 500 mL over fifteen minutes, then reassess the lungs and the pressure, then another 500 mL if the "
    "pressure is below 90 and the lungs are clear, and call intensive care if he has had two litres."
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            LONG,
            "A recommendation from the surgeon on noradrenaline, vasopressin and hydrocortisone is on the page.",
        ),
        (LONG_OF_NO_DRUG, "A recommendation from the surgeon is on the page."),
    ],
)
async def test_an_order_that_is_too_long_to_be_told_is_said_to_be_on_the_page(text: str, told: str) -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("surgeon", text, 1, 1.0))
    updates = await exaim.turn_end("surgeon", 2, 2.0)
    assert [item.text for update in updates for item in update.items] == [told]
