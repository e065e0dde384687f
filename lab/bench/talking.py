"""A clinician talks while something speaks: what is said when, and what could be heard of it.

The same plan, client and judgement for whatever speaks: it only has to begin a line when asked, to say
which words it spoke where, and to be quiet again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from lab.bench.loudness import (
    NOTHING_MISSED,
    Gap,
    Loudness,
    Missed,
    gap_at,
    loudness,
    sound_after,
)
from lab.demo.listener import FRAME_SAMPLES, RATE_HZ, Heard, Listener, ListenerError
from lab.demo.microphone import Microphone, Said

BEGIN_WITHIN_S: Final = 8.0
TRIES: Final = 3
STOPPED_S: Final = 1.0  # so long a silence is one: the longest pause that is asked for is 0.4 s
BROKEN_S: Final = 0.25  # so short a silence may have been a hold: these lines have no pauses of their own
HELD_LATE_S: Final = 1.0  # after a sound's end: what falls silent later does so for another reason
# After a last sound; some voices stop only once it was put into words.
WATCHED_S: Final = {"stop": 2.6, "go_on": 4.0}

Pcm = NDArray[np.int16]
Say = Callable[[str], None]


class Sound(StrEnum):
    """What the clinician lets be heard."""

    STOP = "stop, hold on"
    HUM = "mm-hm"
    OKAY = "okay"
    SHORT_COUGH = "cough of 0.1 s"
    COUGH = "cough of 0.35 s"
    AHH = "ahh of 0.8 s"

    @property
    def stops(self) -> bool:
        """Whether it is to silence the voice; after all others it is to go on."""
        return self is Sound.STOP


HUMS: Final = (Sound.HUM, Sound.OKAY)
NOISES: Final = (Sound.SHORT_COUGH, Sound.COUGH, Sound.AHH)


@dataclass(frozen=True, slots=True)
class Cue:
    """A sound, so many seconds after the line was first heard."""

    at_s: float
    sound: Sound


Round = tuple[Cue, ...]


def together(n: int) -> list[Round]:
    """Return `n` stops, `n` hums and `n` noises in the fewest lines.

    A third of the stops come in the first second of a line. A hum follows a noise by more than the 5 s in
    which two unsure turns are asked about; noises come at most twice in 20 s, as more make a session noisy.
    """
    early = [(Cue(0.15 + 0.8 * k / max(1, n // 3), Sound.STOP),) for k in range(n // 3)]
    late = n - len(early)
    full = []
    for k in range(n):
        cues = [Cue(1.0, NOISES[k % 3]), Cue(6.3, HUMS[k % 2])]
        if k < late:
            cues.append(Cue(9.0 + 1.5 * (k % 7) / 7, Sound.STOP))
        full.append(tuple(cues))
    return early + full


def apart(n: int) -> list[Round]:
    """Return the same, each sound in a line of its own: for what does not go on after every sound."""
    stops = [Cue(0.15 + 0.8 * k / n if k % 3 == 0 else 1.2 + 3.0 * k / n, Sound.STOP) for k in range(n)]
    hums = [Cue(1.0 + 2.0 * k / n, HUMS[k % 2]) for k in range(n)]
    noises = [Cue(1.0 + 2.0 * k / n, NOISES[k % 3]) for k in range(n)]
    return [(cue,) for trio in zip(stops, hums, noises, strict=True) for cue in trio]


@dataclass(frozen=True, slots=True)
class Line:
    """Something that is being spoken, and its number of words."""

    line_id: str
    words: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What a turn was taken for: the words heard, and what came of them (`Effect`) by which rule."""

    text: str
    effect: str
    why: str


class Measured(Protocol):
    """What is measured."""

    async def begin(self, number: int) -> Line:
        """Ask for a line of about 14 s without pauses; no two numbers have the same words."""
        ...

    async def quieten(self) -> None:
        """Return once nothing is spoken any more, with all of it forgotten."""
        ...

    def missed(self, line: Line, cut: int, *, went_on: bool) -> Missed:
        """Return what a break at sample `cut` of what was heard cost; `went_on`: the line came back."""
        ...

    def taken(self, since_s: float, until_s: float) -> Taken | None:
        """Return what the last turn of that time was taken for, or None if that is not told."""
        ...


