"""MDAgents' methods while they are heard: calls within calls, threads, and the class before and after."""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from contextlib import nullcontext
from contextvars import copy_context
from typing import Any

import pytest

from exaim_live.mdagents import hearing
from tests.agents.mdagents import OTHER, VIEW, Agent, Team, agent


def state_of(*classes: type) -> list[dict[str, Any]]:
    return [dict(vars(each)) for each in classes]


# calls within calls, several at once


class Consultant(Agent):
    """Asks by another method, by the class above it, and asks a colleague."""

    colleague: Agent | None = None

    def temp_responses(self, message: str, img_path: str | None = None) -> Any:
        return {number: self.chat(message) for number in range(2)}

    def chat(self, message: str, img_path: str | None = None, chat_mode: bool = True) -> Any:
        if self.colleague is not None:
            self.colleague.chat(message)
        return super().chat(message, img_path, chat_mode)


def test_a_method_that_calls_another_one_is_heard_once() -> None:
    team, consultant = Team(), Consultant("", "consultant", says=(VIEW, OTHER, VIEW))
    with hearing(team, Agent):
        consultant.temp_responses("The question")
        consultant.chat("The question")
    assert team.turns == [("consultant", f"{VIEW}\n\n{OTHER}"), ("consultant", VIEW)]


def test_agents_that_are_neither_hashable_nor_equal_to_themselves_are_told_apart() -> None:
    class Odd(Consultant):
        __hash__ = None  # type: ignore[assignment]

        def __eq__(self, other: object) -> bool:
            raise NotImplementedError

    team, one, two = Team(), Odd("", "cardiologist", says=(VIEW, VIEW, VIEW)), Odd("", "cardiologist")
    with hearing(team, Agent):
        for each in (one, two):
            each.chat("The question")
        one.temp_responses("The question")
    assert [name for name, _ in team.turns] == ["cardiologist", "cardiologist 2", "cardiologist"]


def test_a_method_is_heard_again_after_one_that_failed() -> None:
    team, consultant = Team(), Consultant("", "consultant", says=(KeyError(), VIEW))
    with hearing(team, Agent):
        with pytest.raises(KeyError):
            consultant.chat("The question")
        consultant.chat("The question")
    assert team.turns == [("consultant", VIEW)]


def test_a_call_leaves_nothing_in_its_context() -> None:
    before = list(copy_context().items())
    with hearing(Team(), Agent):
        agent().chat("The question")
        assert list(copy_context().items()) == before


def test_a_colleague_who_is_asked_on_the_way_is_heard_too() -> None:
    team, consultant = Team(), Consultant("", "consultant", says=(VIEW,))
    consultant.colleague = agent("nephrologist", OTHER)
    with hearing(team, Agent):
        consultant.chat("The question")
    assert team.turns == [("nephrologist", OTHER), ("consultant", VIEW)]


