"""Refuse a finished sentence that says anything that the cited text does not say.

Names and counts are checked here; everything else that a sentence says is held against the
sentences that it cites by a reader of its own (`sight.py`). Neither knows how the sentence was made. A sentence that
fails is dropped, with the reason and no clinical text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from exaim_core.board.changes import Vote
from exaim_core.grounding.sight import unlike, verbatim
from exaim_core.text.boundaries import stopped
from exaim_core.text.names import NUMBER_WORDS, Names, spoken_name

_NAME: Final = re.compile(r"\bDoctor ([A-Z][a-z]+|\d+)\b")
_AGENT_ID: Final = re.compile(r"\bdoctor\s?(\d+)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"\b(?:all (?P<all>\w+)|(?P<both>both) agree|(?P<for>\w+) to (?P<against>\w+)(?=[.,]| for\b| against\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a sentence may rest on: source sentences, its agents, terms of the board, the vote.

    `names` are the agents' spoken names. `free`: no template made it, so only the second look can tell what it says.
    `behind`: another agent's words with its name, which stand before what is said.
    """

    sources: tuple[str, ...]
    agents: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    vote: Vote | None = None
    free: bool = False
    behind: str = ""
    names: Names = field(default_factory=Names)


def refusal(text: str, grounds: Grounds) -> str | None:
    """Return why `text` may not be said on these grounds; None if it may."""
    if grounds.behind and text.startswith(grounds.behind):
        text = text[len(grounds.behind) :]
        if not any(verbatim(grounds.behind.partition(": ")[2], source) for source in grounds.sources):
            return "words of somebody else are not in the cited text"
    if grounds.free:
        return unlike(text, grounds.sources, names=_called(grounds), strict=True)
    if (pointer := _POINTER.fullmatch(text)) is not None:
        named = re.split(r", (?:and )?| and ", (pointer["named"] or "").lower())
        told = all(any(each in source.lower() for source in grounds.sources) for each in named)
        return _names(text, grounds) if told else "what is pointed to is not in the cited text"
    if (looks := _TO_CHECK.fullmatch(text)) is not None and any(
        _holds(each, looks["value"]) for each in grounds.sources
    ):
        return _names(text, grounds)
    quoted = _IN_THEIR_WORDS.match(text)
    if quoted is not None and any(
        verbatim(quoted["check"] or quoted["last"] or quoted["end"], source) for source in grounds.sources
    ):
        return None  # whole and in order, after the speaker's name
    if _meets(text, grounds):
        return _names(text, grounds)
    answer = _ANSWERS.match(text)
    if answer is not None and _each_verbatim((answer["of"] or answer["called"], answer["words"]), grounds):
        return None
    without = _without_names(text, grounds)
    if (reason := _names(without, grounds)) is not None:
        return reason
    if (reason := _counts(without, grounds)) is not None and not _is_quoted(text, grounds):
        return reason
    return unlike(text, grounds.sources, names=_speakers(grounds), terms=grounds.terms)


_POINTER: Final = re.compile(
    r"A (?:caution|recommendation) from .{2,60}? (?:on (?P<named>[^.]+?) )?is on the page\."
)
"""Words that are too long to be told: nothing is stated of what they name."""
_TO_CHECK: Final = re.compile(
    r"Check(?: on the page)?: (?P<value>[^,:]{3,60}?)(?:, from [^,:]{2,60})?\.", re.DOTALL
)
"""A value that is to be looked up in its speaker's words, which are too long: nothing is stated of it."""
_IN_THEIR_WORDS: Final = re.compile(
    r"Check, [^:]{3,40}: (?P<check>.+)\Z|Finished\. At the end [^:]{2,60} said: (?P<last>.+)\Z|"
    r"Finished\. (?P<end>.+), says [^:]{2,60}\.\Z",
    re.DOTALL,
)


_ANSWERS: Final = re.compile(
    r"On (?:the (?P<of>[\w-]+)|“(?P<called>[^”]+)”), [^:]{2,40}: (?P<words>.+)\Z", re.DOTALL
)
"""A follow-up of something that was spoken, each of its sentences whole."""


_MEETS: Final = re.compile(
    r"Check, (?:[^:]{2,40}: (?P<asked>.+?)|(?P<called>[^:.]+))\. [A-Z][^:.]{1,40}: (?P<fact>.+)\Z"
    r"|Check on the page: (?P<page>.+?), from .{2,60}?, and (?P<why>.+), from .{2,60}\.\Z",
    re.DOTALL,
)
"""An order, or its drugs, beside what another agent stated: each whole, in its own words."""


