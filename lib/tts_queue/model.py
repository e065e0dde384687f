"""Values of the voice: what is to be said, how, and what became of it.

Two sample counts occur, both at 48,000 a second. *Session samples* count every sample written to the
track since it began; they are the session's one clock. *Content samples* count within one utterance:
its clips and the pauses between them, in order, without what a hold put in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tts_queue.phases import HoldCause, Phase

if TYPE_CHECKING:  # who reads what was said has no sound, and 10 MB less
    import numpy as np
    from numpy.typing import NDArray

SAMPLE_RATE_HZ: Final = 48_000
Pcm: TypeAlias = "NDArray[np.int16]"


class Priority(IntEnum):
    """Who speaks first; a lower number goes before."""

    INTERLOCK = -1  # a question that silences even critical utterances until it is answered
    CRITICAL = 0
    PRESSING = 1
    ANSWER = 2
    NOTICE = 3
    SUMMARY = 4
    FILLER = 5


@dataclass(frozen=True, slots=True)
class Prosody:
    """How an utterance should sound. An engine says it in its own way and drops what it can't."""

    rate: float = 1.0  # of the voice's usual speed
    pitch_semitones: float = 0.0
    volume_db: float = 0.0
    pause_before_s: float = 0.3  # silence since the utterance before
    pause_after_s: float = 0.0
    emphasis: tuple[str, ...] = ()
    earcon: bool = False  # opens with the queue's alarm tone, before any word


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing to say. `queued_at_s` and `lag_from_s` are on the clock of the queue's event loop."""

    utterance_id: str
    text: str
    priority: Priority
    kind: str
    topic: str | None = None  # None: unique, supersedes nothing
    prosody: Prosody = Prosody()
    update_id: str | None = None
    protects: bool = False  # replaced only by one of its topic that protects too, or revises it
    revises: bool = False  # withdraws what was said on its topic before
    critical_key: str | None = None  # told once in a session, except by a replay
    timely_s: float | None = None  # age up to which it is in time; late ones let timely ones pass
    expires_after_s: float | None = None  # age at which it is dropped unspoken; never if CRITICAL
    replays: str | None = None  # the utterance that this one offers again
    stopped: bool = False  # the listener stopped the one it replays; holds count it as begun
    from_clause: int = 0  # the clause it begins with: those before were heard in the one it replays
    gives_way: bool = False  # pressing utterances interrupt it, and go before the rest of it
    at_next_pause: bool = (
        False  # a short reply: after critical ones it goes first, and interrupts at a clause's end
    )
    yields_for_s: float = 0.0  # up to this age all others go before it, and interrupt it at a clause's end
    weight: int = 0  # within a priority the heavier go first, then in order of arrival
    queued_at_s: float = 0.0
    lag_from_s: float | None = None
    spelled_out: int = 0  # words said sign by sign, as the check of the spoken text found a difference

    @property
    def lags_from_s(self) -> float:
        """Return from when its lag counts: when its words were said, if that is known, else when it was queued."""
        return self.queued_at_s if self.lag_from_s is None else self.lag_from_s


class WordSpan(NamedTuple):
    """A word and where it sounds, from its first sample to the one after its last."""

    text: str
    start_sample: int
    end_sample: int


