"""Which words of the clinician are kept: those that were said to us. Pure."""

from __future__ import annotations

from typing import Final

from realtime.interruption import Effect, Kind
from realtime.protocol import TurnBody

_OVERHEARD: Final = frozenset({Kind.IGNORE.value, Kind.ACKNOWLEDGMENT.value})
_NOTHING_CAME: Final = frozenset({Effect.GO_ON.value, Effect.NOT_ACTED_ON.value})


def kept(turn: TurnBody) -> TurnBody:
    """Return a decided turn as it is kept: talk in the room, remarks and signs of listening lose their words.

    They are shown when they are heard. Nobody who speaks beside a microphone has agreed to more.
    """
    overheard = turn.kind in _OVERHEARD or turn.effect in _NOTHING_CAME
    return turn.model_copy(update={"text": ""}) if turn.via == "voice" and overheard else turn
