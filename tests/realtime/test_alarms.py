"""Scenes on virtual time: an alarm that nobody hears, that waits, or that somebody took note of."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from exaim_core import SpokenItem, SpokenKind, Update
from exaim_core.board.shown import BoardView, ClaimView, CriticalView
from realtime.interruption import Mode
from realtime.speech.alerts import AGAIN_AFTER_S, MISSED_AFTER_S
from realtime.speech.before import read_before
from realtime.speech.takeover import take_over
from realtime.speech.tones import CRITICAL_WAITS
from tests.realtime.making import entry, spoken, update, update_id, utterance
from tests.realtime.reading import modes, reading
from tests.realtime.scene import GREETING, Scene
from tts_queue import Phase, Priority
from tts_queue.testing import Line, ScriptedVoice

ALARM = f"{update_id(2)}.1"
AGAIN = f"{ALARM}.r1"
CLOSING = spoken("That is all.", SpokenKind.CLOSING)
KEY = utterance("k", "Potassium is 6.9.", kind="critical", priority=Priority.CRITICAL, critical_key="k")


def alarm(text: str = "Potassium is 6.9.", key: str = "k") -> SpokenItem:
    return spoken(text, SpokenKind.CRITICAL, critical_key=key, urgency="critical")


def first_s(s: Scene, uid: str, phase: str) -> float:
    return s.told_at_s(uid, phase)[0]


# --- nobody hears it


@pytest.mark.parametrize("how", ["locked", "stuck"])
def test_who_beats_and_plays_nothing_hears_it_when_sound_comes_back(
    virtual: asyncio.Runner, how: str
) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.until(25.0)
            setattr(s.client, how, True)
            s.streams.commit(update(2, alarm(), alarm("Lactate is 9.", "l")), update_id(2))
            await s.until(60.0)
            assert modes(s)[-1] == "away"
            assert "spoken" not in s.room.phases(ALARM)
            setattr(s.client, how, False)
            await s.until(80.0)
            assert modes(s)[-1] == "free"
            assert s.room.phases(ALARM)[-1] == s.room.phases(f"{update_id(2)}.2")[-1] == "spoken"

    virtual.run(scene())


def test_what_was_said_to_a_position_that_stands_still_is_said_again_from_its_clause(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken("One two three four five.")), update_id(1))
            await s.until(9.5)
            s.client.stuck = True
            await s.until(25.0)
            assert s.room.phases(item) == ["queued", "speaking", "held"]
            s.client.stuck = False
            await s.until(35.0)
            assert s.room.phases(item) == ["queued", "speaking", "held", "speaking", "spoken"]

    virtual.run(scene())


def test_what_has_no_sound_is_told_again_soon_and_is_not_taken_for_heard(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        silent = Line("Potassium is six point nine.", fails="scripted", retryable=False)
        voice = ScriptedVoice(silent, Line("Potassium is six point nine."))
        s = Scene(voice=voice)
        async with s.running({GREETING: Phase.SPOKEN}):
            await s.client.come()
            s.streams.commit(update(2, alarm()), update_id(2))
            await s.until(6.0)
            assert s.room.phases(ALARM)[-1] == "failed"
            failed_s = first_s(s, ALARM, "failed")
            await s.ears.say("got it")
            await s.until(failed_s + MISSED_AFTER_S + 4.0)
            assert s.room.phases(AGAIN)[-1] == "spoken", "nobody took note of what nobody heard"

    virtual.run(scene())


# --- it was taken note of


def test_a_repetition_that_waits_is_dropped_when_somebody_takes_note(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, alarm()), update_id(2))
            await s.until(20.0)
            await s.client.say(2, "wait")
            await s.until(first_s(s, ALARM, "spoken") + AGAIN_AFTER_S + 2.0)
            assert s.room.phases(AGAIN) == ["queued"]
            await s.client.say(3, "acknowledge", critical_key="k")
            await s.until(first_s(s, ALARM, "spoken") + AGAIN_AFTER_S + 40.0)
            assert s.room.phases(AGAIN) == ["queued", "cancelled"]
            s.streams.commit(update(3, CLOSING, path="end"), update_id(3))
            await s.until(s.loop.time() + 1.0)
            assert s.text_of(f"{update_id(3)}.1") == "That is all.", "its finding was read"

    virtual.run(scene())


def test_taking_note_over_a_slow_line_takes_no_phase_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(update(2, alarm()), update_id(2))
            while "speaking" not in s.log.phases(ALARM):
                await asyncio.sleep(0.05)
            usual = s.room.send_state

            async def slow(text: str) -> None:
                await asyncio.sleep(1.0)
                await usual(text)

            s.room.send_state = slow  # type: ignore[method-assign]
            while "spoken" not in s.log.phases(ALARM):
                await asyncio.sleep(0.05)
            await s.client.say(2, "acknowledge", critical_key="k")
            await s.until(s.loop.time() + 30.0)
            last = [b for b in s.room.bodies("utterance") if b["utterance_id"] == ALARM][-1]
            assert (last["phase"], last["acknowledged"]) == ("spoken", True)

    virtual.run(scene())


def test_a_successor_does_not_repeat_what_was_taken_note_of() -> None:
    again = replace(KEY, utterance_id="k.r1", replays="k")
    for found in (again, replace(again, utterance_id="k.r2", replays="k.r1")):
        left = take_over([entry(found)], now_s=0.0, settled=frozenset({"k"}))
        assert left.again == ()
        assert [move.phase_to for move in left.cut] == [Phase.CANCELLED]
    assert take_over([entry(KEY)], now_s=0.0, settled=frozenset({"k"})).again, "its first telling"


def test_a_successor_knows_what_nobody_heard_and_counts_repetitions_as_the_first_did() -> None:
    again = replace(KEY, utterance_id="k.r1", replays="k")
    missed = read_before([], [entry(KEY, Phase.FAILED)], vacant_s=1.0, now_ms=31_000.0)
    assert [(each.heard, each.again) for each in missed.told] == [(False, 0)]
    both = [entry(KEY, Phase.CUT, reason="unconfirmed"), entry(again, Phase.SPOKEN)]
    heard = read_before([], both, vacant_s=1.0, now_ms=31_000.0)
    assert [(each.heard, each.again) for each in heard.told] == [(True, 1)]


# --- it is taken back


def board(*findings: tuple[str, str]) -> BoardView:
    """A board with these criticals, each a key and a name."""
    said = ClaimView(agent_id="doctor0", text="Potassium is 6.9.", at=(1, 1, 1))
    return BoardView(criticals=tuple(CriticalView(claim=said, key=key, name=name) for key, name in findings))


@pytest.mark.parametrize(
    ("left", "again"),
    [
        ((), []),
        ((("l", "lactate"),), []),
        ((("k", "potassium"),), ["queued", "speaking", "spoken"]),
        ((("k2", "potassium"),), ["queued", "speaking", "spoken"]),
    ],
    ids=["nothing", "another", "itself", "another value of it"],
)
def test_what_agents_take_back_is_not_repeated(
    virtual: asyncio.Runner, left: tuple[tuple[str, str], ...], again: list[str]
) -> None:
    async def scene() -> None:
        async with reading() as s:
            stood = board(("k", "potassium"), ("l", "lactate"))
            s.streams.commit(replaced(update(2, alarm()), stood), update_id(2))
            await s.until(40.0)
            s.streams.commit(replaced(update(3, spoken("One two.")), board(*left)), update_id(3))
            await s.until(first_s(s, ALARM, "spoken") + AGAIN_AFTER_S + 20.0)
            assert s.room.phases(AGAIN) == again

    virtual.run(scene())


def test_each_board_is_read_before_anybody_asks(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            stands = board(("k", "potassium"))
            s.streams.commit(replaced(update(2, alarm()), stands), update_id(2))
            await s.until(20.0)
            assert [each.criticals for each in s.dialogue.noted] == [stands.criticals]

    virtual.run(scene())


def test_a_repetition_that_waits_is_dropped_when_its_finding_is_taken_back(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.streams.commit(replaced(update(2, alarm()), board(("k", "potassium"))), update_id(2))
            await s.until(20.0)
            await s.client.say(2, "wait")
            await s.until(first_s(s, ALARM, "spoken") + AGAIN_AFTER_S + 2.0)
            assert s.room.phases(AGAIN) == ["queued"]
            s.streams.commit(replaced(update(3), board()), update_id(3))
            await s.until(s.loop.time() + 40.0)
            assert s.room.phases(AGAIN) == ["queued", "cancelled"]
            s.streams.commit(update(4, CLOSING, path="end"), update_id(4))
            await s.until(s.loop.time() + 1.0)
            assert s.text_of(f"{update_id(4)}.1") == "That is all.", "nobody has to take note of it"

    virtual.run(scene())


def replaced(made: Update, board: BoardView) -> Update:
    return made.model_copy(update={"board": board})


# --- the clinician asked us to wait


def tones(s: Scene) -> list[float]:
    """Return a list that gets the times of the tones for an alarm that waits."""
    at_s: list[float] = []
    queue = s.queue
    usual = queue.tone

    def tone(pcm: object) -> None:
        if pcm is CRITICAL_WAITS:
            at_s.append(s.loop.time())
        usual(pcm)  # type: ignore[arg-type]

    queue.tone = tone  # type: ignore[method-assign]
    return at_s


def test_each_alarm_in_a_wait_has_its_tone_and_its_ten_seconds(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            heard = tones(s)
            await s.client.say(2, "wait")
            await s.until(20.0)
            s.streams.commit(update(2, alarm()), update_id(2))
            await s.until(50.0)
            s.streams.commit(update(3, alarm("Lactate is 9.", "l")), update_id(3))
            await s.until(70.0)
            assert [round(at_s) for at_s in heard] == [20, 50]
            assert [round(first_s(s, f"{update_id(n)}.1", "speaking")) for n in (2, 3)] == [30, 60]
            assert modes(s)[-1] == "waiting"

    virtual.run(scene())


def test_a_welcome_in_a_wait_sounds_no_alarm(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            heard = tones(s)
            await s.client.say(2, "wait")
            await s.until(20.0)
            s.client.leave()
            await s.until(200.0)
            await s.client.come()
            await s.until(230.0)
            assert [b for b in s.room.bodies("utterance") if b["kind"] == "welcome"]
            assert heard == []
            s.streams.commit(update(2, alarm()), update_id(2))
            await s.until(250.0)
            assert [round(at_s) for at_s in heard] == [230]
            assert round(first_s(s, ALARM, "speaking")) == 240

    virtual.run(scene())


# --- what a successor makes of it


def test_a_continue_after_which_nothing_was_made_out_is_kept_as_such(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.client.say(2, "stop")
            await s.until(10.0)
            await s.ears.say("continue", "", lasts_s=0.5, whole="you")
            await s.until(12.0)
            assert modes(s)[-1] == "free"
            kept = await s.streams.read_commands("0-0", block_ms=1, count=99)
            assert read_before(kept, [], vacant_s=5.0, now_ms=0.0).mode is Mode.FREE

    virtual.run(scene())


def test_the_closing_counts_the_same_for_a_successor() -> None:
    first = utterance("u-1.1", update_id="u-1")
    entries = [
        entry(first, Phase.CANCELLED, reason="repeated"),
        entry(replace(first, utterance_id="u-1.1.r1", replays="u-1.1"), Phase.SPOKEN),
        entry(utterance("u-2.1", update_id="u-2"), Phase.SUPERSEDED, reason="critical finding already told"),
        entry(utterance("u-3.1", update_id="u-3"), Phase.EXPIRED, reason="too old"),
        entry(replace(first, utterance_id="u-1.1.r2", replays="u-1.1.r1"), Phase.EXPIRED, reason="too old"),
        entry(utterance("s-1.question.b-1", update_id=None), Phase.CANCELLED, reason="answered"),
    ]
    assert read_before([], entries, vacant_s=1.0, now_ms=0.0).unread == {"u-3.1"}


# --- said again, and the end


def test_say_that_again_works_after_an_attempt_that_failed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        text = "Sodium is one hundred and thirty."
        silent = Line(text, fails="scripted", retryable=False)
        s = Scene(voice=ScriptedVoice(Line(text), silent, Line(text)))
        item = f"{update_id(1)}.1"
        async with s.running({GREETING: Phase.SPOKEN}):
            await s.client.come()
            s.streams.commit(update(1, spoken(text)), update_id(1))
            for number in (2, 3):
                await s.until(s.loop.time() + 8.0)
                await s.client.say(number, "repeat")
            await s.until(s.loop.time() + 8.0)
            assert s.room.phases(f"{item}.r1")[-1] == "failed"
            assert s.room.phases(f"{item}.r2")[-1] == "spoken"

    virtual.run(scene())


def test_nothing_begins_once_the_session_was_ended(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.client.come()
            await s.until(10.0)
            s.log._takes_s = 0.3
            await s.client.say(2, "end")
            await asyncio.sleep(0.05)
            s.streams.commit(update(2, alarm()), update_id(2))
            assert await run == "ended_by_clinician"
        assert s.log.phases(ALARM) == []

    virtual.run(scene())
