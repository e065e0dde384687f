"""Speak by a vendor's service, clause by clause: what all vendors' adapters share.

A `Part` tells the length of its whole, which no vendor does before its last sample is made. A clause is
short, and the queue has the next one made while one plays: so each is asked for whole, and is one part.
"""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np

from tts_queue.model import SAMPLE_RATE_HZ, Clip, Part, Pcm, Prosody, WordSpan
from tts_queue.ports import VoiceUnavailable, whole

DEADLINE_S: Final = 2.5
"""Of one clause, connecting and all. Longer than that the listener is better served by a local voice; the
vendors' own clients wait for 60 s, or for ever."""

_CHECKED_WITHIN_S: Final = 10.0  # at start-up, where nobody listens yet
_AGAIN_AFTER_S: Final = 0.1
_KEPT_CLIPS: Final = 64  # of at most 6 words, so of about 250 kB each: 16 MB
_KEPT_WORDS: Final = 6  # "Doctor One differs:" begins many an utterance, and is paid for once
# Pauses are the queue's to make: of the silence at a clip's ends as much is left as the default voice has.
_LEAD_LEFT: Final = round(0.02 * SAMPLE_RATE_HZ)
_TAIL_LEFT: Final = round(0.07 * SAMPLE_RATE_HZ)
_SILENCE: Final = 0.01  # of the clip's peak: 40 dB below it
# How long a word takes to say, in letters. By least squares over 795 words of the default voice a letter
# lasts 66 ms, a digit 290, a letter that is named 240, the pause at a comma 290. A word's start is then 61 ms
# off at the median and 175 at the 90th percentile; by length of spelling alone it were 72 and 309.
_DIGIT: Final = 4.4
_NAMED_LETTER: Final = 3.7
_PAUSE: Final = 4.4
_STOPS: Final = (",", ";", ":", ".", "!", "?")
_SPELLED: Final = re.compile(r"(?:\w\.)+\w?\W*")
_KNEE: Final = 0.9  # of full level; what is louder is bent, so that no gain clips


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """What a vendor answers: 48 kHz mono, and the first sample of words by their number, if it tells."""

    pcm: Pcm
    starts: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))


