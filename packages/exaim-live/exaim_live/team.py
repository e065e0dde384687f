"""Stream a running team to its session: the client's main class."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from enum import StrEnum
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx
from pydantic import ValidationError

from exaim_live.answering import Answering
from exaim_live.errors import Refused
from exaim_live.events import (
    ROUNDS_MAX,
    Decision,
    DecisionKind,
    LLMMetadata,
    Progress,
    ProgressKind,
    TeamEvent,
    TokenContext,
)
from exaim_live.inbox import MessageKind, TeamMessage
from exaim_live.mailbox import Mailbox, TeamsInbox
from exaim_live.opening import Opened
from exaim_live.outbox import CONTEXT, MOST_CHARS, Outbox, as_text
from exaim_live.sending import SEND_WITHIN_S, Sender

log = logging.getLogger(__name__)

T = TypeVar("T")

CANCEL_WITHIN_S: Final = 1.0  # what a team's program gets to close its providers' sockets once it is ended
STORED_WITHIN_S: Final = 60.0  # a server that is away longer: words wait, and the team goes on
CLOSE_WITHIN_S: Final = 30.0  # for what is still to be sent when the team is done


class LiveTeam:
    """Streams a team's words to its session. Use it as a context manager: leaving ends the reasoning.

    Left by an exception, the reasoning is told as broken off. Once entered, nothing here makes the team wait,
    or fail; leaving waits up to 30 s. While the server is away words wait, `most_chars` characters of them;
    beyond that new ones are refused and counted in `lost_chars`. After a refusal for good, or a failure of
    the sending itself, `refused` says why, and all further ones are lost.

    The clinician may ask: `inbox` yields what comes (`take` returns it at once), `answering` marks what is said to
    it. `run` lets go of the team's work as soon as the session ends or the clinician wants no more of it; `ended`
    is set then.

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
        self._mailbox: Mailbox | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._answering = Answering()
        self._handed_over = False
        self._left = False

    @property
    def next_seq(self) -> int:
        """The number that the next event will have: above all that is in the log, and above all its turns."""
        return self._outbox.next_seq

    @property
    def lost_chars(self) -> int:
        """How many characters nobody will hear, because there was no room for them or nobody took them."""
        return self._outbox.lost_chars

    @property
    def lost_events(self) -> int:
        """How many events were let go because the server could not read them; their words are in `lost_chars`."""
        return self._outbox.lost_events

    async def __aenter__(self) -> Self:
        """Begin to send. Raises: Unreachable, Refused."""
        self._loop = asyncio.get_running_loop()
        http = self._http
        if http is None:
            http = await self._stack.enter_async_context(httpx.AsyncClient(timeout=SEND_WITHIN_S))
        base_url = self.opened.events_url.rpartition("/")[0]
        self._mailbox = Mailbox(http, f"{base_url}/inbox", self.opened.team_token)
        self._sender = Sender(http, self.opened.events_url, self.opened.team_token, self._outbox)
        try:
            await self._sender.find_place()
        except BaseException:
            await self._stack.aclose()
            raise
        self._stack.enter_context(self._answering.within(None))  # tasks of before a question answer none
        self._task = asyncio.create_task(self._send(self._sender), name="live-team")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send the rest and the end, within `CLOSE_WITHIN_S`."""
        assert self._task is not None, "it was entered"
        self._left = True
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.wait({self._fetching})
        if not self._handed_over:
            self._outbox.end("the team broke off" if kind else None)
            self._wake()
        try:
            if not self._handed_over:
                await asyncio.wait({self._task}, timeout=CLOSE_WITHIN_S)
        finally:
            if not self._task.done() and not self._handed_over:
                log.warning("the end of the reasoning could not be sent; the team will be told as silent")
            self._task.cancel()
            await asyncio.wait({self._task})
            await self._stack.aclose()

    # --- what the clinician says ----------------------------------------------------------------

    async def inbox(self) -> AsyncIterator[TeamMessage]:
        """Yield what the clinician asks and tells the team, until it is ended; call it in one place only.

        From the first call on the clinician is told that this team can be asked.
        """
        box = self._fetched(answering=True)
        async for message in box.messages():
            yield message

    def take(self) -> Sequence[TeamMessage]:
        """Return what came since the last call, of every kind, at once: for a team that looks between its calls.

        From any thread. From the first call on the clinician is told that this team can be asked. Use this or
        `inbox`, not both: each message is given once. The end is no message here: `ended` and `why` tell it.
        """
        return self._fetched(answering=True).taken()

    def teams_inbox(self) -> TeamsInbox:
        """Return the inbox as the teams of the checkout want it (`agents.teams.port`): questions and facts alone.

        Elsewhere `take` is what you want.
        """
        return TeamsInbox(self._fetched(answering=True))

    @property
    def ended(self) -> asyncio.Event:
        """Set once the session has ended, or the clinician has cancelled the team.

        Another thread may get it and look (`is_set`); only the team's own loop may wait for it.
        """
        return self._fetched().ended

    @property
    def why(self) -> MessageKind | None:
        """Why it was ended: `ended` or `cancelled`; None: it was not."""
        return None if self._mailbox is None else self._mailbox.why

    def on_ended(self, callback: Callable[[MessageKind], None]) -> None:
        """Have `callback` called once, with `ended` or `cancelled`: a program in threads stops itself by it.

        From any thread. It is called in the loop's thread, or at once in this one if it is over already.
        """
        self._fetched().on_ended(callback)

    async def run(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Do `work`, and cancel it once the team is ended: None then, and `ended` is set.

        Cancelled, a call of a model closes its provider's socket. Work that doesn't let itself be cancelled
        within 1 s, as in a thread, goes on unheard, and is logged.
        """
        ended = self.ended
        task = asyncio.create_task(work, name="live-team-work")
        ending = asyncio.create_task(ended.wait(), name="live-team-ended")
        try:
            await asyncio.wait({task, ending}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            task.cancel()
            await asyncio.wait({task}, timeout=CANCEL_WITHIN_S)
            if not task.done():
                log.warning("the team's work did not end within %.0f s of the session's end", CANCEL_WITHIN_S)
            elif not task.cancelled() and task.exception() is not None:
                log.warning("the team's work raised %s as it ended", type(task.exception()).__name__)
            return None
        finally:
            task.cancel()
            ending.cancel()
            await asyncio.wait({task, ending}, timeout=CANCEL_WITHIN_S)

    def answering(self, message: TeamMessage) -> AbstractContextManager[None]:
        """Mark every turn that begins within the context as an answer to a message of the clinician's.

        That is: in its block, and in what the block begins (tasks, `asyncio.to_thread`), while it lasts. Several
        may be answered at once, each in a task of its own. A worker that was there before the team was entered,
        or knows of no context, answers the only message that is being answered.
        """
        return self._answering.within(message.id)

    def _fetched(self, *, answering: bool = False) -> Mailbox:
        """Return the mailbox, from which is fetched from now on; from any thread, until the team is left."""
        assert self._mailbox is not None and self._loop is not None, "it was entered"
        if self._loop is _running_loop():
            self._fetch(answering)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._fetch, answering)
        return self._mailbox

    def _fetch(self, answering: bool) -> None:
        if self._left or self._mailbox is None:
            return
        if answering:
            self._mailbox.answer()
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._mailbox.run(), name="live-team-inbox")

    # --- what the team says ---------------------------------------------------------------------

    def agent(self, name: str, in_reply_to: str | None = None, *, synthesis: bool = False) -> Turn:
        """Return a turn of an agent, to be used as a context.

        `in_reply_to`: id of the message it answers. `synthesis`: it writes the team's conclusion.
        """
        return Turn(self, name, in_reply_to, synthesis=synthesis)

    def offer(
        self,
        agent_id: str,
        text: object,
        in_reply_to: str | None = None,
        *,
        thinking: bool = False,
        context: TokenContext = CONTEXT,
    ) -> bool:
        """Take an agent's words from any thread, at once; False if they are lost.

        What is no text is sent as the text that says the same: bytes as UTF-8, anything else as its JSON.

        `thinking`: what its model thinks on the way to them. The page may show it, folded; nobody hears it, and
        nothing is concluded from it. Thinking in tags within the words is told apart without this.
        """
        answers, words = in_reply_to or self._answering.message_id(), as_text(text)
        taken = self._outbox.offer(agent_id, words, thinking=thinking, context=context, in_reply_to=answers)
        if taken:
            self._wake()
        elif self._outbox.lost_chars == len(words):
            log.warning("words of the team are being lost: %s", self.refused or "too many wait to be sent")
        return taken

    def tell(self, event: TeamEvent) -> bool:
        """Take an event of a team that makes its own (`agents.teams`), at once; False if its words are lost.

        Its number is given here. What ends all is told by leaving the context, or by `break_off`.
        """
        taken = self._outbox.tell(event)
        self._wake()
        return taken

    def has_room(self, event: TeamEvent) -> bool:
        """Return whether the words of an event would be taken now."""
        return self._outbox.has_room(len(event.data))

    def break_off(self, why: str) -> None:
        """Tell why the reasoning ends, and end it."""
        self._outbox.end(why)
        self._wake()

    async def stored(self, within_s: float = STORED_WITHIN_S) -> bool:
        """Wait until the server has all that was said; False if it has not within so long."""
        assert self._sender is not None, "it was entered"
        try:
            async with asyncio.timeout(within_s):
                await self._sender.all_stored()
        except TimeoutError:
            return False
        return self.refused is None

    def hand_over(self) -> None:
        """Leave the context without an end: another process goes on, and sends what is not stored yet anew."""
        self._handed_over = True

    def cost(self, agent_id: str, llm: LLMMetadata) -> None:
        """Take what a call of an agent's model cost, from any thread, at once; `trace_id` names the call."""
        self._outbox.cost(agent_id, llm, in_reply_to=self._answering.message_id())
        self._wake()

    def decide(self, agent_id: str, kind: DecisionKind | str, text: str, rests_on: str | None = None) -> bool:
        """State what an agent decided, from any thread, at once; False if it can't be sent.

        Args:
            agent_id: whose turn it is about: the one under way, else the last.
            kind: `leading`, `order`, `prohibition` or `final`.
            text: what it is, in a few words of the agent's.
            rests_on: the words of its turn that say so, as they were written; by default `text` itself.
        """
        try:
            told = Decision.model_validate({"kind": kind, "text": text, "rests_on": rests_on or text})
        except ValueError as error:
            return _passed_over("a decision", _unfit(error, DecisionKind))
        return self._taken("a decision", self._outbox.decide(agent_id, told))

    def step(
        self,
        kind: ProgressKind | str,
        *agents: str,
        round: int | None = None,
        share: float | None = None,
        text: str = "",
    ) -> bool:
        """Tell a step of the team's work, from any thread, at once; False if it can't be sent.

        Args:
            kind: `recruited`, `opinions`, `round`, `review`, `synthesis`, `waiting`, `failed`, `budget` …
            agents: who takes part, as they are called in their turns.
            round: of a debate, from 1.
            share: of a budget, 0 to 1.
            text: for the page only.
        """
        try:
            told = Progress.model_validate({"kind": kind, "agents": agents, "text": text, "share": share})
        except ValueError as error:
            return _passed_over("a step", _unfit(error, ProgressKind))
        if round is not None and not 1 <= round <= ROUNDS_MAX:
            round = None
        return self._taken("a step", self._outbox.step(told, round))

    def cut_off(self, agent_id: str) -> None:
        """Mark the agent's turn as cut off, from any thread: its last sentence may be incomplete."""
        self._outbox.cut_off(agent_id)
        self._wake()

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn from any thread, at once."""
        self._outbox.end_turn(agent_id)
        self._wake()

    def _taken(self, what: str, why_not: str) -> bool:
        if why_not:
            return _passed_over(what, f"{why_not}: {self.refused}" if self.refused else why_not)
        self._wake()
        return True

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
    """One agent's turn: what is said in it belongs together. Only one of an agent at a time.

    If its block raises, the turn ends there: whole sentences of it stand. One without its end is left out, unless it
    forbids something or has a critical value.
    """

    def __init__(
        self, team: LiveTeam, agent_id: str, in_reply_to: str | None = None, *, synthesis: bool = False
    ) -> None:
        self._team, self._agent_id, self._in_reply_to = team, agent_id, in_reply_to
        self._context = TokenContext.FINAL_SYNTHESIS if synthesis else CONTEXT

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._team.cut_off(self._agent_id)
        self._team.end_turn(self._agent_id)

    async def say(self, text: object, *, thinking: bool = False) -> None:
        """Say some more: a token, a sentence, a whole answer, or JSON. Never waits for the listener."""
        self._team.offer(self._agent_id, text, self._in_reply_to, thinking=thinking, context=self._context)
        await asyncio.sleep(0)  # a team that never waits would not let the words go

    async def decide(self, kind: DecisionKind | str, text: str, rests_on: str | None = None) -> bool:
        """State what the agent decided in this turn, as `LiveTeam.decide` does; False if it can't be sent."""
        return self._team.decide(self._agent_id, kind, text, rests_on)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop that runs in this thread; None: none does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _unfit(error: ValueError, kinds: type[StrEnum]) -> str:
    """Return which field of what a team states can't be sent, and the kinds that there are."""
    fields = (
        ", ".join(str(each["loc"][0]) for each in error.errors())
        if isinstance(error, ValidationError)
        else ""
    )
    why = f"its {fields or 'value'} can't be sent"
    return f"{why}; its kinds are {', '.join(kinds)}" if "kind" in fields else why


def _passed_over(what: str, why: str) -> bool:
    """Log that what a team states is not sent, and why: not a word of it, and the team goes on."""
    log.warning("%s of the team was passed over: %s", what, why)
    return False
