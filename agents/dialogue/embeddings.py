"""Vectors of sentences, made as the sentences come, so that a question waits for none but its own.

An encoder turns a text into a vector of length one; of two texts that mean the like the vectors point the same way.
It computes, so that it has a thread of its own, which gives way to whoever speaks or listens. Nothing of it is stored:
who takes a session over makes the vectors again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

Vector = NDArray[np.float32]
Made = TypeVar("Made")

MOST_WAITING: Final = 1024  # texts; a view of 36 KiB holds some 250 sentences, each read twice
MOST_KEPT: Final = 4096  # vectors of 1.5 kB each
NICE: Final = 10  # of the encoder's thread: a clause that is late is heard, an answer 50 ms later is not


class EncoderMissing(Exception):
    """There is no encoder here: a file of it is not installed."""


class SentenceEncoder(Protocol):
    """Turns texts into vectors."""

    def encode(self, text: str) -> Vector:
        """Return the vector of a text, of length one. Blocks for some milliseconds."""
        ...


class Embeddings:
    """The vectors of one session's sentences. All calls are for one event loop."""

    def __init__(self, load: Callable[[], SentenceEncoder], *, most_waiting: int = MOST_WAITING) -> None:
        """`load` makes the encoder, in its thread: at `load`, else when the first text is there."""
        self._make = load
        self._encoder: SentenceEncoder | None = None
        self._gone = False
        self._thread = ThreadPoolExecutor(1, "encoder", initializer=_give_way)
        self._kept: dict[str, Vector] = {}
        self._waiting: deque[str] = deque(maxlen=most_waiting)
        self._some = asyncio.Event()

    async def load(self, within_s: float) -> None:
        """Make the encoder before anything sounds: that holds up the event loop for some 50 ms at a time.

        Where it takes longer than `within_s` seconds it goes on, and nobody waits for it.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._thread, self._or_gone, self._ready)

    def offer(self, texts: Iterable[str]) -> None:
        """Have texts encoded in order. Of too many the oldest are dropped, and left to the question."""
        waiting = set(self._waiting)
        new = (text for text in dict.fromkeys(texts) if text not in self._kept and text not in waiting)
        self._waiting.extend(new)
        if self._waiting:
            self._some.set()

    async def run(self) -> None:
        """Encode what is offered until cancelled: one text at a time, so that a question waits for one at most."""
        try:
            while True:
                await self._some.wait()
                self._some.clear()
                while self._waiting:
                    await self._vector(self._waiting.popleft())
        finally:
            self.close()

    def close(self) -> None:
        """Encode nothing more; may be called again. For who made it and never ran it."""
        self._gone = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def of(self, question: str, texts: Sequence[str], within_s: float) -> tuple[Vector, ...] | None:
        """Return the vectors of a question and of `texts`, in order; None: not all of them are there in time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                found = [await self._vector(text) for text in (question, *texts)]
            made = tuple(vector for vector in found if vector is not None)
            return made if len(made) == len(found) else None
        return None

    async def _vector(self, text: str) -> Vector | None:
        """Return the vector of a text; None: there is no encoder."""
        vector = self._kept.get(text)
        if vector is None and not self._gone:
            vector = await asyncio.get_running_loop().run_in_executor(self._thread, self._made, text)
        return vector

    # -- in the encoder's thread -----------------------------------------------------------------

    def _made(self, text: str) -> Vector | None:
        """Return the vector of a text, and keep it; who ran before may have made it. After a failure there is none."""
        vector = self._kept.get(text)
        if vector is None and not self._gone:
            vector = self._or_gone(lambda: self._ready().encode(text))
        if vector is not None:
            while len(self._kept) >= MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[text] = vector
        return vector

    def _ready(self) -> SentenceEncoder:
        self._encoder = self._encoder or self._make()
        return self._encoder

    def _or_gone(self, do: Callable[[], Made]) -> Made | None:
        """Return what `do` makes; None once that failed, and then for good."""
        try:
            return do()
        except EncoderMissing as missing:
            log.warning("answers go by words alone: %s", missing)
        except (RuntimeError, OSError, ValueError) as error:  # onnxruntime's; its text is not logged
            log.warning("answers go by words alone: the encoder failed (%s)", type(error).__name__)
        self._gone = True
        return None


def _give_way() -> None:
    """Let this thread compute when nobody else wants to; elsewhere than on Linux it has no rank of its own."""
    with contextlib.suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
