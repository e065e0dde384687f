"""The handler on real graphs, the feed behind it, and the core document's way to use the engine."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from math import inf
from pathlib import Path
from typing import Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import LLMResult
from langgraph.graph import END, START, StateGraph

from chat_models import CallFailed
from exaim_core import EXAIM, AgentSummary, ExaimCallbackHandler, LiveFeed, ManualClock
from exaim_core.judge import BufferAnalysis, JudgeRequest, LexicalJudge
from exaim_live.agent_names import agent_of
from exaim_live.handler import AgentCallbackHandler

CARDIO = "### Most Likely Diagnosis:\n**Pericarditis** - given diffuse ST elevation and a friction rub.\n"
LAB = "The potassium is 6.9 mmol/L and must be treated now.\n"


class State(TypedDict):
    said: list[str]


def graph(**models: Any) -> Any:
    builder = StateGraph(State)
    former = START
    for name, model in models.items():

        async def node(state: State, model: Any = model) -> State:
            answer = await model.ainvoke("What do you think?")
            return {"said": [*state["said"], str(answer.content)]}

        builder.add_node(name, node)
        builder.add_edge(former, name)
        former = name
    builder.add_edge(former, END)
    return builder.compile()


async def heard(exaim: EXAIM) -> list[str]:
    return [f"{summary.status_action} {summary.agent_contributions}" async for summary in exaim.summaries()]


async def test_a_graph_is_heard_by_its_nodes_names() -> None:
    app = graph(
        cardiology=GenericFakeChatModel(messages=iter([AIMessage(CARDIO)])),
        laboratory=FakeListChatModel(responses=[LAB]),
    )
    exaim = EXAIM()
    async with ExaimCallbackHandler(exaim) as listening:
        result = await app.ainvoke({"said": []}, config={"callbacks": [listening]})
    assert result["said"] == [CARDIO, LAB]
    found = await heard(exaim)
    assert any("cardiology leads with pericarditis" in each.lower() for each in found)
    assert any("potassium 6.9 mmol/L" in each for each in found)
    assert exaim.get_agent_trace_count("laboratory") >= 1


async def test_a_streamed_graph_gives_the_same_and_no_character_twice() -> None:
    app = graph(cardiology=GenericFakeChatModel(messages=iter([AIMessage(CARDIO)])))
    exaim = EXAIM()
    texts: list[str] = []
    exaim.register_trace_callback(lambda _agent, text: texts.append(text))
    async with ExaimCallbackHandler(exaim) as listening:
        async for _ in app.astream({"said": []}, config={"callbacks": [listening]}, stream_mode="messages"):
            pass
    assert "".join(texts) == CARDIO


async def test_a_sync_call_in_another_thread_is_heard_too() -> None:
    exaim = EXAIM()
    async with ExaimCallbackHandler(exaim) as listening:
        model = FakeListChatModel(responses=[LAB])
        await asyncio.to_thread(model.invoke, "?", {"callbacks": [listening]})
    assert exaim.get_agent_trace_count("agent") >= 1


def test_what_every_graph_has_names_no_agent() -> None:
    assert (
        agent_of({"langgraph_node": "model", "langgraph_checkpoint_ns": "cardiology:1a|model:2b"})
        == "cardiology"
    )
    assert agent_of({"langgraph_node": "model", "langgraph_checkpoint_ns": "model:2b"}) == "agent"
    assert agent_of({}) == "agent"


class SlowJudge(LexicalJudge):
    """Judges when it is let."""

    def __init__(self) -> None:
        self.go = asyncio.Event()
        self.asked = asyncio.Event()

    async def judge(self, request: JudgeRequest) -> BufferAnalysis:
        self.asked.set()
        await self.go.wait()
        return await super().judge(request)


async def test_the_application_never_waits_for_the_engine() -> None:
    judge = SlowJudge()
    exaim = EXAIM(judge=judge)
    app = graph(
        laboratory=FakeListChatModel(responses=[LAB]), cardiology=FakeListChatModel(responses=[CARDIO])
    )
    async with ExaimCallbackHandler(exaim) as listening:
        result = await app.ainvoke({"said": []}, config={"callbacks": [listening]})
        assert len(result["said"]) == 2 and not exaim.get_all_summaries()
        await judge.asked.wait()
        judge.go.set()
    assert exaim.get_all_summaries()


async def test_what_does_not_fit_is_refused_counted_and_the_rest_is_heard() -> None:
    async with LiveFeed(EXAIM(), most_chars=10) as feed:
        assert feed.offer("a", "0123456789")
        assert not feed.offer("a", "x")
        assert feed.lost_chars == 1
        feed.end_turn("a")
    assert feed.exaim.get_agent_trace_count("a") == 1


async def test_a_call_that_fails_or_is_unknown_harms_nothing() -> None:
    exaim = EXAIM()

    def unnameable(_metadata: object) -> str:
        raise RuntimeError("not ours")

    async with ExaimCallbackHandler(exaim, agent_of=unnameable) as listening:
        run = uuid4()
        await listening.on_llm_new_token("early", run_id=run)
        await listening.on_chat_model_start({}, [], run_id=run)
        await listening.on_llm_new_token("", run_id=run)
        await listening.on_llm_new_token("The sodium is ", run_id=run)
        await listening.on_llm_error(RuntimeError(), run_id=run)
        await listening.on_llm_error(RuntimeError(), run_id=run)
    assert exaim.get_agent_trace_count("agent") == 1


async def test_answers_that_one_agent_writes_at_once_are_of_several_agents() -> None:
    exaim = EXAIM()
    async with ExaimCallbackHandler(exaim, agent_of=lambda _: "expert") as listening:
        first, second, third = uuid4(), uuid4(), uuid4()
        await listening.on_chat_model_start({}, [], run_id=first)
        await listening.on_chat_model_start({}, [], run_id=second)
        await listening.on_llm_new_token("The potassium is ", run_id=first)
        await listening.on_llm_new_token("The sodium is 131 mmol/L.", run_id=second)
        await listening.on_llm_new_token("4.1 mmol/L.", run_id=first)
        await listening.on_llm_error(RuntimeError(), run_id=first)
        await listening.on_chat_model_start({}, [], run_id=third)  # the name is free again
        await listening.on_llm_new_token("The urea is 9 mmol/L.", run_id=third)
    counts = [exaim.get_agent_trace_count(agent) for agent in ("expert", "expert 2", "expert 3")]
    assert counts == [2, 1, 0]


class Turns:
    """A feed that notes which agents are in a turn, and those that began one in another's."""

    def __init__(self) -> None:
        self.speaking: set[str] = set()
        self.collided: list[str] = []

    def offer(self, agent_id: str, text: str, *, thinking: bool = False) -> bool:
        if agent_id in self.speaking:
            self.collided.append(agent_id)
        self.speaking.add(agent_id)
        return True

    def end_turn(self, agent_id: str) -> None:
        self.speaking.discard(agent_id)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Have threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_answers_in_several_threads_are_of_several_agents_and_none_is_lost() -> None:
    turns = Turns()
    handler = AgentCallbackHandler(turns)

    async def answers() -> None:
        for _ in range(1_000):
            run_id = uuid4()
            await handler.on_llm_start({}, [], run_id=run_id, metadata={"langgraph_node": "expert"})
            await handler.on_llm_new_token("Cold.", run_id=run_id)
            await handler.on_llm_end(LLMResult(generations=[]), run_id=run_id)

    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(asyncio.run, answers()) for _ in range(6)]:
            done.result()
    assert (turns.collided, turns.speaking) == ([], set())


