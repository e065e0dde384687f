"""What is told into a silence of the voice, and between the team's end and the closing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from exaim_core import SpokenItem, SpokenKind, Update
from realtime.speech.before import FIRST
from realtime.speech.earlier import as_earlier
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
B = spoken("Speaker Two: noradrenaline runs at 0.05.", likely=0.6, agents=("Speaker Two",))


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
    held.sounded("Doctor Five: noradrenaline runs at 0.05 now.")
    assert told(held, 1.0) is None
    assert told(kept(A), OLD_S + 1.0) is None
    held = kept(A)
    gone = with_spare(2, withdraws=("0001.1",))
    held.take(gone, update_id(2), said_at_s=1.0)
    assert told(held, 1.0) is None


def test_another_number_is_another_sentence() -> None:
    held = kept(B)
    held.sounded("Doctor Five: noradrenaline runs at 0.1 now.")
    assert told(held, 1.0) is not None


def test_before_the_closing_the_best_are_told_in_the_order_in_which_they_were_said() -> None:
    words = " ".join(f"word{k}" for k in range(50))
    long = [spoken(f"Speaker One: {words}{at}.", likely=0.4 + at / 100) for at in range(4)]
    told_at_end = kept(A, *long, B).at_end([], 1.0)
    assert [each.text for each in told_at_end] == [A.text, long[3].text, as_earlier(B.text, B.agents)]
    assert sum(len(each.text.split()) for each in told_at_end) <= AFTER_END_S * 2.6
    assert [each.text for each in kept(A, B).at_end([A.text], 1.0)] == [B.text]


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
