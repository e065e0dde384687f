"""What one says again in more words is told once."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import SpokenKind
from realtime.speech.repeated import is_within
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import Scene
from tts_queue import Priority, Utterance

SHORT = "The psychiatrist: no haloperidol with that QTc."
FULL = "The psychiatrist: no haloperidol with that QTc. Lorazepam 0.5 mg instead."


def said(text: str, priority: Priority = Priority.PRESSING) -> Utterance:
    return Utterance(text, text, priority, "caution")


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (SHORT, FULL, True),
        (f"Caution, {SHORT}", FULL, True),
        (SHORT, SHORT, True),
        (FULL, SHORT, False),
        (SHORT, FULL.replace("psychiatrist", "pharmacist"), False),
        ("The nurse: give it now.", "The nurse: don't give it now. He is dry.", False),
        ("The nurse: give adrenaline now.", "The nurse: if it falls: give adrenaline now. He is dry.", False),
        ("The nurse: not yet.", "The nurse: not yet. Insulin first.", False),
        ("No more today", "No more today. Nor tomorrow.", False),
    ],
)
def test_sentences_of_one_speaker_are_within_others(part: str, whole: str, expected: bool) -> None:
    assert is_within(said(part), said(whole)) is expected


def test_what_presses_is_not_within_what_may_be_dropped() -> None:
    assert not is_within(said(SHORT), said(FULL, Priority.SUMMARY))
    assert is_within(said(SHORT, Priority.SUMMARY), said(FULL))


def test_what_waits_is_told_with_the_newer_words_and_is_not_counted_as_unread(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(1.0)
            for number, text in ((1, "The nurse: " + "no tube, " * 9 + "please."), (2, SHORT), (3, FULL)):
                item = spoken(text, SpokenKind.CAUTION, protects=True, presses=True)
                s.streams.commit(update(number, item), update_id(number))
                await asyncio.sleep(0.5)
            await s.until(40.0)
            assert s.room.phases(f"{update_id(2)}.1")[-1] == "cancelled"
            assert s.room.phases(f"{update_id(3)}.1")[-1] == "spoken"
            end = spoken("Finished.", SpokenKind.CLOSING)
            s.streams.commit(update(4, end, path="end"), update_id(4))
            await s.until(60.0)
            assert "not read" not in s.text_of(f"{update_id(4)}.1")

    virtual.run(scene())
