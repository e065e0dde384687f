"""The whole stack with a cloud voice: a case is heard, also when the service goes away in its midst."""

from __future__ import annotations

import asyncio
import threading
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest
import soxr

from app.launcher import socket_folder
from app.recording import recordings
from infra.ledger import LedgerEntry
from lab.demo import account, hearing
from lab.demo.hearing import as_said
from lab.demo.listener import Grant, Listener, Received, end_session, listen, open_session
from lab.demo.stackproc import stack
from tests.e2e import mini
from tests.e2e.conftest import ledger_of
from tests.sfu_server import livekit_binary
from tests.twins.google_tts_twin import google_tts_twin
from tests.twins.script import KEY
from tests.twins.speech import Said, SpeechTwin
from tts_queue import Pcm, Phase, Prosody
from tts_queue.ear import segments
from tts_queue.engines.piper import PiperVoice
from tts_queue.engines.socket_voice import SocketEars

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

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


async def test_a_case_is_heard_from_the_service_and_goes_on_without_it(tmp_path: Path) -> None:
    livekit_binary()
    mini.write(tmp_path / "cases")
    run_dir, sent_dir = tmp_path / "run", tmp_path / "sent"
    speaker = await asyncio.to_thread(Speaker)
    async with google_tts_twin(SpeechTwin(say=speaker)) as twin:
        environ = {
            "EXAIM_VOICE": "google",
            "EXAIM_VOICE_URL": twin.address,
            "EXAIM_GOOGLE_TTS_API_KEY": KEY,
            "EXAIM_RECORD_DIR": str(sent_dir),
        }
        async with stack(run_dir, environ, "--cases", str(tmp_path / "cases")) as running:
            grant = await open_session(running.api_url, mini.CASE_ID)
            async with listen(grant) as clinician:
                await clinician.ready()
                await _until_spoken(clinician, 2)
                twin.down = True
                by_service = list(twin.texts)
                await _until_spoken(clinician, 4)
                async with ledger_of(running.redis_url, grant) as ledger, asyncio.timeout(SPOKEN_WITHIN_S):
                    while len(_spoken(entries := await ledger.entries())) < 4:
                        await asyncio.sleep(0.1)
                heard = clinician.heard.pcm()
            await end_session(running.api_url, grant)
            errors, words = await _word_errors(run_dir, sent_dir, grant, entries, heard)
    said = {segment.spoken for entry in _spoken(entries) for segment in segments(entry.utterance.text)}
    assert len(said & set(by_service)) >= 2
    assert said - set(twin.texts), "nothing was said after the service had gone"
    assert words >= 20
    assert errors / words <= WORDS_WRONG
    _assert_told(run_dir, by_service)


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
    run_dir: Path, sent_dir: Path, grant: Grant, entries: Sequence[LedgerEntry], heard: Pcm
) -> tuple[int, int]:
    """Return word errors, and words, of a recogniser on what was heard of the spoken utterances."""
    with wave.open(str(recordings(sent_dir, grant.session_id)[-1]), "rb") as file:
        sent = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    stretches = account.spoken_stretches(entries)
    offset = hearing.align(sent, heard, [(each.start_sample, each.samples) for each in stretches])
    assert offset is not None, "nothing of what was sent was heard"
    texts, read = [], []
    async with SocketEars(socket_folder(run_dir) / "engines.sock", deadline_s=20.0) as ears:
        for entry in _spoken(entries):
            mine = [each for each in stretches if each.utterance_id == entry.utterance.utterance_id]
            start, end = mine[0].start_sample + offset, mine[-1].start_sample + mine[-1].samples + offset
            sound = soxr.resample(heard[max(0, start) : end].astype(np.float32), 48_000, 16_000)
            texts.append(as_said(entry.utterance.text))
            read.append((await ears.transcribe(np.clip(sound, -32768, 32767).astype(np.int16))).text)
    return hearing.word_errors(texts, read)


def _assert_told(run_dir: Path, texts: Sequence[str]) -> None:
    """The start and the log say what the operator has to know, and nothing of what was said."""
    assert "LEAVES THIS MACHINE" in (run_dir / "up.log").read_text(encoding="utf-8")
    log = (run_dir / "logs" / "worker.log").read_text(encoding="utf-8")
    assert "another voice speaks for" in log
    assert "this machine's voice stood in for" in log
    assert KEY not in log
    assert not [text for text in texts if len(text) > 20 and text in log]