async def test_an_application_that_breaks_off_is_not_told_as_finished() -> None:
    exaim = EXAIM()
    with pytest.raises(ValueError, match="the graph"):
        async with ExaimCallbackHandler(exaim) as listening:
            run = uuid4()
            await listening.on_chat_model_start({}, [], run_id=run)
            await listening.on_llm_new_token(LAB, run_id=run)
            raise ValueError("the graph")
    assert exaim.get_all_summaries()
    assert not any("Finished" in each.status_action for each in exaim.get_all_summaries())
    assert (await exaim.finish())[-1].path == "end"


async def test_a_cancelled_application_leaves_no_task() -> None:
    judge = SlowJudge()

    async def run() -> None:
        async with LiveFeed(EXAIM(judge=judge)) as feed:
            feed.offer("a", LAB)
            feed.end_turn("a")
            await asyncio.Event().wait()

    task = asyncio.create_task(run())
    await judge.asked.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_runs_are_forgotten_beyond_a_bound() -> None:
    async with ExaimCallbackHandler(EXAIM()) as listening:
        runs = [uuid4() for _ in range(1_001)]
        for run in runs:
            await listening.on_chat_model_start({}, [], run_id=run)
        await listening.on_llm_new_token("forgotten", run_id=runs[0])
        await listening.on_llm_new_token("The sodium is 140.", run_id=runs[-1])
    assert listening.feed.lost_chars == 0


# --- the core document's own calls ------------------------------------------------------------------


async def test_one_agents_texts_bring_summaries_with_six_fields() -> None:
    exaim = EXAIM()
    await exaim.received_trace("CardiologyAgent", "I look at the tracing now.")
    summary = await exaim.received_trace("CardiologyAgent", CARDIO)
    assert summary is not None
    assert summary.status_action and summary.key_findings and summary.differential_rationale
    assert AgentSummary.model_validate_json(summary.model_dump_json()) == summary


