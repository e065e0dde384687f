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
from realtime.ears.ports import EchoProcessing, Recogniser, Second, TranscribedTurn, Transcriber, Vad

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
    "Recogniser",
    "Second",
    "SoundRose",
    "TranscribedTurn",
    "Transcriber",
    "Trigger",
    "TurnEnded",
    "TurnMetadata",
    "TurnResumed",
    "Vad",
    "VoiceBegan",
    "VoicePaused",
]
