"""Tell a quotation that goes on inside its turn behind the sentence before it, and before one that limits it.

Whoever speaks says first what it is about, and then something of it: "Hypertonic saline 3 %, 5 ml/kg. Don't wait for a
CT." The second sentence is whole, names known things, and tells a listener nothing, or something else. Of 807 spoken
sentences judged by six readers 97 had lost what they were about, and in 35 of these it stood at most thirty words
before, in the same turn (docs/decisions/172). What can be learned from the words of a sentence ranks such sentences
little better than chance. So the words before it are told whenever there is room for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, takewhile
from typing import Final

from exaim_core.claims.answering import says_of_what
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.quotes import is_talk
from exaim_core.lexicon.alone import POINTS_BACK, hangs, stopped_with
from exaim_core.lexicon.named import POINTED, is_bare_condition, is_known, names
from exaim_core.lexicon.phrases import is_noise, is_request
from exaim_core.schema import SpokenKind
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.boundaries import sentences
from exaim_core.text.names import Names, person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import upper_first, word_count
from exaim_core.words.beside import answering_words, is_in_own_words, is_told_in, joined, puts_right
from exaim_core.words.revised import may_take_back
from exaim_core.words.templates import Wording, said_words

MOST_WORDS: Final = 28
"""Of a quotation with the words before it: eleven seconds at the default voice's 2.6 words a second."""
MOST_BEFORE_PRESSING: Final = 8
"""Words before what presses and names known things: three seconds."""
MOST_BEFORE: Final = 2  # sentences; one before what presses
LONG_WORDS: Final = 16
"""A sentence of more words, which names something known and refers to nothing, is taken to be whole."""
SHORT_WORDS: Final = 5
"""The same for what presses or protects, which should come soon."""
_OF_OTHERS: Final = frozenset({Status.BOOKS, Status.OTHER_PERSON})
_POINT: Final = frozenset({POINTED, POINTS_BACK})
_KINDS: Final = frozenset(
    {SpokenKind.FINDING, SpokenKind.CAUTION, SpokenKind.ACTION, SpokenKind.CHANGE, SpokenKind.CORRECTION}
)
_REFERS: Final = re.compile(
    r"\b(?:it(?! (?:is|was|would be|may be) \w+ (?:to|that)\b)|its"
    r"|that(?=['’]s| (?:is|was|one|would)\b|\s*(?:[.,;:!?]|\Z))"
    r"|this(?! (?:patient|man|woman|gentleman|lady|child|case|time|morning|afternoon|evening|week)\b)"
    r"|these|those|they|them|theirs?|ones?|others?|another|n?either|both|same|instead|again|then|too|else|rest|half"
    r"|second|third|there(?! (?:is|are|was|were)\b)|here|yet|still|any ?more)\b",
    re.IGNORECASE,
)
"""The closed class of words that point to something else that was said, or stand for it."""
MOST_OF_A_QUESTION: Final = 14  # words
MOST_OF_A_BARE_QUESTION: Final = 2  # words
MOST_OF_A_LIMIT: Final = 7  # words
_LIMITS: Final = re.compile(
    r"\W*(?:(?:and|but) )?(?:only|unless|except|not|until|till|halve|half|double|after (?:that|which))\b"
    r"(?! (?:what|you|me|us|my|your|him|her|them)\b)",
    re.IGNORECASE,
)
"""Opens a sentence that limits the one before it, or says how it goes on."""
_BARE_DENIAL: Final = re.compile(
    r"\b(?:should|must|can|could|will|would|is|are|was|do|does|did|has|have)(?: not|n['’]t)\W*\Z|\bcannot\W*\Z",
    re.IGNORECASE,
)
"""It ends in a denial that takes its verb from the sentence before it: it belongs to that one."""


def going_on(
    made: Wording,
    said: Sequence[Unit],
    names_of: Names,
    may_lead: Callable[[Source], bool],
    begun: int = 0,
) -> Wording:
    """Return `made` behind the words before it, if it may need them, and before a short one that limits it.

    These are up to two sentences before it in its turn. What opens its turn and names nothing known is told behind the
    short question of another agent right before it, with that agent's name. `said`: the last sentences of the
    discussion, in order. `may_lead` returns whether words may be told before others: nobody overturned them, and they
    were not told already. `begun`: the first delta of its agent's newest turn; a question put amid it is not answered.
    """
    words = said_words(made.text)
    if made.behind or made.claims[0].read or not is_in_own_words(made, _KINDS):
        return made
    if not made.text.rstrip(".").removesuffix(words).endswith(": "):
        return made  # "the surgeon recommends …"
    at = next((at for at, unit in enumerate(said) if is_told_in(unit, made)), None)
    here = said[at] if at is not None else None
    if at is None or not isinstance(here, Sentence) or here.row or here.listed or here.keyed:
        return made
    least = SHORT_WORDS if made.presses or made.protects else LONG_WORDS
    needs = word_count(words) <= least or not is_known(words) or _REFERS.search(words) is not None
    bare = here.source.meets(made.claims[0].source)  # no words before it are told yet
    room = MOST_BEFORE - made.presses if needs and bare else 0
    fit = takewhile(lambda each: not puts_right(words, each), _before(said, at, here, may_lead))
    before = [*islice(fit, room)]
    if (made.presses or made.protects) and is_known(words) and word_count(words) > SHORT_WORDS:
        before = [each for each in before if word_count(each.full) <= MOST_BEFORE_PRESSING]
    if needs and not before and not says_of_what(next(iter(sentences(words)), words)):
        asked = _question_before(said, at, here)
        spoken = word_count(words) + sum(word_count(each.full) for each in asked)
        if asked and spoken <= MOST_WORDS and not _spoke_before(said, at, here, begun):
            return _answering(made, asked, names_of)
    return _told_between(made, words, before, _limit_behind(said, made, here, may_lead)) or made


