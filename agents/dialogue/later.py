"""What was said later of what is told first: its figure as a thing, the last word on it, the reply to it.

A discussion goes on: a value turns out to be another patient's, a plan is given up, a scan is reported. Who asks wants
to hear that beside what was said first (docs/decisions/105).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agents.dialogue.beside import FAR, LEANS, as_one
from agents.dialogue.facts import Fact
from agents.dialogue.given import names_given
from agents.dialogue.passages import Passages
from agents.dialogue.segments import HANGS
from exaim_core.board.shown import SaidView
from exaim_core.text.wording import key_words, word_count

LIKE_TOLD: Final = 0.45  # of 1: so like what is told first is the last word on it,
LIKE_ASKED: Final = 0.3  # ... and so like the question
LIKE_REPLY: Final = 0.15  # ... and a reply that does not lean on it by its form,
LIKE_FAR: Final = 0.25  # ... or that a question about it was put before
_SHORT: Final = 26  # words of a reply
_FIGURE: Final = re.compile(r"(?<![\w.])\d+(?:[.,/]\d+)*(?![\w.]*\d)")
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
        if _like(passages, places, k) >= LIKE_TOLD
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
    if not all(_asks_about(passages, places, k) for k in asked):
        return ()
    like = passages.like_alone(said[reply].text)
    at_once = said[end].in_turn == said[reply].in_turn
    if like < (LIKE_REPLY if at_once else LIKE_FAR) and not (at_once and LEANS.match(said[reply].text)):
        return ()
    return _told_with_next(passages, told, reply)


def _asks_about(passages: Passages, places: Sequence[int], question: int) -> bool:
    """Tell whether a question is about what is told: by its form, a word of it, or its meaning."""
    text = passages.said[question].text
    words = {word for k in places for word in key_words(passages.said[k].text)}
    return bool(HANGS.match(text) or words & set(key_words(text))) or (
        _like(passages, places, question) >= LIKE_TOLD
    )


def _like(passages: Passages, places: Sequence[int], other: int) -> float:
    said = passages.said
    return max(passages.like_each_other(said[k].text, said[other].text) for k in places)


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
        k < len(said)
        and said[at].in_turn == said[k].in_turn
        and not said[k].past
        and said[k].text not in known
    )
    both = follows and passages.alone_at(k) is not None
    short = both and word_count(f"{said[at].text} {said[k].text}") <= _SHORT
    return as_one(passages, (at, k) if short else (at,))
