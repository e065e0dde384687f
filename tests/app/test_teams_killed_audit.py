"""The judge of runs that were killed sees what was lost, said twice, paid for twice or left open."""

from __future__ import annotations

from collections import Counter

import pytest

from agents.stream import EventType, StreamEvent, TokenType, TurnMark
from lab.teams.audit import Cut, account
from lab.teams.service import Call

WHOLE = Counter({("laboratory", "Sodium 112."): 1, ("orchestrator", "Give saline."): 1})
EVENT = {"seq": 0, "thread_id": "t", "trace_id": "x", "session_id": "s"}
CALLS = [Call("a", 0.0, 1.0), Call("b", 1.5), Call("b", 6.0, 7.0)]


def turn(number: int, agent: str, text: str, end: TurnMark | None = TurnMark.TURN_END) -> list[StreamEvent]:
    def event(kind: EventType, data: str = "", **more: object) -> StreamEvent:
        return StreamEvent.model_validate(
            {**EVENT, "type": kind, "data": data, "agent_id": agent, "turn": number, **more}
        )

    told = [event(EventType.METADATA, mark=TurnMark.TURN_START)]
    told.append(event(EventType.TOKEN, text, token_type=TokenType.AGENT_THOUGHT_LLM_RESPONSE))
    return [*told, *([event(EventType.METADATA, mark=end)] if end else [])]


def judged(*turns: list[StreamEvent], calls: list[Call] = CALLS, ends: int = 1) -> Cut:
    events = [each for told in turns for each in told]
    events += [StreamEvent.model_validate({**EVENT, "type": EventType.END, "data": ""})] * ends
    numbered = [each.model_copy(update={"seq": seq}) for seq, each in enumerate(events)]
    return account(numbered, calls, WHOLE, point=3, killed_s=2.0, again_s=4.0)


LABORATORY = turn(1, "laboratory", "Sodium 112.")
HALF = turn(2, "orchestrator", "Give sa", TurnMark.TURN_ABORTED)
SYNTHESIS = turn(3, "orchestrator", "Give saline.")


def test_a_run_that_went_on_well_has_nothing_wrong() -> None:
    found = judged(LABORATORY, HALF, SYNTHESIS)
    assert (found.wrong, found.ended, found.cut, found.late) == ((), 1, 1, 0)


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (judged(HALF, SYNTHESIS), "lost: laboratory"),
        (judged(LABORATORY, turn(4, "laboratory", "Sodium 112."), SYNTHESIS), "said twice, or otherwise"),
        (judged(LABORATORY, turn(3, "orchestrator", "Give water.")), "lost: orchestrator"),
        (judged(LABORATORY, turn(2, "orchestrator", "Give", None), SYNTHESIS), "a turn has no end"),
        (judged(LABORATORY, HALF, SYNTHESIS, ends=2), "its END"),
        (judged(LABORATORY, HALF, SYNTHESIS, calls=[*CALLS, Call("a", 6.0, 7.0)]), "1 calls that had ended"),
    ],
)
def test_what_does_not_hold_is_named(found: Cut, told: str) -> None:
    assert any(each.startswith(told) for each in found.wrong), found.wrong


def test_an_answer_that_had_left_just_before_the_kill_is_told_apart() -> None:
    calls = [Call("a", 0.0, 1.9), Call("a", 6.0, 7.0)]
    found = judged(LABORATORY, HALF, SYNTHESIS, calls=calls)
    assert (found.wrong, found.late) == ((), 1)
