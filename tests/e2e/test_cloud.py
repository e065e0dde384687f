"""The whole stack with ears and a voice that are services: their own clients, and twins of the services."""

from __future__ import annotations

import asyncio
import re
import threading
import wave
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import soxr

from app.clinician.chips import steadily
from app.clinician.speech import SPEAKERS
from app.recording import recordings
from infra.ledger import LedgerEntry
from lab.demo import account, hearing
from lab.demo.hearing import as_said
from lab.demo.listener import Grant, Listener, Received, listen
from tests.e2e import mini
from tests.e2e.conftest import UpStack, ledger_of, stack
from tests.e2e.test_talking import clinician, session
from tests.twins import deepgram_flux_twin
from tests.twins.deepgram_flux_twin import flux_twin
from tests.twins.google_tts_twin import google_tts_twin
from tests.twins.script import KEY
from tests.twins.speech import Said, SpeechTwin
from tts_queue import Pcm, Phase, Prosody
from tts_queue.ear import segments
from tts_queue.engines.piper import PiperVoice
from tts_queue.engines.socket_voice import SocketEars

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

SAID: Final = "What is the potassium?"
WRITTEN: Final = "What is the potassium, please?"  # told from what this machine would write
SPOKEN_WITHIN_S: Final = 60.0
WORDS_WRONG: Final = 0.35  # of a small recogniser, on drug names and after a codec


class Speaker:
    """Says what the twin is asked to, by a neural voice and with the times of its words."""

    def __init__(self) -> None:
        self._voice, self._one_at_a_time = PiperVoice(steady=True), threading.Lock()

    def __call__(self, text: str, rate: float) -> Said:
        with self._one_at_a_time:
            clip = self._voice.say(text, Prosody(rate=rate))
        return Said(clip.pcm, [word.start_sample for word in clip.words])


@dataclass(frozen=True, slots=True)
class Stack:
    """A stack whose voice and ears are services, and the twins of these."""

    up: UpStack
    folder: Path
    speaks: SpeechTwin
    writes: deepgram_flux_twin.Flux


@asynccontextmanager
async def cloud_stack(folder: Path) -> AsyncIterator[Stack]:
    """Run a stack with both services until the block ends."""
    speaks = SpeechTwin(say=await asyncio.to_thread(Speaker))
    writes = deepgram_flux_twin.Flux(lambda pcm: WRITTEN)
    async with google_tts_twin(speaks) as voice, flux_twin(writes) as ears:
        chosen = {
            "EXAIM_VOICE": "google",
            "EXAIM_VOICE_URL": voice.address,
            "EXAIM_GOOGLE_TTS_API_KEY": KEY,
            "EXAIM_EARS": "deepgram",
            "EXAIM_EARS_URL": ears,
            "DEEPGRAM_API_KEY": KEY,
        }
        with ExitStack() as ending:
            up = await asyncio.to_thread(ending.enter_context, stack(folder, **chosen))
            yield Stack(up, folder, voice, writes)
            await asyncio.to_thread(ending.close)


async def test_a_question_is_written_elsewhere_and_a_case_heard_from_elsewhere_also_when_that_is_gone(
    tmp_path: Path,
) -> None:
    """One stack for both: what leaves the machine either way is told, and kept out of the logs."""
    async with cloud_stack(tmp_path) as running:
        await a_question_is_written(running)
        by_service = await a_case_goes_on_without_the_service(running)
    _assert_told(tmp_path, by_service)


async def a_question_is_written(running: Stack) -> None:
    """Ask by voice: the service's words are answered, once, and it was told what words to expect."""
    said = await asyncio.to_thread(steadily, (SAID,), SPEAKERS[1])
    looked, *_ = running.writes.queries
    assert "keyterm" not in dict(looked), "the look at the start says nothing of a case"
    async with clinician(running.up, said) as c:
        since = c.count()
        await c.say(SAID)
        turn = await c.told("turn", since, phase="decided", effect="answer")
        assert turn.body["text"] == WRITTEN
        answer = await c.told("answer", since, found=True)
        assert "4." in " ".join(s["text"] for s in answer.body["sentences"])
        answers = [m for m in c.listener.messages[since:] if m.type == "answer"]
        assert len(answers) == 1
    terms = [value for name, value in running.writes.queries[-1] if name == "keyterm"]
    assert terms[0] == "EXAIM"
    assert "indapamide" in terms


