"""Hold the speech while somebody speaks; in a noisy room lower it instead, and let overdue alarms pass."""

from __future__ import annotations

from collections.abc import Mapping

from realtime.conversation.floor import Floor
from realtime.conversation.noise import Noise
from realtime.conversation.ports import SpeechPort
from realtime.conversation.retelling import Retelling
from realtime.conversation.steering import STEERS, TurnUnderWay
from realtime.interruption import Kind, Mode, Verdict
from realtime.speech.put_off import PutOff
from tts_queue import HoldCause, Priority


class VoiceHold:
    """Knows how noisy the room is and which alarms talk has held for long. Times: loop clock."""

    def __init__(
        self, stage: SpeechPort, floor: Floor, retelling: Retelling, turns: Mapping[int, TurnUnderWay]
    ) -> None:
        """`turns` are those under way, by number."""
        self._stage, self._floor, self._retelling, self._turns = stage, floor, retelling, turns
        self._noise = Noise()
        self._put_off = PutOff()
        self._over_talk = False  # stopped alarms are told again while somebody speaks, until none waits

    @property
    def noisy(self) -> bool:
        """Return whether the room is too noisy to hold the speech for every voice."""
        return self._noise.noisy

    def began(self, now_s: float) -> None:
        """Hold the speech for a turn that begins."""
        self.hold()
        self._noise = self._noise.voice(now_s)
        self._retelling.stopped.voice(now_s)

    def hold(self) -> None:
        """Hold the speech, all of it or all but alarms; in a noisy room only lower it."""
        if self._noise.noisy:
            self._stage.duck(True)
        elif self._put_off.overdue or self._over_talk:
            self._stage.hold(HoldCause.VOICE, admit=Priority.CRITICAL, begun=Priority.CRITICAL)
        else:
            self._stage.hold(HoldCause.VOICE)

    def release(self, number: int) -> None:
        """Lift the hold for a turn, unless another one is under way."""
        if not self._turns.keys() - {number}:
            self._stage.release(HoldCause.VOICE)

    def finished(self, turn: TurnUnderWay, verdict: Verdict, now_s: float, *, failed: bool) -> None:
        """Judge the room by a turn that is over; `failed`: its words were not recognised."""
        if turn.held and verdict.kind is Kind.IGNORE and not failed:  # a failure is no sign of noise
            self._noise = self._noise.held_in_vain(now_s - turn.began_s, now_s)
        else:
            for_us = verdict.effect in STEERS or verdict.kind is Kind.ACKNOWLEDGMENT
            self._noise = self._noise.decided(for_us=for_us)
        if not self._turns:
            self._stage.duck(False)
        self._retelling.stopped.voice(now_s)

    def watchdog(self, held_s: float, now_s: float) -> None:
        """Handle a hold that ended without a verdict: the voice does not end, or its text is late."""
        if any(not turn.paused for turn in self._turns.values()):
            self._noise = self._noise.held_in_vain(held_s, now_s)
            self._stage.duck(True)

    def tick(self, now_s: float, *, away: bool) -> None:
        """Judge the room, and let alarms pass that are overdue at `now_s`."""
        if self._turns:
            self._noise = self._noise.voice(now_s)
        self._noise = self._noise.tick(now_s)
        due = False
        if self._floor.mode is not Mode.FREE:
            self._put_off.forget()
        elif not away:
            due = self._put_off.tick(now_s, self._stage.snapshot())
        self._floor.overdue = self._put_off.overdue
        if due:
            self._floor.admit_alarms()
            self._admit_over_voice()

    def tell_stopped(self, now_s: float) -> None:
        """Tell the stopped alarms that are due; after their longest time no talk holds them, only a new "stop"."""
        if self._floor.mode is Mode.FREE or self._retelling.stopped.any or not self._has_alarms():
            self._over_talk = False
        if self._floor.tell_stopped(now_s, spoken_to=bool(self._turns)) and self._turns:
            self._over_talk = True
            self._admit_over_voice()

    def _has_alarms(self) -> bool:
        return any(each.utterance.critical_key is not None for each in self._stage.snapshot().standings)

    def _admit_over_voice(self) -> None:
        if HoldCause.VOICE in self._stage.snapshot().holds:
            self.hold()
            if all(turn.paused for turn in self._turns.values()):
                self._stage.voice_ended()  # the watchdog goes on waiting for the verdict
