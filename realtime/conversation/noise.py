"""Judge whether the room is too noisy to hold the speech for every voice. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

WITHIN_S: Final = 20.0  # so many holds for nothing within so long
HOLDS: Final = 3
LONG_HOLD_S: Final = 3.5  # or one of so long, without a word for us; the silence that ended it is in it
CALM_S: Final = 30.0  # without any voice: quiet again
FOR_US: Final = 2  # turns in a row that were for us: whoever speaks there speaks to us


@dataclass(frozen=True, slots=True)
class Noise:
    """The recent holds for no word to us, and whether they made the room noisy. Times: loop clock."""

    vain_s: tuple[float, ...] = ()  # since the last word for us
    noisy: bool = False
    voice_s: float = 0.0  # when a voice was heard last
    for_us: int = 0  # turns in a row that were for us

    def voice(self, now_s: float) -> Noise:
        """Return the state after a voice was heard."""
        return replace(self, voice_s=now_s)

    def held_in_vain(self, held_s: float, now_s: float) -> Noise:
        """Return the state after speech was held for `held_s` without a word for us."""
        recent = (*(at for at in self.vain_s if now_s - at < WITHIN_S), now_s)
        noisy = self.noisy or held_s > LONG_HOLD_S or len(recent) >= HOLDS
        return Noise(recent, noisy, now_s)

    def decided(self, *, for_us: bool) -> Noise:
        """Return the state after a turn that was for us, or was not and held nothing."""
        if not for_us:
            return replace(self, for_us=0)
        many = self.for_us + 1
        return replace(self, vain_s=(), noisy=self.noisy and many < FOR_US, for_us=many)

    def tick(self, now_s: float) -> Noise:
        """Return the state at `now_s`: after `CALM_S` without a voice the room is no longer noisy."""
        if self.noisy and now_s - self.voice_s >= CALM_S:
            return Noise(voice_s=self.voice_s)
        return self
