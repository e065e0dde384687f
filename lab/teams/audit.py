"""What a run that was cut must keep to, judged over its log and over the provider's calls. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agents.stream import THOUGHT, EventType, StreamEvent, TurnMark
from lab.teams.service import Call

WINDOW_S: Final = 0.25
"""An answer whose last byte had left so shortly before the kill may not have been kept: docs/teams.md says so."""


@dataclass(frozen=True, slots=True)
class Cut:
    """One run that was killed once. Times in seconds.

    `point`: after how many events; `ended`, `cut`: the provider's calls that had ended and that were under way;
    `again_s`: from the kill to the next run's first event; `late`: calls made again whose answer had left within
    `WINDOW_S` before the kill.
    """

    point: int
    ended: int
    cut: int
    late: int
    again_s: float
    wrong: tuple[str, ...]


def standing(events: Sequence[StreamEvent]) -> Counter[tuple[str, str]]:
    """Return who said what in turns that stand, and how often."""
    void = {each.turn for each in events if each.mark is TurnMark.TURN_ABORTED}
    turns: dict[tuple[str, int], str] = {}
    for each in events:
        if each.turn is None or each.turn in void or each.agent_id is None:
            continue
        spoken = each.type is EventType.TOKEN and each.token_type not in THOUGHT
        if spoken or each.mark is TurnMark.TURN_START:
            key = (each.agent_id, each.turn)
            turns[key] = turns.get(key, "") + (each.data if spoken else "")
    return Counter((agent, text) for (agent, _), text in turns.items())


def open_turns(events: Sequence[StreamEvent]) -> int:
    """Return how many turns have a beginning and no end."""
    begun = {each.turn for each in events if each.mark is TurnMark.TURN_START}
    over = {each.turn for each in events if each.mark in (TurnMark.TURN_END, TurnMark.TURN_ABORTED)}
    return len(begun - over)


def repeated(calls: Sequence[Call], killed_s: float) -> tuple[int, int]:
    """Return how many calls that had ended before the kill were made again, and how many of them in the window."""
    ended = {
        each.question: each.ended_s for each in calls if each.ended_s is not None and each.ended_s < killed_s
    }
    again = [ended[each.question] for each in calls if each.began_s > killed_s and each.question in ended]
    late = sum(killed_s - at_s <= WINDOW_S for at_s in again)
    return len(again), late


def account(
    events: Sequence[StreamEvent],
    calls: Sequence[Call],
    whole: Counter[tuple[str, str]],
    *,
    point: int,
    killed_s: float,
    again_s: float,
) -> Cut:
    """Hold a run that was cut against one that was not."""
    again, late = repeated(calls, killed_s)
    before = [each for each in calls if each.began_s < killed_s]
    ended = sum(each.ended_s is not None and each.ended_s < killed_s for each in before)
    said = standing(events)
    checks = {
        "its END does not come once, and last": [each.type for each in events].count(EventType.END) == 1
        and events[-1].type is EventType.END,
        "its events are not numbered one after the other": [each.seq for each in events]
        == list(range(len(events))),
        "a turn has no end": open_turns(events) == 0,
        f"lost: {_agents(whole - said)}": not whole - said,
        f"said twice, or otherwise: {_agents(said - whole)}": not said - whole,
        f"{again - late} calls that had ended were made again": again == late,
    }
    wrong = tuple(what for what, holds in checks.items() if not holds)
    return Cut(point, ended, len(before) - ended, late, again_s, wrong)


def _agents(said: Counter[tuple[str, str]]) -> str:
    return ", ".join(sorted(agent for agent, _ in said)) or "nothing"
