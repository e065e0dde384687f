"""Run one session's voice in a process of its own: assemble its parts, and close them in order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Final

import numpy as np
from livekit import rtc
from numpy.typing import NDArray
from redis.asyncio import Redis

from agents.dialogue import Dialogue
from agents.dialogue.embeddings import Embeddings
from agents.recorded import Catalogue, TraceError
from app.answering import embeddings_of, nearest_here
from app.hearing import canceller_of, ending_by, second_of, transcriber_of
from app.reasoning import Cases
from app.recording import recorded
from app.speaking import session_voice
from exaim_core import CasePaper
from infra import store
from infra.arrivals import Arrival, told
from infra.checkpoints import RedisSaver
from infra.clock import wall_ms
from infra.errors import CorruptSession, StoreError
from infra.inbox import TeamInbox
from infra.leases import Lease
from infra.ledger import SpeechLedger
from infra.llm_registry import readers_of
from infra.outage import OutageTolerantStreams
from infra.sessions import OVER, SessionRecord, SessionStore, Status
from infra.settings import Settings
from infra.streams import LoggedCommand, SessionStreams
from realtime.conversation.case_words import case_words
from realtime.conversation.talk import TalkParts
from realtime.ears import EarEvent, Ears, EarsConfig, SoundRose
from realtime.ears.echo_canceller import CleanEars, EchoCanceller, HeardSink
from realtime.ears.gate import GatedVad
from realtime.ears.ports import EarsPort
from realtime.ears.rise import AlertEars
from realtime.ears.silero import SileroVad
from realtime.listener.listening import ListenedSink, Listening
from realtime.parts import Outside
from realtime.ports import SessionFacts
from realtime.room.dispatcher import CommandDispatcher
from realtime.room.livekit_room import LiveKitRoom
from realtime.session import HANDED_OVER, VoiceSession
from realtime.speech.before import StateBefore, read_before
from realtime.speech.budget import Budget
from realtime.speech.takeover import Takeover
from realtime.speech.tones import ALARM
from realtime.speech.verbosity import SHARE, Verbosity
from realtime.speech.which_case import patient_of
from tts_queue import AudioSink, Phase, QueueConfig, SpeechQueue, Voice
from tts_queue.engines.socket_voice import SocketEars

log = logging.getLogger("exaim.voice")

LEASE_PATIENCE_S: Final = 10.0  # a predecessor's lease has run out by then (its time to live is 4 s)
LEASE_RETRY_S: Final = 0.25
COMMANDS_AT_ONCE: Final = 1_000
TEXT_WITHIN_S: Final = 3.0  # engines are shared, and niced: a late "stop" is one still
EARS_DEADLINE_S: Final = 6.0  # of one request; beyond what the ears wait for the longest turn
ENCODER_WITHIN_S: Final = 1.0  # 0.3 s with a free core; then it is loaded while we speak

Join = Callable[[], Awaitable[rtc.Room]]


class NotOurs(Exception):
    """Another worker holds the session's voice lease; this job is not needed."""


class LeasedSink:
    """Passes sound on only while the voice lease is surely ours; else silence of the same length."""

    def __init__(self, sink: AudioSink, lease: Lease) -> None:
        self._sink = sink
        self._lease = lease

    @property
    def queued_s(self) -> float:
        """Return how much audio was handed over and is not yet sent, in seconds."""
        return self._sink.queued_s

    async def write(self, pcm: NDArray[np.int16]) -> None:
        """Hand over one frame."""
        await self._sink.write(pcm if self._lease.valid else np.zeros_like(pcm))


@dataclass(frozen=True, slots=True)
class _Here:
    """One job of this process: its session, its lease, and how to join the room."""

    settings: Settings
    client: Redis
    record: SessionRecord
    lease: Lease
    arrival: Arrival
    join: Join
    leaving: asyncio.Event


