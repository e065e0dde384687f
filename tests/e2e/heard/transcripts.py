"""What a recogniser makes of what a client heard, beside what was said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import soxr
from numpy.typing import NDArray

from lab.demo.hearing import as_said
from tests.e2e.sharing import UpStack
from tts_queue.engines.socket_voice import SocketEars

RATE_HZ, EARS_HZ = 48_000, 16_000
AROUND = int(0.2 * RATE_HZ)
UNDERSTOOD_LEAST = 0.5  # of the words; 0.73 to 0.79 in five runs, as the small recogniser misreads most drugs


def assert_understood(spoken: Sequence[str], understood: str) -> None:
    """See that a good part of the words that were spoken was understood."""
    said = words_of(" ".join(map(as_said, spoken)))
    found = (said & words_of(as_said(understood))).total()
    assert found >= UNDERSTOOD_LEAST * said.total(), f"said {spoken}, understood {understood!r}"


def words_of(text: str) -> Counter[str]:
    return Counter(re.findall(r"[a-z]+", text.lower().replace("dr.", "doctor")))


async def transcript(up: UpStack, heard: NDArray[np.int16]) -> str:
    """Return what the stack's recogniser makes of each stretch of sound."""
    async with SocketEars(up.engines_socket, deadline_s=20.0) as ears:
        texts = []
        for start, end in stretches(heard):
            lowered = soxr.resample(heard[start:end].astype(np.float32), RATE_HZ, EARS_HZ)
            texts.append((await ears.transcribe(np.clip(lowered, -32768, 32767).astype(np.int16))).text)
    return " ".join(texts)


def stretches(heard: NDArray[np.int16]) -> Iterator[tuple[int, int]]:
    """Yield the parts that sound, cut where it is quiet for half a second."""
    frame = RATE_HZ // 100
    frames = heard[: heard.size // frame * frame].reshape(-1, frame).astype(np.float32)
    loud = np.flatnonzero(np.sqrt(np.mean(np.square(frames), axis=1)) > 100)
    for part in np.split(loud, np.flatnonzero(np.diff(loud) > 50) + 1):
        yield max(0, part[0] * frame - AROUND), part[-1] * frame + AROUND
