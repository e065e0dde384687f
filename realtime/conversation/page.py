"""Tell the page of each turn, and of the mode that the conversation is in."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from realtime.actions import Act, Show
from realtime.conversation.floor import Floor
from realtime.conversation.ports import SpeechPort
from realtime.interruption import Mode
from realtime.protocol import ModeBody, TurnBody
from realtime.speech.verbosity import Verbosity

SHOWN_S: Final = 12.0  # for so long the page shows words that were not said to us; nobody keeps them


class Page:
    """What the page was told of the conversation; the same is not told twice."""

    def __init__(self, act: Act, stage: SpeechPort, floor: Floor) -> None:
        self._act, self._stage, self._floor = act, stage, floor
        self._overheard: deque[tuple[float, str]] = deque()  # turn ids, and until when they are shown
        self._told = ModeBody()
        self._mode_values: dict[str, Any] = {}  # of which `_told` was made last

    def turn(self, turn_id: str, phase: str) -> None:
        """Tell the phase of a turn under way."""
        self._act(Show(TurnBody.model_validate({"turn_id": turn_id, "phase": phase})))

    def overheard(self, turn_id: str, now_s: float) -> None:
        """Record that the words of a turn were not said to us: they are shown for `SHOWN_S`."""
        self._overheard.append((now_s + SHOWN_S, turn_id))

    def forget_overheard(self, now_s: float) -> None:
        """Have the page forget the words whose time is over at `now_s`."""
        while self._overheard and self._overheard[0][0] <= now_s:
            self._act(Show(TurnBody(turn_id=self._overheard.popleft()[1], phase="forgotten")))

    def mode(self, *, away: bool, noisy: bool, verbosity: Verbosity) -> None:
        """Tell the mode, if it is another one than was told last. `away`: nobody listens."""
        mode = "away" if away else self._floor.mode_name
        told = {"mode": "noisy" if mode == Mode.FREE.value and noisy else mode, "verbosity": verbosity.value}
        dial = self._stage.dial
        values = told | self._floor.told() | {"rate": dial.rate, "volume_db": dial.volume_db}
        if values == self._mode_values:
            return
        self._mode_values = values
        body = ModeBody.model_validate(values)
        if body != self._told:
            self._told = body
            self._act(Show(body))
