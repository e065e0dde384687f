"""Headings that a sentence is written behind, and that name nothing: "What Remains: she needs no nephrostomy."."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from agents.dialogue.meaning import asked_in, clinical
from exaim_core.text.jsontext import denies
from exaim_core.text.sections import Section, classify

_TITLE: Final = re.compile(r"(?P<head>[A-Z][\w'’-]*(?: [\w'’-]+){1,3}): (?=\S)")
_LONG: Final = 4  # letters of a word that a title writes with a capital


@lru_cache(maxsize=4096)
def without_bare_heading(text: str) -> str:
    """Return a sentence without its heading where that names nothing: read aloud it sounds like a claim.

    A heading names something where a word of it is clinical, where it says what kind of thing stands under it, and
    where it takes back or forbids that.
    """
    title = _TITLE.match(text)
    if title is None:
        return text
    head = title["head"]
    if not all(word[:1].isupper() for word in head.split() if len(word) >= _LONG):
        return text
    if classify(head) is not Section.OTHER or denies(head) or any(map(clinical, asked_in(head))):
        return text
    return text[title.end() :]
