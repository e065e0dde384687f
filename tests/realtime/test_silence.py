"""Scenes on virtual time: a team that is silent, one that never said a word, and what is said after the closing."""

from __future__ import annotations

import asyncio

import pytest

from agents.stream import EventType
from exaim_core import SpokenKind
from realtime.listener.reception import NOTHING_YET_S
from realtime.speech.narrator import silence_text
from realtime.testing import event
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import spoken_ids
from tests.realtime.scene import SESSION, Scene

CAUTION = spoken("No penicillin: an allergy is on record.", SpokenKind.CAUTION, protects=True)
CLOSING = spoken("Finished. Sepsis, the decision by the supervisor.", SpokenKind.CLOSING)
TITLE = f"{SESSION}.notice.title"


def silences(s: Scene) -> list[str]:
    return [b["text"] for b in s.room.bodies("utterance") if (b["kind"], b["phase"]) == ("silence", "spoken")]


def test_a_silent_team_is_told_as_silent_once_and_what_it_says_then_is_told(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, silence_s=8.0)
        async with s.running():
            await s.client.come()
            s.streams.think("Doctor Zero", "Peaked T waves.")
            await s.until(40.0)
            assert silences(s) == ["The agents have said nothing for eight seconds."]
            assert s.room.bodies("reasoning")[-1] == {
                "phase": "thinking",
                "detail": "The agents have said nothing for eight seconds.",
            }
            s.streams.think("Doctor One", "No penicillin.")
            s.streams.commit(update(1, CAUTION), update_id(1))
            await s.until(47.0)
            assert s.room.phases(f"{update_id(1)}.1")[-1] == "spoken"
            assert s.room.bodies("reasoning")[-1] == {"phase": "thinking", "detail": ""}
            await s.until(60.0)
            assert len(silences(s)) == 2, "a silence of its own"
        assert "failed" not in [b["phase"] for b in s.room.bodies("reasoning")]
        assert not [b for b in s.room.bodies("utterance") if b["kind"] == "failure"]

    virtual.run(scene())


def test_who_has_ended_is_not_silent(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, silence_s=8.0)
        async with s.running():
            await s.client.come()
            s.streams.think("Doctor Zero", "Peaked T waves.")
            s.streams.log(event(1, kind=EventType.END))
            await s.until(40.0)
            assert silences(s) == []

    virtual.run(scene())


@pytest.mark.parametrize(
    ("for_s", "told"), [(8.5, "eight seconds"), (60.0, "60 seconds"), (300.0, "five minutes")]
)
def test_how_long_is_told_in_words(for_s: float, told: str) -> None:
    assert silence_text(for_s) == f"The agents have said nothing for {told}."


@pytest.mark.parametrize(
    ("sign_s", "word", "left_s"),
    [(None, False, NOTHING_YET_S), (40.0, False, 40.0 + NOTHING_YET_S), (None, True, 300.0)],
)
def test_a_session_with_nobody_in_it_and_without_a_word_is_let_go_of_a_minute_after_the_teams_last_sign(
    sign_s: float | None, word: bool, left_s: float, virtual: asyncio.Runner
) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        s.streams.team_at_s = None
        async with s.running() as run:
            if word:
                s.streams.think("Doctor Zero", "Peaked T waves.")
            if sign_s is not None:
                await s.until(sign_s)
                s.streams.team_at_s = s.loop.time()
            await s.until(left_s - 2.0)
            assert not run.done()
            await s.until(left_s + 7.0)
            assert run.done()
            assert await run == "abandoned"

    virtual.run(scene())


def test_a_team_that_gives_signs_and_one_that_is_listened_to_are_waited_for(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s, heard = Scene(live=True), Scene(live=True)
        async with s.running() as run, heard.running() as other:
            await heard.client.come()
            for _ in range(12):
                s.streams.team_at_s = s.loop.time()
                await asyncio.sleep(15.0)
            assert not run.done()
            assert not other.done()

    virtual.run(scene())


def test_nothing_is_said_behind_the_closing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, patient="woman, 34", title="Agitated woman with a racing heart")
        alarms = [
            spoken(
                f"Finding {number} " + "word " * 12,
                SpokenKind.CRITICAL,
                critical_key=f"k{number}",
                urgency="critical",
            )
            for number in range(3)
        ]
        async with s.running():
            await s.client.come()
            s.streams.think("Doctor Zero", "Peaked T waves.")
            s.streams.commit(update(1, *alarms), update_id(1))
            s.streams.commit(update(2, CLOSING, path="end"), update_id(2))
            s.streams.log(event(1, kind=EventType.END))
            await s.until(60.0)
            assert spoken_ids(s)[-1] == f"{update_id(2)}.1"
            assert TITLE not in spoken_ids(s), "the team is done"

    virtual.run(scene())
