"""The real engines process, and its client against servers that misbehave."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import jiwer
import numpy as np
import pytest
import soxr

from app import preloaded
from infra.embedded.template import Forked, Template
from tests.tts_queue import engine_process
from tests.tts_queue.scenes import seconds
from tts_queue import (
    Clip,
    EngineUnavailable,
    NoPacing,
    Opinion,
    Priority,
    Prosody,
    SegmentStarted,
    SpeechQueue,
    Utterance,
    VoiceUnavailable,
)
from tts_queue.ear import to_ear
from tts_queue.engines import protocol
from tts_queue.engines.socket_voice import EngineClient, SocketEars, SocketVoice
from tts_queue.testing import ListLog, RecordingSink

SENTENCES = [
    "Doctor One leads with a blood clot in the lung.",
    "The heart rate is high and the blood pressure is falling.",
    "Doctor Two differs: this could be an infection of the kidney.",
    "It has been said to be one of the causes.",
    "First an ultrasound, then a scan of the chest, and no contrast before that.",
]
HEARD = {"confidence": 1.0, "word": None, "word_confidence": 0.0}
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    socket = tmp_path_factory.mktemp("engines") / "e.sock"
    process = engine_process.start(socket, "--steady")
    try:
        names = asyncio.run(engine_process.ready(socket))
        assert set(names) == {"synthesise", "transcribe", "second"}
        yield socket
    finally:
        code, out, err = engine_process.end(process)
        assert (code, out) == (0, "")
        assert "engines ready" in err
        assert not socket.exists()


def at_16k(clip: Clip) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    resampled = soxr.resample(clip.pcm.astype(np.float32), 48_000, 16_000)
    return np.asarray(np.clip(resampled, -32768, 32767), dtype=np.int16)


def bare(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum() or c == " ")


@asynccontextmanager
async def served(path: Path, handler: Handler) -> AsyncIterator[None]:
    """Serve with a handler of the test's own, and end what it still does."""
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            await handler(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_unix_server(connection, path=str(path))
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)


@pytest.mark.real
async def test_words_tile_the_clip_to_the_sample_and_the_ears_read_it_back(engines: Path) -> None:
    heard: list[str] = []
    async with SocketVoice(engines, 30) as voice, SocketEars(engines, 30) as ears:
        for sentence in SENTENCES:
            clip = await voice.synthesise(sentence, Prosody())
            assert [word.text for word in clip.words] == sentence.split()
            assert clip.words[0].start_sample == 0
            assert clip.words[-1].end_sample == len(clip.pcm)
            for a, b in zip(clip.words, clip.words[1:], strict=False):
                joined = (a.start_sample, a.end_sample) == (b.start_sample, b.end_sample)
                assert joined or a.end_sample == b.start_sample
                assert a.start_sample < a.end_sample
            heard.append((await ears.transcribe(at_16k(clip))).text)
    error = jiwer.wer([bare(s) for s in SENTENCES], [bare(h) for h in heard])
    assert error <= 0.1


@pytest.mark.real
async def test_numbers_and_units_of_the_ear_are_understood(engines: Path) -> None:
    written = "Blood pressure 120/80, oxygen 92%, give 5-10 mg every 6 hours."
    said = " ".join(token.spoken for token in to_ear(written))
    async with SocketVoice(engines, 30) as voice, SocketEars(engines, 30) as ears:
        clip = await voice.synthesise(said, Prosody())
        heard = bare((await ears.transcribe(at_16k(clip))).text)
    for part in ("over eighty", "ninety two per", "five to ten milligrams", "every six hours"):
        assert part in heard


@pytest.mark.real
async def test_a_short_turn_is_held_against_the_closed_words_and_a_longer_one_is_not(engines: Path) -> None:
    async with SocketVoice(engines, 30) as voice, SocketEars(engines, 30) as ears:
        clip = at_16k(await voice.synthesise("Hold on.", Prosody()))
        short, long = await ears.transcribe(clip, short=True), await ears.transcribe(clip)
        silence = await ears.transcribe(np.zeros(8000, np.int16), short=True)
    assert (short.text, short.word, short.word_confidence) == ("Hold on.", "hold on", 0.9)
    assert (long.text, long.word, long.word_confidence) == ("Hold on.", None, 0.0)
    assert (silence.text, silence.confidence) == ("", 0.0)
    assert silence.word_confidence <= 0.2


