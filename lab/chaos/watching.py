"""What the store says of a session while it runs, a few times a second. Values and pure readings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from infra.ledger import LedgerEntry
from lab.chaos.runs import Run, merged
from tts_queue import HoldCause, Phase, is_over

BLIND_S: Final = 1.5  # a longer time between two looks says nothing of what was between them


@dataclass(frozen=True, slots=True)
class Look:
    """The ledger at `at_s` (monotonic): how many utterances speak, wait, or are held because we were asked.

    `waiting` counts what is queued, or held for another reason than that the clinician asked for it;
    `changed` rises with each change in the ledger.
    """

    at_s: float
    speaking: int
    waiting: int
    asked_for: int
    changed: int


def look(entries: Sequence[LedgerEntry], at_s: float) -> Look:
    """Return what the ledger says now."""
    open_ = [entry for entry in entries if not is_over(entry.phase)]
    asked = [entry for entry in open_ if entry.phase is Phase.HELD and entry.cause is HoldCause.USER]
    speaking = [entry for entry in open_ if entry.phase is Phase.SPEAKING]
    return Look(
        at_s=at_s,
        speaking=len(speaking),
        waiting=len(open_) - len(asked) - len(speaking),
        asked_for=len(asked),
        changed=sum(1 + entry.version for entry in entries),
    )


def perhaps_speaking(looks: Sequence[Look], margin_s: float) -> list[Run]:
    """Return when sound is no surprise: an utterance was speaking, or nobody looked; `margin_s` on each side.

    A change between two looks may have been a whole short utterance: then the time between counts too.
    """
    found = []
    for before, after in pairwise(looks):
        blind = after.at_s - before.at_s > BLIND_S
        if before.speaking or after.speaking or blind or before.changed != after.changed:
            found.append(Run(before.at_s - margin_s, after.at_s + margin_s))
    if looks:  # before the first look and after the last one nobody looked
        found.append(Run(float("-inf"), looks[0].at_s))
        found.append(Run(looks[-1].at_s, float("inf")))
    return merged(found)


def stuck_s(looks: Sequence[Look], sound: Sequence[Run], there: Sequence[Run]) -> float:
    """Return the longest time with something to say, nobody who asked for quiet, a listener, and no word.

    Each sound, each change of the ledger, and each absence of the listener begins it anew.
    """
    longest, since_s, changed = 0.0, None, -1
    for each in looks:
        here = any(run.from_s <= each.at_s <= run.to_s for run in there)
        heard = since_s is not None and any(run.to_s > since_s and run.from_s < each.at_s for run in sound)
        idle = here and (each.waiting or each.speaking) and not each.asked_for
        if not idle or heard or each.changed != changed:
            since_s, changed = each.at_s, each.changed
            continue
        assert since_s is not None  # the first look set it
        longest = max(longest, each.at_s - since_s)
    return longest
