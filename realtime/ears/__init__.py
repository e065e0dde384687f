"""Ears: the clinician's microphone to turns of speech, each with its text and its times."""

from realtime.ears.ears import Ears
from realtime.ears.model import (
    EARS_RATE_HZ,
    WINDOW,
    EagerTurn,
    EarEvent,
    EarsConfig,
    EarsFailed,
    EarsRecovered,
    Ending,
    SoundRose,
    Trigger,
    TurnEnded,
    TurnMetadata,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.ears.ports import EchoProcessing, Passage, Recogniser, Second, Transcriber, Vad

__all__ = [
    "EARS_RATE_HZ",
    "WINDOW",
    "EagerTurn",
    "EarEvent",
    "Ears",
    "EarsConfig",
    "EarsFailed",
    "EarsRecovered",
    "EchoProcessing",
    "Ending",
    "Passage",
    "Recogniser",
    "Second",
    "SoundRose",
    "Transcriber",
    "Trigger",
    "TurnEnded",
    "TurnMetadata",
    "TurnResumed",
    "Vad",
    "VoiceBegan",
    "VoicePaused",
]