async def a_case_goes_on_without_the_service(running: Stack) -> list[str]:
    """Hear a case whose service goes away in its midst; return what the service had said by then."""
    up, twin = running.up, running.speaks
    async with session(up, mini.CASE_ID) as grant, listen(grant) as clinician:
        await clinician.ready()
        await _until_spoken(clinician, 2)
        twin.down = True
        by_service = list(twin.texts)
        await _until_spoken(clinician, 4)
        async with ledger_of(up.redis_url, grant) as ledger, asyncio.timeout(SPOKEN_WITHIN_S):
            while len(_spoken(entries := await ledger.entries())) < 4:
                await asyncio.sleep(0.1)
        heard = clinician.heard.pcm()
    errors, words = await _word_errors(up, grant, entries, heard)
    said = {segment.spoken for entry in _spoken(entries) for segment in segments(entry.utterance.text)}
    assert len(said & set(by_service)) >= 2
    assert said - set(twin.texts), "nothing was said after the service had gone"
    assert words >= 20
    assert errors / words <= WORDS_WRONG
    return by_service


async def _until_spoken(clinician: Listener, count: int) -> None:
    """Wait until so many utterances were spoken to their end."""
    spoken: set[str] = set()

    def enough(message: Received) -> bool:
        if message.type == "utterance" and message.body["phase"] == Phase.SPOKEN:
            spoken.add(message.body["utterance_id"])
        return len(spoken) >= count

    await clinician.wait_for(enough, SPOKEN_WITHIN_S)


def _spoken(entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    return [entry for entry in entries if entry.phase is Phase.SPOKEN]


async def _word_errors(
    up: UpStack, grant: Grant, entries: Sequence[LedgerEntry], heard: Pcm
) -> tuple[int, int]:
    """Return word errors, and words, of a recogniser on what was heard of the spoken utterances."""
    with wave.open(str(recordings(up.sent_dir, grant.session_id)[-1]), "rb") as file:
        sent = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    stretches = account.spoken_stretches(entries)
    offset = hearing.align(sent, heard, [(each.start_sample, each.samples) for each in stretches])
    assert offset is not None, "nothing of what was sent was heard"
    texts, read = [], []
    async with SocketEars(up.engines_socket, deadline_s=20.0) as ears:
        for entry in _spoken(entries):
            mine = [each for each in stretches if each.utterance_id == entry.utterance.utterance_id]
            start, end = mine[0].start_sample + offset, mine[-1].start_sample + mine[-1].samples + offset
            sound = soxr.resample(heard[max(0, start) : end].astype(np.float32), 48_000, 16_000)
            texts.append(as_said(entry.utterance.text))
            read.append((await ears.transcribe(np.clip(sound, -32768, 32767).astype(np.int16))).text)
    return hearing.word_errors(texts, read)


def _assert_told(folder: Path, texts: Sequence[str]) -> None:
    """The start and the log say what the operator has to know, and nothing of what was said or written."""
    start = (folder / "up.log").read_text(encoding="utf-8")
    for what in ("voice", "ears"):
        assert re.search(rf"^ *{what} .*LEAVES THIS MACHINE", start, re.MULTILINE), start
    logs = {path.name: path.read_text(errors="replace") for path in (folder / "run" / "logs").iterdir()}
    assert "another voice speaks for" in logs["worker.log"]
    assert "this machine's voice stood in for" in logs["worker.log"]
    every = "".join(logs.values())
    assert WRITTEN not in every
    assert KEY not in every
    assert not [text for text in texts if len(text) > 20 and text in every]
