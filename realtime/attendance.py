"""What the voice does when its listener goes and comes back. Pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from realtime.returning import deserves_welcome


class Step(enum.Enum):
    """What is to be done now."""

    NOTHING = enum.auto()
    HOLD = enum.auto()  # the listener is gone: hold, and stay so
    GO_ON = enum.auto()  # it is back after a moment: go on
    WELCOME = enum.auto()  # it is back: welcome it, then go on


@dataclass(slots=True)
class Attendance:
    """Follows one listener. `held`: speech is held for want of it. Times: loop clock, in seconds."""

    held: bool = False
    lost_s: float | None = None  # the last sign of it before it was missed; None: no listener of ours yet
    joined_again: bool = False

    def came(self) -> None:
        """The clinician's client is in the room anew, or says itself that it hears (again)."""
        self.joined_again = True

    def follow(self, *, hears: bool, heard_of_s: float, now_s: float) -> Step:
        """Return what is to be done; `heard_of_s`: when the listener gave its last sign."""
        if hears and not self.held:
            self.joined_again, self.lost_s = False, max(heard_of_s, self.lost_s or heard_of_s)
            return Step.NOTHING
        if not hears:
            if self.held:
                return Step.NOTHING
            self.held = True
            return Step.HOLD
        gap_s = 0.0 if self.lost_s is None else now_s - self.lost_s
        welcomed = self.lost_s is not None and deserves_welcome(gap_s, joined_again=self.joined_again)
        self.held, self.joined_again, self.lost_s = False, False, now_s
        return Step.WELCOME if welcomed else Step.GO_ON
