"""Recognise words for the team, not for us: "ask the team …", "tell them the lactate is seven".

A request to pass words on names somebody of the team right behind its verb; the words are passed on as they were
said. Whoever else is named ("ask the nurse", "call the renal team") is somebody in the room.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from realtime.interruption.words import LONGEST_TEXT, Words, lexicon, words_of

THEM: Final = "them"
_LEADS_MOST: Final = 10  # words of politeness and of our name before the verb
_STEM: Final = 6  # letters in common: "cardiology" is the cardiologist's
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’‘`´]+[^\W_]*)*")
_EDGES: Final = " \t\n,.:;–—-"


@dataclass(frozen=True, slots=True)
class Address:
    """Whom words are for ("": the whole team), at which word they begin, and whether they tell a fact."""

    to: str
    begin: int
    tells: bool
    vague: bool  # "them": the team or people in the room


@dataclass(frozen=True, slots=True)
class Request:
    """A message to the team: to an agent by its spoken name, or "" for all; empty text: nothing was said.

    `cancels`: the whole team is to stop its work. `approves`: `text` is a recommendation of `to`'s, as it stands.
    """

    to: str
    text: str
    is_fact: bool
    cancels: bool = False
    approves: bool = False


def address(words: Words, agents: Set[str]) -> Address | None:
    """Return whom `words` are for, or None: they name nobody of the team in the right place."""
    known = lexicon().phrases
    start = _after_leads(words)
    for name, tells in (("team_ask", False), ("team_put", False), ("team_tell", True), ("team_let", True)):
        length = known[name].at(words, start)
        if not length:
            continue
        found = _target(words, start + length, agents)
        if found is None:
            continue
        to, at = found
        vague = words[start + length : at] == (THEM,)
        if name == "team_let":
            if words[at : at + 1] != ("know",):
                continue
            at += 1
        at += known["team_that"].at(words, at)
        return Address(to, at, tells and words[at : at + 1] not in _ASKING, vague)
    return None


_ASKING: Final = {(word,) for word in "to about whether if what why how when where which who".split()}
"""Behind "tell the team" these ask for something: no fact of the case is told."""


def request_in(text: str, agents: Set[str]) -> Request | None:
    """Return the message that `text` passes on, in its own words, or None."""
    read = text[:LONGEST_TEXT]
    begins = [(word, each.start()) for each in _TOKEN.finditer(read) for word in words_of(each.group())]
    words = tuple(word for word, _ in begins)
    found = address(words, agents)
    if found is None:
        return None
    rest = read[begins[found.begin][1] :] if found.begin < len(begins) else ""
    stops = lexicon().phrases["team_stop"].at(words, found.begin) == len(words) - found.begin > 0
    cancels = stops and not found.to and not found.vague
    return Request(found.to, rest.strip(_EDGES), found.tells, cancels)


def consents(words: Words) -> bool:
    """Return whether all of `words` is a yes in words; "okay" is none, as hums are written so."""
    known = lexicon()
    at, said = 0, False
    if asks_to_confirm(words):
        return False
    while at < len(words):
        length = known.phrases["consents"].at(words, at)
        said = said or length > 0
        length = length or known.phrases["beside_consent"].at(words, at)
        if not length:
            return False
        at += length
    return said


def approved(words: Words) -> Words | None:
    """Return the words that name what the turn approves; None: it names or approves nothing."""
    known = lexicon().phrases
    start = _after_leads(words)
    length = known["approves"].at(words, start)
    rest = words[start + length :]
    named = tuple(each for each in rest if not known["approves_what"].at((each,)))
    return named if length and named else None


def confirms(words: Words) -> bool:
    """Return whether all of `words` is "confirm", with or without a yes; a yes alone is none."""
    known = lexicon().phrases
    at, said = 0, False
    if asks_to_confirm(words):
        return False
    while at < len(words):
        length = known["confirms_it"].at(words, at)
        said = said or length > 0
        length = length or known["beside_consent"].at(words, at) or int(words[at] == "yes")
        if not length:
            return False
        at += length
    return said


def asks_to_confirm(words: Words) -> bool:
    """Return whether somebody is asked to confirm something: "please confirm"."""
    return "please" in words and "confirm" in words[words.index("please") :]


def _after_leads(words: Words) -> int:
    known, at = lexicon().phrases["team_leads"], 0
    while at < min(len(words), _LEADS_MOST):
        length = known.at(words, at)
        if not length:
            break
        at += length
    return at


def _target(words: Words, at: int, agents: Set[str]) -> tuple[str, int] | None:
    """Return who is named at `at`, "" for the team, and where what follows begins."""
    length = lexicon().phrases["team_all"].at(words, at)
    if length and words[at + length : at + length + 1] not in {("leader",), ("lead",)}:
        return "", at + length
    if words[at : at + 1] and words[at] in {"the", "our", "your"}:
        at += 1
    named = [agent for agent in agents if _is_named(words, at, words_of(agent))]
    if not named:
        return None
    agent = max(
        named, key=lambda each: (len(words_of(each)), words_of(each) == words[at:][: len(words_of(each))])
    )
    return agent, at + len(words_of(agent))


def _is_named(words: Words, at: int, name: Words) -> bool:
    said = words[at : at + len(name)]
    if len(said) < len(name) or not name:
        return False
    return all(one == other or _same_stem(one, other) for one, other in zip(said, name, strict=True))


def _same_stem(one: str, other: str) -> bool:
    return len(one) > _STEM and len(other) > _STEM and one[:_STEM] == other[:_STEM]
