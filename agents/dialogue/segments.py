"""Passages: what may be told of a case paper and of a discussion, cut into single sentences and what stands together."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agents.dialogue.board_facts import QUOTE_WORDS, may_be_told
from agents.dialogue.facts import Fact
from agents.dialogue.forbids import forbids
from agents.dialogue.shapes import HAS_NUMBER
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.phrases import is_request
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.names import Names
from exaim_core.text.sections import Section
from exaim_core.text.wording import word_count

HEADING: Final = 0.55  # what a unit is worth that stands only in the heading or in the sentence before
FADES: Final = 0.8  # ... of which each sentence further back lends so much less
TURN_BEFORE: Final = 0.5  # what the end of the turn before lends
LEAST: Final = 0.3
MOST_TOGETHER: Final = 3  # sentences that are told as one
_A_TITLE: Final = 40  # characters in which a title before a colon ends
_FEW_WORDS: Final = 26  # ... of three at most

HANGS: Final = re.compile(
    r"\W*(?:it|its|this|that|these|those|they|them|both|neither|either|no|yes|not yet|only if|which|so|but|and|then|the same|such|otherwise|instead|interval|pointless|nothing else|nobody)\b",
    re.IGNORECASE,
)
POINTS: Final = re.compile(
    r"\W*(?:(?:so|but|and|then) )?(?:it|its|this|that|these|those|they|them|both|neither|either)\b",
    re.IGNORECASE,
)
FOLLOWS: Final = re.compile(
    rf"{HANGS.pattern}|\W*(?:he|she|his|her|the (?:dose|target|rest))\b", re.IGNORECASE
)
# What is to come first, or is not to be yet, was not done: "repeat it before any copper is infused".
_AHEAD: Final = re.compile(r"\b(?:before|until|till|unless|if|once)\b[^.;,]*", re.IGNORECASE)
_DOING: Final = re.compile(r"^see you\b|^(?:I|we) (?:will|have|read|am|are|look|offer|respect|fully agree|hope)\b|\bplease\b.*\bonce more\b", re.I)  # fmt: skip

# ... and of it what says how its speaker stands to a thing, and not that something is under way.
_STANDS: Final = re.compile(r"(?:I|we) (?:will (?:not|never|give|use|avoid)\b|(?:am|are)\b(?!(?: \w+)? \w+ing\b)|have (?:\w+ ){0,2}(?:concern|doubt|reservation|objection|problem|reason)s?\b)", re.I)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """What may be told: a fact of the paper, or one to three sentences that were said.

    `own` are the places of what it holds itself among the texts of all passages, `around` those of its heading and
    of what was said before it, each with how much of its meaning it lends, `speaker` that of what its speaker is called.
    """

    text: str
    own: tuple[int, ...]
    around: tuple[tuple[int, float], ...]
    speaker: int | None = None
    said: tuple[SaidView, ...] = ()
    paper: Fact | None = None
    past: bool = False
    place: float = 0.5  # 0 to 1 in the discussion

    @property
    def alone(self) -> bool:
        """Tell whether it is one sentence."""
        return len(self.said) == 1 and self.said[0].under != VALUES

    @property
    def agent(self) -> str:
        """Return who said it; "" of the paper."""
        return self.said[0].agent_id if self.said else ""

    @property
    def section(self) -> Section:
        """Return what the heading above it announces."""
        return self.said[0].section if self.said else Section.OTHER


class Segments:
    """The passages of one board and one paper, with their texts, each kept once."""

    def __init__(self, view: BoardView, paper: Sequence[Fact]) -> None:
        self.texts: list[str] = []
        self._at: dict[str, int] = {}
        self._view = view
        self._names = Names(view.names)
        self.passages: tuple[Passage, ...] = (*self._of_paper(paper), *self._said())

    def _place(self, text: str) -> int:
        if text not in self._at:
            self._at[text] = len(self.texts)
            self.texts.append(text)
        return self._at[text]

    def place_of(self, text: str) -> int | None:
        """Return the place of a text; None where no passage holds or stands behind it."""
        return self._at.get(text)

    def _of_paper(self, paper: Sequence[Fact]) -> Iterator[Passage]:
        for fact in paper:
            text = f"{fact.name} {' '.join(fact.rests_on)}"
            yield Passage(text, (self._place(text),), ((self._place(fact.source), HEADING),), paper=fact)

    def _said(self) -> Iterator[Passage]:
        every = self._view.said
        said = [(at, part) for at, one in enumerate(every) if (part := _that_may_be_told(one)) is not None]
        speakers = {
            one: self._place(f"{self._names(one)} {re.sub('[-_]', ' ', one)}") for one in self._view.speakers
        }
        for k, (at, first) in enumerate(said):
            for length in range(1, MOST_TOGETHER + 1):
                window = [one for _, one in said[k : k + length]]
                if len(window) < length or not _together(window):
                    break
                *before, last = (one.text for one in window)
                text = " ".join((*map(_with_stop_if_none, before), last))
                if word_count(text) > (QUOTE_WORDS - 3 if length < 3 else _FEW_WORDS):
                    break
                if window[-1].text.rstrip().endswith("?") or _is_heading(window[-1].text):
                    continue
                yield Passage(
                    text,
                    tuple(self._place(one.text) for one in window),
                    tuple((self._place(near), lends) for near, lends in _before(every, at)),
                    speakers.get(first.agent_id),
                    tuple(window),
                    past=any(one.past for one in window),
                    place=k / max(1, len(said) - 1),
                )


def _before(said: Sequence[SaidView], at: int) -> Iterator[tuple[str, float]]:
    """Give what lends its meaning to a sentence: its heading, its turn so far, and how the turn before it ended."""
    first = said[at]
    if first.under:
        yield first.under, HEADING
    k, lends = at - 1, HEADING
    while k >= 0 and lends >= LEAST and said[k].in_turn == first.in_turn:
        yield said[k].text, lends
        k, lends = k - 1, lends * FADES
    lends = min(lends, TURN_BEFORE)
    last = said[k] if k >= 0 else first
    while k >= 0 and lends >= LEAST and said[k].in_turn == last.in_turn:
        yield said[k].text, lends
        k, lends = k - 1, lends * FADES


def _that_may_be_told(one: SaidView) -> SaidView | None:
    """Return a sentence without the parts between semicolons that say what was given or ordered; None: all do."""
    if (_DOING.search(one.text) and not _takes_a_stand(one.text)) or is_request(one.text):
        return None
    if may_be_told(_AHEAD.sub("", one.text)):
        return one
    parts = [part for part in one.text.split("; ") if may_be_told(part)]
    return one.model_copy(update={"text": "; ".join(parts)}) if parts else None


def _takes_a_stand(text: str) -> bool:
    """Tell whether a sentence about its speaker forbids, or says how it stands to a drug: "I am against it"."""
    return prohibits(text) or forbids(text) or (_STANDS.match(text) is not None and bool(drugs_named(text)))


def _is_heading(text: str) -> bool:
    """Tell whether a sentence only announces what follows: it ends in a colon, and names no thing and no number."""
    return text.rstrip().endswith(":") and not drugs_named(text) and HAS_NUMBER.search(text) is None


def is_interjection(text: str) -> bool:
    """Tell whether a sentence is one word that names nothing: "Stop." is said to those who spoke before.

    Before the next sentence it would be an order about what that names.
    """
    return word_count(text) == 1 and text.rstrip()[-1:] in ".!" and not any(map(str.isdigit, text))


def titled(text: str) -> bool:
    """Tell whether a sentence opens with a title: "Urine sodium: it is 8 mmol/L."."""
    return ": " in text[:_A_TITLE]


def _with_stop_if_none(text: str) -> str:
    return text if text[-1:] in ".?!:;" else f"{text}."


def _together(window: Sequence[SaidView]) -> bool:
    """Tell whether sentences stand together: of one turn and one item, all given up or none.

    Under a heading each is an item of its own, but what hangs on the one before it.
    """
    first = window[0]
    if any(is_interjection(one.text) for one in window[:-1]):
        return False
    for one in window[1:]:
        if one.in_turn != first.in_turn or one.past != first.past:
            return False
        heading, _, item = one.under.partition("; ")
        of_item = bool(item) and (first.text.startswith(item) or first.under == one.under)
        follows = heading == first.under.partition("; ")[0] and FOLLOWS.match(one.text) is not None
        prose = not one.under and not first.under and not titled(one.text)
        if not (of_item or follows or prose):
            return False
        if VALUES in (one.under, first.under):
            return False
    return True


@lru_cache(maxsize=4096)
def hangs(first: SaidView) -> bool:
    """Tell whether a passage that opens so is hard to follow alone, or tells of the debate."""
    bare = HANGS.match(first.text) is not None and ";" not in first.under
    return bare or first.under == VALUES or about_the_debate(first.text)