def _told_between(
    made: Wording, words: str, before: Sequence[Sentence], limit: Sentence | None
) -> Wording | None:
    """Return `made` between sentences `before` it, the nearest first, and its `limit`, as far as there is room.

    The limit goes before the rest. The first sentence that is told points to none before it, and best needs none.
    None if there is no room for any.
    """
    lacks = {count: hangs(before[count - 1].full) for count in range(1, len(before) + 1)}
    ways = sorted(
        (count for count in lacks if lacks[count] not in _POINT), key=lambda each: lacks[each] is not None
    )
    tries = [(count, [limit]) for count in (*ways, 0) if limit is not None] + [(count, []) for count in ways]
    for count, ends in tries:
        there = before[:count][::-1]
        parts = [*(each.full for each in there), upper_first(words), *(each.full for each in ends)]
        text = " ".join((*map(stopped_with, parts[:-1]), parts[-1]))
        if (told := joined(made, words, text, *there, *ends, most=MOST_WORDS)) is not None:
            return told
    return None


def _question_before(said: Sequence[Unit], at: int, here: Sentence) -> list[Sentence]:
    """Return the short question that ends the turn before the one that `here` opens; [] if none does.

    `at`: the place of `here` in `said`. A question of a word or two ("Relevant?") has the sentence before it.
    """
    asked = list[Sentence]()
    for unit in reversed(said[max(at - 2, 0) : at]):
        other = isinstance(unit, Sentence) and unit.source.agent_id != here.source.agent_id
        if not isinstance(unit, Sentence) or not other or unit.row or is_talk(unit.full):
            break
        if not asked and not (unit.full.endswith("?") and names(unit.full)):
            break
        if asked and (
            word_count(asked[-1].full) > MOST_OF_A_BARE_QUESTION or not _stands_with(unit, asked[-1])
        ):
            break
        asked.insert(0, unit)
    return asked if sum(word_count(each.full) for each in asked) <= MOST_OF_A_QUESTION else asked[1:]


def _spoke_before(said: Sequence[Unit], at: int, here: Sentence, begun: int) -> bool:
    """Return whether the agent of `here` said something before it in its turn that began with the delta `begun`."""
    if here.source.first_seq < begun:
        return False  # of an earlier turn
    return any(
        each.source.agent_id == here.source.agent_id and each.source.first_seq >= begun for each in said[:at]
    )


def _answering(made: Wording, asked: Sequence[Sentence], names_of: Names) -> Wording:
    """Return `made` behind what another agent asked, with that agent's name."""
    source, words = asked[0].source.to(asked[-1].source), " ".join(stopped_with(each.full) for each in asked)
    other = Claim(person(source.agent_id), Kind.QUOTE, "", words, source, under=asked[0].section)
    first, *others = made.claims
    rests = replace(first, rests_on=(*first.rests_on, other))
    return answering_words(replace(made, claims=(rests, *others)), names_of) or made


def _limit_behind(
    said: Sequence[Unit], made: Wording, here: Sentence, may_lead: Callable[[Source], bool]
) -> Sentence | None:
    """Return the sentence right behind what `made` tells, if it only limits that: "Halve from dose three."."""
    last = max(at for at, unit in enumerate(said) if is_told_in(unit, made))
    unit = said[last + 1] if last + 1 < len(said) else None
    if not isinstance(unit, Sentence) or not _stands_with(unit, here) or not may_lead(unit.source):
        return None
    text = unit.full
    limits = (
        _LIMITS.match(text) is not None and word_count(text) <= MOST_OF_A_LIMIT and not text.endswith("?")
    )
    return unit if limits and not (is_known(text) or is_bare_condition(text) or may_take_back(text)) else None


def _stands_with(one: Sentence, two: Sentence) -> bool:
    """Return whether two sentences are of one turn, and stand under one heading on one line."""
    return (one.source.agent_id, one.heading, one.line_no) == (two.source.agent_id, two.heading, two.line_no)


def _before(
    said: Sequence[Unit], at: int, here: Sentence, may_lead: Callable[[Source], bool]
) -> Iterator[Sentence]:
    """Yield up to two sentences before the one at `at` that stand with it, the nearest first."""
    for unit in reversed(said[max(at - MOST_BEFORE, 0) : at]):
        if not isinstance(unit, Sentence) or unit.row or unit.listed or not may_lead(unit.source):
            return
        if _BARE_DENIAL.search(unit.full):
            return
        if not _stands_with(unit, here) or statuses_of(unit.full, "") & _OF_OTHERS:
            return
        if may_take_back(unit.full):
            return
        if is_noise(unit.text) or is_request(unit.text) or is_talk(unit.text) or not names(unit.full):
            return
        yield unit
