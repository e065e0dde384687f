"""Strict scripted fakes of the ports, for scenes on virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from tts_queue.model import SAMPLE_RATE_HZ, Clip, Move, Part, Pcm, Prosody, Utterance, WordSpan
from tts_queue.ports import LogUnavailable, VoiceUnavailable, whole


@dataclass(frozen=True, slots=True)
class Line:
    """One expected synthesis: its text, how long the sound lasts, how long each part takes, how it fails.

    `parts` are the lengths of its parts in seconds, the last of them what is left; none: it comes whole.
    With `fails` it fails in place of the part `fails_at`.
    """

    text: str
    lasts_s: float = 1.0
    takes_s: float = 0.05
    fails: str | None = None
    retryable: bool = True
    parts: tuple[float, ...] = ()
    fails_at: int = 0
    away: bool = False  # it fails because the engine is not there


class UnexpectedSynthesis(AssertionError):
    """A text was synthesised that the script does not hold, or not next."""


def even_clip(text: str, lasts_s: float, level: int = 1000) -> Clip:
    """Return a clip of a constant level whose words are of equal length."""
    words = text.split()
    samples = round(lasts_s * SAMPLE_RATE_HZ)
    bounds = [samples * i // max(1, len(words)) for i in range(len(words) + 1)]
    spans = tuple(WordSpan(word, bounds[i], bounds[i + 1]) for i, word in enumerate(words))
    return Clip(np.full(samples, level, np.int16), spans, "scripted")


def in_parts(clip: Clip, lengths_s: Sequence[float]) -> list[Part]:
    """Cut a clip after parts of these lengths; what is left is the last part."""
    ends = [round(s * SAMPLE_RATE_HZ) for s in accumulate(lengths_s)]
    pieces = [piece for piece in np.split(clip.pcm, ends) if len(piece)] or [clip.pcm]
    return [Part(pcm, len(clip.pcm), clip.words, clip.engine) for pcm in pieces]


class ScriptedVoice:
    """Says the lines of its script, in any order if `in_order` is false; anything else is an error."""

    def __init__(self, *lines: Line, in_order: bool = False) -> None:
        self._lines, self._in_order = deque(lines), in_order
        self.asked: list[tuple[str, Prosody]] = []
        self.taken_back: list[str] = []  # closed before the last part was made

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the clip of the scripted line. Raises: UnexpectedSynthesis, VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the parts of the scripted line. Raises: UnexpectedSynthesis, VoiceUnavailable."""
        self.asked.append((text, prosody))
        line = self._take(text)
        try:
            for number, part in enumerate(in_parts(even_clip(text, line.lasts_s), line.parts)):
                await asyncio.sleep(line.takes_s)
                if line.fails is not None and number == line.fails_at:
                    raise VoiceUnavailable("scripted", line.fails, retryable=line.retryable, away=line.away)
                yield part
        except GeneratorExit:
            self.taken_back.append(text)
            raise

    def assert_finished(self) -> None:
        """Fail if a line of the script was never asked for."""
        if self._lines:
            raise AssertionError(f"never synthesised: {[line.text for line in self._lines]}")

    def _take(self, text: str) -> Line:
        candidates = list(self._lines)[:1] if self._in_order else list(self._lines)
        for line in candidates:
            if line.text == text:
                self._lines.remove(line)
                return line
        raise UnexpectedSynthesis(f"asked for {text!r}; the script has {[c.text for c in candidates]}")


class SteadyVoice:
    """Says anything, at so many seconds a word, in parts of these lengths, each part taking so long."""

    def __init__(self, *, word_s: float = 0.4, takes_s: float = 0.05, parts: tuple[float, ...] = ()) -> None:
        self._word_s, self._takes_s, self._parts = word_s, takes_s, parts
        self.asked: list[tuple[str, Prosody]] = []

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return a clip of equally long words."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the parts of a clip of equally long words."""
        self.asked.append((text, prosody))
        for part in in_parts(even_clip(text, self._word_s * len(text.split())), self._parts):
            await asyncio.sleep(self._takes_s)
            yield part


