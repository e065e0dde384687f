"""Decide how the return of a listener, or of the voice, is told, and in which words. Pure."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.text.names import number_word
from realtime.speech.alerts import not_acknowledged
from realtime.speech.progress import AgentsStage
from tts_queue import Priority, Utterance

# docs/decisions/016: a shorter gap lost a clause, and a tone says so; a longer one is worth a sentence.
TONE_UNDER_S: Final = 20.0
WELCOME_FROM_S: Final = 120.0  # by then what was said is forgotten: a full welcome, then "Ready to continue?"
ANOTHER_FROM_S: Final = 3.0  # for another device; sooner, it takes over from one that still hears
FIRST_OF_ALL: Final = 99  # weight: before every critical finding that waits

READY: Final = "Ready to continue?"
VOICE_BACK: Final = "The voice was away, and goes on."


class Return(enum.Enum):
    """How a return is told."""

    TONE = enum.auto()
    SENTENCE = enum.auto()
    WELCOME = enum.auto()


class Who(enum.Enum):
    """Who hears now, compared with who heard last."""

    SAME = enum.auto()  # the same connection, or another of the same device
    OTHER = enum.auto()  # another device
    UNKNOWN = enum.auto()  # a new connection that does not say of which device
    STAYED = enum.auto()  # it was there all the time: the voice was away


def how(who: Who, gap_s: float) -> Return:
    """Return how a return after `gap_s` without hearing us is told."""
    brief = Return.TONE if gap_s < TONE_UNDER_S else Return.SENTENCE
    match who:
        case Who.STAYED:
            return brief
        case Who.UNKNOWN:
            return Return.WELCOME
        case Who.OTHER:
            return Return.TONE if gap_s < ANOTHER_FROM_S else Return.WELCOME
        case Who.SAME:
            return brief if gap_s < WELCOME_FROM_S else Return.WELCOME


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """How far the clinician and the agents have come, and what waits."""

    which_case: str  # in sentences
    heard: int  # number of the summary that was being spoken, or was spoken last; 0: none yet
    made: int  # summaries so far
    new: int = 0  # of those, made while the clinician was away
    minutes: int = 0  # of reasoning so far
    stage: AgentsStage = AgentsStage.DELIBERATION
    criticals: int = 0  # critical findings that wait
    presses: bool = False  # an item waits that is pressing
    unacknowledged: int = 0  # critical findings that were told, and not acknowledged
    silent: bool = False  # the clinician had asked for quiet, or to wait
    begun: bool = True  # the agents have said something


_STAGES: Final[Mapping[AgentsStage, str]] = {
    AgentsStage.INTAKE: "The agents are reading the case",
    AgentsStage.DELIBERATION: "The agents are still thinking",
    AgentsStage.SYNTHESIS: "The agents are writing their conclusion",
    AgentsStage.DONE: "The agents have finished",
    AgentsStage.SILENT: "The agents are silent",
    AgentsStage.BROKEN: "The agents have stopped with an error",
}


def welcome_text(at: Whereabouts) -> str:
    """Return the full welcome: which case, X of Y, what is new, how far the agents are, what comes first.

    Critical findings that were told and not acknowledged are counted: they are on the page.
    """
    parts = ["Welcome back.", f"{at.which_case.rstrip('. ')}.", _place(at), _reasoning(at)]
    parts += [*(first_of_all(at.criticals) or _pressing(at)), *_unacknowledged(at)]
    if at.silent:
        parts.append("The voice is silent, as you asked, until you say go on.")
    return " ".join(parts)


def arrival_text(at: Whereabouts) -> str:
    """Return how far a live team is, for a clinician who joins late."""
    if not at.begun:
        return "The agents have not begun yet."
    return f"{_place(replace(at, new=0, heard=0))} {_reasoning(at)}"


def first_of_all(criticals: int) -> list[str]:
    """Return what is said before critical findings that wait; nothing if there are none."""
    if not criticals:
        return []
    return ["A critical finding first." if criticals == 1 else "Critical findings first."]


def _pressing(at: Whereabouts) -> list[str]:
    return ["First what presses."] if at.presses else []


def _unacknowledged(at: Whereabouts) -> list[str]:
    if not at.unacknowledged:
        return []
    if at.criticals:
        return [f"{number_word(at.unacknowledged).capitalize()} more not acknowledged."]
    return [not_acknowledged(at.unacknowledged)]


def _place(at: Whereabouts) -> str:
    if not at.made:
        return "No summary yet."
    new = f", {at.new} new while you were away" if at.new else ""
    if at.heard:
        return f"We were on summary {at.heard} of {at.made}{new}."
    return f"{at.made} {'summary' if at.made == 1 else 'summaries'} so far{new}."


def _reasoning(at: Whereabouts) -> str:
    return reasoning_text(at.stage, at.minutes)


def reasoning_text(stage: AgentsStage, minutes: int) -> str:
    """Return the sentence that says how far the agents are, after `minutes`."""
    if not minutes:
        return f"{_STAGES[stage]}."
    after = "a minute" if minutes == 1 else f"{number_word(minutes)} minutes"
    return f"{_STAGES[stage]}, after {after}."


def back_text(gap_s: float) -> str:
    """Return the one sentence for a listener that was away for `gap_s`, under two minutes."""
    return f"Back after {round(gap_s)} seconds, and going on."


def welcome(utterance_id: str, text: str, *, now_s: float) -> Utterance:
    """Return the welcome as an utterance; it goes before critical findings, so that they are heard."""
    return Utterance(
        utterance_id=utterance_id,
        text=text,
        priority=Priority.CRITICAL,
        kind="welcome",
        weight=FIRST_OF_ALL,
        queued_at_s=now_s,
    )
