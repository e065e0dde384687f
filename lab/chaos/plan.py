"""Which faults, in which order, on which session: a seed decides, and the same one the same again. Pure."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

AT_ONCE: Final = 2  # sessions side by side: what two shared cores can play without gaps of their own


class Fault(StrEnum):
    """What is done."""

    CLIENT_KILLED = "client killed"
    RELOAD = "reload"
    SECOND_TAB = "second tab"
    FLAP = "network gone for a while"
    JOB_KILLED = "job SIGKILL"
    WORKER_KILLED = "worker SIGKILL"
    JOB_STOPPED = "job SIGSTOP, later SIGCONT"
    ENGINES_KILLED = "engines SIGKILL"
    REASONER_KILLED = "reasoner SIGKILL"
    API_KILLED = "API SIGKILL"
    STORE_KILLED = "store SIGKILL"
    STORE_PAUSED = "store gone for 1 s"
    WORKER_DRAINED = "worker SIGTERM"
    SFU_KILLED = "SFU SIGKILL"


OF_CLIENT: Final = frozenset({Fault.CLIENT_KILLED, Fault.RELOAD, Fault.SECOND_TAB, Fault.FLAP})
"""The listener itself goes: what counts is how soon it hears again once it is back."""
OF_ONE: Final = OF_CLIENT | {Fault.JOB_KILLED, Fault.JOB_STOPPED}
"""One session is hit; the others of the machine must not feel it."""

DECK: Final[Sequence[Fault]] = (
    *(Fault.CLIENT_KILLED,) * 2,
    *(Fault.RELOAD,) * 2,
    Fault.SECOND_TAB,
    *(Fault.FLAP,) * 2,
    *(Fault.JOB_KILLED,) * 2,
    *(Fault.WORKER_KILLED,) * 2,
    Fault.JOB_STOPPED,
    *(Fault.ENGINES_KILLED,) * 2,
    Fault.REASONER_KILLED,
    Fault.API_KILLED,
    Fault.STORE_KILLED,
    Fault.STORE_PAUSED,
    Fault.WORKER_DRAINED,
    Fault.SFU_KILLED,
)
"""Twenty faults; each twenty of a plan are this deck, shuffled. What has an aim in seconds is there twice."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One fault. `session` is 0 or 1 of the pair that is under way; `into_s` is how far into a clause."""

    number: int
    fault: Fault
    session: int
    into_s: float
    away_s: float  # how long who goes stays away


def make_plan(seed: int, faults: int) -> tuple[Planned, ...]:
    """Return `faults` faults in order."""
    dice = random.Random(seed)
    planned: list[Planned] = []
    deck: list[Fault] = []
    for number in range(1, faults + 1):
        if not deck:
            deck = dice.sample(DECK, len(DECK))
        planned.append(
            Planned(
                number=number,
                fault=deck.pop(),
                session=dice.randrange(AT_ONCE),
                into_s=round(dice.uniform(0.3, 1.2), 2),
                away_s=round(dice.uniform(2.5, 6.0), 2),
            )
        )
    return tuple(planned)


def in_rounds(plan: Sequence[Planned], sessions: int) -> list[tuple[Planned, ...]]:
    """Return the plan in rounds of `AT_ONCE` sessions each, as even as can be."""
    rounds = max(1, -(-sessions // AT_ONCE))
    each, more = divmod(len(plan), rounds)
    found, at = [], 0
    for number in range(rounds):
        size = each + (number < more)
        found.append(tuple(plan[at : at + size]))
        at += size
    return found
