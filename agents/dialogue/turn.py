"""One turn of the dialogue: what its nodes hand on, and what a run is given beside the thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypedDict

from langgraph.channels import UntrackedValue

from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.facts import Fact
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.stops import Stops
from agents.dialogue.thread import Entry, newest
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Question, Sentence


class State(TypedDict, total=False):
    """The thread, which is kept, and the turn under way, which is not."""

    turns: Annotated[list[Entry], newest]
    turn_id: Annotated[str, UntrackedValue]
    asked: Annotated[UnderstoodQuestion, UntrackedValue]
    on_paper: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_board: Annotated[tuple[tuple[Fact, ...], ...], UntrackedValue]
    on_focus: Annotated[tuple[Fact, ...], UntrackedValue]
    groups: Annotated[tuple[FactGroup, ...], UntrackedValue]
    nearest: Annotated[tuple[Fact, ...], UntrackedValue]
    forbidden: Annotated[tuple[tuple[Sentence, ...], tuple[Sentence, ...]], UntrackedValue]
    on_page: Annotated[tuple[Sentence, ...], UntrackedValue]
    near_page: Annotated[tuple[Sentence, ...], UntrackedValue]


@dataclass(frozen=True, slots=True)
class Turn:
    """What one run is given beside the thread, and what is not kept in it."""

    question: Question
    board: BoardFacts
    facts: tuple[Fact, ...]
    passages: Passages
    stops: Stops
    as_asked: str  # as the encoder reads it; the rules read `question`, whose verbs are written out
