"""An utterance that is offered again from a later clause on."""

from __future__ import annotations

import asyncio

import pytest

from tests.realtime.making import utterance
from tts_queue import NoPacing, Phase, QueueConfig, QueueEvent, SegmentStarted, SpeechQueue
from tts_queue.testing import ListLog, RecordingSink, SteadyVoice

TEXT = "One two three four five six. Seven eight nine ten. Eleven twelve thirteen."


@pytest.mark.parametrize(("clause", "said"), [(0, [0, 1, 2]), (1, [1, 2]), (2, [2]), (7, [2])])
def test_it_begins_there_and_counts_as_the_whole(
    virtual: asyncio.Runner, clause: int, said: list[int]
) -> None:
    async def scene() -> None:
        events: list[QueueEvent] = []
        log, voice = ListLog(), SteadyVoice()
        queue = SpeechQueue(voice, RecordingSink(), log, NoPacing(), QueueConfig(), events.append)
        running = asyncio.create_task(queue.run())
        queue.offer(utterance("a.r1", TEXT, replays="a", from_clause=clause))
        await asyncio.sleep(8.0)
        queue.played(queue.sent_samples)
        await queue.idle()
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        segments = [event for event in events if isinstance(event, SegmentStarted)]
        assert [(event.index, event.of) for event in segments] == [(index, 3) for index in said]
        assert len(voice.asked) == len(said)
        assert [move.phase_to for move in log.moves] == [Phase.SPEAKING, Phase.SPOKEN]

    virtual.run(scene())