class Service(Protocol):
    """A vendor's client."""

    @property
    def name(self) -> str:
        """The vendor and its voice, for logs."""
        ...

    async def speak(self, text: str, prosody: Prosody) -> Sound:
        """Return the sound of `text`. Cancelling takes the request back. Raises: VoiceUnavailable."""
        ...

    async def check(self) -> None:
        """Ask whether key and voice are taken; nothing is said. Raises: VoiceUnavailable."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...


class CloudVoice:
    """A Voice behind a vendor's service. No text is in any of its messages."""

    def __init__(self, service: Service, deadline_s: float = DEADLINE_S) -> None:
        self._service, self._deadline_s = service, deadline_s
        self._kept: OrderedDict[tuple[str, Prosody], Clip] = OrderedDict()
        self.characters = 0  # sent to be said: what vendors bill

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text` in one part. Raises: VoiceUnavailable."""
        clip = await self._clip(text, _sounding(prosody))
        yield Part(clip.pcm, len(clip.pcm), clip.words, clip.engine)

    async def check(self) -> None:
        """Ask whether key and voice are taken; nothing is said. Raises: VoiceUnavailable."""
        async with within(_CHECKED_WITHIN_S, self._service.name):
            await self._service.check()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._service.aclose()

    async def _clip(self, text: str, prosody: Prosody) -> Clip:
        kept = self._kept.get((text, prosody))
        if kept is not None:
            self._kept.move_to_end((text, prosody))
            return kept
        self.characters += len(text)
        async with within(self._deadline_s, self._service.name):
            clip = finished(await self._spoken(text, prosody), text, self._service.name)
        if len(text.split()) <= _KEPT_WORDS:
            self._kept[text, prosody] = clip
            while len(self._kept) > _KEPT_CLIPS:
                self._kept.popitem(last=False)
        return clip

    async def _spoken(self, text: str, prosody: Prosody) -> Sound:
        """Ask once more where nobody answered: a connection that was idle may have been closed unseen."""
        try:
            return await self._service.speak(text, prosody)
        except VoiceUnavailable as error:
            if not (error.retryable and error.away):
                raise
        await asyncio.sleep(_AGAIN_AFTER_S)
        return await self._service.speak(text, prosody)


def _sounding(prosody: Prosody) -> Prosody:
    """Return the part of a prosody that changes the sound, rounded to what is heard: a clip's key."""
    return Prosody(
        rate=round(prosody.rate, 2),
        pitch_semitones=round(prosody.pitch_semitones, 2),
        volume_db=round(prosody.volume_db, 2),
        pause_before_s=0.0,
        emphasis=prosody.emphasis,
    )


@asynccontextmanager
async def within(deadline_s: float, engine: str) -> AsyncIterator[None]:
    """Bound the calls inside by a deadline, and turn every failure into VoiceUnavailable.

    Raises: VoiceUnavailable.
    """
    try:
        async with asyncio.timeout(deadline_s):
            yield
    except TimeoutError:
        raise VoiceUnavailable(engine, f"no answer within {deadline_s:g} s", away=True) from None
    except VoiceUnavailable:
        raise
    except Exception as error:  # by its kind alone: its message may quote the text
        raise VoiceUnavailable(engine, type(error).__name__) from None


def finished(sound: Sound, text: str, engine: str) -> Clip:
    """Return the clip of a sound: near silence cut from its ends, and every word in its place.

    Raises: VoiceUnavailable: there is nothing to hear.
    """
    first, end = audible(sound.pcm)
    if first == end:
        raise VoiceUnavailable(engine, "the answer is silent", retryable=False)
    first, end = max(0, first - _LEAD_LEFT), min(len(sound.pcm), end + _TAIL_LEFT)
    starts = {number: start - first for number, start in sound.starts.items()}
    return Clip(sound.pcm[first:end], placed(text.split(), end - first, starts), engine)


def linear16(content: bytes) -> Pcm:
    """Return the samples of little-endian bytes; half of one, where an answer was cut short, is dropped."""
    return np.frombuffer(content[: len(content) // 2 * 2], dtype="<i2").astype(np.int16, copy=False)


def audible(pcm: Pcm) -> tuple[int, int]:
    """Return the first sample above near silence and the one after the last; equal if there is none."""
    level = np.abs(pcm.astype(np.int32))
    loud = np.flatnonzero(level > max(1.0, _SILENCE * level.max(initial=0)))
    return (int(loud[0]), int(loud[-1]) + 1) if loud.size else (0, 0)


def placed(words: Sequence[str], samples: int, starts: Mapping[int, int]) -> tuple[WordSpan, ...]:
    """Tile `samples` with the words, by the `starts` that are known and by the weights between them."""
    weights = [weight(word, last=number == len(words)) for number, word in enumerate(words, 1)]
    ends = [0.0, *accumulate(weights)]
    known = {0: 0, **{n: s for n, s in sorted(starts.items()) if 0 < n < len(words) and 0 < s < samples}}
    known[len(words)] = samples
    bounds = [0] * (len(words) + 1)
    for (one, start), (two, end) in pairwise(known.items()):
        for number in range(one, two + 1):
            share = (ends[number] - ends[one]) / (ends[two] - ends[one])
            bounds[number] = max(start + round((end - start) * share), bounds[max(0, number - 1)])
    return tuple(WordSpan(word, bounds[i], bounds[i + 1]) for i, word in enumerate(words))


def weight(word: str, *, last: bool = False) -> float:
    """Return about how long `word` takes, in letters, with the pause after it unless it is the `last`."""
    sounding = [letter for letter in word if letter.isalnum()]
    if _SPELLED.fullmatch(word):
        said = _NAMED_LETTER * len(sounding)
    else:
        said = sum(_DIGIT if letter.isdigit() else 1.0 for letter in sounding)
    return max(1.0, said) + (_PAUSE if word.endswith(_STOPS) and not last else 0.0)


def louder(pcm: Pcm, gain_db: float) -> Pcm:
    """Return `pcm` with a gain, for vendors that know none; what would clip is bent instead."""
    if not gain_db:
        return pcm
    sound = pcm.astype(np.float32) / 32768 * np.float32(10 ** (gain_db / 20))
    over = np.abs(sound) - _KNEE
    bent = np.sign(sound) * (_KNEE + (1 - _KNEE) * np.tanh(over / (1 - _KNEE)))
    return (np.where(over > 0, bent, sound) * 32767).astype(np.int16)


def bounded(value: float, limits: tuple[float, float]) -> float:
    """Return `value` within `limits`."""
    return min(max(value, limits[0]), limits[1])