@dataclass(frozen=True, slots=True, eq=False)
class Clip:
    """The sound of one text: 48 kHz mono, and a span for each of its blank-separated words, in order.

    Spans never go back and lie within `pcm`; words that the engine joined share one span.
    """

    pcm: Pcm
    words: tuple[WordSpan, ...]
    engine: str


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some sound of a clip. Its parts come in order; each tells the length and the words of the whole."""

    pcm: Pcm
    samples: int
    words: tuple[WordSpan, ...]
    engine: str


def joined(parts: Sequence[Part]) -> Clip:
    """Return the clip of all its parts. Raises: ValueError: there are not all."""
    import numpy as np

    pcm = np.concatenate([part.pcm for part in parts])
    if len(pcm) != parts[0].samples:
        raise ValueError(f"{len(pcm)} of {parts[0].samples} samples")
    return Clip(pcm, parts[0].words, parts[0].engine)


@dataclass(frozen=True, slots=True)
class SegmentMark:
    """Where a segment was first heard: its number from 0, first session sample, length and engines.

    Clauses before `Utterance.from_clause` are not counted. `engines` are several where one voice broke off and
    another said the rest.
    """

    index: int
    start_sample: int
    samples: int
    engines: tuple[str, ...] = ()  # none: it was recorded before this was


@dataclass(frozen=True, slots=True)
class Move:
    """One change of phase. `number` counts the moves of its utterance from 1; at_s: the queue's clock.

    `sent`, `played`, `heard` and `total` are content samples. `total` is what is known so far, the
    whole once `complete`. `start_sample` is the session sample of the first sound: in the first move
    to SPEAKING, which is recorded before any sound, the first one that it can be.
    """

    utterance_id: str
    number: int
    phase_from: Phase
    phase_to: Phase
    at_s: float
    cause: HoldCause | None = None
    reason: str | None = None
    sent: int = 0
    played: int = 0
    heard: int = 0
    total: int = 0
    complete: bool = False
    start_sample: int | None = None
    segments: tuple[SegmentMark, ...] = ()
    text: str | None = None  # the words of its utterance, if they were changed while it waited


class OfferOutcome(StrEnum):
    """What became of an offer."""

    QUEUED = "queued"
    BLANK = "blank"  # no text: nothing was recorded
    DUPLICATE = "duplicate"  # this id was offered before: nothing was recorded
    REPEAT = "repeat"  # its critical key was told or waits: recorded, and SUPERSEDED at once
    FULL = "full"  # what waits is more urgent, or all critical: recorded, and EXPIRED at once


@dataclass(frozen=True, slots=True)
class Offer:
    """The answer to an offer; `dropped` are the waiting utterances that made room for it."""

    utterance_id: str
    outcome: OfferOutcome
    dropped: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether the utterance now waits to be spoken."""
        return self.outcome is OfferOutcome.QUEUED


@dataclass(frozen=True, slots=True)
class Moved:
    """An utterance changed its phase."""

    move: Move


@dataclass(frozen=True, slots=True)
class Reworded:
    """An utterance that waits has other words now; the log learns them with its next move."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class SegmentStarted:
    """A segment's first sample was written; `words` are as to be read, in session samples.

    `index` and `of` count the clauses of the whole text, also of one that is offered from a later one on.
    After a hold, or when a part of it was late or had to be made again, it comes again with the same
    `index`, from the word at which speech goes on; a word that was broken by the wait is not among them.
    """

    utterance_id: str
    index: int
    of: int
    text: str
    start_sample: int
    samples: int
    words: tuple[WordSpan, ...]


@dataclass(frozen=True, slots=True)
class Displaced:
    """An unspoken utterance was dropped: for a newer one, for its age, or as the queue was full."""

    utterance_id: str
    by: str | None
    phase: Phase
    reason: str
    at_s: float


@dataclass(frozen=True, slots=True)
class VoiceFailed:
    """The engine gave no sound for a segment; `final` when it is not tried again."""

    utterance_id: str
    segment: int
    attempt: int
    final: bool
    reason: str
    at_s: float


@dataclass(frozen=True, slots=True)
class HoldsChanged:
    """The causes for which speech is held now; empty when it is free."""

    causes: tuple[HoldCause, ...]
    at_s: float


@dataclass(frozen=True, slots=True)
class WatchdogFired:
    """The hold for a voice was lifted after `held_s`, as no verdict came."""

    held_s: float
    at_s: float


QueueEvent: TypeAlias = (
    Moved | Reworded | SegmentStarted | Displaced | VoiceFailed | HoldsChanged | WatchdogFired
)


@dataclass(frozen=True, slots=True)
class Standing:
    """One unfinished utterance in a snapshot; positions are content samples."""

    utterance: Utterance
    phase: Phase
    cause: HoldCause | None
    heard: int
    total: int
    all_sent: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The queue at one moment: unfinished utterances in the order in which they would be spoken."""

    standings: tuple[Standing, ...]
    holds: tuple[HoldCause, ...]
    written_samples: int
    sent_samples: int
    played_samples: int
    longest_gap_s: float = 0.0  # longest unasked silence inside an utterance so far
    times_late: int = 0  # how often the sink had run empty when the writer came

    @property
    def speaking(self) -> Standing | None:
        """Return the utterance at the listener's ear: sent but unconfirmed, else the one being sent."""
        current = [s for s in self.standings if s.phase is Phase.SPEAKING]
        return max(current, key=lambda s: s.all_sent, default=None)