def _meets(text: str, grounds: Grounds) -> bool:
    """Return whether `text` is an order and a fact, each found in one cited text: nothing is concluded."""
    found = _MEETS.match(text)
    if found is None:
        return False
    named = found["called"] or found["page"]
    ordered = found["asked"] is not None and any(verbatim(found["asked"], each) for each in grounds.sources)
    if named is not None:
        drugs = re.split(r", | and ", named.lower())
        ordered = any(all(drug in each.lower() for drug in drugs) for each in grounds.sources)
    return (
        ordered
        and (found["fact"] is None or any(verbatim(found["fact"], each) for each in grounds.sources))
        and (
            found["why"] is None
            or any(_holds(each, found["why"].removeprefix("the ")) for each in grounds.sources)
        )
    )


def _holds(source: str, fact: str) -> bool:
    """Return whether a cited text has a short fact's words in order: "platelets have fallen to 38"."""
    words = fact.rstrip(".").split()
    pattern = r"\b.{0,60}?".join(map(re.escape, words))
    return len(words) <= MOST_FACT_WORDS and re.search(pattern, source, re.IGNORECASE) is not None


MOST_FACT_WORDS: Final = 8


def _each_verbatim(said: tuple[str, str], grounds: Grounds) -> bool:
    thing, words = said
    parts = [part for part in stopped(words) if part.strip()]
    if not parts or thing.lower() in parts[0].lower():
        return False  # after the thing's name a denial of it would not sound like one
    named = any(thing.lower() in source.lower() for source in grounds.sources)
    return named and all(any(verbatim(part, source) for source in grounds.sources) for part in parts)


def _is_quoted(text: str, grounds: Grounds) -> bool:
    """Return whether it is one whole cited sentence, with or without its speaker's name."""
    return any(
        verbatim(words, source) and verbatim(source, words)
        for words in (text, text.partition(": ")[2])
        for source in grounds.sources
    )


def _speakers(grounds: Grounds) -> list[str]:
    voters = grounds.vote.voters if grounds.vote is not None else ()
    return [grounds.names(agent) for agent in (*grounds.agents, *voters)]


def _called(grounds: Grounds) -> list[str]:
    """Return the speakers' names, and their parts as they stand inside a sentence."""
    names = _speakers(grounds)
    return [*names, *(part for name in names for part in name.split() if part.lower() not in _NAMELESS)]


_NAMELESS: Final = frozenset({"the", "an", "a", "agent", "doctor"})


def _without_names(text: str, grounds: Grounds) -> str:
    """Return `text` without the agents' names: a version number in one is no finding."""
    for name in sorted(_speakers(grounds), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:[’']s)?(?!\w)", "", text, flags=re.IGNORECASE)
    return text


def _names(text: str, grounds: Grounds) -> str | None:
    """Return a reason if an agent is named that the sentence is not about; None if all fit."""
    allowed: set[str] = {grounds.names(agent) for agent in grounds.agents}
    allowed |= {
        spoken_name(f"doctor{match[1]}") for source in grounds.sources for match in _AGENT_ID.finditer(source)
    }
    allowed |= {f"Doctor {match[1]}" for source in grounds.sources for match in _NAME.finditer(source)}
    if grounds.vote is not None:
        allowed |= {grounds.names(agent) for agent in grounds.vote.voters}
    named = {f"Doctor {match[1]}" for match in _NAME.finditer(text)}
    return None if named <= allowed else "an agent is not the one cited"


def _counts(text: str, grounds: Grounds) -> str | None:
    """Return a reason if agents are counted other than in the vote; None if all fit."""
    for match in _COUNT.finditer(text):
        if match["for"] and _number(match["for"]) is None:
            continue
        vote = grounds.vote
        if vote is None:
            if match["all"] and _number(match["all"]) is None:
                continue
            return "a count has no vote"
        holders, others = len(vote.holders), len(vote.voters) - len(vote.holders)
        if match["for"] and (_number(match["for"]), _number(match["against"])) != (holders, others):
            return "a count is not that of the vote"
        if match["both"] and not (vote.unanimous and holders == 2):
            return "a count is not that of the vote"
        if (
            match["all"]
            and _number(match["all"]) is not None
            and not (vote.unanimous and _number(match["all"]) == holders)
        ):
            return "a count is not that of the vote"
    return None


def _number(word: str) -> int | None:
    word = word.lower()
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS else None
