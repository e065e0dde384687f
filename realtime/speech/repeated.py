"""What one says again in more words: of two that wait, the one that holds the other's words whole is told. Pure."""

from __future__ import annotations

import re
from typing import Final

from tts_queue import Utterance

TOLD_WITHIN: Final = "told within another"  # reason of an item whose words are told in another one
_SAID: Final = re.compile(r"(?:Caution, |Check, )?(?:the )?(?P<who>[^:]{2,60}): (?P<what>.+)", re.I | re.S)
_ENDS: Final = re.compile(r"(?<=[.;!?])\s+")
LEAST_WORDS: Final = 3  # fewer may mean another thing beside other words


def is_within(part: Utterance, whole: Utterance) -> bool:
    """Return whether all sentences of `part` are sentences of `whole`, by the same speaker, as urgent or more.

    Sentences, and not words: "give it" is not within "don't give it", nor within "if it falls: give it".
    """
    if part.critical_key or whole.critical_key or whole.priority > part.priority:
        return False
    shorter, longer = _SAID.fullmatch(part.text), _SAID.fullmatch(whole.text)
    if shorter is None or longer is None or shorter["who"].lower() != longer["who"].lower():
        return False
    said, there = _sentences(shorter["what"]), _sentences(longer["what"])
    return sum(len(each.split()) for each in said) >= LEAST_WORDS and set(said) <= set(there)


def _sentences(text: str) -> list[str]:
    return [each.rstrip(".;!? ").lower() for each in _ENDS.split(text.strip())]
