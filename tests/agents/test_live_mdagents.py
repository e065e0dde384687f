"""Agents in the shape of MDAgents' own, heard by a team. The class here is made up; no model is asked."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib.util
import inspect
import json
import logging
import sys
import textwrap
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import asynccontextmanager, nullcontext
from contextvars import copy_context
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import pytest

from agents.live import LiveTeam, Opened
from agents.live.mdagents import Roles, hearing

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "live_mdagents.py"
VIEW = "I hold digoxin toxicity most likely."
OTHER = "The potassium is 6.9 mmol/L."
WHOM = "Is there anybody you want to talk to? (yes/no)\n\nOpinions:\n"


class Agent:
    """Answers from a script, in the shape of MDAgents' Agent: role, instruction, chat, temp_responses."""

    def __init__(
        self, instruction: str, role: str, examplers: Any = None, *, says: tuple[Any, ...] = (VIEW,)
    ) -> None:
        self.instruction, self.role, self.examplers = instruction, role, examplers
        self.says = list(says)

    def chat(self, message: str, img_path: str | None = None, chat_mode: bool = True) -> Any:
        """Chat, as the original says."""
        return self._next()

    def temp_responses(self, message: str, img_path: str | None = None) -> Any:
        return {0.0: self._next()}

    def _next(self) -> Any:
        answer = self.says.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def agent(role: str = "cardiologist", *says: Any) -> Agent:
    return Agent(f"You are a {role}.", role, says=says or (VIEW,))


class Team:
    """Keeps the turns; fails if one begins or ends within another."""

    def __init__(self, on_offer: Callable[[], None] = lambda: None) -> None:
        self.turns: list[tuple[str, str]] = []
        self.under_way: str | None = None
        self._on_offer = on_offer

    def offer(self, agent_id: str, text: str) -> bool:
        assert self.under_way is None, f"{agent_id} begins within {self.under_way}"
        self.under_way = agent_id
        self._on_offer()
        self.turns.append((agent_id, text))
        return True

    def end_turn(self, agent_id: str) -> None:
        assert self.under_way == agent_id
        self.under_way = None


def named(
    role: str, *, method: str = "chat", message: Any = "The question", answer: str = VIEW
) -> str | None:
    return Roles()(agent(role), method, message, answer)


def state_of(*classes: type) -> list[dict[str, Any]]:
    return [dict(vars(each)) for each in classes]


# who is heard, and as whom


@pytest.mark.parametrize(
    ("role", "name"),
    [
        ("cardiologist", "cardiologist"),
        ("Otolaryngologist (ENT Surgeon) (Lead)", "Otolaryngologist"),
        ("Neurologist (Lead (of two)) [DET]", "Neurologist"),
        ("  general \n surgeon ", "general surgeon"),
        ("**Cardiologist**:", "Cardiologist"),
        ("(Lead)", "Lead"),
        ("Surgeon (Lead", "Surgeon Lead"),
        ("", "agent"),
        ("Speech-Language Pathologist", "Speech-Language Pathologist"),
        ("Moderator", "moderator"),
        ("DECISION MAKER", "moderator"),
    ],
)
def test_an_agent_is_called_by_its_role(role: str, name: str) -> None:
    assert named(role) == name


def test_an_agent_without_a_role_is_called_agent() -> None:
    assert Roles()(object(), "chat", "The question", VIEW) == "agent"


def test_a_long_role_leaves_room_for_its_number() -> None:
    roles, role = Roles(), "consultant " * 10
    one, two = agent(role), agent(role)
    names = [roles(each, "chat", "", VIEW) or "" for each in (one, two)]
    assert len(set(names)) == 2 and max(map(len, names)) <= 64


@pytest.mark.parametrize("role", ["recruiter", "Recruiter", "medical assistant", "Medical Assistant (AI)"])
@pytest.mark.parametrize("method", ["chat", "temp_responses"])
def test_helpers_are_passed_over(role: str, method: str) -> None:
    assert named(role, method=method) is None


def test_the_medical_expert_is_heard_where_it_answers_the_question() -> None:
    assert named("Medical expert", method="chat") is None
    assert named("medical expert", method="temp_responses") == "medical expert"


