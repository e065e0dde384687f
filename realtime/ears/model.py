"""The events of the ears. Times are on the audio clock: seconds since the track's first frame.

Of one turn, in this order: VoiceBegan, (VoicePaused, [EagerTurn], [TurnResumed])*, TurnEnded once. Turns
end in their order too, but the next may begin while the text of the last is still awaited.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

EARS_RATE_HZ: Final = 16_000
WINDOW: Final = 512  # samples of one look of the voice detector: 32 ms
WINDOW_S: Final = WINDOW / EARS_RATE_HZ

Ending: TypeAlias = Literal["open", "unfinished", "wanting", "finished"]
"""What the words at a pause tell of it: nothing, that more may come, that a word is missing, or that none is."""
Trigger: TypeAlias = Literal["silence", "timeout", "track_ended", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMetadata:
    """What is known of a turn besides its text."""

    turn: int  # from 1
    began_s: float  # audio clock: the first voiced window's start
    ended_s: float  # audio clock: the last voiced window's end
    duration_ms: int  # from began to ended; arrival times play no part
    word_count: int
    had_eager_eot: bool  # a text was given out at a pause
    had_turn_resumed: bool  # the voice came back after a pause
    confidence: float  # of the text, 0 to 1
    word: str | None  # the one of the closed vocabulary that a short turn is, such as "stop"
    word_confidence: float  # 0 to 1
    trigger: Trigger  # why it ended; timeout: too long, or no more sound came; failed: no text in time
    ending: Ending = "open"  # of the words, as they were written at the last pause
    joined: str = ""  # the text of the turn before and this one as one sound; "": none ended just before


@dataclass(frozen=True, slots=True)
class SoundRose:
    """The sound rises over what was there: a voice may be about to begin. Of no turn, and often nothing."""


@dataclass(frozen=True, slots=True)
class VoiceBegan:
    """A voice is heard. Decided for speed: it may turn out to be a noise, and the turn ends without text."""

    turn: int
    at_s: float  # the first voiced window's start; the news comes one or two windows later


@dataclass(frozen=True, slots=True)
class VoicePaused:
    """The voice fell silent, perhaps for good."""

    turn: int
    at_s: float  # the last voiced window's end


@dataclass(frozen=True, slots=True)
class EagerTurn:
    """The text so far, made at a pause. If the voice stays silent it is the turn's text.

    It comes again, with the same text, once it is known what it says behind the turn before (`metadata.joined`).
    """

    turn: int
    text: str
    metadata: TurnMetadata


@dataclass(frozen=True, slots=True)
class TurnResumed:
    """The voice came back after a pause: an eager text of this turn is void."""

    turn: int
    at_s: float  # the first voiced window's start


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn is over. The text is empty for a noise, and where the recogniser gave nothing."""

    turn: int
    text: str
    metadata: TurnMetadata


@dataclass(frozen=True, slots=True)
class EarsFailed:
    """The recogniser gave no text in time. Said once, until EarsRecovered."""

    reason: str


@dataclass(frozen=True, slots=True)
class EarsRecovered:
    """The recogniser works again."""


EarEvent: TypeAlias = (
    SoundRose | VoiceBegan | VoicePaused | EagerTurn | TurnResumed | TurnEnded | EarsFailed | EarsRecovered
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarsConfig:
    """When a voice begins, pauses and ends. The figures behind each number: docs/decisions/009-ears.md."""

    begin_at: float = 0.35  # a window of this probability begins a turn, or brings the voice back
    stay_at: float = 0.3  # while the voice is heard, a window of less is silence
    lull_s: float = 0.064  # of silence in a short turn: its text is asked for ahead, for the pause
    ahead_s: float = 6.0  # the text of a longer turn is asked for at the pause only
    pause_short_s: float = 0.128  # of silence in a short turn: it is paused, and its text is given out
    pause_s: float = 0.25  # the same in a longer one: 0.16 s is also the breath at a comma
    end_s: float = 0.6  # of silence: the turn has ended, unless its words call for one of these:
    end_finished_s: float = 0.45  # after a whole question or a yes
    end_unfinished_s: float = 1.05  # after words that may go on; the queue's watchdog is near
    end_wanting_s: float = 1.6  # after words that lack another: the speaker thinks in mid-sentence
    joins_s: float = 1.4  # a shorter gap to the next turn: both are also recognised as one
    least_voiced_s: float = 0.1  # a turn with less voiced sound is a noise: no text
    short_s: float = 1.2  # a shorter turn is compared with the closed vocabulary too
    sure_word: float = 0.6  # a vote this sure of a closed word waits for no transcriber: 010-verdicts.md
    longest_s: float = 20.0  # a turn is cut there
    pre_roll_s: float = 0.3  # of sound before the first voiced window that the recogniser gets
    deadline_s: float = 1.5  # for a text, from when it was asked for
    deadline_share: float = 0.1  # added, as a share of the sound's length: 14 s of speech take 1.0 s to read
    second_s: float = 0.8  # for a second opinion, from the first recogniser's text on; then that stands
    stalled_s: float = 1.0  # a turn under way ends when no sound came for so long (loop's clock)
    backlog_s: float = 2.0  # of sound that may wait for the detector; the oldest beyond it is dropped
    silence_level: int = 2  # samples of at most this size are digital silence