@pytest.mark.real
async def test_the_same_text_gives_the_same_samples_when_steady(engines: Path) -> None:
    async with SocketVoice(engines, 30) as voice:
        one = await voice.synthesise(SENTENCES[0], Prosody())
        two = await voice.synthesise(SENTENCES[0], Prosody())
        assert np.array_equal(one.pcm, two.pcm)


@pytest.mark.real
async def test_rate_changes_the_length_and_volume_the_level(engines: Path) -> None:
    async with SocketVoice(engines, 30) as voice:
        usual = await voice.synthesise(SENTENCES[0], Prosody())
        fast = await voice.synthesise(SENTENCES[0], Prosody(rate=1.25))
        loud = await voice.synthesise(SENTENCES[0], Prosody(volume_db=3.0))
        assert len(fast.pcm) < 0.9 * len(usual.pcm)
        gain = np.abs(loud.pcm).max() / np.abs(usual.pcm).max()
        assert gain == pytest.approx(10 ** (3 / 20), rel=0.02)


@pytest.mark.real
async def test_two_sessions_share_the_engines_and_each_gets_its_own(engines: Path) -> None:
    async with SocketVoice(engines, 30) as one, SocketVoice(engines, 30) as two:
        clips = await asyncio.gather(
            *(voice.synthesise(text, Prosody()) for text in SENTENCES for voice in (one, two))
        )
    for i, text in enumerate(SENTENCES):
        for clip in clips[2 * i : 2 * i + 2]:
            assert [word.text for word in clip.words] == text.split()


@pytest.mark.real
async def test_a_text_without_sound_and_an_unknown_request_are_refused_for_good(engines: Path) -> None:
    async with SocketVoice(engines, 10) as voice:
        with pytest.raises(VoiceUnavailable) as refused:
            await voice.synthesise(" ... ", Prosody())
        assert not refused.value.retryable
    async with EngineClient(engines, 10) as client:
        with pytest.raises(EngineUnavailable, match="unknown_op"):
            await client.request({"op": "dance"})
        answer, _ = await client.request({"op": "ping"})
        assert answer["running_s"] >= 0.0


@pytest.mark.real
async def test_more_requests_than_may_wait_are_answered_busy_and_the_rest_is_done(engines: Path) -> None:
    async with EngineClient(engines, 60) as client:
        request = {"op": "synthesise", "text": "No.", "prosody": {}}
        answers = await asyncio.gather(*(client.request(request) for _ in range(50)), return_exceptions=True)
    busy = [a for a in answers if isinstance(a, EngineUnavailable)]
    assert busy
    assert all(a.retryable and "busy" in a.reason for a in busy)
    assert len(answers) - len(busy) >= 32


@pytest.mark.real
async def test_real_speech_has_no_unasked_silence_inside_an_utterance(engines: Path) -> None:
    sink, segments = RecordingSink(), list[SegmentStarted]()

    def keep(event: object) -> None:
        if isinstance(event, SegmentStarted):
            segments.append(event)

    async with SocketVoice(engines, 30) as voice:
        queue = SpeechQueue(voice, sink, ListLog(), NoPacing(), on_event=keep)
        running = asyncio.create_task(queue.run())
        await asyncio.sleep(0.2)
        text = "Doctor One differs: a clot in the lung, on a high heart rate. First a scan of the chest."
        queue.offer(Utterance("a", text, Priority.SUMMARY, "finding"))
        async with asyncio.timeout(30):
            while (speaking := queue.snapshot().speaking) is None or not speaking.all_sent:
                await asyncio.sleep(0.02)
        running.cancel()
        await asyncio.wait({running})
    assert len(segments) >= 3
    assert queue.snapshot().longest_gap_s <= 0.12
    assert seconds(segments[0].start_sample) < 2.0


@pytest.mark.real
def test_a_second_process_on_the_same_socket_says_so_and_exits_with_4(engines: Path) -> None:
    code, out, err = engine_process.end(engine_process.start(engines), 0)
    assert (code, out) == (4, "")
    assert "belongs to an engines process that lives" in err


@pytest.mark.real
def test_a_path_that_is_no_socket_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "file"
    precious.write_text("keep")
    code, _, err = engine_process.end(engine_process.start(precious), 0)
    assert code == 4
    assert "is no socket" in err
    assert precious.read_text() == "keep"


