"""What was said later of what is told first: its figure as a thing, the last word on it, the reply to it, and on.

A discussion goes on: a value turns out to be another patient's, a plan is given up, a scan is reported. Who asks wants
to hear that beside what was said first (docs/decisions/105).
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Final

from agents.dialogue.beside import FAR, LEANS, POINTS_BACK, as_one, asks_about, led
from agents.dialogue.facts import Fact
from agents.dialogue.given import names_given
from agents.dialogue.meaning import asked_in, clinical
from agents.dialogue.passages import Passages
from agents.dialogue.ties import LIKE_EACH_OTHER, tied
from exaim_core.board.shown import SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.text.wording import word_count

LIKE_TOLD: Final = LIKE_EACH_OTHER  # so like what is told first is the last word on it,
LIKE_ASKED: Final = 0.3  # ... and so like the question
LIKE_REPLY: Final = 0.15  # ... and a reply that does not lean on it by its form,
LIKE_FAR: Final = 0.25  # ... or that a question about it was put before
_SHORT: Final = 26  # words of a reply
# How a sentence opens that answers one before it: away from that it would answer the clinician.
REPLIES: Final = re.compile(r"\W*(?:(?:yes|yeah|agreed)\b|(?:no|nope|right|correct|fine|ok|okay)(?=\s*[,.;:!–—-]|\Z))", re.IGNORECASE)  # fmt: skip
_ON: Final = 6  # sentences, at most, that the discussion is followed from what is told first
_FIGURE: Final = re.compile(r"(?<![\w.])\d+(?:[.,/]\d+)*(?![\w.]*\d)")
_BESIDE: Final = 2  # sentences from what is told first to its reason
_LEAST_FIGURE: Final = 2  # characters: a single digit stands for too much


# What may follow a figure that is spoken of as a thing: a possessor, a verb, an end; no unit, and no noun.
_NO_NOUN: Final = (
    r"(?:['’]s\b|\s*(?:[.,;:!)]|\Z)|,? (?:is|are|was|were|isn['’]t|wasn['’]t|belongs?|came|comes|turns|turned"
    r"|looks|looked|has|had|must|cannot|can['’]t|should|from|on|I|you|he|she|we|they)\b)"
)


def figure_again(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what somebody says later of a figure that is told first, as of a thing: "The 0.4 is Mr Lund's.".

    What names a unit or another noun behind the figure, or another drug, is of something else.
    """
    places = passages.told_at(told[0]) if told else ()
    said = passages.said
    first = " ".join(said[k].text for k in places)
    figures = {one for one in _FIGURE.findall(first) if len(one) >= _LEAST_FIGURE}
    if not figures:
        return ()
    one = f"(?:{'|'.join(map(re.escape, sorted(figures)))})"
    of_it = re.compile(
        rf"\b(?:the|that|this|those)\W+{one}{_NO_NOUN}|(?:\A|[.;:] ){one} (?:is|was|belongs)\b", re.I
    )
    names = names_given(first)
    found = (
        k
        for k in _after(said, places[-1])
        if of_it.search(said[k].text) and not names_given(said[k].text) - names
    )
    return _told_with_next(passages, told, next(found, None))


