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
