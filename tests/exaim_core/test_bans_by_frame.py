"""A frame that forbids is told whatever noun stands in it; one that does not forbid is not."""

from __future__ import annotations

import pytest

from tests.exaim_core.talks import told

FRAMES = (
    "Absolutely no {} with that kidney.",
    "Never {} again in this man.",
    "Hands off the {}.",
    "No {} for this chap.",
    "Over my dead body does he get {}.",
    "I forbid any {} tonight.",
    "Nobody is to give him {}.",
    "She's not for {} today.",
    "The {} stays in the cupboard.",
    "Steer clear of {}.",
    "The last thing she needs is {}.",
    "The agent advises against {} in this patient.",
)


@pytest.mark.parametrize("noun", ["gadolinium", "zorblatine"])
@pytest.mark.parametrize("frame", FRAMES)
async def test_a_frame_that_forbids_is_told_with_a_noun_that_no_list_has(frame: str, noun: str) -> None:
    items = await told(frame.format(noun))
    assert any(item.kind == "caution" and noun in item.text for item in items), items


@pytest.mark.parametrize(
    "text",
    [
        "There's no reason not to give her paracetamol.",
        "Do not hesitate to give adrenaline.",
        "No objection from cardiology to the citalopram.",
        "No sooner had we given furosemide than she felt better.",
        "Guidelines advise against codeine in children under twelve.",
        "Absolutely no chest pain.",
        "No more pain after the morphine.",
        "Amiodarone is no longer contraindicated.",
        "The bleeding must not be underestimated.",
        "He must not have slept.",
        "Never mind the scan.",
        "Nobody gave her the dose.",
    ],
)
async def test_what_forbids_nothing_is_told_as_no_ban(text: str) -> None:
    assert not [item for item in await told(text) if item.kind == "caution"]
