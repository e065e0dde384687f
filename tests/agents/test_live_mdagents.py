"""Who is heard of agents in MDAgents' shape, as whom, and what of their answers."""

from __future__ import annotations

import gc
import logging
import weakref
from typing import Any

import pytest

from exaim_live.mdagents import Roles, hearing
from tests.agents.mdagents import OTHER, VIEW, Agent, Team, agent

WHOM = "Is there anybody you want to talk to? (yes/no)\n\nOpinions:\n"


def named(
    role: str, *, method: str = "chat", message: Any = "The question", answer: str = VIEW
) -> str | None:
    return Roles()(agent(role), method, message, answer)


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
    team, ids = Team(), list[int]()
    with hearing(team, Agent):
        while len(set(ids)) == len(ids):
            assert len(ids) < 10_000, "no id came again"
            for speaker in [agent() for _ in range(100)]:
                ids.append(id(speaker))
                speaker.chat("The question")
            del speaker
            gc.collect()
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
