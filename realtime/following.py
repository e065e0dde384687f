"""Follow a session's streams: show and speak the engine's updates, and show the team's trace."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

from pydantic import ValidationError

from agents.costs import Costs
from agents.stream import EventType, StreamEvent
from exaim_core import Update
from exaim_core.words.summarizer import WITHDRAWN
from infra.errors import CorruptSession, StoreUnavailable
from infra.streams import Logged, LoggedUpdate
from realtime.actions import Act, Say
from realtime.conversation.talk import Talk
from realtime.ports import READ_BLOCK_MS, READ_COUNT, Streams
from realtime.protocol import Reasoning
from realtime.room import messages
from realtime.room.feed import Feed, in_batches
from realtime.speech import narrator
from realtime.speech.closing import Closing
from realtime.speech.progress import Progress
from realtime.speech.spare import Spare
from realtime.speech.verbosity import Verbosity
from realtime.team.debate import StepList
from realtime.team.steps import Steps
from tts_queue import SpeechQueue

TRACE_EVERY_S: Final = 0.2  # a recorded team's text goes to the page in batches
LIVE_TRACE_EVERY_S: Final = 0.05  # a live team's text comes in batches already, 70 ms apart
TEAM_LOOK_S: Final = 5.0  # from one look for a sign of the team to the next; it gives one each 15 s


class Updates:
    """Shows each update, then offers its items to the voice."""

    def __init__(
        self,
        streams: Streams,
        feed: Feed,
        talk: Talk,
        *,
        queue: SpeechQueue,
        closing: Closing,
        spare: Spare,
        progress: Progress,
        act: Act,
        known: Callable[[str], bool],
        sounded_before: Callable[[str], bool],
        on_finished: Callable[[], None],
        now_s: Callable[[], float],
        wall_ms: Callable[[], int],
    ) -> None:
        """Set what the updates are shown and spoken by; nothing is read before `run`.

        * `known`: tells whether an utterance was offered before.
        * `sounded_before`: tells whether an item, by its first offering, sounded under another worker, if only in part.
        * `on_finished`: called when the end of the reasoning is about to be told.
        """
        self._streams, self._feed, self._talk, self._queue = streams, feed, talk, queue
        self._closing, self._progress, self._act, self._known = closing, progress, act, known
        self._spare = spare
        self._sounded_before, self._on_finished = sounded_before, on_finished
        self._now_s, self._wall_ms = now_s, wall_ms
        self._sounded: set[str] = set()  # ids of what has begun to sound, by their first offering
        self._left_unsaid_s = float("-inf")

    def sounded(self, utterance_id: str) -> None:
        """Record that an utterance began to sound."""
        self._sounded.add(narrator.first_offering(utterance_id))

    def left_unsaid(self, at_s: float) -> None:
        """Record that an item was dropped unspoken at `at_s`."""
        self._left_unsaid_s = at_s

    async def run(self) -> None:
        """Follow the updates until cancelled. Raises: CorruptSession."""
        after = "0-0"
        while True:
            for logged in await self._streams.read_updates(after, block_ms=READ_BLOCK_MS, count=READ_COUNT):
                after = logged.id
                await self._take(logged)

    async def _take(self, logged: LoggedUpdate) -> None:
        """Show an update, then offer its items: the voice is never ahead of the page."""
        try:
            update = Update.model_validate(logged.update)
        except ValidationError as error:  # its text may quote what was said
            kinds = ", ".join(sorted({each["type"] for each in error.errors()}))
            raise CorruptSession("an update", kinds) from None
        self._progress.saw_update(update.number, at_ms=logged.at_ms, end=update.path == "end")
        self._talk.update(update, logged.update_id)
        await self._feed.say(messages.update_body(update, logged.update_id))
        self._have_said(update, logged.update_id)
        if update.path == "end":
            await self._feed.say(Reasoning(phase="finished"))

    def _have_said(self, update: Update, update_id: str) -> None:
        now_s = self._now_s()
        emitted_at_s = now_s - (self._wall_ms() / 1000 - update.last_delta_at_s)
        if update.path == "end":
            self._on_finished()
        heard = self._take_back(update, update_id)
        self._closing.given_anew(update, update_id)
        self._spare.take(update, update_id, said_at_s=emitted_at_s)
        for utterance in narrator.utterances(
            update,
            update_id,
            now_s=now_s,
            emitted_at_s=emitted_at_s,
            behind=self._behind(),
            verbosity=self._talk.conversation.verbosity,
        ):
            if (utterance.topic == WITHDRAWN and not heard) or self._closing.is_told_by_newer(utterance):
                continue
            self._closing.came(utterance)
            if not self._known(utterance.utterance_id):
                self._act(Say(self._closing.worded(utterance)))
        if update.path == "end":
            self._spare.close()

    def _take_back(self, update: Update, update_id: str) -> bool:
        """Cancel the items that an update withdraws, in any offering; return whether one of them has sounded.

        An item that sounds is cut only if its turn was withdrawn; one that its speaker revised is spoken to its end.
        """
        cuts = any(item.topic == WITHDRAWN for item in update.items)
        earlier = {f"{update_id.rpartition('-')[0]}-{item}" for item in update.withdraws}
        heard = {item for item in earlier if item in self._sounded or self._sounded_before(item)}
        for standing in self._queue.snapshot().standings:
            offering = standing.utterance.utterance_id
            item = narrator.first_offering(offering)
            if item in earlier and (cuts or item not in heard):
                self._queue.cancel(offering, reason="withdrawn")
        return bool(heard)

    def _behind(self) -> bool:
        """Return whether the voice lags: an item waits or sounds, or was dropped `BRIEF_FOR_S` ago or less."""
        if self._now_s() - self._left_unsaid_s < narrator.BRIEF_FOR_S:
            return True
        return any(not standing.all_sent for standing in self._queue.snapshot().standings)


class TraceFollower:
    """Shows the team's words, steps, costs and failure, and reports its silences."""

    def __init__(
        self,
        session_id: str,
        streams: Streams,
        feed: Feed,
        *,
        queue: SpeechQueue,
        every_s: float,
        silence_s: float,
        seen: Callable[[list[StreamEvent]], None],
        progress: Progress,
        act: Act,
        known: Callable[[str], bool],
        now_s: Callable[[], float],
        wall_ms: Callable[[], int],
    ) -> None:
        """Set what the trace is shown by; nothing is read before `run`.

        * `every_s`: least time from one batch of text to the next.
        * `silence_s`: after so long without an event the agents are reported silent, once until they go on.
        * `seen`: is given the events.
        * `known`: tells whether an utterance was offered before.
        """
        self._every_s, self._silence_s, self._queue = every_s, silence_s, queue
        self._silence_told = ""  # id of what says that they are silent
        self._session_id, self._streams, self._feed, self._seen = session_id, streams, feed, seen
        self._progress, self._act, self._known = progress, act, known
        self._now_s, self._wall_ms = now_s, wall_ms
        self.written: dict[str, messages.WrittenSoFar] = {}  # by agent
        self._costs = Costs()
        self._steps = Steps()
        self._step_list = StepList()

    async def run(self) -> None:
        """Follow the trace until cancelled."""
        after = "0-0"
        heard_s = self._now_s()  # a silence counts from here: an outage of the store is none of the team's
        while True:
            logged = await self._streams.read_events(after, block_ms=READ_BLOCK_MS, count=READ_COUNT)
            if not logged:
                self._progress.looked = True
                if self._now_s() - heard_s >= self._silence_s:
                    await self._tell_silence(after)
                continue
            heard_s = self._now_s()
            next_s = heard_s + self._every_s
            after = logged[-1].id
            await self._end_silence()
            self._progress.saw_events(logged)
            for entry in logged:
                await self._take_step(entry)
            await self._show([entry.event for entry in logged])
            await asyncio.sleep(max(0.0, next_s - self._now_s()))

    async def _tell_silence(self, after: str) -> None:
        """Report that no event came after `after`; a team that has ended is not silent."""
        if self._progress.silent or self._progress.over or self._progress.finished:
            return
        self._progress.silent = True
        self._silence_told = f"{self._session_id}.notice.silence.{after}"
        said = narrator.silence(self._silence_told, self._silence_s, now_s=self._now_s())
        await self._feed.say(Reasoning(phase=self._feed.view.reasoning.phase, detail=said.text))
        if not self._known(said.utterance_id):
            self._act(Say(said))

    async def _end_silence(self) -> None:
        """Withdraw the report of a silence that is over, unless it was spoken already."""
        if not self._progress.silent:
            return
        self._progress.silent = False
        await self._feed.say(Reasoning(phase=self._feed.view.reasoning.phase))
        waiting = {each.utterance.utterance_id for each in self._queue.snapshot().standings}
        if self._silence_told in waiting:
            self._queue.cancel(self._silence_told, reason="not so any more")

    async def _take_step(self, entry: Logged) -> None:
        """Show a step of the team's work or a decision; `tell_step` speaks it when there is time."""
        ago_s = (self._wall_ms() - entry.at_ms) / 1000
        self._steps.take(entry.event, self._now_s() - ago_s)
        body = self._step_list.step(entry.event)
        if body is not None:
            await self._feed.say(body)

    def tell_step(self, now_s: float, verbosity: Verbosity) -> None:
        """Offer the step that is due, if there is one."""
        step = self._steps.due(self._session_id, now_s, brief=verbosity is Verbosity.BRIEF)
        if step is not None and not self._known(step.utterance_id):
            self._act(Say(step))

    async def _show(self, events: list[StreamEvent]) -> None:
        if self._feed.view.reasoning.phase == "waiting":
            await self._feed.say(Reasoning(phase="thinking"))
        for batch in in_batches(messages.trace_items(events, self.written)):
            await self._feed.say(batch)
        if [event for event in events if self._costs.take(event)]:
            await self._feed.say(messages.costs_body(self._costs))
        self._seen(events)
        if any(event.type is EventType.ERROR for event in events):
            await self._feed.say(Reasoning(phase="failed", detail="the reasoning stopped with an error"))
            failure = narrator.failure(self._session_id, now_s=self._now_s())
            if not self._known(failure.utterance_id):
                self._act(Say(failure))


class TeamSigns:
    """Looks for signs of life of a live team's program, until its first event."""

    def __init__(
        self,
        streams: Streams,
        progress: Progress,
        *,
        live: bool,
        seen: Callable[[float], None],
        now_s: Callable[[], float],
    ) -> None:
        """`seen` is given when the team gave its last sign, on the loop's clock."""
        self._streams, self._progress, self._live = streams, progress, live
        self._seen, self._now_s = seen, now_s

    async def run(self) -> None:
        """Look until the first event, or until cancelled; a recorded team is not looked for."""
        while self._live and self._progress.first_ms is None:
            ago_s: float | None = 0.0  # without a store nothing is known: the team counts as alive
            with contextlib.suppress(StoreUnavailable):
                ago_s = await self._streams.team_silent_s()
            if ago_s is not None:
                self._seen(self._now_s() - ago_s)
            await asyncio.sleep(TEAM_LOOK_S)
