"""A queue on virtual time with all that it touches, for scenes in one `async with`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tts_queue import (
    SAMPLE_RATE_HZ,
    Move,
    Moved,
    NoPacing,
    Offer,
    Pacing,
    Phase,
    Priority,
    Prosody,
    QueueConfig,
    QueueEvent,
    SegmentStarted,
    SpeechQueue,
    Utterance,
    Voice,
)
from tts_queue.testing import ListLog, RecordingSink, SteadyVoice

WORD_S = 0.4  # of SteadyVoice
LATE_S = 0.15  # from the sink to the listener's ear


@dataclass
class Scene:
    """What a scene may use; `say` offers with the time of now."""

    queue: SpeechQueue
    sink: RecordingSink
    log: ListLog
    events: list[QueueEvent] = field(default_factory=list)

    def say(
        self,
        utterance_id: str,
        text: str,
        priority: Priority = Priority.SUMMARY,
        *,
        topic: str | None = None,
        protects: bool = False,
        revises: bool = False,
        critical_key: str | None = None,
        expires_after_s: float | None = None,
        replays: str | None = None,
        prosody: Prosody | None = None,
    ) -> Offer:
        return self.queue.offer(
            Utterance(
                utterance_id,
                text,
                priority,
                kind="finding",
                topic=topic,
                prosody=prosody or Prosody(),
                protects=protects,
                revises=revises,
                critical_key=critical_key,
                expires_after_s=expires_after_s,
                replays=replays,
                queued_at_s=now_s(),
            )
        )

    def phases(self, utterance_id: str) -> list[str]:
        return list(self.log.phases(utterance_id))

    def moves(self, utterance_id: str) -> list[Move]:
        return [e.move for e in self.events if isinstance(e, Moved) and e.move.utterance_id == utterance_id]

    def segments(self, utterance_id: str) -> list[SegmentStarted]:
        return [e for e in self.events if isinstance(e, SegmentStarted) and e.utterance_id == utterance_id]

    def events_of_segments(self) -> list[SegmentStarted]:
        return [e for e in self.events if isinstance(e, SegmentStarted)]

    def order_spoken(self) -> list[str]:
        """The utterances in the order in which they first sounded."""
        spoken = [e.utterance_id for e in self.events if isinstance(e, SegmentStarted)]
        return list(dict.fromkeys(spoken))

    def begun(self) -> list[str]:
        """The utterances as often as each began or went on."""
        moves = [e.move for e in self.events if isinstance(e, Moved)]
        return [move.utterance_id for move in moves if move.phase_to is Phase.SPEAKING]


def now_s() -> float:
    return asyncio.get_running_loop().time()


def seconds(samples: int) -> float:
    return samples / SAMPLE_RATE_HZ


async def until(happened: Callable[[], bool]) -> None:
    """Look every 2 ms of virtual time; a scene in which it never happens ends by the test's timeout."""
    while not happened():
        await asyncio.sleep(0.002)


@asynccontextmanager
async def playing(
    voice: Voice | None = None,
    *,
    pacing: Pacing | None = None,
    config: QueueConfig | None = None,
    log: ListLog | None = None,
    listens: bool = True,
    told: tuple[str, ...] = (),
) -> AsyncIterator[Scene]:
    """Run a queue; with `listens`, a listener who hears 150 ms later reports every 50 ms."""
    sink, log = RecordingSink(), log or ListLog()
    events: list[QueueEvent] = []
    queue = SpeechQueue(
        voice or SteadyVoice(word_s=WORD_S),
        sink,
        log,
        pacing or NoPacing(),
        config,
        events.append,
        told=told,
    )
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(queue.run())]
        if listens:
            tasks.append(group.create_task(_listen(queue)))
        yield Scene(queue, sink, log, events)
        for task in tasks:
            task.cancel()


async def _listen(queue: SpeechQueue) -> None:
    while True:
        await asyncio.sleep(0.05)
        queue.played(queue.sent_samples - round(LATE_S * SAMPLE_RATE_HZ))
