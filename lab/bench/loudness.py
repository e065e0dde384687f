"""When did it fall silent, when did it go on, and which words were lost? Pure, over what a listener heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.demo.listener import FRAME_SAMPLES, RATE_HZ, SOUND_RMS, Heard

FRAME_S: Final = FRAME_SAMPLES / RATE_HZ
WHOLE: Final = 0.8  # of a word's time: the rest may be its dying sound, or the jitter buffer's stretching


@dataclass(frozen=True, slots=True, eq=False)
class Loudness:
    """For each frame of 10 ms, whether it was sound (over −50 dBFS) and when it arrived (monotonic, s)."""

    loud: NDArray[np.bool_]
    arrived_s: NDArray[np.float64]

    def frames(self, since_s: float, until_s: float) -> slice:
        """Return the frames that arrived from `since_s` to before `until_s`."""
        first, last = np.searchsorted(self.arrived_s, (since_s, until_s))
        return slice(int(first), int(last))

    def at(self, frame: int) -> float:
        """Return when a frame arrived."""
        return float(self.arrived_s[min(frame, len(self.arrived_s) - 1)])


class Gap(NamedTuple):
    """A silence between two sounds: the last frame before it and the first one after it.

    `to_s` is None if no sound came after it while it was watched.
    """

    from_frame: int
    from_s: float
    to_s: float | None


def loudness(heard: Heard) -> Loudness:
    """Return the loudness of all that was heard so far."""
    frames = [frame for frame in heard.frames if frame.size == FRAME_SAMPLES]
    pcm = np.stack(frames).astype(np.float32) if frames else np.zeros((0, FRAME_SAMPLES), np.float32)
    level = np.sqrt((pcm**2).mean(axis=1))
    return Loudness(level > SOUND_RMS, np.array(heard.arrived_s[: len(level)], np.float64))


def gaps(sound: Loudness, since_s: float, until_s: float, least_s: float) -> list[Gap]:
    """Return the silences of at least `least_s` between `since_s` and `until_s`, in order.

    One that is open at `until_s` is among them if it lasted long enough; one before the first sound is not.
    """
    span = sound.frames(since_s, until_s)
    at = np.flatnonzero(sound.loud[span]) + span.start
    found = []
    for here, after in zip(at, [*at[1:], None], strict=True):
        end = span.stop if after is None else int(after)
        if (end - here - 1) * FRAME_S >= least_s - 1e-9:
            found.append(Gap(int(here), sound.at(int(here)), None if after is None else sound.at(end)))
    return found


def gap_at(
    sound: Loudness, begun_s: float, first_s: float, last_s: float, until_s: float, least_s: float
) -> Gap | None:
    """Return the longest silence of at least `least_s` that something from `first_s` to `last_s` made.

    It ends after `first_s` and begins before `last_s`; what was heard from `begun_s` to `until_s` counts.
    """

    def length_s(gap: Gap) -> float:
        return (until_s if gap.to_s is None else gap.to_s) - gap.from_s

    made = [
        gap
        for gap in gaps(sound, begun_s, until_s, least_s)
        if gap.from_s <= last_s and (gap.to_s is None or gap.to_s > first_s)
    ]
    return max(made, key=length_s, default=None)


def sound_after(sound: Loudness, since_s: float, until_s: float) -> float | None:
    """Return when the first sound after `since_s` arrived, or None."""
    span = sound.frames(since_s, until_s)
    at = np.flatnonzero(sound.loud[span])
    return sound.at(int(at[0]) + span.start) if at.size else None


class Word(NamedTuple):
    """A word of a text by its number, and where it should sound, in samples of what the listener heard."""

    number: int
    start: int
    end: int


class Missed(NamedTuple):
    """Numbers of words of which no whole was heard, and of those that were heard whole twice."""

    lost: tuple[int, ...]
    again: tuple[int, ...]


NOTHING_MISSED: Final = Missed((), ())


def missed(stretches: Sequence[Sequence[Word]], cut: int, of: int) -> Missed:
    """Return what a break at sample `cut` cost a text of `of` words.

    `stretches` are what the text was spoken in, in order; one that was cut is followed by one that goes on
    from some word. A word is whole if `WHOLE` of it comes before the cut. Speech goes on with the first
    stretch that begins after it; if there is none, all the rest is lost.
    """
    before = [words for words in stretches if words and words[0].start < cut]
    after = [words for words in stretches if words and words[0].start >= cut]
    went_on = after[0][0].number if after else of
    if not before:
        return Missed(tuple(range(went_on)), ())
    whole = {word.number for word in before[-1] if cut - word.start >= WHOLE * (word.end - word.start)}
    first = before[-1][0].number
    lost = tuple(number for number in range(first, went_on) if number not in whole)
    return Missed(lost, tuple(sorted(number for number in whole if number >= went_on)))
