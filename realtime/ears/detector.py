"""Detect voice activity: when a turn begins, pauses, goes on and ends, by windows' probabilities.

    QUIET --voice--> VOICED --silence--> PAUSED --longer silence--> QUIET
                     VOICED <--voice---- PAUSED
    VOICED --silence, and next to nothing was voiced--> QUIET       a click
    VOICED --too long--> QUIET

Pure: state and window in, new state and what happened out. Silence is counted in windows of sound, so a
late delivery changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, TypeAlias

from realtime.ears.model import WINDOW_S, EarsConfig, Ending, Trigger

_HAIR_S: Final = 1e-6  # below what counts: sums of windows are compared


class TurnPhase(Enum):
    """Where a turn is."""

    QUIET = "quiet"
    VOICED = "voiced"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True)
class Began:
    """A voice began with the window that starts at `at_s`."""

    at_s: float


@dataclass(frozen=True, slots=True)
class Paused:
    """Silence since `at_s`."""

    at_s: float


@dataclass(frozen=True, slots=True)
class WentOn:
    """The voice is back, with the window that starts at `at_s`."""

    at_s: float


@dataclass(frozen=True, slots=True)
class EndedTurn:
    """The turn is over; `noise`: too little of it was voiced to hold a word."""

    trigger: Trigger
    noise: bool


Change: TypeAlias = Began | Paused | WentOn | EndedTurn


@dataclass(frozen=True, slots=True)
class DetectorState:
    """What the detector knows after a window. The figures are the present turn's, or the last one's."""

    phase: TurnPhase = TurnPhase.QUIET
    began_s: float = 0.0
    voiced_until_s: float = 0.0
    voiced: int = 0  # windows
    silent: int = 0  # windows since the last voiced one
    ending: Ending = "open"  # of the words so far

    @property
    def length_s(self) -> float:
        """From the first voiced window's start to the last one's end."""
        return self.voiced_until_s - self.began_s

    def noise(self, config: EarsConfig) -> bool:
        """Return whether too little was voiced to hold a word."""
        return self.voiced * WINDOW_S < config.least_voiced_s - _HAIR_S

    def lulls(self, config: EarsConfig) -> bool:
        """Return whether a short turn, if no noise, has been silent long enough to ask for its text."""
        long_enough = self.silent * WINDOW_S >= config.lull_s - _HAIR_S
        return long_enough and self.length_s < config.ahead_s and not self.noise(config)


def hear(
    now: DetectorState, probability: float, start_s: float, config: EarsConfig
) -> tuple[DetectorState, Change | None]:
    """Return the state after the window that starts at `start_s`, and what happened with it."""
    at = config.stay_at if now.phase is TurnPhase.VOICED else config.begin_at
    if probability < at:
        return _silence(now, config)
    until_s = start_s + WINDOW_S
    if now.phase is TurnPhase.QUIET:
        return DetectorState(TurnPhase.VOICED, start_s, until_s, voiced=1), Began(start_s)
    after = replace(
        now, phase=TurnPhase.VOICED, voiced_until_s=until_s, voiced=now.voiced + 1, silent=0, ending="open"
    )
    if until_s - now.began_s > config.longest_s - _HAIR_S:
        return replace(after, phase=TurnPhase.QUIET), EndedTurn("timeout", noise=False)
    return after, WentOn(start_s) if now.phase is TurnPhase.PAUSED else None


def flush(now: DetectorState, trigger: Trigger, config: EarsConfig) -> tuple[DetectorState, EndedTurn | None]:
    """Return the state after a turn was ended from outside, and its end if one was under way."""
    if now.phase is TurnPhase.QUIET:
        return now, None
    return replace(now, phase=TurnPhase.QUIET), EndedTurn(trigger, now.noise(config))


def _silence(now: DetectorState, config: EarsConfig) -> tuple[DetectorState, Change | None]:
    if now.phase is TurnPhase.QUIET:
        return now, None
    after = replace(now, silent=now.silent + 1)
    silent_s = after.silent * WINDOW_S + _HAIR_S
    if silent_s >= _end_s(now, config):
        return replace(after, phase=TurnPhase.QUIET), EndedTurn("silence", now.noise(config))
    if now.phase is TurnPhase.VOICED and silent_s >= _pause_s(now, config):
        if now.noise(config):
            return replace(after, phase=TurnPhase.QUIET), EndedTurn("silence", noise=True)
        return replace(after, phase=TurnPhase.PAUSED), Paused(now.voiced_until_s)
    return after, None


def _end_s(now: DetectorState, config: EarsConfig) -> float:
    match now.ending:
        case "finished":
            return config.end_finished_s
        case "unfinished":
            return config.end_unfinished_s
        case "wanting":
            return config.end_wanting_s
        case _:
            return config.end_s


def _pause_s(now: DetectorState, config: EarsConfig) -> float:
    return config.pause_short_s if now.length_s < config.short_s else config.pause_s
