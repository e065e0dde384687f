"""Decide what follows when the listener leaves and comes back. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from realtime.speech.returning import Return, Who, how


class AttendanceChange(Enum):
    """A change of the listener's attendance other than a return."""

    NOTHING = auto()
    GONE = auto()  # the listener is gone: hold, and stay so
    THERE = auto()  # the first that hears: nothing was missed


@dataclass(frozen=True, slots=True)
class CameBack:
    """A listener hears again: who, after how many seconds, and how that is told."""

    who: Who
    gap_s: float

    @property
    def told(self) -> Return:
        """Return how the return is told."""
        return how(self.who, self.gap_s)


@dataclass(slots=True)
class Attendance:
    """Follows one listener. Times: loop clock, in seconds."""

    held: bool = False  # speech is held for want of it
    lost_s: float | None = None  # last sign of listener or voice before the gap; None: never heard
    device: str | None = None  # of who heard last, if it said so
    stayed: bool = False  # we are a successor, and who is there was so before us
    joined_again: bool = False
    newcomer: str | None = None  # its device, if it said so

    def came(self, device: str | None = None) -> None:
        """Record that the clinician's client joined anew, or said that it hears (again)."""
        self.joined_again = True
        self.newcomer = device or self.newcomer

    @property
    def same_device(self) -> bool:
        """Return whether the newcomer says that it is the device that heard last."""
        return self.newcomer is not None and self.newcomer == self.device

    def follow(self, *, hears: bool, heard_of_s: float, now_s: float) -> AttendanceChange | CameBack:
        """Return the change of attendance; `heard_of_s` is the time of the listener's last sign."""
        if not hears:
            if self.held:
                return AttendanceChange.NOTHING
            self.held = True
            self.lost_s = None if self.lost_s is None else max(self.lost_s, heard_of_s)
            return AttendanceChange.GONE
        first = self.lost_s is None
        if not self.held:
            self._settle(max(heard_of_s, self.lost_s or heard_of_s))
            return AttendanceChange.NOTHING
        gap_s = now_s - (self.lost_s or 0.0)
        who = self._who()
        if who is Who.UNKNOWN:
            self.device = None
        self._settle(now_s)
        return AttendanceChange.THERE if first else CameBack(who, gap_s)

    def _who(self) -> Who:
        known = None not in (self.device, self.newcomer)
        if self.stayed:
            return Who.OTHER if known and self.newcomer != self.device else Who.STAYED
        if not self.joined_again:
            return Who.SAME
        if self.newcomer is None:
            return Who.UNKNOWN
        return Who.SAME if self.newcomer == self.device else Who.OTHER

    def _settle(self, at_s: float) -> None:
        self.device = self.newcomer or self.device
        self.held = self.stayed = self.joined_again = False
        self.lost_s, self.newcomer = at_s, None
