"""Tell an answer that names nothing itself after the words of the other agent that it answers.

"That stops today" answers "Naproxen, three a day". It is told after those words, with their speaker's name. Nothing is
concluded from them. Which words a turn answers: `board/replying.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind, ListEnd
from exaim_core.lexicon.alone import MOST_JOINED, hangs, led_in, stopped_with
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
from exaim_core.text.units import Sentence
from exaim_core.text.wording import upper_first, word_count

_OF_THINGS: Final = frozenset({NAMELESS, OF_NOTHING, POINTED})
_KINDS: Final = frozenset({Kind.CAUTION, Kind.REVOKES})


def answering(made: Iterable[Claim | ListEnd], answered: Sequence[Sentence]) -> list[Claim | ListEnd]:
    """Return `made`, with claims that lack a thing set after the answered words that name it."""
    kinds = _KINDS if answered else ()
    return [
        behind(each, answered) or each if isinstance(each, Claim) and each.kind in kinds else each
        for each in made
    ]


def behind(claim: Claim, answered: Sequence[Sentence]) -> Claim | None:
    """Return `claim` with those of the `answered` sentences that name what it lacks; None if none do.

    They are told from the sentence that names it, or from earlier on if there is room.
    """
    if not answered or not _lacks_a_thing(claim.text):
        return None
    led = led_in(claim.text, [each.full for each in answered], MOST_JOINED)
    if led is None or not led[1].endswith(upper_first(claim.text)):
        return None
    room = MOST_JOINED - word_count(claim.text)
    leads = (answered[-count:] for count in range(len(answered), led[0] - 1, -1))
    fits = (each for each in leads if sum(word_count(one.full) for one in each) <= room)
    lead = next((each for each in fits if names_to_do(each[0].full) or not is_noise(each[0].text)), ())
    words = " ".join(stopped_with(each.full) for each in lead)
    if not (names_to_do(words) if limits_nothing(claim.text) else is_known(words)):
        return None
    source = lead[0].source.to(lead[-1].source)
    other = Claim(person(source.agent_id), Kind.QUOTE, "", words, source, under=lead[0].section)
    return replace(claim, rests_on=(*claim.rests_on, other))


def _lacks_a_thing(text: str) -> bool:
    """Return whether `text` lacks a thing that another agent may have named: no number, no condition."""
    return hangs(text) in _OF_THINGS or limits_nothing(text) or lacks_substance(text)


def answered_by(claim: Claim) -> Claim | None:
    """Return the other agent's words after which `claim` is told; None if it needs none."""
    return next((each for each in claim.rests_on if each.agent_id != claim.agent_id), None)
