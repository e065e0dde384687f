"""Keep the causes that hold speech, what may pass them, and when the voice watchdog fires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tts_queue.model import Priority
from tts_queue.phases import HoldCause


@dataclass(frozen=True, slots=True)
class Hold:
    """One hold: since when, and down to which priority it lets utterances pass.

    `admit`: the least urgent priority that passes if it had not begun before the hold; None: none. `begun`: the
    least urgent that passes if it had.
    """

    since_s: float
    admit: Priority | None = None
    begun: Priority | None = None
    voice_ended_s: float | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """All holds by cause. A value: each change returns a new one."""

    active: Mapping[HoldCause, Hold] = field(default_factory=lambda: MappingProxyType({}))

    def add(
        self, cause: HoldCause, now_s: float, admit: Priority | None, *, begun: Priority | None = None
    ) -> Holds:
        """Return the holds with `cause`; a known one keeps its start, and a voice that ended goes on."""
        known = self.active.get(cause)
        hold = replace(known or Hold(now_s), admit=admit, begun=begun, voice_ended_s=None)
        return Holds(MappingProxyType({**self.active, cause: hold}))

    def lift(self, cause: HoldCause) -> Holds:
        """Return the holds without `cause`."""
        return Holds(MappingProxyType({c: h for c, h in self.active.items() if c is not cause}))

    def voice_ended(self, now_s: float) -> Holds:
        """Return the holds after the voice fell silent: from now on its verdict is due."""
        known = self.active.get(HoldCause.VOICE)
        if known is None or known.voice_ended_s is not None:
            return self
        ended = replace(known, voice_ended_s=now_s)
        return Holds(MappingProxyType({**self.active, HoldCause.VOICE: ended}))

    def may_speak(self, priority: Priority, begun_s: float | None) -> bool:
        """Return whether every hold lets an utterance of `priority`, begun at `begun_s`, be spoken.

        An utterance that had begun is held even if its priority is admitted, unless `begun` lets it go on: a "stop"
        said to a critical utterance is obeyed.
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
        """Return whether some hold lets nothing pass at all."""
        return any(hold.admit is None for hold in self.active.values())

    def watchdog_due_s(self, *, after_end_s: float, in_all_s: float) -> float | None:
        """Return when the hold for a voice ends by itself, or None without such a hold."""
        hold = self.active.get(HoldCause.VOICE)
        if hold is None:
            return None
        latest_s = hold.since_s + in_all_s
        return latest_s if hold.voice_ended_s is None else min(latest_s, hold.voice_ended_s + after_end_s)
