"""Which causes hold speech at the moment, what may pass them, and when the voice watchdog fires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tts_queue.model import Priority
from tts_queue.phases import HoldCause


@dataclass(frozen=True, slots=True)
class Hold:
    """One cause, since when, and the least urgent priority that may be spoken all the same.

    `begun`: of this priority, or more urgent, also if it had begun before the hold.
    """

    since_s: float
    admit: Priority | None = None
    begun: Priority | None = None
    voice_ended_s: float | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """All causes that hold now. A value: each change gives a new one."""

    active: Mapping[HoldCause, Hold] = field(default_factory=lambda: MappingProxyType({}))

    def add(
        self, cause: HoldCause, now_s: float, admit: Priority | None, *, begun: Priority | None = None
    ) -> Holds:
        """Add `cause`, or take its new `admit`; its beginning stays, and a voice that ended goes on."""
        known = self.active.get(cause)
        hold = replace(known or Hold(now_s), admit=admit, begun=begun, voice_ended_s=None)
        return Holds(MappingProxyType({**self.active, cause: hold}))

    def lift(self, cause: HoldCause) -> Holds:
        """Take `cause` away; nothing happens if it does not hold."""
        return Holds(MappingProxyType({c: h for c, h in self.active.items() if c is not cause}))

    def voice_ended(self, now_s: float) -> Holds:
        """Note that the voice fell silent: from here its verdict is due."""
        known = self.active.get(HoldCause.VOICE)
        if known is None or known.voice_ended_s is not None:
            return self
        ended = replace(known, voice_ended_s=now_s)
        return Holds(MappingProxyType({**self.active, HoldCause.VOICE: ended}))

    def may_speak(self, priority: Priority, begun_s: float | None) -> bool:
        """Return whether every cause lets an utterance of `priority`, begun at `begun_s`, be spoken.

        What had begun when a cause came stays held by it, unless the cause lets that go on too: who says "stop"
        to a critical utterance is obeyed.
        """
        return all(
            hold.admit is not None
            and priority <= hold.admit
            and (
                begun_s is None
                or begun_s > hold.since_s
                or (hold.begun is not None and priority <= hold.begun)
            )
            for hold in self.active.values()
        )

    @property
    def shut(self) -> bool:
        """Whether some cause lets nothing be spoken at all."""
        return any(hold.admit is None for hold in self.active.values())

    def watchdog_due_s(self, *, after_end_s: float, in_all_s: float) -> float | None:
        """Return when the hold for a voice ends by itself, or None while there is none."""
        hold = self.active.get(HoldCause.VOICE)
        if hold is None:
            return None
        latest_s = hold.since_s + in_all_s
        return latest_s if hold.voice_ended_s is None else min(latest_s, hold.voice_ended_s + after_end_s)
