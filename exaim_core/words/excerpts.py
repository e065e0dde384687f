"""A sentence that a model wrote may stand if it is an excerpt: one sentence of one agent, its end left out.

An excerpt begins where its source or a part of it behind a semicolon begins, keeps every word but articles in
their order, and ends where that part ends, or before a comma or a conjunction if it is whole there: it holds a
verb, no number follows, and what is left out denies, limits, doubts, sides or dates nothing. Words are never
left out of the midst: a rule that allowed it let "the CT excludes enoxaparin" pass. Grounding runs besides.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.text.boundaries import at_clinical_boundary
from exaim_core.text.reader import Source

_TOKEN: Final = re.compile(r"\d+(?:[.,/:]\d+)*%?|[^\W\d_]+(?:[’'][^\W\d_]+)?")
_STOP: Final = re.compile(r"""[.?!…][)\]}'"”’]*(?=\s|\Z)""")
LEAST_WORDS: Final = 3
MOST_WORDS: Final = 80  # a longer source is a broken text, and matching it is not free
VERBS: Final = (
    "is are was were be been has have had shows show showed reveals reveal revealed confirms confirm confirmed finds "
    "found demonstrates demonstrated supports support remains remain needs need explains explain fits fit gave rose fell "
    "give start repeat order obtain check monitor continue treat call measure perform send ask begin keep insert correct"
)
NO_OPENING: Final = "it this that these those they we i you such both"
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


_VERBS: Final = frozenset(_stem(word) for word in VERBS.split())
_NO_OPENING: Final = frozenset(NO_OPENING.split())
_ARTICLE: Final = re.compile(r"\A\s*A\s+|\b(?:a|an|An|the|The)\s+")  # not that of "type A"
_PART: Final = re.compile(r";\s+")
_END: Final = re.compile(r",\s|\s(?=(?:and|but|because|which|while|as|since)\s)")
_PAIRED: Final = frozenset({"between", "both", "either", "neither", "not"})
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
    grounds = Grounds((said.text,), (said.source.agent_id,), (name,))
    return refusal(sentence, grounds) is None


def _is_excerpt(sentence: str, source: str, name: str) -> bool:
    own = _bare(_without_name(sentence, name))
    if len(own) < LEAST_WORDS or own[0] in _NO_OPENING or len(_stems(source)) > MOST_WORDS:
        return False
    return any(own == _bare(part) and _may_go(part, rest) for part, rest in _openings(source))


def _without_name(sentence: str, name: str) -> str:
    return re.sub(rf"\A{re.escape(name)}\s*[:,]\s*", "", sentence) if name else sentence


def _bare(text: str) -> tuple[str, ...]:
    return _stems(_ARTICLE.sub("", text))


def _openings(source: str) -> Iterator[tuple[str, str]]:
    """Yield what an excerpt may be, with what is left out."""
    parts = _PART.split(source)
    for k, part in enumerate(parts):
        others = "; ".join(parts[:k] + parts[k + 1 :])
        yield part, others
        for end in _END.finditer(part):
            yield part[: end.start()], f"{part[end.end() :]}; {others}"


def _may_go(kept: str, rest: str) -> bool:
    if not rest:
        return True
    stems, left_out = _stems(kept), _stems(rest)
    if _KEPT.intersection(left_out) or not _VERBS.intersection(stems):
        return False
    return not (left_out and left_out[0][0].isdigit()) and not _PAIRED.intersection(stems)
