"""Speak a session's utterances with one voice: by priority, with holds, age limits and positions.

Names are imported when first used: who reads what was said needs neither the queue nor a library of sound.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tts_queue.config import QueueConfig as QueueConfig
    from tts_queue.model import SAMPLE_RATE_HZ as SAMPLE_RATE_HZ
    from tts_queue.model import Clip as Clip
    from tts_queue.model import Displaced as Displaced
    from tts_queue.model import HoldsChanged as HoldsChanged
    from tts_queue.model import Move as Move
    from tts_queue.model import Moved as Moved
    from tts_queue.model import Offer as Offer
    from tts_queue.model import OfferOutcome as OfferOutcome
    from tts_queue.model import Part as Part
    from tts_queue.model import Pcm as Pcm
    from tts_queue.model import Priority as Priority
    from tts_queue.model import Prosody as Prosody
    from tts_queue.model import QueueEvent as QueueEvent
    from tts_queue.model import Reworded as Reworded
    from tts_queue.model import SegmentMark as SegmentMark
    from tts_queue.model import SegmentStarted as SegmentStarted
    from tts_queue.model import Snapshot as Snapshot
    from tts_queue.model import Standing as Standing
    from tts_queue.model import Utterance as Utterance
    from tts_queue.model import VoiceFailed as VoiceFailed
    from tts_queue.model import WatchdogFired as WatchdogFired
    from tts_queue.model import WordSpan as WordSpan
    from tts_queue.phases import NEXT as NEXT
    from tts_queue.phases import HoldCause as HoldCause
    from tts_queue.phases import IllegalTransition as IllegalTransition
    from tts_queue.phases import Phase as Phase
    from tts_queue.phases import advance as advance
    from tts_queue.phases import is_over as is_over
    from tts_queue.ports import AudioSink as AudioSink
    from tts_queue.ports import EngineUnavailable as EngineUnavailable
    from tts_queue.ports import LogUnavailable as LogUnavailable
    from tts_queue.ports import NoPacing as NoPacing
    from tts_queue.ports import Opinion as Opinion
    from tts_queue.ports import Pacing as Pacing
    from tts_queue.ports import Recognised as Recognised
    from tts_queue.ports import SpeechError as SpeechError
    from tts_queue.ports import SpeechLog as SpeechLog
    from tts_queue.ports import Voice as Voice
    from tts_queue.ports import VoiceUnavailable as VoiceUnavailable
    from tts_queue.prosody import Dial as Dial
    from tts_queue.queue import SpeechQueue as SpeechQueue

_NAMES: Final = {
    "config": ("QueueConfig",),
    "model": (
        "SAMPLE_RATE_HZ",
        "Clip",
        "Displaced",
        "HoldsChanged",
        "Move",
        "Moved",
        "Offer",
        "OfferOutcome",
        "Part",
        "Pcm",
        "Priority",
        "Prosody",
        "QueueEvent",
        "Reworded",
        "SegmentMark",
        "SegmentStarted",
        "Snapshot",
        "Standing",
        "Utterance",
        "VoiceFailed",
        "WatchdogFired",
        "WordSpan",
    ),
    "phases": (
        "NEXT",
        "HoldCause",
        "IllegalTransition",
        "Phase",
        "advance",
        "is_over",
    ),
    "ports": (
        "AudioSink",
        "EngineUnavailable",
        "LogUnavailable",
        "NoPacing",
        "Opinion",
        "Pacing",
        "Recognised",
        "SpeechError",
        "SpeechLog",
        "Voice",
        "VoiceUnavailable",
    ),
    "prosody": ("Dial",),
    "queue": ("SpeechQueue",),
}
_HOMES: Final = {name: home for home, names in _NAMES.items() for name in names}
__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"tts_queue.{_HOMES[name]}"), name)
