"""Quote what is left of a short turn: who says little says it in words that no form may know.

A turn of a few plain words ("FAST's positive, fluid in Morison's.") is whole by itself. Its sentences of which nothing
was made are quoted together, in its speaker's words, for a silence of the voice. Nothing is concluded from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile, groupby
from typing import Final

from exaim_core.claims.answering import says_of_what
from exaim_core.claims.claims import Claim, Kind, ListEnd, Worth
from exaim_core.claims.consensus import about_the_debate
from exaim_core.claims.quotes import is_talk, keeps_from_telling, refers_back
from exaim_core.claims.worth import LEAST
from exaim_core.lexicon.alone import MOST_JOINED, hangs
from exaim_core.lexicon.named import is_known, labelled, names
from exaim_core.lexicon.phrases import is_noise, is_request
from exaim_core.text.assertion import NOT_OURS, statuses_of
from exaim_core.text.names import person
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 20
"""Of a short turn: eight seconds at the default voice's 2.6 words a second."""
LEAST_WORDS: Final = 3
"""Of what is quoted, unless it names a known thing."""
_SUBJECT: Final = re.compile(
    r"\W*(?:the|an?|his|her|their|our|my|your|he|she|we|i|there|both|patient|nobody|everybody)\b"
    r"|\W*(?:[\w-]+ ){0,3}[\w-]+(?:['’]s| (?:is|are|was|were|has|have|looks?|shows?))\b",
    re.IGNORECASE,
)
"""Opens with a subject, or has a verb right behind its first words."""
_GOES_ON: Final = re.compile(
    r"\W*(?:no[,.!]|not?|nor|or|and|but|with|without|than|of|for|from|was|were|is|are|has|had|oh|ta|ye(?:s|ah|p)|ok(?:ay)?"
    r"|thanks|sorry|good|so)\b",
    re.IGNORECASE,
)
"""Opens what goes on with somebody's words, or answers them."""
_STOPS_SHORT: Final = re.compile(r"\b(?:or|and|but|with|of|to|if|the|an?)\W*\Z", re.IGNORECASE)


@dataclass(slots=True)
class ShortTurn:
    """The sentences of one open turn, and what was made of them."""

    _heard: list[Sentence] = field(default_factory=list)
    _made: list[Claim] = field(default_factory=list)
    _words: int = 0
    _parted: bool = False  # it has a heading, a list or a table: its form is read by others

    def hear(self, unit: Unit, made: Iterable[Claim | ListEnd], quote: Claim | None) -> None:
        """Note a unit of the turn, with the claims and the quotation that were made of it."""
        if not isinstance(unit, Sentence) or unit.listed or unit.row:
            self._parted = True
            return
        self._words += word_count(unit.full)
        if self._words > MOST_WORDS:
            return
        self._heard.append(unit)
        self._made += [each for each in made if isinstance(each, Claim)]
        if quote is not None and (quote.worth > Worth.REMARK or quote.likely >= LEAST):
            self._made.append(quote)

    def left(self, agent_id: str, answered: Sequence[Sentence]) -> tuple[Claim, ...]:
        """Return the stretches of which nothing was made, as quotations; none if the turn is long or parted.

        `answered`: the last sentences of the turn that it answers. What opens the turn is told behind a question.
        """
        if self._parted or self._words > MOST_WORDS:
            return ()
        found = list[Claim]()
        for used, each in groupby(self._heard, key=self._is_used):
            units = [*each]
            opens = units[0] is self._heard[0] and bool(answered) and answered[-1].text.endswith("?")
            found += _quoted(agent_id, units, answered[-1] if opens else None) if not used else ()
        return tuple(found)

    def _is_used(self, unit: Sentence) -> bool:
        return any(each.source.meets(unit.source) for each in self._made)


def _quoted(agent_id: str, units: Sequence[Sentence], asked: Sentence | None) -> Iterator[Claim]:
    """Yield neighbouring sentences as one quotation, unless they do not stand alone or are no plain words."""
    units = [*dropwhile(lambda unit: asked is None and _is_remark(unit.full), units)]
    if not units:
        return
    text = " ".join(unit.full for unit in units)
    if any(unit.doubted or unit.set_aside or not _is_plain(unit.full) for unit in units):
        return
    if not names(text) or refers_back(text):
        return
    source = units[0].source.to(units[-1].source)
    made = Claim(agent_id, Kind.QUOTE, "", text, source, worth=Worth.REMARK, likely=LEAST, left=True)
    if asked is not None and not labelled(text)[0]:  # a label says already what it answers
        if word_count(asked.full) + word_count(text) <= MOST_JOINED:
            other = Claim(person(asked.source.agent_id), Kind.QUOTE, "", asked.full, asked.source)
            yield replace(made, rests_on=(other,))
    elif _stands_alone(text):
        yield made


def _is_remark(text: str) -> bool:
    return word_count(text) < LEAST_WORDS and not is_known(text)


def _stands_alone(text: str) -> bool:
    """Return whether a quotation says what it is about: it names something known, or has a subject."""
    if hangs(text) is not None or _GOES_ON.match(text) or _STOPS_SHORT.search(text):
        return False
    return says_of_what(text) or (word_count(text) >= LEAST_WORDS and _SUBJECT.match(text) is not None)


def _is_plain(text: str) -> bool:
    """Return whether a sentence states something of this patient, as far as can be seen."""
    if is_noise(text) or is_request(text) or is_talk(text) or keeps_from_telling(text):
        return False
    return not statuses_of(text, "") & NOT_OURS and (is_known(text) or not about_the_debate(text))