async def test_several_agents_share_one_summary() -> None:
    exaim = EXAIM()
    for agent, text in (
        ("ChairAgent", "Let us begin."),
        ("CardioAgent", CARDIO),
        ("LabAgent", "Nothing from me yet."),
    ):
        await exaim.received_trace(agent, text)
    await exaim.finish()
    last = exaim.get_all_summaries()[-1]
    assert last.agent_contributions and last.recommendation_next_step


async def test_tokens_one_by_one_end_in_a_parked_rest() -> None:
    clock = ManualClock()
    exaim = EXAIM(clock=clock)
    for token in ["He", " has", " chest", " pain", ".", " ", "His", " pressure", " is", " high", "."]:
        summary = await exaim.on_new_token("DoctorAgent", token)
        assert summary is None or summary.status_action
        clock.advance(0.1)
    await exaim.flush_agent("DoctorAgent")
    assert exaim.get_agent_trace_count("DoctorAgent") == 1


async def test_history_is_asked_by_agent_and_counted() -> None:
    exaim = EXAIM()
    await exaim.received_trace("Agent1", CARDIO)
    await exaim.received_trace("Agent2", "I have nothing to add.")
    await exaim.received_trace("Agent1", "The troponin is pending.")
    assert len(exaim.get_all_summaries()) >= len(exaim.get_summaries_by_agent("Agent1")) >= 1
    assert (exaim.get_agent_trace_count("Agent1"), exaim.get_agent_trace_count("Agent2")) == (2, 1)


async def test_summaries_come_as_they_are_made_to_each_reader_and_end() -> None:
    exaim = EXAIM()

    async def read() -> list[AgentSummary]:
        return [summary async for summary in exaim.summaries()]

    readers = [asyncio.create_task(read()) for _ in range(2)]
    await exaim.received_trace("Agent1", CARDIO)
    await exaim.finish()
    late = await read()
    assert [*exaim.get_all_summaries()] == late == await readers[0] == await readers[1] != []


async def test_a_reader_that_leaves_early_holds_nothing_up() -> None:
    exaim = EXAIM()
    await exaim.received_trace("Agent1", CARDIO)
    found: AsyncIterator[AgentSummary] = exaim.summaries()
    async for _ in found:
        break
    await exaim.received_trace("Agent1", LAB)
    assert len(exaim.get_all_summaries()) == 2


def test_the_example_on_ones_own_agents_runs() -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "own_agents.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Critical: potassium 6.9 mmol/L." in done.stdout


class LoopClock:
    """The event loop's clock, as the engine takes it."""

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=asyncio.get_running_loop().time())


def test_the_gates_timers_fire_by_themselves(virtual: asyncio.Runner) -> None:
    async def scene() -> float:
        exaim = EXAIM(clock=LoopClock())
        async with LiveFeed(exaim) as feed:
            feed.offer("cardiology", CARDIO)
            await anext(aiter(exaim.summaries()))
            return asyncio.get_running_loop().time()

    assert 1.0 <= virtual.run(scene()) <= 1.5


class FailingJudge(LexicalJudge):
    """Fails once, then judges."""

    failed = False

    async def judge(self, request: JudgeRequest) -> BufferAnalysis:
        if not self.failed:
            self.failed = True
            raise CallFailed
        return await super().judge(request)


async def test_a_model_that_fails_when_a_timer_is_due_ends_nothing() -> None:
    judge, clock = FailingJudge(), ManualClock()
    exaim = EXAIM(judge=judge, clock=clock)
    async with LiveFeed(exaim) as feed:
        feed.offer("a", "My leading diagnosis is gout")
        while not exaim.next_due_s < inf:
            await asyncio.sleep(0.01)
        clock.advance(9.0)
        while not judge.failed:
            await asyncio.sleep(0.05)
        assert feed.offer("a", f". {LAB}")
    assert "gout" in str(exaim.get_all_summaries())
    assert not feed.lost_chars


async def test_text_that_comes_after_the_end_is_refused_and_counted() -> None:
    async with LiveFeed(EXAIM()) as feed:
        assert feed.offer("a", LAB)
    assert not feed.offer("a", "late")
    assert feed.lost_chars == len("late")


async def test_a_feed_that_is_cancelled_as_text_comes_ends() -> None:
    async with LiveFeed(EXAIM()) as feed:
        working = next(task for task in asyncio.all_tasks() if task.get_name() == "exaim-feed")
        await asyncio.sleep(0.01)
        feed.offer("a", LAB)
        await asyncio.sleep(0)
        working.cancel()
        await asyncio.wait({working}, timeout=5.0)
        assert working.cancelled()
