"""Say what may sound now: as the holds let it pass, and only while the log can be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tts_queue.holds import Hold, Holds
from tts_queue.model import Priority
from tts_queue.phases import HoldCause


class Permits:
    """The holds of the callers, and the queue's own for the store."""

    def __init__(self, gate: Callable[[], bool]) -> None:
        """`gate`: while it returns False, speech is silenced as if the log were away."""
        self._gate = gate
        self._holds = Holds()
        self._lost = False  # the log can't be written
        self.silenced = False  # the log can't be written, or the gate is shut

    @property
    def active(self) -> Mapping[HoldCause, Hold]:
        """Return the holds of the callers, by cause."""
        return self._holds.active

    @property
    def causes(self) -> tuple[HoldCause, ...]:
        """Return all causes for which speech is held."""
        return (*self._holds.active, *((HoldCause.STORE,) if self.silenced else ()))

    @property
    def shut(self) -> bool:
        """Return whether nothing at all may sound."""
        return self.silenced or self._holds.shut

    def may_speak(self, priority: Priority, begun_s: float | None) -> bool:
        """Return whether an utterance of `priority`, begun at `begun_s`, may sound; None: it has not begun."""
        return not self.silenced and self._holds.may_speak(priority, begun_s)

    def hold(self, cause: HoldCause, now_s: float, *, admit: Priority | None, begun: Priority | None) -> None:
        """Hold speech for `cause`; see `SpeechQueue.hold`."""
        self._holds = self._holds.add(cause, now_s, admit, begun=begun)

    def lift(self, cause: HoldCause) -> None:
        """Hold speech no longer for `cause`."""
        self._holds = self._holds.lift(cause)

    def voice_ended(self, now_s: float) -> None:
        """Record that the voice for which speech is held fell silent."""
        self._holds = self._holds.voice_ended(now_s)

    def watchdog_due_s(self, *, after_end_s: float, in_all_s: float) -> float | None:
        """Return when the hold for a voice ends by itself, or None without such a hold."""
        return self._holds.watchdog_due_s(after_end_s=after_end_s, in_all_s=in_all_s)

    def log_lost(self, lost: bool) -> None:
        """Record whether the log can be written; it counts from the next `look` on."""
        self._lost = lost

    def refresh(self) -> bool:
        """Look at the log and the gate; return whether speech is silenced, or is so no longer, since then."""
        silenced = self._lost or not self._gate()
        changed, self.silenced = silenced != self.silenced, silenced
        return changed
