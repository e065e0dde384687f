"""Send an outbox to a session's log: in order, one batch at a time, each until it is stored.

A batch that had no answer is sent again as it was; its numbers tell the server what it has already.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Sequence
from itertools import chain
from typing import Final

import httpx

from exaim_live.errors import Refused, Unreachable, asked
from exaim_live.events import TeamEvent
from exaim_live.outbox import Outbox

log = logging.getLogger(__name__)

BATCH_S: Final = 0.07  # between two batches; the first word after a pause waits for nothing
SEND_WITHIN_S: Final = 10.0
SIGN_S: Final = 15.0  # without a word: a session without one has its slot for a minute after the last sign
RETRY_FIRST_S: Final = 0.2
RETRY_MOST_S: Final = 5.0  # how late a server that is back is noticed
UNREADABLE: Final = frozenset({413, 422})  # statuses of a batch that is too large, or has what is no event
MOST_UNREADABLE: Final = (
    20  # events that are let go one by one; with more, the server speaks another language
)


class Sender:
    """Sends what an outbox holds to `events_url`, with the team's token."""

    def __init__(self, http: httpx.AsyncClient, events_url: str, team_token: str, outbox: Outbox) -> None:
        self._http, self._events_url, self._outbox = http, events_url, outbox
        self._headers = {"Authorization": f"Bearer {team_token}", "Content-Type": "application/json"}
        self._woken = asyncio.Event()
        self._waited_for = asyncio.Event()  # somebody waits until all is stored: no batch is put off for more
        self._bringing = self._over = False
        self._quiet = asyncio.Event()  # looked at anew whenever a batch is there, or the sending is over

    def wake(self) -> None:
        """Wake the sender after an offer. In the loop's thread only."""
        self._woken.set()

    async def find_place(self) -> None:
        """Ask how far the log is, and number on from there: a team that was started again goes on.

        Raises: Refused, Unreachable.
        """
        self._outbox.begin_at(await self._send(()) + 1)

    async def all_stored(self) -> None:
        """Wait until all that was offered, meanwhile too, is stored, or until nothing can be sent any more."""
        while (self._bringing or not self._outbox.is_empty) and not self._over:
            self._waited_for.set()
            self._quiet.clear()
            await self._quiet.wait()

    async def run(self) -> None:
        """Send until the outbox is closed and empty. Raises: Refused: nothing more will ever be taken."""
        try:
            await self._run()
        finally:
            self._over = True
            self._quiet.set()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            self._woken.clear()
            self._waited_for.clear()
            next_s = loop.time() + BATCH_S
            batch = self._outbox.take()
            if batch:
                self._bringing = True
                try:
                    await self._bring(batch)
                finally:
                    self._bringing = False
                    self._quiet.set()
            elif self._outbox.closed:
                return
            elif not await self._wakes():
                await self._give_a_sign()
            if batch and not self._outbox.closed:
                await self._put_off(next_s)

    async def _wakes(self) -> bool:
        """Wait until something is offered; False: for as long as until the next sign nothing was."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SIGN_S):
                await self._woken.wait()
                return True
        return False

    async def _give_a_sign(self) -> None:
        """Send a sign of life. Raises: Refused: nothing more will ever be taken."""
        try:
            await self._send(())
        except Unreachable as error:
            log.debug("no sign could be given: %s", error)
        except Refused:
            self._outbox.drop_text()
            raise

    async def _put_off(self, until_s: float) -> None:
        """Wait for more to fill the batch, unless somebody waits for what is there."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until_s):
                await self._waited_for.wait()

    async def _bring(self, batch: list[TeamEvent]) -> None:
        """Send a batch until it is stored; what the server can't read is found by halves and let go.

        Raises: Refused; whatever is raised, no more text is taken.
        """
        parts = [batch]
        while parts:
            part = parts.pop(0)
            try:
                await self._bring_whole(part)
            except Refused as error:
                log.warning("%s", error)
                unreadable = error.status in UNREADABLE
                if unreadable and self._outbox.lost_events < MOST_UNREADABLE:
                    parts = self._without_one(part, parts)
                    continue
                self._outbox.drop_text([*part, *chain.from_iterable(parts)])
                if unreadable or error.code == "log_full":
                    return
                raise
            except Exception:
                self._outbox.drop_text([*part, *chain.from_iterable(parts)])
                raise

    def _without_one(self, part: list[TeamEvent], rest: list[list[TeamEvent]]) -> list[list[TeamEvent]]:
        """Return what is to be sent after a part of which nothing was taken: its halves, or not its only event."""
        if len(part) > 1:
            middle = len(part) // 2
            return [part[:middle], part[middle:], *rest]
        self._outbox.drop(part[0])
        return [self._outbox.numbered_again(each) for each in rest]

    async def _bring_whole(self, batch: list[TeamEvent]) -> None:
        """Send a batch until it is stored, numbering it anew where the log has lost some. Raises: Refused."""
        wait_s, astray = RETRY_FIRST_S, False
        while True:
            try:
                if astray:
                    await self.find_place()
                    batch[:], astray = self._outbox.numbered_again(batch), False
                await self._send(batch)
            except Unreachable as error:
                log.warning("%s; %d events wait", error, len(batch))
                await asyncio.sleep(max(wait_s * random.uniform(0.5, 1.0), error.retry_after_s))
                wait_s = min(2 * wait_s, RETRY_MOST_S)
            except Refused as error:
                astray = error.code == "sequence_gap"  # the store has lost some; the rest is worth hearing
                if not astray:
                    raise
                log.warning("%s", error)
            else:
                return

    async def _send(self, batch: Sequence[TeamEvent]) -> int:
        listed = ",".join(event.to_wire() for event in batch)  # as the outbox has measured them
        body = f'{{"events":[{listed}]}}'
        request = self._http.build_request(
            "POST", self._events_url, content=body.encode(), headers=self._headers
        )
        return await asked(self._http, request, lambda answer: int(answer["stored_seq"]))
