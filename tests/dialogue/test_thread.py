"""The thread: its memory, its bound, its checkpoints, and one answer for one turn."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.memory import InMemorySaver
from redis.asyncio import Redis

from agents.dialogue import Dialogue, DialogueStalled, Question
from agents.dialogue.thread import KEPT_TURNS
from infra.checkpoints import RedisSaver
from infra.errors import Fenced
from infra.keys import SessionKeys
from infra.leases import Lease
from tests.dialogue.asking import CASE, Asking, at
from tests.dialogue.scoring import paper_of
from tests.dialogue.test_before import said


async def test_the_same_turn_gives_the_same_answer_even_when_the_board_has_changed() -> None:
    asking = await at()
    first = await asking.ask("what do they think", turn_id="t")
    asking.board = None
    assert await asking.ask("what do they think", turn_id="t") == first
    assert (await asking.ask("what do they think", turn_id="u")).text != first.text


async def test_the_same_turn_asked_twice_at_once_is_answered_once() -> None:
    saver = InMemorySaver()
    asking = Asking((await at()).board, paper_of(CASE), saver)
    question = Question("t", "what is the sodium", asking.board, None, 0)
    one, other = await asyncio.gather(asking.dialogue.answer(question), asking.dialogue.answer(question))
    assert one == other
    assert len(await _turns(saver)) == 1


async def test_another_process_goes_on_with_the_thread() -> None:
    saver, board = InMemorySaver(), (await at()).board
    before = await Asking(board, paper_of(CASE), saver).ask("what about salbutamol", turn_id="t")
    successor = Asking(board, paper_of(CASE), saver)
    assert await successor.ask("anything else", turn_id="t") == before
    assert "salbutamol 10 mg" in (await successor.ask("and the dose?", turn_id="u")).text


@pytest.mark.real
async def test_a_second_voice_goes_on_with_the_thread_from_the_store_and_the_first_writes_no_more(
    store: Redis,
) -> None:
    keys, board = SessionKeys("s-1", "s-1"), (await at()).board

    async def voice() -> tuple[Asking, Lease]:
        lease = Lease(store, keys, "voice", ttl_s=30.0)
        saver = RedisSaver(store, fence=await lease.acquire(), session=keys)
        return Asking(board, paper_of(CASE), saver, "s-1"), lease

    first, held = await voice()
    before = await first.ask("what about salbutamol", turn_id="t")
    await held.release()
    second, _ = await voice()
    assert await second.ask("anything else", turn_id="t") == before
    assert "salbutamol 10 mg" in (await second.ask("and the dose?", turn_id="u")).text
    with pytest.raises(Fenced):
        await first.ask("what is the sodium", turn_id="v")
    assert "salbutamol" in (await second.ask("and the dose?", turn_id="w")).text


async def test_threads_do_not_see_each_other() -> None:
    saver, board = InMemorySaver(), (await at()).board
    await Asking(board, paper_of(CASE), saver, "one").ask("what about salbutamol")
    assert "salbutamol" not in (await Asking(board, paper_of(CASE), saver, "two").ask("and the dose?")).text


async def test_the_thread_keeps_its_last_turns_only_and_no_board() -> None:
    saver = InMemorySaver()
    asking = Asking((await at()).board, paper_of(CASE), saver)
    for k in range(KEPT_TURNS + 3):
        await asking.ask("what is the sodium", turn_id=f"t{k}")
    turns = await _turns(saver)
    assert [turn["turn_id"] for turn in turns] == [f"t{k}" for k in range(3, KEPT_TURNS + 3)]
    assert "are reinforcing one another" not in str(await _state(saver)), "the board is kept elsewhere"


async def test_answers_are_the_same_every_time() -> None:
    questions = ("potassium", "what's the plan", "why?", "any allergies", "what else could it be")
    texts = [[(await asking.ask(text)).text for text in questions] for asking in [await at(), await at()]]
    assert texts[0] == texts[1]


class _Stuck(InMemorySaver):
    """A checkpointer whose store does not answer."""

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        await asyncio.Event().wait()
        return None


def test_a_store_that_does_not_answer_ends_in_an_error(virtual: asyncio.Runner) -> None:
    asking = Asking(None, None, _Stuck())

    async def scene() -> None:
        release = asyncio.get_running_loop().call_later(60.0, lambda: None)
        with pytest.raises(DialogueStalled):
            await asking.ask("potassium")
        release.cancel()

    virtual.run(scene())


async def _state(saver: InMemorySaver) -> dict[str, Any]:
    found = await saver.aget_tuple({"configurable": {"thread_id": "case-1"}})
    assert found is not None
    return found.checkpoint["channel_values"]


async def _turns(saver: InMemorySaver) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = (await _state(saver))["turns"]
    return turns


async def test_a_question_that_is_cancelled_leaves_no_trace() -> None:
    saver, board = InMemorySaver(), (await at()).board
    asking = Asking(board, paper_of(CASE), saver)
    await asking.ask("what about salbutamol", turn_id="t")
    superseded = asyncio.create_task(asking.ask("how high is the sodium", turn_id="u"))
    await asyncio.sleep(0)
    superseded.cancel()
    with pytest.raises(asyncio.CancelledError):
        await superseded
    assert "salbutamol 10 mg" in (await asking.ask("and the dose?", turn_id="v")).text
    assert [turn["turn_id"] for turn in await _turns(saver)] == ["t", "v"]


async def test_what_is_foreseen_is_what_is_answered_and_nothing_of_it_is_kept() -> None:
    board = said(("nurse", "The potassium is 6.9."))
    saver = InMemorySaver()
    dialogue = Dialogue(thread_id="t", paper=None, checkpointer=saver)
    asked = Question("turn-1", "What is the potassium?", board, None, 0)
    foreseen = await dialogue.foreseen(asked)
    assert foreseen is not None
    assert "6.9" in foreseen
    assert [kept async for kept in saver.alist(None)] == []
    assert (await dialogue.answer(asked)).text == foreseen
