"""No answer says more than the record and the board do: each sentence is looked at again when it is done."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from typing import Final

from agents.dialogue.facts import PAPER, Fact, FactKind
from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.lexicon.phrases import stance_words

# The frames of an answer's sentences. They state nothing about the patient, and are taken off before the check.
GIVEN_UP: Final = "said before, and not since:"  # the frame of what nobody holds now
_OPENING: Final = re.compile(r"\AOn (?:the )?(?P<topic>[^:]{1,80}?)(?:, an? [^:]{3,40})?: ")
_FRAMES: Final = re.compile(
    r"\b[Tt]he case paper (?:has|lists)(?: an allergy:)?|(?<=says) of (?=[^:]{3,90}:)|\bBefore that,|\bJust before:|,? and (?!no\b)\w+ more\b|\b[Ff]or comparison:|\bAlso\b"
)
# Words of the frames that stand beside what is claimed.
_WORDS: Final = "held now has withdrawn and holds nothing else yet rejects doubts of it reference range both lead page more on the are is critical first"
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|once|when|until|only|as needed|pending|after|before|should|in case)\b", re.IGNORECASE
)
_ON_THE_PAGE: Final = "is on the page"
# What an agent is said to do with it, and the kinds of claim that are that.
_VERBS: Final = (
    (re.compile(r"\brecommends\b"), {FactKind.ACTION}),
    (re.compile(r"\basks for\b|\balso wants\b"), {FactKind.TEST}),
    (re.compile(r"\bleads? with\b|\bthinks of\b"), {FactKind.LEAD, FactKind.VOTE}),
    (re.compile(r"\balso considers\b|\brejects\b|\bdoubts\b"), {FactKind.DIFFERENTIAL}),
    (re.compile(r"\bheld\b|\bhas (?:withdrawn|changed)\b"), {FactKind.CHANGED}),
    (re.compile(r"\brules for\b"), {FactKind.RULING}),
    (re.compile(r"\bleaves open\b"), {FactKind.OPEN}),
    (re.compile(r"\b[Cc]ritical, from\b"), {FactKind.CRITICAL}),
    (re.compile(r"\b[Cc]aution, (?:Doctor|the)\b"), {FactKind.CAUTION}),
)
_QUOTE: Final = re.compile(r"\bsays(?: of [^:]{3,90})?: ")


def ungrounded(sentence: str, fact: Fact) -> str | None:
    """Return why `sentence` may not be said on `fact`; None if it may. Holds no clinical text."""
    opened = _OPENING.match(sentence)
    topic = opened["topic"] if opened else ""
    body = sentence[opened.end() :] if opened else sentence
    body = _FRAMES.sub(" ", body.replace(GIVEN_UP, "says:", 1))
    if fact.told in PAPER and fact.bare and topic:
        named = (
            topic == fact.name and fact.told is not FactKind.HISTORY
        )  # which says of nothing that it is past
        body = f"{topic} {body}" if named else body
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
    return _wrong_act(body, fact) or _lost_condition(sentence, fact)


def _wrong_act(body: str, fact: Fact) -> str | None:
    """Return why `body` makes another act of the claim: a warning a recommendation, a doubt a proposal."""
    if fact.told in PAPER or _ON_THE_PAGE in body or _QUOTE.search(body):
        return None
    for pattern, kinds in _VERBS:
        if pattern.search(body) and fact.told not in kinds:
            return "a claim would be told as another kind of claim"
    if fact.told is FactKind.CAUTION and not body.lower().startswith("caution"):
        return "a warning would not be told as one"
    if fact.told is FactKind.DIFFERENTIAL and "also considers" in body and len(fact.rests_on) == 1:
        if stance_words(fact.rests_on[0]) == "rejects":
            return "what was rejected would be told as considered"
    return None


def _lost_condition(sentence: str, fact: Fact) -> str | None:
    if fact.condition is not None and _ON_THE_PAGE not in sentence and not _CONDITION.search(sentence):
        return "a condition is lost"
    if fact.condition and _ON_THE_PAGE not in sentence and fact.condition.lower() not in sentence.lower():
        return "a condition is lost"
    return None