@pytest.mark.real
async def test_forks_of_a_template_speak_and_hear_and_one_follows_another_that_was_killed(
    tmp_path: Path,
) -> None:
    socket, log = tmp_path / "e.sock", tmp_path / "engines.log"
    environ = {**os.environ, **preloaded.ENVIRON}
    command = (sys.executable, "-m", "app.preloaded", "--no-second")
    template = Template(command, environ, tmp_path / "template.log")
    options = ("--socket", str(socket), "--no-second", "--die-with-parent")

    async def fork() -> Forked:
        return await template.start("engines", "app.engines", options, environ=environ, log=log)

    try:
        first = await fork()
        async with SocketVoice(socket, 60) as voice, SocketEars(socket, 60) as ears:
            await voice.synthesise("Before the kill.", Prosody())
            first.kill_group()
            assert first.exit_status() == -signal.SIGKILL
            assert socket.exists()  # what a kill leaves behind is no hindrance
            await fork()
            clip = await voice.synthesise("After the kill.", Prosody())
            assert len(clip.words) == 3
            assert (await ears.transcribe(at_16k(clip))).text
    finally:
        template.end()


@pytest.mark.real
async def test_the_second_recogniser_is_another_one_and_takes_hints(engines: Path) -> None:
    async with SocketVoice(engines, 30) as voice, SocketEars(engines, 30) as ears:
        sound = at_16k(await voice.synthesise("The patient takes spironolactone and ramipril.", Prosody()))
        plain = await ears.opinion(sound, "")
        told = await ears.opinion(sound, "Spironolactone, ramipril. Stop. Wait. Go on.")
        silence = await ears.opinion(np.zeros(0, np.int16), "Stop.")
    assert "patient takes" in plain.text
    assert "spironolactone" in told.text.lower()
    assert told.silence < 0.5 < told.confidence <= 1.0
    assert silence == Opinion()


@pytest.mark.real
async def test_without_a_second_recogniser_an_opinion_is_refused_for_good(tmp_path: Path) -> None:
    socket = tmp_path / "e.sock"
    async with engine_process.running(socket, "--no-second"), SocketEars(socket, 10) as ears:
        with pytest.raises(EngineUnavailable, match="no_engine") as refused:
            await ears.opinion(np.zeros(1600, np.int16), "")
        assert not refused.value.retryable
        assert (await ears.transcribe(np.zeros(1600, np.int16))).text == ""


@pytest.mark.real
def test_a_folder_without_a_model_is_named_and_nothing_is_served(tmp_path: Path) -> None:
    process = engine_process.start(tmp_path / "e.sock", "--ears-model", str(tmp_path))
    out, err = process.communicate(timeout=engine_process.READY_S)
    assert (process.returncode, out) == (5, b"")
    assert f"{tmp_path} holds no recogniser's model".encode() in err
    assert b"docs/ears.md" in err


async def test_an_answer_that_is_no_opinion_is_an_error(tmp_path: Path) -> None:
    async def vague(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await protocol.read_frame(reader)) is not None:
            assert (frame[0]["op"], frame[0]["hints"]) == ("second", "Stop.")
            writer.write(protocol.encode({"id": frame[0]["id"], "text": "heard"}))

    async with served(tmp_path / "o.sock", vague), SocketEars(tmp_path / "o.sock", 2) as ears:
        with pytest.raises(EngineUnavailable, match="no opinion"):
            await ears.opinion(np.zeros(160, np.int16), "Stop.")


@pytest.mark.real
async def test_without_ears_a_transcription_is_refused_for_good(tmp_path: Path) -> None:
    socket = tmp_path / "e.sock"
    async with engine_process.running(socket, "--no-ears"), SocketEars(socket, 10) as ears:
        with pytest.raises(EngineUnavailable, match="no_engine") as refused:
            await ears.transcribe(np.zeros(1600, np.int16))
        assert not refused.value.retryable


