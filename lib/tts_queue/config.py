"""Limits and times of the speech queue, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from tts_queue.depth import DepthLimits
from tts_queue.model import Pcm
from tts_queue.outbox import LogLimits
from tts_queue.playout import Pauses
from tts_queue.prefetch import PrefetchLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueConfig:
    """Limits and times of one queue."""

    depth: DepthLimits = field(default_factory=DepthLimits)
    tick_s: float = 0.005  # interval at which `settled` looks whether the log has all records
    nap_s: float = 0.001  # the writer's shortest sleep: the loop's timers are no finer
    bound: int = 64  # utterances that may be QUEUED, or twice as many if all are critical: over 6 minutes
    confirm_within_s: float = 0.100  # an utterance is SPOKEN when at most so much of it is unheard
    unconfirmed_s: float = 10.0  # so long after its last sample it is CUT, with the reason "unconfirmed"
    voice_verdict_s: float = 1.0  # from the end of a voice to the end of its hold, without a verdict
    clause_after_s: float = 2.0  # after a longer hold the clause is said again from its beginning
    voice_hold_s: float = 10.0  # longest hold for a voice in all: docs/decisions/013
    note_s: float = 1.6  # pause after a critical finding, for "got it"; another finding does not wait for it
    earcon: Pcm | None = field(
        default=None, compare=False
    )  # opens utterances that ask for one; a second at most
    earcon_after_s: float = 0.12  # silence before an earcon, so that it is heard apart from a word cut off
    pauses: Pauses = field(default_factory=Pauses)
    log: LogLimits = field(default_factory=LogLimits)
    prefetch: PrefetchLimits = field(default_factory=PrefetchLimits)
