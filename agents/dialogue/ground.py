"""No answer says more than the record and the board do: each sentence is looked at again when it is done."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from typing import Final

from agents.dialogue.facts import PAPER, Fact
from exaim_core.grounding import Grounds, refusal

# The frames of an answer's sentences. They state nothing about the patient, and are taken off before the check.
_OPENING: Final = re.compile(r"\AOn (?:the )?(?P<topic>[^:]{1,80}?)(?:, an? [^:]{3,40})?: ")
_FRAMES: Final = re.compile(
    r"\b[Tt]he case paper (?:has|lists)(?: an allergy:)?|(?<=says) of (?=[^:]{3,90}:)|\bBefore that,|,? and \w+ more\b|\b[Ff]or comparison:|\bAlso\b"
)
# Words of the frames that stand beside what is claimed.
_WORDS: Final = "held now has withdrawn and holds no other view yet rejects doubts of it reference range both lead page more on the are is critical first"
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|once|when|until|only|as needed|pending|after|before|should|in case)\b", re.IGNORECASE
)
_ON_THE_PAGE: Final = "is on the page"


def ungrounded(sentence: str, fact: Fact) -> str | None:
    """Return why `sentence` may not be said on `fact`; None if it may. Holds no clinical text."""
    opened = _OPENING.match(sentence)
    topic = opened["topic"] if opened else ""
    body = sentence[opened.end() :] if opened else sentence
    body = _FRAMES.sub(" ", body)
    if fact.told in PAPER and fact.bare and topic:
        body = f"{topic} {body}" if topic == fact.name else body
    body = " ".join(body.split())
    grounds = Grounds(
        sources=fact.rests_on,
        agents=fact.agents,
        terms=(*fact.terms, fact.name, _WORDS),
        vote=fact.vote,
    )
    reason = refusal(body[:1].upper() + body[1:], grounds)
    if reason is not None:
        return reason
    if fact.condition is not None and _ON_THE_PAGE not in sentence and not _CONDITION.search(sentence):
        return "a condition is lost"
    if fact.condition and _ON_THE_PAGE not in sentence and fact.condition.lower() not in sentence.lower():
        return "a condition is lost"
    return None
