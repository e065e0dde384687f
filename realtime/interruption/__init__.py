"""Classify a turn of the clinician: acknowledgment, cancel, new input, or not for us."""

from realtime.interruption.classify import classify_with_prosody
from realtime.interruption.ending import ending_of
from realtime.interruption.model import (
    UNSURE,
    Context,
    Effect,
    Kind,
    Mode,
    PendingQuestion,
    Verdict,
    Why,
)
from realtime.interruption.near import distance
from realtime.interruption.orders import asks_inside, order_may_be_asked
from realtime.interruption.plain import is_made_out, is_plain_question
from realtime.interruption.whole import understood, whole_commands
from realtime.interruption.words import is_clinical, is_drug, lexicon, words_of

__all__ = [
    "UNSURE",
    "Context",
    "Effect",
    "Kind",
    "Mode",
    "PendingQuestion",
    "Verdict",
    "Why",
    "asks_inside",
    "classify_with_prosody",
    "distance",
    "ending_of",
    "is_clinical",
    "is_drug",
    "is_made_out",
    "is_plain_question",
    "lexicon",
    "order_may_be_asked",
    "understood",
    "whole_commands",
    "words_of",
]