@dataclass(frozen=True, slots=True)
class Event:
    """One sound over a line. Monotonic seconds; `until_s` is as long as nothing else happened."""

    sound: Sound
    rendering: int
    line: Line
    begun_s: float  # the line's first sound at the listener
    said: Said
    until_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an event. `took_s`: first sound → silence, or last sound → going on (0: never stopped).

    Where that did not come it is the time watched, and `as_meant` is False; so it is if the turn was
    taken as something else. `under_way` is False if nothing was being spoken when the sound began.
    """

    sound: Sound
    rendering: int
    phase_s: float
    took_s: float
    as_meant: bool
    under_way: bool
    taken: Taken | None
    lost: int
    again: int


async def talk(
    rounds: Sequence[Round],
    measured: Measured,
    listener: Listener,
    microphone: Microphone,
    sounds: Mapping[Sound, Sequence[Pcm]],
    say: Say,
) -> list[Event]:
    """Let every sound of every round be heard; return the events. Raises: ListenerError: no line came."""
    events: list[Event] = []
    used = dict.fromkeys(Sound, 0)
    for number, cues in enumerate(rounds):
        line, begun_s = await _begun(number, measured, listener, say)
        said: list[tuple[Cue, int, Said]] = []
        for cue in cues:
            rendering = used[cue.sound] % len(sounds[cue.sound])
            used[cue.sound] += 1
            await asyncio.sleep(max(0.0, begun_s + cue.at_s - time.monotonic()))
            said.append((cue, rendering, await microphone.say(sounds[cue.sound][rendering])))
        await asyncio.sleep(WATCHED_S["stop" if cues[-1].sound.stops else "go_on"])
        ends = [each.first_s for _, _, each in said[1:]] + [time.monotonic()]
        events += [
            Event(cue.sound, rendering, line, begun_s, each, until_s)
            for (cue, rendering, each), until_s in zip(said, ends, strict=True)
        ]
        say(f"bench: line {number + 1} of {len(rounds)}")
        await measured.quieten()
    return events


async def _begun(number: int, measured: Measured, listener: Listener, say: Say) -> tuple[Line, float]:
    """Have a line begun; return it, and when it was first heard. Raises: ListenerError: three were not.

    One may be lost to a turn that was understood late, after the round to which it belongs.
    """
    for attempt in range(TRIES):
        before = len(listener.heard.onsets)
        line = await measured.begin(number + 10_000 * attempt)
        try:
            return line, await first_sound(listener, before)
        except ListenerError as error:
            say(f"bench: {error}")
            await measured.quieten()
    raise ListenerError(f"{TRIES} lines one after the other were not heard")


def sounding(listener: Listener) -> bool:
    """Return whether sound arrived within the last `STOPPED_S`."""
    heard = listener.heard
    frames = heard.frames[-round(STOPPED_S * RATE_HZ / FRAME_SAMPLES) :]
    recent = Heard(frames=list(frames), arrived_s=heard.arrived_s[-len(frames) :])
    return bool(loudness(recent).loud.any())


async def first_sound(listener: Listener, before: int) -> float:
    """Wait for the next onset; return when it arrived. Raises: ListenerError."""
    try:
        async with asyncio.timeout(BEGIN_WITHIN_S):
            while len(listener.heard.onsets) <= before:
                await asyncio.sleep(0.01)
    except TimeoutError:
        raise ListenerError(f"a line was not heard within {BEGIN_WITHIN_S:.0f} s") from None
    return listener.heard.time_of(listener.heard.onsets[before])


def outcome(
    event: Event, sound: Loudness, measured: Measured, meant: Mapping[Sound, frozenset[str]]
) -> Outcome:
    """Judge an event by what was heard, and by what the voice says it took it for (`meant`: rightly)."""
    said = event.said
    stops = event.sound.stops
    gap = gap_at(
        sound,
        event.begun_s,
        said.first_s,
        event.until_s if stops else said.last_s + HELD_LATE_S,
        event.until_s,
        STOPPED_S if stops else BROKEN_S,
    )
    under_way = sound_after(sound, said.first_s - STOPPED_S, said.first_s) is not None
    taken = measured.taken(said.first_s, event.until_s)
    lost = _missed(event, gap, measured) if not stops else NOTHING_MISSED
    return Outcome(
        sound=event.sound,
        rendering=event.rendering,
        phase_s=round(said.first_s - event.begun_s, 3),
        took_s=_silenced_s(event, gap) if stops else _going_on_s(event, gap),
        as_meant=under_way and _behaved(event, gap) and (taken is None or taken.effect in meant[event.sound]),
        under_way=under_way,
        taken=taken,
        lost=len(lost.lost),
        again=len(lost.again),
    )


def _silenced_s(event: Event, gap: Gap | None) -> float:
    return max(0.0, (event.until_s if gap is None else gap.from_s) - event.said.first_s)


def _going_on_s(event: Event, gap: Gap | None) -> float:
    if gap is None:
        return 0.0
    return max(0.0, (event.until_s if gap.to_s is None else gap.to_s) - event.said.last_s)


def _behaved(event: Event, gap: Gap | None) -> bool:
    if event.sound.stops:
        return gap is not None and gap.to_s is None
    return gap is None or gap.to_s is not None


def _missed(event: Event, gap: Gap | None, measured: Measured) -> Missed:
    if gap is None:
        return NOTHING_MISSED
    cut = (gap.from_frame + 1) * FRAME_SAMPLES
    return measured.missed(event.line, cut, went_on=gap.to_s is not None)
