"""One session in one room: its parts, the tasks that run them, and the order in which they end.

`VoiceSession.run` owns every task; when it returns or raises, none is left. What it decides itself is
little: the narrator words, the queue orders, the clock maps, presence judges, the view remembers.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Coroutine, Sequence
from typing import Any, Final, assert_never

from pydantic import ValidationError

from agents.costs import Costs
from agents.stream import EventType, StreamEvent
from exaim_core import Update, spoken_name
from exaim_core.words.summarizer import WITHDRAWN
from infra.errors import CorruptSession, StoreUnavailable
from infra.streams import Command, Logged, LoggedUpdate
from realtime import messages, narrator
from realtime.before import FIRST, Before
from realtime.bookmark import Bookmark, Keep
from realtime.captions import Captions, TimedWord
from realtime.closing import Closing, Unread
from realtime.debate import StepList
from realtime.desk import CommandDesk, TooLate
from realtime.feed import Feed, in_batches
from realtime.listening import Listening
from realtime.narrator import number_of
from realtime.ports import SessionFacts, Streams
from realtime.progress import Progress
from realtime.protocol import (
    Agent,
    ClientCommand,
    CommandKind,
    Ended,
    Hello,
    NoticeBody,
    Reasoning,
    ready_args,
)
from realtime.reception import GaveUp, Reception
from realtime.returning import reasoning_text
from realtime.room import (
    Beaten,
    Closed,
    Joined,
    Left,
    MicrophoneChanged,
    RoomGone,
    Typed,
    VoiceRoom,
)
from realtime.steps import Steps
from realtime.talk import Talk, TalkParts
from realtime.verbosity import Verbosity
from tts_queue import (
    SAMPLE_RATE_HZ,
    Displaced,
    HoldCause,
    HoldsChanged,
    Moved,
    OfferOutcome,
    Phase,
    QueueEvent,
    SegmentStarted,
    SpeechQueue,
    Utterance,
    VoiceFailed,
    WatchdogFired,
    is_over,
)

log = logging.getLogger(__name__)

TICK_S: Final = 0.1  # presence, captions, stock positions; a word lasts 0.38 s
READ_BLOCK_MS: Final = 1_000  # a read of a stream waits so long, then asks again
READ_COUNT: Final = 256
HANDED_OVER: Final = "handed_over"
LEAVING_S: Final = 1.0  # for the ledger; whoever is told to leave has seconds
CLOSING_S: Final = 1.5  # the API waits 3 s for the voice to leave before it takes the room away
GOODBYE_S: Final = 0.5  # the leave goes another way than the message before it, and can overtake it
TRACE_EVERY_S: Final = 0.2  # the agents' text goes to the page in batches


class _Over(Exception):
    """The session has ended, and why. Never leaves this module."""


async def _keep_nowhere(utterance_id: str, number: int, clause: int) -> None:
    """Keep no place."""


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
        before: Before = FIRST,
        keep_place: Keep = _keep_nowhere,
        leaving: asyncio.Event | None = None,
    ) -> None:
        """`on_finished` is called when the end of the reasoning is about to be told.

        `on_detail` is called with how much the clinician wants to hear from now on. `before`: what an earlier
        worker left in the streams, when we begin. `keep_place` keeps the clause that began to sound last; the
        number after the last one's: all was sent. Once `leaving` is set the session is handed over to a
        successor.
        """
        self._leaving = leaving or asyncio.Event()
        self._bookmark = Bookmark(keep_place)
        self._before = before
        self._on_finished = on_finished
        self._facts = facts
        self._room = room
        self._streams = streams
        self._wall_ms = wall_ms
        self._now_s = asyncio.get_running_loop().time
        self._feed = Feed(room, epoch=facts.epoch, wall_ms=wall_ms)
        self._written: dict[str, messages.Written] = {}  # by agent
        self._costs = Costs()
        self._captions = Captions()
        self._queue = queue(self._on_queue_event)
        self._talk = Talk(
            *(facts.session_id, facts.epoch, talk),
            queue=self._queue,
            offer=self._offer,
            tell=self._feed.post,
            retell=self._retell,
            steered=lambda: self._reception.spoken_to(),
            agents_stand=lambda: reasoning_text(self._progress.stage, self._progress.minutes),
            detail=on_detail,
            known=lambda utterance_id: utterance_id in self._known,
            agents=lambda: (*facts.agents, *self._written),
            since_ms=before.held_ms,
            append=streams.append_command,
            now_s=self._now_s,
            wall_ms=wall_ms,
        )
        self._progress = Progress(heard=before.heard)
        self._reception = Reception(
            f"{facts.session_id}.welcome.{facts.epoch}",
            *(facts.which_case, listening, self._queue, self._talk, self._progress),
            now_s=self._now_s(),
            grace_s=facts.grace_s,
        )
        self._steps = Steps()
        self._step_list = StepList()
        self._said: dict[str, Utterance] = {}
        self._sounded: set[str] = set()  # ids of what has begun to sound, by their first offering
        self._known: set[str] = set()  # ids that were offered, by us or by an earlier worker
        self._unread = Unread(before.unread, before.read)
        self._left_unsaid_s = float("-inf")
        self._closing = Closing(
            self._queue,
            unread=lambda: len(self._unread),
            unacknowledged=self._talk.unacknowledged,
            offer=self._offer,
        )
        self._begun = False  # the session's command stream has our `ready`
        self._ended = False
        self._store_gone = False
        self._speaking = False
        self.desk = CommandDesk(
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
        if self._facts.live and not self._before.begun:
            self._reception.await_first()
        elif finished or again:
            self._progress.since_ms = self._before.now_ms - 1000 * self._before.silent_s
            self._talk.restore(self._before)
            there = self._facts.clinician in self._room.before_us
            self._reception.resume(self._before, there=there, now_s=self._now_s())
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
        log.info("our own voice, heard back, held us %d times", self._talk.own_voice)
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
            "updates": self._follow_updates(),
            "trace": self._follow_trace(),
            "commands": self._follow_commands(),
            "tick": self._tick(),
            "captions": self._caption(),
            "bookmark": self._bookmark.run(),
            "leaving": self._leave(),
            "agent-state": self._show_agent_state(),
            "microphone": self._room.listen(self._talk.feed),
            "chat": self._room.read_chat(),
            **self._talk.parts(),
        }

    # --- what comes from the room ---------------------------------------------------------------

    async def _follow_room(self, again: Sequence[Utterance]) -> None:
        await self._feed.say(self._hello())
        for utterance in again:
            self._offer(utterance)
        while True:
            match await self._room.next_event():
                case Joined(identity):
                    if self._reception.joined(identity, self._now_s()):
                        self._forget_client()
                case Left(identity, unexplained):
                    self._reception.left(identity, unexplained=unexplained, now_s=self._now_s())
                case MicrophoneChanged(state):
                    self._talk.microphone(state)
                case Beaten(identity, payload):
                    self._reception.beat(identity, payload, self._now_s())
                case Typed(text):
                    if not self._ended:
                        self._talk.typed(text)
                case Closed(reason):
                    raise RoomGone(f"the room closed: {reason}")
                case never:
                    assert_never(never)

    def _forget_client(self) -> None:
        """The client joined anew: its commands count from 1, and its clock is another."""
        self.desk.forget()
        self._feed.view.forget_clock()

    async def _on_ready(self, command: ClientCommand) -> None:
        if self._ended:
            raise TooLate
        self._reception.ready(ready_args(command).device, self._now_s())
        await self._feed.say(self._hello())
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
        await self._ask("end")

    async def _start(self, how: str) -> None:
        """Greet, and let a recorded case begin; each once in a session, the second until the store has it."""
        facts = self._facts
        if not self._reception.greeted:
            self._reception.greet(facts.session_id, live=facts.live, now_s=self._now_s())
        if not self._begun:
            await self._ask("ready", how=how)
            self._begun = True

    async def _ask(self, kind: str, **args: str) -> None:
        """Ask something of the session that can be asked once only, by whichever worker."""
        await self._streams.append_command(
            Command(
                kind=kind,
                by="clinician",
                at_ms=self._wall_ms(),
                args=args,
                command_id=f"{self._facts.session_id}.{kind}",
            )
        )

    # --- what comes from the streams ------------------------------------------------------------

    async def _follow_updates(self) -> None:
        after = "0-0"
        while True:
            for logged in await self._streams.read_updates(after, block_ms=READ_BLOCK_MS, count=READ_COUNT):
                after = logged.id
                await self._take_update(logged)

    async def _take_update(self, logged: LoggedUpdate) -> None:
        """Show an update, then offer what it has to say: the voice is never ahead of the page."""
        try:
            update = Update.model_validate(logged.update)
        except ValidationError as error:  # its text may quote what was said
            kinds = ", ".join(sorted({each["type"] for each in error.errors()}))
            raise CorruptSession("an update", kinds) from None
        self._progress.saw_update(update.number, at_ms=logged.at_ms, end=update.path == "end")
        self._talk.update(update, logged.update_id)
        await self._feed.say(messages.update_body(update, logged.update_id))
        now_s = self._now_s()
        emitted_at_s = now_s - (self._wall_ms() / 1000 - update.last_delta_at_s)
        if update.path == "end":
            self._on_finished()
        heard = self._take_back(update, logged.update_id)
        for utterance in narrator.utterances(
            *(update, logged.update_id),
            now_s=now_s,
            emitted_at_s=emitted_at_s,
            behind=self._behind(),
            verbosity=self._talk.verbosity,
        ):
            if utterance.topic == WITHDRAWN and not heard:
                continue
            self._closing.came(utterance)
            if utterance.utterance_id not in self._known:
                self._offer(self._closing.worded(utterance))
        if update.path == "end":
            await self._feed.say(Reasoning(phase="finished"))

    def _take_back(self, update: Update, update_id: str) -> bool:
        """Have nothing said of what is withdrawn; return whether something of it has sounded."""
        earlier = [f"{update_id.rpartition('-')[0]}-{item}" for item in update.withdraws]
        waiting = {each.utterance.utterance_id for each in self._queue.snapshot().standings}
        for item in earlier:
            if item in waiting:
                self._queue.cancel(item, reason="withdrawn")
        return any(item in self._sounded or item in self._before.read for item in earlier)

    def _behind(self) -> bool:
        """Return whether something waits, or sounds still, or was left unsaid a short while ago."""
        if self._now_s() - self._left_unsaid_s < narrator.BRIEF_FOR_S:
            return True
        return any(not standing.all_sent for standing in self._queue.snapshot().standings)

    async def _follow_trace(self) -> None:
        after = "0-0"
        while True:
            logged = await self._streams.read_events(after, block_ms=READ_BLOCK_MS, count=READ_COUNT)
            if not logged:
                continue
            after = logged[-1].id
            self._progress.saw_events(logged)
            for entry in logged:
                await self._take_step(entry)
            await self._show_trace([entry.event for entry in logged])
            await asyncio.sleep(TRACE_EVERY_S)

    async def _take_step(self, entry: Logged) -> None:
        """Show a step of the team's work, or what it decided; told it is when there is time (`_tick`)."""
        ago_s = (self._wall_ms() - entry.at_ms) / 1000
        self._steps.take(entry.event, self._now_s() - ago_s)
        body = self._step_list.step(entry.event)
        if body is not None:
            await self._feed.say(body)

    def _tell_step(self, now_s: float) -> None:
        brief = self._talk.verbosity is Verbosity.BRIEF
        step = (
            self._steps.due(self._facts.session_id, now_s, brief=brief) if self._reception.greeted else None
        )
        if step is not None and step.utterance_id not in self._known:
            self._offer(step)

    async def _show_trace(self, events: list[StreamEvent]) -> None:
        if self._feed.view.reasoning.phase == "waiting":
            await self._feed.say(Reasoning(phase="thinking"))
        for batch in in_batches(messages.trace_items(events, self._written)):
            await self._feed.say(batch)
        if [event for event in events if self._costs.take(event)]:
            await self._feed.say(messages.costs_body(self._costs))
        self._talk.events(events)
        if any(event.type is EventType.ERROR for event in events):
            await self._feed.say(Reasoning(phase="failed", detail="the reasoning stopped with an error"))
            failure = narrator.failure(self._facts.session_id, now_s=self._now_s())
            if failure.utterance_id not in self._known:
                self._offer(failure)

    async def _follow_commands(self) -> None:
        after = "0-0"
        while True:
            for logged in await self._streams.read_commands(after, block_ms=READ_BLOCK_MS, count=READ_COUNT):
                after = logged.id
                match logged.command.kind:
                    case "end":
                        self._ended = True
                        await self._close_books()
                        raise _Over("ended_by_clinician")
                    case "acknowledge":
                        self._talk.was_acknowledged(str(logged.command.args.get("critical_key", "")))
                    case "read_late" | "read_in_time" as code if logged.at_ms > self._before.held_ms:
                        await self._feed.say(messages.pace_notice(code))
                    case "stranger" if logged.at_ms > self._before.held_ms:  # nobody told of it yet
                        text = "Somebody without this session's secret asked for it, and was refused."
                        await self._feed.say(NoticeBody(code="stranger", text=text))

    async def _close_books(self) -> None:
        """Bring what is unfinished to an end in the ledger; a store that is gone may keep it open."""
        try:
            async with asyncio.timeout(CLOSING_S):
                await self._queue.abandon("session ended")
        except TimeoutError:
            log.warning("the ledger of %s was not closed in time", self._facts.session_id)

    async def _leave(self) -> None:
        """Hand over: fall silent at once, and leave when the ledger says so, or can't be told in time."""
        await self._leaving.wait()
        self._queue.hold(HoldCause.TAKEOVER)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LEAVING_S):
                await self._queue.settled()
        raise _Over(HANDED_OVER)

    # --- time -----------------------------------------------------------------------------------

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            now_s = self._now_s()
            snapshot = self._queue.snapshot()
            speaking = snapshot.speaking is not None
            self._reception.tick(sent=snapshot.sent_samples, speaking=speaking, now_s=now_s)
            if self._reception.begins:
                with contextlib.suppress(StoreUnavailable):  # the next tick asks again
                    await self._start("stock")
            self._talk.tick(now_s)
            self._tell_step(now_s)
            self._speaking = speaking

    async def _caption(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            for caption in self._captions.due(self._reception.played):
                await self._room.caption(caption.segment_id, caption.text, final=caption.final)

    async def _show_agent_state(self) -> None:
        """Keep LiveKit's attribute as we are. It is for show: what the SFU does not confirm is set again."""
        shown = ""
        while True:
            await asyncio.sleep(TICK_S)
            thinking = self._feed.view.reasoning.phase == "thinking"
            state = "speaking" if self._speaking else "thinking" if thinking else "listening"
            if state != shown and await self._room.set_agent_state(state):
                shown = state

    # --- the queue ------------------------------------------------------------------------------

    def _offer(self, utterance: Utterance) -> None:
        """Offer it once; nothing is said any more once the session has ended."""
        if self._ended or utterance.utterance_id in self._said:
            return
        self._said[utterance.utterance_id] = utterance
        self._known.add(utterance.utterance_id)
        self._tell(utterance, Phase.QUEUED)
        if self._queue.offer(utterance).outcome is OfferOutcome.BLANK:
            self._tell(utterance, Phase.EXPIRED, reason="nothing to say")

    def _on_queue_event(self, event: QueueEvent) -> None:
        match event:
            case Moved(move):
                utterance = self._said[move.utterance_id]
                self._bookmark.moved(move)
                if self._unread.ended(utterance, move.phase_to, move.reason):
                    self._left_unsaid_s = move.at_s
                self._talk.moved(move, utterance)
                self._reception.moved(move, utterance)
                if move.phase_to is Phase.HELD:
                    self._captions.hold(move.utterance_id)
                elif is_over(move.phase_to) and move.phase_to is not Phase.SPOKEN:
                    self._captions.cut(move.utterance_id)
                self._tell(utterance, move.phase_to, cause=move.cause, reason=move.reason or "")
            case SegmentStarted():
                words = tuple(TimedWord(word, start) for word, start, _ in event.words)
                self._captions.add(event.utterance_id, event.index, words)
                self._bookmark.began(event)
                self._sounded.add(narrator.first_offering(event.utterance_id))
                self._talk.sounded(event, self._said[event.utterance_id])
                number = number_of(self._said[event.utterance_id])
                self._progress.heard = number or self._progress.heard
                self._feed.post(messages.segment_body(event))
            case VoiceFailed():
                if event.final:
                    text = "The voice failed on one item; it is on this page."
                    self._feed.post(NoticeBody(code="voice_unavailable", text=text))
            case WatchdogFired(held_s):
                self._talk.watchdog(held_s)
            case HoldsChanged(causes):
                self._tell_of_store(HoldCause.STORE in causes)
            case Displaced():
                pass  # the move that belongs to it says the same to the page
            case never:
                assert_never(never)

    def _tell(
        self, utterance: Utterance, phase: Phase, *, cause: HoldCause | None = None, reason: str = ""
    ) -> None:
        key = utterance.critical_key
        acknowledged = key is not None and self._talk.acknowledged(key)
        self._feed.post(
            messages.utterance_body(utterance, phase, cause=cause, reason=reason, acknowledged=acknowledged)
        )

    def _retell(self, critical_key: str) -> None:
        """Show every utterance of a critical finding as taken note of, and let the closing say so."""
        for body in self._feed.utterances():
            if body.critical_key == critical_key and not body.acknowledged:
                self._feed.post(body.model_copy(update={"acknowledged": True}))
        self._closing.acknowledged()

    def _tell_of_store(self, gone: bool) -> None:
        if gone == self._store_gone:
            return
        self._store_gone = gone
        if gone:
            text = "The store is away: the voice is silent, so that nothing is said twice."
            self._feed.post(NoticeBody(code="store_gone", text=text))
        else:
            self._feed.post(NoticeBody(code="store_back", text="The store is back: the voice goes on."))

    def _hello(self) -> Hello:
        facts = self._facts
        return Hello(
            session_id=facts.session_id,
            case_id=facts.case_id,
            title=facts.title,
            which_case=facts.which_case,
            reader=messages.reader_body(facts.reader),
            agents=tuple(Agent(id=agent, name=spoken_name(agent)) for agent in facts.agents),
            sample_rate_hz=SAMPLE_RATE_HZ,
            track_sid=self._room.track_sid,
            has_paper=facts.has_paper,
        )
