"""What was said later of what is told first: its figure as a thing, the last word on it, the reply to it.

A discussion goes on: a value turns out to be another patient's, a plan is given up, a scan is reported. Who asks wants
to hear that beside what was said first (docs/decisions/105).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from agents.dialogue.beside import LEANS
from agents.dialogue.facts import Fact
from agents.dialogue.passages import Passages
from agents.dialogue.segments import Passage
from exaim_core.board.shown import SaidView
from exaim_core.text.wording import word_count

LIKE_TOLD: Final = 0.45  # of 1: so like what is told first is the last word on it,
LIKE_ASKED: Final = 0.3  # ... and so like the question
LIKE_REPLY: Final = 0.15  # ... and a reply that does not lean on it by its form
_SHORT: Final = 26  # words of a reply
_FIGURE: Final = re.compile(r"(?<![\w.])\d+(?:[.,/]\d+)*(?![\w.]*\d)")
_LEAST_FIGURE: Final = 2  # characters: a single digit stands for too much


def figure_again(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what somebody says later of a figure that is told first, as of a thing: "The 0.4 is Mr Lund's."."""
    at = _place(passages, told)
    said = passages.said
    if at is None:
        return ()
    figures = {one for one in _FIGURE.findall(said[at].text) if len(one) >= _LEAST_FIGURE}
    if not figures:
        return ()
    one = f"(?:{'|'.join(map(re.escape, sorted(figures)))})"
    of_it = re.compile(
        rf"\b(?:the|that|this|those)\W+{one}(?![\w.,]*\d)|(?:\A|[.;:] ){one} (?:is|was|belongs)\b", re.I
    )
    found = (k for k in _after(said, at) if of_it.search(said[k].text))
    return _told_with_next(passages, next(found, None))


def last_word(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the last sentence after what is told first that is like it and like the question; () without vectors."""
    at = _place(passages, told)
    if at is None:
        return ()
    first = passages.said[at].text
    found = [
        k
        for k in _after(passages.said, at)
        if passages.like_each_other(first, passages.said[k].text) >= LIKE_TOLD
        and passages.like_alone(passages.said[k].text) >= LIKE_ASKED
    ]
    return _facts(passages, found[-1:])


def next_speaker(passages: Passages, told: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return what the next speaker says after what is told first: at most two short sentences.

    It leans on that by its form, or is somewhat like the question.
    """
    at = _place(passages, told)
    reply = None if at is None else next(_after(passages.said, at), None)
    if reply is None:
        return ()
    text = passages.said[reply].text
    if not (LEANS.match(text) or passages.like_alone(text) >= LIKE_REPLY):
        return ()
    return _told_with_next(passages, reply)


def _place(passages: Passages, told: Sequence[Fact]) -> int | None:
    """Return the place of what is told first in the discussion; None: it is of the paper, or of no sentence."""
    texts = set(told[0].rests_on) if told else set()
    return max((k for k, one in enumerate(passages.said) if one.text in texts), default=None)


def _after(said: Sequence[SaidView], at: int) -> Iterator[int]:
    """Give the places of what is stated after the turn of sentence `at`, and stands."""
    for k in range(at + 1, len(said)):
        if not (_one_turn(said[at], said[k]) or said[k].past or said[k].text.endswith("?")):
            yield k


def _told_with_next(passages: Passages, at: int | None) -> tuple[Fact, ...]:
    said = passages.said
    if at is None:
        return ()
    two = [k for k in (at, at + 1) if k < len(said) and _one_turn(said[at], said[k]) and not said[k].past]
    short = word_count(" ".join(said[k].text for k in two)) <= _SHORT
    return _facts(passages, two if short else two[:1])


def _facts(passages: Passages, places: Iterable[int]) -> tuple[Fact, ...]:
    found: list[Passage] = []
    for k in places:
        one = passages.said[k]
        found += [each for each in passages.all if each.alone and each.text == one.text][:1]
    return tuple(passages.fact_of(each) for each in found)


def _one_turn(one: SaidView, other: SaidView) -> bool:
    return (one.agent_id, one.at[0]) == (other.agent_id, other.at[0])
