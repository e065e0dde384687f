"""Whole commands held against a sound: which of them its text may have been, and when one counts.

A recogniser writes the likeliest of all sentences. Said by a voice that it hears badly, "slower" becomes
"flour", though "slower" fits the sound as well: the model itself says so, if it is made to write just that. So
the commands nearest to the text, and those that silence us, are each given a likelihood by the same model from
the same sound. Which one counts is decided here; the model is asked in `whisper`. Rule and figures:
docs/decisions/077-commands-held-against-the-sound.md.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

LONGEST_S: Final = 3.0  # a longer sound is no command
NEAREST: Final = 8  # commands whose letters are nearest to the text
ALWAYS: Final = ("stop", "wait", "hold on", "hang on", "pause", "be quiet", "wrong patient")
"""Held against every sound: these silence us, and the text of a bad "wait" is like no command."""
PRIOR: Final = 4.0
"""Log odds that a short sound is a command before it is compared: so much less likely than the free text may
one be."""
LEAST: Final = -2.5
"""Mean log likelihood of a piece below which a command fits no sound, however badly the free text fits."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A text, its log likelihood given a sound, and of how many pieces it is made."""

    text: str
    log_likelihood: float
    pieces: int


def nearest(text: str, commands: Sequence[str]) -> list[str]:
    """Return the commands to hold against a sound in which `text` was heard, as they would be written.

    None if the text is a command as it stands, or empty.
    """
    heard = " ".join(re.findall(r"[a-z]+", text.lower().replace("'", "")))
    if not heard:
        return []
    near = process.extract(heard, commands, scorer=Levenshtein.normalized_distance, limit=NEAREST)
    if any(distance == 0.0 for _, distance, _ in near):
        return []
    return [
        f"{each[0].upper()}{each[1:]}." for each in dict.fromkeys((*(each for each, _, _ in near), *ALWAYS))
    ]


def chosen(commands: Sequence[Scored], free: Scored) -> tuple[str, float] | None:
    """Return the likeliest command and its likelihood beside the text (0.5 to 1); None: the text stands."""
    best = max(commands, key=lambda each: each.log_likelihood)
    odds = best.log_likelihood - free.log_likelihood + PRIOR
    if odds < 0.0 or best.log_likelihood < LEAST * best.pieces:
        return None
    return best.text, 1.0 / (1.0 + math.exp(-odds))
