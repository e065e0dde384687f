"""Choose which words of the clinician are stored: those that were said to us. Pure."""

from __future__ import annotations

from typing import Final

from realtime.interruption import Effect, Kind
from realtime.protocol import TurnBody

_OVERHEARD: Final = frozenset({Kind.IGNORE.value, Kind.ACKNOWLEDGMENT.value})
_NOTHING_CAME: Final = frozenset({Effect.GO_ON.value, Effect.NOT_ACTED_ON.value})


def kept(turn: TurnBody) -> TurnBody:
    """Return a decided turn as it is stored: without its words if they were not said to us.

    Such words are only shown when they are heard. Who speaks beside a microphone has not agreed to more.
    """
    overheard = turn.kind in _OVERHEARD or turn.effect in _NOTHING_CAME
    return turn.model_copy(update={"text": ""}) if turn.via == "voice" and overheard else turn
