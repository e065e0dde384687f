"""What is said to measure the ears: openings of turns, closed words, and words that are none of them."""

from __future__ import annotations

from typing import Final

from realtime.ears.engines.closed_words import WORDS

HUMMED: Final = ("mm-hm", "uh-huh")  # the voice spells these out; the clinician's sounds hum them
SPOKEN: Final = tuple(word for word in WORDS if word not in HUMMED)
ASKED: Final = frozenset({"why", "who", "sorry"})

OPENINGS: Final = (
    "Stop, hold on.",
    "Stop.",
    "Skip.",
    "Sorry, what was that?",
    "So what about the potassium?",
    "She is fine.",
    "Should we stop the heparin?",
    "First, tell me about the scan.",
    "Pause.",
    "Quiet.",
    "Cancel.",
    "Continue.",
    "Please repeat that.",
    "Thank you.",
    "Hold on.",
    "Who said that?",
    "How much?",
    "Wait.",
    "Why?",
    "Okay.",
    "Yes.",
    "No.",
    "Next.",
    "Go on.",
    "What allergies does she have?",
)

OTHERS: Final = (
    # a ward's words
    *("potassium", "lupus", "heparin", "blood", "doctor", "fever", "chest", "dose", "patient", "nurse"),
    *("water", "table", "maybe", "really", "hello", "morning", "seven", "window", "thanks", "scan"),
    # neighbours in sound of the closed words, the hardest there are
    *("stuff", "star", "stock", "weight", "white", "boss", "paws", "passed", "scared", "skit"),
    *("skin", "scalp", "flour", "name", "note", "text", "known", "rate", "light", "yesterday"),
    *("sari", "story", "hoping", "whole", "cold", "candle", "council", "quite", "question", "against"),
    *("gain", "continent", "report", "repair", "knowledge", "guided", "gone", "wine", "hoop", "high"),
)


def sentence(word: str) -> str:
    """Return a word as a turn of its own, with the mark that gives it its tune."""
    return word.capitalize() + ("?" if word in ASKED else ".")
