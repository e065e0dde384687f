"""Choose the words of a turn: its text, or for a short one the closed vocabulary's vote."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from realtime.interruption.model import Mode
from realtime.interruption.near import NEAR, consonants, distance
from realtime.interruption.questions import requests
from realtime.interruption.reading import TurnReading, read
from realtime.interruption.words import lexicon

if TYPE_CHECKING:
    from realtime.ears.model import TurnMetadata
    from realtime.interruption.model import Context

SHORT_MS: Final = 800  # the ancestor's first threshold: below it one word is all there is
VOTED_MS: Final = 1500  # its second: the vote counts up to here
FEW_WORDS: Final = 4  # a recogniser makes at most so many out of one hum ("In the nation,")
SURE_VOTE: Final = 0.6  # enough alone
NEAR_VOTE: Final = 0.5  # enough when the text sounds like the word too
HUMMED: Final = frozenset({"no"})  # what a recogniser also writes for a hum
STOP: Final = "stop"
HOLD_ON: Final = "hold on"
NEAR_STOP: Final = 0.25  # share of the sounds that differ: one, as in "stone", "star" or "step"


@dataclass(frozen=True, slots=True)
class Heard:
    """A turn's words, how sure they are (0 to 1), and whether they come from the vote."""

    reading: TurnReading
    confidence: float
    voted: bool
    near: bool  # voted, and the text sounds like it
    doubted: bool  # there was a vote, too weak to count, or no text in time


def hear(text: str, metadata: TurnMetadata, context: Context) -> Heard:
    """Return what the turn is taken for."""
    spoken = read(text, context.case_words)
    if lexicon().phrases["artefact"].at(spoken.words) == len(spoken.words):
        spoken = read("", context.case_words)  # recognisers write these for a breath
    if context.speaking and _is_all_but_stop(spoken, metadata):
        return Heard(read(STOP, context.case_words), NEAR_VOTE, voted=True, near=True, doubted=False)
    if context.speaking and context.mode is not Mode.NOISY and _is_all_but_hold_on(spoken, metadata):
        return Heard(read(HOLD_ON, context.case_words), NEAR_VOTE, voted=True, near=True, doubted=False)
    vote, surety = metadata.word, _share(metadata.word_confidence)
    failed = metadata.trigger == "failed"
    if vote is None or not _may_be_voted(spoken, metadata):
        doubted = failed and not spoken.words
        return Heard(spoken, _share(metadata.confidence), voted=False, near=False, doubted=doubted)
    near = bool(spoken.words) and distance(" ".join(spoken.words), vote) <= NEAR
    if surety >= (NEAR_VOTE if near else SURE_VOTE) and (near or not spoken.case):
        return Heard(read(vote, context.case_words), surety, voted=True, near=near, doubted=False)
    return Heard(spoken, _share(metadata.confidence), voted=False, near=False, doubted=not spoken.words)


def _may_be_voted(spoken: TurnReading, metadata: TurnMetadata) -> bool:
    """A short turn whose text is nothing that we know, or a "no" in which the vote hears a hum."""
    if metadata.duration_ms >= VOTED_MS or len(spoken.words) > FEW_WORDS:
        return False
    if spoken.words and set(spoken.words) <= HUMMED:
        return True
    understood = spoken.words and (spoken.whole or requests(spoken) or spoken.named)
    return not understood


def _is_all_but_stop(spoken: TurnReading, metadata: TurnMetadata) -> bool:
    """One short word of the case that sounds like "stop", while we speak: "step", "stone".

    By itself it would be a question about that; but a missed stop costs more than a false one.
    """
    if metadata.duration_ms >= SHORT_MS or len(spoken.words) != 1 or not spoken.case or spoken.whole:
        return False
    return metadata.word in (None, STOP) and distance(spoken.words[0], STOP) <= NEAR_STOP


def _is_all_but_hold_on(spoken: TurnReading, metadata: TurnMetadata) -> bool:
    """Two words that are no command, with the consonants of "hold on", while we speak: "holed on", "hauled on"."""
    if (
        metadata.duration_ms >= VOTED_MS
        or len(spoken.words) != 2
        or spoken.case
        or spoken.whole
        or spoken.named
    ):
        return False
    one, two = spoken.words
    return consonants(one) == consonants("hold") and consonants(two) == consonants("on")


def _share(value: float) -> float:
    return min(max(value, 0.0), 1.0) if math.isfinite(value) else 0.0
