"""What a bad network does to one packet. Pure: the seed, the packet's number and the time decide.

The same packets in the same order at the same times fare alike in each run of one seed. A packet's fate
does not depend on the fate of others, but that (without `reorder`) none overtakes the one before it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

RESEND_S: Final = 0.2  # least time before TCP sends a lost segment again: Linux's TCP_RTO_MIN
_BEHIND_S: Final = 1e-6  # what keeps two packets of one moment in order
_DRAWS: Final = 2  # numbers that a packet may use, of 8 bytes each


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """A network's state, alike in both directions.

    Args:
        loss: share of packets that are lost, each by itself.
        delay_s: what each packet takes at least, one way; half of the round trip.
        jitter_s: what it may take longer, evenly distributed.
        reorder: whether a packet may overtake another, as over several ways; else it waits behind it.
        dark: nothing passes at all.
    """

    loss: float = 0.0
    delay_s: float = 0.0
    jitter_s: float = 0.0
    reorder: bool = False
    dark: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.loss <= 1.0 or self.delay_s < 0.0 or self.jitter_s < 0.0:
            raise ValueError("a loss is a share from 0 to 1, and no time is below 0")


CLEAR: Final = Conditions()
DARK: Final = Conditions(dark=True)
ROUGH: Final = Conditions(loss=0.05, jitter_s=0.1, delay_s=0.15)
"""5 % loss, 100 ms jitter and a round trip of 300 ms: a bad mobile network that still carries a call."""


def datagram(
    conditions: Conditions, seed: int, number: int, now_s: float, after_s: float = float("-inf")
) -> float | None:
    """Return when packet `number` arrives, or None if it is lost.

    `after_s` is when the packet before it arrives, of the same flow and direction.
    """
    if conditions.dark:
        return None
    fate, late = _draw(seed, number)
    if fate < conditions.loss:
        return None
    at_s = now_s + conditions.delay_s + late * conditions.jitter_s
    return at_s if conditions.reorder else max(at_s, after_s + _BEHIND_S)


def segment(
    conditions: Conditions, seed: int, number: int, now_s: float, after_s: float = float("-inf")
) -> float | None:
    """Return when part `number` of a TCP stream arrives, or None while nothing passes: ask again later.

    Nothing of a stream is lost: what was is sent again, and all behind it waits.
    """
    if conditions.dark:
        return None
    fate, late = _draw(seed, number)
    at_s = now_s + conditions.delay_s + late * conditions.jitter_s
    if fate < conditions.loss:
        at_s += RESEND_S + 2 * conditions.delay_s
    return max(at_s, after_s + _BEHIND_S)


def _draw(seed: int, number: int) -> tuple[float, float]:
    """Return two numbers from 0 to below 1, the same for each call with these arguments."""
    key = f"{seed}:{number}".encode()
    drawn = hashlib.blake2b(key, digest_size=8 * _DRAWS).digest()
    first, second = (int.from_bytes(drawn[at : at + 8], "big") for at in (0, 8))
    return first / 2**64, second / 2**64


@dataclass(slots=True)
class Impairment:
    """The state of one network now. Whoever holds it changes `now`; each packet is judged as it comes."""

    seed: int = 0
    now: Conditions = CLEAR
