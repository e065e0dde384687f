"""Everything that the page is told goes through here, in one order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from realtime import protocol
from realtime.protocol import Body, Trace, TraceItem
from realtime.room import VoiceRoom
from realtime.view import View

LANE_SIZE: Final = 512  # bodies posted and not yet sent: a whole case's utterances fit several times
TRACE_BYTES: Final = 12 * 1024  # of agents' text in one message: one chunk of a text stream


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
        self._posted: asyncio.Queue[Body] = asyncio.Queue(LANE_SIZE)
        self.view = View()

    async def say(self, body: Body) -> None:
        """Send `body`. Raises: RoomGone; the view has it all the same, and the next snapshot too."""
        async with self._turn:
            self.view.apply(body)
            self._seq += 1
            text = protocol.encode_state(body, seq=self._seq, epoch=self._epoch, at_ms=self._wall_ms())
            await self._room.send_state(text)

    async def say_snapshot(self) -> None:
        """Send all that the page should have."""
        await self.say(self.view.snapshot())

    def post(self, body: Body) -> None:
        """Queue `body` for `run`. When the lane is full, one snapshot takes the place of all that waits."""
        if self._posted.full():
            while not self._posted.empty():
                self.view.apply(self._posted.get_nowait())
            self.view.apply(body)
            body = self.view.snapshot()
        self._posted.put_nowait(body)

    async def run(self) -> None:
        """Send what is posted, until cancelled."""
        while True:
            await self.say(await self._posted.get())


def in_batches(items: list[TraceItem]) -> list[Trace]:
    """Cut agents' text into messages of at most `TRACE_BYTES`, joining neighbours of one turn."""
    batches: list[Trace] = []
    batch: list[TraceItem] = []
    size = 0
    for item in _joined(items):
        for piece in _pieces(item):
            cost = len(piece.text.encode("utf-8", "surrogatepass"))
            if batch and size + cost > TRACE_BYTES:
                batches.append(Trace(items=tuple(batch)))
                batch, size = [], 0
            batch.append(piece)
            size += cost
    return [*batches, Trace(items=tuple(batch))] if batch else batches


def _joined(items: list[TraceItem]) -> list[TraceItem]:
    out: list[TraceItem] = []
    for item in items:
        if out and (out[-1].agent_id, out[-1].turn) == (item.agent_id, item.turn):
            out[-1] = out[-1].model_copy(update={"text": out[-1].text + item.text})
        else:
            out.append(item)
    return out


def _pieces(item: TraceItem) -> list[TraceItem]:
    step = TRACE_BYTES // 4  # characters; one takes four bytes at most
    starts = range(0, max(1, len(item.text)), step)
    return [item.model_copy(update={"text": item.text[at : at + step]}) for at in starts]