def test_agents_in_several_threads_keep_their_turns_whole() -> None:
    meeting = threading.Barrier(2)

    def meet() -> None:
        try:
            meeting.wait(timeout=0.2)
        except threading.BrokenBarrierError:
            pass  # as it should be: nobody else may be telling now

    team, shared = Team(meet), agent("surgeon", VIEW, OTHER)
    speakers = [shared, shared, *(agent() for _ in range(4))]
    with hearing(team, Agent):
        threads = [threading.Thread(target=each.chat, args=("The question",)) for each in speakers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(team.turns) == sorted(
        [("surgeon", VIEW), ("surgeon", OTHER), ("cardiologist", VIEW)]
        + [(f"cardiologist {number}", VIEW) for number in (2, 3, 4)]
    )


def test_a_team_that_asks_an_agent_while_it_listens_does_not_stand_still() -> None:
    class Asking(Team):
        def offer(self, agent_id: str, text: str) -> bool:
            if agent_id == "cardiologist":
                agent("nephrologist", OTHER).chat("Do you agree?")
            return super().offer(agent_id, text)

    team = Asking()
    with hearing(team, Agent):
        thread = threading.Thread(target=agent().chat, args=("The question",), daemon=True)
        thread.start()
        thread.join(timeout=5.0)
        assert not thread.is_alive()
    assert team.turns == [("nephrologist", OTHER), ("cardiologist", VIEW)]


class AsyncAgent:
    role = "cardiologist"

    def __init__(self) -> None:
        self.later: asyncio.Task[str] | None = None

    async def chat(self, message: str) -> str:
        await asyncio.sleep(0)
        if message == "fail":
            raise KeyError(message)
        return message

    async def temp_responses(self, message: str) -> dict[int, str]:
        answers = await asyncio.gather(self.chat(message), self.chat(OTHER))
        return dict(enumerate(answers))

    async def begin(self, message: str, go_on: asyncio.Event) -> str:
        async def afterwards() -> str:
            await go_on.wait()
            return await self.chat(OTHER)

        self.later = asyncio.create_task(afterwards())
        return message


async def test_async_methods_are_heard_once() -> None:
    team, one = Team(), AsyncAgent()
    with hearing(team, AsyncAgent):
        assert inspect.iscoroutinefunction(one.chat) and AsyncAgent.chat.__qualname__ == "AsyncAgent.chat"
        assert await one.chat(VIEW) == VIEW
        assert await one.temp_responses(VIEW) == {0: VIEW, 1: OTHER}
        with pytest.raises(KeyError):
            await one.chat("fail")
        await asyncio.gather(one.chat(VIEW), AsyncAgent().chat(OTHER))
    expected = [VIEW, f"{VIEW}\n\n{OTHER}", VIEW, OTHER]
    assert [text for _, text in team.turns] == expected
    assert team.turns[-1][0] == "cardiologist 2"


async def test_what_a_call_left_running_is_heard_when_it_speaks_later() -> None:
    team, one, go_on = Team(), AsyncAgent(), asyncio.Event()
    with hearing(team, AsyncAgent, methods=("chat", "begin")):
        await one.begin(VIEW, go_on)
        go_on.set()
        assert one.later is not None
        await one.later
    assert [text for _, text in team.turns] == [VIEW, OTHER]


async def test_a_cancelled_call_is_no_turn() -> None:
    team, one = Team(), AsyncAgent()
    with hearing(team, AsyncAgent):
        asking = asyncio.create_task(one.chat(VIEW))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
    assert not team.turns


def test_a_coroutine_closed_elsewhere_closes_without_a_word() -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    class Waiting(AsyncAgent):
        async def chat(self, message: str) -> str:
            await never()
            return message

    with hearing(Team(), AsyncAgent):
        runner = asyncio.Runner()
        asking = Waiting().chat(VIEW)
        runner.get_loop().call_soon(asking.send, None)
        runner.run(asyncio.sleep(0))
        asking.close()  # in another context than that in which it began
        runner.close()


# the class, before and after


class Base:
    role = "cardiologist"

    def chat(self, message: str) -> str:
        return message


class Inheriting(Base):
    def temp_responses(self, message: str) -> str:
        return message


class Mixin:
    def chat(self, message: str) -> str:
        return f"{message} mixed in"


class Mixed(Mixin, Inheriting):
    pass


class Diamond(Mixed, Inheriting):
    def temp_responses(self, message: str) -> str:
        return f"{message} below"


class Deep(Diamond):
    def chat(self, message: str) -> str:
        return f"{message} and deep"


FAMILY = (Base, Mixin, Inheriting, Mixed, Diamond, Deep)


@pytest.mark.parametrize("failing", [False, True])
def test_the_classes_are_put_back_exactly_as_they_were(failing: bool) -> None:
    before = state_of(*FAMILY)
    with pytest.raises(KeyError) if failing else nullcontext(), hearing(Team(), Inheriting):
        assert state_of(*FAMILY) != before
        assert state_of(Base, Mixin) == before[:2], "only the class and what is below it is touched"
        if failing:
            raise KeyError("the team broke off")
    after = state_of(*FAMILY)
    assert after == before and list(map(list, after)) == list(map(list, before))


def test_objects_made_before_and_all_subclasses_are_heard_and_nobody_else() -> None:
    team, objects = Team(), [Inheriting(), Mixed(), Diamond(), Deep()]
    with hearing(team, Inheriting):
        assert Base().chat(VIEW) == Mixin().chat(VIEW).removesuffix(" mixed in") == VIEW
        for each in objects:
            each.chat(VIEW)
            each.temp_responses(VIEW)
    assert [text for _, text in team.turns] == [
        VIEW, VIEW, f"{VIEW} mixed in", VIEW, f"{VIEW} mixed in", f"{VIEW} below",
        f"{VIEW} and deep", f"{VIEW} below",
    ]  # fmt: skip


def test_a_heard_method_looks_as_it_did() -> None:
    signature = inspect.signature(Agent.chat)
    with hearing(Team(), Agent):
        assert inspect.signature(Agent.chat) == signature
        assert Agent.chat.__doc__ == "Chat, as the original says."
        assert Agent.chat.__qualname__ == "Agent.chat"


def test_any_argument_reaches_the_method() -> None:
    class Named(Base):
        def chat(self, message: str, agent: str = "", **more: str) -> str:
            return f"{message} {agent} {more}"

    with hearing(Team(), Named, methods=("chat",)):
        assert Named().chat(message="a", agent="b", method="c") == "a b {'method': 'c'}"


def test_nothing_is_heard_after_the_end() -> None:
    team, speaker = Team(), agent("cardiologist", VIEW, VIEW)
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Agent):
        def _next(self) -> Any:
            begun.set()
            go_on.wait(5.0)
            return VIEW

    with hearing(team, Agent):
        kept = speaker.chat
        writing = threading.Thread(target=Slow("", "surgeon").chat, args=("The question",))
        writing.start()
        begun.wait(5.0)
    go_on.set()
    writing.join()
    assert kept("The question") == VIEW
    assert speaker.chat("The question") == VIEW
    assert not team.turns


