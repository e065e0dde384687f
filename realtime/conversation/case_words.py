"""The words by which talk about this case is known from other talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from exaim_core import CasePaper

_WORD: Final = re.compile(r"[a-z][a-z-]{3,}")  # four letters: shorter ones are hardly ever a case's own
NAME: Final = "EXAIM"
KEYTERMS: Final = 100  # Deepgram's limits: 100 terms,
KEYTERM_LETTERS: Final = 1_000  # and 500 tokens; a token of medical English has more than two letters
_COMMON: Final = frozenset(
    "after again also been before being between both called days each first from have here hour hours into "
    "last left less like more most much never none normal often only other over past right same seen side "
    "since some such than that their them then there they this today under until very week weeks well were "
    "what when where which while with without year years your about once twice three four times daily".split()
)


def case_words(paper: CasePaper | None, title: str) -> frozenset[str]:
    """Return the telling words of a case, in small letters: of its title, and of its paper's entries."""
    texts = [title, *(_entries(paper) if paper else ())]
    found = {word for text in texts for word in _WORD.findall(text.lower())}
    return frozenset(found - _COMMON)


def keyterms(words: frozenset[str]) -> tuple[str, ...]:
    """Return what a cloud recogniser is told to listen for: our name, then a case's longest words."""
    found, letters = [NAME], 0
    for word in sorted(words, key=lambda word: (-len(word), word)):
        letters += len(word)
        if len(found) == KEYTERMS or letters > KEYTERM_LETTERS:
            break
        found.append(word)
    return tuple(found)


def _entries(paper: CasePaper) -> Iterator[str]:
    yield from paper.history
    yield from (drug.drug for drug in paper.medication)
    yield from (allergy.substance for allergy in paper.allergies)
    yield from (seen.name for seen in paper.observations)
    yield from (lab.analyte for lab in paper.labs)
    yield from (study.study for study in paper.imaging)