@pytest.mark.parametrize("role", ["cardiologist", "Moderator"])
def test_the_answer_to_its_own_instruction_is_passed_over(role: str) -> None:
    assert named(role, message=f"You are a {role}.") is None


def test_an_agent_without_an_instruction_is_heard_also_without_a_message() -> None:
    assert Roles()(object(), "chat", None, VIEW) == "agent"


@pytest.mark.parametrize(
    "answer", ["Yes", "no.", "**Yes.**", "1", "1, 2", "Agent 1 and Agent 3", "6.9", "🤐", "Error: no reply."]
)
def test_who_talks_to_whom_and_what_is_no_answer_is_passed_over(answer: str) -> None:
    assert named("cardiologist", answer=answer) is None


@pytest.mark.parametrize(
    "answer",
    ["Yes, digoxin.", "No: 2 mg", "1. Digoxin toxicity", "B", "Error: the potassium\nwas read as sodium."],
)
def test_a_short_answer_that_says_something_is_heard(answer: str) -> None:
    assert named("cardiologist", answer=answer) == "cardiologist"


def test_a_yes_with_its_reasons_is_passed_over_where_that_was_asked() -> None:
    assert named("cardiologist", message=WHOM, answer="Yes, I want to talk to the nephrologist.") is None
    assert named("cardiologist", message=WHOM, answer=VIEW) == "cardiologist"
    within = f"The question:\n{WHOM}"
    assert named("cardiologist", message=within, answer="Yes, give digoxin antibodies.") == "cardiologist"
    assert named("cardiologist", message=[WHOM], answer="Yes, give antibodies.") == "cardiologist"


def test_a_consultation_is_heard_from_the_experts_to_the_decision() -> None:
    team = Team()
    with hearing(team, Agent):
        recruiter = agent("recruiter", "Hello.", "1. Cardiologist - hearts - Hierarchy: Independent")
        recruiter.chat(recruiter.instruction)
        recruiter.chat("Whom do you recruit?")
        experts = [
            agent(role, "Hello.", VIEW, "Yes.", "1", OTHER) for role in ("cardiologist", "nephrologist")
        ]
        for each in experts:
            each.chat(each.instruction)
        for message in ("The question", WHOM, "Which number?", "Your opinion?"):
            for each in experts:
                each.chat(message, img_path=None)
        agent("medical assistant", "Key Knowledge: digoxin.").chat("Sum up.")
        moderator = agent("Moderator", "Hello.", VIEW)
        moderator.chat(moderator.instruction)
        assert moderator.temp_responses("Decide.") == {0.0: VIEW}
    assert team.turns == [
        ("cardiologist", VIEW),
        ("nephrologist", VIEW),
        ("cardiologist", OTHER),
        ("nephrologist", OTHER),
        ("moderator", VIEW),
    ]


def test_who_is_heard_may_be_told_by_the_program() -> None:
    team, roles, asked = Team(), Roles(), []

    def told_as(speaker: Agent, method: str, message: str, answer: str) -> str | None:
        asked.append((speaker, method, message, answer))
        return "Team One" if speaker.role == "lead" else roles(speaker, method, message, answer)

    lead, expert = agent("lead"), agent()
    with hearing(team, Agent, told_as=told_as):
        agent("lead", " ").chat("A question without an answer")
        lead.chat(message="The question")
        expert.temp_responses("Another")
    assert asked == [(lead, "chat", "The question", VIEW), (expert, "temp_responses", "Another", VIEW)]
    assert team.turns == [("Team One", VIEW), ("cardiologist", VIEW)]


# two of one role


def test_two_of_one_role_are_told_apart_in_the_order_in_which_they_speak() -> None:
    team, first, second = Team(), agent("Cardiologist", VIEW, VIEW), agent("cardiologist", "Yes", VIEW)
    third, fourth = agent("cardiologist 2"), agent("CARDIOLOGIST")
    with hearing(team, Agent):
        second.chat("Do you want to talk?")
        for each in (first, second, third, fourth, first):
            each.chat("The question")
    assert [name for name, _ in team.turns] == [
        "Cardiologist", "cardiologist 2", "cardiologist 2 2", "CARDIOLOGIST 3", "Cardiologist",
    ]  # fmt: skip


