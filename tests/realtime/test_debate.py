"""A debate in the page's list of steps: nothing of it is lost for who comes late, and it fits into a snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import permutations

import pytest

from agents.stream import Decision, DecisionKind, EventType, Progress, ProgressKind, StreamEvent
from realtime.protocol import MAX_STATE_BYTES, StepBody, Trace, encode_state
from realtime.room.view import View
from realtime.team.debate import IN_FULL, KEPT_STEPS, STEPS_BYTES, StepList
from tests.realtime.making import trace_item, update_body
from tests.realtime.scene import Scene

EXPERTS = (
    *("cardiologist", "nephrologist", "clinical pharmacist", "radiologist"),
    *("emergency physician", "endocrinologist", "infectious disease specialist"),
)
HIERARCHY = "; ".join([*EXPERTS[:5], " > ".join(EXPERTS[5:])])


class Log:
    """Events of a team as a session's log has them."""

    def __init__(self) -> None:
        self.events: list[StreamEvent] = []

    def add(self, agent: str | None = None, round_: int | None = None, **told: Progress | Decision) -> None:
        event = StreamEvent(
            type=EventType.METADATA,
            seq=len(self.events),
            agent_id=agent,
            round=round_,
            thread_id="t",
            trace_id="r",
            session_id="s",
            progress=told.get("progress"),
            decision=told.get("decision"),
        )
        self.events.append(event)

    def step(self, kind: ProgressKind, *agents: str, text: str = "", round_: int | None = None) -> None:
        self.add(round_=round_, progress=Progress(kind=kind, agents=agents, text=text))

    def holds(
        self, agent: str, view: str, round_: int | None, kind: DecisionKind = DecisionKind.LEADING
    ) -> None:
        self.add(agent, round_, decision=Decision(kind=kind, text=view, rests_on=view))


def largest(turns: int = 5) -> list[StreamEvent]:
    """Return the largest debate that MDAgents may hold: each writes to each in every turn, and changes every round."""
    log = Log()
    log.step(ProgressKind.RECRUITING)
    log.step(ProgressKind.RECRUITED, *EXPERTS, text=HIERARCHY)
    log.step(ProgressKind.OPINIONS, *EXPERTS)
    for name in EXPERTS:
        log.holds(name, "acute pericarditis with a small effusion", None)
    for round_ in range(1, 6):
        log.step(ProgressKind.ROUND, *EXPERTS, text=f"Round {round_}.", round_=round_)
        for _ in range(turns):
            for one, other in permutations(EXPERTS, 2):
                log.step(ProgressKind.MESSAGE, one, other, text="why? " * 60, round_=round_)
        for name in EXPERTS:
            log.holds(name, f"acute pericarditis, in its form number {round_}", round_)
        for one, other in zip(EXPERTS, EXPERTS[1:] + EXPERTS[:1], strict=True):
            log.step(ProgressKind.CHANGED, one, other, text=f"The {one} has changed.", round_=round_)
        log.step(ProgressKind.REVIEW, "moderator", text="The moderator reviews.", round_=round_)
    log.step(ProgressKind.SYNTHESIS, "moderator")
    log.holds("moderator", "acute pericarditis", None, DecisionKind.FINAL)
    return log.events


def listed(events: Sequence[StreamEvent]) -> list[StepBody]:
    steps = StepList()
    return [body for event in events if (body := steps.step(event)) is not None]


def late(bodies: Sequence[StepBody]) -> tuple[StepBody, ...]:
    """Return the steps that a page gets that comes after all of `bodies`."""
    view = View()
    for body in bodies:
        view.apply(body)
    return view.snapshot().steps


def test_messages_of_one_to_another_are_one_step_that_counts_them() -> None:
    log = Log()
    for text in ("one", "two", "three"):
        log.step(ProgressKind.MESSAGE, "cardiologist", "nephrologist", text=text)
    log.step(ProgressKind.MESSAGE, "nephrologist", "cardiologist")
    log.step(ProgressKind.MESSAGE, "nephrologist")
    told = [(body.step_id, body.count, body.detail) for body in listed(log.events)]
    assert told == [("0", 1, "one"), ("0", 2, "two"), ("0", 3, "three"), ("3", 1, ""), ("4", 1, "")]