def test_what_somebody_else_wrapped_around_it_meanwhile_stays_theirs() -> None:
    class Traced(Base):
        def chat(self, message: str) -> str:
            return message

    with hearing(Team(), Traced, methods=("chat",)):
        inner = Traced.chat

        @functools.wraps(inner)
        def traced(self: Traced, message: str) -> str:
            return f"traced {inner(self, message)}"

        Traced.chat = traced  # type: ignore[method-assign]
    assert Traced().chat(VIEW) == f"traced {VIEW}"


@pytest.mark.parametrize("second", [Base, Inheriting, Diamond])
def test_a_class_is_heard_by_one_session_at_a_time(second: type) -> None:
    with hearing(Team(), Inheriting):
        during = state_of(*FAMILY)
        with (
            pytest.raises(RuntimeError, match="another session"),
            hearing(Team(), second, methods=("chat",)),
        ):
            pytest.fail("two patients would be mixed up")
        assert state_of(*FAMILY) == during
        with hearing(Team(), Agent):
            pass
    with hearing(Team(), second, methods=("chat",)):
        pass


@pytest.mark.parametrize(
    ("methods", "error"), [(("chat", "ask"), AttributeError), (("chat", "fixed"), TypeError)]
)
def test_a_class_that_cannot_be_heard_is_refused_and_left_as_it_was(
    methods: tuple[str, ...], error: type[Exception]
) -> None:
    class Lacking(Base):
        @staticmethod
        def fixed(message: str) -> str:
            return message

    before = state_of(Base, Lacking)
    for _ in range(2):
        with pytest.raises(error), hearing(Team(), Lacking, methods=methods):
            pytest.fail("it was not refused")
    assert state_of(Base, Lacking) == before
