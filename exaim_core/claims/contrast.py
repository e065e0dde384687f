"""Find what a sentence sets right by contrast: "5 units, not 10", "the left hip, not the right".

The words alone do not say whether something was wrong: "ischaemic, not haemorrhagic" may be a result. They put
something right if what they deny was said before in the discussion: that is looked up, and is no list of words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import states_condition
from exaim_core.lexicon.named import names_to_do
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.figures import COUNTED, NUMBER_WORDS
from exaim_core.text.patterns import late
from exaim_core.text.places import Source
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import key_words

MOST_BACK: Final = 40  # sentences in which what is denied may have been said
MOST_DENIED: Final = 4  # words that are denied; more are a clause of their own
_UNMEANT: Final = frozenset({Status.QUESTION, Status.CONDITIONAL, Status.BOOKS, Status.HEDGED})
_AUXILIARY: Final = (
    r"(?:is|was|are|were|(?<!\d )am|be|been|being|do|does|did|has|have|had|will|would|can|could|shall|should|may|might"
    r"|must|need|ought|if|or|but|and|why|whether|certainly|definitely|probably|really|still|also|it['’]s|that['’]s|i['’]m)\b"
)
"""Words before "not" that deny a verb: nothing stands in its place. "8 am" is a time."""
_DENIED: Final = late(
    lambda: re.compile(
        rf"(?<!\w)(?!{_AUXILIARY})(?P<right>[\w%)/*\"”’']+)(?:,? (?:so )?not|,? instead of|,? rather than) "
        r"(?:(?:the|a|an|her|his|their|my|our|to|on|in|at|of|from|by|for|with) ){0,2}[\"“*'‘]*"
        rf"(?P<wrong>[\w.,%/µ°+-]+(?: [\w.%/µ°+-]+){{0,{MOST_DENIED - 1}}}?)[\"”*'’]*"
        r"(?=\s*(?:[.,;:!)\u2013\u2014]|\Z))",
        re.IGNORECASE,
    )
)
_VERBAL: Final = re.compile(
    r"\A(?:only|just|yet|all|always|necessarily|sure|that|this|it|so|too|really|to|be|been|because|if|when|until"
    r"|even|much|very|more|less|enough|before|after|now|today|tonight|again|here|there|back|out|off|up|down|on|in|me|us|you|\w+ing"
    r"|(?!(?:dai|night|week|fortnight|month|hour)ly\b)\w+ly)\b",
    re.IGNORECASE,
)
"""What is denied is no thing: a time, a manner, a clause. How often a drug is given is one: "weekly, not daily"."""
_BESIDE: Final = late(
    lambda: re.compile(rf"\d+(?:[.,]\d+)?|\b(?:left|right|{NUMBER_WORDS})\b", re.IGNORECASE)
)
"""What tells things apart, and is no key word."""
_SHARP: Final = re.compile(
    r"\b(?:micrograms?|milligrams?|grams?|m?c?g|units?|mmol|m?ls?|mils?|litres?|hours?|minutes?|days?|weeks?|months?|IV|IM"
    r"|SC|PO|NG|PR|intravenous\w*|intramuscular\w*|subcutaneous\w*|intrathecal\w*|oral(?:ly)?|nebuli[sz]ed|inhaled"
    r"|topical|rectal|daily|weekly|monthly|hourly|once|twice|nocte|[ap]m|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b",
    re.IGNORECASE,
)
"""Units, routes and times: each is of one kind."""


@dataclass(frozen=True, slots=True)
class Denied:
    """A thing that is denied: its key words and, if it is a bare amount, the unit of what stands in its place.

    `beside`: the other key words of its sentence, empty if a drug, a number or a side is denied.
    """

    words: frozenset[str]
    unit: str = ""
    diagnosis: bool = False  # it names a condition
    beside: frozenset[str] = frozenset()

    def stands_in(self, text: str) -> bool:
        """Return whether `text` has all of its words, and says it of the same thing.

        It has another word of the sentence too, unless a drug, a number or a side is denied; an amount has to be one of
        the same unit.
        """
        said = _words(text)
        if not self.words <= said or (self.beside and self.beside.isdisjoint(said)):
            return False
        return not self.unit or any(
            each.number in self.words and each.unit in {self.unit, ""} for each in quantities(text)
        )


@lru_cache(maxsize=2048)
def denied(text: str) -> tuple[Denied, ...]:
    """Return each thing that `text` denies behind the thing that it states in its place."""
    held = text.lower()
    if not any(word in held for word in (" not ", " instead of ", " rather than ")):
        return ()
    if statuses_of(text, "") & _UNMEANT:
        return ()
    return tuple(
        Denied(
            words,
            _unit_before(text, found.start("right"))
            if words <= {*map(_counted, _BESIDE.findall(wrong))}
            else "",
            diagnosis=states_condition(wrong) and not names_to_do(wrong),
            beside=frozenset() if _is_sharp(wrong, words) else _words(text) - words,
        )
        for found in _DENIED.finditer(text)
        if not _VERBAL.match(wrong := found["wrong"]) and (words := _words(wrong))
    )


def _is_sharp(wrong: str, words: frozenset[str]) -> bool:
    """Return whether what is denied is of one kind only: a drug, a number or a side."""
    named = drugs_named(wrong) or _SHARP.search(wrong)
    return bool(named) or not words.isdisjoint(map(_counted, _BESIDE.findall(wrong)))


def _counted(word: str) -> str:
    """Return a number in digits, and any other word in small letters."""
    return COUNTED.get(word.lower(), word.lower().rstrip(".,"))


def _unit_before(text: str, at: int) -> str:
    """Return the unit of the last amount that begins at most at `at`; "" for none."""
    return next((each.unit for each in reversed(quantities(text)) if each.start <= at and each.unit), "")


def denied_of(text: str, said: Sequence[Claim], own: Source) -> Claim | None:
    """Return the sentence before `text`, which stands at `own`, of which it denies something; None for none.

    `said` are the sentences of the discussion, the newest last. The last `MOST_BACK` are looked at.
    """
    things = denied(text)
    if not things:
        return None
    earlier = (each for each in reversed(said[-MOST_BACK:]) if not each.source.meets(own))
    return next((each for each in earlier if any(_is_of(thing, each.text) for thing in things)), None)


def _is_of(thing: Denied, said: str) -> bool:
    """Return whether `said` has `thing`; a diagnosis only if it is stated of the patient.

    Another diagnosis than one that was asked or held possible is a view, and puts nothing right.
    """
    return thing.stands_in(said) and not (thing.diagnosis and statuses_of(said, "") & _UNMEANT)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset((*key_words(text), *map(_counted, _BESIDE.findall(text))))
