"""The peer: LiveKit Agents' own session, with our voice and our ears. `python -m lab.bench.peer_agent`.

Arguments: URL, token, the engines' socket. It is asked on stdin, one JSON object a line, {"say": text} or
{"quiet": true}, and tells on stdout {"joined": true} and {"defaults": …} once, and for each line
{"words": [[start, end], …]} in samples at 48 kHz from the line's first. Everything that is not named here is
the session's default.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np
import soxr
from livekit import rtc
from livekit.agents import Agent, AgentSession, APIConnectOptions, LanguageCode, stt, tts, utils
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN, NotGivenOr
from livekit.plugins import silero

from tts_queue.ear import segments
from tts_queue.engines.socket_voice import SocketEars, SocketVoice
from tts_queue.model import SAMPLE_RATE_HZ, Prosody
from tts_queue.playout import display_words

EARS_HZ: Final = 16_000


class OurVoice(tts.TTS[Any]):
    """The engines' voice for a session that asks for whole texts."""

    def __init__(self, voice: SocketVoice) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=SAMPLE_RATE_HZ, num_channels=1
        )
        self.voice = voice
        self.samples = 0  # of the present line so far

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        """Return the stream of a text's sound."""
        return _Sound(self, text, conn_options)


class _Sound(tts.ChunkedStream):
    """One text's sound, clause by clause, as our queue asks for it."""

    def __init__(self, ours: OurVoice, text: str, conn_options: APIConnectOptions) -> None:
        super().__init__(tts=ours, input_text=text, conn_options=conn_options)
        self._ours = ours

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=utils.shortuuid(),
            sample_rate=SAMPLE_RATE_HZ,
            num_channels=1,
            mime_type="audio/pcm",
        )
        for segment in segments(self.input_text):
            first = True
            async for part in self._ours.voice.parts(segment.spoken, Prosody()):
                if first:
                    words = display_words(segment, part.words, part.samples)
                    start = self._ours.samples
                    _tell({"words": [[word.start_sample + start, word.end_sample + start] for word in words]})
                    self._ours.samples += part.samples
                    first = False
                output_emitter.push(part.pcm.tobytes())
        output_emitter.flush()


class OurEars(stt.STT[Any]):
    """The engines' recogniser of whole turns; the session's VAD cuts them."""

    def __init__(self, ears: SocketEars) -> None:
        super().__init__(capabilities=stt.STTCapabilities(streaming=False, interim_results=False))
        self._ears = ears

    async def _recognize_impl(
        self,
        buffer: utils.AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        frame = rtc.combine_audio_frames(buffer)
        pcm = np.frombuffer(frame.data, np.int16).reshape(-1, frame.num_channels)[:, 0]
        lowered = soxr.resample(pcm.astype(np.float32), frame.sample_rate, EARS_HZ)
        heard = await self._ears.transcribe(np.clip(lowered, -32768, 32767).astype(np.int16))
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(language=LanguageCode("en"), text=heard.text)],
        )


async def main(url: str, token: str, engines: Path) -> None:
    """Join and do as stdin says, until it ends."""
    room = rtc.Room()
    await room.connect(url, token)
    _tell({"joined": True})
    async with SocketVoice(engines) as voice, SocketEars(engines) as ears:
        ours = OurVoice(voice)
        session: AgentSession[None] = AgentSession(stt=OurEars(ears), tts=ours, vad=silero.VAD.load())
        await session.start(Agent(instructions=""), room=room, record=False)
        _tell({"defaults": _defaults(session)})
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        while asked := await reader.readline():
            wanted = json.loads(asked)
            if "say" in wanted:
                ours.samples = 0
                session.say(wanted["say"])
            else:
                session.interrupt(force=True)  # its end is heard by who asked
        await session.aclose()
    await room.disconnect()


def _defaults(session: AgentSession[None]) -> dict[str, Any]:
    options = session.options
    return {
        "livekit-agents": version("livekit-agents"),
        "silero": version("livekit-plugins-silero"),
        "turn_detection": str(session.turn_detection),
        "interruption": {key: str(value) for key, value in options.interruption.items()},
        "endpointing": {key: str(value) for key, value in options.endpointing.items()},
        "aec_warmup_s": options.aec_warmup_duration,
    }


def _tell(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
