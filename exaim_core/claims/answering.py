"""Tell an answer that names nothing itself after the words of the other agent that it answers.

"That stops today" answers "Naproxen, three a day". It is told after those words, with their speaker's name. Nothing is
concluded from them. Which words a turn answers: `board/replying.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from exaim_core.claims.claims import Claim, Kind, ListEnd
from exaim_core.claims.limits import analytes_named
from exaim_core.lexicon.alone import MOST_JOINED, POINTS_BACK, hangs, led_in, points_away, stopped_with
from exaim_core.lexicon.named import (
    NAMELESS,
    OF_NOTHING,
    POINTED,
    is_known,
    lacks_substance,
    limits_nothing,
    names_to_do,
)
from exaim_core.lexicon.phrases import is_noise
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence
from exaim_core.text.wording import upper_first, word_count

MOST_OF_A_REMARK: Final = 3  # words
_PROPOSES: Final = re.compile(
    r"\W*(?:(?:so|then|well|ok(?:ay)?|right|and|but)\b[, ]+)*"
    r"(?:(?:I|we)(?:['’]d|['’]ll| would| should| could| can| will| must| need to| want to)\b"
    r"(?! (?:not|never|be|have)\b)"
    r"|(?:shall|should|can|could) (?:I|we)\b|let['’]s\b)",
    re.IGNORECASE,
)
"""The opening of words by which a speaker proposes to do something."""
_OF_THINGS: Final = frozenset({NAMELESS, OF_NOTHING, POINTED})
_POINTS: Final = frozenset({POINTED, POINTS_BACK})
_KINDS: Final = frozenset({Kind.CAUTION, Kind.REVOKES})


def answering(
    made: Iterable[Claim | ListEnd],
    answered: Sequence[Sentence],
    before: Sequence[Sentence] = (),
    *,
    whole: bool = False,
) -> list[Claim | ListEnd]:
    """Return `made`, with claims that lack a thing set after the answered words that name it.

    `before` are the sentences before them in their turn, and perhaps their own; `whole`: the answered words are a whole
    turn.
    """
    kinds = _KINDS if answered else ()

    def opens(claim: Claim) -> bool:
        earlier = takewhile(lambda each: not each.source.meets(claim.source), before)
        return whole and opens_turn(earlier)

    return [
        behind(each, answered, opens=opens(each)) or each
        if isinstance(each, Claim) and each.kind in kinds
        else each
        for each in made
    ]


def behind(claim: Claim, answered: Sequence[Sentence], *, opens: bool = False) -> Claim | None:
    """Return `claim` with those of the `answered` sentences that name what it lacks; None if none do.

    They are told from the sentence that names it, or from earlier on if there is room. A claim that names nothing known
    lacks that as well if it `opens` its turn, and all that was said in the turn before is answered: further into a
    turn, or after a long one, it is mostly about something else. The same holds for one that points to the words before
    it: "Don't give heparin before that." A proposal that it answers so need name nothing known: "I'd tap him tonight."
    """
    lacks = _lacks_a_thing(claim.text)
    alone = says_of_what(claim.text) and hangs(claim.text) != POINTS_BACK
    if not answered or not (lacks or (opens and not alone)):
        return None
    back = _named_by_form(claim.text, answered) if lacks else _known_back(answered)
    proposed = back is None and opens and is_long(answered[-1].full) and _PROPOSES.match(answered[-1].full)
    if proposed:
        back = 1
    if back is None:
        return None
    room = MOST_JOINED - word_count(claim.text)
    leads = (answered[-count:] for count in range(len(answered), back - 1, -1))
    fits = (each for each in leads if sum(word_count(one.full) for one in each) <= room)
    lead = next(
        (each for each in fits if proposed or names_to_do(each[0].full) or not is_noise(each[0].text)), ()
    )
    if not lead:
        return None
    words = " ".join(stopped_with(each.full) for each in lead)
    if not (proposed or (names_to_do(words) if limits_nothing(claim.text) else says_of_what(words))):
        return None
    source = lead[0].source.to(lead[-1].source)
    other = Claim(person(source.agent_id), Kind.QUOTE, "", words, source, under=lead[0].section)
    return replace(claim, rests_on=(*claim.rests_on, other))


def righted(
    claim: Claim, before: Sequence[Sentence], answered: Sequence[Sentence], *, alone: bool
) -> Claim | None:
    """Return a correction that is read outright, behind the words that it puts right if it only points to them.

    Those are the last ones of its turn if they name something known, else the last ones answered, else the last ones of
    its turn. Without any, or without room for them, it is told `alone`, or not (None).
    """
    if hangs(claim.text) not in _POINTS:
        return claim
    said = next((each for each in reversed(before) if is_long(each.full) and not is_noise(each.text)), None)
    if answered and not (said is not None and is_known(said.full)):
        if (told := behind(claim, answered, opens=True)) is not None:
            return told
        said = answered[-1]
    told = None if said is None else _after(claim, said.full, said.source)
    return claim if told is None and alone else told


def denying(claim: Claim, denied: Claim) -> Claim | None:
    """Return a correction of which `denied` was the wrong statement, behind that if it can't be told alone."""
    if hangs(claim.text) is None:
        return claim if word_count(claim.text) <= MOST_JOINED else None
    return _after(claim, denied.text, denied.source)


def _after(claim: Claim, said: str, source: Source) -> Claim | None:
    """Return `claim` behind what was `said` at `source`; None if both are too long together."""
    if word_count(claim.text) + word_count(said) > MOST_JOINED:
        return None
    if person(source.agent_id) == claim.agent_id:
        words = f"{stopped_with(said)} {upper_first(claim.text)}"
        return replace(claim, text=words, source=source.to(claim.source))
    other = Claim(person(source.agent_id), Kind.QUOTE, "", said, source)
    return replace(claim, rests_on=(*claim.rests_on, other))


def _named_by_form(text: str, answered: Sequence[Sentence]) -> int | None:
    """Return how many answered sentences back what `text` lacks is named; None if nowhere, or not in those words."""
    led = led_in(text, [each.full for each in answered], MOST_JOINED)
    return led[0] if led is not None and led[1].endswith(upper_first(text)) else None


def _known_back(answered: Sequence[Sentence]) -> int | None:
    """Return how many answered sentences back one names something known, and points to nothing; None if none does."""
    found = (back for back, each in enumerate(reversed(answered), 1) if says_of_what(each.full))
    return next((back for back in found if not points_away(answered[-back].full)), None)


def opens_turn(before: Iterable[Sentence]) -> bool:
    """Return whether nothing but remarks ("Oh, good spot.") stands before what was said: `before`, in its turn."""
    return not any(is_long(each.full) for each in before)


def is_long(sentence: str) -> bool:
    """Return whether a sentence is more than a remark."""
    return word_count(sentence) > MOST_OF_A_REMARK


def says_of_what(text: str) -> bool:
    """Return whether `text` names what it is about: something known, or something that is measured."""
    return is_known(text) or bool(analytes_named(text))


def _lacks_a_thing(text: str) -> bool:
    """Return whether `text` lacks a thing that another agent may have named: no number, no condition."""
    return hangs(text) in _OF_THINGS or limits_nothing(text) or lacks_substance(text)


def answered_by(claim: Claim) -> Claim | None:
    """Return the other agent's words after which `claim` is told; None if it needs none."""
    return next((each for each in claim.rests_on if each.agent_id != claim.agent_id), None)
