"""What was said next to what is told: the reason, the dose or the exception often stands there."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.facts import Fact
from agents.dialogue.given import names_given
from agents.dialogue.headings import without_bare_heading
from agents.dialogue.passages import Passages
from agents.dialogue.restraints import REFUSES
from agents.dialogue.segments import HANGS, Passage
from agents.dialogue.shapes import HAS_NUMBER
from agents.dialogue.ties import LIKE_EACH_OTHER, tied
from exaim_core.claims.consensus import about_the_debate
from exaim_core.text.names import with_spoken_names
from exaim_core.text.wording import key_words, lower_first, word_count

_REASON: Final = re.compile(
    r"\b(?:because|since|so that|due to|explains?|in case|could|would|if|makes?|means?|risk\w*|threat\w+|cost us|worse|danger\w*|kills?|fell|halved|rose|is \d)\b|;|: ",
    re.IGNORECASE,
)

# How a sentence begins that leans on what somebody else has just said.
LEANS: Final = re.compile(rf"{HANGS.pattern}|{REFUSES.pattern}|\W*(?:he|she|his|hers?|wrong|sorry|actually|fair|hang on|hold on|wait|objection)\b", re.IGNORECASE)  # fmt: skip
POINTS_BACK: Final = re.compile(r"\b(?:it|that|this|those|these|them)\b", re.IGNORECASE)
# A question that is but a part of a sentence leans on the one before it: "With a bilirubin of 64?".
_PART: Final = re.compile(r"\A\W*(?:with|without|in|at|on|for|by|from|after|before|despite|even|against) (?!wh)", re.IGNORECASE)  # fmt: skip
FAR: Final = 4  # sentences from what is told to the end of its turn, and questions from there to the reply
_SHORT: Final = 24  # words of a reply


def reason_beside(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what was said next to what is told first and gives a reason, where that gives none itself.

    Who says "No muscle relaxant." says why in the next sentence, or in the one before it.
    """
    best = passages.passage_of(told[0]) if told else None
    if best is None or _REASON.search(best.text):
        return ()
    turn = [one for one in passages.all if one.alone and one.agent == best.agent]
    turn = [one for one in turn if one.said[0].at[0] == best.said[0].at[0] and one.past == best.past]
    at = [k for k, one in enumerate(turn) if set(one.own) & set(best.own)]
    if not at:
        return ()
    known = {text for fact in told for text in fact.rests_on}
    next_to = [turn[k] for k in (at[-1] + 1, at[0] - 1, at[0] - 2) if 0 <= k < len(turn)]
    reasons = [one for one in next_to if one.text not in known and _REASON.search(one.text)]
    return tuple(passages.fact_of(one) for one in reasons[:2])


def beside(passages: Passages, told: Sequence[Fact]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Return what was said next to what is told first and is about the same: after it, and before it.

    A sentence of a discussion leans on its neighbours: the dose, the exception or the reason stands there.
    """
    best = passages.passage_of(told[0]) if told else None
    if best is None or best.past:
        return (), ()
    known = {text for fact in told for text in fact.rests_on}
    in_order = [one for one in passages.all if one.alone and not one.past and not about_the_debate(one.text)]
    at = [k for k, one in enumerate(in_order) if set(one.own) & set(best.own)]
    if not at:
        return (), ()

    def near(k: int, lead: str) -> tuple[Fact, ...]:
        if not 0 <= k < len(in_order) or in_order[k].text in known:
            return ()
        one, own = in_order[k].said[0], (in_order[at[0]].said[0], in_order[at[-1]].said[0])
        of_it = tied(passages, own[1], one) if k > at[-1] else tied(passages, one, own[0])
        return (led(passages, in_order[k], lead),) if of_it else ()

    return near(at[-1] + 1, "then"), near(at[0] - 1, "just before")


def replied(passages: Passages, told: Sequence[Fact], like: float, *, number: bool) -> tuple[Fact, ...]:
    """Return what somebody else said to what is told first, where it leans on that and is so `like` the question.

    "Argatroban, 2 micrograms." "With that bilirubin?" "No, it's 0.5 with that liver." A question put between is passed
    over where it is about what is told; what replies is at most two sentences, and names nothing else that is given or
    done. `number`: it must hold one, for a value is asked for.
    """
    said = passages.said
    places = passages.told_at(told[0]) if told else ()
    if not places:
        return ()
    at = max(places)
    end = next((k for k in range(at, len(said)) if said[at].in_turn != said[k].in_turn), len(said))
    reply = next((k for k in range(end, len(said)) if not said[k].text.endswith("?")), len(said))
    if end - at > FAR or reply - end > FAR or reply == len(said) or said[at].in_turn == said[reply].in_turn:
        return ()
    if not all(asks_about(passages, places, k) for k in range(at + 1, reply) if said[k].text.endswith("?")):
        return ()
    first = said[reply]
    two = [
        one for one in said[reply : reply + 2] if one.in_turn == first.in_turn and not one.text.endswith("?")
    ]
    if word_count(" ".join(one.text for one in two)) > _SHORT:
        two = two[:1]
    if any(one.past or names_given(one.text) - names_given(said[at].text) for one in two):
        return ()
    if not LEANS.match(first.text) or (number and not any(HAS_NUMBER.search(one.text) for one in two)):
        return ()
    if max(passages.like_of(one.text) for one in two) < like:
        return ()
    return as_one(passages, range(reply, reply + len(two)))


def asks_about(passages: Passages, places: Sequence[int], question: int) -> bool:
    """Tell whether a question is about what is told at `places`: by its form, a word of it, or its meaning."""
    text = passages.said[question].text
    words = {word for k in places for word in key_words(passages.said[k].text)}
    leans = HANGS.match(text) or _PART.match(text) or POINTS_BACK.search(text)
    return bool(leans or words & set(key_words(text))) or (
        passages.likest_of(places, question) >= LIKE_EACH_OTHER
    )


def as_one(passages: Passages, places: Sequence[int]) -> tuple[Fact, ...]:
    """Return sentences of one turn as one fact, which is told whole or not at all; () where the first may not be.

    A question at their head is told with its answer, which may.
    """
    head = next((k for k in places if not passages.said[k].text.endswith("?")), None)
    passage = passages.alone_at(head) if head is not None else None
    if passage is None:
        return ()
    fact = passages.fact_of(passage)
    if len(places) == 1:
        return (fact,)
    texts = tuple(passages.said[k].text for k in places)
    spoken = with_spoken_names(" ".join(texts).rstrip(". :"))
    who = fact.said[0].partition(" says")[0]
    return (replace(fact, said=(f"{who} says: {lower_first(spoken)}",), rests_on=texts),)


def led(passages: Passages, passage: Passage, lead: str) -> Fact:
    """Return a passage as a fact behind a word that says where it stands: "then", "just before"."""
    fact = passages.fact_of(passage)
    spoken = with_spoken_names(without_bare_heading(passage.text).rstrip(". :"))
    return replace(fact, said=(f"{lead}: {lower_first(spoken)}",))
