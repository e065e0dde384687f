"""Find the agent's sentence that a model's sentence repeats, word for word but for articles.

Only whole sentences count, with nothing left out: it can't be told whether a part keeps its sense without the rest.
Grounding checks it as well, for what is no word: a sign before a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.text.places import Source

_TOKEN: Final = re.compile(r"\d+(?:[.,/:]\d+)*%?|[^\W\d_]+(?:[’'][^\W\d_]+)?")
_ARTICLE: Final = re.compile(r"\A\s*A\s+|\b(?:a|an|An|the|The)\s+")  # not the "A" of "type A"
_POINTS_BACK: Final = frozenset("it this that these those they we i you such both".split())
LEAST_WORDS: Final = 3
MOST_WORDS: Final = 80  # a longer source is a broken text


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A whole sentence of an agent, as plain text, and its place."""

    text: str
    source: Source


def source_of(sentence: str, said: Sequence[Excerpt], spoken_names: dict[str, str]) -> Excerpt | None:
    """Return the newest sentence of `said` that `sentence` is, with or without a speaker's name; or None.

    `spoken_names` are the agents' names by id.
    """
    for candidate in reversed(said):
        name = spoken_names.get(candidate.source.agent_id, "")
        own = _words(re.sub(rf"\A{re.escape(name)}\s*[:,]\s*", "", sentence) if name else sentence)
        if LEAST_WORDS <= len(own) <= MOST_WORDS and own[0] not in _POINTS_BACK:
            if own == _words(candidate.text) and _is_grounded(sentence, candidate, name):
                return candidate
    return None


def _is_grounded(sentence: str, said: Excerpt, name: str) -> bool:
    return refusal(sentence, Grounds((said.text,), (said.source.agent_id,), (name,))) is None


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _TOKEN.findall(_ARTICLE.sub("", text)))
