"""A whole case on virtual time: the real engine, narrator, budget, queue and voice, and one who only listens.

Not real are the room and the store (in memory, at once), the time that a clause's synthesis takes
(`SYNTHESIS_S`) and the way to the ear (`TO_EAR_S`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.recorded import Trace, replay
from agents.stream import EventSink, EventType, StreamEvent
from app.reasoning import feed
from exaim_core import EXAIM, CasePaper, Update
from exaim_core.readings.port import SegmentReader
from infra.sfu_port import clinician_identity
from realtime.conversation.talk import TalkParts
from realtime.ears.testing import ScriptedEars
from realtime.listener.listening import ListenedSink, Listening
from realtime.parts import Outside
from realtime.ports import SessionFacts
from realtime.room.livekit_room import Beaten, Joined
from realtime.session import VoiceSession
from realtime.speech.budget import Budget
from realtime.speech.tones import ALARM
from realtime.speech.which_case import patient_of
from realtime.testing import ListStreams, ScriptedDialogue, ScriptedRoom, scene_wall_ms
from tts_queue import Phase, QueueConfig, QueueEvent, SpeechQueue, Utterance, is_over
from tts_queue.model import SAMPLE_RATE_HZ, Clip, Move, Part, Prosody
from tts_queue.ports import whole
from tts_queue.testing import ListLog
from tts_queue.virtual_time import runner

SYNTHESIS_S: Final = 0.12  # a summary's way to its first sound, less the floor: `bench` measures both
TO_EAR_S: Final = 0.08  # the floor
SESSION: Final = "s-reading"
COMES_S: Final = 0.9  # from a live team's start until somebody hears: `lab.debates`, API, room and voice
AFTER_S: Final = 600.0  # for what is still to be said when the agents have finished: 330 s of the densest
BLOCK_MS: Final = 200  # how often an idle engine's timers are looked at, as the reasoner does


class Sounds(Protocol):
    """What makes the sound of a text, in parts; `PiperVoice` is one."""

    def parts(self, text: str, prosody: Prosody) -> Iterable[Part]:
        """Yield the sound of `text`, which is already written for the ear."""
        ...


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a case: updates by their id, and utterances with the last move of each.

    `began_s`: the first delta, on the clock of the moves; `began_wall_s`: on that of the updates.
    """

    updates: dict[str, Update]
    utterances: tuple[Utterance, ...]
    last: dict[str, Move]
    began_s: float
    began_wall_s: float


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What reasons in a session. `reason` appends its events to the sink it is given; `lasts_s` at the most."""

    case_id: str
    agents: tuple[str, ...]
    lasts_s: float
    reason: Callable[[EventSink], Awaitable[None]]
    live: bool = False  # it does not wait for the listener, who comes `COMES_S` later


def play(
    trace: Trace,
    title: str,
    paper: CasePaper | None,
    voice: Sounds,
    reader: SegmentReader | None = None,
) -> Played:
    """Play a case to its end; takes about a tenth of its time. Raises: TimeoutError: it does not end."""
    case_id = trace.metadata.case_id

    async def reason(sink: EventSink) -> None:
        await replay(trace, sink=sink, session_id=SESSION, thread_id=SESSION, trace_id=case_id)

    source = Reasoning(case_id, trace.agents, trace.duration_s, reason)
    return play_from(source, title, paper, voice, reader)


def play_from(
    source: Reasoning,
    title: str,
    paper: CasePaper | None,
    voice: Sounds,
    reader: SegmentReader | None = None,
) -> Played:
    """Play whatever reasons to its end, as `play` does. Raises: TimeoutError: it does not end."""
    with runner() as on_virtual_time:
        return on_virtual_time.run(_Play(source, title, paper, voice, reader).run())


class _Voice:
    """Sound made in this thread; what it takes is counted as `SYNTHESIS_S`."""

    def __init__(self, sounds: Sounds) -> None:
        self._sounds = sounds

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        await asyncio.sleep(SYNTHESIS_S)
        for part in self._sounds.parts(text, prosody):
            yield part


class _Ear:
    """A track and the ear at its end: frames leave at their true speed."""

    def __init__(self) -> None:
        self._empty_at_s = 0.0
        self._written = 0
        self.first_sound: int | None = None

    @property
    def queued_s(self) -> float:
        return max(0.0, self._empty_at_s - asyncio.get_running_loop().time())

    async def write(self, pcm: NDArray[np.int16]) -> None:
        if self.first_sound is None and int(np.abs(pcm).max()) > 300:
            self.first_sound = self._written
        self._empty_at_s = (
            max(self._empty_at_s, asyncio.get_running_loop().time()) + pcm.size / SAMPLE_RATE_HZ
        )
        self._written += pcm.size

    @property
    def heard(self) -> int:
        return max(0, self._written - round((self.queued_s + TO_EAR_S) * SAMPLE_RATE_HZ))


class _Play:
    """One session; build it for one run."""

    def __init__(
        self,
        source: Reasoning,
        title: str,
        paper: CasePaper | None,
        sounds: Sounds,
        reader: SegmentReader | None,
    ) -> None:
        self._source = source
        self._reader = reader
        self._title = title
        self._paper = paper
        self._sounds = sounds
        self._streams = ListStreams()
        self._room = ScriptedRoom()
        self._log = ListLog()
        self._updates: dict[str, Update] = {}

    @property
    def _is_simulated(self) -> bool:
        """Whether the greeting says so: of live ones all that is played here is invented."""
        return self._source.live or (self._paper is not None and self._paper.fictional)

    async def run(self) -> Played:
        ear, listening = _Ear(), Listening(clinician_identity(SESSION))
        session = self._session(ear, listening)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(session.run(), name="session"),
                group.create_task(self._beat(listening.clinician, ear), name="beats"),
            ]
            if not self._source.live:
                await self._come(session, listening.clinician)
            began_s, began_wall_s = asyncio.get_running_loop().time(), scene_wall_ms() / 1000
            thought = group.create_task(self._thought(), name="team")
            if self._source.live:
                await asyncio.sleep(COMES_S)
                await self._come(session, listening.clinician)
            async with asyncio.timeout(self._source.lasts_s + AFTER_S):
                await thought
                while not self._all_said():
                    await asyncio.sleep(0.2)
            for task in tasks:
                task.cancel()
        last = {move.utterance_id: move for move in self._log.moves}
        return Played(self._updates, tuple(self._log.created), last, began_s, began_wall_s)

    def _session(self, ear: _Ear, listening: Listening) -> VoiceSession:
        """Return the session, whose voice is heard at `ear`."""
        budget = Budget()
        sink = ListenedSink(ear, listening.clock, asyncio.get_running_loop().time)

        def queue(on_event: Callable[[QueueEvent], None]) -> SpeechQueue:
            return SpeechQueue(
                _Voice(self._sounds), sink, self._log, budget, QueueConfig(earcon=ALARM), on_event
            )

        facts = SessionFacts(
            session_id=SESSION,
            case_id=self._source.case_id,
            title=self._title,
            agents=self._source.agents,
            epoch=1,
            live=self._source.live,
            patient=patient_of(self._paper),
            simulated=self._is_simulated,
        )
        outside = Outside(
            room=self._room,
            streams=self._streams,
            listening=listening,
            queue=queue,
            talk=TalkParts(dialogue=ScriptedDialogue(), ears=ScriptedEars, case_words=frozenset()),
            wall_ms=scene_wall_ms,
            on_finished=budget.lift,
        )
        return VoiceSession(facts, outside)

    async def _come(self, session: VoiceSession, clinician: str) -> None:
        """Join, and say that sound can be heard."""
        self._room.offer(Joined(clinician))
        await asyncio.sleep(0.2)
        ready = {"v": 1, "seq": 1, "kind": "ready", "args": {}}
        await session.dispatcher.take(clinician, json.dumps(ready))

    async def append(self, events: Sequence[StreamEvent]) -> None:
        """Take what the agents say."""
        self._streams.log(*events)

    async def _thought(self) -> None:
        await asyncio.gather(self._source.reason(self), self._think())

    async def _think(self) -> None:
        """Be the reasoner: feed the engine, commit what it makes, until the end."""
        exaim, after = EXAIM(paper=self._paper, reader=self._reader), "0-0"
        while True:
            logged = await self._streams.read_events(after, block_ms=BLOCK_MS, count=500)
            if not logged:
                self._commit(await exaim.tick(scene_wall_ms() / 1000))
            for entry in logged:
                after = entry.id
                if entry.event.type is EventType.END:
                    self._commit(await exaim.finish(entry.at_ms / 1000))
                    return
                self._commit(await feed(exaim, entry))

    def _commit(self, updates: Sequence[Update]) -> None:
        for update in updates:
            uid = f"u-{SESSION}-{update.number:04d}"
            self._updates[uid] = update
            self._streams.commit(update, uid)

    def _all_said(self) -> bool:
        last = {move.utterance_id: move.phase_to for move in self._log.moves}
        closed = any(each.kind == "closing" for each in self._log.created)
        return closed and all(is_over(last.get(u.utterance_id, Phase.QUEUED)) for u in self._log.created)

    async def _beat(self, clinician: str, ear: _Ear) -> None:
        seq = 0
        while True:
            seq += 1
            heard = ear.heard
            onset = ear.first_sound if ear.first_sound is not None and ear.first_sound <= heard else None
            beat = {"v": 1, "seq": seq, "clock": "samples", "position": heard, "onset": onset}
            self._room.offer(Beaten(clinician, json.dumps(beat).encode()))
            await asyncio.sleep(0.25)
