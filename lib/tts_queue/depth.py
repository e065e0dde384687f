"""Choose how much sound the sink holds: little, and more for a while after a late writer."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class DepthLimits:
    """Depths in seconds. All that the sink holds delays a hold and a new start."""

    # On a busy 2-core machine a writer came 11-16 ms late at worst, and a frame has 20 ms. So little
    # while nothing sounds, since a start waits behind it; more while something does, since a gap is heard.
    # All of it is heard after a "stop": so no more than that (docs/decisions/087-one-voice-on-its-way.md), and
    # little again for a moment when one may be about to be said (docs/decisions/095-ears-and-turns.md).
    usual_s: float = 0.040
    speaking_s: float = 0.080
    most_s: float = 0.090  # below the 100 ms that the sink can take
    step_s: float = 0.020
    near_s: float = 0.025  # with less left while something sounds, the depth grows before a gap is heard
    calm_s: float = 30.0  # time without a late writer after which a step is taken back
    expected_s: float = 0.2  # for so long after a rise of sound; most voices begin 0.05 s after it


@dataclass(frozen=True, slots=True)
class Depth:
    """The present depth, which grows when the sink runs empty: that stops the track's clock."""

    limits: DepthLimits
    raised_s: float = 0.0
    late_at_s: float = 0.0
    times_late: int = 0

    def late(self, now_s: float) -> Depth:
        """Return the depth after the sink was found empty."""
        return replace(self.near(now_s), times_late=self.times_late + 1)

    def near(self, now_s: float) -> Depth:
        """Return the depth after the writer came so late that the sink was nearly empty."""
        room_s = self.limits.most_s - self.limits.usual_s
        raised_s = min(self.at_s(now_s) - self.limits.usual_s + self.limits.step_s, room_s)
        return replace(self, raised_s=raised_s, late_at_s=now_s)

    def at_s(self, now_s: float, *, speaking: bool = False) -> float:
        """Return how much sound the sink should hold at `now_s`, in seconds."""
        calm_steps = int((now_s - self.late_at_s) / self.limits.calm_s)
        least_s = self.limits.speaking_s if speaking else self.limits.usual_s
        return min(least_s + max(0.0, self.raised_s - calm_steps * self.limits.step_s), self.limits.most_s)
