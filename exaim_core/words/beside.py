"""What is short is told with the sentence that goes on with it, or with the one before it.

Of the judged sentences in their speaker's words with up to eight words one in five was not true, of those with nine to
fourteen one in twenty (docs/decisions/062): the exception, the manner or the noun stood in the next sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.quotes import is_talk
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.phrases import is_noise, is_request
from exaim_core.schema import SpokenKind
from exaim_core.text.reader import Sentence, Unit
from exaim_core.text.wording import word_count
from exaim_core.words.overtaken import things
from exaim_core.words.templates import Wording, said_words

SHORT_WORDS: Final = 8
MOST_WORDS: Final = 22
LEAST_WORDS: Final = 2  # of a neighbour
_KINDS: Final = frozenset({SpokenKind.CAUTION, SpokenKind.ACTION, SpokenKind.CHANGE})
_WORD: Final = re.compile(r"\w+")


def with_neighbour(made: Wording, said: Sequence[Unit]) -> Wording:
    """Return `made` with the sentence after it on its line, else the one before it, if it is short and both fit."""
    words = said_words(made.text)
    told_so = made.kind in _KINDS or (made.quoted and made.kind is SpokenKind.FINDING)
    if not told_so or len(made.claims) != 1 or word_count(words) > SHORT_WORDS:
        return made
    at = _place(made.claims[0], words, said)
    if at is None:
        return made
    after = _on_the_line(said, at, at + 1)
    if after is not None and (joined := _joined(made, words, f"{words}. {_bare(after)}", after)):
        return joined
    before = _on_the_line(said, at, at - 1)
    if (
        before is not None
        and not hangs(before.full)
        and (joined := _joined(made, words, f"{_bare(before).rstrip('.;')}. {_upper(words)}", before))
    ):
        return joined
    return made


def _place(claim: Claim, words: str, said: Sequence[Unit]) -> int | None:
    """Return which of the units what is told stands in; None if it is not one whole sentence."""
    told = set(_WORD.findall(words.lower()))
    for at, unit in enumerate(said):
        if isinstance(unit, Sentence) and unit.source == claim.source and not unit.row:
            if told and set(_WORD.findall(unit.text.lower())) <= told:
                return at
    return None


def _on_the_line(said: Sequence[Unit], at: int, other: int) -> Sentence | None:
    """Return the unit at `other` if it is a sentence of the same line that states something."""
    here = said[at]
    there = said[other] if 0 <= other < len(said) else None
    if not (isinstance(here, Sentence) and isinstance(there, Sentence)):
        return None
    alike = there.line_no == here.line_no and there.source.agent_id == here.source.agent_id
    if alike and there.text.endswith("?"):
        asks = other > at and word_count(there.full) <= LEAST_WORDS and not things(there.full)  # "Slowly?"
        return there if asks else None
    states = not (is_noise(there.text) or is_request(there.text) or is_talk(there.text))
    return there if alike and states and word_count(there.full) >= LEAST_WORDS else None


def _joined(made: Wording, words: str, text: str, neighbour: Sentence) -> Wording | None:
    if word_count(text) > MOST_WORDS:
        return None
    opening = made.text[: len(made.text.rstrip(".")) - len(words)]
    claim = made.claims[0]
    beside = Claim(claim.agent_id, Kind.QUOTE, "", neighbour.full, neighbour.source, under=neighbour.section)
    said = text.rstrip(".;, ")
    stop = "" if said.endswith(("?", "!")) else "."
    return replace(made, text=f"{opening}{said}{stop}", claims=(claim, beside), brief=None)


def _bare(neighbour: Sentence) -> str:
    """Return the sentence without a mark of a quotation or an arrow before it."""
    return neighbour.full.lstrip(" >→*•")


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
