"""Numbers in words in a sentence of a model's own: they are in the cited text, or count agents rightly."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from exaim_core.binding import Said
from exaim_core.names import NUMBER_WORDS
from exaim_core.paraphrase import telling
from exaim_core.polarity import denied_and_affirmed

_VOTE: Final = re.compile(r"\b(?P<for>\w+) to (?P<against>\w+)(?=[.,]| for\b| against\b| on\b| in\b)|\b(?:all (?P<all>\w+)|(?P<both>bilateral|both)) (?:hold|agree|lead|support|think|favou?r|have)|(?P<every>\ball)(?: of (?:them|us))? (?:are|agree|lead|hold|favou?r|support)|(?<!Doctor )\b(?P<some>two|three|four|five)(?: doctors| agents)? (?:lead|hold|are for|are with|are against|favou?r|support|think|back|agree)\b", re.IGNORECASE)  # fmt: skip
_WITH: Final = re.compile(r"\b(?:agree|side|concur|with|join|same as|second|support)\b[^.;]{0,20}?\bdoctor ?(?P<n>\d|zero|one|two|three|four)\b", re.IGNORECASE)  # fmt: skip
_CHAIR: Final = frozenset({"supervisor", "moderator", "paper"})


def counts(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """Numbers in words are in the cited text, or count agents rightly."""
    agents = list(dict.fromkeys(source.agent for source in said if source.agent not in _CHAIR))
    text = told
    for match in _VOTE.finditer(told):
        numbers = [number_of(match[name] or "") for name in ("for", "against")]
        whole = number_of(match["all"] or match["some"] or "") if match["all"] or match["some"] else None
        whole = 2 if match["both"] else len(agents) if match["every"] else whole
        if match["for"] and None in numbers:
            continue
        about = (
            frozenset(telling(re.split(r"[;,.]\s", told[match.end() :])[0])) - names
            or frozenset(telling(told)) - names
        )
        if not about:
            return "a count has no vote"
        against = "against" in match.group().lower() and match["some"]
        if against:
            continue
        holders = sum(_holds(agent, about, said, agents) for agent in agents)
        if match["for"] and numbers != [holders, len(agents) - holders]:
            return "a count is not that of the vote"
        if whole is not None and whole != holders:
            return "a count is not that of the vote"
        text = text.replace(match.group(), " ")
    return _loose_counts(text, said, agents, names)


def _loose_counts(
    text: str, said: Sequence[Said], agents: Sequence[str], names: frozenset[str]
) -> str | None:
    there = {
        number
        for source in said
        for word in re.findall(r"\w+", source.text)
        if (number := number_of(word)) is not None
    }
    for word in re.findall(r"(?<!Doctor )\b[a-z]+\b", text, re.IGNORECASE):
        number = number_of(word)
        if number is None or number < 2 or word.lower() in names:
            continue
        if number not in there and not (
            number == len(agents)
            and re.search(
                rf"\b{word} (?:agents|doctors|leading|views|diagnoses|opinions)", text, re.IGNORECASE
            )
        ):
            return "a count is not in the cited text"
    pairs = [
        (number_of(a), number_of(b)) for a, b in re.findall(r"\b(\w+) (?:out )?of (?:the )?(\w+)\b", text)
    ]
    known = {
        (number_of(a), number_of(b))
        for s in said
        for a, b in re.findall(r"\b(\w+) (?:out )?of (?:the )?(\w+)\b", s.text)
    }
    if any(None not in pair and pair not in known for pair in pairs):
        return "a count is not in the cited text"
    return None


def number_of(word: str) -> int | None:
    """Return the number that `word` is, in digits or as a word up to twelve; None for any other word."""
    word = word.lower()
    if word.isdigit() and len(word) < 3:
        return int(word)
    return NUMBER_WORDS.index(word) if word in NUMBER_WORDS else None


def _holds(
    agent: str, about: frozenset[str], said: Sequence[Said], agents: Sequence[str], depth: int = 0
) -> bool:
    """Tell whether an agent's last word on it is for what the words `about` name."""
    for source in reversed([source for source in said if source.agent == agent]):
        denied, affirmed = denied_and_affirmed(source.text)
        if about & (affirmed - denied):
            return True
        if about & denied:
            return False
        joined = _WITH.search(source.text)
        if joined and depth < 3:
            number = joined["n"]
            other = f"doctor{number if number.isdigit() else NUMBER_WORDS.index(number.lower())}"
            return other in agents and _holds(other, about, said, agents, depth + 1)
        return False
    return False
