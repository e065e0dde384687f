"""One session in one room: its parts, the tasks that run them, and the order in which they end.

`VoiceSession.run` owns every task; when it returns or raises, none is left. It decides little itself: `realtime.parts`
makes and joins the parts, the narrator writes what is said, the queue orders it, `realtime.outcomes` tells the parts
what becomes of it, the reception knows who listens, and the view holds what the page shows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Collection, Coroutine, Sequence
from typing import Any, Final, assert_never

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
from realtime.listener.reception import GaveUp
from realtime.outcomes import Outcomes
from realtime.parts import Outside, Parts
from realtime.ports import SessionFacts
from realtime.protocol import (
    ClientCommand,
    CommandKind,
    Ended,
    ReadyArgs,
    args_of,
)
from realtime.room.dispatcher import CommandDispatcher, TooLate
from realtime.room.livekit_room import (
    Beaten,
    Closed,
    Joined,
    MicrophoneChanged,
    ParticipantLeft,
    RoomGone,
    Typed,
)
from realtime.room.showing import show_agent_state, show_captions
from realtime.speech.leaving import close_ledger, hold_for_successor
from tts_queue import (
    QueueEvent,
    Snapshot,
    Utterance,
)

log = logging.getLogger(__name__)

TICK_S: Final = 0.1  # presence, stock positions
HANDED_OVER: Final = "handed_over"
GOODBYE_S: Final = 0.5  # the leave goes another way than the message before it, and can overtake it


class _Over(Exception):
    """The session has ended, and why. Never leaves this module."""


class VoiceSession:
    """The voice of one session. Build it inside the running loop, then `run` it once."""

    def __init__(self, facts: SessionFacts, outside: Outside) -> None:
        """Make the parts; nothing runs before `run`."""
        self._facts, self._room, self._before = facts, outside.room, outside.before
        self._leaving, self._on_detail = outside.leaving, outside.on_detail
        self._parts = Parts(facts, outside, act=self._carry_out, on_speech=self._told_of_speech)
        self._outcomes = Outcomes(self._parts)
        self._feed, self._queue = self._parts.feed, self._parts.queue
        self._talk, self._conversation = self._parts.talk, self._parts.conversation
        self._reception, self._commands = self._parts.reception, self._parts.commands
        self._now_s = self._parts.now_s
        self._ended = False
        self._speaking = False
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
        self._parts.offers.note_finished(finished)
        self._conversation.set_verbosity(self._before.verbosity)
        if self._facts.live and not self._before.begun:
            self._reception.await_first()
        elif finished or again:
            self._parts.progress.since_ms = self._before.now_ms - 1000 * self._before.silent_s
            self._conversation.restore(self._before, again)
            there = self._facts.clinician in self._room.before_us
            self._reception.resume(self._before, there=there, now_s=self._now_s())
        self.dispatcher.open()  # only now: `ready` needs the state that was restored above
        reason = "failed"  # never sent: a part ends by an error alone, which is raised
        try:
            async with asyncio.TaskGroup() as group:
                for name, part in self._running(again).items():
                    group.create_task(part, name=f"voice-{name}")
        except* _Over as over:
            reason = str(over.exceptions[0])
        except* GaveUp:
            reason = "abandoned"
        self._end()
        log.info("our own voice, heard back, held us %d times", self._conversation.own_voice)
        if reason == HANDED_OVER:
            return reason
        with contextlib.suppress(RoomGone):
            await self._feed.say(Ended.model_validate({"reason": reason}))
            if reason != "abandoned":  # then nobody is there to read it
                await asyncio.sleep(GOODBYE_S)
        return reason

    def _running(self, again: Sequence[Utterance]) -> dict[str, Coroutine[Any, Any, None]]:
        parts = self._parts
        return {
            "speech": self._queue.run(),
            "feed": self._feed.run(),
            "room": self._follow_room(again),
            "updates": parts.updates.run(),
            "trace": parts.trace.run(),
            "commands": self._follow_commands(),
            "tick": self._tick(),
            "captions": show_captions(self._room, parts.captions, lambda: self._reception.played),
            "bookmark": parts.bookmark.run(),
            "leaving": self._leave(),
            "team-signs": parts.team_signs.run(),
            "agent-state": show_agent_state(self._room, self._agent_state),
            "microphone": self._room.listen(self._talk.feed),
            "chat": self._room.read_chat(),
            **self._talk.parts(),
        }

    def _end(self) -> None:
        """Take and offer nothing from now on."""
        self._ended = True
        self._parts.offers.close()

    # --- what comes from the room ---------------------------------------------------------------

    async def _follow_room(self, again: Sequence[Utterance]) -> None:
        await self._feed.say(self._facts.hello(self._room.track_sid))
        for utterance in again:
            self._parts.offers.offer(utterance)
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
        self._end()
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
                self._parts.closing.tick(now_s)
                self._fill_silence(now_s, snapshot)
                if not self._outcomes.closed:
                    self._parts.trace.tell_step(now_s, self._conversation.verbosity)
            self._speaking = speaking

    def _fill_silence(self, now_s: float, snapshot: Snapshot) -> None:
        """Offer the best spare sentence if the voice is idle and the clinician asked for no silence."""
        if not self._parts.may_fill or self._conversation.silence_asked or self._conversation.away:
            return
        if (utterance := self._parts.spare.in_silence(snapshot, now_s)) is not None:
            self._parts.offers.offer(utterance)

    def _agent_state(self) -> str:
        if self._speaking:
            return "speaking"
        return "thinking" if self._feed.view.reasoning.phase == "thinking" else "listening"

    # --- what the parts want done ---------------------------------------------------------------

    def _carry_out(self, action: Action) -> None:
        """Carry out what a part of the session decided; only this method knows all parts."""
        match action:
            case Say(utterance):
                self._parts.offers.offer(utterance)
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
                self._parts.states.acknowledged(critical_key)
                self._parts.closing.acknowledged()
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

    def _told_of_speech(self, event: QueueEvent) -> None:
        self._outcomes.take(event)