@dataclass(frozen=True, slots=True)
class _Left:
    """What an earlier worker left; `told` are the keys of the critical findings that it spoke."""

    before: StateBefore
    takeover: Takeover
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a voice that are made before it has its lease."""

    voice: Voice
    paper: CasePaper | None
    canceller: EchoCanceller | None
    dialogue: Dialogue
    talk: TalkParts


async def speak(
    settings: Settings, session_id: str, job_id: str, join: Join, leaving: asyncio.Event | None = None
) -> str:
    """Be the voice of a session until it ends, or until `leaving` is set; return why.

    `join` connects to its room. Until it has, other jobs of the session are refused (`infra.arrivals`).

    Raises: NotOurs, RoomGone, StoreError; groups of them.
    """
    leaving = leaving or asyncio.Event()
    client = store.connect(settings.redis_url)
    try:
        record = await SessionStore(client).get(session_id)
        arrival = Arrival(client, record.keys, job_id)
        try:
            _refuse_what_is_over(record)
            lease = Lease(client, record.keys, "voice")
            here = _Here(settings, client, record, lease, arrival, join, leaving)
            async with session_voice(settings) as voice, ears(settings) as recogniser:
                return await _arrive(here, voice, recogniser)
        finally:
            await told(arrival)
    finally:
        await client.aclose()


async def _arrive(here: _Here, voice: Voice, recogniser: SocketEars) -> str:
    """Acquire the lease while the parts that need none are made; then join the room and speak."""
    embeddings = embeddings_of(here.settings)
    making = asyncio.create_task(_parts(here, voice, recogniser, embeddings), name="voice-parts")
    try:
        await _take(here.lease, here.leaving)
        return await held(here.lease, _speak(here, making))
    finally:
        making.cancel()
        await asyncio.gather(
            making, return_exceptions=True
        )  # what it came to was told where it was waited for
        if embeddings is not None:
            embeddings.close()


def _refuse_what_is_over(record: SessionRecord) -> None:
    """Raise NotOurs if the session is over: whoever opens an abandoned one again says so first."""
    if record.status in OVER:
        raise NotOurs(f"session {record.session_id} is {record.status}")


async def held(lease: Lease, doing: Coroutine[None, None, str]) -> str:
    """Return what `doing` returns, renewing the acquired lease meanwhile and releasing it then.

    It is so from the first moment on: on a busy machine the way to the room takes longer than a lease lasts.

    Raises: a group of what `doing` raises, or of LeaseLost; StoreUnavailable.
    """
    try:
        async with asyncio.TaskGroup() as group:
            holding = group.create_task(lease.hold(), name="voice-lease")
            reason = await doing
            holding.cancel()
    finally:
        await lease.release()
    return reason


async def _parts(here: _Here, voice: Voice, recogniser: SocketEars, embeddings: Embeddings | None) -> _Parts:
    """Make what needs neither the lease nor the room."""
    paper = await _paper(here)
    canceller = canceller_of(here.settings)
    dialogue = await _dialogue(here, paper, embeddings)
    return _Parts(voice, paper, canceller, dialogue, _talk(here, recogniser, paper, dialogue, canceller))


async def _take(lease: Lease, leaving: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(LEASE_PATIENCE_S):
            while not leaving.is_set():
                if await lease.acquire() is not None:
                    return
                await asyncio.sleep(LEASE_RETRY_S)
    except TimeoutError:
        raise NotOurs("another worker is this session's voice") from None
    raise NotOurs("told to leave")


def ears(settings: Settings) -> SocketEars:
    """Return the recogniser, with the ears' own deadline."""
    return SocketEars(settings.engines_socket, deadline_s=EARS_DEADLINE_S)


async def _paper(here: _Here) -> CasePaper | None:
    """Return the case paper, or None: there is none, or it can't be read."""
    try:
        catalogue = await asyncio.to_thread(Catalogue.open, here.settings.cases)
        return await Cases(catalogue).paper(here.client, here.record)
    except (TraceError, CorruptSession) as error:
        log.warning("%s has no case paper to answer from: %s", here.record.session_id, error)
        return None


async def _dialogue(here: _Here, paper: CasePaper | None, embeddings: Embeddings | None) -> Dialogue:
    """Return the dialogue on the case paper; storing its thread has to wait for the lease."""
    if embeddings is not None:
        await embeddings.load(ENCODER_WITHIN_S)  # before the room is joined: it would be heard as a gap
    return await asyncio.to_thread(
        Dialogue,
        thread_id=here.record.thread_id,
        paper=paper,
        nearest=nearest_here(here.settings),
        embeddings=embeddings,
    )  # tens of milliseconds of computing


def _talk(
    here: _Here,
    recogniser: SocketEars,
    paper: CasePaper | None,
    dialogue: Dialogue,
    canceller: EchoCanceller | None,
) -> TalkParts:
    """Return the clinician's side: ears on this process's own detector, and answers."""
    settings, record = here.settings, here.record
    words = case_words(paper, record.title)
    transcriber, second = transcriber_of(settings, words), second_of(settings, recogniser, words)
    config = EarsConfig(deadline_s=TEXT_WITHIN_S)

    def listen(on_event: Callable[[EarEvent], None]) -> EarsPort:
        vad = GatedVad(SileroVad())
        ears = Ears(vad, recogniser, on_event, config, transcriber, second, ending_by(words))
        alert = AlertEars(ears, lambda: on_event(SoundRose()))
        return alert if canceller is None else CleanEars(alert, canceller)

    return TalkParts(
        dialogue=dialogue,
        read_ahead=dialogue,
        ears=listen,
        case_words=words,
        team=TeamInbox(here.client, record.keys) if record.live else None,
    )