def last_word(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the last sentence after what is told first that is like it and like the question; () without vectors."""
    places = passages.told_at(told[0]) if told else ()
    if not places:
        return ()
    found = [
        k
        for k in _after(passages.said, places[-1])
        if passages.likest_of(places, k) >= LIKE_TOLD
        and passages.like_alone(passages.said[k].text) >= LIKE_ASKED
    ]
    return as_one(passages, found[-1:])


def next_speaker(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what the next speaker says after what is told first: at most two short sentences.

    In the very next turn it leans on that by its form, or is somewhat like the question; behind a question about what
    is told it is more like. Behind a question about something else, or far off, it replies to something else.
    """
    places = passages.told_at(told[0]) if told else ()
    said = passages.said
    reply = next(_after(said, places[-1]), None) if places else None
    if reply is None:
        return ()
    end = next(k for k in range(places[-1], reply + 1) if said[places[-1]].in_turn != said[k].in_turn)
    if end - places[-1] > FAR or reply - end > FAR:
        return ()
    asked = [k for k in range(places[-1] + 1, reply) if said[k].text.endswith("?")]
    if not all(asks_about(passages, places, k) for k in asked):
        return ()
    like = passages.like_alone(said[reply].text)
    at_once = said[end].in_turn == said[reply].in_turn
    if like < (LIKE_REPLY if at_once else LIKE_FAR) and not (at_once and LEANS.match(said[reply].text)):
        return ()
    return _told_with_next(passages, told, reply)


def around(passages: Passages, told: Sequence[Fact], *, value: bool = False) -> tuple[Fact, ...]:
    """Return what was said on from what is told first, up to the next question.

    What leans on the sentence before it by its form is told behind that one or not at all, and what opens as a reply
    only right behind what is told first. Behind a question stands its answer, which is of that. `value`: a value is
    asked for, and who speaks next is told only where that leans.
    """
    places = passages.told_at(told[0]) if told else ()
    if not places:
        return ()
    said = passages.said
    last = places[-1]
    on = range(last + 1, min(len(said), last + 1 + _ON))

    def goes_on(k: int) -> bool:
        same_turn = said[k].in_turn == said[k - 1].in_turn
        if same_turn and not tied(passages, said[k - 1], said[k]):
            return False
        if not same_turn and (said[k - 1].under or said[k].under) and not LEANS.match(said[k].text):
            return False
        of_it = not value or said[k].in_turn == said[last].in_turn or LEANS.match(said[k].text)
        return bool(of_it) and not said[k].text.endswith("?")

    def says(group: tuple[int, ...]) -> bool:
        return said[group[0]].in_turn == said[last].in_turn or any(
            _says_something(said[k].text) for k in group
        )

    known = {text for fact in told for text in fact.rests_on}
    walked = (
        group
        for group in takewhile(says, _together(passages, takewhile(goes_on, on), known))
        if group[0] == last + 1 or not REPLIES.match(said[group[0]].text)
    )
    return tuple(fact for group in walked for fact in as_one(passages, group))


def _says_something(text: str) -> bool:
    """Tell whether a sentence of another turn says something beside what is told: "I disagree." may be of anything."""
    leans = LEANS.match(text) or REPLIES.match(text) or POINTS_BACK.search(text)
    return leans is not None or not about_the_debate(text) or any(clinical(unit) for unit in asked_in(text))


def just_before(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what stands right before what is told first, in its turn, led by that it does."""
    places = passages.told_at(told[0]) if told else ()
    before = places[0] - 1 if places else -1
    said = passages.said
    if before < 0 or said[before].past or not tied(passages, said[before], said[places[0]]):
        return ()
    passage = passages.alone_at(before)
    return (led(passages, passage, "just before"),) if passage is not None else ()


def _together(passages: Passages, walked: Iterable[int], known: set[str]) -> Iterator[tuple[int, ...]]:
    """Give what is not `known` of `walked`, each with what leans on it; not what leans on what is not told."""
    said = passages.said
    group: tuple[int, ...] = ()
    follows = True  # what is told stands right before
    for k in walked:
        leans = LEANS.match(said[k].text) is not None
        short = word_count(" ".join(said[one].text for one in (*group, k))) <= _SHORT
        told = said[k].text in known
        if group and leans and short and not told and said[k].in_turn == said[group[0]].in_turn:
            group = (*group, k)
            continue
        yield from _if_any(group)
        may = passages.alone_at(k) is not None and not said[k].past and (follows or not leans)
        group = (k,) if may and not told else ()
        follows = may or told
    yield from _if_any(group)


def _if_any(group: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return (group,) if group else ()


def said_beside(passages: Passages, first: Fact, fact: Fact) -> bool:
    """Tell whether a fact was said within two sentences of another in its turn, and all between is about the same."""
    said, places, its = passages.said, passages.told_at(first), passages.told_at(fact)
    if not places or not its:
        return False
    begin, end = min(*places, *its), max(*places, *its)
    between = max(its[0] - places[-1], places[0] - its[-1])
    return between <= _BESIDE and all(tied(passages, said[k], said[k + 1]) for k in range(begin, end))


def stands_next(passages: Passages, told: Sequence[Fact], fact: Fact) -> bool:
    """Tell whether a fact was said next after what is told first, in its turn, or leans on it or points back at it."""
    places, its = passages.told_at(told[0]), passages.told_at(fact)
    if not places or not its or its[0] != places[-1] + 1:
        return False
    if passages.said[places[-1]].in_turn == passages.said[its[0]].in_turn:
        return tied(passages, passages.said[places[-1]], passages.said[its[0]])
    return bool(LEANS.match(fact.rests_on[0]) or POINTS_BACK.search(fact.rests_on[0]))


def _after(said: Sequence[SaidView], at: int) -> Iterator[int]:
    """Give the places of what is stated after the turn of sentence `at`, and stands."""
    for k in range(at + 1, len(said)):
        if not (said[at].in_turn == said[k].in_turn or said[k].past or said[k].text.endswith("?")):
            yield k


def _told_with_next(passages: Passages, told: Sequence[Fact], at: int | None) -> tuple[Fact, ...]:
    """Return sentence `at` and, where both are short, the next of its turn as one: what hangs is not told alone."""
    said = passages.said
    known = {text for fact in told for text in fact.rests_on}
    if at is None or said[at].text in known:
        return ()
    k = at + 1
    follows = (
        k < len(said) and tied(passages, said[at], said[k]) and not said[k].past and said[k].text not in known
    )
    both = follows and passages.alone_at(k) is not None
    short = both and word_count(f"{said[at].text} {said[k].text}") <= _SHORT
    return as_one(passages, (at, k) if short else (at,))
