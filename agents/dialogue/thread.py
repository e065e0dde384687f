"""The thread of one dialogue: what is kept of a turn, and what the next question takes over from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from agents.dialogue.understand import Topic, UnderstoodQuestion
from agents.dialogue.values import Answer, Focus, Intent, Question, Sentence
from agents.dialogue.words import MOST_CHARS

KEPT_TURNS: Final = 12
FIXED: Final = frozenset({Intent.ORDER, Intent.SMALL_TALK, Intent.UNCLEAR, Intent.REPEAT})
_OF_FOCUS: Final = frozenset(
    {Intent.WHY, Intent.WHO, Intent.HOW_MUCH, Intent.CONDITION, Intent.DONE, Intent.TIME, Intent.TREND}
    | {Intent.CERTAINTY}
)
_IF_REFERRING: Final = frozenset({Intent.FACT, Intent.CAUTIONS, Intent.COUNT, Intent.TESTS, Intent.FIRST})
# Asked of the thing before, it is asked of that alone: "since when?", "and the temperature?" asks for a value.
_ASIDE: Final = frozenset({Intent.TIME, Intent.TREND, Intent.CONDITION, Intent.WHO})

Entry = dict[str, Any]  # plain values only: any checkpointer can keep it


def newest(before: list[Entry], more: list[Entry]) -> list[Entry]:
    """Return the last `KEPT_TURNS` turns."""
    return [*before, *more][-KEPT_TURNS:]


def entry_of(
    question: Question, asked: UnderstoodQuestion, answer: Answer, rest: Sequence[Sentence] = ()
) -> Entry:
    """Return what is kept of a turn; `rest` is what its answer had no room for."""
    return {
        "turn_id": question.turn_id,
        "question": question.text[:MOST_CHARS],
        "at_ms": question.at_ms,
        "intent": str(asked.intent),
        "topics": [asdict(topic) for topic in asked.topics],
        "taken_over": asked.taken_over,
        "of_another": asked.of_another,
        "answer": asdict(answer),
        "rest": [asdict(sentence) for sentence in rest],
    }


def answer_of(entry: Entry) -> Answer:
    """Return the stored answer of a turn."""
    stored = entry["answer"]
    lists = {
        name: tuple(Sentence(**one) for one in stored.get(name, ())) for name in ("sentences", "on_page")
    }
    return Answer(**{**stored, **lists})


def continued(asked: UnderstoodQuestion, turns: Sequence[Entry], focus: Focus | None) -> UnderstoodQuestion:
    """Return `asked` with what it takes over from the held item or from the last topic that was answered.

    A bare question ("why?") is about the held item; one that goes on ("and the dose?") is about the last
    topic. Without a held item both are.
    """
    last = next((turn for turn in reversed(turns) if _is_about(turn)), None)
    if last is not None and not last["topics"]:
        last = None  # of what was asked last we have not even the name: it is none of the things before it
    intent = asked.intent
    if asked.plain and asked.follows and asked.topics and last is not None:
        aside = last.get("taken_over") and Intent(last["intent"]) in _ASIDE
        return asked if aside else replace(asked, intent=Intent(last["intent"]))
    if asked.topics or intent in FIXED or asked.about_strange or asked.of_another or asked.agent:
        return asked
    bare = asked.short or asked.follows or asked.refers
    named = intent in _OF_FOCUS or (intent in _IF_REFERRING and asked.refers and not asked.strange)
    if not (bare and named):
        return asked
    before = tuple(_topic(topic) for topic in last["topics"]) if last else ()
    if focus is not None and not (asked.follows and before):
        return replace(asked, of_focus=True, topics=before)
    return replace(asked, topics=before, taken_over=bool(before))


def _is_about(turn: Entry) -> bool:
    """Tell whether a turn was about something: what was named is gone on with also where nothing was found of it."""
    found = turn["answer"]["found"]
    named = any(found or topic["names"] or topic.get("drug") for topic in turn["topics"])
    return named or bool(turn.get("of_another"))


def _topic(stored: Entry) -> Topic:
    lists = {name: tuple(stored[name]) for name in ("names", "words", "weights")}
    return Topic(**{**stored, **lists})
