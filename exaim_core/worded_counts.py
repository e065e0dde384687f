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

_IS_FOR: Final = (
    "(?:all )?(?:now )?(?:lead|hold|favou?r|support|think|back|agree|want|prefer|would|recommend|propose|suspect|go for|vote|opt|choose|chose|call|"
    "suggest|advise|believe|are for|are with|are against|are in favour|voted|wanted|preferred|backed|favou?red|side|see it|read it)"
)
_VOTE: Final = re.compile(
    r"(?<![\d.])\b(?P<for>\w+) to (?P<against>\w+)(?=[.,](?!\d)| for\b| against\b| on\b| in\b)|"
    rf"\b(?P<part>\w+) (?:out )?of (?:the |all )?(?P<whole>\w+)(?: doctors| agents| of them)?(?=,? {_IS_FOR}\b)|"
    r"\b(?:all (?P<all>\w+)(?: doctors| agents| of them)?|(?P<both>bilateral|both)(?: doctors| agents| of them)?) (?:hold|agree|lead|support|think|favou?r|have|want|suspect|recommend|propose|prefer|back|would|are for)|"
    rf"(?P<every>\b(?:all|everyone|everybody))(?: of (?:them|us))? (?:are|is|agrees|leads|holds|favou?rs|supports|wants|{_IS_FOR})\b|"
    rf"(?<!Doctor )(?<! of )(?<! of the )\b(?P<some>two|three|four|five)(?: doctors| agents)? {_IS_FOR}\b",
    re.IGNORECASE,
)
_WITH: Final = re.compile(r"\b(?:agree|side|concur|with|join|same as|second|support)\b[^.;]{0,20}?\bdoctor ?(?P<n>\d|zero|one|two|three|four)\b", re.IGNORECASE)  # fmt: skip
_SAME: Final = re.compile(
    r"\b(?:same (?:view|here|opinion|for me|from me|thought|conclusion)|agreed|I agree|I concur|concur|likewise|ditto|seconded|me too|me as well|as (?:he|she|they) (?:said|says)|with (?:him|her|them|that)|no (?:argument|objection) (?:here|from me)|my (?:view|vote|thought) too|yes|exactly|mine too|count me in)\b",
    re.IGNORECASE,
)
_OTHERS: Final = re.compile(
    r"\b(?:alternatives?|differentials?|less likely|also consider\w*|rather than|instead of|not)\b:?[^.;]*",
    re.IGNORECASE,
)
MOST_SHARED: Final = 0.5  # of the words of what is held that another view may share with it
_CHAIR: Final = frozenset({"supervisor", "moderator", "paper"})


def counts(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """Numbers in words are in the cited text, or count agents rightly."""
    agents = list(dict.fromkeys(source.agent for source in said if source.agent not in _CHAIR))
    text = told
    for match in _VOTE.finditer(told):
        numbers = [number_of(match[name] or "") for name in ("for", "against")]
        if match["part"]:
            numbers = [number_of(match[name] or "") for name in ("part", "whole")]
            if numbers[1] != len(agents) or None in numbers:
                continue
        whole = number_of(match["all"] or match["some"] or "") if match["all"] or match["some"] else None
        whole = 2 if match["both"] else len(agents) if match["every"] else whole
        if match["for"] and (None in numbers or match["for"].isdigit()):
            continue
        about = (
            frozenset(telling(re.split(r"[;,.]\s", told[match.end() :])[0])) - names
            or frozenset(telling(told)) - names
        )
        if not about:
            return "a count has no vote"
        if "against" in told[match.start() : match.end() + 12].lower() and (match["some"] or match["part"]):
            text = text.replace(match.group(), " ")
            continue
        if not agents and (match["every"] or match["some"]):  # the chair counts
            if not (
                _ALL.search(" ".join(source.text for source in said))
                if match["every"]
                else _is_counted(whole or 0, about, said)
            ):
                return "a count is not that of the vote"
            continue
        holders = sum(_holds(agent, about, said, agents) for agent in agents)
        if match["for"] and numbers != [holders, len(agents) - holders]:
            return "a count is not that of the vote"
        if match["part"] and numbers[0] != holders:
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
        (
            number_of(match[1]),
            number_of(match[2]),
            frozenset(telling(re.split(r"[;,.]\s", text[match.end() :])[0])),
        )
        for match in _OF.finditer(text)
    ]
    known = {
        (number_of(match[1]), number_of(match[2])) for source in said for match in _OF.finditer(source.text)
    }
    for part, whole, about in pairs:
        if part is None or whole is None or (part, whole) in known:
            continue
        if whole not in there or whole in {total for _, total in known} or not _is_counted(part, about, said):
            return "a count is not in the cited text"
    return None


_ALL: Final = re.compile(
    r"\b(?:all|every(?:one|body)|unanim\w+|nobody (?:disagrees|objects)|agreed)\b", re.IGNORECASE
)
_OF: Final = re.compile(r"\b(\w+) (?:out )?of (?:the )?(\w+)\b")


def _is_counted(number: int, about: frozenset[str], said: Sequence[Said]) -> bool:
    """Tell whether `number` stands in a clause with a word of `about`: "for surgery: four"."""
    clauses = (clause for source in said for clause in re.split(r"[;.,]\s", source.text))
    return any(
        about & frozenset(telling(clause))
        and number in {number_of(word) for word in re.findall(r"\w+", clause)}
        for clause in clauses
    )


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
    known = frozenset(one for source in said for one in telling(source.text))
    for place in reversed([place for place, source in enumerate(said) if source.agent == agent]):
        source = said[place]
        denied, affirmed = denied_and_affirmed(_OTHERS.sub(" ", source.text))
        if len(about & (affirmed - denied)) > MOST_SHARED * len(about & known):
            return True
        if about & denied:
            return False
        joined = _WITH.search(source.text)
        if joined and depth < 3:
            number = joined["n"]
            other = f"doctor{number if number.isdigit() else NUMBER_WORDS.index(number.lower())}"
            return other in agents and _holds(other, about, said, agents, depth + 1)
        before = next(
            (each.agent for each in reversed(said[:place]) if each.agent in agents and each.agent != agent),
            None,
        )
        if before and _SAME.search(source.text) and depth < 3:
            return _holds(before, about, said[:place], agents, depth + 1)
        return False
    return False
