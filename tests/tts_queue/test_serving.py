"""The engines' server with an engine of the test's own: turns between connections, and what is taken back."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from app.engines import AnswerFrame, Engine, Server, Work
from app.sole_socket import bind
from tests.tts_queue.test_engines import served
from tts_queue import Part, Prosody, VoiceUnavailable, WordSpan
from tts_queue.engines import protocol
from tts_queue.engines.protocol import Header
from tts_queue.engines.socket_voice import EngineClient, SocketVoice

PARTS = 4
SAMPLES = 48_000  # of one part: a second


class Gate:
    """An engine of four parts a text, each of which waits until the test lets it through."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.open = threading.Semaphore(0)

    def work(self, header: Header, payload: bytes) -> Iterator[AnswerFrame]:
        text = str(header["text"])
        for number in range(PARTS):
            assert self.open.acquire(timeout=20)
            self.done.append(f"{text}{number}")
            part = Part(np.full(SAMPLES, number, np.int16), PARTS * SAMPLES, (WordSpan(text, 0, 9),), "gate")
            more = number + 1 < PARTS
            frame = protocol.part_to_frame(header["id"], part, first=number == 0, more=more)
            yield AnswerFrame(frame, more, 1.0)


@asynccontextmanager
async def serving(path: Path, gate: Gate, work: Work | None = None) -> AsyncIterator[None]:
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(Server({"synthesise": Engine("gate", work or gate.work)}).serve(bind(path), stop))
        try:
            yield
        finally:
            for _ in range(20):
                gate.open.release()
            stop.set()


async def taken(path: Path) -> None:
    """Return when the server has read what was sent before on every connection that is idle."""
    async with EngineClient(path, 10) as client:
        await client.request({"op": "ping"})


async def asked(voice: SocketVoice, text: str, *, urgent: bool = False) -> int:
    async with aclosing(voice.parts(text, Prosody(), urgent=urgent)) as parts:
        return sum([len(part.pcm) async for part in parts])


async def test_another_connection_is_served_between_two_parts_and_an_urgent_one_before_it(
    tmp_path: Path,
) -> None:
    gate, path = Gate(), tmp_path / "s.sock"
    async with serving(path, gate), SocketVoice(path, 20) as a, SocketVoice(path, 20) as b:
        async with SocketVoice(path, 20) as c, asyncio.TaskGroup() as group:
            tasks = [group.create_task(asked(a, "a"))]
            await taken(path)
            tasks.append(group.create_task(asked(b, "b")))
            await taken(path)
            tasks.append(group.create_task(asked(c, "c", urgent=True)))
            await taken(path)
            for _ in range(3 * PARTS):
                gate.open.release()
        assert [task.result() for task in tasks] == [PARTS * SAMPLES] * 3
    assert gate.done[:3] == ["a0", "c0", "b0"]
    assert sorted(gate.done) == sorted(f"{text}{n}" for text in "abc" for n in range(PARTS))
    for text in "abc":
        assert [each for each in gate.done if each[0] == text] == [f"{text}{n}" for n in range(PARTS)]


async def test_what_is_taken_back_after_a_part_is_made_no_further_than_the_part_under_way(
    tmp_path: Path,
) -> None:
    gate, path = Gate(), tmp_path / "s.sock"
    async with serving(path, gate), SocketVoice(path, 20) as voice:
        gate.open.release()
        async with aclosing(voice.parts("a", Prosody())) as parts:
            assert (await anext(parts)).samples == PARTS * SAMPLES
        await taken(path)
        for _ in range(1 + PARTS):
            gate.open.release()
        assert await asked(voice, "b") == PARTS * SAMPLES
    assert [each for each in gate.done if each[0] == "a"] in (["a0"], ["a0", "a1"])


async def test_a_cancel_counts_however_many_came_after_their_jobs(tmp_path: Path) -> None:
    gate, path = Gate(), tmp_path / "s.sock"
    async with serving(path, gate):
        await taken(path)
        reader, writer = await asyncio.open_unix_connection(str(path))
        for late in range(100, 300):
            writer.write(protocol.encode({"op": "cancel", "id": 0, "job": late}))
        writer.write(protocol.encode({"op": "synthesise", "id": 1, "text": "a"}))
        gate.open.release()
        await protocol.read_frame(reader)
        writer.write(protocol.encode({"op": "cancel", "id": 0, "job": 1}))
        writer.write(protocol.encode({"op": "ping", "id": 2}))
        await protocol.read_frame(reader)
        writer.write(protocol.encode({"op": "synthesise", "id": 3, "text": "b"}))
        for _ in range(1 + PARTS):
            gate.open.release()
        while "b3" not in gate.done:
            await protocol.read_frame(reader)
        writer.close()
        await writer.wait_closed()
    assert [each for each in gate.done if each[0] == "a"] in (["a0"], ["a0", "a1"])


async def test_what_a_client_asked_that_hung_up_is_made_no_further(tmp_path: Path) -> None:
    gate, path = Gate(), tmp_path / "s.sock"
    async with serving(path, gate), SocketVoice(path, 20) as stays:
        async with SocketVoice(path, 20) as leaves:
            gate.open.release()
            parts = leaves.parts("a", Prosody())
            await anext(parts)
            await leaves.aclose()
            await parts.aclose()
        await taken(path)
        for _ in range(1 + PARTS):
            gate.open.release()
        assert await asked(stays, "b") == PARTS * SAMPLES
    assert [each for each in gate.done if each[0] == "a"] in (["a0"], ["a0", "a1"])


async def test_an_answer_that_breaks_off_is_told_at_once_and_can_be_asked_again(tmp_path: Path) -> None:
    async def dies(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        frame = await protocol.read_frame(reader)
        assert frame is not None
        part = Part(np.ones(480, np.int16), 960, (WordSpan("a", 0, 960),), "dying")
        writer.write(protocol.part_to_frame(frame[0]["id"], part, first=True, more=True))
        await writer.drain()

    got = 0
    async with served(tmp_path / "d.sock", dies), SocketVoice(tmp_path / "d.sock", 5) as voice:
        with pytest.raises(VoiceUnavailable, match="broke off") as failed:
            async with asyncio.timeout(2), aclosing(voice.parts("a", Prosody())) as parts:
                async for part in parts:
                    got += len(part.pcm)
        assert failed.value.retryable
    assert got == 480


async def test_an_engine_that_fails_at_one_text_answers_the_next(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Fail(Exception):
        """As onnxruntime's own, which derives from no other error."""

    gate, path = Gate(), tmp_path / "s.sock"

    def work(header: Header, payload: bytes) -> Iterator[AnswerFrame]:
        if header["text"] == "bad":
            raise Fail("bad")
        return gate.work(header, payload)

    async with serving(path, gate, work), SocketVoice(path, 20) as voice:
        with pytest.raises(VoiceUnavailable, match="engine_failed: Fail") as failed:
            await asked(voice, "bad")
        assert failed.value.retryable and not failed.value.away
        for _ in range(PARTS):
            gate.open.release()
        assert await asked(voice, "good") == PARTS * SAMPLES
    assert "gate failed" in caplog.text and "bad" not in caplog.text