def test_the_moderator_is_an_office() -> None:
    roles, one, two = Roles(), agent("Moderator"), agent("decision maker")
    assert [roles(each, "chat", "", VIEW) for each in (one, two, one)] == ["moderator"] * 3


def test_no_agent_is_kept_alive() -> None:
    speaker = agent()
    gone = weakref.ref(speaker)
    with hearing(Team(), Agent):
        speaker.chat("The question")
        del speaker
        gc.collect()
        assert gone() is None


def test_an_id_that_comes_again_is_somebody_else() -> None:
    team, ids = Team(), []
    with hearing(team, Agent):
        for _ in range(200):
            speaker = agent()
            ids.append(id(speaker))
            speaker.chat("The question")
            del speaker
    assert len(set(ids)) < len(ids), "ids came again"
    assert len({name for name, _ in team.turns}) == len(ids)


def test_agents_that_take_no_weak_reference_share_their_roles_name() -> None:
    class Slotted:
        __slots__ = ()
        role = "cardiologist"

        def chat(self, message: str) -> str:
            return VIEW

    team, one, two = Team(), Slotted(), Slotted()
    with hearing(team, Slotted, methods=("chat",)):
        one.chat("The question")
        two.chat("The question")
    assert team.turns == [("cardiologist", VIEW)] * 2


# what is heard of an answer


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        (f" {VIEW}\n", [VIEW]),
        ({0.0: VIEW}, [VIEW]),
        ({0.3: VIEW, 1.2: f"{VIEW}\n", 1.5: OTHER, 2.0: None}, [f"{VIEW}\n\n{OTHER}"]),
        ({0.0: "", 0.3: VIEW}, [VIEW]),
        ({}, []),
        ({0.0: None}, []),
        ("", []),
        ("  \n", []),
        (None, []),
        ([VIEW], []),
        (6.9, []),
    ],
)
def test_text_is_heard_and_other_answers_are_passed_over(answer: Any, heard: list[str]) -> None:
    team = Team()
    with hearing(team, Agent):
        assert agent("cardiologist", answer).chat("The question") is answer
    assert [text for _, text in team.turns] == heard


def test_what_a_method_raises_is_left_as_it_is_and_no_turn() -> None:
    team, failure = Team(), KeyError("no model")
    patient = agent("cardiologist", failure, VIEW)
    with hearing(team, Agent):
        with pytest.raises(KeyError) as raised:
            patient.chat("The question")
        assert raised.value is failure
        assert patient.chat("The question, again") == VIEW
    assert team.turns == [("cardiologist", VIEW)]


@pytest.mark.parametrize("ends_too", [True, False])
def test_a_team_that_fails_harms_nobody(caplog: pytest.LogCaptureFixture, ends_too: bool) -> None:
    class Failing(Team):
        ended = 0

        def offer(self, agent_id: str, text: str) -> bool:
            raise RuntimeError(text)

        def end_turn(self, agent_id: str) -> None:
            self.ended += 1
            if ends_too:
                raise ValueError(agent_id)

    team = Failing()
    with caplog.at_level(logging.WARNING), hearing(team, Agent):
        assert agent().chat("The question") == VIEW
    assert team.ended == 1, "what may have begun was not left open"
    assert "Error" in caplog.text and VIEW not in caplog.text and "cardiologist" not in caplog.text


def test_a_naming_that_fails_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def told_as(speaker: Any, method: str, message: Any, answer: str) -> str | None:
        raise LookupError(answer)

    team = Team()
    with caplog.at_level(logging.WARNING), hearing(team, Agent, told_as=told_as):
        assert agent().chat("The question") == VIEW
    assert not team.turns
    assert "LookupError" in caplog.text and VIEW not in caplog.text


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


# with a session's client, and the example


class Listener:
    """Stands for the API: opens a session, and takes its events."""

    def __init__(self) -> None:
        self.opened: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if request.url.path == "/sessions":
            self.opened = body["live"]
            live = {"team_token": "t", "page_url": "http://x/#session=s"}
            return httpx.Response(201, json={"session_id": "s", "live": live})
        self.events += body["events"]
        return httpx.Response(200, json={"stored_seq": len(self.events) - 1})

    @property
    def turns(self) -> list[tuple[str, str]]:
        said: dict[int, list[str]] = {}
        for event in self.events:
            if event["type"] == "TOKEN":
                said.setdefault(event["turn"], [event["agentId"]]).append(event["data"])
        return [(agent_id, "".join(texts)) for agent_id, *texts in said.values()]


