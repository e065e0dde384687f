"""Where in the speech we are, and how far the reasoning is."""

from __future__ import annotations

import asyncio

import pytest

from agents.stream import EventType, TokenType
from infra.streams import Logged
from realtime.speech.bookmark import Bookmark
from realtime.speech.progress import AgentsStage, Progress
from realtime.testing import event
from tts_queue import LogUnavailable, Move, Phase, SegmentStarted


def speaking(utterance_id: str) -> Move:
    return Move(utterance_id, 1, Phase.QUEUED, Phase.SPEAKING, 0.0)


def clause(utterance_id: str, index: int, of: int) -> SegmentStarted:
    return SegmentStarted(utterance_id, index, of, "Some words.", 0, 480, ())


def test_only_the_newest_place_is_kept_and_a_store_that_is_away_is_asked_again(
    virtual: asyncio.Runner,
) -> None:
    kept: list[tuple[str, int, int]] = []
    away = True

    async def keep(utterance_id: str, number: int, clause: int) -> None:
        await asyncio.sleep(0.01)
        if away:
            raise LogUnavailable("scripted")
        kept.append((utterance_id, number, clause))

    async def scene() -> None:
        nonlocal away
        bookmark = Bookmark(keep)
        writing = asyncio.create_task(bookmark.run())
        bookmark.moved(speaking("a"))
        for number in range(3):
            bookmark.began(clause("a", number, 4))
            await asyncio.sleep(0.2)
        away = False
        await asyncio.sleep(2.0)
        assert kept == [("a", 1, 2)]
        bookmark.moved(speaking("b"))
        bookmark.began(clause("b", 0, 1))
        await asyncio.sleep(0.1)
        assert kept[1:] == [("b", 1, 0)]
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)

    virtual.run(scene())


def logged(at_ms: int, kind: EventType = EventType.TOKEN, token: TokenType | None = None) -> Logged:
    made = event(at_ms, data="x", kind=kind)
    return Logged(f"{at_ms}-0", at_ms, made.model_copy(update={"token_type": token or made.token_type}), 1)


def test_the_stage_follows_the_streams() -> None:
    at = Progress()
    stages = [at.stage]
    at.saw_events([logged(1_000)])
    at.saw_update(1, at_ms=1_500, end=False)
    stages.append(at.stage)
    at.saw_events([logged(2_000, token=TokenType.FINAL_SYNTHESIS_LLM_RESPONSE)])
    stages.append(at.stage)
    at.saw_update(2, at_ms=3_000, end=True)
    stages.append(at.stage)
    at.saw_events([logged(4_000, EventType.ERROR)])
    stages.append(at.stage)
    assert stages == [
        AgentsStage.INTAKE,
        AgentsStage.DELIBERATION,
        AgentsStage.SYNTHESIS,
        AgentsStage.DONE,
        AgentsStage.BROKEN,
    ]


@pytest.mark.parametrize(("last_ms", "minutes"), [(30_999, 0), (31_000, 1), (90_999, 1), (241_000, 4)])
def test_minutes_are_from_the_first_event_to_the_newest_to_the_nearest(last_ms: int, minutes: int) -> None:
    at = Progress()
    assert at.minutes == 0
    at.saw_events([logged(1_000), logged(last_ms)])
    assert at.minutes == minutes


def test_new_is_what_was_made_after_the_listener_left_also_for_a_successor() -> None:
    at = Progress(since_ms=5_000.0)
    for number in (1, 2, 3):
        at.saw_update(number, at_ms=number * 2_000, end=False)
    assert (at.made, at.new) == (3, 1)
    at.listener_left()
    assert at.new == 0
    at.saw_update(4, at_ms=1, end=False)
    assert at.new == 1
