"""A whole session on virtual time: a scripted room, streams in lists, a voice that says anything."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from infra.sfu_port import clinician_identity
from infra.streams import Command
from realtime.conversation.talk import TalkParts
from realtime.ears import EarEvent
from realtime.ears.testing import ScriptedEars
from realtime.listener.listening import ListenedSink, Listening
from realtime.parts import Outside
from realtime.ports import SessionFacts
from realtime.room.livekit_room import Beaten, Joined, ParticipantLeft
from realtime.session import VoiceSession
from realtime.speech.before import FIRST, LISTENER, StateBefore
from realtime.speech.tones import ALARM
from realtime.team.asking import TeamLine
from realtime.testing import ListStreams, ScriptedDialogue, ScriptedRoom, scene_wall_ms
from tests.realtime.making import command
from tts_queue import NoPacing, QueueConfig, QueueEvent, SpeechQueue, Utterance, Voice
from tts_queue.ports import Pacing
from tts_queue.testing import ListLog, RecordingSink, SteadyVoice

SESSION: Final = "s-1"
ME: Final = clinician_identity(SESSION)
GREETING: Final = f"{SESSION}.notice.greeting"
FACTS: Final = SessionFacts(
    session_id=SESSION, case_id="case", title="A case", agents=("doctor0", "doctor1"), epoch=3
)
RATE_HZ: Final = 48_000
LONG: Final = " ".join(f"word-{letter}" for letter in "abcdefghijklmnopqrst") + "."


class Scene:
    """One session and the clinician's client. Build it inside the running loop."""

    def __init__(
        self,
        *,
        room: ScriptedRoom | None = None,
        streams: ListStreams | None = None,
        voice: Voice | None = None,
        answers: Mapping[str, str] | None = None,
        answer_takes_s: float = 0.02,
        case_words: frozenset[str] = frozenset(),
        before: StateBefore = FIRST,
        live: bool = False,
        silence_s: float = FACTS.silence_s,
        patient: str = "",
        title: str = FACTS.title,
        pacing: Pacing | None = None,
        team: TeamLine | None = None,
    ) -> None:
        self.room = room or ScriptedRoom()
        self.streams = streams or ListStreams()
        self.sink, self.log = RecordingSink(), ListLog()
        self.listening = Listening(ME)
        self.loop = asyncio.get_running_loop()
        self.dialogue = ScriptedDialogue(answers, takes_s=answer_takes_s)
        self.leaving = asyncio.Event()
        self.lease = True
        self.places: list[tuple[str, int, int]] = []
        self._pacing = pacing or NoPacing()
        self._told = [each.utterance.critical_key or "" for each in before.told if each.heard]
        self._voice = voice or SteadyVoice(word_s=0.4)
        self.session = VoiceSession(
            replace(FACTS, live=live, silence_s=silence_s, patient=patient, title=title),
            Outside(
                room=self.room,
                streams=self.streams,
                listening=self.listening,
                queue=self._queue,
                talk=TalkParts(
                    dialogue=self.dialogue,
                    read_ahead=self.dialogue,
                    ears=self._ears,
                    case_words=case_words,
                    team=team,
                ),
                wall_ms=scene_wall_ms,
                before=before,
                keep_place=self._keep_place,
                leaving=self.leaving,
            ),
        )
        self.client = Client(self)

    async def _keep_place(self, utterance_id: str, number: int, clause: int) -> None:
        self.places.append((utterance_id, number, clause))

    def _ears(self, on_event: Callable[[EarEvent], None]) -> ScriptedEars:
        self.ears = ScriptedEars(on_event)
        return self.ears

    def _queue(self, on_event: Callable[[QueueEvent], None]) -> SpeechQueue:
        sink = ListenedSink(self.sink, self.listening.clock, self.loop.time)
        self.queue = SpeechQueue(
            *(self._voice, sink, self.log, self._pacing, QueueConfig(earcon=ALARM), on_event),
            gate=lambda: self.lease,
            told=self._told,
        )
        return self.queue

    @asynccontextmanager
    async def running(
        self, finished: Collection[str] = (), again: Sequence[Utterance] = ()
    ) -> AsyncIterator[asyncio.Task[str]]:
        """Run the session, and the client's beats, while the block runs."""
        async with asyncio.TaskGroup() as group:
            run = group.create_task(self.session.run(finished, again))
            beats = group.create_task(self.client.beats())
            yield run
            run.cancel()
            beats.cancel()

    async def until(self, at_s: float) -> None:
        """Let time pass until `at_s` on the loop's clock."""
        await asyncio.sleep(at_s - self.loop.time())

    def asked(self) -> list[Command]:
        """Return what was asked of the session, without notes of who listens."""
        return [command for command in self.streams.commands if command.kind != LISTENER]

    def text_of(self, utterance_id: str) -> str:
        """Return what the page was told last that this utterance says."""
        told = [str(b["text"]) for b in self.room.bodies("utterance") if b["utterance_id"] == utterance_id]
        return told[-1]

    def told_at_s(self, utterance_id: str, phase: str) -> list[float]:
        """Return when the page was told of this phase."""
        return [
            said.at_s
            for said in self.room.of_type("utterance")
            if (said.message.body["utterance_id"], said.message.body["phase"]) == (utterance_id, phase)
        ]


class Client:
    """What the page does: it joins, says `ready`, and beats four times a second while it is `beating`."""

    delay = RATE_HZ // 10  # samples between leaving the agent and the ear
    zero = 123_456_789

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._seq = 0
        self.beating = False
        self.locked = False  # no sound comes out of it, and its beats say so
        self.stuck = False  # its beats go on, and its position does not
        self.last_beat_s = float("-inf")
        self.last_played = 0

    def join(self) -> None:
        self._seq = 0
        self._scene.room.offer(Joined(ME))

    def leave(self) -> None:
        self.beating = False
        self._scene.room.offer(ParticipantLeft(ME))

    async def say(self, seq: int, kind: str = "ready", caller: str = ME, **args: Any) -> dict[str, Any]:
        payload = command(seq, kind, args=args)
        answer: dict[str, Any] = json.loads(await self._scene.session.dispatcher.take(caller, payload))
        return answer

    async def come(self, device: str | None = None) -> None:
        """Join, wait for a moment, say `ready` and begin to beat."""
        self.join()
        await asyncio.sleep(0.2)
        self.beating = True
        assert (await self.say(1, **({"device": device} if device else {})))["ok"]

    async def beats(self) -> None:
        while True:
            if self.beating:
                self.beat()
            await asyncio.sleep(0.25)

    def beat(self, identity: str = ME) -> None:
        self._seq += 1
        ear = max(0, self._scene.sink.heard_samples - self.delay)
        played = self.last_played if self.stuck else ear
        onset = self._onset(played)
        self.last_beat_s, self.last_played = self._scene.loop.time(), played
        payload = {
            "v": 1,
            "seq": self._seq,
            "track_sid": "TR_scripted",
            "clock": "samples",
            "position": None if self.locked else self.zero + played,
            "onset": None if self.locked or onset is None else self.zero + onset,
            "hidden": False,
        }
        self._scene.room.offer(Beaten(identity, json.dumps(payload).encode()))

    def _onset(self, played: int) -> int | None:
        ended, found = -RATE_HZ, None
        for start, end in self._scene.sink.sounding():
            if start <= played and start - ended >= RATE_HZ * 4 // 10:
                found = start
            ended = end
        return found
