"""Send everything that the page is told, in one order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from realtime import protocol
from realtime.protocol import Body, Past, ThoughtItem, Trace, TraceItem, UtteranceBody
from realtime.room.livekit_room import VoiceRoom
from realtime.room.view import View
from realtime.room.words import PIECE_CHARS, goes_on, joined

QUEUE_SIZE: Final = 512  # bodies posted and not yet sent: a whole case's utterances fit several times
TRACE_BYTES: Final = 12 * 1024  # of trace items in one message, as JSON: one chunk of a text stream


class Feed:
    """Numbers, sends and remembers the messages on `exaim.state`.

    `say` sends now and returns when the SDK has taken the message; `post` queues it for `run`, for
    callers that may not wait. Both keep one order each; the page orders by `seq`.
    """

    def __init__(self, room: VoiceRoom, *, epoch: int, wall_ms: Callable[[], int]) -> None:
        self._room = room
        self._epoch = epoch
        self._wall_ms = wall_ms
        self._seq = 0
        self._turn = asyncio.Lock()
        self._posted: deque[Body | None] = deque()  # None: a snapshot as it is when its turn comes
        self._past: deque[Past] = deque()  # of the newest snapshot: sent while nothing else is to be
        self._some = asyncio.Event()
        self.view = View()

    async def say(self, body: Body) -> None:
        """Send `body`. Raises: RoomGone; the view has it all the same, and the next snapshot too."""
        async with self._turn:
            await self._send(body)

    async def say_snapshot(self) -> None:
        """Send what the page should have first; `run` sends the rest behind it. Raises: RoomGone."""
        async with self._turn:
            await self._send(None)

    def post(self, body: Body) -> None:
        """Queue `body` for `run`. When the queue is full, one snapshot takes the place of all that waits."""
        self._posted.append(body)
        if len(self._posted) > QUEUE_SIZE:
            for waiting in self._posted:
                if waiting is not None:
                    self.view.apply(waiting)
            self._posted.clear()
            self._posted.append(None)
        self._some.set()

    def utterances(self) -> tuple[UtteranceBody, ...]:
        """Return each utterance as it was last sent, or waits to be."""
        newest = {body.utterance_id: body for body in self.view.utterances()}
        newest |= {body.utterance_id: body for body in self._posted if isinstance(body, UtteranceBody)}
        return tuple(newest.values())

    async def run(self) -> None:
        """Send what is posted, until cancelled."""
        while True:
            await self._some.wait()
            async with self._turn:
                if self._posted:
                    await self._send(self._posted.popleft())
                elif self._past:
                    await self._send(self.view.as_now(self._past.popleft()))
                else:
                    self._some.clear()

    async def _send(self, body: Body | None) -> None:
        """Fold in, number and send one message. Its caller has the turn: view and numbers are in step."""
        if body is None:
            body, past = self.view.whole()
            self._past = deque(past)
            self._some.set()
        self.view.apply(body)
        self._seq += 1
        text = protocol.encode_state(body, seq=self._seq, epoch=self._epoch, at_ms=self._wall_ms())
        await self._room.send_state(text)


def in_batches(items: Sequence[TraceItem]) -> list[Trace]:
    """Cut agents' text into messages of at most `TRACE_BYTES`, joining neighbours of one turn.

    What was thought goes in messages of its own.
    """
    batches: list[Trace] = []
    batch: list[TraceItem] = []
    size = 0
    for item in _joined(items):
        for piece in _pieces(item):
            cost = len(piece.model_dump_json().encode()) + 1
            if batch and (size + cost > TRACE_BYTES or type(batch[0]) is not type(piece)):
                batches.append(_message(batch))
                batch, size = [], 0
            batch.append(piece)
            size += cost
    return [*batches, _message(batch)] if batch else batches


def _message(batch: Sequence[TraceItem]) -> Trace:
    thoughts = tuple(each for each in batch if isinstance(each, ThoughtItem))
    return Trace(thoughts=thoughts) if thoughts else Trace(items=tuple(batch))


def _joined(items: Sequence[TraceItem]) -> list[TraceItem]:
    out: list[TraceItem] = []
    for item in items:
        if out and goes_on(out[-1], item):
            out[-1] = joined(out[-1], item)
        else:
            out.append(item)
    return out


def _pieces(item: TraceItem) -> list[TraceItem]:
    starts = range(0, max(1, len(item.text)), PIECE_CHARS)
    return [
        item.model_copy(update={"text": item.text[at : at + PIECE_CHARS], "start": item.start + at})
        for at in starts
    ]