def test_nothing_of_the_largest_debate_is_lost_for_who_comes_late() -> None:
    steps = late(listed(largest()))
    wrote = {step.agents: step.count for step in steps if step.kind == "message"}
    assert len(wrote) == 42 and set(wrote.values()) == {25}
    views = [(step.agents, step.round, step.detail) for step in steps if step.kind == "leading"]
    assert len(set(views)) == 42 and all(detail for _, _, detail in views)
    assert sum(step.kind == "changed" for step in steps) == 35
    assert [step.kind for step in steps][1] == "recruited" and steps[-1].kind == "final"
    assert sum(len(step.model_dump_json()) for step in steps) <= STEPS_BYTES


def test_old_messages_lose_their_words_and_nobodys_view_does() -> None:
    steps = late(listed(largest()))
    assert all(step.detail == "" for step in steps[:-IN_FULL] if step.kind in {"message", "changed"})
    assert any(step.detail for step in steps[-IN_FULL:] if step.kind == "changed")


def test_who_was_recruited_stays_however_much_is_said_after() -> None:
    log = Log()
    log.step(ProgressKind.RECRUITED, *EXPERTS, text=HIERARCHY)
    for at in range(3 * KEPT_STEPS):
        log.step(ProgressKind.WAITING, EXPERTS[at % 7], text="é" * 200)
    steps = late(listed(log.events))
    assert steps[0].kind == "recruited" and len(steps) <= KEPT_STEPS
    assert steps[-1].step_id == str(3 * KEPT_STEPS), "and the newest"


@pytest.mark.parametrize("kind", list(ProgressKind))
def test_steps_never_push_a_snapshot_over_its_bound(kind: ProgressKind) -> None:
    log = Log()
    for at in range(2 * KEPT_STEPS):
        names = (f"{'é' * 300}{at}", *("è" * 300 for _ in range(30)))
        log.step(kind, *names, text="é" * 1_000)
    view = View()
    for body in listed(log.events):
        view.apply(body)
    view.apply(update_body(1, "x" * 2000))
    view.apply(Trace(items=(trace_item("y" * 30_000),)))
    snapshot = view.snapshot()
    assert sum(len(step.model_dump_json().encode()) for step in snapshot.steps) <= STEPS_BYTES
    assert len(encode_state(snapshot, seq=1, epoch=1, at_ms=1).encode()) <= MAX_STATE_BYTES
    assert snapshot.updates and snapshot.trace, "the case is told beside it"


def test_a_hierarchy_is_told_by_spoken_names_and_prose_stays_as_it_is() -> None:
    def detail(text: str, *agents: str) -> str:
        log = Log()
        log.step(ProgressKind.RECRUITED, *agents, text=text)
        return listed(log.events)[0].detail

    two = ("cardiologist", "cardiologist 2", "nephrologist")
    assert detail("nephrologist; cardiologist > cardiologist 2", *two) == (
        "The nephrologist; The cardiologist > Cardiologist Two"
    )
    assert detail("Review Team: cardiologist > cardiologist 2; cardiologist > nephrologist", *two) == (
        "Review Team: The cardiologist > Cardiologist Two; The cardiologist > The nephrologist"
    )
    assert detail("We are three: a cardiologist > all", *two) == "We are three: a cardiologist > all"
    assert detail(HIERARCHY, *EXPERTS).endswith("The endocrinologist > The infectious disease specialist")


def test_a_session_counts_what_its_team_writes(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        log = Log()
        for _ in range(3):
            log.step(ProgressKind.MESSAGE, "cardiologist", "nephrologist")
        async with s.running():
            await s.client.come()
            await s.until(1.0)
            for event in log.events:
                s.streams.log(event)
            await s.until(10.0)
            assert [(b["step_id"], b["count"]) for b in s.room.bodies("step")] == [
                ("0", 1),
                ("0", 2),
                ("0", 3),
            ]

    virtual.run(scene())
