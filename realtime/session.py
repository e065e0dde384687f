"""One session in one room: its parts, the tasks that run them, and the order in which they end.

`VoiceSession.run` owns every task; when it returns or raises, none is left. It joins the parts and decides
little itself: the narrator writes what is said, the queue orders it, the reception knows who listens, and
the view holds what the page shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any, Final, assert_never

from exaim_core import SpokenKind
from infra.errors import StoreUnavailable
from realtime.actions import (
    Acknowledged,
    Action,
    Ask,
    AskReady,
    Foresee,
    ListenerIs,
    NoteListener,
    Record,
    Say,
    Send,
    SetVerbosity,
    Show,
    Steered,
    Welcoming,
)
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
from realtime.listener.reception import GaveUp, Reception
from realtime.ports import SessionFacts, Streams
from realtime.protocol import (
    ClientCommand,
    CommandKind,
    Ended,
    NoticeBody,
    ReadyArgs,
    args_of,
)
from realtime.room import messages
from realtime.room.captions import Captions, TimedWord
from realtime.room.dispatcher import CommandDispatcher, TooLate
from realtime.room.feed import Feed
from realtime.room.livekit_room import (
    Beaten,
    Closed,
    Joined,
    MicrophoneChanged,
    ParticipantLeft,
    RoomGone,
    Typed,
    VoiceRoom,
)
from realtime.room.showing import show_agent_state, show_captions
from realtime.room.utterances import UtteranceStates
from realtime.speech.before import FIRST, StateBefore
from realtime.speech.bookmark import Bookmark, Keep, keep_nowhere
from realtime.speech.closing import Closing, Unread
from realtime.speech.leaving import close_ledger, hold_for_successor
from realtime.speech.narrator import number_of
from realtime.speech.progress import Progress
from realtime.speech.returning import reasoning_text
from realtime.speech.spare import Spare
from realtime.speech.told_late import as_of
from realtime.speech.verbosity import Verbosity
from tts_queue import (
    Displaced,
    HoldCause,
    HoldsChanged,
    Move,
    Moved,
    OfferOutcome,
    Phase,
    QueueEvent,
    Reworded,
    SegmentStarted,
    Snapshot,
    SpeechQueue,
    Utterance,
    VoiceFailed,
    WatchdogFired,
    is_over,
)

log = logging.getLogger(__name__)

TICK_S: Final = 0.1  # presence, stock positions
HANDED_OVER: Final = "handed_over"
GOODBYE_S: Final = 0.5  # the leave goes another way than the message before it, and can overtake it


class _Over(Exception):
    """The session has ended, and why. Never leaves this module."""


class VoiceSession:
    """The voice of one session. Build it inside the running loop, then `run` it once."""

    def __init__(
        self,
        facts: SessionFacts,
        *,
        room: VoiceRoom,
        streams: Streams,
        listening: Listening,
        queue: Callable[[Callable[[QueueEvent], None]], SpeechQueue],
        talk: TalkParts,
        wall_ms: Callable[[], int],
        on_finished: Callable[[], None] = lambda: None,
        on_detail: Callable[[Verbosity], None] = lambda _: None,
        before: StateBefore = FIRST,
        keep_place: Keep = keep_nowhere,
        leaving: asyncio.Event | None = None,
    ) -> None:
        """Make the parts and connect them; nothing runs before `run`.

        * `on_finished`: called when the end of the reasoning is about to be spoken.
        * `on_detail`: called with each verbosity that the clinician chooses.
        * `before`: what an earlier worker left in the streams.
        * `keep_place`: stores the clause that began to sound last, counted from 0.
        * `leaving`: once it is set the session is handed over to a successor.
        """
        self._leaving = leaving or asyncio.Event()
        self._bookmark = Bookmark(keep_place)
        self._before = before
        self._on_detail = on_detail
        self._facts = facts
        self._room = room
        self._streams = streams
        self._wall_ms = wall_ms
        self._now_s = asyncio.get_running_loop().time
        self._feed = Feed(room, epoch=facts.epoch, wall_ms=wall_ms)
        self._captions = Captions()
        self._queue = queue(self._on_queue_event)
        self._talk = Talk(
            session_id=facts.session_id,
            epoch=facts.epoch,
            parts=talk,
            queue=self._queue,
            act=self._carry_out,
            agents_stand=lambda: reasoning_text(self._progress.stage, self._progress.minutes),
            known=self._is_known,
            agents=self._agents,
            since_ms=before.held_ms,
            append=streams.append_command,
            now_s=self._now_s,
            wall_ms=wall_ms,
        )
        self._conversation = self._talk.conversation
        self._progress = Progress(heard=before.heard)
        self._reception = Reception(
            f"{facts.session_id}.welcome.{facts.epoch}",
            which_case=facts.which_case,
            listening=listening,
            queue=self._queue,
            clinician=self._conversation,
            progress=self._progress,
            act=self._carry_out,
            now_s=self._now_s(),
            grace_s=facts.grace_s,
        )
        self._states = UtteranceStates(self._feed, acknowledged=self._talk.acknowledged)
        self._said: dict[str, Utterance] = {}
        self._known: set[str] = set()  # ids that were offered, by us or by an earlier worker
        self._unread = Unread(before.unread, before.read)
        self._spare = Spare(self._is_known)
        self._closing = Closing(
            self._queue,
            unread=lambda: len(self._unread),
            alerts=self._conversation.alerts,
            agents=self._agents,
            offer=self._offer,
            spare=lambda waiting, now_s: self._spare.at_end(waiting, now_s) if self._may_fill else (),
        )
        self._trace = TraceFollower(
            session_id=facts.session_id,
            streams=streams,
            feed=self._feed,
            queue=self._queue,
            silence_s=facts.silence_s,
            every_s=LIVE_TRACE_EVERY_S if facts.live else TRACE_EVERY_S,
            seen=self._talk.events,
            progress=self._progress,
            act=self._carry_out,
            known=self._is_known,
            now_s=self._now_s,
            wall_ms=wall_ms,
        )
        self._updates = Updates(
            streams=streams,
            feed=self._feed,
            talk=self._talk,
            queue=self._queue,
            closing=self._closing,
            spare=self._spare,
            progress=self._progress,
            act=self._carry_out,
            known=self._is_known,
            sounded_before=before.sounded.__contains__,
            on_finished=on_finished,
            now_s=self._now_s,
            wall_ms=wall_ms,
        )
        self._team_signs = TeamSigns(
            streams, self._progress, live=facts.live, seen=self._reception.team_seen, now_s=self._now_s
        )
        self._commands = CommandStream(
            facts,
            streams,
            self._feed,
            told_ms=before.held_ms,
            acknowledge=self._conversation.alerts.acknowledge,
            wall_ms=wall_ms,
        )
        self._ended = False
        self._speaking = False
        self._closed = False  # the closing has begun to sound: the team's steps are over
        self.dispatcher = CommandDispatcher(
            facts.clinician,
            {
                **dict.fromkeys(CommandKind, self._on_hand),
                CommandKind.READY: self._on_ready,
                CommandKind.END: self._on_end,
            },
        )

    async def run(self, finished: Collection[str] = (), again: Sequence[Utterance] = ()) -> str:
        """Speak until the session ends; return why: an `Ended` reason, or `HANDED_OVER`.

        `finished` are ids that an earlier worker brought to an end; `again` what it left unfinished, to be
        offered anew once somebody hears it. Raises (in an ExceptionGroup): RoomGone,
        and what the store's client and the lease raise when they are gone for good.
        """
        self._known = set(finished)
        self._conversation.set_verbosity(self._before.verbosity)
        if self._facts.live and not self._before.begun:
            self._reception.await_first()
        elif finished or again:
            self._progress.since_ms = self._before.now_ms - 1000 * self._before.silent_s
            self._conversation.restore(self._before, again)
            there = self._facts.clinician in self._room.before_us
            self._reception.resume(self._before, there=there, now_s=self._now_s())
        self.dispatcher.open()  # only now: `ready` needs the state that was restored above
        reason = "failed"  # never sent: a part ends by an error alone, which is raised
        try:
            async with asyncio.TaskGroup() as group:
                for name, part in self._parts(again).items():
                    group.create_task(part, name=f"voice-{name}")
        except* _Over as over:
            reason = str(over.exceptions[0])
        except* GaveUp:
            reason = "abandoned"
        self._ended = True
        log.info("our own voice, heard back, held us %d times", self._conversation.own_voice)
        if reason == HANDED_OVER:
            return reason
        with contextlib.suppress(RoomGone):
            await self._feed.say(Ended.model_validate({"reason": reason}))
            if reason != "abandoned":  # then nobody is there to read it
                await asyncio.sleep(GOODBYE_S)
        return reason

    def _parts(self, again: Sequence[Utterance]) -> dict[str, Coroutine[Any, Any, None]]:
        return {
            "speech": self._queue.run(),
            "feed": self._feed.run(),
            "room": self._follow_room(again),
            "updates": self._updates.run(),
            "trace": self._trace.run(),
            "commands": self._follow_commands(),
            "tick": self._tick(),
            "captions": show_captions(self._room, self._captions, lambda: self._reception.played),
            "bookmark": self._bookmark.run(),
            "leaving": self._leave(),
            "team-signs": self._team_signs.run(),
            "agent-state": show_agent_state(self._room, self._agent_state),
            "microphone": self._room.listen(self._talk.feed),
            "chat": self._room.read_chat(),
            **self._talk.parts(),
        }

    # --- what comes from the room ---------------------------------------------------------------

    async def _follow_room(self, again: Sequence[Utterance]) -> None:
        await self._feed.say(self._facts.hello(self._room.track_sid))
        for utterance in again:
            self._offer(utterance)
        while True:
            match await self._room.next_event():
                case Joined(identity):
                    if self._reception.joined(identity, self._now_s()):
                        self._forget_client()
                case ParticipantLeft(identity, unexplained):
                    self._reception.left(identity, unexplained=unexplained, now_s=self._now_s())
                case MicrophoneChanged(state):
                    self._talk.microphone(state)
                case Beaten(identity, payload):
                    self._reception.beat(identity, payload, self._now_s())
                case Typed(text):
                    if not self._ended:
                        self._conversation.chatted(text)
                case Closed(reason):
                    raise RoomGone(f"the room closed: {reason}")
                case never:
                    assert_never(never)

    def _forget_client(self) -> None:
        """Reset what is known of a client that joined again: its commands count from 1, on a new clock."""
        self.dispatcher.forget()
        self._feed.view.forget_clock()

    async def _on_ready(self, command: ClientCommand) -> None:
        if self._ended:
            raise TooLate
        self._reception.ready(args_of(ReadyArgs, command).device, self._now_s())
        await self._feed.say(self._facts.hello(self._room.track_sid))
        await self._feed.say_snapshot()
        self._reception.follow(self._now_s())
        await self._start("ready")

    async def _on_hand(self, command: ClientCommand) -> None:
        if self._ended:
            raise TooLate
        await self._talk.by_hand(command)

    async def _on_end(self, command: ClientCommand) -> None:
        if self._ended:
            raise TooLate
        await self._commands.end()

    async def _start(self, how: str) -> None:
        """Greet, and start a recorded case: each once per session; the start is retried until it is stored."""
        if not self._reception.greeted:
            self._reception.greet(self._facts.session_id, now_s=self._now_s())
        await self._commands.begin(how)

    # --- what comes from the streams ------------------------------------------------------------

    async def _follow_commands(self) -> None:
        await self._commands.until_end()
        self._ended = True
        await close_ledger(self._queue, self._facts.session_id)
        raise _Over("ended_by_clinician")

    async def _leave(self) -> None:
        await self._leaving.wait()
        await hold_for_successor(self._queue)
        raise _Over(HANDED_OVER)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now_s = self._now_s()
            snapshot = self._queue.snapshot()
            speaking = snapshot.speaking is not None
            subscribed = self._room.subscribed
            self._reception.tick(
                sent=snapshot.sent_samples, speaking=speaking, now_s=now_s, subscribed=subscribed
            )
            if self._reception.begins:
                with contextlib.suppress(StoreUnavailable):  # the next tick asks again
                    await self._start("stock")
            self._talk.tick(now_s)
            if self._reception.greeted:
                self._closing.tick(now_s)
                self._fill_silence(now_s, snapshot)
                if not self._closed:
                    self._trace.tell_step(now_s, self._conversation.verbosity)
            self._speaking = speaking

    @property
    def _may_fill(self) -> bool:
        return self._conversation.verbosity is not Verbosity.BRIEF

    def _fill_silence(self, now_s: float, snapshot: Snapshot) -> None:
        """Offer the best spare sentence if the voice is idle and the clinician asked for no silence."""
        if not self._may_fill or self._conversation.silence_asked or self._conversation.away:
            return
        if (utterance := self._spare.in_silence(snapshot, now_s)) is not None:
            self._offer(utterance)

    def _agent_state(self) -> str:
        if self._speaking:
            return "speaking"
        return "thinking" if self._feed.view.reasoning.phase == "thinking" else "listening"

    # --- what the parts want done ---------------------------------------------------------------

    def _carry_out(self, action: Action) -> None:
        """Carry out what a part of the session decided; only this method knows all parts."""
        match action:
            case Say(utterance):
                self._offer(utterance)
            case Show(body):
                self._feed.post(body)
            case Ask(turn_id, text, about):
                self._talk.ask(turn_id, text, about)
            case Foresee(turn_id, text, about):
                self._talk.foresee(turn_id, text, about)
            case Send(turn_id, request):
                self._talk.send_to_team(turn_id, request)
            case Record(turn):
                self._talk.record(turn)
            case Acknowledged(critical_key):
                self._states.acknowledged(critical_key)
                self._closing.acknowledged()
                self._talk.record_acknowledgment(critical_key)
            case Steered():
                self._reception.spoken_to()
            case SetVerbosity(verbosity):
                self._on_detail(verbosity)
            case ListenerIs(away):
                self._conversation.listener_is(away)
            case Welcoming(on):
                self._conversation.welcoming(on)
            case AskReady(about):
                self._conversation.ask_ready(about)
            case NoteListener(here, silent_s, device):
                self._talk.note_listener(here=here, silent_s=silent_s, device=device)
            case never:
                assert_never(never)

    # --- the queue ------------------------------------------------------------------------------

    def _is_known(self, utterance_id: str) -> bool:
        return utterance_id in self._known

    def _agents(self) -> tuple[str, ...]:
        """Return the ids of the team's agents, as far as they are known."""
        return (*self._facts.agents, *self._trace.written)

    def _offer(self, utterance: Utterance) -> None:
        """Offer an utterance to the queue: once per id, and never after the session has ended."""
        if self._ended or utterance.utterance_id in self._said:
            return
        utterance = self._said[utterance.utterance_id] = as_of(utterance, self._now_s())
        self._known.add(utterance.utterance_id)
        self._states.moved(utterance, Phase.QUEUED)
        if self._queue.offer(utterance).outcome is OfferOutcome.BLANK:
            self._states.moved(utterance, Phase.EXPIRED, reason="nothing to say")

    def _on_queue_event(self, event: QueueEvent) -> None:
        match event:
            case Moved(move):
                self._moved(move)
            case Reworded(utterance):
                self._said[utterance.utterance_id] = utterance
                self._states.moved(utterance, Phase.QUEUED)
            case SegmentStarted():
                self._clause_began(event)
            case VoiceFailed(final=True):
                text = "The voice failed on one item; it is on this page."
                self._feed.post(NoticeBody(code="voice_unavailable", text=text))
            case WatchdogFired(held_s):
                self._conversation.watchdog(held_s)
            case HoldsChanged(causes):
                self._states.store(gone=HoldCause.STORE in causes)
            case VoiceFailed() | Displaced():
                pass  # it is tried again; the move that belongs to it says the same to the page
            case never:
                assert_never(never)

    def _moved(self, move: Move) -> None:
        utterance = self._said[move.utterance_id]
        self._bookmark.moved(move)
        if self._unread.ended(utterance, move.phase_to, move.reason):
            self._updates.left_unsaid(move.at_s)
        self._conversation.moved(move, utterance)
        self._reception.moved(move, utterance)
        if move.phase_to is Phase.HELD:
            self._captions.hold(move.utterance_id)
        elif is_over(move.phase_to) and move.phase_to is not Phase.SPOKEN:
            self._captions.cut(move.utterance_id)
        self._states.moved(utterance, move.phase_to, cause=move.cause, reason=move.reason or "")

    def _clause_began(self, clause: SegmentStarted) -> None:
        utterance = self._said[clause.utterance_id]
        words = tuple(TimedWord(word, start) for word, start, _ in clause.words)
        self._captions.add(clause.utterance_id, clause.index, words)
        self._bookmark.began(clause)
        self._updates.sounded(clause.utterance_id)
        self._closed = self._closed or utterance.kind == SpokenKind.CLOSING
        self._spare.sounded(utterance.text)
        self._talk.sounded(clause, utterance)
        self._progress.heard = number_of(utterance) or self._progress.heard
        self._feed.post(messages.segment_body(clause))
