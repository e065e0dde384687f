"""Write the prompt of a recogniser that takes one: our commands, and the names of the case."""

from __future__ import annotations

from typing import Final

COMMANDS: Final = (
    "Stop. Wait. Hold on. Pause. Be quiet. Next. Skip this. Go on. Continue. Repeat that. Say that again. "
    "Go back. Slower. Faster. Louder. Quieter. Shorter. Everything. Tell me more. Okay. Yes. No. Got it. "
    "Can you hear me? Spell it. Wrong patient. Who disagrees?"
)
"""One of each: what is said otherwise is likelier too, once the model expects orders to a voice."""
NAMES: Final = 24  # of the case: the longest are the ones that no model knows
OUR_NAME: Final = "EXAIM"


def hints(case_words: frozenset[str]) -> str:
    """Return a text such as might have been said just before."""
    names = sorted(case_words, key=lambda word: (-len(word), word))[:NAMES]
    return f"{', '.join((OUR_NAME, *names))}. {COMMANDS}"
