"""What a team is at: its words, when they are told, and that they yield to all that matters more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from agents.stream import (
    Decision,
    DecisionKind,
    EventType,
    LLMMetadata,
    Progress,
    ProgressKind,
    StreamEvent,
)
from exaim_core import SpokenKind
from realtime.speech.before import FIRST
from realtime.team.steps import APART_S, GRAVE, MOST_WORDS, MUST_APART_S, Steps, step_body, step_text
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, RATE_HZ, SESSION, Scene
from tts_queue import Priority

NAMES = ("CardiologyAgent", "nephrologist", "clinical pharmacist", "Doctor Zero", "internal_medicine")


def step(seq: int, kind: ProgressKind, *agents: str, round_: int | None = None, **more: Any) -> StreamEvent:
    return StreamEvent(
        type=EventType.METADATA,
        seq=seq,
        round=round_,
        progress=Progress(kind=kind, agents=agents, **more),
        thread_id="t",
        trace_id="r",
        session_id="s",
    )


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (step(0, ProgressKind.RECRUITING), "Recruiting."),
        (
            step(0, ProgressKind.RECRUITED, "cardiologist", "NephrologistAgent", "pharmacist"),
            "A cardiologist, a nephrologist and a pharmacist.",
        ),
        (
            step(0, ProgressKind.RECRUITED, "internal_medicine", "Doctor Zero"),
            "Internal medicine and Doctor Zero.",
        ),
        (step(0, ProgressKind.RECRUITED, *"abcdefg"), "Seven experts are on the case."),
        (step(0, ProgressKind.OPINIONS, "a", "b", "c"), "Three opinions are being written."),
        (step(0, ProgressKind.OPINIONS), "Opinions are being written."),
        (step(0, ProgressKind.ROUND, round_=2), "Round two."),
        (
            step(0, ProgressKind.CHANGED, "cardiologist", "nephrologist"),
            "The cardiologist changed after the nephrologist's message.",
        ),
        (
            step(0, ProgressKind.MESSAGE, "cardiologist", "nephrologist"),
            "The cardiologist has written to the nephrologist.",
        ),
        (step(0, ProgressKind.REVIEW, "moderator"), "The moderator looks at what was said."),
        (step(0, ProgressKind.SYNTHESIS), "The conclusion is being written."),
        (step(0, ProgressKind.WAITING, "cardiologist"), "Still waiting for the cardiologist."),
        (
            step(0, ProgressKind.FAILED, "radiologist"),
            "The radiologist can't be asked any more; the others go on.",
        ),
        (step(0, ProgressKind.BUDGET, share=0.8), "80 percent of the budget is spent."),
        (step(0, ProgressKind.BUDGET, share=1.0), "The budget is spent; what there is is summed up."),
    ],
)
def test_a_step_is_said_in_a_few_words(event: StreamEvent, said: str) -> None:
    assert step_text(event) == said


@pytest.mark.parametrize("kind", ProgressKind)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 64])
def test_every_step_fits_six_seconds_and_a_teams_own_words_are_never_in_it(
    kind: ProgressKind, count: int
) -> None:
    agents = [NAMES[at % len(NAMES)] for at in range(count)]
    said = step_text(step(0, kind, *agents, text="give alteplase 50 mg", share=0.9))
    assert len(said.split()) <= MOST_WORDS and "alteplase" not in said
    long = step_text(step(0, kind, *["consultant in something with a very long name indeed"] * count))
    assert len(long.split()) <= MOST_WORDS


def test_the_newest_is_told_and_not_more_than_one_in_fifteen_seconds() -> None:
    steps = Steps()
    steps.take(step(1, ProgressKind.RECRUITING), 100.0)
    first = steps.due("s", 100.1)
    assert first is not None and (first.text, first.priority) == ("Recruiting.", Priority.FILLER)
    steps.take(step(2, ProgressKind.OPINIONS, "a", "b"), 106.0)
    steps.take(step(3, ProgressKind.REVIEW, "c"), 112.0)
    assert steps.due("s", 114.0) is None
    second = steps.due("s", 100.1 + APART_S)
    assert second is not None and "looks at what was said" in second.text
    assert steps.due("s", 140.0) is None


def test_what_is_old_is_not_told_and_the_same_not_again_within_a_minute() -> None:
    steps = Steps()
    steps.take(step(1, ProgressKind.REVIEW, "moderator"), 0.0)
    assert steps.due("s", 11.0) is None
    steps.take(step(2, ProgressKind.ROUND, round_=1), 0.0)
    assert steps.due("s", 31.0) is None
    told = []
    for at in range(0, 120, 20):
        steps.take(step(at, ProgressKind.WAITING, "cardiologist"), 20.0 + at)
        told.append(steps.due("s", 20.0 + at) is not None)
    assert told == [True, False, False, True, False, False]


def test_who_is_out_waits_for_its_turn_and_goes_before_what_may_be_left_unsaid() -> None:
    steps = Steps()
    steps.take(step(1, ProgressKind.ROUND, round_=1), 0.0)
    assert steps.due("s", 0.0) is not None
    steps.take(step(2, ProgressKind.FAILED, "radiologist"), 1.0)
    steps.take(step(3, ProgressKind.REVIEW, "moderator"), 14.0)
    out = steps.due("s", 15.0, brief=True)
    assert out is not None and out.priority is Priority.NOTICE and "radiologist" in out.text
    assert {ProgressKind.FAILED, ProgressKind.BUDGET} == GRAVE
    steps.take(step(4, ProgressKind.ROUND, round_=3), 30.0)
    assert steps.due("s", 31.0, brief=True) is None


def ended(seq: int) -> StreamEvent:
    return step(seq, ProgressKind.ROUND).model_copy(update={"type": EventType.END, "progress": None})


def test_of_a_team_that_has_ended_only_who_changed_and_who_keeps_another_view_is_told() -> None:
    steps = Steps()
    for at, kind in enumerate(ProgressKind):
        steps.take(step(at, kind, "cardiologist", "surgeon", round_=1), 0.0)
    steps.take(ended(99), 0.0)
    told = [found.text for at in range(60) if (found := steps.due("s", float(at))) is not None]
    assert told == [
        "The cardiologist changed after the surgeon's message.",
        "The cardiologist and the surgeon keep another view.",
    ]


def test_what_must_be_heard_is_not_superseded_and_goes_between_the_items_of_the_case() -> None:
    steps = Steps()
    steps.take(step(1, ProgressKind.RECRUITING), 0.0)
    steps.take(step(2, ProgressKind.RECRUITED, "cardiologist", "surgeon"), 1.0)
    steps.take(step(3, ProgressKind.ROUND, round_=1), 2.0)
    steps.take(step(4, ProgressKind.MESSAGE, "surgeon", "cardiologist"), 3.0)
    steps.take(step(5, ProgressKind.CHANGED, "cardiologist", "surgeon"), 4.0)
    steps.take(step(6, ProgressKind.ROUND, round_=2), 5.0)
    told = [found for at in range(5, 40) if (found := steps.due("s", float(at))) is not None]
    assert [each.text for each in told] == [
        "A cardiologist and a surgeon.",
        "The cardiologist changed after the surgeon's message.",
        "Round two.",
    ]
    assert {each.priority for each in told} == {Priority.NOTICE}
    times = [each.queued_at_s for each in told]
    assert [later - one for one, later in pairwise(times)] == [MUST_APART_S] * 2


def test_brief_hears_nothing_of_a_debate_but_who_is_out() -> None:
    steps = Steps()
    steps.take(step(1, ProgressKind.CHANGED, "cardiologist", "surgeon"), 0.0)
    assert steps.due("s", 0.0, brief=True) is None


def test_the_page_lists_steps_and_what_was_decided() -> None:
    body = step_body(step(7, ProgressKind.ROUND, round_=2, text="x" * 900))
    assert body is not None and (body.step_id, body.kind, body.round) == ("7", "round", 2)
    assert len(body.detail) == 200
    decided = step(8, ProgressKind.ROUND).model_copy(
        update={
            "progress": None,
            "agent_id": "moderator",
            "decision": Decision(kind=DecisionKind.FINAL, text="lupus", rests_on="lupus"),
        }
    )
    body = step_body(decided)
    assert body is not None and (body.kind, body.detail, body.agents, body.text) == (
        *("final", "lupus", ("The moderator",)),
        "",
    )


def begun_s(s: Scene, utterance_id: str) -> float:
    """Return when the first sound of an utterance was, in seconds of the scene."""
    starts = (b["start_sample"] for b in s.room.bodies("segment") if b["utterance_id"] == utterance_id)
    return float(next(starts)) / RATE_HZ


def test_within_ten_seconds_of_the_start_its_stage_is_heard_behind_the_greeting(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        async with s.running():
            await s.client.come()
            await s.until(1.0)
            s.streams.log(step(0, ProgressKind.RECRUITING))
            await s.until(40.0)
            assert s.room.phases(f"{SESSION}.step.0")[-1] == "spoken"
            assert begun_s(s, f"{SESSION}.step.0") - begun_s(s, GREETING) < 10.0
            assert [b["text"] for b in s.room.bodies("step")] == ["Recruiting."]

    virtual.run(scene())


def test_a_step_waits_for_all_that_is_of_the_case_and_is_dropped_if_that_takes_long(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        long = " ".join(["word"] * 60) + "."
        async with s.running():
            await s.client.come()
            await s.until(20.0)
            s.streams.commit(update(1, spoken(long, SpokenKind.CAUTION, protects=True)), update_id(1))
            await s.until(20.5)
            s.streams.log(step(0, ProgressKind.REVIEW, "moderator"))
            s.streams.commit(update(2, spoken("A dose of heparin.", SpokenKind.ACTION)), update_id(2))
            await s.until(80.0)
            assert s.room.phases(f"{SESSION}.step.0")[-1] == "expired"
            assert s.room.phases(f"{update_id(1)}.1")[-1] == "spoken"

    virtual.run(scene())


def test_a_successor_tells_no_step_of_long_before(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(live=True, before=replace(FIRST, begun=True, vacant_s=3.0))
        s.streams.log(step(0, ProgressKind.ROUND, round_=2))
        await s.until(40.0)
        async with s.running(finished=[GREETING]):
            await s.until(42.0)
            await s.client.come()
            await s.until(80.0)
            assert s.room.phases(f"{SESSION}.step.0") == []
            assert s.room.bodies("step")

    virtual.run(scene())


TURN = (
    spoken("The cardiologist recommends heparin.", SpokenKind.ACTION),
    spoken("The cardiologist leads with pericarditis.", SpokenKind.LEADING),
)
WITHDRAWN = spoken(
    "The cardiologist's last answer broke off, and is withdrawn.",
    SpokenKind.CORRECTION,
    topic="a turn withdrawn",
    presses=True,
)


@pytest.mark.parametrize("heard", [True, False])
def test_what_is_withdrawn_is_not_told_any_more_and_put_right_if_it_was_heard(
    virtual: asyncio.Runner, heard: bool
) -> None:
    async def scene() -> None:
        s = Scene(live=True)
        async with s.running():
            await s.client.come()
            await s.until(20.0)
            if not heard:
                long = spoken(" ".join(["word"] * 12) + ".", SpokenKind.CAUTION, protects=True, presses=True)
                s.streams.commit(update(1, long), update_id(1))
                await s.until(20.5)
            s.streams.commit(update(2, *TURN), update_id(2))
            await s.until(22.0)
            taken_back = update(3, WITHDRAWN).model_copy(update={"withdraws": ("0002.1", "0002.2")})
            s.streams.commit(taken_back, update_id(3))
            await s.until(60.0)
            assert s.room.phases(f"{update_id(2)}.2")[-1] in {"cancelled", "cut"}
            assert bool(s.room.phases(f"{update_id(3)}.1")) is heard

    virtual.run(scene())


def cut(agent: str | None, why: str = "length") -> StreamEvent:
    llm = LLMMetadata(stop_reason=why)
    ids = {"thread_id": "t", "trace_id": "r", "session_id": "s"}
    return StreamEvent(type=EventType.METADATA, seq=7, agent_id=agent, llm=llm, **ids)


def test_that_an_answer_was_cut_off_is_told_once_and_stands_on_the_page() -> None:
    told = Steps()
    told.take(cut("CardiologyAgent"), 0.0)
    told.take(step(8, ProgressKind.SYNTHESIS), 0.0)
    said = told.due("s", 0.0)
    assert said is not None and said.text == "Cardiology's answer was cut off."
    assert said.priority is Priority.NOTICE
    body = step_body(cut("CardiologyAgent"))
    assert body is not None and (body.kind, body.text) == ("cut_off", said.text)
    assert step_text(cut("a very " * 18)) == step_text(cut(None)) == "An answer was cut off."
    assert step_body(cut("CardiologyAgent", "stop")) is None and step_text(cut("x", "end_turn")) == ""
