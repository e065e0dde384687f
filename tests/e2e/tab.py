"""What a tab of Chromium plays, recorded by the browser itself: its whole output, as a listener has it.

Run the browser with `CAPTURE_FLAGS` and without `MUTED`, and the page with `bypass_csp`: its policy takes no
script of ours.
"""

from __future__ import annotations

import base64
import time
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import soxr
from numpy.typing import NDArray
from playwright.sync_api import Page

from lab.demo.hearing import search

RATE_HZ: Final = 16_000  # what the recogniser takes
FULL_SCALE: Final = np.float32(32768)
CAPTURE_FLAGS: Final = ("--auto-accept-this-tab-capture",)
MUTED: Final = ("--mute-audio",)  # given by Playwright where no window is; such a tab is recorded as silence

Sound = NDArray[np.float32]
_PIECE: Final = RATE_HZ * 2 // 5  # two or three syllables
_AROUND: Final = RATE_HZ // 5  # what a busy tab drops at once, and more

# On the audio's own thread, so that a page that is busy loses no sound. Sixteen blocks make 128 ms.
_TAPE: Final = """registerProcessor('tape', class extends AudioWorkletProcessor {
  blocks = [];
  process([[left, right]]) {
    if (left) this.blocks.push(Int16Array.from(left, (each, at) => 16383 * (each + (right ?? left)[at])));
    if (this.blocks.length === 16) this.port.postMessage(this.blocks.splice(0));
    return true;
  }
});"""
_RECORD: Final = """async ({ rate, tape: source }) => {
  const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  const asked = { video: true, audio: plain, preferCurrentTab: true };
  const stream = await navigator.mediaDevices.getDisplayMedia(asked);
  const context = new AudioContext({ sampleRate: rate });
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
  const tape = new AudioWorkletNode(context, 'tape');
  window.tape = [];
  tape.port.onmessage = ({ data }) => window.tape.push(...data);
  context.createMediaStreamSource(stream).connect(tape).connect(context.destination);
}"""
_TAKE: Final = """() => {
  const texts = window.tape.splice(0).map((block) => String.fromCharCode(...new Uint8Array(block.buffer)));
  return btoa(texts.join(''));
}"""


class Recording:
    """All that a tab plays from now on. The page is to be up: another one ends the recording."""

    def __init__(self, page: Page) -> None:
        page.evaluate(_RECORD, {"rate": RATE_HZ, "tape": _TAPE})
        self._page = page
        self._pcm = np.zeros(0, np.float32)
        self._ends_at_s = time.monotonic()

    def since(self, from_s: float) -> Sound:
        """Return what was played since `from_s` (monotonic) until now, 0.2 s more or less."""
        new = np.frombuffer(base64.b64decode(self._page.evaluate(_TAKE)), "<i2").astype(np.float32)
        self._pcm = np.concatenate([self._pcm, new / FULL_SCALE])
        self._ends_at_s = time.monotonic()
        return self._pcm[max(0, len(self._pcm) - round((self._ends_at_s - from_s) * RATE_HZ)) :]


def clip(path: Path) -> Sound:
    """Return a WAV file's sound at `RATE_HZ`."""
    with wave.open(str(path), "rb") as file:
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2").astype(np.float32) / 32768
        made: Sound = soxr.resample(pcm, file.getframerate(), RATE_HZ)
    return made


@dataclass(frozen=True, slots=True)
class Found:
    """Where in a sound a clip fits best, how well (1: it is nothing else), and how loud it is there."""

    at_s: float
    likeness: float
    gain_db: float


def find(wanted: Sound, sound: Sound) -> Found:
    """Return where `wanted` fits best into `sound`.

    On busy cores a tab drops blocks of what it plays, so that the rest of a clip comes early or late. Therefore each
    of its pieces is looked for near its place. The likeness is that of the middle one, the gain that of the one that
    is most like itself: nothing was dropped there.
    """
    sound = np.pad(sound, (0, max(0, len(wanted) - len(sound))))
    at, whole = search(wanted * FULL_SCALE, sound * FULL_SCALE)
    pieces = [_near(wanted, piece, sound, at) for piece in range(len(wanted) // _PIECE)]
    likeness = float(np.median([alike for alike, _ in pieces]))
    return Found(at / RATE_HZ, max(whole, likeness), max(pieces)[1])


def _near(wanted: Sound, piece: int, sound: Sound, at: int) -> tuple[float, float]:
    """Return how alike one piece of `wanted` is to what lies around its place, and its gain in dB there.

    `wanted` begins `at`.
    """
    begins = piece * _PIECE
    own = wanted[begins : begins + _PIECE]
    around = sound[max(0, at + begins - _AROUND) : at + begins + _PIECE + _AROUND]
    place, likeness = search(own * FULL_SCALE, around * FULL_SCALE)
    there = around[place : place + _PIECE]
    return likeness, 10 * float(np.log10(max(_energy(there), 1e-12) / max(_energy(own), 1e-12)))


def _energy(sound: Sound) -> float:
    return float(np.sum(np.square(sound, dtype=np.float64)))