async def _speak(here: _Here, making: asyncio.Task[_Parts]) -> str:
    """Join the room, take up what an earlier worker left, speak, and store why it ended."""
    sessions = SessionStore(here.client)
    _refuse_what_is_over(await sessions.get(here.record.session_id))  # the lease may have been waited for
    parts = await making
    lease, canceller = here.lease, parts.canceller
    parts.dialogue.keep_in(RedisSaver(here.client, fence=lease.fence, session=here.record.keys))
    ledger = SpeechLedger(here.client, here.record.keys, lease.fence)
    left = await _left(here, ledger)
    facts = facts_of(here.settings, here.record, lease.fence.epoch, parts.paper)
    # a command may come before there is a session
    dispatcher: asyncio.Future[CommandDispatcher] = asyncio.get_running_loop().create_future()

    async def on_command(caller: str, payload: str) -> str:
        return await (await asyncio.shield(dispatcher)).take(caller, payload)

    listening = Listening(facts.clinician)
    async with (
        LiveKitRoom(await here.join(), on_command, clinician=listening.clinician) as room,
        contextlib.AsyncExitStack() as stack,
    ):
        await _note_joined(sessions, here.record)
        sent = room.sink if canceller is None else HeardSink(room.sink, canceller)
        sink = stack.enter_context(recorded(sent, here.settings.record_dir, facts.session_id, facts.epoch))
        session = VoiceSession(facts, _outside(here, parts, left, room, sink, ledger, listening))
        dispatcher.set_result(session.dispatcher)
        await lease.renew()  # from here on only the lease tells that a voice is here
        await told(here.arrival)
        reason = await session.run(left.takeover.finished, left.takeover.again)
    if reason != HANDED_OVER:
        await _note_ended(sessions, facts.session_id, reason)
    return reason


def _outside(
    here: _Here,
    parts: _Parts,
    left: _Left,
    room: LiveKitRoom,
    sink: AudioSink,
    ledger: SpeechLedger,
    listening: Listening,
) -> Outside:
    """Return what the session stands on; its voice speaks into `sink` while the lease is ours."""
    lease, budget = here.lease, Budget()
    heard = ListenedSink(LeasedSink(sink, lease), listening.clock, asyncio.get_running_loop().time)
    return Outside(
        room=room,
        streams=OutageTolerantStreams(SessionStreams(here.client, here.record.keys)),
        listening=listening,
        queue=lambda on_event: SpeechQueue(
            parts.voice,
            heard,
            ledger,
            budget,
            QueueConfig(earcon=ALARM),
            on_event,
            told=left.told,
            gate=lambda: lease.valid,
        ),
        talk=parts.talk,
        wall_ms=wall_ms,
        on_finished=budget.lift,
        on_detail=lambda verbosity: budget.share(SHARE[verbosity]),
        before=left.before,
        keep_place=ledger.reached,
        leaving=here.leaving,
    )


async def _left(here: _Here, ledger: SpeechLedger) -> _Left:
    """Return what an earlier worker left, after ending in the ledger what it had begun."""
    entries = await ledger.entries()
    reached = await ledger.clause()
    before = read_before(
        await _commands(SessionStreams(here.client, here.record.keys)),
        entries,
        vacant_s=here.lease.vacant_s,
        now_ms=await store.clock_ms(here.client),
        verbosity=Verbosity(here.settings.verbosity),
    )
    takeover = before.take_over(entries, now_s=asyncio.get_running_loop().time(), reached=reached)
    for move in takeover.cut:
        await ledger.move(move)
    told = [key for entry in entries if entry.phase is Phase.SPOKEN and (key := entry.utterance.critical_key)]
    return _Left(before, takeover, tuple(told))


async def _commands(streams: SessionStreams) -> list[LoggedCommand]:
    """Return all commands of the session so far."""
    found: list[LoggedCommand] = []
    while page := await streams.read_commands(found[-1].id if found else "0-0", count=COMMANDS_AT_ONCE):
        found += page
    return found


def facts_of(settings: Settings, record: SessionRecord, epoch: int, paper: CasePaper | None) -> SessionFacts:
    """Return what does not change while `epoch` is the session's voice."""
    return SessionFacts(
        session_id=record.session_id,
        case_id=record.case_id,
        title=record.title or record.case_id,
        agents=record.agents,
        epoch=epoch,
        has_paper=paper is not None,
        patient=patient_of(paper),
        simulated=paper is not None and paper.fictional,
        grace_s=settings.grace_s,
        silence_s=record.team_silence_s if record.live else math.inf,
        live=record.live,
        reader=_reader_of(settings, record),
    )


def _reader_of(settings: Settings, record: SessionRecord) -> tuple[str, str, str] | None:
    """Return name, model and host of the reader of this session's words; None: rules read them."""
    readers = readers_of(settings)
    name = record.reader or next(iter(readers), "")
    spec = readers.get(name)
    return None if spec is None else (name, spec.model, spec.host)


async def _note_joined(sessions: SessionStore, record: SessionRecord) -> None:
    def joined(now: SessionRecord) -> SessionRecord:
        if now.status is not Status.SCHEDULED:
            return now
        return now.model_copy(update={"status": Status.IN_PROGRESS})

    await sessions.change(record.session_id, joined)


async def _note_ended(sessions: SessionStore, session_id: str, reason: str) -> None:
    status = Status.ABANDONED if reason == "abandoned" else Status.COMPLETED
    try:
        await sessions.end(session_id, status)
    except StoreError as error:
        log.warning("the end of %s could not be stored: %s", session_id, error)
