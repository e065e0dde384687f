"""An order that is longer than any field of the page stands there in its parts."""

from __future__ import annotations

from exaim_core import EXAIM, Delta

CAUTION = (
    "CT angiography with contrast should therefore be avoided; a transoesophageal echocardiogram within 30 minutes "
    "is the test of choice, unless he becomes unstable, in which case go straight to theatre."
)


async def test_a_caution_that_no_field_has_room_for_is_on_the_page_in_its_parts() -> None:
    exaim = EXAIM()
    await exaim.feed(Delta("surgeon", f"He had anaphylaxis to contrast in 2018. {CAUTION}", 1, 1.0))
    updates = await exaim.turn_end("surgeon", 2, 2.0)
    fields = [text for update in updates for text in update.summary.model_dump().values()]
    assert sum("CT angiography with contrast should therefore be avoided" in text for text in fields) == 1
    assert (
        sum("echocardiogram within 30 minutes" in text and "straight to theatre" in text for text in fields)
        == 1
    )
