"""Read plain bans, which name what is not to be given or done and nothing else: "avoid NSAIDs and furosemide".

A ban with a reason, a dose, a route, a time or a condition is not plain. What is not understood counts as not plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import drugs_meant, drugs_named, generics
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import is_of_another
from exaim_core.text.sections import only_forbids
from exaim_core.text.wording import key_words


class Act(StrEnum):
    """What a ban asks for: what runs is stopped or held, what does not is not begun, or never is."""

    AVOID = "avoid"
    STOP = "stop"
    HOLD = "hold"
    NEVER = "never"


_HOLDS: Final = {Act.STOP: {Act.AVOID, Act.HOLD}, Act.NEVER: {Act.AVOID}}
"""What else somebody knows who heard of an act: what is stopped is not to be given either."""


@dataclass(frozen=True, slots=True)
class Ban:
    """A plain ban of one thing: its verb and its name as written, its drugs and its other words."""

    act: Act
    verb: str
    name: str
    drugs: frozenset[str]
    rest: frozenset[str]

    def tells(self, other: Ban) -> bool:
        """Return whether who heard this ban knows the other one, as it names the same thing or less of it.

        A class is no other name of its members: "no NSAIDs" does not tell "no ketorolac".
        """
        if other.act is not self.act and other.act not in _HOLDS.get(self.act, ()):
            return False
        return self.drugs == other.drugs and self.rest == other.rest

    def is_named_in(self, text: str) -> bool:
        """Return whether `text` names the thing, or a drug of the class that it is."""
        if self.drugs:
            return not self.drugs.isdisjoint(map(_one_form, drugs_meant(text)))
        return self.rest <= {_one_form(word) for word in re.findall(r"[\w-]+", text)}


_VERBS: Final = (
    r"(?:do not|don['’]t|never) (?:give|use|start)|not to be given|avoid|banned|forbidden|contraindicated"
    r"|stop|discontinue|withhold|hold|suspend|pause|omit|never|not?(?: more| further)?|nor"
)
_VERB: Final = re.compile(rf"\b(?P<verb>{_VERBS})(?: (?:any|all|the|more|further))* (?=\S)", re.IGNORECASE)
_AFTER: Final = re.compile(
    r"(?: (?:please|either|too|as well|at all|of any (?:sort|kind)|by any route"
    r"|(?:to|for) (?:her|him|them|(?:this|the|our) (?:patient|man|woman|lady|gentleman|child|boy|girl))))*\W*\Z",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(r"\A\W*(?:any|all|more|further) ", re.IGNORECASE)
_JOINS: Final = re.compile(
    r"\W*(?:(?:and|or|nor|also|so|then|but|please|agreed|yes|still)\b\W*)*", re.IGNORECASE
)
_SPLIT: Final = re.compile(r",\s*|\s+(?:and|or)\s+(?:also\s+)?|\s+(?=nor\s)", re.IGNORECASE)
_CLAUSES: Final = re.compile(r"(?<=[.;!])\s+")
_LABEL: Final = re.compile(r"(?P<label>[\w' ]{2,40}): (?=\S)")
_AGREES: Final = re.compile(
    r",? as (?:[\w.-]+ ){1,3}(?:says?|said|advise[sd]?|suggest(?:s|ed)?|recommend(?:s|ed)?)\b", re.IGNORECASE
)
_PASSIVE: Final = re.compile(
    r" (?P<verb>(?:must|should) (?:not|never) be (?:given|used|started)"
    r"|(?:is|are) (?:contra-?indicated|forbidden|banned|not to be (?:given|used|started)))\W*\Z",
    re.IGNORECASE,
)
_BEFORE_REASON: Final = re.compile(r": (?=\S)")
_ASIDE: Final = re.compile(r"\s*(?:\"[^\"]*\"|“[^”]*”|\([^()]*\))")
"""Words of another, or beside the sentence: they limit nothing that is said around them."""
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|until|till?|when|whenever|once|should|provided|except\w*|only|in case|as long as|while|yet|instead"
    r"|wait\w*|pending|reopen\w*|review\w*)\b",
    re.IGNORECASE,
)
_LIMIT: Final = re.compile(
    r"\b(?:before|after|during|for|in|into|through|via|with|without|together|alone|at|over|under|above|below|than|now"
    r"|today|tonight|tomorrow|morning|evening|night|currently|again|first|IV|IM|SC|PO|NG|orally|oral|bolus\w*"
    r"|infusions?|loads?|loading|doses?|high|low|line|treatment|prophyla\w+)\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:not?|never|need|reason|without|would|could|might|may|he|she|they|was|were|had|took|takes?|taking|who|said)\b"
    r"|n['’]t\b|\?",
    re.IGNORECASE,
)
"""Before a ban these may deny it, or tell of another time or person."""
MOST_OF_A_NAME: Final = 3  # words


@lru_cache(maxsize=4096)
def plain_bans(text: str) -> tuple[Ban, ...]:
    """Return the bans of `text` if it is plain bans and nothing else; else ()."""
    if _CONDITION.search(text) or text.endswith("?"):
        return ()
    found = list[Ban]()
    for clause in _CLAUSES.split(text.strip().rstrip(".! ")):
        bans = _bans_of(clause, whole=True)
        if not bans:
            return ()
        found += bans
    return tuple(found)


@lru_cache(maxsize=4096)
def bans_told(text: str) -> tuple[Ban, ...]:
    """Return what `text` bans without a limit, among other words; () if any of it has a condition."""
    if _CONDITION.search(text) or is_of_another(text):
        return ()
    return tuple(ban for clause in _CLAUSES.split(text) for ban in _bans_of(clause, whole=False))


def are_told(bans: Iterable[Ban], told: Iterable[Ban]) -> bool:
    """Return whether each of `bans` is told by one of `told`."""
    known = tuple(told)
    return all(any(each.tells(ban) for each in known) for ban in bans)


def _bans_of(clause: str, *, whole: bool) -> list[Ban]:
    """Return the plain bans of a clause; if it must be `whole`, none unless it is nothing else.

    There are none if the words before one may deny it, or tell of another time or person.
    """
    label = _LABEL.match(clause)
    under = label["label"] if label is not None and only_forbids(label["label"]) else ""
    if label is not None and under:
        clause = clause[label.end() :]
    elif not whole:
        clause = _ASIDE.sub("", _BEFORE_REASON.split(clause)[0])
    if _LIMIT.search(_AFTER.sub("", clause)) or not (under or whole or prohibits(clause)):
        return []
    found, verb = list[Ban](), under
    clause = _joined_to(_AGREES.sub("", clause))
    for part in map(_joined_to, _SPLIT.split(clause)):
        behind = _PASSIVE.search(part)
        said = None if behind is not None else next(reversed([*_VERB.finditer(part)]), None)
        before = part[: said.start()] if said is not None else ""
        if _UNSURE.search(before) or (whole and before):
            return []
        named, by = (part, verb) if said is None else (part[said.end() :], said["verb"])
        ban = _ban(named, by) if behind is None else _ban(part[: behind.start()], behind["verb"])
        if ban is None and whole:
            return []
        found += [ban] if ban is not None else []
        verb = ban.verb if ban is not None else ""
    return found


def _joined_to(part: str) -> str:
    """Return a part without the words that join it to the one before it."""
    joins = _JOINS.match(part)
    return part[joins.end() :] if joins is not None else part


def _ban(named: str, verb: str) -> Ban | None:
    """Return the ban of what is `named` behind a verb; None if there is no verb, or more than a name behind it."""
    name = _AFTER.sub("", _ADDED.sub("", named)).strip(" .,;\"'“”*")
    words = re.findall(r"[\w-]+", name)
    if not verb or re.search(r"[:\d]", name) or not 0 < len(words) <= MOST_OF_A_NAME:
        return None
    if not all(map(key_words, words)):
        return None
    of_name = drugs_named(name)
    drugs = frozenset(_one_form(each) for each in of_name if not generics(each))
    of_drugs = {_one_form(word) for each in of_name for word in re.findall(r"[\w-]+", each)}
    return Ban(_act(verb), verb.lower(), name, drugs, frozenset(map(_one_form, words)) - of_drugs)


def _one_form(word: str) -> str:
    """Return a name in lower case and as one of several: "NSAIDs" and "NSAID" name one thing."""
    return word.lower().removesuffix("s")


def _act(verb: str) -> Act:
    first = verb.lower().split()[0]
    if first in {"stop", "discontinue"}:
        return Act.STOP
    if first in {"hold", "withhold", "suspend", "pause", "omit"}:
        return Act.HOLD
    return Act.NEVER if "never" in verb.lower().split() else Act.AVOID