@asynccontextmanager
async def team_of(listener: Listener) -> Any:
    async with httpx.AsyncClient(transport=httpx.MockTransport(listener)) as http:
        async with LiveTeam(Opened("http://x/e", "t"), http=http) as team:
            yield team


async def test_a_live_team_hears_a_program_that_runs_in_a_thread() -> None:
    listener = Listener()

    def consultation() -> Any:
        experts = [agent("cardiologist", VIEW, OTHER), agent("cardiologist", VIEW)]
        for each in experts:
            each.chat("The question")
        experts[0].chat("Your final answer")
        return agent("Moderator").temp_responses("Decide.")

    async with team_of(listener) as team:
        with hearing(team, Agent):
            assert await asyncio.to_thread(consultation) == {0.0: VIEW}
    assert (team.refused, team.lost_chars) == (None, 0)
    assert listener.turns == [
        ("cardiologist", VIEW),
        ("cardiologist 2", VIEW),
        ("cardiologist", OTHER),
        ("moderator", VIEW),
    ]
    marks = [event["mark"] for event in listener.events if event["type"] == "METADATA"]
    assert marks == ["TURN_START", "TURN_END"] * 4
    assert listener.events[-1]["type"] == "END"


SCRIPTED_UTILS = """
class Agent:
    def __init__(self, instruction, role):
        self.instruction, self.role = instruction, role

    def chat(self, message, img_path=None, chat_mode=True):
        return f"{self.role} was asked {message}"

    def temp_responses(self, message, img_path=None):
        return {0.0: self.chat(message)}

def process_intermediate_query(question, examplers, model, args):
    assert args.dataset != "medqa" and not examplers
    Agent("You are one.", "cardiologist").chat(question)
    return {"majority": Agent("You decide.", "Moderator").temp_responses(model)}
"""


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("live_mdagents_example", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(sys, "path", list(sys.path))
    sys.modules.pop("utils", None)
    yield module
    sys.modules.pop("utils", None)


def test_the_example_has_a_clone_heard(
    example: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listener = Listener()
    client = functools.partial(httpx.AsyncClient, transport=httpx.MockTransport(listener))
    monkeypatch.setattr(httpx, "AsyncClient", client)
    (tmp_path / "utils.py").write_text(SCRIPTED_UTILS)
    question = tmp_path / "Yellow vision.txt"
    question.write_text("A woman of 81 sees yellow.\n")
    given = [str(question), "--mdagents", str(tmp_path), "--model", "gpt-4o"]
    assert example.main(given) == 0
    assert "Listen here: http://x/#session=s\n" in capsys.readouterr().out
    assert listener.opened["title"] == "Yellow vision"
    (expert, asked), decided = listener.turns
    assert expert == "cardiologist" and asked.startswith("cardiologist was asked A woman of 81 sees yellow.")
    assert decided == ("moderator", "Moderator was asked gpt-4o")
    assert listener.events[-1]["type"] == "END"


@pytest.mark.parametrize("utils", [None, "", "import a_package_that_nobody_has"])
def test_the_example_says_in_one_line_what_it_lacks(
    example: ModuleType, utils: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = tmp_path / "question.txt"
    question.write_text("A woman of 81 sees yellow.")
    given = [str(question)]
    if utils is not None:
        clone = tmp_path / "clone"
        clone.mkdir()
        (clone / "utils.py").write_text(textwrap.dedent(utils))
        given += ["--mdagents", str(clone)]
    assert example.main(given) == 2
    told = capsys.readouterr()
    assert not told.out
    assert told.err.count("\n") == 1 and "MDAgents" in told.err


@pytest.mark.parametrize("given", [[], ["none.txt"]])
def test_the_example_wants_a_question_that_can_be_read(
    example: ModuleType, given: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "utils.py").write_text(SCRIPTED_UTILS)
    assert example.main([*given, "--mdagents", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