@pytest.mark.real
def test_the_process_dies_with_its_parent(tmp_path: Path) -> None:
    socket = tmp_path / "e.sock"
    code = (
        "import subprocess, sys\n"
        "p = subprocess.Popen([sys.executable, '-m', 'app.engines', '--no-ears', '--die-with-parent',"
        f" '--socket', {str(socket)!r}], stderr=subprocess.DEVNULL)\n"
        "print(p.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    asyncio.run(engine_process.ready(socket))
    parent.kill()
    parent.communicate()
    deadline_s = time.monotonic() + 10
    while Path(f"/proc/{child}/stat").exists() and time.monotonic() < deadline_s:
        if Path(f"/proc/{child}/stat").read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        assert not Path(f"/proc/{child}").exists()


async def test_a_server_that_hangs_costs_no_more_than_the_deadline(tmp_path: Path) -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with served(tmp_path / "h.sock", hang), SocketVoice(tmp_path / "h.sock", 0.2) as voice:
        async with asyncio.timeout(10):
            with pytest.raises(VoiceUnavailable, match=r"no answer within 0\.2 s") as failed:
                await voice.synthesise("One two three.", Prosody())
        assert failed.value.retryable


async def test_no_server_at_all_is_the_same(tmp_path: Path) -> None:
    async with SocketVoice(tmp_path / "none.sock", 0.2) as voice:
        with pytest.raises(VoiceUnavailable) as failed:
            await voice.synthesise("One two three.", Prosody())
        assert failed.value.retryable


async def test_a_server_that_was_long_away_is_found_soon_after_it_is_back(tmp_path: Path) -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await protocol.read_frame(reader)) is not None:
            writer.write(protocol.encode({"id": frame[0]["id"], "text": "heard", **HEARD}))

    now_s = asyncio.get_running_loop().time
    async with SocketEars(tmp_path / "l.sock", 20) as ears:
        asked = asyncio.create_task(ears.transcribe(np.zeros(160, np.int16)))
        await asyncio.sleep(1.6)  # the pauses between its attempts have grown to their longest
        async with served(tmp_path / "l.sock", answers):
            back_s = now_s()
            assert (await asked).text == "heard"
            assert now_s() - back_s < 1.0, "the next attempt of pauses that double comes after 1.5 s"


async def test_a_connection_that_breaks_is_made_again_and_the_request_repeated(tmp_path: Path) -> None:
    asked = 0

    async def breaks_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        while (frame := await protocol.read_frame(reader)) is not None:
            asked += 1
            if asked == 1:
                return
            writer.write(protocol.encode({"id": frame[0]["id"], "text": "heard", **HEARD}))

    async with served(tmp_path / "b.sock", breaks_once), SocketEars(tmp_path / "b.sock", 2) as ears:
        assert (await ears.transcribe(np.zeros(160, np.int16))).text == "heard"
    assert asked == 2


async def test_an_answer_that_is_no_transcription_is_a_failure(tmp_path: Path) -> None:
    async def vague(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await protocol.read_frame(reader)) is not None:
            writer.write(protocol.encode({"id": frame[0]["id"], "text": "heard"}))

    async with served(tmp_path / "v.sock", vague), SocketEars(tmp_path / "v.sock", 2) as ears:
        with pytest.raises(EngineUnavailable, match="no transcription"):
            await ears.transcribe(np.zeros(160, np.int16))


async def test_answers_in_any_order_reach_who_asked(tmp_path: Path) -> None:
    async def backwards(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        frames = [await protocol.read_frame(reader) for _ in range(3)]
        for frame in reversed(frames):
            assert frame is not None
            writer.write(protocol.encode({"id": frame[0]["id"], "text": str(len(frame[1])), **HEARD}))

    async with served(tmp_path / "o.sock", backwards), SocketEars(tmp_path / "o.sock", 2) as ears:
        texts = await asyncio.gather(*(ears.transcribe(np.zeros(n, np.int16)) for n in (10, 20, 30)))
    assert [heard.text for heard in texts] == ["20", "40", "60"]


async def test_a_request_given_up_is_taken_back_and_the_connection_stays(tmp_path: Path) -> None:
    seen: list[object] = []

    async def slow(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while (frame := await protocol.read_frame(reader)) is not None:
            seen.append(frame[0]["op"])
            if frame[0]["op"] == "ping":
                writer.write(protocol.encode({"id": frame[0]["id"], "running_s": 0.0}))

    async with served(tmp_path / "s.sock", slow), EngineClient(tmp_path / "s.sock", 0.2) as client:
        with pytest.raises(EngineUnavailable):
            await client.request({"op": "transcribe"})
        await client.request({"op": "ping"})
    assert seen == ["transcribe", "cancel", "ping"]


async def test_an_answer_that_is_no_frame_is_a_failure_and_not_a_crash(tmp_path: Path) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        writer.write(b"\x00\x00\x00\x04nope" + b"\xff" * 64)
        await writer.drain()

    async with served(tmp_path / "x.sock", babble), SocketVoice(tmp_path / "x.sock", 0.4) as voice:
        with pytest.raises(VoiceUnavailable):
            await voice.synthesise("One two three.", Prosody())
