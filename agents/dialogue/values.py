"""What goes into the dialogue and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from exaim_core.board.shown import BoardView

MOST_WORDS = 60  # 23 s at 2.6 words a second, as many as an answer of the team: docs/decisions/092


@dataclass(frozen=True, slots=True)
class Focus:
    """The utterance that was held for this question, or the last one heard.

    `kind` is the utterance's kind, `topic` the engine's normalised topic, `agents` whom it is about.
    """

    utterance_id: str
    text: str
    kind: str
    topic: str | None
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One turn of the clinician. `board`: what the board holds now. `at_ms`: wall time, for the record."""

    turn_id: str
    text: str
    board: BoardView | None
    focus: Focus | None
    at_ms: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, and where it is from, for the page."""

    text: str
    source: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said in reply: `text` is the sentences in order, at most `MOST_WORDS` words.

    `found` is False where nothing of the case is told. `kind` is the intent as understood (`Intent`).
    `chosen_by` is the model that chose what is told; empty: rules did. `on_page` is what the answer counts
    ("and two more on the page") and the page shows below it.
    """

    turn_id: str
    text: str
    sentences: tuple[Sentence, ...]
    topic: str | None
    found: bool
    kind: str
    chosen_by: str = ""
    on_page: tuple[Sentence, ...] = ()


class DialogueStalled(Exception):
    """No answer came in time: the checkpointer did not answer. The same question may be asked again."""

    def __init__(self, waited_s: float) -> None:
        super().__init__(f"the dialogue gave no answer within {waited_s:.0f} s")
        self.waited_s = waited_s


class Intent(StrEnum):
    """What the clinician wants to know."""

    FACT = "fact"
    WHY = "why"
    WHO = "who"
    HOW_MUCH = "how_much"
    VIEW = "view"
    CHANGED = "changed"
    FIRST = "first"
    TESTS = "tests"
    ACTIONS = "actions"
    CAUTIONS = "cautions"
    OTHERS = "others"
    OPEN = "open"
    CONDITION = "condition"
    COUNT = "count"
    CRITICAL = "critical"
    SUMMARY = "summary"
    DONE = "done"
    TOLD = "told"  # whether somebody was told, asked or called
    TIME = "time"
    TREND = "trend"
    HISTORY = "history"
    CERTAINTY = "certainty"
    FORBIDDEN = "forbidden"
    ALLERGIC = "allergic"
    DECIDED = "decided"
    PENDING = "pending"
    DROPPED = "dropped"
    PLACE = "place"
    PLAN = "plan"
    MORE = "more"
    REPEAT = "repeat"
    SMALL_TALK = "small_talk"
    UNCLEAR = "unclear"
    ORDER = "order"
