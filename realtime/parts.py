"""The parts of one session: what each is made of, and which of them it knows.

Parts that know each other are joined here alone. What a part decides goes to `act` (`realtime.actions`), but for
the closing, which offers by itself. What becomes of the speech goes to `on_speech`; the session carries out both.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from realtime.actions import Act
from realtime.command_stream import CommandStream
from realtime.conversation.talk import Talk, TalkParts
from realtime.following import (
    LIVE_TRACE_EVERY_S,
    TRACE_EVERY_S,
    TeamSigns,
    TraceFollower,
    Updates,
)
from realtime.listener.listening import Listening
from realtime.listener.reception import Reception
from realtime.offers import Offers
from realtime.ports import SessionFacts, Streams
from realtime.room.captions import Captions
from realtime.room.feed import Feed
from realtime.room.livekit_room import VoiceRoom
from realtime.room.utterances import UtteranceStates
from realtime.speech.before import FIRST, StateBefore
from realtime.speech.bookmark import Bookmark, Keep, keep_nowhere
from realtime.speech.closing import Closing, Unread
from realtime.speech.progress import Progress
from realtime.speech.returning import reasoning_text
from realtime.speech.spare import Spare
from realtime.speech.verbosity import Verbosity
from tts_queue import QueueEvent, SpeechQueue, Utterance


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What a session is given from outside, and whom it tells."""

    room: VoiceRoom
    streams: Streams
    listening: Listening
    queue: Callable[[Callable[[QueueEvent], None]], SpeechQueue]
    talk: TalkParts
    wall_ms: Callable[[], int]
    on_finished: Callable[[], None] = lambda: None  # the end of the reasoning is about to be spoken
    on_detail: Callable[[Verbosity], None] = lambda _: None  # the clinician chose how much is spoken
    before: StateBefore = FIRST  # what an earlier worker left in the streams
    keep_place: Keep = keep_nowhere  # stores the clause that began to sound last, counted from 0
    leaving: asyncio.Event = field(default_factory=asyncio.Event)  # set: it is handed over to a successor


class Parts:
    """The parts of one session, joined. Build it inside the running loop; nothing of it runs by itself."""

    def __init__(
        self, facts: SessionFacts, outside: Outside, *, act: Act, on_speech: Callable[[QueueEvent], None]
    ) -> None:
        """Make the parts, each after those that it needs at once; it knows later ones through a call.

        * `act`: takes what a part wants done.
        * `on_speech`: takes what becomes of the speech.
        """
        self._facts, self._outside, self._act = facts, outside, act
        self.now_s = asyncio.get_running_loop().time
        self.feed = Feed(outside.room, epoch=facts.epoch, wall_ms=outside.wall_ms)
        self.captions = Captions()
        self.bookmark = Bookmark(outside.keep_place)
        self.progress = Progress(heard=outside.before.heard)
        self.queue = outside.queue(on_speech)
        self.states = UtteranceStates(self.feed, acknowledged=lambda key: self.talk.acknowledged(key))
        self.offers = Offers(self.queue, self.states, now_s=self.now_s)
        self.talk = self._talk()
        self.conversation = self.talk.conversation
        self.reception = self._reception()
        self.unread = Unread(outside.before.unread, outside.before.read)
        self.spare = Spare(self.offers.is_known)
        self.closing = self._closing()
        self.trace = self._trace()
        self.updates = self._updates()
        self.team_signs = TeamSigns(
            outside.streams, self.progress, live=facts.live, seen=self.reception.team_seen, now_s=self.now_s
        )
        self.commands = self._commands()

    def agents(self) -> tuple[str, ...]:
        """Return the ids of the team's agents, as far as they are known."""
        return (*self._facts.agents, *self.trace.written)

    @property
    def may_fill(self) -> bool:
        """Return whether a silence may be filled, as far as the clinician's choice of detail goes."""
        return self.conversation.verbosity is not Verbosity.BRIEF

    def _spare_at_end(self, waiting: Sequence[str], now_s: float) -> Sequence[Utterance]:
        return self.spare.at_end(waiting, now_s) if self.may_fill else ()

    def _talk(self) -> Talk:
        return Talk(
            session_id=self._facts.session_id,
            epoch=self._facts.epoch,
            parts=self._outside.talk,
            queue=self.queue,
            act=self._act,
            agents_stand=lambda: reasoning_text(self.progress.stage, self.progress.minutes),
            known=self.offers.is_known,
            agents=self.agents,
            since_ms=self._outside.before.held_ms,
            append=self._outside.streams.append_command,
            now_s=self.now_s,
            wall_ms=self._outside.wall_ms,
        )

    def _reception(self) -> Reception:
        return Reception(
            f"{self._facts.session_id}.welcome.{self._facts.epoch}",
            which_case=self._facts.which_case,
            listening=self._outside.listening,
            queue=self.queue,
            clinician=self.conversation,
            progress=self.progress,
            act=self._act,
            now_s=self.now_s(),
            grace_s=self._facts.grace_s,
        )

    def _closing(self) -> Closing:
        return Closing(
            self.queue,
            unread=lambda: len(self.unread),
            alerts=self.conversation.alerts,
            agents=self.agents,
            offer=self.offers.offer,
            spare=self._spare_at_end,
        )

    def _trace(self) -> TraceFollower:
        return TraceFollower(
            session_id=self._facts.session_id,
            streams=self._outside.streams,
            feed=self.feed,
            queue=self.queue,
            silence_s=self._facts.silence_s,
            every_s=LIVE_TRACE_EVERY_S if self._facts.live else TRACE_EVERY_S,
            seen=self.talk.events,
            progress=self.progress,
            act=self._act,
            known=self.offers.is_known,
            now_s=self.now_s,
            wall_ms=self._outside.wall_ms,
        )

    def _updates(self) -> Updates:
        return Updates(
            streams=self._outside.streams,
            feed=self.feed,
            talk=self.talk,
            queue=self.queue,
            closing=self.closing,
            spare=self.spare,
            progress=self.progress,
            act=self._act,
            known=self.offers.is_known,
            sounded_before=self._outside.before.sounded.__contains__,
            on_finished=self._outside.on_finished,
            now_s=self.now_s,
            wall_ms=self._outside.wall_ms,
        )

    def _commands(self) -> CommandStream:
        return CommandStream(
            self._facts,
            self._outside.streams,
            self.feed,
            told_ms=self._outside.before.held_ms,
            acknowledge=self.conversation.alerts.acknowledge,
            wall_ms=self._outside.wall_ms,
        )
