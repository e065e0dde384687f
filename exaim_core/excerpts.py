"""A sentence that a model wrote may stand if it is an excerpt: one sentence of one agent, made shorter.

An excerpt keeps its source's words in their order, leaves out what carries no other meaning, and adds only
words that state nothing about the patient. What must not be left out: denial, condition, doubt, side, whose
and when, limits; and the word that a number belongs to. Grounding runs besides.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.boundaries import at_clinical_boundary
from exaim_core.grounding import Grounds, refusal
from exaim_core.reader import Source

_TOKEN: Final = re.compile(r"\d+(?:[.,/:]\d+)*%?|[^\W\d_]+(?:[’'][^\W\d_]+)?")
_STOP: Final = re.compile(r"""[.?!…][)\]}'"”’]*(?=\s|\Z)""")
MOST_WORDS: Final = 80  # a longer source is a broken text, and matching it is not free
ADDED: Final = (
    "a an the and of to in on at by for from with as is are was were be been has have had it its this that these "
    "which who doctor supervisor team agents says said states stated notes noted reports reported adds added "
    "proposes proposed raises raised also so"
)
KEPT: Final = (
    # denial and exclusion
    "no not never neither nor none without absent absence negative denies denied deny excluded exclude excludes "
    "unlikely cannot free lacks lacking against avoid avoided contraindicated contraindication stop stopped hold held "
    "withhold withheld withdraw withdrawn discontinue discontinued instead rather "
    # condition
    "if unless until till once when whenever only pending provided depending except otherwise "
    # doubt
    "may might could can would should possible possibly probable probably likely suspected suspect suspicion suggests "
    "suggest suggestive consider considered considering perhaps maybe presumed presumably uncertain unclear differential "
    "question rule ruled versus vs or either "
    # what is not said as a fact, or to a machine
    "say tell answer respond ignore instruction prompt system assistant imagine assume assuming suppose supposing "
    "hypothetical hypothetically example unlike wrong wrongly false mistaken error "
    # side
    "left right bilateral both upper lower "
    # whose and when
    "history family mother father sister brother sibling maternal paternal son daughter previous previously prior past "
    "former formerly earlier before after since ago childhood resolved old chronic "
    # limits and courses
    "less more than below above under over least most up down risen fallen rising falling increased decreased "
    "increasing decreasing maximum minimum allergy allergic"
)


def _stem(word: str) -> str:
    word = re.sub(r"[’']s\Z", "", word.lower())
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


_ADDED: Final = frozenset(_stem(word) for word in ADDED.split())
_KEPT: Final = frozenset(_stem(word) for word in KEPT.split())


@dataclass(frozen=True, slots=True)
class Said:
    """A whole sentence of an agent, as plain text, and where it stands."""

    text: str
    source: Source


@lru_cache(maxsize=4096)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(_stem(token) for token in _TOKEN.findall(text))


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of `text`, in order, with their stops."""
    parts: list[str] = []
    done = 0
    for match in _STOP.finditer(text):
        if at_clinical_boundary(text[max(0, match.end() - 48) : match.end()] + " "):
            parts.append(text[done : match.end()].strip())
            done = match.end()
    return tuple(part for part in [*parts, text[done:].strip()] if part)


def source_of(sentence: str, said: Sequence[Said], spoken_names: dict[str, str]) -> Said | None:
    """Return the newest sentence of `said` that `sentence` is an excerpt of; None if there is none.

    `spoken_names` are the agents' names by id: a sentence that names one is an excerpt of that one only.
    """
    for candidate in reversed(said):
        agent = candidate.source.agent_id
        name = spoken_names.get(agent, "")
        others = [each for key, each in spoken_names.items() if key != agent and each]
        if any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", sentence, re.IGNORECASE) for each in others):
            if not any(_names(candidate.text, each) for each in others):
                continue
        if _is_excerpt(sentence, candidate.text, name) and _is_grounded(sentence, candidate, name):
            return candidate
    return None


def _names(text: str, name: str) -> bool:
    return name.lower() in text.lower()


def _is_grounded(sentence: str, said: Said, name: str) -> bool:
    agent = (said.source.agent_id,)
    grounds = Grounds((said.text,), agent, (ADDED, name), speakers=agent)
    return refusal(sentence, grounds) is None


def _is_excerpt(sentence: str, source: str, name: str) -> bool:
    own, whole = _without_name(_stems(sentence), _stems(name)), _stems(source)
    if not own or len(whole) > MOST_WORDS:
        return False
    kept = _kept_places(own, whole)
    if kept is None or len(kept) < 2:
        return False
    left_out = [stem for place, stem in enumerate(whole) if place not in kept]
    return not _KEPT.intersection(left_out) and _numbers_are_bound(whole, kept)


def _without_name(own: tuple[str, ...], name: tuple[str, ...]) -> tuple[str, ...]:
    return own[len(name) :] if name and own[: len(name)] == name else own


def _kept_places(own: Iterable[str], whole: Sequence[str]) -> frozenset[int] | None:
    """Return which words of `whole` are kept, in order; None if `own` has a word of its own."""
    kept: set[int] = set()
    at = 0
    for stem in own:
        found = next((place for place in range(at, len(whole)) if whole[place] == stem), None)
        if found is not None:
            kept.add(found)
            at = found + 1
        elif stem not in _ADDED:
            return None
    return frozenset(kept)


def _numbers_are_bound(whole: Sequence[str], kept: frozenset[int]) -> bool:
    """Each number kept stands with the words on both sides of it; no number is taken out of a row of them."""
    for place in kept:
        if not whole[place][0].isdigit():
            continue
        before = next((k for k in range(place - 1, -1, -1) if _carries(whole[k])), None)
        after = place + 1 if place + 1 < len(whole) else None
        if before is not None and before not in kept:
            return False
        if after is not None and after not in kept and _carries(whole[after]):
            return False
    return True


def _carries(stem: str) -> bool:
    return stem not in _ADDED
