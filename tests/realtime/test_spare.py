"""What is told into a silence of the voice, and between the team's end and the closing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from exaim_core import Cite, SpokenItem, SpokenKind, Update
from realtime.speech.before import FIRST
from realtime.speech.spare import AFTER_END_S, OLD_S, QUIET_S, Spare
from realtime.speech.verbosity import Verbosity
from realtime.testing import EPOCH_MS
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.scene import Scene
from tts_queue import HoldCause, Phase, Snapshot, Standing, Utterance

QUIET = Snapshot((), (), 0, 0, 0)


def with_spare(number: int, *spare: SpokenItem, **more: Any) -> Update:
    return update(number).model_copy(update={"spare": spare, **more})


def kept(*spare: SpokenItem, said_at_s: float = 0.0) -> Spare:
    held = Spare(lambda _: False)
    held.take(with_spare(1, *spare), update_id(1), said_at_s=said_at_s)
    return held


def told(held: Spare, now_s: float, snapshot: Snapshot = QUIET) -> Utterance | None:
    held.in_silence(snapshot, now_s)
    return held.in_silence(snapshot, now_s + QUIET_S)


A = spoken("Speaker One: the left calf is swollen.", likely=0.5)
B = spoken("Speaker Two: noradrenaline runs at 0.05.", likely=0.6)


def test_the_best_is_told_after_two_seconds_of_silence_and_then_the_next() -> None:
    held = kept(A, B)
    assert held.in_silence(QUIET, 1.0) is None
    assert held.in_silence(QUIET, 1.0 + QUIET_S / 2) is None
    first = held.in_silence(QUIET, 1.0 + QUIET_S)
    assert first is not None
    assert (first.text, first.utterance_id, first.gives_way) == (B.text, f"{update_id(1)}.2", True)
    second = told(held, 5.0)
    assert second is not None
    assert second.text == A.text
    assert told(held, 9.0) is None


def test_of_like_ones_the_newer_goes_first() -> None:
    held = kept(A)
    newer = spoken("Speaker Three: the drain gave 400 ml.", likely=0.49)
    held.take(with_spare(2, newer), update_id(2), said_at_s=10.0)
    first = told(held, 11.0)
    assert first is not None
    assert first.text == newer.text


def test_nothing_is_told_while_something_waits_or_a_hold_lasts() -> None:
    waits = Standing(utterance(), Phase.QUEUED, None, 0, 0, all_sent=False)
    assert told(kept(A), 1.0, Snapshot((waits,), (), 0, 0, 0)) is None
    assert told(kept(A), 1.0, Snapshot((), (HoldCause.VOICE,), 0, 0, 0)) is None


def test_what_was_told_in_other_words_or_is_old_or_taken_back_is_not_told() -> None:
    held = kept(B)
    held.sounded(utterance(text="Doctor Five: noradrenaline runs at 0.05 now."))
    assert told(held, 1.0) is None
    assert told(kept(A), OLD_S + 1.0) is None
    held = kept(A)
    gone = with_spare(2, withdraws=("0001.1",))
    held.take(gone, update_id(2), said_at_s=1.0)
    assert told(held, 1.0) is None


def test_another_number_is_another_sentence() -> None:
    held = kept(B)
    held.sounded(utterance(text="Doctor Five: noradrenaline runs at 0.1 now."))
    assert told(held, 1.0) is not None


def test_before_the_closing_the_best_are_told_in_the_order_in_which_they_were_said() -> None:
    words = " ".join(f"word{k}" for k in range(50))
    long = [spoken(f"Speaker One: {words}{at}.", likely=0.4 + at / 100) for at in range(4)]
    told_at_end = kept(A, *long, B).at_end([], 1.0)
    assert [each.text for each in told_at_end] == [A.text, long[3].text, B.text]
    assert sum(len(each.text.split()) for each in told_at_end) <= AFTER_END_S * 2.6
    assert [each.text for each in kept(A, B).at_end([utterance(text=A.text)], 1.0)] == [B.text]


def said(text: str, at: int, likely: float = 0.45) -> SpokenItem:
    """Return what somebody said from delta `at` on to the tenth behind it."""
    cite = Cite(agent_id="one", first_seq=at, last_seq=at + 10)
    return spoken(f"Speaker One: {text}", likely=likely, cites=(cite,))


def order_told(text: str, *spare: SpokenItem) -> Spare:
    """Return what is kept beside an order, given first of all, that has sounded."""
    held = Spare(lambda _: False)
    order = said(text, 0)
    whole = update(1, order).model_copy(update={"spare": spare})
    held.take(whole, update_id(1), said_at_s=0.0)
    held.sounded(utterance(f"{update_id(1)}.1", order.text, update_id=update_id(1)))
    return held


@pytest.mark.parametrize(
    ("order", "word"),
    [
        ("midazolam 10 mg in the same driver.", "midazolam, no, not with that breathing."),
        ("gabapentin 300 mg three times daily.", "gabapentin goes to 450."),
        ("the furosemide 40 mg is on the repeat list.", "furosemide is her mother's, same surname."),
        ("terlipressin 2 mg every four hours.", "we took the terlipressin down after the ECG."),
        ("start trimethoprim 100 mg nightly.", "her face swelled up on trimethoprim."),
        ("ceftriaxone 2 g now.", "put the ceftriaxone away."),
    ],
)
def test_the_last_word_on_a_drug_that_was_told_goes_first_in_whatever_form(order: str, word: str) -> None:
    likelier = [said(f"{'the chest film shows fluid ' * 6}{at}.", 40 + at, 0.9) for at in range(8)]
    last = said(word, 100)
    at_end = order_told(order, *likelier, last).at_end([], 1.0)
    assert last.text in [each.text for each in at_end]
    assert len(at_end) < len(likelier)  # there was no room for all
    silent = told(order_told(order, *likelier, last), 1.0)
    assert silent is not None
    assert silent.text == last.text


def test_only_the_last_word_goes_first_and_what_was_said_before_the_order_does_not() -> None:
    before = said("he takes warfarin 3 mg.", 0, 0.41)
    older = said("warfarin might go on.", 50, 0.42)
    newest = said("so warfarin is off from tonight.", 90, 0.42)
    likelier = said("the chest film shows a small effusion.", 60, 0.9)
    held = order_told("warfarin 5 mg tonight.", before, older, newest, likelier)
    first = told(held, 1.0)
    assert first is not None
    assert first.text == newest.text
    held.sounded(utterance(first.utterance_id, first.text, update_id=update_id(1)))
    second = told(held, 9.0)
    assert second is not None
    assert second.text == likelier.text


def test_a_drug_that_nothing_told_is_no_last_word() -> None:
    likelier = said("the chest film shows a small effusion.", 60, 0.9)
    held = order_told("warfarin 5 mg tonight.", said("heparin was given in June.", 90, 0.41), likelier)
    first = told(held, 1.0)
    assert first is not None
    assert first.text == likelier.text


def test_what_waits_to_be_told_before_the_closing_counts_as_told() -> None:
    order, last = said("give ceftriaxone 2 g.", 0), said("ceftriaxone never, it was anaphylaxis.", 90)
    likelier = [said(f"{'the chest film shows fluid ' * 6}{at}.", 40 + at, 0.9) for at in range(8)]
    held = Spare(lambda _: False)
    held.take(update(1, order).model_copy(update={"spare": (*likelier, last)}), update_id(1), said_at_s=0.0)
    waiting = utterance(f"{update_id(1)}.1.r1", order.text, update_id=update_id(1))
    assert last.text in [each.text for each in held.at_end([waiting], 1.0)]
    held.take(update(1, order).model_copy(update={"spare": (*likelier, last)}), update_id(1), said_at_s=0.0)
    assert last.text not in [each.text for each in held.at_end([], 1.0)]


def test_a_last_word_is_kept_beyond_the_time_of_others() -> None:
    last, other = said("so warfarin is off from tonight.", 90), said("the film shows an effusion.", 60)
    held = order_told("warfarin 5 mg tonight.", last, other)
    later = told(held, OLD_S + 5.0)
    assert later is not None
    assert later.text == last.text
    assert told(held, OLD_S + 15.0) is None


def test_a_session_tells_it_in_a_silence_and_the_rest_before_the_closing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(9.0)
            s.streams.commit(with_spare(1, A, B, last_delta_at_s=EPOCH_MS / 1000 + 9.0), update_id(1))
            await s.until(9.0 + QUIET_S + 1.0)
            s.streams.commit(
                update(2, spoken("No nitrates.", SpokenKind.CAUTION, presses=True)), update_id(2)
            )
            await s.until(9.0 + QUIET_S + 2.0)
            end = update(3, spoken("That is all.", SpokenKind.CLOSING), path="end")
            s.streams.commit(end, update_id(3))
            await s.until(60.0)
        begun = {
            uid: s.told_at_s(uid, "speaking")[0]
            for uid in (f"{update_id(1)}.2", f"{update_id(2)}.1", f"{update_id(1)}.1", f"{update_id(3)}.1")
        }
        assert list(begun) == sorted(begun, key=lambda uid: begun[uid])

    virtual.run(scene())


def test_a_clinician_who_wants_it_brief_is_told_nothing_of_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(before=replace(FIRST, verbosity=Verbosity.BRIEF))
        async with s.running():
            await s.client.come()
            await s.until(14.0)
            s.streams.commit(with_spare(1, A), update_id(1))
            await s.until(25.0)
            s.streams.commit(update(2, spoken("That is all.", SpokenKind.CLOSING), path="end"), update_id(2))
            await s.until(40.0)
        assert s.room.phases(f"{update_id(1)}.1") == []

    virtual.run(scene())
