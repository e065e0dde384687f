"""Nothing is said that the cited text does not say.

Each check looks at a finished sentence and at the source sentences it cites, and knows nothing of
how the sentence was made. A sentence that fails one is dropped, with the reason and no clinical text.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.board.changes import Vote
from exaim_core.grounding.sight import unlike, verbatim
from exaim_core.lexicon.withdrawn import standing
from exaim_core.text.boundaries import at_clinical_boundary
from exaim_core.text.context import context_of
from exaim_core.text.names import NUMBER_WORDS, spoken_name
from exaim_core.text.quantities import Quantity, quantities

_WORD: Final = re.compile(r"[^\W\d_][\w’'-]*")
_STOP: Final = re.compile(r"""[.?!…:;][)\]}'"”’]*(?=\s|\Z)""")
_NEGATION: Final = re.compile(
    r"\b(?:no|not|without|never|neither|nor|none|absent|absence|negative|denies|unlikely|excluded|ruled out|cannot|\w+n['’]t)\b",
    re.IGNORECASE,
)
_SIDE: Final = re.compile(r"\b(left|right|bilateral)(?:-sided|\s+sided)?\s+([a-z]+)", re.IGNORECASE)
_NAME: Final = re.compile(r"\bDoctor ([A-Z][a-z]+|\d+)\b")
_AGENT_ID: Final = re.compile(r"\bdoctor\s?(\d+)\b", re.IGNORECASE)
_COUNT: Final = re.compile(
    r"\b(?:all (?P<all>\w+)|(?P<both>both) agree|(?P<for>\w+) to (?P<against>\w+)(?=[.,]| for\b| against\b))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a sentence may rest on: source sentences, the agents it is about, terms of the board, the vote.

    `free`: no template made it; then only the second look can tell what it says.
    """

    sources: tuple[str, ...]
    agents: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    vote: Vote | None = None
    free: bool = False


def refusal(text: str, grounds: Grounds) -> str | None:
    """Return why `text` may not be said on these grounds; None if it may."""
    if grounds.free:
        return unlike(text, grounds.sources, names=_called(grounds), strict=True)
    quoted = _IN_THEIR_WORDS.match(text)
    if quoted is not None and any(
        verbatim(quoted["check"] or quoted["end"], source) for source in grounds.sources
    ):
        return None  # whole, in their order, behind the speaker's name
    whole, text = text, _without_names(text, grounds)
    for check in (_numbers, _words, _negation, _sides, _certainty, _names, _counts):
        reason = check(text, grounds)
        if reason is not None:
            return reason
    if whole.startswith("Critical"):
        return None  # an alarm is computed; what it rests on was looked at above
    return unlike(whole, grounds.sources, names=_speakers(grounds), terms=grounds.terms)


_IN_THEIR_WORDS: Final = re.compile(
    r"Check, [^:]{3,40}: (?P<check>.+)\Z|Finished\. (?P<end>.+), says [^,:]{2,60}\.\Z", re.DOTALL
)


def _speakers(grounds: Grounds) -> list[str]:
    voters = grounds.vote.voters if grounds.vote is not None else ()
    return [spoken_name(agent) for agent in (*grounds.agents, *voters)]


def _called(grounds: Grounds) -> list[str]:
    """Return the speakers' names, and what is left of them in the midst of a sentence."""
    names = _speakers(grounds)
    return [*names, *(part for name in names for part in name.split() if part.lower() not in _NAMELESS)]


_NAMELESS: Final = frozenset({"the", "an", "a", "agent", "doctor"})


def _without_names(text: str, grounds: Grounds) -> str:
    """Take out the names of the agents that may be named: a version number in one is no finding."""
    for name in sorted(_speakers(grounds), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?:[’']s)?(?!\w)", "", text, flags=re.IGNORECASE)
    return text


@lru_cache(maxsize=2048)
def _split(text: str) -> tuple[str, ...]:
    parts: list[str] = []
    done = 0
    for match in _STOP.finditer(text):
        if match.group()[0] in ":;" or not at_clinical_boundary(
            text[max(0, match.end() - 48) : match.end()] + " "
        ):
            continue
        parts.append(text[done : match.end()].strip())
        done = match.end()
    rest = text[done:].strip()
    return tuple(part for part in [*parts, rest] if part)


def _sentences(grounds: Grounds) -> tuple[str, ...]:
    return tuple(part for source in grounds.sources for part in _split(source))


def _stem(word: str) -> str:
    word = re.sub(r"[’']s\Z", "", word.lower().strip("-'’"))
    return word[:-1] if len(word) > 4 and word.endswith("s") else word


# Words of the templates: they state nothing about the patient.
_TEMPLATE: Final = frozenset(
    _stem(word)
    for word in (
        "doctor supervisor leads lead with thinks of differs on sides changed to from has all both agree agrees three two one four five also considers adds the differential asks for wants "
        "recommends caution critical i repeat opens rules leaves narrows agents say case file says but check it open between first says finished then and or a an at in is conditional recommendation page no leading view was stated not agreed points "
        "by as after before still would none stated rejected leading tests so far doctors supports differs holds hold out done critical also considered both so far or adds caution recommendation withdraws correction settled disagreement against stands record charted running consensus decision now wanted what was decided could not be read it is on the page"
    ).split()
)


@lru_cache(maxsize=8192)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_stem(part) for word in _WORD.findall(text) for part in word.split("-") if part)


def _numbers(text: str, grounds: Grounds) -> str | None:
    """Each number stands with its unit and with the word before it in one source sentence."""
    found = quantities(text)
    if not found:
        return None
    sentences = _sentences(grounds)
    for quantity in found:
        homes = [sentence for sentence in sentences if _has(sentence, quantity)]
        if not homes:
            return "a number is not in the cited text with this unit"
        analyte = _analyte(text, quantity, found)
        if analyte and not any(analyte in _stems(home) for home in homes):
            return "a number stands with another word in the cited text"
        if analyte and not any(_nearest(home, quantity, analyte) for home in homes):
            return "a number belongs to another value in the cited text"
    return None


def _has(sentence: str, quantity: Quantity) -> bool:
    return any(
        other.number == quantity.number and other.unit == quantity.unit for other in quantities(sentence)
    )


def _analyte(text: str, quantity: Quantity, among: Sequence[Quantity]) -> str | None:
    """Return the stem of the content word that the number is read with: the last one before it in its clause."""
    start = max((other.end for other in among if other.end <= quantity.start), default=0)
    clause = re.split(r"[.;,]\s|\sand\s", text[start : quantity.start])[-1]
    words = [
        word
        for word in _stems(clause)
        if word not in _TEMPLATE and word not in _LINK and word not in NUMBER_WORDS and len(word) > 1
    ]
    return words[-1] if words else None


_LINK: Final = frozenset(
    "of is was to about from only over every per and at with below above for the in on than up it least most about around approximately more less its now still flat stay stays level value count concentration".split()
)


# Words between two values of one thing: "138 a year ago and is 109".
_COURSE: Final = _LINK | frozenset(
    "year month week day hour ago admission arrival yesterday today before earlier initially previously baseline repeat again since".split()
)


def _nearest(sentence: str, quantity: Quantity, analyte: str) -> bool:
    """Tell whether no other measured number stands between the analyte and this number."""
    gone = standing(sentence, ()).gone
    spots = quantities(sentence)
    for other in spots:
        if (other.number, other.unit) != (quantity.number, quantity.unit):
            continue
        before = max(
            (
                spot.end
                for spot in spots
                if spot.end <= other.start and spot.unit and (spot.start, spot.end) not in gone
            ),
            default=0,
        )
        between = sentence[before : other.start]
        after = re.split(r"[,;.]\s", sentence[other.end :])[0]
        if analyte in _stems(between) or (
            analyte in _stems(after) and not any(q.unit for q in quantities(after))
        ):
            return True
        earlier = _stems(sentence[: other.start])
        if analyte in earlier and not [w for w in _stems(between) if w not in _COURSE and w not in _TEMPLATE]:
            return True
    return False


def _words(text: str, grounds: Grounds) -> str | None:
    """Every telling word comes from the cited text, from a term of the board or from a template."""
    known = {stem for source in (*grounds.sources, *grounds.terms) for stem in _stems(source)}
    agents = {stem for agent in grounds.agents for stem in _stems(spoken_name(agent))}
    for stem in _stems(text):
        if (
            stem in known
            or stem in _TEMPLATE
            or stem in agents
            or stem in NUMBER_WORDS
            or _stem(stem) in _TEMPLATE
        ):
            continue
        return "a word is not in the cited text"
    return None


def _negation(text: str, grounds: Grounds) -> str | None:
    """What is denied in the source is denied in the sentence, and the other way round."""
    sentences = _sentences(grounds)
    if not sentences:
        return None
    said = _NEGATION.search(re.sub(r"No leading view stands|What was decided could not be read", "", text))
    if said is not None and not any(_NEGATION.search(sentence) for sentence in sentences):
        return "a negation is not in the cited text"
    if said is None:
        for span in _spans(text):
            homes = [
                (sentence, sentence.lower().find(span)) for sentence in sentences if span in sentence.lower()
            ]
            if homes and all(context_of(home, at, at + len(span)).negated for home, at in homes):
                return "a negation of the cited text is lost"
    return None


def _spans(text: str) -> list[str]:
    """Return the runs of words of `text` between commas, stops and template words, in small letters."""
    spans: list[str] = []
    for part in re.split(r"[.,:;]\s*", text):
        words = part.split()
        while words and _stem(words[0]) in _TEMPLATE:
            words.pop(0)
        while words and _stem(words[-1]) in _TEMPLATE:
            words.pop()
        if len(words) >= 2:
            spans.append(" ".join(words).lower())
    return spans


def _sides(text: str, grounds: Grounds) -> str | None:
    """Left and right stand before the same word as in the source."""
    for match in _SIDE.finditer(text):
        side, thing = match[1].lower(), _stem(match[2])
        pattern = re.compile(
            rf"\b{side}\b(?:-sided)?(?:\W+(?!left\b|right\b)\w+){{0,3}}?\W+{re.escape(thing)}", re.IGNORECASE
        )
        if not any(pattern.search(source) for source in (*grounds.sources, *grounds.terms)):
            return "a side is not in the cited text"
    return None


def _certainty(text: str, grounds: Grounds) -> str | None:
    """What is only to be considered is not recommended, what is recommended is not done."""
    if re.search(r"\brecommends\b|\basks for\b", text) and grounds.sources:
        if all(
            re.match(r"(?:consider|we could|one could|might)\b", source, re.IGNORECASE)
            for source in grounds.sources
        ):
            return "a consideration would be told as a recommendation"
    done = re.search(
        r"\b(?:was|were|has been|have been|is being) (?:given|started|stopped|done|performed|administered)\b",
        text,
        re.IGNORECASE,
    )
    if done and not any(_done(done.group().lower(), source.lower()) for source in grounds.sources):
        return "something would be told as done"
    return None


def _done(words: str, source: str) -> bool:
    at = source.find(words)
    clause = re.split(r"[.;,]", source[: max(at, 0)])[-1]
    return at >= 0 and not re.search(r"\b(?:nothing|none|no|not|never)\b", clause)


def _names(text: str, grounds: Grounds) -> str | None:
    """Agents are called by their own names."""
    allowed: set[str] = {spoken_name(agent) for agent in grounds.agents}
    allowed |= {
        spoken_name(f"doctor{match[1]}") for source in grounds.sources for match in _AGENT_ID.finditer(source)
    }
    if grounds.vote is not None:
        allowed |= {spoken_name(agent) for agent in grounds.vote.voters}
    named = {f"Doctor {match[1]}" for match in _NAME.finditer(text)}
    return None if named <= allowed else "an agent is not the one cited"


def _counts(text: str, grounds: Grounds) -> str | None:
    """Counts of agents are those of the vote."""
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