class RecordingSink:
    """Plays on the loop's clock and keeps what was written; a frame that comes too late is counted."""

    def __init__(self, *, capacity_s: float = 0.1) -> None:
        self._capacity_s = capacity_s
        self._frames: list[Pcm] = []
        self._sounding: list[tuple[int, int]] = []
        self._written = 0
        self._plays_until_s: float | None = None
        self.stall_s = 0.0  # the next frame is taken so much later
        self.underruns = 0
        self.deepest_s = 0.0

    @property
    def queued_s(self) -> float:
        """Seconds written and not yet played."""
        if self._plays_until_s is None:
            return 0.0
        return max(0.0, self._plays_until_s - asyncio.get_running_loop().time())

    async def write(self, pcm: Pcm) -> None:
        """Take a frame, waiting while it would not fit."""
        if self.stall_s:
            stall_s, self.stall_s = self.stall_s, 0.0
            await asyncio.sleep(stall_s)
        length_s = len(pcm) / SAMPLE_RATE_HZ
        if (over_s := self.queued_s + length_s - self._capacity_s) > 1e-9:
            await asyncio.sleep(over_s)
        now_s = asyncio.get_running_loop().time()
        plays_until_s = now_s if self._plays_until_s is None else self._plays_until_s
        if now_s > plays_until_s + 1e-9:
            self.underruns += 1
        self._plays_until_s = max(now_s, plays_until_s) + length_s
        self._frames.append(pcm.copy() if pcm.flags.writeable else pcm)
        self._note_sound(pcm)
        self._written += len(pcm)
        self.deepest_s = max(self.deepest_s, self._plays_until_s - now_s)

    @property
    def pcm(self) -> Pcm:
        """All that was written."""
        return np.concatenate(self._frames) if self._frames else np.zeros(0, np.int16)

    @property
    def heard_samples(self) -> int:
        """Samples played by now."""
        return self._written - round(self.queued_s * SAMPLE_RATE_HZ)

    def sounding(self) -> list[tuple[int, int]]:
        """Return the stretches of sound, first sample and the one after the last."""
        return list(self._sounding)

    def _note_sound(self, pcm: Pcm) -> None:
        for start, end in _stretches(pcm, self._written):
            if self._sounding and self._sounding[-1][1] == start:
                self._sounding[-1] = (self._sounding[-1][0], end)
            else:
                self._sounding.append((start, end))


def _stretches(pcm: Pcm, first: int) -> list[tuple[int, int]]:
    """Return the stretches of `pcm`, whose first sample is number `first`, that are not silent."""
    loud_samples = np.count_nonzero(pcm)  # `any` and `all` take four times as long
    if not loud_samples:
        return []
    if loud_samples == len(pcm):
        return [(first, first + len(pcm))]
    loud = np.concatenate([[False], pcm != 0, [False]])
    edges = (first + np.flatnonzero(loud[1:] != loud[:-1])).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


class ListLog:
    """Keeps records in lists; raises LogUnavailable while `down`, or the given error at the next write."""

    def __init__(self, *, takes_s: float = 0.001) -> None:
        self.created: list[Utterance] = []
        self.moves: list[Move] = []
        self.down = False
        self.error: Exception | None = None
        self._takes_s = takes_s

    async def create(self, utterance: Utterance) -> None:
        """Record a new utterance."""
        await self._pass()
        self.created.append(utterance)

    async def move(self, move: Move) -> None:
        """Record a change of phase."""
        await self._pass()
        self.moves.append(move)

    async def _pass(self) -> None:
        await asyncio.sleep(self._takes_s)
        if self.error is not None:
            raise self.error
        if self.down:
            raise LogUnavailable("scripted")

    def phases(self, utterance_id: str) -> Sequence[str]:
        """Return the phases that an utterance went through, QUEUED first."""
        known = [str(u.utterance_id) for u in self.created]
        return ["queued" for u in known if u == utterance_id] + [
            str(m.phase_to) for m in self.moves if m.utterance_id == utterance_id
        ]
