"""The numbers of the speech queue, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field

from tts_queue.depth import DepthLimits
from tts_queue.model import Pcm
from tts_queue.outbox import LogLimits
from tts_queue.playout import Pauses
from tts_queue.prefetch import PrefetchLimits


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueConfig:
    """The queue's numbers."""

    depth: DepthLimits = field(default_factory=DepthLimits)
    tick_s: float = 0.005  # how often it is looked whether the log has all
    nap_s: float = 0.001  # the writer's shortest sleep: the loop's timers are no finer
    bound: int = 64  # that may be QUEUED, twice as many critical ones; at 6 s each more than 6 minutes
    confirm_within_s: float = 0.100  # an utterance is SPOKEN when this much, or less, of it is unheard
    unconfirmed_s: float = 10.0  # after its last sample: then it is CUT, reason "unconfirmed"
    voice_verdict_s: float = 1.0  # from the end of a voice to the end of its hold, without a verdict
    clause_after_s: float = 2.0  # of a hold: then what was said of the clause is no longer in the ear
    voice_hold_s: float = 10.0  # longest hold for a voice in all: docs/decisions/013
    note_s: float = 1.6  # after a critical finding, for "got it"; another one does not wait for it
    earcon: Pcm | None = field(default=None, compare=False)  # opens what asks for one; at most a second
    earcon_after_s: float = 0.12  # of silence: heard apart from the word that was cut off
    pauses: Pauses = field(default_factory=Pauses)
    log: LogLimits = field(default_factory=LogLimits)
    prefetch: PrefetchLimits = field(default_factory=PrefetchLimits)
