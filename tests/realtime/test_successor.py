"""Scenes on virtual time: a worker is gone, another takes over, and the listener was there or was not."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from exaim_core import SpokenKind
from infra.ledger import LedgerEntry, Reached
from infra.streams import Command, LoggedCommand
from realtime.interruption import Mode
from realtime.speech.alerts import ToldBefore
from realtime.speech.before import StateBefore, read_before
from realtime.speech.takeover import take_over
from realtime.testing import ScriptedRoom
from tests.realtime.making import entry, spoken, update, update_id, utterance
from tests.realtime.reading import modes
from tests.realtime.scene import GREETING, ME, RATE_HZ, SESSION, Scene
from tests.realtime.test_return import CLAUSES, ONE, spoken_order, welcomes
from tts_queue import HoldCause, Phase, Priority, SegmentMark

AGAIN = f"{ONE}.r1"
GREETED = {GREETING: Phase.SPOKEN, ONE: Phase.CUT}
SPOKEN_ONE = utterance(ONE, CLAUSES, update_id=update_id(1))
LEFT = replace(SPOKEN_ONE, utterance_id=AGAIN, replays=ONE, from_clause=1)
VOICE_BACK = "The voice was away, and goes on."
KEY = utterance("k", "Potassium is 6.9.", kind="critical", priority=Priority.CRITICAL, critical_key="k")


def stayed() -> ScriptedRoom:
    """Return a room in which the clinician was when this worker came."""
    return ScriptedRoom(before_us=frozenset({ME}))


def first_words(s: Scene, uid: str) -> str:
    body = next(b for b in s.room.bodies("segment") if b["utterance_id"] == uid)
    return " ".join(word["text"] for word in body["words"])


# --- who was there all the time


def test_who_is_ready_before_a_successor_has_begun_hears_on_and_no_greeting(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=6.0, device="d1"))
        ready = asyncio.create_task(s.client.come("d1"))
        await asyncio.sleep(2.0)
        async with s.running(GREETED, [LEFT]):
            await ready
            await s.until(10.0)
            assert s.room.phases(AGAIN)[-1] == "spoken"
            assert GREETING not in {b["utterance_id"] for b in s.room.bodies("utterance")}

    virtual.run(scene())


@pytest.mark.parametrize("device", [None, "d1"])
def test_who_stayed_hears_a_tone_and_on_from_the_cut_clause(
    virtual: asyncio.Runner, device: str | None
) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=6.0, device="d1"))
        async with s.running(GREETED, [LEFT]):
            await s.client.come(device)
            await s.until(8.0)
            tone = next((start, end) for start, end in s.sink.sounding())
            assert (tone[1] - tone[0]) / RATE_HZ < 0.5
            assert welcomes(s) == []
            assert first_words(s, AGAIN) == "Ten eleven twelve thirteen fourteen fifteen."
            assert [(b["index"], b["of"]) for b in s.room.bodies("segment")] == [(1, 2)]
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize("vacant_s", [21.0, 600.0])
def test_after_a_longer_silence_who_stayed_is_told_that_the_voice_was_away(
    virtual: asyncio.Runner, vacant_s: float
) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=vacant_s))
        async with s.running(GREETED, [LEFT]):
            await s.client.come()
            await s.until(12.0)
            assert welcomes(s) == [VOICE_BACK]
            assert list(dict.fromkeys(spoken_order(s))) == [f"{SESSION}.welcome.3.1", AGAIN]

    virtual.run(scene())


def test_who_stayed_and_never_says_ready_again_is_heard_of_by_its_beats(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=4.0))
        async with s.running(GREETED, [LEFT]):
            s.client.join()
            s.client.beating = True
            await s.until(20.0)
            assert welcomes(s) == []
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


def test_what_went_on_from_a_clause_is_repeated_whole(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=6.0, device="d1"))
        async with s.running(GREETED, [LEFT]):
            await s.client.come("d1")
            await s.until(12.0)
            await s.ears.say("Say that again.")
            await s.until(30.0)
            said = [b["index"] for b in s.room.bodies("segment") if b["utterance_id"] == f"{ONE}.r2"]
            assert said == [0, 1]

    virtual.run(scene())


# --- who was not


@pytest.mark.parametrize(
    ("before", "device", "told"),
    [
        (StateBefore(vacant_s=6.0, device="d1"), "d1", None),
        (StateBefore(vacant_s=30.0, device="d1"), "d1", "Back after 30 seconds, and going on."),
        (StateBefore(vacant_s=6.0, away_s=60.0, device="d1"), "d1", "Back after 60 seconds, and going on."),
        (StateBefore(vacant_s=6.0, device="d1"), "d2", "Welcome back."),
        (StateBefore(vacant_s=6.0, device="d1"), None, "Welcome back."),
        (StateBefore(vacant_s=6.0, away_s=180.0, device="d1"), "d1", "Welcome back."),
    ],
)
def test_who_comes_anew_to_a_successor_is_told_by_how_long_it_heard_nothing(
    virtual: asyncio.Runner, before: StateBefore, device: str | None, told: str | None
) -> None:
    async def scene() -> None:
        s = Scene(before=before)
        async with s.running(GREETED, [LEFT]):
            await s.client.come(device)
            await s.until(30.0)
            assert [text[: len(told or "")] for text in welcomes(s)] == ([told] if told else [])
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


def test_who_was_gone_before_the_worker_was_and_came_back_meanwhile_did_not_stay(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=6.0, away_s=200.0, device="d1"))
        async with s.running(GREETED, [LEFT]):
            await s.client.come("d1")
            await s.until(5.0)
            assert welcomes(s)[0].startswith("Welcome back. Recorded case. A case.")

    virtual.run(scene())


@pytest.mark.parametrize(("away_s", "gives_up_s"), [(100.0, 200.0), (299.0, 1.0), (301.0, 300.0)])
def test_the_grace_goes_on_with_a_successor_unless_it_was_over(
    virtual: asyncio.Runner, away_s: float, gives_up_s: float
) -> None:
    async def scene() -> None:
        s = Scene(before=StateBefore(vacant_s=6.0, away_s=away_s))
        async with s.running(GREETED, [LEFT]) as run:
            await s.until(gives_up_s - 0.5)
            assert not run.done()
            await s.until(gives_up_s + 0.5)
            assert run.result() == "abandoned"

    virtual.run(scene())


# --- what was asked of the one before


def test_a_quiet_that_was_asked_for_outlasts_its_worker(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=30.0, mode=Mode.QUIET))
        async with s.running(GREETED, [LEFT]):
            await s.client.come()
            await s.until(20.0)
            assert (modes(s)[-1], welcomes(s), s.room.phases(AGAIN)) == ("quiet", [], ["queued"])
            await s.client.say(2, "go_on")
            await s.until(30.0)
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())


def told_again(s: Scene) -> list[str]:
    return [uid for uid in dict.fromkeys(spoken_order(s)) if uid.startswith("k")]


@pytest.mark.parametrize(
    ("again", "acknowledged", "expected"),
    [(0, False, ["k.r1", "k.r2"]), (1, False, ["k.r1"]), (2, False, []), (0, True, [])],
)
def test_a_critical_finding_that_was_told_before_is_told_again_by_the_same_rule(
    virtual: asyncio.Runner, again: int, acknowledged: bool, expected: list[str]
) -> None:
    async def scene() -> None:
        before = StateBefore(
            vacant_s=6.0,
            told=(ToldBefore(KEY, ago_s=100.0, again=again),),
            acknowledged=frozenset({"k"} if acknowledged else ()),
        )
        s = Scene(room=stayed(), before=before)
        async with s.running({**GREETED, "k": Phase.SPOKEN}, []):
            await s.client.come()
            await s.until(19.5)
            assert told_again(s) == []
            await s.until(25.0)
            assert told_again(s) == expected[:1]
            await s.until(500.0)
            assert told_again(s) == expected

    virtual.run(scene())


@pytest.mark.parametrize(
    ("away_s", "acknowledged", "unacknowledged"),
    [
        (None, False, ["closing"]),
        (180.0, False, ["welcome", "closing"]),
        (86_400.0, False, ["welcome", "closing"]),  # opened again the next day
        (180.0, True, []),
    ],
)
def test_a_successor_tells_of_what_nobody_took_note_of_before_it(
    virtual: asyncio.Runner, away_s: float | None, acknowledged: bool, unacknowledged: list[str]
) -> None:
    async def scene() -> None:
        before = StateBefore(
            vacant_s=6.0,
            away_s=away_s,
            device="d1",
            told=(ToldBefore(KEY, ago_s=200.0, again=2),),
            acknowledged=frozenset({"k"} if acknowledged else ()),
        )
        s = Scene(room=stayed() if away_s is None else None, before=before)
        async with s.running({**GREETED, "k": Phase.SPOKEN}, []):
            await s.client.come("d1")
            await s.until(30.0)
            closing = spoken("That is all.", SpokenKind.CLOSING)
            s.streams.commit(update(2, closing, path="end"), update_id(2))
            await s.until(45.0)
            told = [b for b in s.room.bodies("utterance") if b["phase"] == "spoken"]
            sentence = "One critical finding not acknowledged."
            assert [b["kind"] for b in told if sentence in b["text"]] == unacknowledged

    virtual.run(scene())


def test_a_closing_that_an_earlier_worker_left_waiting_is_worded_anew_too(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        sentence = "That is all. One critical finding not acknowledged."
        left = utterance(ONE, sentence, kind="closing", priority=Priority.NOTICE, update_id=update_id(1))
        before = StateBefore(vacant_s=6.0, told=(ToldBefore(KEY, ago_s=5.0),), mode=Mode.QUIET)
        s = Scene(room=stayed(), before=before)
        closing = spoken("That is all.", SpokenKind.CLOSING)
        s.streams.commit(update(1, closing, path="end"), update_id(1))
        async with s.running({GREETING: Phase.SPOKEN, "k": Phase.SPOKEN}, [left]):
            await s.client.come()
            await s.until(3.0)
            await s.client.say(2, "acknowledge", critical_key="k")
            await s.client.say(3, "go_on")
            await s.until(15.0)
            assert (s.room.phases(ONE)[-1], s.room.phases(AGAIN)[-1]) == ("cancelled", "spoken")
            assert s.text_of(AGAIN) == "That is all."

    virtual.run(scene())


# --- a worker that is told to leave


def test_a_worker_that_is_told_to_leave_is_silent_at_once_and_leaves_its_place(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.client.come()
            await s.until(6.0)
            s.streams.commit(update(1, spoken(CLAUSES)), update_id(1))
            await s.until(12.0)
            s.leaving.set()
            await s.until(12.3)
            assert run.result() == "handed_over"
            (*_, held) = [move for move in s.log.moves if move.utterance_id == ONE]
            assert (held.phase_to, held.cause) == (Phase.HELD, HoldCause.TAKEOVER)
            assert s.places[-1] == (ONE, 1, 1)
            assert s.room.of_type("ended") == [], "the session goes on"
            assert all(end <= 12.1 * RATE_HZ for _, end in s.sink.sounding()), (
                "what the sink holds, and no more"
            )

    virtual.run(scene())


def test_the_place_of_what_was_sent_whole_stays_its_last_clause_until_it_is_confirmed(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(6.0)
            s.streams.commit(update(1, spoken(CLAUSES)), update_id(1))
            await s.until(11.5)
            s.client.stuck = True
            await s.until(13.5)
            assert s.room.phases(ONE)[-1] == "speaking", "nobody confirms it"
            assert [place for place in s.places if place[0] == ONE] == [(ONE, 1, 0), (ONE, 1, 1)]

    virtual.run(scene())


# --- what is read of the ledger and the commands


MARKS = (SegmentMark(0, 0, 3 * RATE_HZ), SegmentMark(1, 0, 2 * RATE_HZ))


@pytest.mark.parametrize(
    ("found", "reached", "clause"),
    [
        (entry(SPOKEN_ONE, Phase.SPEAKING), None, 0),
        (entry(SPOKEN_ONE, Phase.SPEAKING), Reached(ONE, 1, 1), 1),
        (entry(SPOKEN_ONE, Phase.SPEAKING, number=3), Reached(ONE, 1, 1), 0),
        (entry(SPOKEN_ONE, Phase.SPEAKING), Reached("another", 1, 1), 0),
        (entry(SPOKEN_ONE, Phase.HELD, heard=4 * RATE_HZ, segments=MARKS), Reached(ONE, 1, 1), 1),
        (entry(SPOKEN_ONE, Phase.HELD, heard=2 * RATE_HZ, segments=MARKS), Reached(ONE, 1, 1), 0),
        (entry(LEFT, Phase.HELD, heard=RATE_HZ, segments=MARKS[:1]), None, 1),
        (entry(replace(SPOKEN_ONE, priority=Priority.CRITICAL), Phase.SPEAKING), Reached(ONE, 1, 1), 0),
    ],
)
def test_what_was_cut_goes_on_from_its_clause(
    found: LedgerEntry, reached: Reached | None, clause: int
) -> None:
    left = take_over([found], now_s=0.0, reached=reached)
    assert [each.from_clause for each in left.again] == [clause]


def test_what_was_sent_to_its_end_and_not_confirmed_is_said_again_from_its_last_clause() -> None:
    beyond = take_over([entry(SPOKEN_ONE, Phase.SPEAKING)], now_s=0.0, reached=Reached(ONE, 1, 2))
    assert [each.from_clause for each in beyond.again] == [1]
    another = replace(SPOKEN_ONE, utterance_id="next", topic="next")
    both = [entry(SPOKEN_ONE, Phase.SPEAKING), entry(another, Phase.SPEAKING)]
    left = take_over(both, now_s=0.0, reached=Reached("next", 1, 0))
    assert [(each.replays, each.from_clause) for each in left.again] == [(ONE, 1), ("next", 0)]
    assert {move.reason for move in left.cut} == {"takeover"}


def log(*kinds: tuple[str, Mapping[str, Any]]) -> list[LoggedCommand]:
    return [
        LoggedCommand(f"{n}-0", 1_000 * n, Command(kind=kind, by="x", at_ms=0, args=dict(args)), n)
        for n, (kind, args) in enumerate(kinds, start=1)
    ]


@pytest.mark.parametrize(
    ("effects", "mode"),
    [
        ((), Mode.FREE),
        (("quiet",), Mode.QUIET),
        (("wait", "go_on", "ask"), Mode.WAITING),
        (("quiet", "resume"), Mode.FREE),
        (("wait", "answer"), Mode.FREE),
    ],
)
def test_the_mode_is_what_the_last_turns_made_it(effects: tuple[str, ...], mode: Mode) -> None:
    commands = log(*(("turn", {"effect": effect}) for effect in effects))
    assert read_before(commands, [], vacant_s=1.0, now_ms=0.0).mode is mode


def test_an_absence_counts_from_the_listeners_last_sign_by_the_stores_clock() -> None:
    gone = ("listener", {"here": False, "silent_s": 1.5, "device": "d1"})
    here = ("listener", {"here": True, "silent_s": 0.0, "device": "d1"})
    left = read_before(log(here, gone), [], vacant_s=4.0, now_ms=62_000.0)
    assert (left.away_s, left.silent_s, left.device) == (61.5, 61.5, "d1")
    stayed = read_before(log(gone, here), [], vacant_s=4.0, now_ms=62_000.0)
    assert (stayed.away_s, stayed.silent_s) == (None, 4.0)
    jumped = read_before(log(here, gone), [], vacant_s=4.0, now_ms=0.0)
    assert jumped.away_s == 1.5, "a clock that jumped back makes no absence"


def test_told_findings_are_read_with_how_often_and_what_was_taken_note_of() -> None:
    one = replace(KEY, utterance_id="k.r1", replays="k")
    entries = [
        entry(KEY, Phase.SPOKEN, at_ms=10_000),
        entry(one, Phase.SPOKEN, at_ms=140_000),
        entry(replace(KEY, utterance_id="m", critical_key="m"), Phase.CUT, at_ms=5_000),
        entry(replace(KEY, utterance_id="n", critical_key="n"), Phase.CUT, at_ms=20_000, reason="skipped"),
        entry(replace(KEY, utterance_id="n.r1", critical_key="n"), Phase.HELD, at_ms=150_000),
    ]
    found = read_before(log(("acknowledge", {"critical_key": "n"})), entries, vacant_s=1.0, now_ms=150_000.0)
    assert [(t.utterance.utterance_id, t.ago_s, t.again, t.due) for t in found.told] == [
        ("k.r1", 10.0, 1, False),
        ("n.r1", 130.0, 1, True),
    ]
    assert found.acknowledged == {"n"}


def test_the_summary_that_sounded_last_is_read_from_the_ledger() -> None:
    third = replace(SPOKEN_ONE, utterance_id="u-s-1-0003.1", update_id=update_id(3))
    entries = [entry(third, Phase.SPOKEN, at_ms=20), entry(SPOKEN_ONE, Phase.HELD, at_ms=10)]
    assert read_before([], entries, vacant_s=1.0, now_ms=0.0).heard == 3


def test_a_ready_that_comes_before_the_news_of_who_was_there_is_of_who_stayed(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(room=stayed(), before=StateBefore(vacant_s=200.0))
        async with s.running(GREETED, [LEFT]):
            await asyncio.sleep(0)
            await s.client.say(1)
            s.client.beating = True
            s.client.join()
            await s.until(15.0)
            assert welcomes(s) == [VOICE_BACK]
            assert s.room.phases(AGAIN)[-1] == "spoken"

    virtual.run(scene())
