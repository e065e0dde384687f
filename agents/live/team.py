"""A running team, as its own program sees it."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Final, Self

import httpx

from agents.live.errors import Refused
from agents.live.opening import Opened
from agents.live.outbox import CONTEXT, MOST_CHARS, Outbox
from agents.live.sending import SEND_WITHIN_S, Sender
from agents.stream import LLMMetadata, TeamEvent, TokenContext

log = logging.getLogger(__name__)

CLOSE_WITHIN_S: Final = 30.0  # for what is still to be sent when the team is done


class LiveTeam:
    """Streams a team's words to its session. Use as a context: leaving it ends the reasoning.

    Left by an exception, the reasoning is told as broken off. Once entered, nothing here makes the team wait,
    or fail; leaving waits up to 30 s. While the server is away words wait, `most_chars` characters of them;
    beyond that new ones are refused and counted in `lost_chars`. After a refusal for good, or a failure of
    the sending itself, `refused` says why, and all further ones are lost.

    Args:
        opened: what `open_session` returned. A program that was started again makes it from its parts.
        http: a client of one's own; it is not closed.
    """

    def __init__(
        self, opened: Opened, *, most_chars: int = MOST_CHARS, http: httpx.AsyncClient | None = None
    ) -> None:
        self.opened = opened
        self.refused: Refused | None = None
        self._outbox = Outbox(most_chars)
        self._http = http
        self._stack = AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._sender: Sender | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def lost_chars(self) -> int:
        """How many characters nobody will hear, because there was no room for them or nobody took them."""
        return self._outbox.lost_chars

    async def __aenter__(self) -> Self:
        """Begin to send. Raises: Unreachable, Refused."""
        self._loop = asyncio.get_running_loop()
        http = self._http
        if http is None:
            http = await self._stack.enter_async_context(httpx.AsyncClient(timeout=SEND_WITHIN_S))
        self._sender = Sender(http, self.opened.events_url, self.opened.team_token, self._outbox)
        try:
            await self._sender.find_place()
        except BaseException:
            await self._stack.aclose()
            raise
        self._task = asyncio.create_task(self._send(self._sender), name="live-team")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send the rest and the end, within `CLOSE_WITHIN_S`."""
        assert self._task is not None, "it was entered"
        self._outbox.end("the team broke off" if kind else None)
        self._wake()
        try:
            await asyncio.wait({self._task}, timeout=CLOSE_WITHIN_S)
        finally:
            if not self._task.done():
                log.warning("the end of the reasoning could not be sent; the server ends it by its silence")
            self._task.cancel()
            await asyncio.wait({self._task})
            await self._stack.aclose()

    def agent(self, name: str, *, synthesis: bool = False) -> Turn:
        """Return a turn of an agent, to be used as a context. `synthesis`: it writes the team's conclusion."""
        return Turn(self, name, synthesis=synthesis)

    def offer(
        self, agent_id: str, text: str, *, thinking: bool = False, context: TokenContext = CONTEXT
    ) -> bool:
        """Take an agent's words from any thread, at once; False if they are lost.

        `thinking`: what its model thinks on the way to them. The page may show it, folded; nobody hears it, and
        nothing is concluded from it. Thinking in tags within the words is told apart without this.
        """
        taken = self._outbox.offer(agent_id, text, thinking=thinking, context=context)
        if taken:
            self._wake()
        elif self._outbox.lost_chars == len(text):
            log.warning("words of the team are being lost: %s", self.refused or "too many wait to be sent")
        return taken

    def tell(self, event: TeamEvent) -> bool:
        """Take an event of a team that makes its own (`agents.teams`), at once; False if its words are lost.

        Its number is given here. What ends all is told by leaving the context, or by `break_off`.
        """
        taken = self._outbox.tell(event)
        self._wake()
        return taken

    def break_off(self, why: str) -> None:
        """Tell why the reasoning ends, and end it."""
        self._outbox.end(why)
        self._wake()

    def cost(self, agent_id: str, llm: LLMMetadata) -> None:
        """Take what a call of an agent's model cost, from any thread, at once; `trace_id` names the call."""
        self._outbox.cost(agent_id, llm)
        self._wake()

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn from any thread, at once."""
        self._outbox.end_turn(agent_id)
        self._wake()

    def _wake(self) -> None:
        if self._loop is not None and self._sender is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._sender.wake)

    async def _send(self, sender: Sender) -> None:
        try:
            await sender.run()
        except Refused as error:
            self.refused = error
        except Exception as error:  # the team goes on, and must learn that nobody hears it
            self.refused = Refused(0, "sending_failed", f"{type(error).__name__}; please report it")
            self._outbox.drop_text()
            log.warning("%s", self.refused)  # without the error's text, which may quote what was said


class Turn:
    """One agent's turn: what is said in it belongs together. Only one of an agent at a time."""

    def __init__(self, team: LiveTeam, agent_id: str, *, synthesis: bool = False) -> None:
        self._team, self._agent_id = team, agent_id
        self._context = TokenContext.FINAL_SYNTHESIS if synthesis else CONTEXT

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._team.end_turn(self._agent_id)

    async def say(self, text: str, *, thinking: bool = False) -> None:
        """Say some more: a token, a sentence or a whole answer. Never waits for the listener."""
        self._team.offer(self._agent_id, text, thinking=thinking, context=self._context)
        await asyncio.sleep(0)  # a team that never waits would not let the words go
