"""What the detector makes of a clip: the turn that holds the speech, as a session's ears would cut it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from lab.ears.matrix import LEAD_S, Cell
from lab.ears.voices import RATE_HZ, Sound
from realtime.ears import WINDOW, EarsConfig
from realtime.ears.detector import DetectorState, EndedTurn, TurnPhase, flush, hear
from realtime.ears.near import BEFORE_S, own
from realtime.ears.silero import SileroVad

CONFIG: Final = EarsConfig()
_PRE_ROLL: Final = round(CONFIG.pre_roll_s * RATE_HZ / WINDOW)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn and what the recognisers get of it."""

    began_s: float
    until_s: float
    pcm: Sound

    @property
    def ms(self) -> int:
        """From the first voiced window's start to the last one's end."""
        return round((self.until_s - self.began_s) * 1000)

    @property
    def short(self) -> bool:
        """Whether it is held against the closed vocabulary."""
        return self.until_s - self.began_s < CONFIG.short_s


def cut(vad: SileroVad, cell: Cell, *, near: bool) -> Turn | None:
    """Return the turn that shares most with the speech, or None: no turn did, or it was taken for a noise.

    `near`: without what is far fainter before and after it.
    """
    found = max(_turns(vad, cell.sound, near), key=lambda turn: _shared_s(turn, cell), default=None)
    return found if found is not None and _shared_s(found, cell) > 0.0 else None


def _turns(vad: SileroVad, sound: Sound, near: bool) -> list[Turn]:
    vad.reset()
    now, first, found = DetectorState(), 0, list[Turn]()
    for number in range(len(sound) // WINDOW):
        before = now.phase
        window = sound[number * WINDOW : (number + 1) * WINDOW]
        now, change = hear(now, vad.probability(window), number * WINDOW / RATE_HZ, CONFIG)
        if before is TurnPhase.QUIET and now.phase is not TurnPhase.QUIET:
            first = number
        if isinstance(change, EndedTurn) and not change.noise:
            found.append(_turn(now, first, sound, near))
    now, ended = flush(now, "track_ended", CONFIG)
    if ended is not None and not ended.noise:
        found.append(_turn(now, first, sound, near))
    return found


def _turn(now: DetectorState, first: int, sound: Sound, near: bool) -> Turn:
    start, end = max(0, first - _PRE_ROLL) * WINDOW, round(now.voiced_until_s * RATE_HZ)
    began_s, until_s = now.began_s, now.voiced_until_s
    if near:
        own_from, own_to = own(sound[start:end])
        start, end = start + own_from, start + own_to
        began_s, until_s = max(began_s, start / RATE_HZ + BEFORE_S / 2), min(until_s, end / RATE_HZ)
    return Turn(began_s, until_s, np.array(sound[start:end]))


def _shared_s(turn: Turn, cell: Cell) -> float:
    return min(turn.until_s, LEAD_S + cell.lasts_s) - max(turn.began_s, LEAD_S)
