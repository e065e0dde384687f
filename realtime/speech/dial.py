"""Turn the voice's dial of pace and loudness on request. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from realtime.interruption import Effect
from tts_queue import Dial

_TURNS: Final[Mapping[str, Callable[[Dial], Dial]]] = {
    Effect.SLOWER: lambda dial: dial.turned(rate=-1),
    Effect.FASTER: lambda dial: dial.turned(rate=1),
    Effect.LOUDER: lambda dial: dial.turned(volume=1),
    Effect.SOFTER: lambda dial: dial.turned(volume=-1),
    Effect.USUAL_PACE: lambda dial: replace(dial, rate=1.0),
    Effect.USUAL_VOLUME: lambda dial: replace(dial, volume_db=0.0),
}
TURNING: Final = frozenset(_TURNS)


def turned(dial: Dial, effect: str) -> Dial:
    """Return the dial after `effect`; effects on anything else leave it as it is."""
    turn = _TURNS.get(effect)
    return dial if turn is None else turn(dial)
